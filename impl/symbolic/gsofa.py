"""GSoFA on the GPU: fine-grained traversal from many sources at once, with each of its optimisations.

Z. Li and others, GSoFA: Scalable Sparse Symbolic LU Factorization on GPUs, Sections 4 and 6, Figure 6. The
kernel (gsofa.cu) differs from the paper's in what it does not wait for: blocks share no queue and take new
sources as they finish others, where the paper's iterations and rounds are of the whole card; a vertex whose
label falls while it waits in the queue is not queued again; the test for a fill below the source reads maxId
alone, fill is a set of bits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from fillpath.errors import InputError, UnknownNameError
from fillpath.nouns import Array, Counts, Filled, Pattern, Series, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import device, kernels
from impl.supernodes.supernodes_gpu import supernodes_gpu
from impl.symbolic.device_rows import Output, traverse
from impl.symbolic.gsofa_pool import ENTRY, WORD, Launch, Pool, plan, published_sources, set_words

KERNEL = Path(__file__).with_name("gsofa.cu")
# The kernel's shape, the fastest of those tried on an H200 (docs/performance.md): threads of a block, sources
# that it works on at a time, blocks a multiprocessor, sources that enter a step, adjacency entries under way
# in a lane.
THREADS = 512
SLOTS = 4
SHAPE = (f"THREADS={THREADS}", f"SLOTS={SLOTS}", "RESIDENT=3", "ENTERING=1", "AHEAD=4")
# What the value ranges of maxId descend from: the largest even uint32.
TOP = 2**32 - 2
# What a block counts, as in gsofa.cu.
STATS = 6
SWITCHES = ("BUBBLE", "RANGES", "FILL_FIRST", "COLUMNS", "SPILL")
VARIANTS = tuple(
    (*(f"{name}={number >> k & 1}" for k, name in enumerate(SWITCHES)), *SHAPE, f"TOP={TOP}u")
    for number in range(2 ** len(SWITCHES))
)
# Words that the authors' two rules for #C divide by n: 2^31 / 6, and in their code with less memory a source
# 3758096384 / 5.
PUBLISHED = {"published": 2**31 // 6, "published_space": 3758096384 // 5}
# Share of the free memory that the pool may take without a budget.
SHARE = 0.5


@implementation(
    stage="symbolic",
    device="gpu",
    paper="gsofa",
    section="4, Figure 6; 6",
    available=kernels.available,
    kernels=("gsofa.cu", "rows.cu", "../supernodes/t3.cu"),
)
def gsofa(
    pattern: Pattern,
    *,
    maxid_ranges: bool = True,
    bubble_removal: bool = True,
    fill_first: bool = False,
    dynamic_space: bool = True,
    external_frontiers: bool = True,
    sources: int | None = None,
    rule: Literal["resident", "published", "published_space"] = "resident",
    memory_budget: int | None = None,
    maxsup: int | None = None,
    output: Literal["pattern", "counts"] = "pattern",
) -> tuple[Filled | Counts, Work]:
    """Fill-in by fine-grained multi-source traversal, on the GPU.

    pattern : n x n, sorted, diagonal present; on the device. maxid_ranges : initialise maxId once for many
    sources, not for each. bubble_removal : maxId only for vertices below the source. fill_first : skip what
    is filled before looking at maxId (line 9.5). dynamic_space : where memory binds, sources go in several
    launches, in which those with small ids leave more of the pool to queues and to more sources; off, each
    has the same share. external_frontiers : queues smaller than n entries a source, what finds them full goes
    to pinned host memory; off, fewer sources run at a time. sources : #C, those that run at a time. rule :
    what #C is without: as many as the card's resident blocks hold, or the authors' rules (Section 4; the code
    of Section 6). memory_budget : bytes of the pool (fill, maxId, queues). maxsup : T3 supernodes behind the
    traversal, in chunks of so many rows, as `supernodes_gpu` finds them; how many is a fact. output :
    `counts` leaves the columns out.

    Returns the filled pattern (n x n, rows sorted) or its row counts, on the device, and the work: edges as
    defined in Work (they depend on scheduling), fills, peak_memory (the pool and pinned host memory), series
    by source (frontier: entries worked a step of its block), facts. Raises MemoryBudgetError, before anything
    is allocated, if one source does not fit into the budget. Raises UnknownNameError if sources < 1,
    InputError for a maxsup out of range, or without the rows that it needs.
    """
    if sources is not None and sources < 1:
        raise UnknownNameError(f"option sources={sources}: expected 1 or more")
    if maxsup is not None and output != "pattern":
        raise InputError("option maxsup: supernodes need the rows themselves, output=pattern")
    switches = {"BUBBLE": bubble_removal, "RANGES": maxid_ranges, "FILL_FIRST": fill_first}
    defines = {**switches, "COLUMNS": output == "pattern"}
    resident = device.multiprocessors() * device.occupancy(_kernel(defines, spills=True), THREADS, 0)
    free = int(SHARE * device.free_bytes())
    pool = plan(
        pattern.n,
        sources or _sources(pattern.n, rule, resident, free if memory_budget is None else 2**62),
        free if memory_budget is None else memory_budget,
        resident=resident,
        most_slots=SLOTS,
        bubble_removal=bubble_removal,
        dynamic=dynamic_space,
        external=external_frontiers,
    )
    traversal = _Traversal(pattern, pool, defines)
    found = traverse(pattern, output == "pattern", traversal.run)
    fills = found.counts.lower + found.counts.upper - (pattern.indptr[1:] - pattern.indptr[:-1])
    facts = traversal.facts()
    if maxsup is not None and found.filled is not None:
        with phase("supernodes"):
            facts["supernodes"] = float(len(supernodes_gpu(found.filled, maxsup=maxsup)[0].starts) - 1)
    work = Work(
        edges=int(found.edges.sum()),
        fills=int(fills.sum()),
        peak_memory=traversal.peak_memory,
        series=Series(traversal.frontier.astype(np.float64), found.edges, fills),
        facts=facts,
    )
    return found.filled or found.counts, work


def _sources(n: int, rule: str, resident: int, memory: int) -> int:
    """#C by a rule. The card's own: what its blocks hold, if memory has all that each source can use."""
    if rule != "resident":
        return published_sources(n, PUBLISHED[rule])
    return max(1, min(resident * SLOTS, memory // (WORD * (n * (1 + ENTRY) + set_words(n)) or 1)))


def _kernel(defines: dict[str, bool], *, spills: bool) -> Any:
    named = {**defines, "SPILL": spills}
    texts = (*(f"{name}={int(named[name])}" for name in SWITCHES), *SHAPE, f"TOP={TOP}u")
    return kernels.load(KERNEL, ("gsofa_traverse",), texts)["gsofa_traverse"]


class _Traversal:
    """The pool on the device, and what its launches say of themselves."""

    def __init__(self, pattern: Pattern, pool: Pool, defines: dict[str, bool]) -> None:
        import cupy

        self.pattern, self.pool, self.defines = pattern, pool, defines
        self.memory = cupy.empty(pool.words, np.uint32)
        self.frontier = cupy.zeros(pattern.n, np.float32)
        self.launched: list[tuple[Launch, Array]] = []
        self.host: Any = None

    def run(self, sources: Array, rows: Output) -> None:
        """Traverse from the sources, which descend."""
        import cupy

        launches = list(self.pool.launches())
        if len(launches) == 1:
            self._launch(launches[0], sources, rows)
            return
        firsts = cupy.asarray([launch.first for launch in launches])
        ends = len(sources) - cupy.searchsorted(sources[::-1], firsts).get()
        for launch, start, end in zip(launches, [0, *ends[:-1]], ends, strict=True):
            part = sources[start:end]
            if len(part):
                rows.counter.fill(0)
                self._launch(launch, part, rows)

    def _launch(self, launch: Launch, sources: Array, rows: Output) -> None:
        import cupy

        n = self.pattern.n
        self.memory[: launch.maxid].fill(0)
        outside = launch.slots * n if launch.spills else 0
        host = self._pinned(8 * launch.blocks * outside)
        stats = cupy.zeros((launch.blocks, STATS), np.uint64)
        _kernel(self.defines, spills=launch.spills)(
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
                rows.lower,
                rows.upper,
                rows.edges,
                self.frontier,
                rows.columns,
                rows.start,
                rows.tail,
                np.uint64(len(rows.columns)),
                stats,
                rows.counter,
            ),
        )
        self.launched.append((launch, stats))

    def _pinned(self, size: int) -> int:
        """Address of so much pinned host memory, the same for all launches; 0 for none."""
        import cupy

        if size and (self.host is None or self.host.mem.size < size):
            cupy.cuda.get_current_stream().synchronize()
            self.host = cupy.cuda.alloc_pinned_memory(size)
        return int(self.host.ptr) if size else 0

    @property
    def peak_memory(self) -> int:
        return int(self.memory.nbytes) + self._outside()

    def _outside(self) -> int:
        return 0 if self.host is None else int(self.host.mem.size)

    def facts(self) -> dict[str, float]:
        """Bytes of each structure where most sources ran at a time; shares over all launches."""
        import cupy

        if not self.launched:
            return {}
        pattern, n = self.pattern, self.pattern.n
        widest = max((launch for launch, _ in self.launched), key=lambda launch: launch.sources)
        each = [(launch, cupy.asnumpy(stats).astype(np.float64)) for launch, stats in self.launched]
        steps = sum(float(stats[:, 0].sum()) for _, stats in each)
        used = sum(float(stats[:, 1].sum()) / launch.capacity for launch, stats in each)
        cycles = sum(float(stats[:, 3].sum()) for _, stats in each)
        return {
            "concurrent_sources": float(widest.sources),
            "launches": float(len(each)),
            "iterations": steps,
            "bytes_matrix": float(pattern.indptr.nbytes + pattern.indices.nbytes),
            "bytes_fill": float(WORD * widest.sources * set_words(n)),
            "bytes_maxid": float(WORD * widest.sources * widest.stride),
            "bytes_queue": float(8 * widest.blocks * widest.capacity),
            "bytes_external": float(self._outside()),
            "queue_mean": used / steps if steps else 0.0,
            "queue_peak": max(float(stats[:, 2].max()) / launch.capacity for launch, stats in each),
            "reinit_share": sum(float(stats[:, 4].sum()) for _, stats in each) / cycles if cycles else 0.0,
            "spilled": sum(float(stats[:, 5].sum()) for _, stats in each),
        }
