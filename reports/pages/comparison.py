"""The nouns of a comparison of machines: pairs, means, cases left out, profiles; and all of it as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from reports.shapes.bars import seconds, times

HARDWARE = "A case uses all cores unless its name says otherwise, so a CPU's ratio compares whole machines."
COLUMNS = ("case", "machine", "first_seconds", "seconds", "ratio", "low", "high", "other_sources")


@dataclass(frozen=True)
class Pair:
    """One case on the first machine and on another.

    seconds : medians of the first and of the other
    ratio : the first's seconds over the other's
    low, high : what the two intervals allow
    other_sources : one of the two was measured with sources of its implementation that are not today's
    """

    case: str
    machine: str
    seconds: tuple[float, float]
    ratio: float
    low: float
    high: float
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
class Curve:
    """A Dolan-More performance profile of a machine on a group's cases.

    within : factors of the best machine's seconds
    share : of the cases that every machine has tried, the share that it solves within each factor
    failed : how many of the n cases have no result there; they hold the curve below 1
    """

    group: str
    machine: str
    within: tuple[float, ...]
    share: tuple[float, ...]
    failed: int
    n: int


@dataclass(frozen=True)
class Comparison:
    """Machines against the first of them."""

    machines: tuple[str, ...]
    pairs: tuple[Pair, ...]
    means: tuple[Mean, ...]
    left_out: tuple[LeftOut, ...]
    profiles: tuple[Curve, ...]

    @property
    def reasons(self) -> Counter[tuple[str, str]]:
        """How many cases are in no mean, by machine and kind of reason."""
        return Counter((left.machine, left.reason.partition(":")[0]) for left in self.left_out)

    def frame(self) -> pd.DataFrame:
        """One row per pair, as the CSV has it."""
        rows = [
            {**asdict(pair), "first_seconds": pair.seconds[0], "seconds": pair.seconds[1]}
            for pair in self.pairs
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        """For people: the cases side by side, the means, what is left out."""
        first, *others = self.machines
        pairs = [_pair_row(pair, first) for pair in self.pairs]
        means = [_mean_row(mean) for mean in self.means]
        lines = [
            f"seconds of {first} over those of {', '.join(others)}: above 1, {first} is slower. {HARDWARE}",
            "",
            *_columns(("case", "seconds", "ratio"), pairs),
            "",
            "geometric means over the cases that all have solved:",
            *_columns(("group", "machine", "ratio", "cases"), means),
            "",
            f"in no mean: {len(self.left_out)} cases",
            *(f"  {left.case}: {left.machine}: {left.reason}" for left in self.left_out),
            "",
            "solved of the cases that all have tried:",
            *(f"  {c.group}, {c.machine}: {c.n - c.failed} of {c.n}" for c in self.profiles),
        ]
        return "\n".join(lines)


def _pair_row(pair: Pair, first: str) -> tuple[str, str, str]:
    sources = ", other sources" if pair.other_sources else ""
    both = f"{seconds(pair.seconds[0])} {first}, {seconds(pair.seconds[1])} {pair.machine}"
    return pair.case, both, f"{times(pair.ratio)} ({times(pair.low)} to {times(pair.high)}){sources}"


def _mean_row(mean: Mean) -> tuple[str, str, str, str]:
    ends = f"{times(mean.ratio)} ({times(mean.low)} to {times(mean.high)})"
    return mean.group, mean.machine, ends, str(mean.n)


def _columns(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    table = [heads, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in table]
