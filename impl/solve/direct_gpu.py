"""A x = b on the GPU by fronts: the project's own chain, from the matrix to the solution.

The steps are in docs/fronts.md: fronts by bits, multifrontal LU, and solves on fronts.

    solution, work = direct_gpu(prepared, columns=8)    # arrays on the device
    solution.x.shape, work.facts["on_fronts"]           # (8, prepared.pattern.n), 1
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from fillpath.errors import InputError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Fronts, Pattern, Prepared, Solution, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import kernels
from impl.multifrontal.factor_gpu import Factorisation
from impl.multifrontal.fronts_gpu import fronts_on_device
from impl.multifrontal.inverse_gpu import Inverses, InverseSolver, pays, widths_of
from impl.multifrontal.maps_gpu import FrontMaps, maps_of
from impl.multifrontal.parts_gpu import Parts, list_tasks, parts_of
from impl.multifrontal.residual_gpu import backward_error, residual
from impl.multifrontal.shape import Shape, shape_of
from impl.multifrontal.solve_gpu import Solver
from impl.solve.lu_gpu import lu_gpu
from impl.solve.right_hand_side import known_solutions

H100 = ("SHARED=14400", "RESIDENT=2", "WARP_FRONT=40", "HELD=64")
# An A100 has room for one block. A V100 has no tensor cores for float64, and room for a smaller block.
VARIANTS = (
    *(
        (f"REAL={real}", f"TENSOR={tensor}", f"RHS={rhs}", f"PIVOTING={exchanges}", f"INVERT={invert}", *H100)
        for real, tensor in (("double", 1), ("float", 0))
        for rhs, invert in ((1, 0), (8, 1))
        for exchanges in (0, 1)
    ),
    (
        "REAL=double",
        "TENSOR=1",
        "RHS=1",
        "PIVOTING=1",
        "INVERT=1",
        "SHARED=14400",
        "RESIDENT=1",
        "WARP_FRONT=40",
        "HELD=32",
    ),
    (
        "REAL=double",
        "TENSOR=0",
        "RHS=1",
        "PIVOTING=1",
        "INVERT=1",
        "SHARED=12160",
        "RESIDENT=1",
        "WARP_FRONT=38",
        "HELD=32",
    ),
)

# Files of the variants. lu_gpu's chain declares the variants of the other kernels, but for sweeps.cu.
VARIANTS_OF = (
    "../multifrontal/merge.cu",
    "../multifrontal/maps.cu",
    "../multifrontal/factor.cu",
    "../multifrontal/residual.cu",
    "../multifrontal/solve.cu",
    "../multifrontal/parts.cu",
    "../multifrontal/inverse.cu",
    "../multifrontal/solve_one.cu",
    "../multifrontal/solve_eight.cu",
    "../multifrontal/solve_block.cu",
    "sweeps.cu",
)

# The largest componentwise backward error at which inverses=auto keeps its solution. After one step of
# refinement 5 of 222 real matrices exceed it, with substitution 1; the others are below 1e-14.
MOST_ERROR = 1e-13
# Facts of a solution without inverses.
_SUBSTITUTED = {"inverses": 0.0, "fell_back": 0.0}


@implementation(
    stage="solve",
    device="gpu",
    available=kernels.available,
    kernels=(
        "../symbolic/gsofa.cu",
        "../symbolic/rows.cu",
        "../symbolic/bitfronts_tree.cu",
        "../symbolic/bitfronts_lists.cu",
        "../symbolic/bitfronts_bits.cu",
        "../symbolic/bitfronts_rows.cu",
        "../multifrontal/merge.cu",
        "../multifrontal/maps.cu",
        "../multifrontal/factor.cu",
        "../multifrontal/residual.cu",
        "../multifrontal/solve.cu",
        "../multifrontal/parts.cu",
        "../multifrontal/inverse.cu",
        "../multifrontal/solve_one.cu",
        "../multifrontal/solve_eight.cu",
        "../multifrontal/solve_block.cu",
        "../levels/kahn.cu",
        "../numeric/right_looking.cu",
        "sweeps.cu",
    ),
)
def direct_gpu(
    prepared: Prepared,
    *,
    dtype: Literal["float32", "float64"] = "float64",
    static_pivoting: bool = False,
    exchanges: bool = True,
    maps: Literal["fresh", "kept"] = "fresh",
    columns: int = 1,
    refine: int = 1,
    inverses: Literal["auto", "true", "false"] = "auto",
    memory_budget: int | None = None,
) -> tuple[Solution, Work]:
    """Solve by fronts of bits, multifrontal LU and solves on fronts, all on the GPU (no paper's).

    prepared : n x n, on the device
    dtype, static_pivoting : as in `multifrontal_gpu`
    exchanges : bool, exchange rows for size within the diagonal blocks of fronts, 32 x 32 at most
    maps : "kept" reuses the fronts, index maps and lists of inverses of the last call, if that had the same
        pattern. It shows the cost of a second system of a pattern
    columns : int, right-hand sides that are solved at a time
    refine : as in lu_cpu
    inverses : "true" inverts the pivot blocks, so that a solve multiplies once each way per front; "false"
        substitutes. The value "auto" inverts in float64 with refine >= 1, if memory suffices and an estimate
        for an H100 favours it. If the backward error of x then exceeds 1e-13, it factorises again and
        substitutes
    memory_budget : as in `multifrontal_gpu`, with inverses and their lists, without vectors of the solves

    Returns x, float64, for the b of `right_hand_side`, on the device; (columns, n) for several. Phases:
    fronts, maps, parts, right_hand_side, numeric, inverses, triangular, refine, check. Facts: of
    `multifrontal_gpu` but `mapped`; `on_fronts`; `inverses`, whether there are any; `fell_back`, whether
    there were any before. In that case peak_memory is the larger of both ways.

    If fronts or their analysis do not fit into memory in any number of waves, `lu_gpu` solves, with
    symbolic=bitfronts, triangular=sweeps and one right-hand side. Then `on_fronts` is 0, and its phases
    follow `fronts` and `maps`. `lu_gpu` exchanges no rows, and ignores the budget. Raises InputError for
    refine < 0 or columns < 1; UnsupportedError naming a column without a pivot, or with a value that is not
    finite, and for a solution that is not finite. Raises MemoryBudgetError if lu_gpu's chain does not fit
    either, or inverses="true" does not.
    """
    if refine < 0 or columns < 1:
        raise InputError(f"refine={refine}, columns={columns}: expected a number of steps, and one or more")
    if prepared.pattern.n == 0:
        return _nothing(columns), Work(facts={"on_fronts": 1.0, **_SUBSTITUTED})
    shape = shape_of(dtype, True, exchanges)
    try:
        analysis = _kept_or_made(prepared, shape, maps == "kept", memory_budget)
    except MemoryBudgetError:
        if columns > 1 or inverses == "true":
            raise
        solution, work = lu_gpu(
            prepared,
            symbolic="bitfronts",
            dtype=dtype,
            static_pivoting=static_pivoting,
            triangular="sweeps",
            refine=refine,
        )
        facts = {**(work.facts or {}), "on_fronts": 0.0, **_SUBSTITUTED}
        return solution, Work(fills=work.fills, facts=facts)
    invert = inverses == "true" or (
        inverses == "auto" and pays(analysis.maps, columns, refine, maps == "fresh")
    )
    parts = _parts_for(analysis, inverses == "true", columns, memory_budget) if invert else None
    with phase("right_hand_side"):
        b = _right_hand_sides(prepared, columns)
    x, work, error = _solved(prepared, analysis, parts, b, static_pivoting, refine)
    if parts is not None and inverses == "auto" and not error <= MOST_ERROR:
        del x
        peak = work.peak_memory or 0
        x, work, error = _solved(prepared, analysis, None, b, static_pivoting, refine)
        peak = max(peak, work.peak_memory or 0)
        work = replace(work, peak_memory=peak, facts={**(work.facts or {}), "fell_back": 1.0})
    if not math.isfinite(error):
        _require_finite(x, shape)
    return Solution(x[0] if columns == 1 else x), work


def _solved(
    prepared: Prepared, analysis: _Analysis, parts: Parts | None, b: Array, static_pivoting: bool, refine: int
) -> tuple[Array, Work, float]:
    """Return x, the work, and the largest componentwise backward error.

    prepared : matrix to factorise; the analysis may come from another matrix of the same pattern
    parts : of fronts whose pivot blocks are inverted; None for substitution
    """
    maps = analysis.maps
    with phase("numeric"):
        run = Factorisation(maps, maps.shape, static_pivoting, invert=parts is not None)
        run.enqueue(prepared.values)
        factor, facts = run.result()
    solver: Solver | InverseSolver
    if parts is None:
        peak, solver = run.nbytes, Solver(maps, factor, run.exchange)
    else:
        with phase("inverses"):
            inverted = Inverses(parts, run)
            inverted.enqueue()
        peak, solver = inverted.nbytes, InverseSolver(inverted)
    with phase("triangular"):
        x = _empty_like(b)
        solver.solve(b, x)
    with phase("refine"):
        for _ in range(refine):
            solver.solve(residual(prepared, x, b), x, add=True)
    with phase("check"):
        error = backward_error(prepared, x, b)
    facts |= {"on_fronts": 1.0, "inverses": float(parts is not None), "fell_back": 0.0}
    return x, Work(peak_memory=peak, facts=facts), error


@dataclass(eq=False)
class _Analysis:
    """All that depends on the pattern alone.

    parts : None until inverses are asked for
    refused : widths of right-hand sides whose lists had no room
    """

    maps: FrontMaps
    parts: Parts | None = None
    refused: set[tuple[int, ...]] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class _Kept:
    """The analysis of the last call, and the pattern that it is of."""

    pattern: Pattern
    shape: Shape
    memory_budget: int | None
    analysis: _Analysis

    def serves(self, pattern: Pattern, shape: Shape, memory_budget: int | None) -> bool:
        """Return whether the maps are of this pattern; its arrays are held, so their addresses stay."""
        same = self.pattern.indptr is pattern.indptr and self.pattern.indices is pattern.indices
        return same and self.shape == shape and self.memory_budget == memory_budget


# The analysis of the last call with maps="kept"; at most one entry.
_kept: list[_Kept] = []


def _kept_or_made(prepared: Prepared, shape: Shape, keep: bool, memory_budget: int | None) -> _Analysis:
    pattern = prepared.pattern
    if keep and _kept and _kept[0].serves(pattern, shape, memory_budget):
        return _kept[0].analysis
    _kept.clear()
    with phase("fronts"):
        fronts: Fronts = fronts_on_device(prepared)
    with phase("maps"):
        analysis = _Analysis(maps_of(fronts, shape, memory_budget))
    if keep:
        _kept.append(_Kept(pattern, shape, memory_budget, analysis))
    return analysis


def _parts_for(analysis: _Analysis, required: bool, columns: int, memory_budget: int | None) -> Parts | None:
    """Return the parts of fronts, with tasks for `columns` right-hand sides; None where there is no room.

    Raises MemoryBudgetError and UnsupportedError as `parts_of` if they are required.
    """
    widths = widths_of(columns)
    if widths in analysis.refused and not required:
        return None
    try:
        with phase("parts"):
            if analysis.parts is None:
                analysis.parts = parts_of(analysis.maps, widths, memory_budget)
            list_tasks(analysis.parts, widths, memory_budget)
    except (MemoryBudgetError, UnsupportedError):
        if required:
            raise
        analysis.refused.add(widths)
        return None
    return analysis.parts


def _require_finite(x: Array, shape: Shape) -> None:
    import cupy

    if not cupy.isfinite(x).all():
        hint = " (exchanges=false may name its column)" if shape.exchanges else ""
        raise UnsupportedError(
            f"the solution is infinite or not a number in {shape.dtype}: so is a value of A, or one of the "
            f"elimination or of the solves is too large{hint}"
        )


def _right_hand_sides(prepared: Prepared, columns: int) -> Array:
    import cupy

    return residual(prepared, cupy.asarray(known_solutions(prepared.pattern.n, columns)), None)


def _empty_like(b: Array) -> Array:
    import cupy

    out: Array = cupy.empty_like(b)
    return out


def _nothing(columns: int) -> Solution:
    import cupy

    return Solution(cupy.empty((columns, 0) if columns > 1 else 0, np.float64))
