"""Parts of fronts for solves with inverted pivot blocks: lists, products and tasks, on the device.

Parts depend on the pattern alone, as maps do.

    parts = parts_of(maps, widths_of(8), None)     # maps : of `maps_of`
    [WIDTHS[width] for width in parts.tasks]       # [8]
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array
from fillpath.registry import HEADERS
from impl.cuda import device, kernels
from impl.multifrontal import arena
from impl.multifrontal.arena import INT, LONG, Arena, Lengths
from impl.multifrontal.maps_gpu import SHARE, FrontMaps
from impl.multifrontal.shape import RESERVED, Shape, state_lengths
from impl.symbolic.bitfronts_analysis import resident_blocks

KERNEL = Path(__file__).with_name("parts.cu")
HEADER = HEADERS / "front_parts.cuh"
NAMES = ("mf_parts", "mf_part_lists", "mf_part_tasks")
THREADS = 512
# Right-hand sides solved at a time, by width; the last two widths are tiles of eight.
WIDTHS = (1, 8, 64)
ONE, EIGHT, BLOCK = range(3)
# Pivots of a part, a multiple of 32.
MOST = 512
# As in front_parts.cuh.
STEPS, DEPTHS, WARPS = 23, 16, 8
MOST_PLACES = 2**31 - 1
# With 64 right-hand sides: values of the factor in a block, and between rows.
ROOM, HELD_LD = 36 * 128, 12
# Words of four bytes in a product, a task, four list entries.
PRODUCT, TASK, FOUR = 16, 16, 4
WORD = np.dtype(np.uint32)


@dataclass(frozen=True)
class Totals:
    """Counts that are known before lists are allocated, as `PartTotals` in front_parts.cuh."""

    parts: int
    entries: int
    inverted: int
    path: int
    more: int
    warps: int
    tasks_one: int
    tasks_eight: int
    tasks_block: int

    def tasks(self, width: int) -> int:
        """Return a bound on the number of tasks, tasks of several parts included."""
        several = 0 if width == BLOCK else self.warps // WARPS + 2 * self.path
        return (self.tasks_one, self.tasks_eight, self.tasks_block)[width] + several


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of the fronts of some maps.

    struct : Parts in front_parts.cuh, by value
    steps : of products, each (first, how many)
    memory : the arrays that the struct names
    tasks : the lists that have been made, by width
    """

    maps: FrontMaps
    struct: Array
    totals: Totals
    held: int
    steps: tuple[tuple[int, int], ...]
    memory: tuple[Arena, ...]
    tasks: dict[int, Arena] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in (*self.memory, *self.tasks.values()))

    @property
    def places(self) -> int:
        """Count the values of the vectors of one right-hand side."""
        return self.totals.entries + 3 * self.maps.fronts.prepared.pattern.n

    def address(self, name: str) -> int:
        """Return where an array of the lists lies."""
        return next(part for part in self.memory if name in part.addresses).addresses[name]

    def tasks_of(self, width: int) -> Arena:
        """Return the tasks of a width, made at the first call."""
        if width not in self.tasks:
            self.tasks[width] = _listed_tasks(self, width)
        return self.tasks[width]


def held_pivots(itemsize: int) -> int:
    """Choose how many pivots a warp of the kernel for 64 gathers: 64 where two blocks fit then, else 32."""
    _, multiprocessor = device.shared_memory()
    return 64 if 2 * (block_bytes(64, itemsize) + RESERVED) <= multiprocessor else 32


def block_bytes(held: int, itemsize: int) -> int:
    """Return the bytes of shared memory of a block of the kernel for 64 right-hand sides."""
    return (ROOM + WARPS * held * HELD_LD) * itemsize


def parts_of(maps: FrontMaps, widths: tuple[int, ...], budget: int | None, most: int = MOST) -> Parts:
    """Make the parts, by a launch, a wait, and a launch; then the tasks of some widths.

    budget : int, bytes of all arrays of a factorisation and these; None for a share of what is free
    most : int, pivots of a part, a multiple of 32

    Raises MemoryBudgetError, before lists and values are allocated; UnsupportedError for more places of
    vectors than 32 bits number.
    """
    load = _kernels(maps.shape)
    m, slots = int(maps.fronts.up.size), maps.fronts.prepared.pattern.n + int(maps.fronts.list.size)
    # A front takes a warp, two slots take a thread.
    wanted = max(-(-32 * m // THREADS), -(-slots // (2 * THREADS)))
    blocks = min(wanted, *(resident_blocks(load[name], THREADS) for name in NAMES))
    first = Arena(*_first_lengths(m, blocks))
    held = held_pivots(maps.shape.itemsize)
    given = {"most": most, "held": held, **first.addresses}
    _launch(load["mf_parts"], blocks, maps.struct, arena.struct(HEADER, "Parts", given))
    totals, steps = _counted(first)
    parts = Parts(maps, arena.struct(HEADER, "Parts", given), totals, held, steps, (first,))
    if parts.places > MOST_PLACES:
        raise UnsupportedError(f"{parts.places} places of vectors: 32 bits count {MOST_PLACES}")
    lists = _second_lengths(parts)
    _require(parts, arena.needed(lists), widths, budget)
    second = Arena({}, lists)
    words = arena.struct(HEADER, "Parts", given | second.addresses)
    load["mf_part_lists"]((blocks,), (THREADS,), (maps.struct, words))
    parts = Parts(maps, words, totals, held, steps, (first, second))
    for width in widths:
        parts.tasks_of(width)
    return parts


def list_tasks(parts: Parts, widths: tuple[int, ...], budget: int | None) -> None:
    """Make the tasks of widths that have none. Raises MemoryBudgetError as `parts_of`."""
    missing = tuple(width for width in widths if width not in parts.tasks)
    if missing:
        _require(parts, 0, missing, budget)
    for width in missing:
        parts.tasks_of(width)


def _kernels(shape: Shape) -> dict[str, Any]:
    return kernels.load(KERNEL, NAMES, (f"WARP_FRONT={shape.warp_front}",))


def _launch(kernel: Any, blocks: int, *words: Array) -> None:
    kernel.kernel((blocks,), (THREADS,), words, enable_cooperative_groups=True)


def _counted(first: Arena) -> tuple[Totals, tuple[tuple[int, int], ...]]:
    import cupy

    totals = Totals(*map(int, cupy.asnumpy(first.array("totals"))))
    starts = cupy.asnumpy(first.array("product_start"))[::DEPTHS]
    steps = [(int(a), int(b - a)) for a, b in itertools.pairwise(starts)]
    return totals, tuple(step for step in steps if step[1])


def _first_lengths(m: int, blocks: int) -> tuple[Lengths, Lengths]:
    """Return the lengths of arrays that are 0 at the launch, and of the others."""
    zero: Lengths = {
        "arrived": (1, WORD),
        "placed": (1, LONG),
        "totals": (len(fields(Totals)), LONG),
        "product_start": (STEPS * DEPTHS + 1, LONG),
        "product_count": (STEPS * DEPTHS, INT),
        **dict.fromkeys(("pending", "early"), (m, INT)),
    }
    others: Lengths = {
        "partial": (4 * blocks, LONG),
        **dict.fromkeys(("part_at", "list_at", "inverse_at"), (m + 1, LONG)),
        **dict.fromkeys(("tail", "above"), (2 * m, INT)),
    }
    return zero, others


def _second_lengths(parts: Parts) -> Lengths:
    totals, n = parts.totals, parts.maps.fronts.prepared.pattern.n
    return {
        "list": (totals.entries, INT),
        "source": (FOUR * (n + totals.entries), INT),
        "more": (FOUR * totals.more, INT),
        "products": (PRODUCT * sum(count for _, count in parts.steps), INT),
    }


def _task_blocks(maps: FrontMaps) -> int:
    """Count the blocks that list tasks, a warp a front."""
    kernel = _kernels(maps.shape)["mf_part_tasks"]
    return min(-(-32 * int(maps.fronts.up.size) // THREADS), resident_blocks(kernel, THREADS))


def _task_lengths(parts: Parts, width: int) -> tuple[Lengths, Lengths]:
    bins = 2 * parts.totals.path
    zero: Lengths = {
        "arrived": (1, WORD),
        "need": (parts.totals.parts, INT),
        **dict.fromkeys(("start", "warp_start"), (bins + 1, LONG)),
        **dict.fromkeys(("count", "warp_count"), (bins, INT)),
    }
    others: Lengths = {
        "partial": (2 * _task_blocks(parts.maps), LONG),
        "tasks": (TASK * parts.totals.tasks(width), INT),
        "warps": (0 if width == BLOCK else TASK * parts.totals.warps, INT),
    }
    return zero, others


def _listed_tasks(parts: Parts, width: int) -> Arena:
    tasks, kernel = Arena(*_task_lengths(parts, width)), _kernels(parts.maps.shape)["mf_part_tasks"]
    given = {"width": width, "bins": 2 * parts.totals.path, **tasks.addresses}
    _launch(
        kernel,
        _task_blocks(parts.maps),
        parts.maps.struct,
        parts.struct,
        arena.struct(HEADER, "TaskList", given),
    )
    return tasks


def _require(parts: Parts, lists: int, widths: tuple[int, ...], budget: int | None) -> None:
    """Raise MemoryBudgetError if a factorisation, its inverses and the lists take more than the budget."""
    maps, totals, itemsize = parts.maps, parts.totals, parts.maps.shape.itemsize
    n, m = maps.fronts.prepared.pattern.n, int(maps.fronts.up.size)
    tasks = sum(arena.needed(*_task_lengths(parts, width)) for width in widths)
    own = arena.needed(state_lengths(m, maps.waves)) + (4 * n if maps.shape.exchanges else 0)
    values = itemsize * (maps.totals.factor + max(maps.block_values, totals.inverted))
    allocated = maps.nbytes + parts.nbytes
    needed = allocated + lists + tasks + own + values
    given = int(SHARE * device.free_bytes()) + allocated if budget is None else budget
    if needed > given:
        raise MemoryBudgetError(
            f"memory_budget: a factor and its inverses need {needed} bytes, {given} given"
        )
