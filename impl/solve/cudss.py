"""NVIDIA's cuDSS as a peer, from the matrix to the solution, all on the GPU."""

from __future__ import annotations

from typing import Literal

from fillpath.errors import InputError
from fillpath.nouns import Prepared, Solution, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers import cudss as peer
from impl.solve.device_system import on_device


# Without cuDSS nothing is measured, but keys of records from other machines are computed.
@implementation(stage="solve", device="gpu", available=peer.available, peer="cudss")
def cudss(
    prepared: Prepared, *, refine: int = 1, ordering: Literal["own", "given"] = "own"
) -> tuple[Solution, Work]:
    """NVIDIA's cuDSS, its reordering, factorisation and triangular solves (GPU), pivoting within blocks.

    prepared : n x n, on the device; cuDSS replaces small pivots
    refine : as in lu_cpu, with residuals by cuSPARSE
    ordering : own: cuDSS reorders the matrix, whatever its order, and from 1.0 on matches and scales it
        first where it thinks fit; given: the order of the prepared matrix, without a matching, so that the
        phase `reordering` has nothing to find

    Returns x, float64, for the b of `right_hand_side`, on the device. cuDSS's memory is outside of CuPy's
    pool and not in `peak_memory`. Facts: those of `System.counted`.

    Raises InputError for refine < 0; UnsupportedError if cuDSS calls the matrix singular or cannot take it;
    MemoryBudgetError if it runs out of memory.
    """
    if refine < 0:
        raise InputError(f"refine={refine}: expected a number of steps")
    with phase("right_hand_side"):
        matrix, b = on_device(prepared)
    with peer.opened(prepared.pattern, prepared.values) as system:
        with phase("reordering"):
            if ordering == "given":
                system.keep_order()
            system.execute(peer.REORDERING)
        with phase("symbolic"):
            system.execute(peer.SYMBOLIC)
        with phase("numeric"):
            system.factorise()
        with phase("triangular"):
            x = system.solved(b)
        with phase("refine"):
            for _ in range(refine):
                x += system.solved(matrix.residual(b, x))
        facts = system.counted()
    return Solution(x), Work(facts=facts)
