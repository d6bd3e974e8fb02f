"""MUMPS as a peer, from the matrix to the solution."""

from __future__ import annotations

from functools import partial

from fillpath.nouns import Prepared, Solution, Work
from fillpath.peers import peer
from fillpath.registry import implementation
from impl.peers.mumps import opened
from impl.solve.direct import Ordering, solution_as_told


@implementation(stage="solve", available=peer("mumps").installed, peer="mumps")
def mumps(prepared: Prepared, *, ordering: Ordering = "own", refine: int = 1) -> tuple[Solution, Work]:
    """Solve by MUMPS's defaults and triangular solves, multifrontal, pivoting, on its BLAS's threads.

    prepared : n x n
    ordering : "own" is MUMPS's choice, after a matching of its own if the matrix is general; "given" is the
        prepared matrix's, without a matching
    refine : as in lu_cpu, in place of MUMPS's own refinement

    The matrix is factorised as its kind (impl/peers/kinds.py). Phases: right_hand_side; convert, to rows and
    columns; analysis; numeric; triangular; refine. Returns x for the b of `right_hand_side`, and the facts of
    `impl.peers.mumps`. Raises UnsupportedError for a singular matrix, MemoryBudgetError, InputError for
    refine < 0, and UnavailableError without a fast BLAS.
    """
    return solution_as_told(prepared, refine, partial(opened, given=ordering == "given"))
