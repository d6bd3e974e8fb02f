"""The matrices of a picture in the order of the paper's table."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from reports.facts.naming import among
from reports.facts.printed import abbreviations


def in_papers_order(frame: pd.DataFrame, paper: str, of: Collection[str] = ()) -> pd.DataFrame:
    """The rows by the paper's matrices, its own before those that stand in for them (for the first of
    several), any other last; rows of one matrix stay together and in their order.

    of : the paper's matrices that the figure has, empty for all.
    """
    order = [abbr for abbr in abbreviations(paper).values() if abbr in of or not of]
    instead = [among(names, order) for names in frame["stand_in_for"]]
    places = [_place(order, abbr, names) for abbr, names in zip(frame["abbr"], instead, strict=True)]
    keyed = frame.assign(stand_in_for=pd.Series(instead, index=frame.index, dtype="object"), place=places)
    return keyed.sort_values(["place", "label"], kind="stable", ignore_index=True).drop(columns="place")


def _place(order: list[str], abbr: str, instead: str | None) -> float:
    """Of one row: a stand-in half a step behind the matrix that it stands for."""
    if abbr in order:
        return float(order.index(abbr))
    places = [order.index(name) for name in str(instead).split(", ") if name in order]
    return min(places) + 0.5 if places else float(len(order))
