"""What GLU's implementations share: how levels become launches of right_looking.cu, and how targets are
found.

The division of a column of L by its pivot is left to one launch after all levels; updates divide U[j,k]
instead (once per sub-column). So no block of a level waits for another's division, and a level is one launch.

Longer than two screens: one kernel and its launches belong together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Assembled, Factor, Work
from impl.cuda import device, kernels
from impl.numeric.pivots import small_pivot

KERNEL = Path(__file__).with_name("right_looking.cu")
VARIANTS = (("REAL=float",), ("REAL=double",))
NAMES = ("rl_norm", "rl_work", "rl_level", "rl_levels", "rl_finish")
# As in right_looking.cu.
THREADS, BATCHED = 1024, 512
WARPS = THREADS // 32
# (columns of a level, warps): above that many columns a block of that many warps takes a column; below all of
# them several blocks do.
Shapes = tuple[tuple[int, int], ...]
AUTHORS: Shapes = ((896, 2), (448, 4), (16, WARPS))
FIXED: Shapes = ((0, WARPS),)
# Bytes kept per column, as in right_looking.cu.
DEALT_BYTES = 24
# The most columns of a level that may run together with other levels.
MOST_COLUMNS = 2048
# Share of the free memory that scratch columns may take if no budget is given.
SHARE = 0.5
# Scratch columns per multiprocessor: each has to be cleared before the first level.
DENSE_BLOCKS = 8
# What the kernels report, as in right_looking.cu.
ZERO, NOT_FINITE, SMALL, UPDATES = range(4)


@dataclass(frozen=True)
class Launch:
    """Levels first to last - 1.

    warps : of a block that takes a column; 0: several blocks take one (mode C)
    columns : of the level
    batched : all its levels are one cooperative launch with searched targets; warps does not matter then
    """

    first: int
    last: int
    columns: int
    warps: int
    batched: bool = False


def auto(multiprocessors: int) -> Shapes:
    """Shapes whose blocks have 64 warps per multiprocessor together as soon as a level has enough columns;
    several blocks take a column where the authors' thresholds say so."""
    fewest, most = AUTHORS[-1]
    shapes = ((64 // warps * multiprocessors, warps) for warps in (2, 4, 8, 16))
    return (*(shape for shape in shapes if shape[0] > fewest), (fewest, most))


def warps_of(columns: Array, shapes: Shapes) -> Array:
    """(depth,) warps of the block that takes a column, 0 if several blocks do. columns : of each level."""
    ascending = sorted(shapes)
    warps = np.array([0, *(warps for _, warps in ascending)])
    return np.asarray(warps[np.searchsorted([above for above, _ in ascending], columns)])


def plan(columns: Array, shapes: Shapes, *, batched: bool) -> Iterator[Launch]:
    """The launches, in order.

    columns : (depth,), of each level.
    batched : consecutive levels of at most MOST_COLUMNS run together.
    """
    warps = warps_of(columns, shapes)
    joins = np.zeros(len(columns), np.bool_)
    if batched:
        small = columns <= MOST_COLUMNS
        joins[1:] = small[1:] & small[:-1]
    starts = np.flatnonzero(~joins).tolist()
    for first, last in zip(starts, [*starts[1:], len(columns)], strict=True):
        yield Launch(first, last, int(columns[first]), int(warps[first]), last - first > 1)


def modes(columns: Array, shapes: Shapes) -> dict[str, int]:
    """Levels in each of GLU3.0's modes: A, a few warps per block; B, the most; C, several blocks per
    column."""
    warps = warps_of(columns, shapes)
    small, large = int(np.count_nonzero(warps == 0)), int(np.count_nonzero(warps == WARPS))
    return {"a": len(warps) - small - large, "b": large, "c": small}


def scratch_columns(n: int, itemsize: int, storage: str, most: int, budget: int) -> int:
    """Scratch columns of a launch; 0: targets are searched. most : blocks on the card at once.

    The paper's rule: dense if memory holds a column for each of `most` blocks. Raises MemoryBudgetError if
    dense columns are asked for and not one fits.
    """
    room = budget // (n * itemsize)
    if storage == "dense_column" and not room:
        raise MemoryBudgetError(
            f"a dense column needs {n * itemsize} bytes, the budget is {budget}: try storage=csc_search"
        )
    dense = storage == "dense_column" or (storage == "auto" and room >= most)
    return room if dense else 0


def right_looking(
    assembled: Assembled,
    shapes: Shapes,
    *,
    dtype: str,
    static_pivoting: bool,
    storage: str,
    batched: bool,
    memory_budget: int | None,
) -> tuple[Factor, Work]:
    """Factorise with the launches that the shapes give. The options are those of `glu3`."""
    run = _Run(assembled, dtype, static_pivoting)
    resident = device.multiprocessors() * device.occupancy(run.kernels["rl_level"], THREADS, 0)
    budget = int(SHARE * device.free_bytes()) if memory_budget is None else memory_budget
    room = scratch_columns(run.n, run.values.itemsize, storage, resident, budget)
    launches = list(plan(run.widths, shapes, batched=batched))
    run.reserve(launches, room, resident)
    for launch in launches:
        run.launch(launch)
    run.finish()
    together = [launch.last - launch.first for launch in launches if launch.batched]
    counted = modes(run.widths, shapes)
    facts = {
        "levels": float(len(run.widths)),
        "launches": float(len(launches)),
        "levels_batched": float(sum(together)),
        **{f"levels_{mode}": float(count) for mode, count in counted.items()},
        "updates": float(run.status[UPDATES]),
        "small_pivots": float(run.status[SMALL]),
        "scratch_columns": float(run.columns),
    }
    factor = Factor(assembled.two_way, run.values, int(run.status[SMALL]))
    return factor, Work(peak_memory=run.nbytes, facts=facts)


class _Run:
    """The factor on the device while it is computed."""

    def __init__(self, assembled: Assembled, dtype: str, static_pivoting: bool) -> None:
        import cupy

        two_way, levels = assembled.two_way, assembled.levels
        filled, columns = two_way.filled, two_way.columns
        self.n = n = columns.n
        self.dtype = np.dtype(dtype).type
        real = {"float32": "float", "float64": "double"}[dtype]
        self.kernels: dict[str, Any] = kernels.load(KERNEL, NAMES, (f"REAL={real}",))
        self.values = assembled.values.astype(self.dtype)
        self.two_way, self.levels = two_way, levels
        self.firsts = cupy.asnumpy(levels.pointers)
        self.widths = np.diff(self.firsts)
        self.told = cupy.asarray(np.array([n, n, 0, 0], np.uint64))
        self.status: Array = np.zeros(4, np.uint64)
        self.least = self._least(assembled.values) if static_pivoting else self.dtype(0)
        self.matrix = (
            filled.pattern.indptr,
            filled.upper_start,
            filled.pattern.indices,
            two_way.to_column,
            columns.indptr,
            two_way.lower_start,
            columns.indices,
            self.values,
            self.least,
        )
        self.work = cupy.zeros(len(self.widths), np.uint64)
        self.dealt = cupy.empty(n * DEALT_BYTES, np.uint8)
        self._each(
            "rl_work",
            n,
            filled.pattern.indptr,
            filled.upper_start,
            columns.indptr,
            two_way.lower_start,
            levels.pointers,
            levels.columns,
            np.uint32(len(self.widths)),
            np.uint32(n),
            self.dealt,
            self.work,
            self.told,
        )

    def _least(self, values: Array) -> Any:
        """The modulus below which pivots are replaced."""
        import cupy

        norm = cupy.zeros(1, np.uint64)
        self._each("rl_norm", 32 * self.n, self.two_way.columns.indptr, values, np.uint32(self.n), norm)
        return self.dtype(small_pivot(self.dtype) * cupy.asnumpy(norm).view(np.float64)[0])

    def reserve(self, launches: list[Launch], room: int, resident: int) -> None:
        """Allocate scratch columns for all launches, if `room` allows any."""
        import cupy

        self.room, self.resident, self.columns = room, resident, 0
        batched = self.kernels["rl_levels"]
        self.cooperative = device.multiprocessors() * device.occupancy(batched, BATCHED, 0)
        if room:
            self.room = min(room, DENSE_BLOCKS * device.multiprocessors())
            alone = [launch for launch in launches if not launch.batched]
            self.columns = max((self._blocks(launch)[0] for launch in alone), default=0)
        self.scratch = cupy.zeros(self.columns * self.n, self.dtype) if self.columns else np.uint64(0)
        self.arrived = cupy.zeros(len(launches), np.uint32)
        self.waits = 0

    @property
    def nbytes(self) -> int:
        kept = self.values.nbytes + self.work.nbytes + self.dealt.nbytes
        return int(kept + self.columns * self.n * self.values.itemsize)

    def launch(self, launch: Launch) -> None:
        blocks, parts = self._blocks(launch)
        if launch.batched:
            arrived = self.arrived[self.waits : self.waits + 1]
            self.waits += 1
            self.kernels["rl_levels"].kernel(
                (blocks,),
                (BATCHED,),
                (
                    *self.matrix,
                    self.dealt,
                    self.levels.pointers,
                    self.work,
                    np.uint32(launch.first),
                    np.uint32(launch.last),
                    arrived,
                ),
                enable_cooperative_groups=True,
            )
            return
        self.kernels["rl_level"](
            (blocks,),
            (32 * (launch.warps or WARPS),),
            (
                *self.matrix,
                np.uint32(self.n),
                self.levels.columns,
                self.scratch,
                np.int64(self.firsts[launch.first]),
                np.uint32(launch.columns),
                np.uint32(parts),
                np.uint32(1 if launch.warps else WARPS),
            ),
        )

    def _blocks(self, launch: Launch) -> tuple[int, int]:
        """(blocks of the launch, blocks per column)."""
        if launch.batched:
            return self.cooperative, 1
        most = self.room or 2**31 - 1
        if launch.warps:
            return min(most, launch.columns), 1
        parts = max(1, min(most, self.resident) // launch.columns)
        return min(most, parts * launch.columns), parts

    def finish(self) -> None:
        """Divide. Raises UnsupportedError naming the first column without a pivot or with a value not
        finite."""
        import cupy

        columns = self.two_way.columns
        self._each(
            "rl_finish",
            32 * self.n,
            columns.indptr,
            self.two_way.lower_start,
            self.values,
            self.least,
            np.uint32(self.n),
            self.told,
        )
        self.status = cupy.asnumpy(self.told)
        zero, not_finite = int(self.status[ZERO]), int(self.status[NOT_FINITE])
        if zero < self.n and zero <= not_finite:
            raise UnsupportedError(
                f"column {zero}: the pivot is zero (static_pivoting=true replaces small ones)"
            )
        if not_finite < self.n:
            name = np.dtype(self.dtype).name
            raise UnsupportedError(f"column {not_finite}: a value is infinite or not a number in {name}")

    def _each(self, name: str, threads: int, *arguments: Any) -> None:
        self.kernels[name]((-(-threads // 256),), (256,), arguments)
