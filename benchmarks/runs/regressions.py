"""What nights know: each case's past differences, and the regressions that still stand."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.runs.night_noise import KEPT
from benchmarks.runs.night_rounds import SILENT, Course, Judgement
from fillpath.errors import ConfigError
from fillpath.paths import write_text
from fillpath.record import Record

# The p-value below which a standing regression became faster: no other case is asked.
_GAIN = 0.01


@dataclass(frozen=True)
class Regression:
    """A case that is worse.

    factor : its seconds over the base's, None where it has no result any more
    before : the base's commit
    after : the first commit that was worse
    reason : why it has no result
    extent : interval and number of pairs, as text
    """

    case: str
    factor: float | None
    before: str
    after: str
    reason: str = ""
    extent: str = ""

    @property
    def text(self) -> str:
        """`symbolic.gsofa@a.metis: 1.31 times as long (1.22 to 1.40, 8 pairs), from 0123 to ba98`."""
        worse = f"{self.factor:.3g} times as long" if self.factor else f"no result any more: {self.reason}"
        extent = f" ({self.extent})" if self.extent else ""
        return f"{self.case}: {worse}{extent}, from {self.before[:12]} to {self.after[:12]}"


@dataclass(frozen=True)
class State:
    """What the nights so far know.

    last : the last commit that was measured, empty before the first
    past : differences of log seconds of a commit and its base, in nights without an alarm, by case
    worse : the regressions that still stand, by case
    late : the cases that the last night had no time for, with which the next begins
    """

    last: str = ""
    past: Mapping[str, Sequence[float]] = field(default_factory=dict)
    worse: Mapping[str, Regression] = field(default_factory=dict)
    late: tuple[str, ...] = ()

    @classmethod
    def load(cls, path: Path) -> State:
        """Empty where there is no file. Raises ConfigError for a file that no night wrote."""
        if not path.is_file():
            return cls()
        try:
            data: dict[str, Any] = json.loads(path.read_text())
            past = {case: tuple(map(float, values)) for case, values in data["past"].items()}
            worse = {case: Regression(**values) for case, values in data["worse"].items()}
            return cls(data["last"], past, worse, tuple(map(str, data.get("late", ()))))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(
                f"{path}: not what a night of this version wrote ({error}); remove it to begin anew"
            ) from error

    def save(self, path: Path) -> None:
        """A case's past on one line."""
        past = [f"  {json.dumps(case)}: {json.dumps(list(self.past[case]))}" for case in sorted(self.past)]
        worse = {case: asdict(regression) for case, regression in sorted(self.worse.items())}
        text = ",\n".join(
            [
                f' "last": {json.dumps(self.last)}',
                ' "past": {' + "".join(f"\n{line}" for line in [",\n".join(past)] if past) + "\n }",
                f' "worse": {json.dumps(worse, indent=1, allow_nan=False)}',
                f' "late": {json.dumps(self.late, indent=1)}',
            ]
        )
        write_text(path, f"{{\n{text}\n}}\n")


@dataclass(frozen=True)
class Change:
    """What a night changed.

    state : what is known now
    new : what is worse since the night's base
    mended : cases that are no longer worse
    """

    state: State
    new: tuple[Regression, ...] = ()
    mended: tuple[str, ...] = ()


def learn(
    state: State,
    commits: Sequence[str],
    courses: Mapping[str, Course],
    judgements: Mapping[str, Judgement],
    late: Collection[str] = (),
) -> Change:
    """What a night says of what was known.

    commits : its base first, its tip last
    late : cases that it had no time for
    """
    past, worse = dict(state.past), dict(state.worse)
    new, mended = [], []
    for case, course in courses.items():
        judgement, before = judgements.get(case), worse.get(case)
        regression = _regression(course, judgement, commits)
        if regression and not (before and before.factor is None and regression.factor is None):
            new.append(regression)
            worse[case] = _together(before, regression)
        elif before and (rest := _rest(before, course, judgement, commits[-1])) is None:
            mended.append(case)
            del worse[case]
        elif before:
            worse[case] = rest or before
        if judgement and not regression and case not in mended:
            # Four digits are less than any noise.
            latest = [round(difference, 4) for difference in judgement.differences]
            past[case] = (*past.get(case, ()), *latest)[-KEPT:]
    return Change(State(commits[-1], past, worse, tuple(sorted(late))), tuple(new), tuple(mended))


def _regression(course: Course, judgement: Judgement | None, commits: Sequence[str]) -> Regression | None:
    """How the tip is worse than the base, None where it is not, or where there is nothing to compare."""
    base, tip = commits[0], commits[-1]
    if base == tip:
        return None
    failure = _failure(course.records[tip])
    if failure and course.records[base] and not _failure(course.records[base]):
        after = _first_of_the_last(commits, lambda commit: _failure(course.records[commit]) is not None)
        return Regression(course.case, None, base, after, f"{failure.status}: {failure.reason}")
    if judgement is None or not judgement.alarm:
        return None
    half = math.log(judgement.factor) / 2
    after = _first_of_the_last(commits, lambda commit: _mean(course.differences(base, commit)) > half)
    extent = f"{judgement.low:.3g} to {judgement.high:.3g}, {len(judgement.differences)} pairs"
    return Regression(course.case, judgement.factor, base, after, extent=extent)


def _first_of_the_last(commits: Sequence[str], is_worse: Callable[[str], bool]) -> str:
    """The first commit after the base from which on all are worse; the tip is."""
    first = commits[-1]
    for commit in commits[-2:0:-1]:
        if not is_worse(commit):
            break
        first = commit
    return first


def _together(before: Regression | None, regression: Regression) -> Regression:
    """What stands of a case that was worse before and became worse again."""
    if before is None or before.factor is None or regression.factor is None:
        return regression
    return replace(regression, factor=before.factor * regression.factor, before=before.before, extent="")


def _rest(before: Regression, course: Course, judgement: Judgement | None, tip: str) -> Regression | None:
    """What stands of a regression after a night in which the case did not get worse; None for nothing."""
    has_result = bool(course.records[tip]) and _failure(course.records[tip]) is None
    if before.factor is None:
        return None if has_result and course.records[tip][0].median is not None else before
    if judgement is None or judgement.gain > _GAIN:
        return before
    factor = before.factor * judgement.factor
    # Most of it is gone.
    return None if factor < math.sqrt(before.factor) else replace(before, factor=factor, extent="")


def _failure(records: Sequence[Record]) -> Record | None:
    """The first process's that has no result, and says so of the implementation."""
    return next((r for r in records if r.median is None and r.status not in SILENT), None)


def _mean(differences: Sequence[float]) -> float:
    return sum(differences) / len(differences) if differences else 0.0
