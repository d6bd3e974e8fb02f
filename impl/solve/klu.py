"""KLU as a peer, from the matrix to the solution."""

from __future__ import annotations

from fillpath.nouns import Prepared, Solution, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers.klu import system
from impl.solve.direct import Ordering, solution, system_of, with_32_bits


@implementation(stage="solve", available=peer("klu").installed, peer="klu")
def klu(prepared: Prepared, *, ordering: Ordering = "own", refine: int = 1) -> tuple[Solution, Work]:
    """Solve by KLU with its defaults and triangular solves (sequential), by columns, pivoting.

    prepared : n x n
    ordering : "own" is a block triangular form and AMD of each block; "given" the prepared matrix's
    refine : as in lu_cpu

    A pivot leaves the diagonal if the diagonal is below a thousandth of its column's largest entry. Its
    phases: right_hand_side; convert, to columns; analysis; factorise, symbolic and numeric at once;
    triangular; refine. Returns x for the b of `right_hand_side`, and the facts of `impl.peers.klu`. Raises
    UnsupportedError for a singular matrix, MemoryBudgetError, and InputError for refine < 0.
    """
    matrix, b = system_of(prepared, refine)
    with phase("convert"):
        columns = with_32_bits(matrix).tocsc()
    settings = {"btf": 0} if ordering == "given" else {}
    held = system(columns, given=ordering == "given", **settings)
    return solution(held, matrix, b, refine, "factorise")
