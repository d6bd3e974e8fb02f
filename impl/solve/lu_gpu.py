"""LU on the GPU, end to end: the pattern, its levels, the values, the triangular solves."""

from __future__ import annotations

from typing import Literal

from fillpath.errors import InputError
from fillpath.nouns import Filled, Prepared, Solution, Work
from fillpath.phase import PhaseClock, phase, recording
from fillpath.registry import implementation
from impl.cuda import kernels
from impl.levels.device_two_way import assembled, by_both
from impl.levels.kahn_gpu import kahn_gpu
from impl.numeric.glu3 import glu3
from impl.peers.cusparse import Triangles
from impl.solve.device_system import on_device
from impl.solve.sweeps import Sweeps
from impl.symbolic.bitfronts_gpu import bitfronts_gpu
from impl.symbolic.out_of_core import out_of_core


@implementation(
    stage="solve",
    device="gpu",
    paper="ooclu",
    section="3, Figure 4",
    available=kernels.available,
    kernels=(
        "../symbolic/gsofa.cu",
        "../symbolic/rows.cu",
        "../symbolic/bitfronts_tree.cu",
        "../symbolic/bitfronts_lists.cu",
        "../symbolic/bitfronts_bits.cu",
        "../symbolic/bitfronts_rows.cu",
        "../levels/kahn.cu",
        "../numeric/right_looking.cu",
        "sweeps.cu",
    ),
)
def lu_gpu(
    prepared: Prepared,
    *,
    symbolic: Literal["out_of_core", "bitfronts"] = "out_of_core",
    dtype: Literal["float32", "float64"] = "float64",
    static_pivoting: bool = False,
    batched: bool = True,
    triangular: Literal["cusparse", "sweeps"] = "cusparse",
    refine: int = 1,
) -> tuple[Solution, Work]:
    """Solve by a symbolic phase, kahn_gpu, glu3 and triangular solves, all on the GPU.

    prepared : n x n, on the device
    symbolic : by `out_of_core`, as in the paper, or by `bitfronts_gpu`, our own
    dtype, static_pivoting, batched : as in `glu3`; the triangular solves have this dtype too
    triangular : by cuSPARSE's SpSV, as in the paper, or by `Sweeps`, whose rows wait for rows, not for levels
    refine : as in lu_cpu

    Returns x, float64, for the b of `right_hand_side`, on the device. Its phases are lu_cpu's. Facts: of
    `kahn_gpu` and `glu3`. Raises as `glu3` and the symbolic phase, and InputError for refine < 0.
    """
    import cupy

    if refine < 0:
        raise InputError(f"refine={refine}: expected a number of steps")
    with phase("right_hand_side"):
        matrix, b = on_device(prepared)
    # out_of_core's own phase `assemble` is not the phase below.
    with phase("symbolic"), recording(PhaseClock()):
        fill = out_of_core if symbolic == "out_of_core" else bitfronts_gpu
        filled, work = fill(prepared.pattern)
        assert isinstance(filled, Filled)
    with phase("columns"):
        both = by_both(filled, cupy)
    with phase("levels"):
        levels, found = kahn_gpu(both)
    with phase("assemble"):
        start = assembled(prepared, both, levels, cupy)
    with phase("numeric"):
        factor, done = glu3(start, dtype=dtype, static_pivoting=static_pivoting, batched=batched)
    del start
    with phase("triangular"):
        by_rows = factor.values[both.to_column]
        triangles = (
            Triangles(filled.pattern, by_rows) if triangular == "cusparse" else Sweeps(filled, by_rows)
        )
        x = triangles.solved(b)
    with phase("refine"):
        for _ in range(refine):
            x += triangles.solved(matrix.residual(b, x))
    facts = {**(found.facts or {}), **(done.facts or {})}
    return Solution(x), Work(fills=work.fills, facts=facts)
