"""PARDISO of oneMKL as a peer, from the matrix to the solution."""

from __future__ import annotations

from functools import partial

from fillpath.nouns import Prepared, Solution, Work
from fillpath.peers import peer
from fillpath.registry import implementation
from impl.peers.pardiso import opened
from impl.solve.direct import Ordering, solution_as_told


@implementation(stage="solve", available=peer("pardiso").installed, peer="pardiso")
def pardiso(prepared: Prepared, *, ordering: Ordering = "own", refine: int = 1) -> tuple[Solution, Work]:
    """Solve by oneMKL's PARDISO and triangular solves (sequential), pivoting within supernodes.

    prepared : n x n
    ordering : "own" is METIS's, after a matching by PARDISO if the matrix is general; "given" is the prepared
        matrix's, without a matching
    refine : as in lu_cpu

    The matrix is factorised as its kind (impl/peers/kinds.py), with MKL's defaults. A general matrix is
    scaled, and its small pivots are replaced. Phases: right_hand_side; convert, to PARDISO's arrays;
    analysis; numeric; triangular; refine. Returns x for the b of `right_hand_side`, and the facts of
    `impl.peers.pardiso`. Raises UnsupportedError for a matrix that PARDISO refuses, MemoryBudgetError, and
    InputError for refine < 0.
    """
    return solution_as_told(prepared, refine, partial(opened, given=ordering == "given"))
