"""PARDISO of oneMKL as a peer, from the matrix to the solution."""

from __future__ import annotations

from contextlib import ExitStack

from fillpath.nouns import Prepared, Solution, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers.pardiso import opened
from impl.solve.direct import Ordering, solution, system_of


@implementation(stage="solve", available=peer("pardiso").installed, peer="pardiso")
def pardiso(prepared: Prepared, *, ordering: Ordering = "own", refine: int = 1) -> tuple[Solution, Work]:
    """PARDISO of oneMKL and its triangular solves (sequential), supernodal, pivoting within supernodes.

    prepared : n x n
    ordering : own, METIS's, after a matching of PARDISO's; given, the prepared matrix's, without that
    refine : as in lu_cpu

    It scales the matrix, as is its default for unsymmetric ones, and replaces small pivots. Its phases:
    right_hand_side; convert, to PARDISO's arrays; analysis; numeric; triangular; refine. Returns x for the b
    of `right_hand_side`, and the facts of `impl.peers.pardiso`. Raises UnsupportedError for a matrix that
    PARDISO refuses, MemoryBudgetError, and InputError for refine < 0.
    """
    matrix, b = system_of(prepared, refine)
    with ExitStack() as stack:
        with phase("convert"):
            system = stack.enter_context(opened(matrix, given=ordering == "given"))
        return solution(system, matrix, b, refine, "numeric")
