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
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import norm, t

from benchmarks.runs.night_noise import Floats, Noise

Booleans = npt.NDArray[np.bool_]

# Of all alarms of a night, the share that may be false; in a night of unchanged cases the chance of any.
RATE = 0.1
# Each look's part of the rate, by pairs.
LOOKS: Mapping[int, float] = {8: 0.2, 14: 0.8}
# Pairs of a case that stays undecided.
MOST = max(LOOKS)
# Beyond so many scales one of tonight's differences is drawn in.
CLIP = 2.5
# The share of losses just large enough that the last look finds, and how far a case's interval reaches, in
# standard errors, while it is undecided.
_POWER = 0.95
_REACH = 3.0


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
