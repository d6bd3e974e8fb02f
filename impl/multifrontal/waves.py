"""The places of fronts' blocks if they do not all fit at a time: in waves, each one launch. On the host.

A front's block is written in its own wave and read by its parent. It is in use from its own wave to the
parent's. Blocks that are in use in the same waves are a group, which has one place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fillpath.nouns import Array

# Numbers of waves that are tried, fewest first: the card idles at the end of each wave.
WAVES = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, eq=False)
class Waves:
    """The blocks' waves and places.

    wave : (fronts,) int32, of each
    start : (fronts + 1,) int64, where each block begins, and the values of all
    count : int, how many waves
    """

    wave: Array
    start: Array
    count: int

    @property
    def values(self) -> int:
        return int(self.start[-1])


def divide(time: Array, up: Array, sizes: Array, count: int) -> Waves:
    """Return at most `count` waves, whose blocks have about equally many values.

    time : (fronts,), when each begins, before its parent
    up : (fronts,), the parent of each, or -1
    sizes : (fronts,), values of each block
    """
    order = np.argsort(time, kind="stable")
    shares = np.cumsum(sizes[order]) * count // (int(sizes.sum()) + 1)
    # Fronts that begin at the same time are in the same wave.
    by_time = np.zeros(int(time.max(initial=0)) + 1, np.int64)
    np.maximum.at(by_time, time[order], shares)
    wave = np.maximum.accumulate(by_time)[time]
    last = np.where(up >= 0, wave[up], wave)
    pairs, group = np.unique(np.stack([wave, last]), axis=1, return_inverse=True)
    group = group.reshape(-1)
    totals = np.bincount(group, sizes, minlength=pairs.shape[1]).astype(np.int64)
    places = _places(pairs, totals)
    start = np.empty(len(sizes) + 1, np.int64)
    for number, place in enumerate(places):
        members = np.flatnonzero(group == number)
        start[members] = place + np.cumsum(sizes[members]) - sizes[members]
    start[-1] = max((place + total for place, total in zip(places, totals, strict=True)), default=0)
    return Waves(wave.astype(np.int32), start, int(wave.max(initial=0)) + 1)


def _places(pairs: Array, totals: Array) -> list[int]:
    """Return the lowest free place for each group among those in use in the same waves, the largest first."""
    places = [0] * len(totals)
    placed: list[int] = []
    for group in np.argsort(-totals, kind="stable").tolist():
        beside = [g for g in placed if pairs[0, g] <= pairs[1, group] and pairs[0, group] <= pairs[1, g]]
        at = 0
        for other in sorted(beside, key=places.__getitem__):
            if places[other] >= at + totals[group]:
                break
            at = max(at, places[other] + int(totals[other]))
        places[group] = at
        placed.append(group)
    return places
