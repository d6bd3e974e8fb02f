"""What a paper prints of a row's matrix, or of the one that it stands in for."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reports.facts.printed import abbreviations


def add_prints(
    frame: pd.DataFrame, paper: str, printed: Mapping[str, Mapping[str, float | None]]
) -> pd.DataFrame:
    """The frame with paper_matrix, whose numbers stand beside a row's own: its own matrix; of a stand-in the
    first that it is near enough to, else the first that it stands in for. And a column for each printed one.

    printed : by column, numbers by matrix.
    """
    known = {abbr for numbers in printed.values() for abbr in numbers} & set(abbreviations(paper).values())
    candidates = zip(frame["abbr"], frame["near"], frame["stand_in_for"], strict=True)
    names = [_first([text for text in texts if isinstance(text, str)], known) for texts in candidates]
    frame["paper_matrix"] = pd.Series(names, index=frame.index, dtype="object")
    for column, numbers in printed.items():
        values = [numbers.get(name) if name else None for name in names]
        frame[column] = pd.Series(values, index=frame.index, dtype="float64")
    return frame


def _first(texts: list[str], known: set[str]) -> str | None:
    names = [name for text in texts for name in text.split(", ")]
    return next((name for name in names if name in known), None)
