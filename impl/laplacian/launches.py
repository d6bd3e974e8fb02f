"""The common parts of conjugate gradients' kernels, and how rows are distributed over their warps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array
from impl.cuda import device, kernels

KERNEL = Path(__file__).with_name("pcg.cu")
THREADS = 256
BUNDLE = 32
# Entries of a row per lane, on average, if there are rows for all lanes.
ENTRIES = 4
# The most rows that a task's word can name, apart from the value that means none.
MOST_ROWS = 2**29 - 1


class State(IntEnum):
    """The places of `impl/cuda/pcg_state.cuh`."""

    RZ = 0
    OLD = 1
    PQ = 2
    RR = 3
    BOUND = 4
    ITERATIONS = 5
    DONE = 6
    DENSE = 7


class Room:
    """Arrays on the device.

    vectors : (3 n,) float64: r, y and z
    state : (8,) float64
    sums : float64, one per block of the largest grid
    arrived : (1,) uint32, 0 between kernels
    """

    def __init__(self, n: int, blocks: int) -> None:
        import cupy

        self.vectors: Any = cupy.zeros(3 * n)
        self.state: Any = cupy.zeros(len(State))
        self.sums: Any = cupy.empty(blocks)
        self.arrived: Any = cupy.zeros(1, np.uint32)

    @property
    def scalars(self) -> tuple[Any, Any, Any]:
        """Return the last arguments of every kernel that computes a sum."""
        return self.state, self.sums, self.arrived


@dataclass(frozen=True, eq=False)
class Tasks:
    """The tasks of warps, as `impl/cuda/row_tasks.cuh` defines them.

    words : uint32, one per task
    ends : where the tasks of each range of rows end in words
    """

    words: Array
    ends: tuple[int, ...]


def tasks(indptr: Array, bounds: tuple[int, ...], entries: int = ENTRIES) -> Tasks:
    """Return the tasks of the rows between each two consecutive bounds.

    indptr : (rows + 1,) int64, on the device
    bounds : ascending
    entries : int, entries of a row per lane, on average

    Raises UnsupportedError beyond MOST_ROWS.
    """
    import cupy

    if bounds[-1] > MOST_ROWS:
        raise UnsupportedError(f"{bounds[-1]} rows exceed what tasks of warps name ({MOST_ROWS})")
    parts = [_part(indptr, begin, end, entries) for begin, end in pairwise(bounds)]
    words = cupy.concatenate(parts) if len(parts) > 1 else parts[0]
    return Tasks(words, tuple(int(end) for end in np.cumsum([len(part) for part in parts])))


def _part(indptr: Array, begin: int, end: int, entries: int) -> Any:
    import cupy

    compiled = kernels.load(KERNEL, ("pcg_lanes", "pcg_tasks"))
    bundles = -(-(end - begin) // BUNDLE)
    if not bundles:
        return cupy.empty(0, np.uint32)
    lanes = cupy.empty(bundles, np.int32)
    launch(compiled["pcg_lanes"], bundles, indptr, *map(np.uint32, (begin, end, entries)), lanes)
    after = cupy.cumsum(lanes, dtype=np.int64)
    words = cupy.empty(int(after[-1]), np.uint32)
    launch(compiled["pcg_tasks"], bundles, lanes, after, np.uint32(begin), np.uint32(end), words)
    return words


def launch(kernel: Any, items: int, *arguments: Any) -> None:
    """Launch one thread per item, nothing if there are none."""
    if items:
        kernel((-(-items // THREADS),), (THREADS,), arguments)


def resident(kernel: Any, most: int) -> int:
    """Return the blocks of THREADS threads that the device holds, at most `most` per multiprocessor."""
    return device.multiprocessors() * min(most, device.occupancy(kernel, THREADS, 0))
