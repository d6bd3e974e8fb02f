"""NVIDIA's cuDSS, a peer, from the matrix to the solution, all of it on the GPU."""

from __future__ import annotations

from fillpath.errors import InputError
from fillpath.nouns import Prepared, Solution, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers import cudss as peer
from impl.solve.device_system import on_device


# Where no cuDSS is installed nothing is measured, but keys of records of elsewhere are computed.
@implementation(stage="solve", device="gpu", available=peer.available, peer=peer.DISTRIBUTIONS)
def cudss(prepared: Prepared, *, refine: int = 1) -> tuple[Solution, Work]:
    """NVIDIA's cuDSS, its reordering, factorisation and triangular solves (GPU), pivoting within blocks.

    prepared : n x n, on the device. cuDSS orders it anew, whatever order it has, and replaces small pivots.
    refine : as in lu_cpu, residuals by cuSPARSE. Returns x, float64, for the b of `right_hand_side`, on the
    device. Its memory is not of CuPy's pool and in no `peak_memory`. Facts: those of `System.counted`.
    Raises InputError for refine < 0, UnsupportedError where cuDSS calls the matrix singular or cannot take
    it, MemoryBudgetError where it finds no memory.
    """
    if refine < 0:
        raise InputError(f"refine={refine}: expected a number of steps")
    with phase("right_hand_side"):
        matrix, b = on_device(prepared)
    with peer.opened(prepared.pattern, prepared.values) as system:
        with phase("reordering"):
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
