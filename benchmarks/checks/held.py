"""A verdict with what else the gate saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fillpath.record import Verified

# Half of the distance from 1 to the next number: float64's unit roundoff, and float32's.
UNIT, SINGLE_UNIT = 2.0**-53, 2.0**-24


@dataclass(frozen=True)
class Held(Verified):
    """The verdict on a result, with facts of it.

    facts : numbers that decide nothing
    row : the row of the matrix, counted from 0, with the largest value; None where no row has one
    """

    facts: Mapping[str, float] = field(default_factory=dict)
    row: int | None = None
