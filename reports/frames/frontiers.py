"""The bins of a case's series of frontiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from fillpath.dicts import Row


def with_case(bins: pd.DataFrame, row: Row, reason: str, **more: Any) -> pd.DataFrame:
    """The bins of a case with what is known of it, of its row in the records' frame, and more."""
    kept = ("case", "matrix", "preparation", "machine", "device", "status", "n")
    return bins.assign(**{name: row[name] for name in kept}, reason=reason, **more)


def without_case(name: str) -> pd.DataFrame:
    """The row of a matrix that the paper shows and no case has."""
    return pd.DataFrame([{"label": name, "status": "not_run", "reason": "the matrix is not at hand"}])


def joined(
    parts: Sequence[pd.DataFrame], texts: Sequence[str], numbers: Sequence[str], whole: Sequence[str]
) -> pd.DataFrame:
    """The rows of all cases, with these columns. whole : the numbers that are whole ones."""
    columns = [*texts, *numbers]
    frame = pd.concat([part.reindex(columns=columns).astype("object") for part in parts], ignore_index=True)
    return frame.astype(dict.fromkeys(numbers, "float64") | dict.fromkeys(whole, "Int64"))
