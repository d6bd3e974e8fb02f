"""The printed tables of ParAC beside what was measured, and the order of their matrices."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reports.facts.printed import printed_column
from reports.verbs import beside


def printed(table: str, columns: Mapping[str, str]) -> pd.DataFrame:
    """Return columns of a printed table by matrix, as `paper_<name>`.

    columns : the printed table's, by name
    """
    named = {f"paper_{name}": printed_column("parac", table, column) for name, column in columns.items()}
    return pd.DataFrame(named, dtype="float64")


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
