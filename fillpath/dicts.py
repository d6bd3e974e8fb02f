"""The rows of a frame as dicts, several times as fast as pandas makes them."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

Row = Mapping[Any, Any]


def dicts(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Return what `frame.to_dict("records")` returns."""
    names, columns = list(frame), [_values(column) for _, column in frame.items()]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _values(column: "pd.Series[Any]") -> list[Any]:
    """Return the column's values, none of them numpy's own."""
    values = column.tolist()
    if column.dtype != object:
        return values
    return [value.item() if isinstance(value, np.generic) else value for value in values]
