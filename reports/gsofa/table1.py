"""Table 1: the matrices, as printed and as measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import abbreviation, claims_of, printed_table
from reports.figures import Entries, FigureSpec
from reports.naming import listed, stand_in
from reports.records import MatrixEntry, Records, find_entry, printed_name
from reports.standings import Verdict
from reports.tables import Column, matrix_column, table
from reports.verdicts import judge

CLAIM = "table1_matrices"
# The column of ours that each claim is of.
COLUMNS = {
    "order": "order",
    "nnz": "nnz",
    "symmetry": "structural_symmetry",
    "fillins_per_nnz": "fills_per_nnz",
}
PRINTED = ("order", "nnz", "structural_symmetry", "nnz_per_row", "fillins_per_nnz")
MEASURED = ("order", "nnz", "explicit_zeros", "structural_symmetry", "nnz_per_row", "fills_per_nnz")


def table1_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """The paper's Table 1 beside what was measured: printed matrices first (not run where none is at hand),
    then stand-ins under their own names, then other matrices of the cases, which the paper does not print."""
    measured = _per_matrix(records.frame(cases), entries)
    by_abbreviation = {row["abbr"]: row for row in measured if row["abbr"]}
    rows = [
        {**_printed(printed), **by_abbreviation.get(printed["abbr"], {})}
        for printed in printed_table("gsofa_table1_matrices").to_dict("records")
    ]
    own = [row for row in measured if not row["abbr"]]
    rows += sorted(own, key=lambda row: row["role"] == "other")
    columns = [
        "matrix", "abbr", "role", "stand_in_for", *(f"paper_{name}" for name in PRINTED), "status", "order",
        "nnz", "explicit_zeros", "structural_symmetry", "diagonal_added", "zeros_kept", "nnz_per_row",
        "fills", "fills_per_nnz", "preparation", "case", "machine",
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns)
    whole = dict.fromkeys(("paper_order", "paper_nnz", "order", "nnz", "fills"), "Int64")
    whole |= dict.fromkeys(("explicit_zeros", "diagonal_added"), "Int64")
    floats = dict.fromkeys(
        ("paper_fillins_per_nnz", "structural_symmetry", "nnz_per_row", "fills_per_nnz"), "float64"
    )
    return frame.astype({**whole, **floats, "zeros_kept": "boolean"})


def table1(frame: pd.DataFrame) -> Figure:
    """Printed columns beside measured ones, one row a matrix, stand-ins on a grey ground."""
    rows = [_table1_row(row) for row in frame.to_dict("records")]
    columns = [
        matrix_column(rows),
        *_columns("printed in the paper"),
        *_columns("measured here", Column("explicit\nzeros", 0.95, "measured here")),
        Column("status", 1.4),
    ]
    shaded = [bool(role == "stand-in") for role in frame["role"]]
    return table("GSoFA, Table 1: the matrices, as printed and as measured", columns, rows, shaded)


def table1_caption(frame: pd.DataFrame) -> str:
    """What is compared with what."""
    ok = frame[frame["status"] == "ok"]
    zeros = int((ok["zeros_kept"].eq(True) & ok["explicit_zeros"].gt(0)).fillna(False).sum())
    holes = int(ok["diagonal_added"].gt(0).fillna(False).sum())
    orderings = listed(ok["preparation"].dropna())
    return (
        "Printed: the paper's own Table 1, which leaves explicit zeros out of nnz; its ordering is "
        "ParMETIS. Measured: order, nnz counted likewise, and fill-ins, verified results only; "
        f"preparation: {orderings} (metis: METIS in place of ParMETIS). What is factorised has explicit "
        f"zeros too in {zeros} of {len(ok)} measured matrices, and a diagonal that was incomplete in "
        f"{holes}. Fill-ins / nnz: entries of L + U outside the pattern that is factorised, over nnz, "
        "without pivoting. Structural symmetry: share of the entries off the diagonal whose mirror is "
        "an entry too, explicit zeros counted as entries (-: recorded before it was measured). Rows on "
        "grey are stand-ins: other matrices, under their own names."
    )


def _columns(group: str, *third: Column) -> list[Column]:
    """The five columns that stand on both sides, and what only one has."""
    order, nnz, *rest = [
        Column(heading, width, group)
        for heading, width in (
            ("order", 1.1), ("nnz", 1.25), ("struct.\nsymm.", 0.8), ("nnz\n/ row", 0.8),
            ("fill-ins\n/ nnz", 0.9),
        )
    ]  # fmt: skip
    return [order, nnz, *third, *rest]


def _per_matrix(rows: pd.DataFrame, entries: Entries) -> list[dict[str, Any]]:
    """One row a matrix and preparation: of a verified result if there is one, else why there is none."""
    found = []
    for (matrix, _), group in rows.groupby(["matrix", "preparation"], sort=False):
        ok = group[(group["status"] == "ok") & group["fills"].notna()]
        row = {str(key): value for key, value in (group if ok.empty else ok).iloc[0].items()}
        entry = find_entry(str(matrix), entries)
        found.append({**_identity(str(matrix), entry), **_table1_measured(row)})
    return found


def _identity(matrix: str, entry: MatrixEntry | None) -> dict[str, Any]:
    short = abbreviation(entry)
    if short:
        return {"abbr": short}
    stood_for = stand_in(entry)
    name = entry.name if entry else printed_name(matrix)
    return {
        "matrix": name,
        "abbr": None,
        "role": "stand-in" if stood_for else "other",
        "stand_in_for": stood_for,
    }


def _table1_measured(row: Mapping[str, Any]) -> dict[str, Any]:
    """nnz as the paper counts it: the matrix's own entries without explicit zeros."""
    kept = (
        "status", "explicit_zeros", "structural_symmetry", "diagonal_added", "zeros_kept", "preparation",
        "case", "machine",
    )  # fmt: skip
    numbers = ("n", "entries", "explicit_zeros", "fills")
    n, entries, zeros, fills = (None if pd.isna(row[key]) else row[key] for key in numbers)
    nnz = None if entries is None or zeros is None else entries - zeros
    return {
        **{key: row[key] for key in kept},
        "order": n,
        "nnz": nnz,
        "fills": fills,
        "nnz_per_row": nnz / n if n and nnz else None,
        "fills_per_nnz": fills / nnz if nnz and fills is not None else None,
    }


def _printed(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        "matrix": row["matrix"],
        "abbr": row["abbr"],
        "role": "paper",
        "status": "not_run",
        **{f"paper_{name}": row[name] for name in PRINTED},
    }


def _table1_row(row: Mapping[Any, Any]) -> list[str]:
    name = f"{row['matrix']} ({row['abbr']})" if row["role"] == "paper" else str(row["matrix"])
    if row["role"] == "stand-in":
        name = f"{name}, stand-in for {row['stand_in_for']}"
    theirs = zip((f"paper_{key}" for key in PRINTED), (",d", ",d", "g", "g", ".2f"), strict=True)
    ours = zip(MEASURED, (",d", ",d", ",d", ".2f", ".1f", ".2f"), strict=True)
    numbers = [_number(row[key], form) for key, form in (*theirs, *ours)]
    return [name, *numbers, str(row["status"]).replace("_", " ")]


def _number(value: Any, form: str) -> str:
    return "-" if pd.isna(value) else format(int(value) if form == ",d" else float(value), form)


def table1_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Whether order and entries are the printed ones, and how near the fill-ins are."""
    named = frame.assign(label=frame["matrix"])
    return [
        verdict
        for one in claims_of("gsofa", CLAIM)
        for verdict in judge(named, one, COLUMNS[one.name], by_edges=False)
    ]


SPEC = FigureSpec(
    "Table 1: the matrices",
    lambda case: case.stage == "symbolic",
    table1_frame,
    table1,
    table1_caption,
    claims=(CLAIM,),
    judge=table1_verdicts,
)
