"""UMFPACK as a peer, from the matrix to the solution."""

from __future__ import annotations

from fillpath.nouns import Prepared, Solution, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers.umfpack import opened
from impl.solve.direct import Ordering, solution, system_of, with_32_bits


@implementation(stage="solve", available=peer("umfpack").installed, peer="umfpack")
def umfpack(prepared: Prepared, *, ordering: Ordering = "own", refine: int = 1) -> tuple[Solution, Work]:
    """Solve by UMFPACK's defaults and triangular solves, multifrontal, pivoting, on BLAS's threads.

    prepared : n x n
    ordering : "own" is AMD or COLAMD, as UMFPACK chooses; "given" is the prepared matrix's, after rows and
        columns of one entry, which UMFPACK eliminates first
    refine : as in lu_cpu, in place of UMFPACK's own refinement

    Its phases: right_hand_side; convert, to columns; analysis; numeric; triangular; refine. Returns x for the
    b of `right_hand_side`, and the facts of `impl.peers.umfpack`. Raises UnsupportedError for a singular
    matrix, MemoryBudgetError, InputError for refine < 0, and UnavailableError without a fast BLAS.
    """
    matrix, b = system_of(prepared, refine)
    with phase("convert"):
        columns = with_32_bits(matrix).tocsc()
    with opened(columns, given=ordering == "given") as system:
        return solution(system, matrix, b, refine, "numeric")
