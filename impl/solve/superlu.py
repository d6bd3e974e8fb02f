"""SciPy's SuperLU as a peer, from the matrix to the solution (X. S. Li, ACM TOMS 31, 2005)."""

from __future__ import annotations

from fillpath.errors import InputError
from fillpath.nouns import Prepared, Solution, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers.superlu import superlu as factorised
from impl.solve.right_hand_side import as_matrix, right_hand_side


@implementation(stage="solve", peer="scipy")
def superlu(prepared: Prepared, *, refine: int = 1) -> tuple[Solution, Work]:
    """SciPy's SuperLU and its triangular solves (sequential), supernodal, pivoting where a pivot is 0.

    prepared : n x n, factorised in its own order
    refine : as in lu_cpu

    Returns x for the b of `right_hand_side`, and the facts of `impl.peers.superlu`. Raises UnsupportedError
    as that does, and InputError for refine < 0.
    """
    if refine < 0:
        raise InputError(f"refine={refine}: expected a number of steps")
    with phase("right_hand_side"):
        matrix, b = as_matrix(prepared), right_hand_side(prepared)
    factors, work = factorised(prepared)
    with phase("triangular"):
        x = factors.solve(b)
    with phase("refine"):
        for _ in range(refine):
            x += factors.solve(b - matrix @ x)
    return Solution(x), work
