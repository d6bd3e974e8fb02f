"""GSoFA on several GPUs: of one process, which starts the traversal on all, or of several MPI ranks.

Z. Li and others, GSoFA, Section 5. The pattern is copied to each GPU. Each traverses from its own sources
with gsofa's kernel and without communication; rows are gathered once, on the first GPU. With `virtual_gpus`
and `nodes`, one GPU works through the shares of many in turn. This simulates the balance of the schedule, at
the speed of one GPU with a small share.

    filled, work = gsofa_multi(pattern, virtual_gpus=2)    # two shares, one after the other, on one GPU
    work.facts["workers"], work.facts["load_balance"]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from fillpath.errors import InputError
from fillpath.nouns import Array, Counts, Filled, Pattern, Series, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.ranks import Part, gathered, rank_of, world
from impl.cuda import device, kernels, peers
from impl.cuda.transfer import on_device, on_host
from impl.supernodes.supernodes_gpu import check_maxsup
from impl.symbolic import gsofa_sharing
from impl.symbolic.device_rows import LEAST_ROOM, ROOM_AN_ENTRY, ROWS, THREADS, Output, new_output
from impl.symbolic.gsofa_device import SLOTS, VARIANTS, Traversal, host_room, positions, resident_blocks
from impl.symbolic.gsofa_pool import ENTRY, WORD, plan, set_words
from impl.symbolic.gsofa_schedule import Schedule, imbalance, schedule
from impl.symbolic.gsofa_sharing import Rows

__all__ = ["VARIANTS", "gsofa_multi"]

# Share of a GPU's free memory for the pool, and the same for rows.
SHARE = 0.5
ROOM_SHARE = 0.25


@implementation(
    stage="symbolic",
    device="gpu",
    paper="gsofa",
    section="5, Equation 1",
    available=kernels.available,
    kernels=("gsofa_sharing.cu", "gsofa.cu", "rows.cu"),
)
def gsofa_multi(
    pattern: Pattern,
    *,
    gpus: int = 1,
    virtual_gpus: int = 1,
    nodes: int = 1,
    ranks: int = 1,
    order: Literal["intra_node", "inter_node", "contiguous"] = "intra_node",
    maxsup: int = 128,
    sharing: Literal["peer_copy", "one_array", "separate_arrays"] | None = None,
    advise: bool = True,
    output: Literal["pattern", "counts"] = "pattern",
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by GSoFA on several GPUs: of a process, of MPI ranks, or simulated.

    pattern : n x n, sorted, diagonal present; on the current device
    gpus : int, GPUs of this process, from the current device on; a field of the case, not an option
    virtual_gpus : int, GPUs of a node, run in turn on the one GPU
    nodes : int, nodes, also simulated in turn
    ranks : int, MPI ranks, one per node; `fillpath run --option ranks=4` starts them
    order : which GPU takes which source (`gsofa_schedule`)
    maxsup : int, rows per chunk
    sharing : also find the T3 supernodes, which need counts and fill flags of rows on other GPUs. They are
        shared by "peer_copy", copies, or in managed memory, in "one_array" for all GPUs or in
        "separate_arrays", one per GPU. The number of supernodes is a fact.
    advise : bool, advise the driver where managed memory belongs
    output : "pattern", or "counts", which leaves the columns out

    Returns the filled pattern (n x n, rows sorted) or its row counts, on the current device (ranks other than
    0 return only their own rows of it). The work has edges (they depend on scheduling), fills, peak_memory
    (pools and pinned memory of all GPUs). Facts:

    workers : how many there are
    load_balance : the most edges of a worker over the mean
    simulated : 1 if workers ran in turn
    peer_access : 1 if all GPUs reach each other's memory
    gpu0_seconds, ... : of each worker, by its device's clock
    slowest_gpu_seconds : the largest of these
    concurrent_sources : of the first worker

    Workers that run in turn are also phases, `gpu0` and so on. Raises InputError for virtual GPUs or nodes
    together with real ones, and for sharing without columns; UnavailableError for more GPUs or ranks than
    there are. More shared memory than is safe raises MemoryBudgetError. All errors of gsofa may occur.
    """
    communicator = world(ranks)
    _check(gpus, virtual_gpus, nodes, ranks, maxsup, sharing, output)
    cards = peers.devices(gpus)
    whole = schedule(pattern.n, max(nodes, ranks), gpus * virtual_gpus, maxsup, order)
    own, rank = whole.workers // ranks, rank_of(communicator)
    shares = [
        _Share(whole, worker, cards[worker % gpus], output == "pattern")
        for worker in range(rank * own, (rank + 1) * own)
    ]
    with phase("replicate"):
        there = {card: peers.replica(pattern, cards[0], card) for card in cards}
        peers.synchronise(cards)
    found = _in_turn(shares, there) if len(shares) > len(cards) else _at_once(shares, there, cards)
    part, frontier = _on_first(found, shares, pattern, cards[0], output == "pattern")
    if communicator is not None:
        part = on_device(gathered(communicator, on_host(part)))
    facts = _facts(whole, communicator, cards, shares)
    if sharing is not None:
        with phase("supernodes"):
            workers, places = [s.worker for s in shares], [s.card for s in shares]
            count = gsofa_sharing.supernodes(whole, workers, places, found, sharing, advise)
        total = count if communicator is None else communicator.allreduce(count)
        facts["supernodes"] = float(total)
    return _outcome(part, frontier if communicator is None else None, pattern, shares, facts)


class _Share:
    """The work of one worker of the schedule, and its progress. card : int, its device."""

    def __init__(self, whole: Schedule, worker: int, card: int, columns: bool) -> None:
        self.whole, self.worker, self.card, self.columns = whole, worker, card, columns
        self.seconds, self.peak, self.concurrent, self.edges = 0.0, 0, 0, 0

    def start(self, pattern: Pattern, workers: int) -> None:
        """Launch on the worker's device, without waiting. workers : int, how many share the host's memory."""
        import cupy

        # Not for all workers in advance, so that the devices of earlier workers are busy meanwhile.
        sources = self.whole.part(self.worker)
        self.there = cupy.asarray(sources)
        self.begun, self.ended = cupy.cuda.Event(), cupy.cuda.Event()
        self.begun.record()
        # Asked once, because the host waits for this call.
        free = device.free_bytes()
        self.rows = new_output(pattern.n, _room(pattern, len(sources), free) if self.columns else 0)
        self.traversal = _traversal(pattern, len(sources), workers, self.columns, int(SHARE * free))
        # Positions on the host: `Traversal.run` would fetch them from the device, and wait.
        where = positions(sources, pattern.n)
        for launch in self.traversal.launches:
            part = self.there[where(launch.last) : where(launch.first)]
            if len(part):
                self.traversal.launch(launch, part, self.rows)
        self.ended.record()

    def finish(self) -> list[Rows]:
        """Return the worker's rows, once complete; traverse those that did not fit a second time."""
        import cupy

        self.ended.synchronize()
        self.seconds = float(cupy.cuda.get_elapsed_time(self.begun, self.ended)) / 1000
        found = [self._taken(self.rows, self.there)]
        if self.columns and int(self.rows.tail[0]) > len(self.rows.columns):
            late = self.there[self.rows.start[self.there] < 0]
            lengths = self.rows.lower[late] + self.rows.upper[late]
            again = new_output(self.traversal.pattern.n, int(lengths.sum()))
            self.begun.record()
            self.traversal.run(late, again)
            again.edges[late] += self.rows.edges[late]
            self.ended.record()
            self.ended.synchronize()
            self.seconds += float(cupy.cuda.get_elapsed_time(self.begun, self.ended)) / 1000
            on_time = self.rows.start[self.there] >= 0
            found = [self._taken(self.rows, self.there[on_time]), self._taken(again, late)]
        self.frontier = self.traversal.frontier
        self.peak = self.traversal.peak_memory
        # A pattern of order 0 has no launches.
        self.concurrent = max((launch.sources for launch in self.traversal.launches), default=0)
        self.edges = sum(int(rows.edges.sum()) for rows in found)
        del self.traversal, self.rows
        return found

    def _taken(self, rows: Output, sources: Array) -> Rows:
        """Return these rows with only the columns that were written."""
        used = min(int(rows.tail[0]), len(rows.columns))
        return Rows(
            self.worker,
            self.card,
            sources,
            rows.lower[sources],
            rows.upper[sources],
            rows.edges[sources].view(np.int64),
            rows.columns[:used].copy(),
            rows.start[sources],
        )


def _room(pattern: Pattern, count: int, free: int) -> int:
    """Return the initial room, in entries, for the rows of `count` sources.

    This exceeds their share of gsofa's room for all sources, since a few sources may have most of the fill.
    """
    wanted = max(LEAST_ROOM, ROOM_AN_ENTRY * int(pattern.indices.size))
    return int(min(wanted, pattern.n * count, ROOM_SHARE * free / WORD))


def _check(
    gpus: int, virtual_gpus: int, nodes: int, ranks: int, maxsup: int, sharing: str | None, output: str
) -> None:
    check_maxsup(maxsup)
    if gpus > 1 and (virtual_gpus > 1 or nodes > 1):
        raise InputError("virtual GPUs and nodes run in turn on one GPU: leave gpus out")
    if ranks > 1 and nodes > 1:
        raise InputError("option nodes: with ranks, each rank is a node")
    if sharing is not None and output != "pattern":
        raise InputError("option sharing: fill flags need the rows themselves, output=pattern")


def _traversal(pattern: Pattern, count: int, workers: int, columns: bool, budget: int) -> Traversal:
    """Return a traversal with gsofa's defaults, for `count` of the sources, within `budget` bytes."""
    import cupy

    defines = {"BUBBLE": True, "RANGES": True, "COLUMNS": columns}
    resident = resident_blocks(defines)
    n = pattern.n
    fitting = budget // (WORD * (n * (1 + ENTRY) + set_words(n)) or 1)
    pool = plan(
        n,
        max(1, min(count, resident * SLOTS, fitting)),
        budget,
        queue_fraction=1,
        host=lambda: host_room() // workers,
        resident=resident,
        most_slots=SLOTS,
        bubble_removal=True,
        dynamic=True,
        external=True,
    )
    return Traversal(pattern, pool.launches(), cupy.empty(pool.words, np.uint32), defines)


def _at_once(shares: Sequence[_Share], there: dict[int, Pattern], cards: Sequence[int]) -> list[Rows]:
    import cupy

    found = []
    with phase("traverse"):
        for share in shares:
            with cupy.cuda.Device(share.card):
                share.start(there[share.card], len(shares))
        for share in shares:
            with cupy.cuda.Device(share.card):
                found += share.finish()
        peers.synchronise(list(cards))
    return found


def _in_turn(shares: Sequence[_Share], there: dict[int, Pattern]) -> list[Rows]:
    found = []
    for share in shares:
        with phase(f"gpu{share.worker}"):
            share.start(there[share.card], 1)
            found += share.finish()
    return found


def _on_first(
    found: Sequence[Rows], shares: Sequence[_Share], pattern: Pattern, first: int, columns: bool
) -> tuple[Part, Array]:
    """Return (the rows of all shares, mean frontiers of their sources), on the first device."""
    import cupy

    n = pattern.n
    with phase("gather"):
        lower, upper, edges = (cupy.zeros(n, np.int64) for _ in range(3))
        frontier = cupy.zeros(n, np.float64)
        near = [_moved(rows, first) for rows in found]
        for rows in near:
            lower[rows.rows], upper[rows.rows] = rows.lower, rows.upper
            edges[rows.rows] = rows.edges
        for share in shares:
            # Each array is 0 for sources of other workers.
            frontier += peers.copied(share.frontier, share.card, first)
        rows_of_all = cupy.sort(cupy.concatenate([rows.rows for rows in near]))
        if not columns:
            return Part(rows_of_all, lower, upper, edges, None), frontier
        indptr = _offsets(lower + upper)
        indices = cupy.empty(int(indptr[-1]), np.int32)
        for rows in near:
            _place(rows, indptr, indices)
    return Part(rows_of_all, lower, upper, edges, indices), frontier


def _moved(rows: Rows, first: int) -> Rows:
    arrays = (rows.rows, rows.lower, rows.upper, rows.edges, rows.columns, rows.start)
    return Rows(rows.worker, first, *(peers.copied(array, rows.card, first) for array in arrays))


def _place(rows: Rows, indptr: Array, indices: Array) -> None:
    import cupy

    n = len(indptr) - 1
    if n == 0:
        return
    start = cupy.full(n, -1, np.int64)
    start[rows.rows] = rows.start
    kernel: Any = kernels.load(ROWS, ("rows_gather",))["rows_gather"]
    blocks = min(-(-n * 32 // THREADS), 32 * device.multiprocessors())
    kernel((blocks,), (THREADS,), (rows.columns, start, indptr, indices, np.uint32(n)))


def _offsets(lengths: Array) -> Array:
    import cupy

    indptr: Array = cupy.zeros(len(lengths) + 1, np.int64)
    cupy.cumsum(lengths, out=indptr[1:])
    return indptr


def _facts(
    whole: Schedule, communicator: Any, cards: Sequence[int], shares: Sequence[_Share]
) -> dict[str, float]:
    """Return the facts of this process's workers; the balance is over all processes."""
    own = np.array([share.edges for share in shares])
    loads = own if communicator is None else np.concatenate(communicator.allgather(own))
    return {
        "workers": float(whole.workers),
        "load_balance": imbalance(loads),
        "simulated": float(len(shares) > len(cards)),
        "peer_access": float(peers.all_reach(cards)),
        "concurrent_sources": float(shares[0].concurrent),
        "slowest_gpu_seconds": max(share.seconds for share in shares),
        **{f"gpu{share.worker}_seconds": share.seconds for share in shares},
    }


def _outcome(
    part: Part, frontier: Array | None, pattern: Pattern, shares: Sequence[_Share], facts: dict[str, float]
) -> tuple[Filled | Counts, Work]:
    counts = Counts(part.lower, part.upper)
    lengths = part.lower + part.upper
    fills = lengths - (pattern.indptr[1:] - pattern.indptr[:-1])
    work = Work(
        edges=int(part.edges.sum()),
        fills=int(fills.sum()),
        # Workers that run in turn use the memory one after the other.
        peak_memory=(max if facts["simulated"] else sum)(share.peak for share in shares),
        series=Series(frontier, part.edges, fills),
        facts=facts,
    )
    if part.indices is None:
        return counts, work
    indptr = _offsets(lengths)
    return Filled(Pattern(indptr, part.indices), indptr[:-1] + part.lower), work
