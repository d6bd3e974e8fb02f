"""The printed tables of ParAC beside what was measured, and the order of their matrices."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reports.facts.printed import printed_column, printed_table
from reports.verbs import beside

# What a number is called here, by what its column of a printed table ends with.
_ENDINGS = {"iter$": "iterations", "relres$": "residual", "_m?s$": ""}


def printed(table: str, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a printed table by matrix, its columns as `paper_<code>_<number>`.

    names : what parts of its columns' names are called here
    """
    columns = printed_table(table).columns.drop("matrix").to_series()
    called = ("paper_" + columns).replace({**_ENDINGS, **names}, regex=True)
    numbers = {name: printed_column("parac", table, column) for column, name in called.items()}
    return pd.DataFrame(numbers, dtype="float64")


def beside_print(frame: pd.DataFrame, prints: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with what is printed of the paper's own matrices, in the order of the printed table.

    A stand-in is behind the matrix whose print stands below it.

    frame : one row per input
    """
    frame = beside(frame, "parac", prints)
    places = pd.Series(range(len(prints)), prints.index)
    place = _target(frame).fillna(frame["abbr"]).map(places).fillna(len(places))
    ordered = frame.assign(place=place, is_other=frame["abbr"].isna())
    ordered = ordered.sort_values(["place", "is_other", "label"], kind="stable", ignore_index=True)
    return ordered.drop(columns=["place", "is_other"])


def below_stand_ins(frame: pd.DataFrame, prints: pd.DataFrame) -> pd.DataFrame:
    """Return the frame for a picture: with the print of the matrix that a stand-in is for, `printed_of`."""
    target = _target(frame)
    columns = {str(name): frame[name].fillna(target.map(prints[name])) for name in prints}
    return frame.assign(printed_of=target, **columns)


def _target(frame: pd.DataFrame) -> pd.Series[str]:
    """Return the matrix that a row's stands in for, the first of those that it is near to."""
    names = frame["near"].fillna(frame["stand_in_for"]).where(frame["abbr"].isna())
    return names.astype("object").str.split(", ").str[0]
