"""Elimination trees, fronts and segments against their definitions, and etree_cpu on symmetric patterns."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fillpath import registry
from fillpath.nouns import Array, Counts, Pattern
from impl.symbolic.elimination_tree import NONE, elimination_tree, symmetric_tree
from impl.symbolic.factor_counts_cpu import factor_counts
from impl.symbolic.fronts_cpu import fronts_of, segments_of
from tests.patterns import FAMILIES, chain, eliminated, from_dense, mirrored, patterns, random_pattern
from tests.thorough import daily

ETREE = registry.lookup("symbolic", "etree_cpu").function
PRUNED = registry.lookup("symbolic", "fill1_pruned").function
# Columns of the largest leaf, and of the longest chain that takes in an inexact parent.
SHAPES = st.tuples(st.sampled_from([1, 2, 5, 32, 1000]), st.sampled_from([0, 1, 3, 16, 1000]))


def below(pattern: Pattern) -> Array:
    """Dense: the Cholesky factor of A | A^T without its diagonal."""
    return np.tril(eliminated(mirrored(pattern)), -1)


@given(patterns())
def test_a_parent_is_the_first_row_below_the_diagonal(pattern: Pattern) -> None:
    tree, factor = elimination_tree(pattern), below(pattern)
    for vertex in range(pattern.n):
        rows = np.flatnonzero(factor[:, vertex])
        parent = tree.parent[tree.label[vertex]]
        assert (parent == NONE) if len(rows) == 0 else (tree.vertex[parent] == rows[0])


@given(patterns())
def test_counts_are_those_of_the_factor(pattern: Pattern) -> None:
    tree, factor = elimination_tree(pattern), below(pattern)
    counts = factor_counts(tree)
    assert np.array_equal(counts.rows, factor.sum(axis=1))
    assert np.array_equal(counts.columns[tree.label], factor.sum(axis=0) + 1)


@given(patterns())
def test_labels_are_a_postorder(pattern: Pattern) -> None:
    """Each subtree is the range of labels that ends with its root."""
    tree = elimination_tree(pattern)
    places = np.arange(pattern.n)
    assert np.array_equal(tree.vertex[tree.label], places)
    inner = places[tree.parent != NONE]
    above = tree.parent[inner].astype(np.int64)
    assert np.all(above > inner)
    assert np.all(inner - tree.size[inner] >= above - tree.size[above])
    sizes = np.ones(pattern.n, np.int64)
    np.add.at(sizes, above, tree.size[inner])
    assert np.array_equal(tree.size, sizes)


@given(patterns())
def test_what_is_a_postorder_keeps_its_order(pattern: Pattern) -> None:
    order = elimination_tree(pattern).vertex
    dense = np.zeros((pattern.n, pattern.n), dtype=bool)
    dense[pattern.rows(), pattern.indices] = True
    again = elimination_tree(from_dense(dense[np.ix_(order, order)]))
    assert np.array_equal(again.label, np.arange(pattern.n))


@given(patterns())
def test_a_pattern_is_symmetric_if_it_is_its_mirror(pattern: Pattern) -> None:
    both = mirrored(pattern)
    assert symmetric_tree(both) is not None
    assert (symmetric_tree(pattern) is not None) == np.array_equal(both.indptr, pattern.indptr)


@given(patterns(), SHAPES)
def test_fronts_hold_what_their_pivots_touch(pattern: Pattern, shape: tuple[int, int]) -> None:
    tree, factor = elimination_tree(pattern), below(pattern)
    fronts = fronts_of(tree, factor_counts(tree), *shape)
    assert fronts.first[-1] == pattern.n
    for front, (first, last) in enumerate(pairwise(fronts.first.tolist())):
        members = fronts.members[fronts.start[front] : fronts.start[front + 1]]
        pivots, beyond = members[: last - first], members[last - first :]
        assert np.array_equal(pivots, tree.vertex[first:last])
        assert np.all(fronts.of[pivots] == front)
        assert np.array_equal(beyond, np.flatnonzero(factor[:, pivots[-1]]))
        touched = set(np.flatnonzero(factor[:, pivots].any(axis=1)))
        assert touched <= set(members)
        parent = fronts.parent[front]
        assert (parent == NONE) if len(beyond) == 0 else (parent == fronts.of[beyond[0]])
        if shape == (1, 0):
            assert all(factor[members[k + 1 :], pivot].all() for k, pivot in enumerate(pivots))
    children = np.bincount(fronts.parent[fronts.parent != NONE], minlength=len(fronts.parent))
    assert np.all((fronts.descendants > 1) == (children > 0))


@given(patterns(), SHAPES)
def test_small_fronts_are_joined(pattern: Pattern, shape: tuple[int, int]) -> None:
    """A subtree of at most `leaf` vertices, and a chain of at most so many, is not divided; what has more is
    joined by exact chains alone."""
    leaf, longest = shape
    tree = elimination_tree(pattern)
    counts = factor_counts(tree)
    fronts = fronts_of(tree, counts, leaf, longest)
    front = fronts.of[tree.vertex]
    for place in np.flatnonzero(tree.size <= leaf):
        assert len(set(front[place + 1 - tree.size[place] : place + 1])) == 1
    for place in np.flatnonzero(tree.size > max(leaf, 1)):
        exact = counts.columns[place - 1] == counts.columns[place] + 1
        short = place - fronts.first[front[place - 1]] < longest
        joins = tree.parent[place - 1] == place and (exact or short)
        assert (front[place - 1] == front[place]) == joins


@given(patterns(), SHAPES)
def test_segments_reach_the_members_beyond_them(pattern: Pattern, shape: tuple[int, int]) -> None:
    tree = elimination_tree(pattern)
    fronts = fronts_of(tree, factor_counts(tree), *shape)
    segments = segments_of(tree, fronts)
    reached: list[list[int]] = [[] for _ in range(pattern.n)]
    assert segments.first[0] == 0 and segments.first[-1] == pattern.n
    for number, (first, end) in enumerate(pairwise(segments.first.tolist())):
        assert len(set(fronts.of[first:end])) == 1 and np.all(np.diff(tree.label[first:end]) == 1)
        front = fronts.of[first]
        members = fronts.members[fronts.start[front] : fronts.start[front + 1]].tolist()
        for row in members[members.index(end - 1) + 1 :]:
            reached[row].append(number)
    for row, expected in enumerate(reached):
        assert segments.reaching[segments.start[row] : segments.start[row + 1]].tolist() == expected


def assert_filled(pattern: Pattern) -> None:
    """The pattern and the counts of etree_cpu are those of fill1_pruned."""
    expected, _ = PRUNED(pattern)
    filled, work = ETREE(pattern)
    assert np.array_equal(filled.pattern.indptr, expected.pattern.indptr)
    assert np.array_equal(filled.pattern.indices, expected.pattern.indices)
    assert np.array_equal(filled.upper_start, expected.upper_start)
    counts, _ = ETREE(pattern, output="counts")
    assert isinstance(counts, Counts)
    assert np.array_equal(counts.lower, filled.counts().lower)
    assert np.array_equal(counts.upper, filled.counts().upper)
    assert work.fills == expected.pattern.nnz - pattern.nnz


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 500])
@pytest.mark.parametrize("family", FAMILIES)
def test_etree_fills_each_family(family: str, n: int) -> None:
    assert_filled(mirrored(FAMILIES[family](n)))


def test_etree_fills_larger_patterns() -> None:
    rng = np.random.default_rng(20261123)
    for _ in range(60):
        n = int(rng.integers(200, 1501))
        pattern = random_pattern(n, float(rng.uniform(0.3, 3.0)) / n, int(rng.integers(2**32)))
        assert_filled(mirrored(pattern))


@pytest.mark.parametrize("n", daily([10**5, 10**6], 10**5))
def test_etree_fills_a_long_permuted_chain(n: int) -> None:
    assert_filled(chain(n, np.random.default_rng(3).permutation(n)))


def test_etree_counts_what_it_examines() -> None:
    """A chain: every row below the first has one entry on either side of the diagonal, and no walk leaves its
    front's parent."""
    pattern = chain(10)
    _, counts = ETREE(pattern, output="counts")
    assert counts.edges == 3 * 9
