"""How much times differ, and where the difference comes from: samples, processes, runs, hosts.

All of logarithms of seconds, so that a standard deviation of 0.05 is about 5 per cent. Each component is of
values that differ in that and in nothing above it, and holds what is below it: medians of two processes of
one run differ by what their samples differ, too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fillpath.processes import number
from fillpath.record import Record, Status

# Of a two-sided test at 5 per cent that detects a difference in 80 of 100 cases.
_POWER = 1.96 + 0.84


@dataclass(frozen=True)
class Component:
    """A standard deviation of logarithms of seconds.

    groups : of records, or of samples, that it was pooled over
    freedom : values less groups
    """

    sd: float
    groups: int
    freedom: int

    def values_for(self, difference: float) -> int:
        """How many values of each side resolve a relative difference, such as 0.05."""
        return max(2, math.ceil(2 * (_POWER * self.sd / math.log1p(difference)) ** 2))


@dataclass(frozen=True)
class Variance:
    """What one stage's times vary by on one kind of device; None without two values that differ in it only.

    samples : of one process
    processes : medians of processes of one run on one host
    runs : medians of a process of each run, on one host or on hosts that the records do not name
    hosts : medians of a process on each host
    """

    stage: str
    device: str
    samples: Component | None
    processes: Component | None
    runs: Component | None
    hosts: Component | None


def variances(records: Iterable[Record]) -> list[Variance]:
    """By stage and device. records : of one machine, superseded ones too."""
    ok = [record for record in records if record.status is Status.OK]
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in ok:
        groups[record.parts["stage"], "GPU" if record.device else "CPU"].append(record)
    return [_variance(*key, groups[key]) for key in sorted(groups)]


def _variance(stage: str, device: str, records: Sequence[Record]) -> Variance:
    by_run = _grouped(records, lambda r: (r.key, r.run_id, r.host))
    by_process = [list({number(r): r for r in group}.values()) for group in by_run]
    # One process a run, so that runs are alike whatever they had.
    of_runs = [group[0] for group in by_process]
    by_host = _grouped(of_runs, lambda r: (r.key, r.host))
    of_hosts = _grouped([group[0] for group in by_host if group[0].host], lambda r: r.key)
    return Variance(
        stage,
        device,
        _pooled([r.seconds for r in records]),
        *(
            _pooled([[_median(r) for r in group] for group in groups])
            for groups in (by_process, by_host, of_hosts)
        ),
    )


def _grouped(records: Sequence[Record], key: Callable[[Record], Hashable]) -> list[list[Record]]:
    by_key: dict[Hashable, list[Record]] = defaultdict(list)
    for record in records:
        by_key[key(record)].append(record)
    return list(by_key.values())


def _pooled(groups: Sequence[Sequence[float]]) -> Component | None:
    """Of the values of each group around its mean."""
    several = [
        np.log(np.asarray(group, dtype=float)) for group in groups if len(group) > 1 and min(group) > 0
    ]
    freedom = sum(len(group) - 1 for group in several)
    if not freedom:
        return None
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in several)
    return Component(math.sqrt(squares / freedom), len(several), freedom)


def _median(record: Record) -> float:
    return float(np.median(record.seconds))
