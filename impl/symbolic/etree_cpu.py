"""The elimination tree of a structurally symmetric pattern: all that it fills, at the cost of the output.

For such a pattern F is the Cholesky factor and its transpose. Row and column counts come from the leaves of
the row subtrees, in nearly linear time. The columns of a supernode share one list of rows, which ascends, as
it lies on one path of the tree. A row is made of such lists and of runs of columns.

J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11 (1990).
J. R. Gilbert, E. G. Ng, B. W. Peyton, An efficient algorithm to compute row and column counts for sparse
Cholesky factorization, SIAM J. Matrix Anal. Appl. 15 (1994).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit

from fillpath.errors import UnsupportedError
from fillpath.nouns import Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.symbolic.elimination_tree import ONE, symmetric_tree
from impl.symbolic.factor_counts_cpu import factor_counts
from impl.symbolic.fronts_cpu import fronts_of, segments_of


@implementation(stage="symbolic", paper="")
def etree_cpu(
    pattern: Pattern, *, output: Literal["pattern", "counts"] = "pattern"
) -> tuple[Filled | Counts, Work]:
    """Fill a structurally symmetric pattern by its elimination tree (sequential).

    pattern : n x n, sorted, diagonal present
    output : "pattern", or "counts", which forms no row of F

    Returns the filled pattern (n x n, rows sorted) or its row counts, and the work: edges are the entries of
    A examined. The tree examines entries below the diagonal and their mirrors, the counts those above it. The
    output "pattern" examines those below it again, and adds the steps of their walks up the tree. Raises
    UnsupportedError at the first entry without a mirror.
    """
    with phase("tree"):
        tree = symmetric_tree(pattern)
    if tree is None:
        raise UnsupportedError("the pattern is not structurally symmetric")
    with phase("counts"):
        factor = factor_counts(tree)
        counts = Counts(factor.rows, factor.columns[tree.label])
    fills = counts.nnz - pattern.nnz
    half = (pattern.nnz - pattern.n) // 2
    if output == "counts":
        return counts, Work(edges=3 * half, fills=fills)
    with phase("supernodes"):
        supernodes = fronts_of(tree, factor, leaf=1, chain=0)
        segments = segments_of(tree, supernodes)
    with phase("rows"):
        indptr = np.concatenate([[0], np.cumsum(counts.lower + counts.upper)]).astype(np.int64)
        indices = np.empty(indptr[-1], np.int32)
        _rows(tree.label, supernodes, segments, indptr.view(np.uint64), indices.view(np.uint32))
    steps = len(supernodes.members) - pattern.n
    filled = Filled(Pattern(indptr, indices), indptr[:-1] + counts.lower)
    return filled, Work(edges=4 * half + steps, fills=fills)


@njit(cache=True, nogil=True)
def _rows(label, supernodes, segments, indptr, indices):
    """Write each row once: the segments that reach it, its own, and the members of its supernode beyond."""
    current = np.uint64(0)
    for row in range(np.uint64(len(label))):
        if segments.first[current + ONE] == row:
            current += ONE
        at = indptr[row]
        for p in range(segments.start[row], segments.start[row + ONE]):
            segment = segments.reaching[p]
            for column in range(segments.first[segment], segments.first[segment + ONE]):
                indices[at] = column
                at += ONE
        for column in range(segments.first[current], row):
            indices[at] = column
            at += ONE
        supernode = supernodes.of[row]
        pivot = label[row] - supernodes.first[supernode]
        for p in range(supernodes.start[supernode] + pivot, supernodes.start[supernode + ONE]):
            indices[at] = supernodes.members[p]
            at += ONE
