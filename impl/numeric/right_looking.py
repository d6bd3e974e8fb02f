"""The common part of GLU's implementations: levels become launches of right_looking.cu, with targets.

S. Peng and S. X.-D. Tan, GLU3.0, IEEE Design & Test 37 (2020), Table I and "New GLU GPU kernel".
One launch after all levels divides the columns of L by their pivots. Until then updates divide U[j,k], once
per sub-column. So no block of a level waits for another's division, and a level is one launch.

    shapes = (896, 2), (448, 4), (16, 32)
    launches = plan(np.array([1000, 500, 20, 3]), shapes, batched=False)
    [launch.warps for launch in launches]              # [2, 4, 32, 0]
    modes(np.array([1000, 500, 20, 3]), shapes)["c"]   # 1: several blocks take a column of the last level
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Assembled, Factor, Levels, TwoWay, Work
from fillpath.phase import phase
from impl.cuda import device, kernels
from impl.cuda.graph import captured
from impl.numeric.pivots import small_pivot

KERNEL = Path(__file__).with_name("right_looking.cu")
VARIANTS = (("REAL=float",), ("REAL=double",))
NAMES = ("rl_norm", "rl_work", "rl_level", "rl_levels", "rl_finish")
# As in right_looking.cu.
THREADS, BATCHED = 1024, 512
WARPS = THREADS // 32
# Pairs (columns, warps): in a level of more columns, a block of that many warps takes a column. In smaller
# levels several blocks take a column.
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


@dataclass(frozen=True)
class Launch:
    """Levels first to last - 1.

    warps : int, of a block that takes a column; 0: several blocks take one (mode C)
    columns : int, of the level
    batched : bool, its levels are one cooperative launch with searched targets, whatever warps is
    """

    first: int
    last: int
    columns: int
    warps: int
    batched: bool = False


def auto(multiprocessors: int) -> Shapes:
    """Return shapes whose blocks have 64 warps per multiprocessor once a level has enough columns.

    Several blocks take a column where the authors' thresholds ask for that.
    """
    fewest, most = AUTHORS[-1]
    shapes = ((64 // warps * multiprocessors, warps) for warps in (2, 4, 8, 16))
    return (*(shape for shape in shapes if shape[0] > fewest), (fewest, most))


def warps_of(columns: Array, shapes: Shapes) -> Array:
    """Return (depth,) warps of a column's block, 0 for several blocks. columns : of each level."""
    ascending = sorted(shapes)
    warps = np.array([0, *(warps for _, warps in ascending)])
    return np.asarray(warps[np.searchsorted([above for above, _ in ascending], columns)])


def plan(columns: Array, shapes: Shapes, *, batched: bool) -> Iterator[Launch]:
    """Yield the launches, in order.

    columns : (depth,), of each level
    batched : bool, consecutive levels of at most MOST_COLUMNS run together
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
    """Count levels in GLU3.0's modes: A, a few warps per block; B, the most; C, several blocks a column."""
    warps = warps_of(columns, shapes)
    small, large = int(np.count_nonzero(warps == 0)), int(np.count_nonzero(warps == WARPS))
    return {"a": len(warps) - small - large, "b": large, "c": small}


def scratch_columns(n: int, itemsize: int, storage: str, most: int, budget: int) -> int:
    """Return the scratch columns of a launch; 0: targets are searched. most : blocks on the card at once.

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


@dataclass(frozen=True)
class Options:
    """The options of `glu3`, with the shapes that its thresholds give."""

    shapes: Shapes
    dtype: str
    static_pivoting: bool
    storage: str
    batched: bool
    memory_budget: int | None


def right_looking(assembled: Assembled, options: Options, *, graph: bool) -> tuple[Factor, Work]:
    """Factorise with the launches that the shapes give. graph : as in `glu3`."""
    if graph:
        return _replayed(assembled, options)
    run = _Run(assembled.two_way, assembled.levels, assembled.values, options)
    run.enqueue()
    facts = run.facts()
    return _factor(assembled.two_way, run.values, facts), Work(peak_memory=run.nbytes, facts=facts)


def _replayed(assembled: Assembled, options: Options) -> tuple[Factor, Work]:
    """Factorise by the kept graph, or by a new graph, which is kept."""
    fresh = not any(kept.serves(assembled, options) for kept in _kept)
    if fresh:
        # Free the kept graph before the next is allocated.
        _kept.clear()
        with phase("capture"):
            _kept.append(_Captured.of(assembled, options))
    (kept,) = _kept
    run = kept.run
    run.entries[...] = assembled.values
    kept.graph.launch()
    facts = {**run.facts(), "captured": float(fresh)}
    # The next call overwrites the arrays of this call.
    values, nbytes = run.values.copy(), run.nbytes + run.entries.nbytes + run.values.nbytes
    return _factor(assembled.two_way, values, facts), Work(peak_memory=nbytes, facts=facts)


def _factor(two_way: TwoWay, values: Array, facts: dict[str, float]) -> Factor:
    return Factor(two_way, values, int(facts["small_pivots"]))


@dataclass(frozen=True, eq=False)
class _Captured:
    """A run and its graph. The pattern and levels are held so that no other arrays take their addresses."""

    two_way: TwoWay
    levels: Levels
    options: Options
    run: _Run
    graph: Any

    @classmethod
    def of(cls, assembled: Assembled, options: Options) -> _Captured:
        two_way, levels = assembled.two_way, assembled.levels
        run = _Run(two_way, levels, assembled.values.copy(), options)
        return cls(two_way, levels, options, run, captured(run.enqueue))

    def serves(self, assembled: Assembled, options: Options) -> bool:
        same = self.two_way is assembled.two_way and self.levels is assembled.levels
        return same and self.options == options


# The graph of the last pattern and options; at most one entry.
_kept: list[_Captured] = []


class _Run:
    """The factor while it is computed, on the device. values : the factor's, once `enqueue` is done."""

    def __init__(self, two_way: TwoWay, levels: Levels, entries: Array, options: Options) -> None:
        """Allocate a factorisation's arrays. entries : values of `Assembled`, which each `enqueue` reads."""
        import cupy

        filled, columns = two_way.filled, two_way.columns
        self.n = n = columns.n
        self.dtype = np.dtype(options.dtype).type
        real = {"float32": "float", "float64": "double"}[options.dtype]
        self.kernels: dict[str, Any] = kernels.load(KERNEL, NAMES, (f"REAL={real}",))
        self.two_way, self.levels, self.entries = two_way, levels, entries
        self.values = cupy.empty(entries.shape, self.dtype)
        self.small = small_pivot(self.dtype) if options.static_pivoting else 0.0
        self.norm = cupy.zeros(1, np.uint64)
        self.fresh = cupy.asarray(np.array([n, n, 0, 0], np.uint64))
        self.status = cupy.empty_like(self.fresh)
        self.matrix = (
            filled.pattern.indptr,
            filled.upper_start,
            filled.pattern.indices,
            two_way.to_column,
            columns.indptr,
            two_way.lower_start,
            columns.indices,
            self.values,
            np.float64(self.small),
            self.norm,
        )
        self.firsts = cupy.asnumpy(levels.pointers)
        self.widths = np.diff(self.firsts)
        self.counted = modes(self.widths, options.shapes)
        self.work = cupy.empty(len(self.widths), np.uint64)
        self.dealt = cupy.empty(n * DEALT_BYTES, np.uint8)
        self.launches = list(plan(self.widths, options.shapes, batched=options.batched))
        self._reserve(options.storage, options.memory_budget)

    def _reserve(self, storage: str, memory_budget: int | None) -> None:
        """Allocate scratch columns for all launches, if the rule of `scratch_columns` allows any."""
        import cupy

        most = device.multiprocessors() * device.occupancy(self.kernels["rl_level"], THREADS, 0)
        budget = int(SHARE * device.free_bytes()) if memory_budget is None else memory_budget
        room = scratch_columns(self.n, self.values.itemsize, storage, most, budget)
        self.room, self.resident, self.columns = room, most, 0
        batched = self.kernels["rl_levels"]
        self.cooperative = device.multiprocessors() * device.occupancy(batched, BATCHED, 0)
        if room:
            self.room = min(room, DENSE_BLOCKS * device.multiprocessors())
            alone = [launch for launch in self.launches if not launch.batched]
            self.columns = max((self._blocks(launch)[0] for launch in alone), default=0)
        self.dense = cupy.empty(self.columns * self.n, self.dtype) if self.columns else None
        self.arrived = cupy.empty(len(self.launches), np.uint32)

    @property
    def nbytes(self) -> int:
        kept = self.values.nbytes + self.work.nbytes + self.dealt.nbytes
        return int(kept + self.columns * self.n * self.values.itemsize)

    def enqueue(self) -> None:
        """Launch a factorisation in the current stream, without allocating or waiting: it may be captured."""
        self.values[...] = self.entries
        self.status[...] = self.fresh
        self.work.fill(0)
        self.arrived.fill(0)
        if self.dense is not None:
            self.dense.fill(0)
        if self.small:
            self.norm.fill(0)
            indptr = self.two_way.columns.indptr
            self._each("rl_norm", 32 * self.n, indptr, self.entries, np.uint32(self.n), self.norm)
        self._count()
        for place, launch in enumerate(self.launches):
            self._launch(place, launch)
        self._finish()

    def _count(self) -> None:
        """Count the updates of each level and its columns, which batched levels read."""
        filled, columns = self.two_way.filled, self.two_way.columns
        self._each(
            "rl_work",
            self.n,
            filled.pattern.indptr,
            filled.upper_start,
            columns.indptr,
            self.two_way.lower_start,
            self.levels.pointers,
            self.levels.columns,
            np.uint32(len(self.widths)),
            np.uint32(self.n),
            self.dealt,
            self.work,
            self.status,
        )

    def _launch(self, place: int, launch: Launch) -> None:
        blocks, parts = self._blocks(launch)
        if launch.batched:
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
                    self.arrived[place : place + 1],
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
                np.uint64(0) if self.dense is None else self.dense,
                np.int64(self.firsts[launch.first]),
                np.uint32(launch.columns),
                np.uint32(parts),
                np.uint32(1 if launch.warps else WARPS),
            ),
        )

    def _blocks(self, launch: Launch) -> tuple[int, int]:
        if launch.batched:
            return self.cooperative, 1
        most = self.room or 2**31 - 1
        if launch.warps:
            return min(most, launch.columns), 1
        parts = max(1, min(most, self.resident) // launch.columns)
        return min(most, parts * launch.columns), parts

    def _finish(self) -> None:
        """Divide, and look for missing pivots and for values that are not finite."""
        columns = self.two_way.columns
        self._each(
            "rl_finish",
            32 * self.n,
            columns.indptr,
            self.two_way.lower_start,
            self.values,
            np.float64(self.small),
            self.norm,
            np.uint32(self.n),
            self.status,
        )

    def facts(self) -> dict[str, float]:
        """Return the facts of the launches that were enqueued last.

        Raises UnsupportedError naming the first column without a pivot or with a value not finite.
        """
        import cupy

        # As in right_looking.cu.
        zero, not_finite, small, updates = (int(count) for count in cupy.asnumpy(self.status))
        if zero < self.n and zero <= not_finite:
            raise UnsupportedError(
                f"column {zero}: the pivot is zero (static_pivoting=true replaces small ones)"
            )
        if not_finite < self.n:
            name = np.dtype(self.dtype).name
            raise UnsupportedError(f"column {not_finite}: a value is infinite or not a number in {name}")
        together = [launch.last - launch.first for launch in self.launches if launch.batched]
        return {
            "levels": float(len(self.widths)),
            "launches": float(len(self.launches)),
            "levels_batched": float(sum(together)),
            **{f"levels_{mode}": float(count) for mode, count in self.counted.items()},
            "updates": float(updates),
            "small_pivots": float(small),
            "scratch_columns": float(self.columns),
        }

    def _each(self, name: str, threads: int, *arguments: Any) -> None:
        self.kernels[name]((-(-threads // 256),), (256,), arguments)
