"""A solution by its parts, as figures of ParAC have it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fillpath.processes import Rounds
from reports.exhibit import Subset
from reports.shapes.sheet import COUNT, Column, plain
from reports.table import phases, timed

PAPER = "parac"
# The phases of each part; what a peer needs beside (a threshold at equal fill) is in none.
PARTS = {"factor": ("matrix", "factor"), "analysis": ("analysis",), "solve": ("solve",)}
FACTS = ("iterations", "residual", "nnz_factor")
# What tables have of each code; `setup` is paid once, without the forming of the matrix.
NUMBERS = (*PARTS, "setup", "total", *FACTS)
# Threads from which on a claim about times of the CPU can be judged: the paper does not say how many it had.
ENOUGH = 16
RULE = "Conjugate gradients until the true relative residual is at most 1e-6."
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
