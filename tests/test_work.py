"""docs/notes/work.md: its formulas hold."""

import numpy as np
from hypothesis import given, settings
from scipy.sparse import csr_array

from fillpath import registry
from fillpath.nouns import Array, Pattern
from impl.symbolic.elimination_tree import NONE, elimination_tree
from tests.patterns import from_dense, patterns, to_dense


def edges(name: str, pattern: Pattern) -> int:
    count: int = registry.lookup("symbolic", name).function(pattern)[1].edges
    return count


def depths(parent: Array) -> Array:
    """Count the ancestors of each label."""
    depth = np.zeros(len(parent), np.int64)
    for label in reversed(range(len(parent))):
        if parent[label] != NONE:
            depth[label] = depth[parent[label]] + 1
    return depth


@settings(max_examples=40)
@given(patterns())
def test_the_formulas_of_the_page(pattern: Pattern) -> None:
    filled, _ = registry.lookup("symbolic", "fill1").function(pattern)
    dense = to_dense(filled)
    lower, upper = np.tril(dense, -1).sum(axis=0), np.triu(dense).sum(axis=1)
    assert edges("fill1", pattern) == lower @ upper
    assert edges("gilbert_peierls", pattern) == lower @ (upper - 1)
    assert edges("gsofa_cpu", pattern) >= edges("fill2_cpu", pattern)


@settings(max_examples=40)
@given(patterns())
def test_the_formulas_of_symmetric_patterns(pattern: Pattern) -> None:
    dense = csr_array((np.ones(pattern.nnz, bool), pattern.indices, pattern.indptr)).toarray()
    symmetric = from_dense(dense | dense.T)
    filled, _ = registry.lookup("symbolic", "fill1").function(symmetric)
    tree = elimination_tree(symmetric)
    trees = int(np.count_nonzero(tree.parent == NONE))
    assert edges("fill1_pruned", symmetric) == filled.pattern.nnz - 2 * symmetric.n + trees
    assert edges("fill2_cpu", symmetric) == np.diff(symmetric.indptr)[tree.vertex] @ depths(tree.parent)
    assert edges("fill2_cpu", symmetric) >= edges("fill1_pruned", symmetric)
