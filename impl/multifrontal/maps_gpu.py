"""Index maps of fronts, and the tasks of their factorisation and solves, on the device.

Maps depend on the pattern alone and serve all matrices with that pattern.

    maps = maps_of(fronts_on_device(prepared), shape_of("float64", True, True), None)
    run = Factorisation(maps, maps.shape, static_pivoting=False)
    run.enqueue(prepared.values)
    factor, facts = run.result()
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Fronts
from impl.cuda import device, kernels
from impl.multifrontal import arena
from impl.multifrontal.arena import INT, LONG, MAPS_HEADER, Arena, Lengths, address
from impl.multifrontal.shape import Shape, state_lengths
from impl.multifrontal.waves import WAVES, divide
from impl.symbolic.bitfronts_analysis import resident_blocks

KERNEL = Path(__file__).with_name("maps.cu")
THREADS, ENTRIES_A_THREAD = 512, 2
MOST_ENTRIES, MOST_ROWS = 2**31 - 1, 2**16 - 1
# Share of the free memory that may be used if no budget is given.
SHARE = 0.8
# Bytes of Task and Source, and of a task of the solves.
TASK, SOURCE, SOLVE_TASK = np.dtype((np.void, 64)), np.dtype((np.void, 16)), np.dtype((np.void, 16))


@dataclass(frozen=True)
class Totals:
    """The counts made before values are allocated: as `Totals` in multifrontal.cuh."""

    blocks: int
    factor: int
    path: int
    tasks: int
    solve_tasks: int
    solve_path: int
    largest: int
    long_segments: int
    flops: int


@dataclass(frozen=True, eq=False)
class FrontMaps:
    """The maps of some fronts.

    shape : of the kernels
    struct : Maps in multifrontal.cuh, by value
    totals : of the fronts
    waves : int, launches of a factorisation
    block_values : int, of all blocks in use at a time
    solve_bins : int, times of the tasks of the solves
    memory : the arrays that the struct names
    """

    fronts: Fronts
    shape: Shape
    struct: Array
    totals: Totals
    waves: int
    block_values: int
    solve_bins: int
    memory: tuple[Any, ...]

    @property
    def nbytes(self) -> int:
        return sum(int(part.nbytes) for part in self.memory)

    def array(self, name: str) -> Array:
        """Return an array of the maps, on the device."""
        part = next(part for part in self.memory if isinstance(part, Arena) and name in part.addresses)
        return part.array(name)


def maps_of(fronts: Fronts, shape: Shape, memory_budget: int | None) -> FrontMaps:
    """Return the maps, by two launches with one wait between them.

    fronts : on the device, of a matrix with rows
    shape : of the kernels
    memory_budget : int, bytes of maps and all arrays of a factorisation; None for a share of what is free

    Raises UnsupportedError for more entries or rows than maps can number; MemoryBudgetError, before values
    are allocated, if no number of waves fits.
    """
    budget = int(SHARE * device.free_bytes()) if memory_budget is None else memory_budget
    names = ("mf_maps", "mf_tasks")
    load = kernels.load(KERNEL, names, (f"WARP_FRONT={shape.warp_front}",))
    n, m = fronts.prepared.pattern.n, int(fronts.up.size)
    entries, nnz = int(fronts.list.size), int(fronts.prepared.pattern.indices.size)
    if max(n + entries, nnz) > MOST_ENTRIES:
        raise UnsupportedError(f"{max(n + entries, nnz)} columns of fronts: 32-bit maps count {MOST_ENTRIES}")
    most = max(n + entries, nnz)
    wanted = -(-most // (ENTRIES_A_THREAD * THREADS))
    blocks = min(wanted, *(resident_blocks(load[name], THREADS) for name in names))
    zero, others = _first_lengths(n, m, entries, nnz, blocks)
    if (needed := arena.needed(zero, others)) > budget:
        raise _exceeded("the maps of the fronts", needed, budget)
    first = Arena(zero, others)
    given = {
        "n": n,
        "fronts": m,
        "entries": entries,
        "nnz": nnz,
        "shared_front": shape.shared_front,
        "indptr": address(fronts.prepared.pattern.indptr),
        "indices": address(fronts.prepared.pattern.indices),
        "label": address(fronts.label),
        "first": address(fronts.first),
        "up": address(fronts.up),
        "list": address(fronts.list),
        "place": address(fronts.place),
        "list_start": address(fronts.list_start),
        **first.addresses,
    }
    _launch(load["mf_maps"], blocks, arena.struct(MAPS_HEADER, "Maps", given))
    totals = _totals(first)
    if totals.largest > MOST_ROWS:
        raise UnsupportedError(f"a front of {totals.largest} rows: 16-bit places count {MOST_ROWS}")
    places = _placed(fronts, shape, first, totals, budget)
    zero, others = _second_lengths(m, entries, totals, places.waves)
    second = Arena(zero, others)
    given |= {**second.addresses, **places.addresses}
    given |= {"bins": places.waves * (totals.path + 1), "wave_bins": totals.path + 1}
    given["solve_bins"] = 2 * totals.solve_path + 1
    words = arena.struct(MAPS_HEADER, "Maps", given)
    _launch(load["mf_tasks"], blocks, words)
    memory = (first, second, *places.arrays)
    return FrontMaps(fronts, shape, words, totals, places.waves, places.values, given["solve_bins"], memory)


@dataclass(frozen=True, eq=False)
class _Placed:
    """The places of blocks. addresses : fields of Maps with the places that the first launch lacks."""

    waves: int
    values: int
    addresses: dict[str, int]
    arrays: tuple[Array, ...]


def _placed(fronts: Fronts, shape: Shape, first: Arena, totals: Totals, budget: int) -> _Placed:
    """Place all blocks side by side, or in the fewest waves that fit. Raises MemoryBudgetError."""
    import cupy

    def needed(waves: int, values: int) -> int:
        """Return the bytes of all arrays."""
        n, m, entries = int(fronts.label.size), int(fronts.up.size), int(fronts.list.size)
        second = arena.needed(*_second_lengths(m, entries, totals, waves))
        # Two more arrays hold the places of blocks in waves.
        by_wave = 0 if waves == 1 else 4 * m + 8 * (m + 1)
        beside = arena.needed(state_lengths(m, waves)) + (4 * n if shape.exchanges else 0)
        return first.nbytes + second + by_wave + beside + shape.itemsize * (totals.factor + values)

    least = needed(1, totals.blocks)
    if least <= budget:
        return _Placed(1, totals.blocks, {}, ())
    time, up = cupy.asnumpy(first.array("time")), cupy.asnumpy(fronts.up)
    sizes = np.diff(cupy.asnumpy(first.array("block_at")))
    for count in WAVES:
        waves = divide(time, up, sizes, count)
        total = needed(waves.count, waves.values)
        least = min(least, total)
        if total <= budget:
            arrays = cupy.asarray(waves.wave), cupy.asarray(waves.start)
            addresses = {"wave": address(arrays[0]), "block_at": address(arrays[1])}
            return _Placed(waves.count, waves.values, addresses, arrays)
    raise _exceeded("the factor and its fronts", least, budget)


def _exceeded(part: str, needed: int, budget: int) -> MemoryBudgetError:
    return MemoryBudgetError(f"memory_budget: {part} need {needed} bytes, {budget} given")


def _launch(kernel: Any, blocks: int, words: Array) -> None:
    kernel.kernel((blocks,), (THREADS,), (words,), enable_cooperative_groups=True)


def _totals(first: Arena) -> Totals:
    import cupy

    return Totals(*map(int, cupy.asnumpy(first.array("totals"))))


def _first_lengths(n: int, m: int, entries: int, nnz: int, blocks: int) -> tuple[Lengths, Lengths]:
    """Return the lengths of arrays that are 0 at the launch, and of the others."""
    slots = n + entries
    zero: Lengths = {
        "arrived": (2, INT),
        "totals": (len(fields(Totals)), LONG),
        "child_start": (m + 1, LONG),
        **dict.fromkeys(("child_count", "pending", "awaited", "time", "solve_time"), (m, INT)),
        **dict.fromkeys(("entry_start", "source_start"), (slots + 1, LONG)),
        **dict.fromkeys(("entry_count", "source_count"), (slots, INT)),
    }
    others: Lengths = {
        "partial": (4 * blocks, LONG),
        **dict.fromkeys(("front_of", "vertex"), (n, INT)),
        "entry_front": (entries, INT),
        **dict.fromkeys(("child", "panel", "handed_stride"), (m, INT)),
        **dict.fromkeys(("block_at", "factor_at"), (m + 1, LONG)),
        "handed_at": (m, LONG),
        **dict.fromkeys(("entry_slot", "unplaced", "entry_place", "entry_from"), (nnz, INT)),
        "source_entry": (entries, INT),
        "long_segments": ((slots + m) // 32 + 1, INT),
    }
    return zero, others


def _second_lengths(m: int, entries: int, totals: Totals, waves: int) -> tuple[Lengths, Lengths]:
    bins, solve_bins = waves * (totals.path + 1), 2 * totals.solve_path + 1
    zero: Lengths = {
        **dict.fromkeys(("task_start", "warp_start"), (bins + 1, LONG)),
        **dict.fromkeys(("solve_start", "solve_warp_start"), (solve_bins + 1, LONG)),
        **dict.fromkeys(("task_count", "warp_count"), (bins, INT)),
        **dict.fromkeys(("solve_count", "solve_warp_count"), (solve_bins, INT)),
    }
    others: Lengths = {
        "source": (entries, SOURCE),
        "tasks": (totals.tasks, TASK),
        "solve_tasks": (totals.solve_tasks, SOLVE_TASK),
        "warp_fronts": (m, INT),
        "solve_warp_fronts": (2 * m, INT),
    }
    return zero, others
