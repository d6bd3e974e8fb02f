"""The rule of a night: which cases became slower, by paired rounds.

A round measures a case at the base and at the tip, one directly after the other. Its difference is
log(seconds of the tip / seconds of the base). Every case gets FIRST rounds. A case stays while its p-value is
below HOPE, for at most MOST rounds. Then all cases are judged together, so that the night keeps RATE. Cases
that alarm are judged once more, by FRESH rounds of their own.

    judge({"a": [0.2, 0.25, 0.22, 0.19, 0.24, 0.2, 0.21, 0.23], "b": [0.02, -0.03, 0.0]})
    {"a": Judgement(..., is_slower=True), "b": Judgement(..., is_slower=False)}
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import false_discovery_control, ttest_1samp

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

FIRST, MOST = 3, 20
# A case with fewer rounds does not alarm, whether its time was up or its rounds left no doubt.
FEWEST = 8
HOPE = 0.3
# Rounds that confirm an alarm. 20 would find no more losses, 8 would miss one in ten of those near the limit.
FRESH = 12
# The share of a night's alarms that may be false. Without any change: the chance of an alarm in a night.
RATE = 0.05
# A smaller mean difference is no alarm: another worktree alone may change a time by as much.
LEAST = math.log(1.03)


@dataclass(frozen=True)
class Judgement:
    """The verdict on a case.

    differences : floats, one per round
    is_slower : bool, whether the case alarms
    is_faster : bool, whether it would alarm with base and tip exchanged
    """

    differences: tuple[float, ...]
    is_slower: bool = False
    is_faster: bool = False

    @property
    def factor(self) -> float:
        """Return the seconds of the tip over those of the base."""
        return math.exp(np.mean(self.differences))

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 90 % confidence interval of the factor: an alarm lies above 1."""
        low, high = ttest_1samp(self.differences, 0.0).confidence_interval(1 - 2 * RATE)
        return math.exp(low), math.exp(high)

    @property
    def detail(self) -> str:
        """Return `1.22 to 1.4, 12 rounds`."""
        return "{:.3g} to {:.3g}, {} rounds".format(*self.interval, len(self.differences))


def p_values(differences: Floats) -> Floats:
    """Return the p-value of the hypothesis that the case is no slower, for rounds along the last axis.

    1 for a mean difference below LEAST.
    """
    chances = ttest_1samp(differences, 0.0, axis=-1, alternative="greater").pvalue
    return np.where(np.mean(differences, axis=-1) >= LEAST, chances, 1.0)


def is_undecided(differences: Floats) -> Booleans:
    """Return whether the case needs another round, for rounds along the last axis."""
    undecided: Booleans = (p_values(differences) < HOPE) & (differences.shape[-1] < MOST)
    return undecided


def judge(rows: Mapping[str, Sequence[float]]) -> dict[str, Judgement]:
    """Judge all cases of a night. rows : the differences of each case, one or more."""
    slower, faster = (_alarms([sign * np.array(row) for row in rows.values()]) for sign in (1, -1))
    judged = zip(rows.items(), slower, faster, strict=True)
    return {case: Judgement(tuple(row), *alarms) for (case, row), *alarms in judged}


def _alarms(rows: Sequence[Floats]) -> list[bool]:
    """Return for each row whether it alarms among all."""
    chances = [float(p_values(row)) if len(row) >= FEWEST else 1.0 for row in rows]
    return (false_discovery_control(chances) <= RATE).tolist() if chances else []
