"""A verdict with the gate's other facts, and questions that several checks ask of arrays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fillpath.record import Verified

# Half of the distance from 1 to the next number: float64's unit roundoff, and float32's.
UNIT, SINGLE_UNIT = 2.0**-53, 2.0**-24


@dataclass(frozen=True)
class Held(Verified):
    """The verdict on a result, with facts of it.

    facts : numbers that decide nothing
    row : the row of the matrix, counted from 0, with the largest value; None where no row has it
    pivot : the worst row whose pivot was replaced; None where none was, or the check cannot tell
    """

    facts: Mapping[str, float] = field(default_factory=dict)
    row: int | None = None
    pivot: int | None = None


def advice_on_pivots(row: int | None, count: int) -> str:
    """Advise on `count` replaced pivots; empty without any. row : of a replaced pivot, None if unknown."""
    if row is None and not count:
        return ""
    said = f"{count} pivots were replaced" if row is None else f"row {row}: its pivot was replaced"
    return f"; {said}: try refine=N, or --matching mc64"


def is_array(array: Any, dtype: Any, length: int | None = None) -> bool:
    """Return whether it is a vector on the host of that dtype. length : None for any."""
    vector = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype == dtype
    return vector and length in (None, len(array))
