"""The nouns of a comparison of machines: pairs, means, cases left out, beside best.py's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd

from reports.pages.best import Best

COLUMNS = (
    "case", "machine", "first_seconds", "seconds", "ratio", "low", "high", "equal_cores", "first_joules",
    "joules", "other_sources",
)  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """One case on the first machine and on another.

    seconds : medians of the first and of the other
    ratio : the first's seconds over the other's
    low, high : what the two intervals allow
    equal_cores : the ratio, with the seconds of whichever has more cores as they would be on as many as the
        other's, if its work were shared out perfectly; None where a GPU works, or cores are not recorded
    joules : of the first and of the other, None where no counter was read
    other_sources : one of the two was measured with sources of its implementation that are not today's
    """

    case: str
    machine: str
    seconds: tuple[float, float]
    ratio: float
    low: float
    high: float
    equal_cores: float | None
    joules: tuple[float | None, float | None]
    other_sources: bool


@dataclass(frozen=True)
class Mean:
    """The geometric mean of the ratios of a group of cases.

    group : a stage's implementation, a stage, or `all`
    low, high : the geometric means of the pairs' ends
    n : cases
    """

    group: str
    machine: str
    ratio: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class LeftOut:
    """A case that is in no mean.

    reason : of the first machine that has no comparable result
    """

    case: str
    machine: str
    reason: str


@dataclass(frozen=True)
class Comparison:
    """Machines against the first of them.

    best : what each achieves on a problem, whoever implements it
    pairs, means : of the same implementation
    scaled : the means of pairs at equal cores
    prices : of an hour of those machines that have one
    """

    machines: tuple[str, ...]
    best: Best
    pairs: tuple[Pair, ...]
    means: tuple[Mean, ...]
    scaled: tuple[Mean, ...]
    left_out: tuple[LeftOut, ...]
    prices: Mapping[str, float] = field(default_factory=dict)

    @property
    def reasons(self) -> Counter[tuple[str, str]]:
        """How many cases are in no mean, by machine and kind of reason."""
        return Counter((left.machine, left.reason.partition(":")[0]) for left in self.left_out)

    def at_equal_cores(self, mean: Mean) -> Mean | None:
        """The mean of the same group's pairs at equal cores; None where a GPU works in one of them."""
        wanted = mean.group, mean.machine, mean.n
        return next((m for m in self.scaled if (m.group, m.machine, m.n) == wanted), None)

    def frame(self) -> pd.DataFrame:
        """One row per pair, as the CSV has it."""
        rows = [
            {
                **asdict(pair),
                "first_seconds": pair.seconds[0],
                "seconds": pair.seconds[1],
                "first_joules": pair.joules[0],
                "joules": pair.joules[1],
            }
            for pair in self.pairs
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
