"""Where the interval of a measured number lies: to a band around the printed one, and to no effect."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from reports.facts.standings import Direction

# Within half a per cent of no effect there is none; a print within two has no side, and no band is narrower.
NEAR, NARROWEST = 0.005, 0.02


class Place(Enum):
    """Where an interval lies to a band."""

    WITHIN = "within"
    BELOW = "below"
    ABOVE = "above"
    ACROSS = "across its edge"


@dataclass(frozen=True)
class ClaimPart:
    """A measured number and what it is held against.

    band : around the printed number, by the claim's tolerance; None where no size is printed.
    side : the number on whose side of no effect it has to lie, None where there are no sides.
    """

    value: float
    low: float
    high: float
    band: tuple[float, float] | None
    side: float | None

    @property
    def place(self) -> Place:
        """Where the interval lies to the band."""
        if self.band is None:
            return Place.WITHIN
        low, high = self.band
        # A product of floats is no exact bound.
        slack = 1e-9 * max(abs(low), abs(high))
        if self.low >= low - slack and self.high <= high + slack:
            return Place.WITHIN
        if self.high < low - slack:
            return Place.BELOW
        return Place.ABOVE if self.low > high + slack else Place.ACROSS

    @property
    def narrow(self) -> bool:
        """Whether the interval is narrower than the band."""
        return self.band is None or self.high - self.low <= self.band[1] - self.band[0]


def direction(low: float, high: float, side: float | None, neutral: float | None) -> Direction:
    """Whether the interval lies on the same side of `neutral` as `side`."""
    if neutral is None or side is None or abs(side - neutral) <= NARROWEST * abs(neutral):
        return Direction.NONE
    sign = 1 if side > neutral else -1
    near, far = (low, high) if sign > 0 else (high, low)
    if sign * (near - neutral) > NEAR * abs(neutral):
        return Direction.AS_PRINTED
    if sign * (far - neutral) <= NEAR * abs(neutral):
        return Direction.OPPOSITE
    return Direction.UNRESOLVED


def band(printed: float, neutral: float | None, tolerance: float | None) -> tuple[float, float] | None:
    """Around a printed number. tolerance : share of the printed effect, None where no size is printed."""
    if tolerance is None:
        return None
    allowed = tolerance * abs(printed - (neutral or 0.0))
    if tolerance and neutral is not None:
        allowed = max(allowed, NARROWEST * abs(neutral))
    return printed - allowed, printed + allowed


def share_interval(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n: what a part of the matrices says of all of them (Wilson
    1927)."""
    z = 1.96
    middle, scale = share + z**2 / (2 * n), 1 + z**2 / n
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return float(max(0.0, middle - half) / scale), float(min(1.0, (middle + half) / scale))
