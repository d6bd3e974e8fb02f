"""T3 supernodes of rows that lie on several GPUs: how counts and fill flags are shared.

Z. Li and others, GSoFA, Section 5 and Figure 18. The paper shares them through unified memory, in one array
for all GPUs or in one per GPU. It advises the driver to keep each part where it is written and to map it
elsewhere. `peer_copy`, our alternative, copies ordinary arrays to the node's other GPUs. Managed memory takes
4 + maxsup / 8 bytes per row.

    count = supernodes(plan, workers=[0, 1], cards=[0, 0], found=found, sharing="peer_copy", advise=False)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fillpath.errors import MemoryBudgetError
from fillpath.nouns import Array
from impl.cuda import device, kernels, managed, peers
from impl.symbolic.gsofa_schedule import Schedule

KERNEL = Path(__file__).with_name("gsofa_sharing.cu")
NAMES = ("rows_publish", "shared_supernodes")
THREADS = 128
Sharing = Literal["peer_copy", "one_array", "separate_arrays"]
# cudaMemAdviseSetPreferredLocation, cudaMemAdviseSetAccessedBy.
_PREFERRED, _ACCESSED_BY = 3, 5
# Words in the driver's largest page, 2 MiB.
PAGE_WORDS = 2**19
# Limit on managed memory in bytes, however much is free.
MOST_MANAGED = 40 * 10**9


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of F found by one worker, on its device.

    card : int, the device
    rows : (k,) int32
    lower, upper, edges : (k,) int64
    columns : (entries,) int32
    start : (k,) int64, where each row begins in columns; its columns ascend
    """

    worker: int
    card: int
    rows: Array
    lower: Array
    upper: Array
    edges: Array
    columns: Array
    start: Array


def supernodes(
    plan: Schedule, workers: Sequence[int], cards: Sequence[int], found: Sequence[Rows], sharing: Sharing,
    advise: bool,
) -> int:  # fmt: skip
    """Return the number of T3 supernodes in the chunks of these workers' nodes.

    workers : all workers of one or more nodes
    cards : the device of each worker
    found : the rows of each worker, complete
    sharing, advise : as in `gsofa_multi`

    Raises MemoryBudgetError for more managed memory than is safe.
    """
    import cupy

    parts = [plan.part(worker) for worker in workers]
    where = _where(plan.n, workers, parts)
    words = -(-plan.maxsup // 32)
    sizes = [len(part) for part in parts]
    arrays = _arrays(sizes, cards, 1 + words, sharing, advise)
    place = {worker: k for k, worker in enumerate(workers)}
    there = {card: _on(card, where) for card in dict.fromkeys(cards)}
    for rows in found:
        k = place[rows.worker]
        with cupy.cuda.Device(rows.card):
            _publish(rows, there[rows.card], arrays[k], sizes[k], plan.maxsup, words)
    peers.synchronise(list(there))
    detectors, starts = plan.detector_of(), []
    for worker, card in zip(workers, cards, strict=True):
        chunks = np.flatnonzero(detectors == worker).astype(np.int32)
        if not len(chunks):
            continue
        reach = _reached(arrays, cards, card) if sharing == "peer_copy" else arrays
        with cupy.cuda.Device(card):
            starts.append((card, reach, _detect(plan, workers, reach, sizes, chunks, there[card], words)))
    peers.synchronise(list(there))
    return sum(_marked(card, marks) for card, _, marks in starts)


def _reached(arrays: Sequence[Any], cards: Sequence[int], card: int) -> list[Any]:
    return [peers.copied(array, source, card) for array, source in zip(arrays, cards, strict=True)]


def _marked(card: int, marks: Array) -> int:
    import cupy

    with cupy.cuda.Device(card):
        return int(marks.sum())


def _where(n: int, workers: Sequence[int], parts: Sequence[Array]) -> Array:
    """Return (n,) uint64: worker << 32 | position of the row in the worker's list."""
    where = np.zeros(n, np.uint64)
    for worker, part in zip(workers, parts, strict=True):
        where[part] = (np.uint64(worker) << np.uint64(32)) + np.arange(len(part), dtype=np.uint64)
    return where


def _arrays(
    sizes: Sequence[int], cards: Sequence[int], words: int, sharing: Sharing, advise: bool
) -> list[Any]:
    """Return one (rows x words,) uint32 array per worker: counts, then flags."""
    import cupy

    counts = [size * words for size in sizes]
    if sharing == "peer_copy":
        found = []
        for count, card in zip(counts, cards, strict=True):
            with cupy.cuda.Device(card):
                found.append(cupy.empty(count, np.uint32))
        return found
    if sharing == "one_array":
        # The parts may meet within a page.
        (whole,) = _managed([sum(counts)], cards)
        found = [whole[end - count : end] for count, end in zip(counts, np.cumsum(counts), strict=True)]
    else:
        # Whole pages: the driver may place smaller requests next to each other in one page.
        found = _managed([-(-count // PAGE_WORDS) * PAGE_WORDS for count in counts], cards)
    if advise:
        for array, card in zip(found, cards, strict=True):
            _advise(array, card, cards)
    return found


def _managed(counts: Sequence[int], cards: Sequence[int]) -> list[Any]:
    """Return managed arrays of these lengths in words.

    `managed.words` considers only the current device and a single request.
    """
    import cupy

    wanted = 4 * sum(counts)
    for card in dict.fromkeys(cards):
        with cupy.cuda.Device(card):
            free = int(cupy.cuda.runtime.memGetInfo()[0])
        if wanted > min(managed.SHARE * free, MOST_MANAGED):
            raise MemoryBudgetError(
                f"sharing: {wanted} bytes of managed memory are more than half of the {free} that device "
                f"{card} has free, or than {MOST_MANAGED}"
            )
    return [managed.words(count, oversubscribe=False) for count in counts]


def _advise(array: Any, owner: int, cards: Sequence[int]) -> None:
    """Keep the array's pages on its owner, and let the other devices access them there."""
    import cupy

    if not array.nbytes:
        return
    runtime, address = cupy.cuda.runtime, array.data.ptr
    runtime.memAdvise(address, array.nbytes, _PREFERRED, owner)
    for card in set(cards) - {owner}:
        runtime.memAdvise(address, array.nbytes, _ACCESSED_BY, card)


def _on(card: int, array: Array) -> Any:
    import cupy

    with cupy.cuda.Device(card):
        return cupy.asarray(array)


def _publish(rows: Rows, where: Array, array: Any, size: int, maxsup: int, words: int) -> None:
    count = len(rows.rows)
    if not count:
        return
    blocks = min(-(-count // THREADS), 16 * device.multiprocessors())
    kernel: Any = kernels.load(KERNEL, NAMES)["rows_publish"]
    kernel(
        (blocks,),
        (THREADS,),
        (
            rows.columns, rows.rows, rows.start, rows.lower, rows.upper, where, array, array[size:],
            np.uint32(count), np.uint32(maxsup), np.uint32(words),
        ),
    )  # fmt: skip


def _detect(
    plan: Schedule, workers: Sequence[int], arrays: Sequence[Any], sizes: Sequence[int], chunks: Array,
    where: Array, words: int,
) -> Any:  # fmt: skip
    """Return (n,) bool on the current device: the first rows of the supernodes in these chunks."""
    import cupy

    # One address per worker of the schedule, 0 for workers of other nodes.
    counts, flags = np.zeros((2, plan.workers), np.uint64)
    for worker, array, size in zip(workers, arrays, sizes, strict=True):
        counts[worker], flags[worker] = array.data.ptr, array.data.ptr + 4 * size
    starts = cupy.zeros(plan.n, np.bool_)
    kernel: Any = kernels.load(KERNEL, NAMES)["shared_supernodes"]
    kernel(
        (min(len(chunks), 16 * device.multiprocessors()),),
        (THREADS,),
        (
            cupy.asarray(chunks), np.uint32(len(chunks)), where, cupy.asarray(counts), cupy.asarray(flags),
            starts, np.uint32(plan.n), np.uint32(plan.maxsup), np.uint32(words),
        ),
        shared_mem=4 * words,
    )  # fmt: skip
    return starts
