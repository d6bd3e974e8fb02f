"""Remember between nights: the last commit measured, the known regressions, the cases that came too late.

results/<machine>/nightly.json holds a State:

    {"last": "91be77a0...", "late": [], "worse": {"levels.glu2@add32.mc64+amd": {"factor": 1.34, ...}}}
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.runs.night_rounds import Course, Turns, paired
from benchmarks.runs.night_rule import FEWEST, Judgement, p_values
from fillpath.errors import ConfigError
from fillpath.paths import write_json
from fillpath.record import UNTRIED, Record

# A known regression became faster if the p-value is below.
_GAIN = 0.01


@dataclass(frozen=True)
class Regression:
    """A case that is worse.

    factor : float, its seconds over the base's; None for a case without a result
    before : str, the base's commit
    after : str, the first commit that was worse
    detail : str, interval and number of rounds, or why the case has no result
    """

    case: str
    factor: float | None
    before: str
    after: str
    detail: str = ""

    @property
    def text(self) -> str:
        """Return `levels.glu2@a.metis: 1.31 times as long (1.22 to 1.40, 20 rounds), from 0123 to ba98`."""
        worse = f"{self.factor:.3g} times as long" if self.factor else "no result any more"
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.case}: {worse}{detail}, from {self.before[:12]} to {self.after[:12]}"


@dataclass(frozen=True)
class State:
    """Everything known after a night.

    last : str, the last commit measured, empty before the first night
    worse : the known regressions, by case
    late : the cases that the last night had no time for; the next night begins with these
    """

    last: str = ""
    worse: Mapping[str, Regression] = field(default_factory=dict)
    late: tuple[str, ...] = ()

    @classmethod
    def load(cls, path: Path) -> "State":
        """Read the file; an empty state without one. Raises ConfigError for a file that no night wrote."""
        if not path.is_file():
            return cls()
        try:
            data = json.loads(path.read_text())
            worse = {case: Regression(**values) for case, values in data["worse"].items()}
            return cls(data["last"], worse, tuple(map(str, data["late"])))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(f"{path}: no night wrote this ({error}); remove it to begin anew") from error

    def save(self, path: Path) -> None:
        """Write the file."""
        write_json(path, asdict(self))


def learn(state: State, turns: Turns) -> tuple[State, tuple[Regression, ...], tuple[str, ...]]:
    """Return what is known after a night, its new regressions, and the cases that it mended."""
    worse, new = dict(state.worse), []
    for case, course in turns.courses.items():
        before, judgement = worse.pop(case, None), turns.judgements.get(case)
        found = _regression(case, course, judgement, turns.commits)
        if found and not (before and before.factor is None and found.factor is None):
            new.append(found)
            # A second loss multiplies the first.
            if before and before.factor and found.factor:
                found = replace(found, factor=before.factor * found.factor, before=before.before, detail="")
            before = found
        elif before:
            before = _rest(before, course, judgement, turns.tip)
        if before:
            worse[case] = before
    mended = tuple(case for case in state.worse if case not in worse)
    return State(turns.tip, worse, tuple(sorted(turns.late))), tuple(new), mended


def _regression(
    case: str, course: Course, judgement: Judgement | None, commits: Sequence[str]
) -> Regression | None:
    """Return how the tip is worse than the base, None if it is not."""
    base, tip = commits[0], commits[-1]
    if base == tip:
        return None
    failure = _failure(course[tip])
    if failure and course[base] and not _failure(course[base]):
        after = _first_bad(commits, lambda commit: _failure(course[commit]) is not None)
        return Regression(case, None, base, after, f"{failure.status}: {failure.reason}")
    if judgement is None or not judgement.is_slower:
        return None
    half = math.log(judgement.factor) / 2
    after = _first_bad(commits, lambda commit: fmean(paired(course, base, commit) or [0.0]) > half)
    return Regression(case, judgement.factor, base, after, judgement.detail)


def _first_bad(commits: Sequence[str], is_bad: Callable[[str], bool]) -> str:
    """Return the first commit after the base from which on all are bad. The tip is."""
    return [commits[-1], *takewhile(is_bad, commits[-2:0:-1])][-1]


def _rest(before: Regression, course: Course, judgement: Judgement | None, tip: str) -> Regression | None:
    """Return what is left of a regression after a night that found no new one, None if it is mended."""
    if before.factor is None:
        records = course[tip]
        return None if records and all(record.median is not None for record in records) else before
    if judgement is None or len(row := judgement.differences) < FEWEST or p_values(-np.array(row)) > _GAIN:
        return before
    factor = before.factor * judgement.factor
    # In logs more than half of the loss is gone.
    return None if factor < math.sqrt(before.factor) else replace(before, factor=factor, detail="")


def _failure(records: Sequence[Record]) -> Record | None:
    """Return the first record without a result for which the code is to blame."""
    return next((r for r in records if r.median is None and r.status not in UNTRIED), None)
