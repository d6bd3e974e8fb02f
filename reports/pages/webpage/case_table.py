"""The rows of the page's table of cases: what ran where, how long it took, how it was verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.dicts import dicts
from reports.facts.claims import paper_figure
from reports.facts.printed import MatrixEntry


@dataclass(frozen=True)
class CaseRow:
    """A case on a machine.

    median, low, high : seconds, None where there are none
    printed : the paper's ratio over this case, as text
    """

    case: str
    machine: str
    stage: str
    status: str
    median: float | None
    low: float | None
    high: float | None
    samples: int
    verified_by: str
    printed: str
    reason: str


def case_rows(rows: pd.DataFrame, entries: Sequence[MatrixEntry]) -> list[CaseRow]:
    """One row per case and machine, as the records' frame has them."""
    return [_row(row, entries) for row in dicts(rows)]


def _row(row: Mapping[Any, Any], entries: Sequence[MatrixEntry]) -> CaseRow:
    median, low, high = (
        None if pd.isna(row[name]) else float(row[name]) for name in ("median", "low", "high")
    )
    reasons = ["suspect: too fast" if row["suspect"] else "", str(row["reason"] or "")]
    verified = not pd.isna(row["verified_by"])
    return CaseRow(
        case=row["case"],
        machine="-" if pd.isna(row["machine"]) else str(row["machine"]),
        stage=row["stage"],
        status=str(row["status"]).replace("_", " "),
        median=median,
        low=low,
        high=high,
        samples=int(row["samples"]),
        verified_by=f"{row['verified_by']}, {row['verified_method']}" if verified else "-",
        printed=paper_figure(Case.parse(row["case"]), entries),
        reason="; ".join(reason for reason in reasons if reason),
    )
