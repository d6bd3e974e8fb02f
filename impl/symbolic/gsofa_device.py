"""The launch of gsofa.cu by its implementations: its variants, its arguments, and its statistics.

A traversal allocates for its launches once; `traverse` calls its `run` and gathers the rows.

    traversal = Traversal(pattern, pool.launches(), cupy.empty(pool.words, np.uint32), defines)
    found = traverse(pattern, True, traversal.run)
    filled, work = traversal.outcome(found)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import InputError
from fillpath.nouns import Array, Counts, Filled, Pattern, Series, Work
from impl.cuda import device, kernels
from impl.symbolic.device_rows import Found, Output
from impl.symbolic.gsofa_pool import WORD, Launch, set_words

KERNEL = Path(__file__).with_name("gsofa.cu")
# The kernel's shape, the fastest on an H200 (docs/notes/performance.md): threads per block, sources of a
# block at a time, blocks per multiprocessor. Then sources entering per step, and adjacency entries per lane.
THREADS = 512
SLOTS = 4
SHAPE = (f"THREADS={THREADS}", f"SLOTS={SLOTS}", "RESIDENT=3", "ENTERING=1", "AHEAD=4")
Defines = Mapping[str, bool]
# The value ranges of maxId descend from here: the largest even uint32.
TOP = 2**32 - 2
# The queue of SLOTS sources, twice over, is counted in 32 bits.
MOST_ROWS = 2**29
# The statistics of a block, as in gsofa.cu.
STATS = ("STEPS", "WAITING", "MOST", "CYCLES", "INITIALISING", "SPILLED", "TAKEN", "CLEARED")
WAITING, MOST = STATS.index("WAITING"), STATS.index("MOST")
# Bytes per adjacency entry: its vertex, and that vertex's label or word of the set.
EDGE = 8
# Bytes per queue entry: written and read, the row's two pointers, the label.
ENTRY_MOVED = 36
# Bytes per entry of F: written, then copied to its row.
ROW_MOVED = 12
# Share of the host's free memory that may be pinned. CuPy's pool rounds it up, at most to twice as much.
HOST_SHARE = 0.25
SWITCHES = ("BUBBLE", "RANGES", "FILL_FIRST", "COLUMNS", "SPILL", "OWN")


def texts(defines: Defines) -> tuple[str, ...]:
    """Return the kernel's defines: the switches, where a missing one is off, and its shape."""
    return (*(f"{name}={int(defines.get(name, False))}" for name in SWITCHES), *SHAPE, f"TOP={TOP}u")


# Every combination of the switches, except OWN, which only unified_memory uses.
VARIANTS = tuple(
    texts({name: bool(number >> k & 1) for k, name in enumerate(SWITCHES[:-1])})
    for number in range(2 ** len(SWITCHES[:-1]))
)


def kernel(defines: Defines) -> Any:
    """Return the kernel in the variant that these switches select; a missing switch is off."""
    return kernels.load(KERNEL, ("gsofa_traverse",), texts(defines))["gsofa_traverse"]


def resident_blocks(defines: Defines) -> int:
    """Return how many blocks the card holds at once, in the variant that may spill, if there is one."""
    sized = kernel({**defines, "SPILL": not defines.get("OWN", False)})
    return device.multiprocessors() * device.occupancy(sized, THREADS, 0)


class Traversal:
    """The pool on the device, and the statistics of its launches."""

    def __init__(self, pattern: Pattern, launches: Iterable[Launch], memory: Array, defines: Defines) -> None:
        """Allocate the arrays of a traversal.

        launches : together they cover all sources, largest ids first
        memory : (words,) uint32, which the launches divide
        """
        import cupy

        if pattern.n > MOST_ROWS:
            raise InputError(f"order {pattern.n}: gsofa.cu takes {MOST_ROWS} vertices at most")
        self.pattern, self.launches, self.memory, self.defines = pattern, list(launches), memory, defines
        self.frontier = cupy.zeros(pattern.n, np.float64)
        self.longest = cupy.zeros(pattern.n, np.uint32)
        # The counters of the blocks, by the layout of the launches, and the number of launches.
        self.counted: dict[Launch, Array] = {}
        self.launched = 0
        self.layout: Launch | None = None
        self.host: Any = None
        self.pinned = 0

    def run(self, sources: Array, rows: Output) -> None:
        """Traverse from the sources, which are in descending order."""
        where = positions(sources, self.pattern.n)
        for launch in self.launches:
            part = sources[where(launch.last) : where(launch.first)]
            if len(part):
                self.launch(launch, part, rows)

    def launch(self, launch: Launch, sources: Array, rows: Output) -> None:
        """Traverse from the sources, which are all rows of the launch, independently of earlier launches."""
        import cupy

        rows.counter.fill(0)
        n = self.pattern.n
        # A launch leaves its sets empty.
        if not launch.own and launch.layout != self.layout:
            self.memory[: launch.maxid].fill(0)
        self.layout = launch.layout
        outside = n if launch.spills else 0
        host = self._pinned(8 * launch.sources * outside)
        if launch.layout not in self.counted:
            self.counted[launch.layout] = cupy.zeros((launch.blocks, len(STATS)), np.uint64)
        self.launched += 1
        kernel({**self.defines, "SPILL": launch.spills, "OWN": launch.own})(
            (launch.blocks,),
            (THREADS,),
            (
                self.pattern.indptr,
                self.pattern.indices,
                sources,
                np.uint32(n),
                np.uint32(len(sources)),
                self.memory[launch.maxid :],
                self.memory,
                self.memory[launch.queues :],
                np.uint64(host),
                np.uint64(launch.stride),
                np.uint64(launch.capacity),
                np.uint64(outside),
                np.uint32(-(-n // 32)),
                np.uint32(-(-n // 1024)),
                np.uint32(launch.slots),
                np.uint32(launch.wider),
                rows.lower,
                rows.upper,
                rows.edges,
                self.frontier,
                self.longest,
                rows.columns,
                rows.start,
                rows.tail,
                np.uint64(len(rows.columns)),
                self.counted[launch.layout],
                rows.counter,
            ),
        )

    def _pinned(self, size: int) -> int:
        """Return the address of pinned host memory of this size, the same for all launches; 0 for none."""
        import cupy

        if size and (self.host is None or self.host.mem.size < size):
            cupy.cuda.get_current_stream().synchronize()
            self.host = cupy.cuda.alloc_pinned_memory(size)
            # CuPy's pool keeps the smaller block that this one may replace.
            self.pinned += int(self.host.mem.size)
        return int(self.host.ptr) if size else 0

    @property
    def peak_memory(self) -> int:
        return int(self.memory.nbytes) + self.pinned

    def facts(self) -> dict[str, float]:
        """Return bytes of each structure in the launch with the most sources; shares over all launches."""
        import cupy

        if not self.launched:
            return {}
        pattern, n = self.pattern, self.pattern.n
        widest = max(self.counted, key=lambda launch: launch.sources)
        rows = n if widest.own else widest.sources
        each = [
            (launch.entries(), cupy.asnumpy(counted).astype(np.float64))
            for launch, counted in self.counted.items()
        ]
        total = dict(zip(STATS, map(float, sum(counted.sum(axis=0) for _, counted in each)), strict=True))
        used = sum(float((counted[:, WAITING] / entries).sum()) for entries, counted in each)
        return {
            "concurrent_sources": float(widest.sources),
            "launches": float(self.launched),
            "iterations": total["STEPS"],
            "bytes_matrix": float(pattern.indptr.nbytes + pattern.indices.nbytes),
            "bytes_fill": float(WORD * rows * (widest.stride if widest.own else set_words(n))),
            "bytes_maxid": float(WORD * rows * widest.stride),
            "bytes_queue": float(16 * rows * n if widest.own else 8 * rows * widest.capacity),
            "bytes_external": float(self.pinned),
            "queue_mean": used / total["STEPS"] if total["STEPS"] else 0.0,
            "queue_peak": max(float((counted[:, MOST] / entries).max()) for entries, counted in each),
            "reinit_share": total["INITIALISING"] / total["CYCLES"] if total["CYCLES"] else 0.0,
            "spilled": total["SPILLED"],
            "taken": total["TAKEN"],
            "cleared": total["CLEARED"],
        }

    def outcome(self, found: Found) -> tuple[Filled | Counts, Work]:
        """Return an implementation's two results: the noun and the work."""
        pattern = self.pattern
        fills = found.counts.lower + found.counts.upper - (pattern.indptr[1:] - pattern.indptr[:-1])
        nnz = int(pattern.indices.size)
        edges, filled, facts = int(found.edges.sum()), int(fills.sum()), self.facts()
        work = Work(
            edges=edges,
            fills=filled,
            bytes=_moved(edges + nnz, facts, filled + nnz if found.filled else 0),
            peak_memory=self.peak_memory,
            series=Series(self.frontier, found.edges, fills),
            facts=facts,
        )
        return found.filled or found.counts, work


def positions(sources: Array, n: int) -> Callable[[int], int]:
    """Return where the sources below a row begin. sources : in descending order.

    If they are all rows, arithmetic suffices, which needs no transfer from the device.
    """
    import cupy

    if len(sources) == n:
        return lambda row: n - row
    ascending = cupy.asnumpy(sources[::-1])
    return lambda row: len(ascending) - int(np.searchsorted(ascending, row))


@functools.cache
def host_room() -> int:
    """Return the bytes a process may pin: HOST_SHARE of the host's free memory, any number if unknown."""
    free = device.host_free_bytes()
    return 2**62 if free is None else int(HOST_SHARE * free)


def _moved(examined: int, facts: Mapping[str, float], rows: int) -> int:
    """Return the bytes that the traversal and the gathering of rows request: a count, not DRAM traffic.

    examined : int, adjacency entries
    rows : int, entries of F that are kept
    """
    entries, cleared = int(facts.get("taken", 0)), int(facts.get("cleared", 0))
    return EDGE * examined + ENTRY_MOVED * entries + WORD * cleared + ROW_MOVED * rows
