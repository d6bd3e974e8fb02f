"""What figures of ParAC share: a solution by its parts, and printed tables beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from fillpath.processes import Rounds
from fillpath.record import Record
from reports.exhibit import Subset
from reports.facts.naming import nearest
from reports.facts.printed import printed_column, printed_table
from reports.shapes.sheet import COUNT, Column, plain
from reports.table import phases, timed
from reports.verbs import beside

PAPER = "parac"
# The phases of each part; what a peer needs beside (a threshold at equal fill) is in none.
PARTS = {"factor": ("matrix", "factor"), "analysis": ("analysis",), "solve": ("solve",)}
FACTS = ("iterations", "residual", "nnz_factor")
# What tables have of each code: `setup` is paid once, without the forming of the matrix; `after` follows the
# factor.
NUMBERS = (*PARTS, "setup", "after", "total", *FACTS)
# Threads from which on a claim about times of the CPU can be judged: the paper does not say how many it had.
ENOUGH = 16
RULE = "Conjugate gradients until the true relative residual is at most 1e-6."
# What a number is called here, by what its column of a printed table ends with.
_ENDINGS = {"iter$": "iterations", "relres$": "residual", "_m?s$": ""}
SPAN = "factor, analysis and solve together"


def solved(cases: pd.DataFrame, unit: float = 1.0) -> pd.DataFrame:
    """Return the cases with the seconds of a whole solution.

    `total` and its parts, `factor`, `analysis` and `solve`, `setup` and `after` are in units of which a
    second has so many.
    """
    rows = timed(cases, phases("matrix", "factor", "analysis", "solve", some=True))
    rows = rows.reindex(columns=[*dict.fromkeys([*cases, *FACTS])])
    runs = rows.loc[rows["status"] == "ok", "runs"]
    spans = PARTS | {"setup": ("factor", "analysis")}
    parts = {name: unit * runs.map(_median_of(names)).astype(float) for name, names in spans.items()}
    return rows.assign(total=unit * rows["median"], after=parts["analysis"] + parts["solve"], **parts)


def _median_of(names: Sequence[str]) -> Callable[[Sequence[Record]], float]:
    """Return the seconds of these phases together, 0 of what an implementation does not have."""
    samples = phases(*names, some=True)
    return lambda runs: Rounds.of(runs, lambda record: samples(record) or [0.0]).median


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


def columns_of(code: str, group: str, form: Callable[[float], str] = plain, **headings: str) -> list[Column]:
    """Return the columns of a code: without a result the first says why, and the others are empty.

    form : of seconds
    headings : by what the column's name has after the code's
    """
    forms, whys = {"iterations": COUNT}, {next(iter(headings)): f"status_{code}"}
    return [
        Column(text, f"{code}_{part}", forms.get(part, form), group, whys.get(part, ""), "")
        for part, text in headings.items()
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
    """Return the frame, one row per input, with what is printed of the paper's own matrices, in their order.

    A stand-in is behind the matrix that it is `printed_of`, the nearest of those that it stands in for.
    """
    frame = beside(frame, PAPER, prints)
    names = nearest(frame).where(frame["abbr"].isna())
    target = names.astype("object").str.split(", ").str[0]
    place = pd.Categorical(target.fillna(frame["abbr"]), prints.index)
    ordered = frame.assign(printed_of=target, place=place)
    ordered = ordered.sort_values(["place", "abbr", "label"], kind="stable", ignore_index=True)
    return ordered.drop(columns="place")


def below_stand_ins(frame: pd.DataFrame, prints: pd.DataFrame) -> pd.DataFrame:
    """Return the frame for a picture: with the print of the matrix that a stand-in is for."""
    whose = frame["printed_of"]
    return frame.assign(**{str(name): frame[name].fillna(whose.map(prints[name])) for name in prints})
