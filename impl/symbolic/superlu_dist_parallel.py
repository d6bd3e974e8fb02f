"""SuperLU_DIST's parallel symbolic factorisation, a peer.

L. Grigori, J. W. Demmel, X. S. Li, Parallel symbolic factorization for sparse LU with static pivoting, SISC
29 (2007).
"""

from __future__ import annotations

import numpy as np

from fillpath.nouns import Counts, Pattern, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.ranks import everyone
from impl.peers.superlu_dist import factorised_in_parallel
from impl.symbolic.separator_tree import separator_tree


@implementation(
    stage="symbolic", paper="gsofa", section="5.3, Figure 12", available=peer("superlu_dist").available,
    peer="superlu_dist",
)  # fmt: skip
def superlu_dist_parallel(pattern: Pattern, *, ranks: int = 1) -> tuple[Counts, Work]:
    """Count entries by row with SuperLU_DIST's symbfact_dist on MPI ranks, from its supernodes.

    pattern : n x n, sorted, diagonal present, the same on all ranks
    ranks : int, a power of two

    Its phases: separators, a tree with a leaf for each rank, found in the pattern's own order; convert, to
    the rank's rows; symbolic, the function alone; counts. Returns the counts on rank 0. Raises InputError for
    another number of ranks, which would crash the function. Raises UnsupportedError if the order has no leaf
    with a vertex for each rank: an empty leaf makes the function write out of bounds.
    """
    communicator = everyone(ranks)
    with phase("separators"):
        tree = separator_tree(pattern, ranks)
    lower, upper = factorised_in_parallel(pattern, tree, communicator)
    return Counts(lower, upper), Work(fills=int(np.sum(lower) + np.sum(upper)) - pattern.nnz)
