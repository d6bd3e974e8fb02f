"""The places of fronts' bits if they do not all fit at a time: in waves by height, on the host.

A front is in use from the wave of its lowest child, which adds its contribution, to its own wave. The parts
that rows are read from are kept from that wave to the end. Parts with the same first and last wave are a
group, which has one place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fillpath.nouns import Array

# Waves that are tried, fewest first: each reads all entries of A again.
WAVES = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, eq=False)
class Group:
    """Fronts or kept parts in use from wave `birth` to `death`, in words from `start` on."""

    birth: int
    death: int
    start: int
    words: int


@dataclass(frozen=True, eq=False)
class Waves:
    """The waves and the places of fronts.

    tops : (waves,), the height at which each ends, exclusive
    birth : (fronts,) int32, the wave in which a front is first written to
    start : (fronts,) or (2 fronts,) int64, the word at which its bits begin, then its kept part
    groups : of fronts, and of their kept parts
    words : int, of memory
    """

    tops: Array
    birth: Array
    start: Array
    groups: tuple[Group, ...]
    words: int


def plan(height: Array, up: Array, words: Array, kept: Array, room: int) -> Waves | None:
    """Return the fewest waves that need at most `room` words; None where no number of them does.

    height : (fronts,), levels of fronts below each
    up : (fronts,), the parent of each, or -1
    words : (fronts,) of each
    kept : (fronts,) of these after its wave; (0,) where rows are not wanted
    """
    plans = (divide(height, up, words, kept, count) for count in WAVES)
    return next((waves for waves in plans if waves.words <= room), None)


def least_words(height: Array, up: Array, words: Array, kept: Array) -> int:
    """Return the least words for which there is a plan."""
    return min(divide(height, up, words, kept, count).words for count in WAVES)


def divide(height: Array, up: Array, words: Array, kept: Array, count: int) -> Waves:
    """Return `count` waves, of equally many heights each."""
    tops = -(-(int(height.max()) + 1) * np.arange(1, count + 1) // count)
    death = np.searchsorted(tops, height, side="right")
    birth = death.copy()
    child = np.flatnonzero(up >= 0)
    np.minimum.at(birth, up[child], death[child])
    written = birth.astype(np.int32)
    # The kept part of a front is one more part, from its wave on.
    birth = np.concatenate([birth, death[: len(kept)]])
    death = np.concatenate([death, np.full(len(kept), count - 1)])
    words = np.concatenate([words, kept])
    groups: list[Group] = []
    start = np.empty(len(words), np.int64)
    pairs = birth * count + death
    order = np.argsort(pairs, kind="stable")
    bounds = np.flatnonzero(np.diff(pairs[order], prepend=-1))
    members = np.split(order, bounds[1:])
    for parts in sorted(members, key=lambda parts: -int(words[parts].sum())):
        total = int(words[parts].sum())
        first, last = int(birth[parts[0]]), int(death[parts[0]])
        at = _place([group for group in groups if group.birth <= last and first <= group.death], total)
        groups.append(Group(first, last, at, total))
        start[parts] = at + np.cumsum(words[parts]) - words[parts]
    return Waves(tops, written, start, tuple(groups), max(group.start + group.words for group in groups))


def _place(others: list[Group], words: int) -> int:
    """Return the lowest place for `words` words among the others."""
    at = 0
    for group in sorted(others, key=lambda group: group.start):
        if group.start >= at + words:
            break
        at = max(at, group.start + group.words)
    return at
