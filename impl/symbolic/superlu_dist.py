"""SuperLU_DIST's sequential symbolic factorisation, a peer: supernodal, in the order of the pattern."""

from __future__ import annotations

import numpy as np

from fillpath.nouns import Counts, Pattern, Work
from fillpath.peers import peer
from fillpath.registry import implementation
from impl.peers.superlu_dist import factorised


@implementation(stage="symbolic", available=peer("superlu_dist").installed, peer="superlu_dist")
def superlu_dist(pattern: Pattern) -> tuple[Counts, Work]:
    """Count entries by row with SuperLU_DIST's symbfact (sequential), from its supernodes' subscripts.

    pattern : n x n, sorted, diagonal present

    Phases: convert, to SuperLU_DIST's columns; etree, with a postorder; symbolic, the function alone; counts.
    Supernodes are not relaxed, for relaxed supernodes hold zeros. SuperLU_DIST keeps a run of U's rows for
    each column and supernode above, but none for the column's own. The counts find that from A, L and the
    other runs.
    """
    lower, upper = factorised(pattern)
    return Counts(lower, upper), Work(fills=int(np.sum(lower) + np.sum(upper)) - pattern.nnz)
