"""Levels on the GPU: Kahn's algorithm (PPoPP'23, Algorithm 5) on GLU3.0's relaxed dependencies.

The paper's parent kernel launches the levels and waits for its children, which current CUDA does not allow.
The driver `tail_launch` comes closest: kernels launch their successors.

    levels, work = kahn_gpu(two_way)                   # arrays on the device
    len(levels.pointers) - 1, levels.columns.shape     # work.facts["levels"], (two_way.columns.n,)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from fillpath.errors import FillpathError
from fillpath.nouns import Array, Levels, TwoWay, Work
from fillpath.registry import implementation
from impl.cuda import device, kernels, relocatable

KERNEL = Path(__file__).with_name("kahn.cu")
VARIANTS: tuple[tuple[str, ...], ...] = ((), (relocatable.DEFINE,))
NAMES = ("kahn_degrees", "kahn_release", "kahn_ready", "kahn_level", "kahn_levels")
# As in kahn.cu.
THREADS = 1024
# Blocks per multiprocessor of the kernel for all levels: more blocks wait longer for each other.
RESIDENT = 2
# The most blocks per multiprocessor of a kernel for one level.
BLOCKS = 2


@implementation(
    stage="levels",
    device="gpu",
    paper="ooclu",
    section="3.3, Algorithm 5",
    available=kernels.available,
    kernels=("kahn.cu",),
)
def kahn_gpu(
    two_way: TwoWay, *, driver: Literal["cooperative", "tail_launch", "host"] = "cooperative"
) -> tuple[Levels, Work]:
    """Find relaxed levels by Kahn's algorithm, on the GPU.

    two_way : F, n x n, on the device
    driver : how to go from level to level

        - "cooperative": one cooperative kernel, whose blocks wait for each other; one block works alone while
          levels are small
        - "tail_launch": a kernel of one thread that launches each level and then itself
        - "host": one launch per level by the host

    Returns the levels, with columns ascending in each, on the device. Facts:

    levels : how many there are
    widest : columns of the largest level
    rounds : "cooperative": waits of all blocks for each other; "host": waits of the host for the device;
        "tail_launch": levels launched by the device
    alone : levels of one block

    Raises UnavailableError if tail_launch cannot be linked with cudadevrt; FillpathError for a refused
    launch.
    """
    import cupy

    levels = _Levels(two_way)
    drivers = {"cooperative": levels.cooperative, "tail_launch": levels.tail_launch, "host": levels.host}
    pointers = drivers[driver]()
    widths = pointers[1:] - pointers[:-1]
    facts = {
        "levels": float(len(widths)),
        "widest": float(widths.max()),
        "rounds": float(levels.rounds),
        "alone": float(levels.alone),
    }
    columns = cupy.argsort(levels.level, kind="stable").astype(np.int32)
    return Levels(pointers, columns), Work(peak_memory=levels.nbytes, facts=facts)


class _Levels:
    """The queue on the device, with the first level in it, and the drivers."""

    def __init__(self, two_way: TwoWay) -> None:
        import cupy

        filled, columns = two_way.filled, two_way.columns
        self.n = n = columns.n
        self.kernels: dict[str, Any] = kernels.load(KERNEL, NAMES)
        self.degree = cupy.empty(n, np.uint32)
        self.queue = cupy.empty(n, np.int32)
        self.level = cupy.empty(n, np.int32)
        self.rounds = self.alone = 0
        self.graph = (
            filled.pattern.indptr,
            filled.upper_start,
            filled.pattern.indices,
            columns.indptr,
            two_way.lower_start,
            columns.indices,
            np.uint32(n),
            self.degree,
            self.queue,
            self.level,
        )
        # Successors << 32 | columns appended by each round.
        self.added = cupy.zeros(3, np.uint64)
        rows, upper_start, row_columns, indptr, lower_start = self.graph[:5]
        self._launch("kahn_degrees", n, (rows, upper_start, indptr, lower_start, np.uint32(n), self.degree))
        self._launch(
            "kahn_release",
            32 * n,
            (rows, upper_start, row_columns, indptr, lower_start, np.uint32(n), self.degree),
        )
        self._launch("kahn_ready", n, (*self.graph, self.added))

    @property
    def nbytes(self) -> int:
        return int(self.degree.nbytes + self.queue.nbytes + self.level.nbytes)

    def cooperative(self) -> Array:
        """Go through all levels in one launch. Returns the levels' pointers."""
        import cupy

        pointers = cupy.empty(self.n + 1, np.int64)
        left, arrived, stats = (cupy.zeros(words, np.uint32) for words in (4, 1, 3))
        kernel = self.kernels["kahn_levels"]
        blocks = device.multiprocessors() * min(RESIDENT, device.occupancy(kernel, THREADS, 0))
        # A column takes a warp: more blocks than this would never have work.
        blocks = min(blocks, -(-self.n // (THREADS // 32)))
        kernel.kernel(
            (blocks,),
            (THREADS,),
            (*self.graph, self.added, pointers, left, arrived, stats),
            enable_cooperative_groups=True,
        )
        depth, self.alone, self.rounds = map(int, cupy.asnumpy(stats))
        found: Array = pointers[: depth + 1].copy()
        return found

    def tail_launch(self) -> Array:
        """Launch the first level, which launches the others. Returns the levels' pointers."""
        import cupy

        pointers, depth = cupy.empty(self.n + 1, np.int64), cupy.zeros(1, np.uint32)
        kernel = relocatable.load(KERNEL, ("kahn_tail",))["kahn_tail"]
        kernel(
            (1,),
            (1,),
            (
                *self.graph,
                self.added,
                pointers,
                depth,
                np.uint32(BLOCKS * device.multiprocessors()),
                np.uint32(0),
                np.uint32(0),
            ),
        )
        self.rounds = int(cupy.asnumpy(depth)[0])
        found: Array = pointers[: self.rounds + 1].copy()
        # A refused launch is reported nowhere else.
        if not self.rounds or int(found[-1]) != self.n:
            raise FillpathError("kahn_gpu driver=tail_launch: the device launched not all of the levels")
        return found

    def host(self) -> Array:
        """Launch each level when the previous one has reported its size. Returns the levels' pointers."""
        import cupy

        most = BLOCKS * device.multiprocessors()
        pointers = [0]
        found = int(self.added[0])
        while found:
            first, last = pointers[-1], pointers[-1] + (found & 0xFFFFFFFF)
            pointers.append(last)
            blocks = max(-(-(last - first) // (THREADS // 32)), -(-(found >> 32) // THREADS))
            self.added.fill(0)
            self.kernels["kahn_level"](
                (min(most, blocks),),
                (THREADS,),
                (*self.graph, self.added, np.uint32(first), np.uint32(last), np.uint32(len(pointers) - 2)),
            )
            found = int(self.added[0])
            self.rounds += 1
        all_found: Array = cupy.asarray(pointers, np.int64)
        return all_found

    def _launch(self, name: str, threads: int, arguments: tuple[Any, ...]) -> None:
        self.kernels[name]((-(-threads // 256),), (256,), arguments)
