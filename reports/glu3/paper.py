"""What the figures of this paper share: its printed tables, rows of all variants of a matrix, means, how
matrices were prepared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from scipy.stats import gmean

from reports.bars import times
from reports.claims import printed_table
from reports.device import columns_of
from reports.naming import listed
from reports.timed import RATIO, STAND_INS, groups_of

PAPER = "glu3"
KERNELS, LEVELS = "glu3_table1_kernel_time", "glu3_table2_levelization"
# The preparation of the paper, whose counts are exact targets.
OWN_WAY = "mc64+amd"
WAYS = (
    f"{OWN_WAY}: matched and scaled by MC64, ordered by AMD, as in the paper; metis: METIS alone, of "
    "generated matrices, which need neither a matching nor AMD's optional library"
)

Row = Mapping[Any, Any]
Told = Callable[[pd.DataFrame], tuple[str, str]]


def printed(table: str, column: str) -> dict[str, float | None]:
    """A column of a printed table, by matrix."""
    rows = printed_table(table)
    return {str(name): float(value) for name, value in zip(rows["matrix"], rows[column], strict=True)}


def by_matrix(
    frame: pd.DataFrame, variants: Sequence[str], numbers: Callable[[Mapping[str, Row]], Mapping[str, Any]]
) -> pd.DataFrame:
    """A row a matrix, preparation and machine, where there is one.

    frame : a row a case and machine, with its `variant`. variants : all of them; the first ones say what the
    row is. numbers : of the rows by variant, what the row says of them.
    """
    rows = []
    for _, own in frame.groupby(["label", "preparation"], sort=False):
        for machine in own["machine"].dropna().unique().tolist() or [None]:
            there = own[own["machine"] == machine] if machine else own
            found = {str(row["variant"]): row for row in there.to_dict("records")}
            first = next(found[name] for name in variants if name in found)
            rows.append({**first, **numbers(found)})
    merged = pd.DataFrame(rows) if rows else frame.copy()
    kept = {name: dtype for name, dtype in frame.dtypes.items() if name in merged}
    merged = merged.astype(kept)
    merged["group"] = groups_of(merged)
    return merged


def status_of(row: Row | None) -> str:
    """The status of a variant's row; `not_run` without one."""
    return "not_run" if row is None else str(row["status"])


def number(row: Row | None, name: str) -> float | None:
    """What a variant's row says, None unless it was verified and said it."""
    found = row[name] if row is not None and row["status"] == "ok" else None
    return None if found is None or pd.isna(found) else float(found)


def paired(prefix: str, ratio: Mapping[str, Any]) -> dict[str, Any]:
    """A ratio as `ratio_of` gives it under names of its own: `<prefix>pair`, `<prefix>ratio` ..."""
    return {f"{prefix}{name}": ratio.get(name) for name in RATIO}


def finished(frame: pd.DataFrame, texts: Sequence[str], numbers: Sequence[str]) -> pd.DataFrame:
    """The columns that every frame has and these: a status where there is no row is `not_run`."""
    for name in numbers:
        frame[name] = frame[name].astype("float64") if name in frame else float("nan")
    for name in texts:
        found = frame[name] if name in frame else pd.Series(None, index=frame.index)
        frame[name] = found.astype("object").where(found.notna(), "not_run")
    return columns_of(frame, *dict.fromkeys((*numbers, *texts)))


def means(values: pd.Series[float]) -> str:
    """`mean 13x, geometric 6.7x`."""
    return f"mean {times(float(values.mean()))}, geometric {times(float(gmean(values)))}"


def spanning(rows: pd.DataFrame, value: str) -> str:
    """Both means of a column of ratios, and between which matrices they lie."""
    ordered = sorted(zip(rows[value].astype(float), rows["label"], strict=True))
    (least, first), (most, last) = ordered[0], ordered[-1]
    if len(rows) == 1:
        return f"{times(least)} ({first})"
    return f"{means(rows[value])} ({times(least)} {first} to {times(most)} {last}) of {len(rows)}"


def prepared_how(frame: pd.DataFrame, *, printed: bool = True) -> str:
    """How the matrices were prepared, and where they were measured. printed : all that the paper prints stand
    in the figure."""
    ok = frame[frame["status"] == "ok"]
    measured = f"Measured on: {listed(ok['where'])}. " if len(ok) else "Nothing of it was measured here. "
    absent = " Matrices of the paper's that are not at hand stand as not run." if printed else ""
    return f"{measured}Preparation: {listed(frame['preparation'].dropna())} ({WAYS}). {STAND_INS}{absent}"


def cell(value: Any, form: str, absent: str = "-") -> str:
    """A number of a table. absent : stands where it is not known."""
    return absent if pd.isna(value) else format(float(value), form)


def milliseconds(value: Any, absent: str = "-") -> str:
    """A time of a table, in three or four digits."""
    form = ",.0f" if value >= 1000 else ".1f" if value >= 100 else ".2f" if value >= 10 else ".3f"
    return cell(value, form, absent)


def where(row: Row) -> str:
    """The machine, or why there is no ratio."""
    if not isinstance(row["machine"], str):
        return said(str(row["status"]))
    return str(row["where"]) if row["pair"] == "ok" else f"{row['where']}: {said(str(row['pair']))}"


def said(status: str) -> str:
    """A status as a table says it."""
    return status.replace("_", " ")
