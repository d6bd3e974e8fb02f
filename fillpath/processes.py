"""What several worker processes say of one case together: its number, its interval, a ratio of two.

Medians of two processes differ by more than the samples of either: memory lies elsewhere, clocks and
neighbours are others. So the case's number is the median of the processes' medians, and its interval draws
processes first, then samples within each (a hierarchical bootstrap: Davison and Hinkley 1997, section 3.8).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import median

import numpy as np
import numpy.typing as npt

from fillpath.record import (
    DRAWS,
    Floats,
    Record,
    Status,
    interval,
    quantiles,
    resampled_medians,
    stored_records,
)

# The samples that a record has of something, in seconds.
Samples = Callable[[Record], Sequence[float]]


@dataclass(frozen=True)
class Rounds:
    """Samples of one case in seconds, by process.

    numbers : of the processes, ascending
    samples : of each process, at least one
    """

    numbers: tuple[int, ...]
    samples: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, records: Sequence[Record], samples: Samples = attrgetter("samples")) -> Rounds:
        """Of ok records of one case, each of another process; one without samples is left out.

        samples : what of a record.
        """
        ordered = sorted((record for record in records if samples(record)), key=number)
        return cls(tuple(map(number, ordered)), tuple(tuple(samples(record)) for record in ordered))

    @property
    def median(self) -> float:
        """The median of the processes' medians."""
        return median(map(median, self.samples))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the median. Of one process it is that of its samples alone, which is too
        narrow for what another process would give."""
        return _interval(self)

    def only(self, numbers: Sequence[int]) -> Rounds:
        """Those of these processes."""
        kept = [(each, s) for each, s in zip(self.numbers, self.samples, strict=True) if each in numbers]
        return Rounds(tuple(each for each, _ in kept), tuple(samples for _, samples in kept))


@functools.cache
def _interval(rounds: Rounds) -> tuple[float, float]:
    if len(rounds.numbers) == 1:
        return interval(rounds.samples[0])
    return quantiles(np.median(_medians_drawn(rounds, _drawn(len(rounds.numbers)), seed=1), axis=1))


@dataclass(frozen=True)
class Ratio:
    """Of two cases' seconds.

    low, high : its 95 % interval
    processes : in which both were measured
    """

    value: float
    low: float
    high: float
    processes: int


@functools.cache
def ratio(top: Rounds, bottom: Rounds) -> Ratio:
    """The seconds of `top` over those of `bottom`.

    Processes of one number are of one round, close together in time, so they are drawn as a pair: what slowed
    both is in neither end of the interval. Of a single pair the ends are what the two intervals allow.
    """
    common = sorted(set(top.numbers) & set(bottom.numbers))
    if len(common) < 2:
        (low, high), (other_low, other_high) = top.interval, bottom.interval
        return Ratio(top.median / bottom.median, low / other_high, high / other_low, 1)
    top, bottom = top.only(common), bottom.only(common)
    drawn = _drawn(len(common))
    above = np.median(_medians_drawn(top, drawn, seed=1), axis=1)
    below = np.median(_medians_drawn(bottom, drawn, seed=2), axis=1)
    return Ratio(top.median / bottom.median, *quantiles(above / below), len(common))


def of_run(records: Sequence[Record]) -> tuple[Record, ...]:
    """Of a case's records those that are one with the last: of its key, run and host, each process once, by
    number. The last alone where it is not ok."""
    last = records[-1]
    if last.status is not Status.OK:
        return (last,)
    by_number = {number(record): record for record in records if _is_one(record, last)}
    return tuple(by_number[each] for each in sorted(by_number))


def representative(records: Sequence[Record]) -> Record:
    """The record whose median is that of all, the lower of two in the middle; the last where one has none."""
    medians = [record.median for record in records]
    if None in medians:
        return records[-1]
    ordered = sorted(records, key=lambda record: (record.median or 0.0, number(record)))
    return ordered[(len(ordered) - 1) // 2]


def standing_records(machine: str | None = None) -> Iterator[Record]:
    """The record that stands for each case, of one machine or of all in results/."""
    return (representative(of_run(records)) for records in stored_records(machine))


def _is_one(record: Record, last: Record) -> bool:
    same = (record.key, record.run_id, record.host) == (last.key, last.run_id, last.host)
    return same and record.status is Status.OK


def number(record: Record) -> int:
    """Which process of its run measured it."""
    return record.process or 0


def _drawn(count: int) -> npt.NDArray[np.int64]:
    """Which processes are drawn: DRAWS rows of `count` numbers."""
    return np.random.default_rng(0).integers(count, size=(DRAWS, count))


def _medians_drawn(rounds: Rounds, drawn: npt.NDArray[np.int64], seed: int) -> Floats:
    """The median of the samples drawn within each process drawn, of the same shape."""
    within = np.array([resampled_medians(samples, seed) for samples in rounds.samples])
    # A process that is drawn twice in one row has its samples drawn anew for each.
    places = (np.arange(DRAWS)[:, None] + 397 * np.arange(drawn.shape[1])) % DRAWS
    medians: Floats = within[drawn, places]
    return medians
