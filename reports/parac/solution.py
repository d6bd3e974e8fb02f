"""What figures of ParAC share: a solution by its parts, and printed tables beside what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fillpath.processes import Rounds
from reports.exhibit import Subset
from reports.facts.printed import printed_column, printed_table
from reports.shapes.sheet import COUNT, Column, plain
from reports.table import phases, timed
from reports.verbs import beside

PAPER = "parac"
# The phases of each part; what a peer needs beside (a threshold at equal fill) is in none.
PARTS = {"factor": ("matrix", "factor"), "analysis": ("analysis",), "solve": ("solve",)}
FACTS = ("iterations", "residual", "nnz_factor")
# What tables have of each code; `setup` is paid once, without the forming of the matrix.
NUMBERS = (*PARTS, "setup", "total", *FACTS)
# Threads from which on a claim about times of the CPU can be judged: the paper does not say how many it had.
ENOUGH = 16
RULE = "Conjugate gradients until the true relative residual is at most 1e-6."
# What a number is called here, by what its column of a printed table ends with.
_ENDINGS = {"iter$": "iterations", "relres$": "residual", "_m?s$": ""}
SPAN = "factor, analysis and solve together"


def solved(cases: pd.DataFrame, unit: float = 1.0) -> pd.DataFrame:
    """Return the cases with the seconds of a whole solution.

    `total` and its parts, `factor`, `analysis` and `solve`, and `setup` are in units of which a second has so
    many.
    """
    rows = timed(cases, phases("matrix", "factor", "analysis", "solve", some=True))
    rows = rows.reindex(columns=[*dict.fromkeys([*cases, *FACTS])])
    spans = PARTS | {"setup": ("factor", "analysis")}
    parts = {name: unit * _medians(rows, names) for name, names in spans.items()}
    return rows.assign(total=unit * rows["median"], **parts)


def _medians(rows: pd.DataFrame, names: Sequence[str]) -> pd.Series[float]:
    """Return the seconds of these phases together, 0 of what an implementation does not have."""
    samples = phases(*names, some=True)
    known = [
        Rounds.of(runs, lambda record: samples(record) or [0.0]).median if status == "ok" else np.nan
        for runs, status in zip(rows["runs"], rows["status"], strict=True)
    ]
    return pd.Series(known, rows.index, dtype="float64")


def by_threads(rows: pd.DataFrame, threads: str) -> list[Subset]:
    """Return the rows, of which those of fewer than ENOUGH threads cannot test what the paper says of its
    CPUs.

    threads : the column with their number, empty where nothing was measured
    """
    few = rows[threads] < ENOUGH
    if not few.any():
        return [Subset(rows)]
    basis = f"{{}}, {rows.loc[few, threads].max():g} threads".format
    untestable = Subset(rows[few], basis, f"fewer than {ENOUGH} threads")
    return [Subset(rows[~few]), untestable] if (rows[threads] >= ENOUGH).any() else [untestable]


def columns_of(code: str, group: str, **headings: str) -> list[Column]:
    """Return the columns of a code: without a result the first says why, and the others are empty.

    headings : by what the column's name has after the code's
    """
    whys = (f"status_{code}", *[""] * len(headings))
    return [
        Column(heading, f"{code}_{part}", COUNT if part == "iterations" else plain, group, why, "")
        for (part, heading), why in zip(headings.items(), whys, strict=False)
    ]


def printed(table: str, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a printed table by matrix, its columns as `paper_<code>_<number>`.

    names : what parts of its columns' names are called here
    """
    columns = printed_table(table).columns.drop("matrix").to_series()
    called = ("paper_" + columns).replace({**_ENDINGS, **names}, regex=True)
    numbers = {name: printed_column(PAPER, table, column) for column, name in called.items()}
    return pd.DataFrame(numbers, dtype="float64")


def beside_print(frame: pd.DataFrame, prints: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with what is printed of the paper's own matrices, in the order of the printed table.

    A stand-in is behind the matrix whose print stands below it.

    frame : one row per input
    """
    frame = beside(frame, PAPER, prints)
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
