"""SuperLU_DIST's sequential symbolic factorisation, a peer: supernodal, in the order of the pattern."""

from __future__ import annotations

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Counts, Pattern, Work
from fillpath.peers import peer
from fillpath.registry import implementation
from impl.peers.superlu_dist import factorised
from impl.symbolic.elimination_tree import symmetric_tree


@implementation(stage="symbolic", available=peer("superlu_dist").installed, peer="superlu_dist")
def superlu_dist(pattern: Pattern) -> tuple[Counts, Work]:
    """SuperLU_DIST's symbfact (sequential), row counts from the subscripts of its supernodes.

    pattern : n x n, structurally symmetric, sorted, diagonal present

    Its phases: convert, to its own columns; etree, with a postorder of it; symbolic; counts. Supernodes are
    not relaxed, for those hold zeros. Raises UnsupportedError for an unsymmetric pattern, of which it keeps U
    in segments, which hold zeros too: `superlu_dist_parallel` takes those.
    """
    if symmetric_tree(pattern) is None:
        raise UnsupportedError("an unsymmetric pattern: symbfact keeps segments of U, zeros included")
    lower, upper = factorised(pattern)
    return Counts(lower, upper), Work(fills=int(np.sum(lower) + np.sum(upper)) - pattern.nnz)
