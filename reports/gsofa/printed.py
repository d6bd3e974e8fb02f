"""What GSoFA prints by matrix, and shares as it writes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from reports.facts.claims import subject
from reports.facts.printed import abbreviations, printed_column
from reports.verbs import beside, in_papers_order


def printed_values(claim: str) -> dict[str, float]:
    """Return what a subject prints by matrix, in the order of the paper's table."""
    values = {abbr: subject("gsofa", claim).value(abbr) for abbr in abbreviations("gsofa").values()}
    return {abbr: value for abbr, value in values.items() if value is not None}


def per_cent(share: float) -> str:
    """Return a share in per cent: `0.082%`, `100%`."""
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"


def printed_matrix(rows: pd.DataFrame, known: Collection[str]) -> pd.Series[str]:
    """Return the paper's matrix whose print stands beside each row, of those known.

    It is the row's own; of a stand-in the first that it is near enough to, else the first that it stands in
    for.
    """

    def first(texts: pd.Series[str]) -> str | None:
        names = ", ".join(texts.dropna()).split(", ")
        return next((name for name in names if name in known), None)

    return rows[["abbr", "near", "stand_in_for"]].agg(first, axis=1).astype("object")


def beside_prints(frame: pd.DataFrame, table: str, columns: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows in the paper's order with what a printed table says of `paper_matrix`.

    `printed_of` is that matrix where it is another than the row's own. A printed matrix without a case has a
    row that is `not_run`.

    columns : by ours, the columns of the table
    """
    printed = {ours: printed_column("gsofa", table, theirs) for ours, theirs in columns.items()}
    rows = in_papers_order(beside(frame, "gsofa", printed), "gsofa")
    matrix = printed_matrix(rows, {abbr for numbers in printed.values() for abbr in numbers})
    prints = {name: matrix.map(numbers).astype(float) for name, numbers in printed.items()}
    return rows.assign(**prints, paper_matrix=matrix, printed_of=matrix.where(rows["stand_in_for"].notna()))
