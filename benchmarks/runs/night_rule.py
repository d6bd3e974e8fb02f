"""The rule of a night: which cases became slower, of paired differences of log seconds.

A pair is one process of the base and one of the commit, measured one after the other: d = log(seconds of the
commit / seconds of the base). So few pairs say little of how much they scatter. A case's scale comes from its
own past differences too, outliers of `CLIP_PAST` MADs drawn in, and from a prior where those are few. A night
whose pairs scatter more than past ones widens all scales by the factor of the case in the middle; a case
whose own pairs scatter far more is judged by these alone. A case's p-value is Student's, of the mean
difference against the case's threshold, which is the larger of `LEAST` and the median of its past, with
Edgeworth's term for the tails of that past.

After three pairs most cases leave: those whose interval excludes the smallest loss that `MOST` pairs find. A
night looks for alarms after 8 and 14 pairs, each time by Benjamini and Hochberg over all of its cases, at
levels that add up to `RATE`. So both looks together keep the false discovery rate, because false alarms over
alarms of both are at most the sum of each look's, and whoever left has a p-value of 1.

Every function takes arrays whose last axis but one is the cases' and whose last is the pairs', so that a
simulation decides many nights at once by what decides one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt
from scipy.stats import norm, t

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

# Of all alarms of a night, the share that may be false; in a night of unchanged cases the chance of any.
RATE = 0.1
# Each look's part of the rate, by pairs.
LOOKS: Mapping[int, float] = {8: 0.2, 14: 0.8}
# Pairs of every case, and of one that stays undecided.
FIRST, MOST = 3, max(LOOKS)
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
# Beyond so many scales a difference is drawn in: of the past, and tonight.
CLIP_PAST, CLIP = 8.0, 2.5
# If a quarter of tonight's pairs are further out than for so many times the scale of the past, the past says
# nothing of tonight.
APART = 2.0
_UPPER_QUARTILE_OF_NORMAL = 1.1503
_MAD_OF_NORMAL = 0.6745
# The share of losses just large enough that the last look finds, and how far a case's interval reaches, in
# standard errors, while it is undecided.
_POWER = 0.95
_REACH = 3.0
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


@dataclass(frozen=True)
class Decided:
    """Of each case so far: whether it alarms, and whether it is still undecided."""

    alarms: Booleans
    undecided: Booleans

    @classmethod
    def nothing(cls, shape: tuple[int, ...]) -> Decided:
        return cls(np.zeros(shape, bool), np.ones(shape, bool))


def decide(differences: Floats, noise: Noise, before: Decided) -> Decided:
    """What one more pair decides. differences : all pairs so far; those of decided cases do not count."""
    pairs, cases = differences.shape[-1], differences.shape[-2]
    noise = noise.learned(differences)
    alarms = np.zeros_like(before.alarms)
    if pairs in LOOKS:
        chances = np.where(before.undecided, p_values(differences, noise), 1.0)
        alarms = _discoveries(chances, RATE * LOOKS[pairs])
    upper = estimate(differences, noise) + _REACH * noise.scale / np.sqrt(pairs)
    possible = upper > smallest_loss(noise, cases, MOST - pairs)
    undecided = before.undecided & ~alarms & possible & (pairs < MOST)
    return Decided(before.alarms | alarms, undecided)


def p_values(differences: Floats, noise: Noise) -> Floats:
    """Of the hypothesis that the case's change is at most its threshold."""
    pairs = differences.shape[-1]
    z = (estimate(differences, noise) - noise.threshold) / (noise.scale / np.sqrt(pairs))
    tails = norm.pdf(z) * noise.kurtosis / pairs * (z**3 - 3 * z) / 24
    chances: Floats = t.sf(z, noise.freedom) + np.maximum(0.0, tails)
    return chances


def estimate(differences: Floats, noise: Noise) -> Floats:
    """The mean difference, of pairs drawn in towards their median where they lie beyond `CLIP` scales."""
    median = np.median(differences, axis=-1, keepdims=True)
    reach = CLIP * noise.scale[..., None]
    mean: Floats = np.mean(np.clip(differences, median - reach, median + reach), axis=-1)
    return mean


def interval(differences: Floats, noise: Noise, level: float = 0.95) -> tuple[Floats, Floats]:
    """Of the mean difference."""
    mean, reach = estimate(differences, noise), t.isf((1 - level) / 2, noise.freedom)
    error = noise.scale / np.sqrt(differences.shape[-1])
    return mean - reach * error, mean + reach * error


def smallest_loss(noise: Noise, cases: int, more: int = 0) -> Floats:
    """The log of the smallest loss that the last look finds nearly always, where it is the only one.

    more : pairs until then, which tell more of the scale
    """
    needed = t.isf(RATE * LOOKS[MOST] / cases, noise.freedom + more) + norm.ppf(_POWER)
    loss: Floats = noise.threshold + needed * noise.scale / np.sqrt(MOST)
    return loss


def _discoveries(chances: Floats, rate: float) -> Booleans:
    """Benjamini and Hochberg's along the last axis: up to the largest p-value that is within its share."""
    ordered = np.sort(chances, axis=-1)
    shares = rate * np.arange(1, chances.shape[-1] + 1) / chances.shape[-1]
    largest = np.max(np.where(ordered <= shares, ordered, -1.0), axis=-1, keepdims=True)
    discoveries: Booleans = chances <= largest
    return discoveries
