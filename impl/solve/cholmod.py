"""CHOLMOD as a peer, from the matrix to the solution."""

from __future__ import annotations

from fillpath.errors import UnsupportedError
from fillpath.nouns import Prepared, Solution, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers.cholmod import opened
from impl.peers.kinds import kind_of, known_kind
from impl.solve.direct import Ordering, solution, system_of, with_32_bits


@implementation(stage="solve", available=peer("cholmod").installed, peer="cholmod")
def cholmod(prepared: Prepared, *, ordering: Ordering = "own", refine: int = 1) -> tuple[Solution, Work]:
    """Solve by CHOLMOD and its triangular solves, symmetric matrices only, on its BLAS's threads.

    prepared : n x n, symmetric positive definite, which --matching mc64 destroys in most matrices
    ordering : "own" is AMD's, or METIS's where AMD's is poor; "given" is the prepared matrix's, postordered
    refine : as in lu_cpu

    CHOLMOD has its defaults. Its phases: right_hand_side; convert, to 32-bit indices, if the matrix is
    symmetric; analysis; numeric; triangular; refine. Returns x for the b of `right_hand_side`, and the facts
    of `impl.peers.cholmod`. Raises UnsupportedError for a matrix that is not symmetric positive definite,
    MemoryBudgetError, InputError for refine < 0, and UnavailableError without a fast BLAS.
    """
    matrix, b = system_of(prepared, refine)
    with phase("convert"):
        rows = with_32_bits(matrix)
        if known_kind(prepared, lambda: kind_of(rows)) == "general":
            raise UnsupportedError("the values are not symmetric: CHOLMOD factorises symmetric matrices only")
    with opened(rows, given=ordering == "given") as system:
        return solution(system, matrix, b, refine, "numeric")
