"""Shared parts of ParAC's figures: a solution by its parts, and printed with measured numbers."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from fillpath.processes import Rounds
from reports.exhibit import Subset
from reports.facts.naming import nearest
from reports.facts.printed import printed_column, printed_table
from reports.shapes.sheet import Column, Sheet, columns, plain
from reports.table import phases, timed
from reports.verbs import KEY, beside

PAPER = "parac"
FACTS = ("iterations", "residual", "nnz_factor")
# Numbers of each code in tables; `setup` excludes forming the matrix, `after` follows the factor.
NUMBERS = ("factor", "analysis", "solve", "setup", "after", "total", *FACTS)
# The least number of threads for a claim about times of the CPU: the paper does not give its number.
ENOUGH = 16
# The order of rows that multigrid is given.
OWN = "natural"
RULE = "Conjugate gradients run until the true relative residual is at most 1e-6."
SPAN = "factor, analysis and solve together"
# The name of a number here, by the end of its printed column's name.
_ENDINGS = {"iter$": "iterations", "relres$": "residual", "_m?s$": ""}


def solved(cases: pd.DataFrame, unit: float = 1.0) -> pd.DataFrame:
    """Return the cases with NUMBERS of a whole solution, without a peer's extra work (a threshold)."""

    def seconds(*names: str) -> "pd.Series[float]":
        samples = phases(*names, some=True)
        # An implementation without these phases takes nothing for them.
        medians = runs.map(lambda own: Rounds.of(own, lambda record: samples(record) or [0.0]).median)
        return unit * medians.astype(float)

    rows = timed(cases, phases("matrix", "factor", "analysis", "solve", some=True))
    rows = rows.reindex(columns=[*dict.fromkeys([*cases, *FACTS])])
    runs = rows.loc[rows["status"] == "ok", "runs"]
    factor, analysis, solve = seconds("matrix", "factor"), seconds("analysis"), seconds("solve")
    total, setup = unit * rows["median"], seconds("factor", "analysis")
    rows = rows.assign(total=total, after=analysis + solve, setup=setup)
    return rows.assign(factor=factor, analysis=analysis, solve=solve)


def in_each_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows, those of a matrix in its own order repeated under each other order of that matrix."""
    own = rows["ordering"] == OWN
    inputs = rows.loc[~own, KEY].drop_duplicates()
    again = rows[own].drop(columns="preparation").merge(inputs, "left", on="matrix")
    again = again.fillna({"preparation": OWN})
    return pd.concat([rows[~own], again], ignore_index=True) if len(again) else rows


def by_threads(rows: pd.DataFrame, threads: str) -> list[Subset]:
    """Return two subsets: rows of fewer than ENOUGH `threads` cannot test the paper's claims."""
    few = rows[threads] < ENOUGH
    if not few.any():
        return [Subset(rows)]
    basis = f"{{}}, {rows.loc[few, threads].max():g} threads".format
    untestable = Subset(rows[few], basis, f"fewer than {ENOUGH} threads")
    return [Subset(rows[~few]), untestable] if (rows[threads] >= ENOUGH).any() else [untestable]


def columns_of(code: str, group: str, form: Callable[[float], str] = plain, **headings: str) -> list[Column]:
    """Return a code's columns `<code>_<part>`, the first with the reason for an absent result."""
    named = {f"{code}_{part}": text for part, text in headings.items()}
    return columns(group, form, f"status_{code}", "", **named)


def printed(table: str, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a printed table by matrix, its columns as `paper_<code>_<number>` by these names."""
    columns = printed_table(table).columns.drop("matrix").to_series()
    called = ("paper_" + columns).replace({**_ENDINGS, **names}, regex=True)
    numbers = {name: printed_column(PAPER, table, column) for column, name in called.items()}
    return pd.DataFrame(numbers, dtype="float64")


def beside_print(frame: pd.DataFrame, prints: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the print, in its order; a stand-in follows the matrix it is `printed_of`."""
    frame = beside(frame, PAPER, prints)
    target = nearest(frame).where(frame["abbr"].isna()).astype("object").str.split(", ").str[0]
    place = pd.Categorical(target.fillna(frame["abbr"]), prints.index)
    rows = frame.assign(printed_of=target, place=place).sort_values(["place", "abbr", "label"], kind="stable")
    return rows.drop(columns="place").reset_index(drop=True)


def sheet(columns: Sequence[Column], prints: pd.DataFrame) -> Sheet:
    """Return a table that has below a stand-in the print of the matrix that it is for."""

    def shown(frame: pd.DataFrame) -> pd.DataFrame:
        whose = frame["printed_of"]
        return frame.assign(**{str(name): frame[name].fillna(whose.map(prints[name])) for name in prints})

    return Sheet(columns, shown)
