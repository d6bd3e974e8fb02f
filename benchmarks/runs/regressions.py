"""Which cases became slower, or failed, from commit to commit.

A case is slower where its median is at least `LEAST` times that of its base and the two intervals are apart.
The base moves only to what is faster beyond doubt, so that a creeping loss is seen too, and begins anew where
input or device are others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import ConfigError
from fillpath.paths import write_text
from fillpath.record import Record, Status, interval

LEAST = 1.2
# What says nothing of the implementation.
_SILENT = (Status.NOT_RUN, Status.UNAVAILABLE)


@dataclass(frozen=True)
class Base:
    """What a case is compared with: commit, median and interval in seconds, and input and device as text."""

    commit: str
    median: float
    low: float
    high: float
    where: str


@dataclass(frozen=True)
class Regression:
    """A case that is worse.

    factor : its seconds over the base's, None where it has no result any more
    before : the base's commit
    after : the first commit that was worse
    """

    case: str
    factor: float | None
    before: str
    after: str
    reason: str = ""

    @property
    def text(self) -> str:
        """`symbolic.gsofa@a.metis: 1.31 times as long, from 0123456789ab to ba9876543210`."""
        worse = f"{self.factor:.3g} times as long" if self.factor else f"no result any more: {self.reason}"
        return f"{self.case}: {worse}, from {self.before[:12]} to {self.after[:12]}"


@dataclass(frozen=True)
class State:
    """What the nights so far know.

    last : the last commit that was measured, empty before the first
    bases : of each case
    worse : the regressions that still stand, by case
    """

    last: str = ""
    bases: Mapping[str, Base] = field(default_factory=dict)
    worse: Mapping[str, Regression] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> State:
        """Empty where there is no file. Raises ConfigError for a file that no night wrote."""
        if not path.is_file():
            return cls()
        try:
            data: dict[str, Any] = json.loads(path.read_text())
            bases = {case: Base(**values) for case, values in data["bases"].items()}
            worse = {case: Regression(**values) for case, values in data["worse"].items()}
            return cls(data["last"], bases, worse)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(f"{path}: not what a night wrote ({error}); remove it to begin anew") from error

    def save(self, path: Path) -> None:
        write_text(path, json.dumps(asdict(self), indent=1, sort_keys=True, allow_nan=False) + "\n")


@dataclass(frozen=True)
class Change:
    """What one commit's records changed.

    state : what is known now
    new : what is worse since this commit
    mended : cases that are no longer worse
    measured : number of cases with a result
    """

    state: State
    new: tuple[Regression, ...]
    mended: tuple[str, ...]
    measured: int


def learn(state: State, commit: str, records: Iterable[Record]) -> Change:
    """Hold a commit's records, one a case, against what is state."""
    bases, worse = dict(state.bases), dict(state.worse)
    new, mended, measured = [], [], 0
    for record in records:
        case, base = record.case, bases.get(record.case)
        measured += record.median is not None
        regression = _regression(base, record, commit) if base else None
        if regression and case not in worse:
            new.append(regression)
        if regression:
            worse[case] = replace(regression, after=worse[case].after if case in worse else commit)
        elif record.median is not None:
            mended += [case] if worse.pop(case, None) else []
            bases[case] = _base(base, record, commit)
    return Change(State(commit, bases, worse), tuple(new), tuple(mended), measured)


def _regression(base: Base, record: Record, commit: str) -> Regression | None:
    """How a record is worse than its base, None where it is not, or where there is nothing to compare."""
    if record.status in _SILENT:
        return None
    if record.median is None:
        return Regression(record.case, None, base.commit, commit, f"{record.status}: {record.reason}")
    factor, (low, _) = record.median / base.median, interval(record.seconds)
    apart = _where(record) == base.where and low > base.high
    return Regression(record.case, factor, base.commit, commit) if apart and factor >= LEAST else None


def _base(base: Base | None, record: Record, commit: str) -> Base:
    """What the case is compared with from now on."""
    low, high = interval(record.seconds)
    latest = Base(commit, float(np.median(record.seconds)), low, high, _where(record))
    same = base is not None and base.where == latest.where and latest.high >= base.low
    return base if base is not None and same else latest


def _where(record: Record) -> str:
    prepared = (record.prepared or {}).get("hash", "")
    return ", ".join(str(part) for part in (prepared, record.device or record.host_cpu, record.driver))
