"""How `gsofa` divides its pool of device memory: sources at a time, and what each of them gets. No GPU
needed.

Z. Li and others, GSoFA, Section 6. In each launch the pool, an array of uint32 words, holds from the front:

    fill    slots x set      a bit a vertex in two levels (the paper's word a vertex, 1/31 of it)
    maxId   slots x stride   a word a vertex; with bubble removal only for vertices below the launch's sources
    queues  blocks x 2 x capacity   uint64 (slot << 32 | vertex): frontierQueue and tracker in one word

A vertex stands in a queue at most once a source (gsofa.cu), so that n entries a source always suffice and one
queue does for the paper's two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fillpath.errors import MemoryBudgetError

WORD = 4
# Words of a queue entry.
ENTRY = 2
# With external frontiers a source claims n / 8 entries (Table 3: at most 25 % of a queue were in use, 11 % on
# all but one matrix).
QUEUE_FRACTION = 8
# Launches that a budget which binds is divided over, where space is dynamic: each has sources of similar ids.
DIVISIONS = 8


@dataclass(frozen=True)
class Launch:
    """Sources first to last - 1. blocks x slots of them at a time; stride : words of maxId of each; maxid,
    queues : first word of each; capacity : queue entries of a block; spills : whether its queue can be full;
    own : whether each source, not each slot, has arrays of its own."""

    first: int
    last: int
    blocks: int
    slots: int
    stride: int
    maxid: int
    queues: int
    capacity: int
    spills: bool
    own: bool = False

    @property
    def sources(self) -> int:
        """Sources at a time."""
        return self.blocks * self.slots


@dataclass(frozen=True)
class Pool:
    """The pool. words : its size, even. sources : at most so many at a time. resident : blocks that the card
    holds at once. most_slots : of a block. binds : whether a source has less than it could use."""

    n: int
    words: int
    sources: int
    resident: int
    most_slots: int
    bubble_removal: bool
    dynamic: bool
    external: bool
    binds: bool

    def launches(self) -> Iterator[Launch]:
        """Those that cover all sources, the largest ids first.

        A launch ends with its slowest source: there are several only where one would leave blocks idle.
        """
        may_divide = self.dynamic and self.bubble_removal and self.binds and self.n > 0
        divides = may_divide and self._launch(0, self.n).blocks < min(self.resident, self.sources)
        parts = min(DIVISIONS if divides else 1, self.n)
        for part in reversed(range(parts)):
            yield self._launch(self.n * part // parts, self.n * (part + 1) // parts)

    def _launch(self, first: int, last: int) -> Launch:
        stride = max(1, last - 1) if self.bubble_removal and self.dynamic else self.n
        claim = _claim(self.n, self.external)
        each = stride + set_words(self.n) + ENTRY * claim
        sources = max(1, min(self.sources, last - first, self.words // each))
        blocks, slots = shape(sources, self.resident, self.most_slots)
        maxid = blocks * slots * set_words(self.n)
        queues = _even(maxid + blocks * slots * stride)
        entries = (self.words - queues) // ENTRY
        if not self.dynamic:
            entries = min(entries, blocks * slots * claim)
        capacity = min(entries // blocks, slots * self.n)
        return Launch(first, last, blocks, slots, stride, maxid, queues, capacity, capacity < slots * self.n)


def plan(
    n: int,
    sources: int,
    budget: int,
    *,
    resident: int,
    most_slots: int,
    bubble_removal: bool,
    dynamic: bool,
    external: bool,
) -> Pool:
    """The pool for at most `sources` sources at a time within `budget` bytes. Allocates nothing.

    Never more than the blocks that the card holds at once have slots for. It has room for n words of maxId
    and n queue entries for each of them, or what the budget has. Raises MemoryBudgetError, naming the bytes
    needed and given, if one source does not fit: it needs a set of bits, maxId, and n queue entries, or one
    with external frontiers.
    """
    sources = max(1, min(sources, n, resident * most_slots))
    wanted = _even(sources * (n + set_words(n))) + sources * ENTRY * n
    words = min(wanted, budget // (2 * WORD) * 2)
    least = _even(set_words(n) + (max(1, n - 1) if bubble_removal and dynamic else n))
    least += ENTRY * (1 if external else n)
    if n and words < least:
        raise MemoryBudgetError(
            f"memory_budget: one source of order {n} needs {least * WORD} bytes, {budget} given"
        )
    return Pool(n, words, sources, resident, most_slots, bubble_removal, dynamic, external, words < wanted)


def shape(sources: int, resident: int, most_slots: int) -> tuple[int, int]:
    """Blocks, and slots of each, for so many sources at a time.

    Every block is busy before any has a second slot, and all have the same number: 500 sources on 396 blocks
    run as 396, and no more run than the card's blocks have slots for.
    """
    blocks = min(sources, resident)
    return blocks, min(most_slots, sources // blocks)


def set_words(n: int) -> int:
    """Words of a set of vertices: a bit each, and a bit for each of these words."""
    return -(-n // 32) + -(-n // 1024)


def published_sources(n: int, words: int) -> int:
    """The authors' rule for #C: the largest power of two that `words` allow, never above n / 2."""
    fitting = max(1, min(words // max(1, n), n // 2))
    return 1 << (fitting.bit_length() - 1)


def _claim(n: int, external: bool) -> int:
    """Queue entries that a source should find if it is not alone."""
    return max(1, n // QUEUE_FRACTION) if external else n


def _even(words: int) -> int:
    """The next even number: queue entries lie at multiples of eight bytes."""
    return words + words % 2
