"""The division of `gsofa_cpu`'s one pool of memory, round by round (for `gsofa` see gsofa_pool.py).

Z. Li and others, GSoFA: Scalable Sparse Symbolic LU Factorization on GPUs, Sections 4 (value ranges) and 6.
The pool is an array of uint32 words. In each round it holds, from the front:

    fill    sources x n       a source's id + 1 where its row of F has an entry; less elsewhere, 0 at first
    maxId   sources x stride  a value of the round's range, or any larger value: not reached
    queues  2 x entries       uint64 (source slot << 32 | vertex): frontierQueue and tracker in one word
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fillpath.errors import MemoryBudgetError

WORD = 4
# A queue entry (two words) in each of the two queues.
ENTRY = 4
# A vertex can be queued more than once per iteration: for tiny matrices n entries per source can be too few.
LEAST_QUEUE = 1024
# With external frontiers a source is meant to have n / 8 entries. Table 3: at most 11 % of a queue were in
# use on six of seven matrices, 25 % on the seventh.
QUEUE_FRACTION = 8


@dataclass(frozen=True)
class Split:
    """A round's division of the pool.

    sources : int, concurrent sources
    stride : int, words of maxId per source
    maxid, queues : int, first word of each in the pool
    entries : int, of each of the two queues
    """

    sources: int
    stride: int
    maxid: int
    queues: int
    entries: int


@dataclass(frozen=True)
class Space:
    """The pool, and how rounds may split it.

    words : int, its size, even
    most : int, concurrent sources at the start
    claim : int, queue entries that each source has unless it is alone
    """

    n: int
    words: int
    most: int
    claim: int
    bubble_removal: bool
    dynamic: bool

    def split(self, first: int, limit: int) -> Split:
        """Return the split for a round of at most `limit` sources from `first` on that get their claim."""
        sources = min(limit, self.most, self.n - first)
        while self.dynamic and sources > 1 and self._split(first, sources).entries < sources * self.claim:
            sources -= 1
        return self._split(first, sources)

    def _split(self, first: int, sources: int) -> Split:
        stride = first + sources - 1 if self.bubble_removal else self.n
        slots, width = (sources, stride) if self.dynamic else (self.most, self.n)
        maxid = slots * self.n
        queues = _even(maxid + slots * width)
        return Split(sources, stride, maxid, queues, (self.words - queues) // ENTRY)


def plan(
    n: int,
    sources: int,
    budget: int | None,
    *,
    bubble_removal: bool,
    dynamic: bool,
    external: bool,
) -> Space:
    """Return the pool for at most `sources` concurrent sources within `budget` bytes. Allocates nothing.

    Without a budget its size follows Table 2, 6 n words per source (at least LEAST_QUEUE queue entries). With
    a budget it is at most that, and fewer sources run at a time if necessary. With external frontiers a
    source claims n / 8 queue entries or, if it is alone, whatever there is (at least one); without, it claims
    n. Raises MemoryBudgetError, naming the bytes needed and given, if one source does not fit.
    """
    wanted = _even(2 * sources * n) + ENTRY * max(sources * n, LEAST_QUEUE)
    words = wanted if budget is None else min(wanted, budget // (2 * WORD) * 2)
    claim = max(1, n // QUEUE_FRACTION) if external else n
    last = n - 1 if bubble_removal and dynamic else n
    least = _even(n + last) + ENTRY * (1 if external else n)
    if n and words < least:
        raise MemoryBudgetError(
            f"memory_budget: one source of order {n} needs {least * WORD} bytes, {budget} given"
        )
    # A pool that is split only once has to suffice for the last sources; else the first round may use it all.
    widest = 0 if dynamic else n
    most = max(1, min(sources, words // max(1, n + widest + ENTRY * claim)))
    return Space(n, words, most, claim, bubble_removal, dynamic)


def _even(words: int) -> int:
    """Return the next even number: queue entries lie at multiples of eight bytes."""
    return words + words % 2


@dataclass(frozen=True)
class ValueRanges:
    """The ranges of maxId values, and the words known to hold nothing smaller than the current range.

    Round r writes values in [top - (r + 1) n, top - r n), where the position in the range is the vertex; any
    larger value means `not reached`. After floor(top / n) rounds they start again, and no word is trusted.

    rounds : int, since the ranges started
    trusted : the words first to last - 1 that those rounds used
    """

    n: int
    top: int
    rounds: int = 0
    trusted: tuple[int, int] = (0, 0)

    @property
    def base(self) -> int:
        """Return the value of vertex 0 in the current range."""
        return self.top - self.rounds * self.n

    def next(self, first: int, last: int, reuse: bool) -> tuple[ValueRanges, list[tuple[int, int]]]:
        """Return the next round's range, and the parts of maxId[first:last] to set to `top` or more first.

        Without `reuse` these are all of it, in every round.
        """
        keep = reuse and self.rounds < self.top // self.n
        low, high = self.trusted if keep else (first, first)
        parts = [(first, min(last, low)), (max(first, high), last)]
        rounds = self.rounds + 1 if keep else 1
        following = replace(self, rounds=rounds, trusted=(first, last))
        return following, [(start, stop) for start, stop in parts if start < stop]
