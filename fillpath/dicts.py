"""The rows of a frame as dicts, several times as fast as pandas makes them."""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

Row = Mapping[Any, Any]


def dicts(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Return what `frame.to_dict("records")` returns of a frame whose object columns hold no numpy scalar."""
    columns = [column.tolist() for _, column in frame.items()]
    return [dict(zip(frame, row, strict=True)) for row in zip(*columns, strict=True)]
