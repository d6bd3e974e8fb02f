"""Processes of a case from raw records: which are shown, their number, its interval and ratios of two.

It follows docs/measuring.md and shares no code with fillpath/processes.py and reports/facts/. Its draws are
its own, so that ends of intervals agree with the page's as far as so many draws of one distribution do.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

DRAWS = 4000
# Processes that a claim of a time needs: more in one of two runs count no further.
FIRM = 5
Raw = dict[str, Any]
# The processes of one run, by number.
Pool = list[Raw]
# Samples by process.
Samples = Mapping[int, tuple[float, ...]]
Floats = npt.NDArray[np.float64]


class Number(NamedTuple):
    """A number between the ends of its interval, and the processes it was measured in."""

    low: float
    value: float
    high: float
    processes: int = 1


def standing(raws: list[Raw]) -> Pool:
    """Of one case's records the processes of the last one's run; none where the last is not ok."""
    return _of_run(raws, raws[-1]) if raws[-1]["status"] == "ok" else []


def of_one_run(cases: Mapping[str, list[Raw]]) -> dict[str, Pool]:
    """Of all records of a figure's cases of one matrix the processes of one run: of the run in which most
    cases were ok, the newest of several; of runs of the same keys, that with more processes. Without cases
    whose last record is not ok."""
    runs: dict[str, dict[str, Raw]] = {}
    for case, raws in cases.items():
        for raw in raws:
            if raw["status"] == "ok":
                runs.setdefault(raw["run_id"], {})[case] = raw
    if not runs:
        return {}
    keys = _keys(max(runs.values(), key=_size_and_start))
    alike = [run for run in runs.values() if _keys(run) == keys]
    pools = [{case: _of_run(cases[case], raw) for case, raw in run.items()} for run in alike]
    counts = [min(FIRM, *map(len, pool.values())) for pool in pools]
    best = max(range(len(alike)), key=lambda place: (counts[place], _size_and_start(alike[place])))
    return {case: pool for case, pool in pools[best].items() if cases[case][-1]["status"] == "ok"}


def representative(pool: Pool) -> Raw:
    """The process whose median is the median of all, the lower of two in the middle."""
    return sorted(pool, key=lambda raw: float(np.median(raw["seconds"])))[(len(pool) - 1) // 2]


def on_one_host(pools: Iterable[Pool]) -> bool:
    """Whether the records of all may be of one host; older ones do not say."""
    return len({raw["host"] for pool in pools for raw in pool if raw.get("host")}) <= 1


def samples(pool: Pool, of: Callable[[Raw], Iterable[float] | None]) -> Samples:
    """What each process sampled, without those that sampled nothing."""
    by_process = {_process(raw): tuple(of(raw) or ()) for raw in pool}
    return {process: taken for process, taken in by_process.items() if taken}


def number(of: Samples, tail: float) -> Number:
    """The median of the processes' medians, with its interval between the quantiles `tail` and 1 - `tail` of
    medians of processes drawn, then samples within each. Of one process it is the samples' own, whatever the
    tail: 95 %, by 2000 draws of seed 0; least to most below six samples."""
    medians = [float(np.median(taken)) for taken in of.values()]
    if len(of) == 1:
        (taken,) = of.values()
        low, high = _of_samples(taken)
    else:
        low, high = np.quantile(np.median(_drawn(tuple(of.values()), 1), axis=1), [tail, 1 - tail])
    return Number(float(low), float(np.median(medians)), float(high), len(of))


def ratio(top: Samples, bottom: Samples, tail: float) -> Number:
    """Of two cases of one run. Processes of one number are drawn as pairs; with fewer than two, what the two
    intervals allow."""
    common = sorted(top.keys() & bottom.keys())
    if len(common) < 2:
        return over(number(top, tail), number(bottom, tail))._replace(processes=1)
    above, below = (tuple(part[process] for process in common) for part in (top, bottom))
    drawn = np.median(_drawn(above, 1), axis=1) / np.median(_drawn(below, 2), axis=1)
    low, high = np.quantile(drawn, [tail, 1 - tail])
    value = np.median([np.median(taken) for taken in above]) / np.median([np.median(each) for each in below])
    return Number(float(low), float(value), float(high), len(common))


def over(top: Number, bottom: Number) -> Number:
    """A ratio, and what the two intervals allow of it."""
    processes = min(top.processes, bottom.processes)
    return Number(top.low / bottom.high, top.value / bottom.value, top.high / bottom.low, processes)


def _of_run(raws: list[Raw], one: Raw) -> Pool:
    """The processes of that record's run: ok, of its key and host, the last of each number."""
    same = [raw for raw in raws if raw["status"] == "ok" and _identity(raw) == _identity(one)]
    by_process = {_process(raw): raw for raw in same}
    return [by_process[process] for process in sorted(by_process)]


def _identity(raw: Raw) -> tuple[Any, ...]:
    return raw["key"], raw["run_id"], raw.get("host")


def _process(raw: Raw) -> int:
    return raw.get("process") or 0


def _keys(run: Mapping[str, Raw]) -> dict[str, str]:
    return {case: raw["key"] for case, raw in run.items()}


def _size_and_start(run: Mapping[str, Raw]) -> tuple[int, str]:
    return len(run), max(raw["started_at"] for raw in run.values())


@cache
def _of_samples(taken: tuple[float, ...]) -> tuple[float, float]:
    values = np.array(taken)
    if len(values) < 6:
        return float(values.min()), float(values.max())
    drawn = np.random.default_rng(0).integers(0, len(values), size=(2000, len(values)))
    low, high = np.quantile(np.median(values[drawn], axis=1), [0.025, 0.975])
    return float(low), float(high)


@cache
def _drawn(processes: tuple[tuple[float, ...], ...], seed: int) -> Floats:
    """Medians of samples drawn within processes drawn: one row per draw. The processes drawn do not depend on
    the seed, so that two cases of one run have the same ones in the same rows."""
    count = len(processes)
    which = np.random.default_rng(3).integers(count, size=(DRAWS, count))
    within = np.random.default_rng([4, seed])
    medians = np.empty((DRAWS, count))
    for process, taken in enumerate(processes):
        wanted = which == process
        resampled = within.choice(taken, size=(int(wanted.sum()), len(taken)))
        medians[wanted] = np.median(resampled, axis=1)
    return medians
