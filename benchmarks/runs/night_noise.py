"""What the pairs of a case do while nothing changes: its scale, learned from past nights and from tonight.

Every function takes arrays whose last axis but one is the cases' and whose last is the pairs'.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# Pairs of every case.
FIRST = 3
# No loss below this is worth an alarm.
LEAST = 0.005
# The scale of a case without a past: of pairs of processes whose seconds scatter by 10 % each. It counts as
# so many pairs, as fewer the more the case has of its own, and as none from so many on.
PRIOR_SCALE = 0.14
PRIOR_PAIRS, PRIOR_ENDS = 4, 40
# No clock and no machine is steadier.
LEAST_SCALE = 0.002
# Past differences that are kept of a case: with these the scale is known to 5 %.
KEPT = 200
# Beyond so many scales a past difference is drawn in.
CLIP_PAST = 8.0
# If a quarter of tonight's pairs are further out than for so many times the scale of the past, the past says
# nothing of tonight.
APART = 2.0
_UPPER_QUARTILE_OF_NORMAL = 1.1503
_MAD_OF_NORMAL = 0.6745
# The median of a chi-squared variable with two degrees of freedom, over its mean: of three pairs' variance.
_MIDDLE_VARIANCE = float(np.log(2.0))
_CASES_OF_A_NIGHT = 20


@dataclass(frozen=True)
class Noise:
    """What a case's pairs do while nothing changes, by case.

    median : of the past differences
    scale : the standard deviation of one difference
    kurtosis : its excess over a normal variable's, 0 where tails are lighter
    freedom : the degrees of freedom of that scale
    """

    median: Floats
    scale: Floats
    kurtosis: Floats
    freedom: Floats

    @classmethod
    def of(cls, past: Floats) -> Noise:
        """past : differences of earlier nights, along the last axis, maybe none."""
        shape, count = past.shape[:-1], past.shape[-1]
        if count == 0:
            return cls(
                np.zeros(shape),
                np.full(shape, PRIOR_SCALE),
                np.zeros(shape),
                np.full(shape, float(PRIOR_PAIRS)),
            )
        median = np.median(past, axis=-1, keepdims=True)
        spread = np.median(np.abs(past - median), axis=-1, keepdims=True) / _MAD_OF_NORMAL
        pairs = PRIOR_PAIRS * max(0.0, 1 - count / PRIOR_ENDS)
        weight, prior = pairs + count, pairs * PRIOR_SCALE**2
        reach = CLIP_PAST * np.sqrt((prior + count * spread**2) / weight)
        squares = np.clip(past - median, -reach, reach) ** 2
        scale = np.maximum(LEAST_SCALE, np.sqrt((prior + np.sum(squares, axis=-1)) / (weight - 1)))
        kurtosis = np.mean((squares / scale[..., None] ** 2) ** 2, axis=-1) - 3
        # The prior's pairs have the median 0.
        shrunk = median[..., 0] * count / weight
        return cls(shrunk, scale, np.maximum(0.0, kurtosis), np.full(shape, weight - 1))

    @classmethod
    def joined(cls, cases: list[Noise]) -> Noise:
        """One array of cases."""
        return cls(*(np.array([getattr(case, each.name) for case in cases]) for each in fields(cls)))

    def only(self, place: int) -> Noise:
        """Of one case, still as an array of cases."""
        return Noise(*(getattr(self, each.name)[place : place + 1] for each in fields(self)))

    @property
    def threshold(self) -> Floats:
        """The change below which a case does not alarm."""
        return np.maximum(LEAST, self.median)

    def learned(self, differences: Floats) -> Noise:
        """With what tonight's own pairs say of the scale, whatever their mean is: together with the past, or
        alone where they scatter far more, as on a machine that others use tonight."""
        more = differences.shape[-1] - 1
        freedom = self.freedom + more
        variance = np.var(differences, axis=-1, ddof=1)
        scale = np.sqrt((self.freedom * self.scale**2 + more * variance) / freedom)
        deviations = np.abs(differences - np.median(differences, axis=-1, keepdims=True))
        apart = np.quantile(deviations, 0.75, axis=-1) > APART * _UPPER_QUARTILE_OF_NORMAL * self.scale
        return replace(
            self, scale=np.where(apart, np.sqrt(variance), scale), freedom=np.where(apart, more, freedom)
        )

    def widened(self, differences: Floats) -> Noise:
        """Of a night whose first pairs scatter more than past ones did. The factor is the middle case's, and
        is left out of a night of few cases, which have no middle to speak of."""
        if differences.shape[-2] < _CASES_OF_A_NIGHT:
            return self
        variance = np.var(differences[..., :FIRST], axis=-1, ddof=1) / self.scale**2
        factor = np.sqrt(np.median(variance, axis=-1, keepdims=True) / _MIDDLE_VARIANCE)
        return replace(self, scale=self.scale * np.maximum(1.0, factor))
