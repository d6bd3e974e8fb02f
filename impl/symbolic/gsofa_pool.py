"""Division of `gsofa`'s pool of device memory: sources at a time, and the share of each. Needs no GPU.

Z. Li and others, GSoFA, Section 6. In each launch the pool, an array of uint32 words, holds, from the front:

    fill    slots x set        one bit per vertex, in two levels (in the paper one word, 31 times as much)
    maxId   slots x stride     one word per vertex; with bubble removal only those below the launch's sources
    queues  slots x capacity   uint64 (slot << 32 | vertex): frontierQueue and tracker in one word

A source has each vertex in the queue at most once (gsofa.cu). So n entries per source always suffice, and one
queue replaces the paper's two.

    options = {"bubble_removal": True, "dynamic": True, "external": True, "queue_fraction": 8}
    pool = plan(1000, 64, 2**19, host=lambda: 2**20, resident=8, most_slots=4, **options)
    [(launch.first, launch.last, launch.sources) for launch in pool.launches()]    # [(0, 1000, 32)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from fillpath.errors import MemoryBudgetError
from fillpath.nouns import Array

WORD = 4
# Words of a queue entry.
ENTRY = 2
# With external frontiers a source is meant to have n / 8 entries (Table 3: at most 25 % of a queue were in
# use, 11 % on all but one matrix).
QUEUE_FRACTION = 8
# With dynamic space, a scarce budget is divided over this many launches, each with sources of similar ids.
DIVISIONS = 8


@dataclass(frozen=True)
class Launch:
    """A launch over the sources first to last - 1.

    blocks : int, of the launch
    slots : int, sources that a block works on at a time
    wider : int, the first `wider` blocks have one slot more
    stride : int, words of maxId per source
    maxid, queues : int, first word of each in the pool
    capacity : int, queue entries per source; the sources of a block share theirs
    spills : bool, whether a queue can be full
    own : bool, whether each source, instead of each slot, has its own arrays
    """

    first: int
    last: int
    blocks: int
    slots: int
    wider: int
    stride: int
    maxid: int
    queues: int
    capacity: int
    spills: bool
    own: bool = False

    @property
    def sources(self) -> int:
        return self.blocks * self.slots + self.wider

    @property
    def layout(self) -> Launch:
        """Return this launch without its sources: equal for launches that divide the pool in the same way."""
        return replace(self, first=0, last=0)

    def entries(self) -> Array:
        """Return (blocks,) queue entries of each block."""
        return self.capacity * (self.slots + (np.arange(self.blocks) < self.wider))


@dataclass(frozen=True)
class Pool:
    """The pool, and how launches may use it.

    words : int, its size, even
    sources : int, the most at a time
    entries : int, queue entries that a source is meant to have
    host : returns how many bytes may be pinned
    resident : int, blocks that the card holds at once
    most_slots : int, the most slots of a block
    binds : bool, whether a source has less than it is meant to have
    """

    n: int
    words: int
    sources: int
    entries: int
    host: Callable[[], int]
    resident: int
    most_slots: int
    bubble_removal: bool
    dynamic: bool
    external: bool
    binds: bool

    def launches(self) -> Iterator[Launch]:
        """Return launches that together cover all sources, the largest ids first.

        Each launch lasts as long as its slowest source, so several run only if one would leave half the
        blocks idle.
        """
        may_divide = self.dynamic and self.bubble_removal and self.binds and self.n > 0
        divides = may_divide and 2 * self._launch(0, self.n).blocks < min(self.resident, self.sources)
        parts = min(DIVISIONS if divides else 1, self.n)
        for part in reversed(range(parts)):
            yield self._launch(self.n * part // parts, self.n * (part + 1) // parts)

    def _launch(self, first: int, last: int) -> Launch:
        stride = max(1, last - 1) if self.bubble_removal and self.dynamic else self.n
        claim = min(self.entries, _claim(self.n, self.external))
        fixed = stride + set_words(self.n)
        sources = max(1, min(self.sources, last - first, self.words // (fixed + ENTRY * claim)))
        if self.words < _even(sources * fixed) + sources * ENTRY * self.n:
            sources = max(1, min(sources, self.host() // (2 * WORD * self.n)))
        blocks, slots, wider = shape(sources, self.resident, self.most_slots)
        maxid = sources * set_words(self.n)
        queues = _even(maxid + sources * stride)
        capacity = min((self.words - queues) // (ENTRY * sources), self.n)
        return Launch(first, last, blocks, slots, wider, stride, maxid, queues, capacity, capacity < self.n)


def plan(
    n: int,
    sources: int,
    budget: int,
    *,
    queue_fraction: int,
    host: Callable[[], int],
    resident: int,
    most_slots: int,
    bubble_removal: bool,
    dynamic: bool,
    external: bool,
) -> Pool:
    """Return the pool for at most `sources` sources at a time within `budget` bytes. Allocates nothing.

    Sources at a time are limited by the slots of the resident blocks, and by `host()` bytes of pinned memory
    if queues can be full. Each source gets n words of maxId and n / queue_fraction queue entries, or what the
    budget allows. Raises MemoryBudgetError, naming the bytes needed and given, if one source does not fit. A
    source needs its bit set, maxId, and n queue entries, or one with external frontiers.
    """
    sources = max(1, min(sources, n, resident * most_slots))
    entries = max(1, n // queue_fraction)
    wanted = _even(sources * (n + set_words(n))) + sources * ENTRY * entries
    words = min(wanted, budget // (2 * WORD) * 2)
    least = _even(set_words(n) + (max(1, n - 1) if bubble_removal and dynamic else n))
    least += ENTRY * (1 if external else n)
    if n and words < least:
        raise MemoryBudgetError(
            f"memory_budget: one source of order {n} needs {least * WORD} bytes, {budget} given"
        )
    binds = words < wanted
    return Pool(
        n, words, sources, entries, host, resident, most_slots, bubble_removal, dynamic, external, binds
    )


def shape(sources: int, resident: int, most_slots: int) -> tuple[int, int, int]:
    """Return (blocks, slots of each, blocks with one slot more) for this many sources at a time.

    sources : int, at most all slots; every block is busy before any block has a second slot
    """
    blocks = min(sources, resident)
    return blocks, *divmod(min(sources, blocks * most_slots), blocks)


def set_words(n: int) -> int:
    """Return the words of a set of vertices: one bit per vertex, and one bit per word of these."""
    return -(-n // 32) + -(-n // 1024)


def published_sources(n: int, words: int) -> int:
    """Return #C by the authors' rule: the largest power of two for `words` words, never above n / 2."""
    fitting = max(1, min(words // max(1, n), n // 2))
    return 1 << (fitting.bit_length() - 1)


def _claim(n: int, external: bool) -> int:
    """Return the queue entries that a source is meant to have if it is not alone."""
    return max(1, n // QUEUE_FRACTION) if external else n


def _even(words: int) -> int:
    """Return the next even number: queue entries lie at multiples of eight bytes."""
    return words + words % 2
