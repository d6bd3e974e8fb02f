"""NVIDIA's cuDSS as a peer in the stage symbolic: its phases up to the symbolic factorisation, on the GPU."""

from __future__ import annotations

import functools
import weakref
from contextlib import ExitStack

from fillpath.nouns import Array, Factorised, Prepared, Work
from fillpath.registry import implementation
from impl.cuda.transfer import on_host
from impl.peers import cudss as peer
from impl.peers.cusparse import Matrix


# The function is defined without cuDSS too, for the keys of other machines' records.
@implementation(stage="symbolic", device="gpu", available=peer.available, peer="cudss")
def cudss(prepared: Prepared) -> tuple[Factorised, Work]:
    """Count the fill-in by cuDSS's reordering and symbolic phases (GPU), verified by a residual only.

    prepared : n x n, on the device, factorised as a general matrix in its own order, without a matching

    cuDSS returns no pattern, only the number of entries of L and U, the fact `nnz_factor`. That may differ
    from F's, since cuDSS makes the pattern symmetric first. The phase `separators` reads a tree off the given
    order, so the phase `reordering`, which cuDSS demands, has nothing to find.

    Returns a factorisation whose `solve`, from and to the host, first runs the numeric phase, and refines
    once. Only the check calls it, outside of the seconds. cuDSS's memory is outside of CuPy's pool, not in
    `peak_memory`, and free again when `solve` is dropped. Raises UnsupportedError if cuDSS cannot take the
    matrix, or counts only what it has factorised; MemoryBudgetError if it runs out of memory.
    """
    with ExitStack() as stack:
        system = stack.enter_context(peer.opened(prepared.pattern, prepared.values))
        system.analyse(prepared.pattern, given=True)
        stored = system.nnz()
        # CUDA may be gone before the process ends.
        weakref.finalize(system, stack.pop_all().close).atexit = False
    solve = functools.partial(_solution, system, prepared)
    return Factorised(solve, stored), Work(facts={"nnz_factor": float(stored)})


def _solution(system: peer.System, prepared: Prepared, b: Array) -> Array:
    """Return x with A x = b. b : (n,) float64, on the host, as is x."""
    import cupy

    matrix, right = Matrix(prepared.pattern, prepared.values), cupy.asarray(b)
    system.factorise()
    x = system.solved(right)[0]
    x += system.solved(matrix.residual(right, x))[0]
    solution: Array = on_host(x)
    return solution
