"""The table of every case on the page: what ran where, how long it took, how it was verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd

from fillpath.case import Case
from reports.facts.claims import paper_figure
from reports.facts.records import MatrixEntry
from reports.pages.webpage.markup import Cell, Column, Row, table
from reports.shapes.bars import seconds

_COLUMNS = (
    Column("case", "case"),
    Column("machine", choice="machine"),
    Column("stage", choice="stage"),
    Column("status", choice="status"),
    Column("median", "right"),
    Column("interval", "right"),
    Column("samples", "right"),
    Column("verified by", "wide"),
    Column("the paper"),
    Column("reason", "wide"),
)


def cases_section(rows: pd.DataFrame, entries: Sequence[MatrixEntry]) -> str:
    """A row a case and machine, as the records' frame has them."""
    ok = int((rows["status"] == "ok").sum())
    told = "The interval is that of the median; a ratio of the paper’s is over this case."
    caption = f"{len(rows)} rows, {ok} ok. {told}"
    shown = [_row(row, entries) for row in rows.to_dict("records")]
    return table("case-table", caption, _COLUMNS, shown, search="search the cases", kind="tall")


def _row(row: Mapping[Any, Any], entries: Sequence[MatrixEntry]) -> Row:
    known = not pd.isna(row["median"])
    between = f"{seconds(row['low'])} to {seconds(row['high'])}" if not pd.isna(row["low"]) else "-"
    gate = "-" if pd.isna(row["verified_by"]) else f"{row['verified_by']}, {row['verified_method']}"
    machine = "-" if pd.isna(row["machine"]) else str(row["machine"])
    status = str(row["status"]).replace("_", " ")
    suspect = ["suspect: too fast"] if row["suspect"] else []
    reason = "; ".join([*suspect, *([str(row["reason"])] if row["reason"] else [])])
    return (
        Cell(escape(row["case"])),
        Cell(escape(machine), value=machine),
        Cell(escape(row["stage"]), value=row["stage"]),
        Cell(escape(status), value=status, kind="" if status == "ok" else "failed"),
        Cell(seconds(row["median"]), float(row["median"]) if known else None),
        Cell(between, float(row["low"]) if between != "-" else None),
        Cell(str(row["samples"]), float(row["samples"])),
        Cell(escape(gate)),
        Cell(escape(paper_figure(Case.parse(row["case"]), entries))),
        Cell(escape(reason)),
    )
