"""Several worker processes of one case: the median, its interval, a ratio of two cases.

Medians of two processes differ by more than the samples of either: memory lies elsewhere, clocks and
neighbours are others. So the case's number is the median of the processes' medians. Its interval draws
processes first, then samples within each: a hierarchical bootstrap (Davison and Hinkley 1997, section 3.8).

    slow, fast = Rounds(numbers=(0,), samples=((2.0, 2.1),)), Rounds((0,), ((1.0, 1.1),))
    ratio(slow, fast).value   # 1.95
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import median
from typing import Self

import numpy as np
import numpy.typing as npt

from fillpath.record import Record, Status

# The confidence level of an interval, and the draws of its bootstrap.
LEVEL = 0.95
DRAWS = 2000

Floats = npt.NDArray[np.float64]
# The samples that a record has of something, in seconds.
Samples = Callable[[Record], Sequence[float]]


@dataclass(frozen=True)
class Rounds:
    """Samples of one case in seconds, by process.

    numbers : tuple of int, the processes, ascending
    samples : tuple of tuples of float, of each process at least one, s
    """

    numbers: tuple[int, ...]
    samples: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, records: Sequence[Record], samples: Samples = attrgetter("samples")) -> Self:
        """Collect the samples of ok records of one case, each of another process; a record may have none."""
        ordered = sorted((record for record in records if samples(record)), key=number)
        return cls(tuple(map(number, ordered)), tuple(tuple(samples(record)) for record in ordered))

    @property
    def median(self) -> float:
        """Return the median of the processes' medians."""
        return median(map(median, self.samples))

    @property
    @functools.cache  # noqa: B019
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the median.

        A single process has the interval of its samples alone, which is narrower than that of several.
        """
        if len(self.numbers) == 1:
            return interval(self.samples[0])
        return _quantiles(_medians_drawn(self, seed=1))

    def only(self, numbers: Sequence[int]) -> "Rounds":
        """Return the samples of these processes alone."""
        kept = [(each, s) for each, s in zip(self.numbers, self.samples, strict=True) if each in numbers]
        return Rounds(tuple(each for each, _ in kept), tuple(samples for _, samples in kept))


@dataclass(frozen=True)
class Ratio:
    """A ratio of two cases' seconds.

    value : float, seconds over seconds
    low, high : float, its 95 % interval
    processes : int, those in which both were measured
    """

    value: float
    low: float
    high: float
    processes: int


@functools.cache
def ratio(top: Rounds, bottom: Rounds) -> Ratio:
    """Return the seconds of `top` over those of `bottom`.

    Processes of one number are of one round, close together in time, so they are drawn as a pair. A slowdown
    of both then widens no interval. The ends of a single pair are those that the two intervals allow.
    """
    common = sorted(set(top.numbers) & set(bottom.numbers))
    if len(common) < 2:
        (low, high), (other_low, other_high) = top.interval, bottom.interval
        return Ratio(top.median / bottom.median, low / other_high, high / other_low, 1)
    top, bottom = top.only(common), bottom.only(common)
    drawn = _medians_drawn(top, seed=1) / _medians_drawn(bottom, seed=2)
    return Ratio(top.median / bottom.median, *_quantiles(drawn), len(common))


def of_run(records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records of the last record's key, run and host: one per process, by number.

    A last record that is not ok is returned alone.
    """
    last = records[-1]
    if last.status is not Status.OK:
        return (last,)
    same = attrgetter("key", "run_id", "host", "status")
    by_number = {number(record): record for record in records if same(record) == same(last)}
    return tuple(by_number[each] for each in sorted(by_number))


def representative(records: Sequence[Record]) -> Record:
    """Return the record with the middle median, the lower of two, of records as `of_run` returns them."""
    ordered = sorted(records, key=lambda record: (record.median or 0.0, number(record)))
    return ordered[(len(ordered) - 1) // 2]


def number(record: Record) -> int:
    """Return the number of the process that measured a record."""
    return record.process or 0


def interval(seconds: Sequence[float]) -> tuple[float, float]:
    """Return the median's 95 % interval by a seeded percentile bootstrap; below 6 samples their range."""
    if len(seconds) < 6:
        return float(min(seconds)), float(max(seconds))
    return _quantiles(_resampled_medians(seconds, seed=0))


def _resampled_medians(seconds: Sequence[float], seed: int) -> Floats:
    """Return the medians of DRAWS samples as large as this one, drawn from it with replacement."""
    medians: Floats = np.median(np.asarray(seconds)[_drawn(len(seconds), seed)], axis=1)
    return medians


def _quantiles(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


@functools.lru_cache(maxsize=64)
def _drawn(count: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """Draw with replacement: DRAWS rows of `count` numbers below it."""
    return np.random.default_rng(seed).integers(count, size=(DRAWS, count))


def _medians_drawn(rounds: Rounds, seed: int) -> Floats:
    """Return DRAWS medians, each of processes drawn and of the samples drawn within each."""
    drawn = _drawn(len(rounds.numbers))
    within = np.array([_resampled_medians(samples, seed) for samples in rounds.samples])
    # A process that is drawn twice in one row has its samples drawn anew for each.
    places = (np.arange(DRAWS)[:, None] + 397 * np.arange(drawn.shape[1])) % DRAWS
    medians: Floats = np.median(within[drawn, places], axis=1)
    return medians
