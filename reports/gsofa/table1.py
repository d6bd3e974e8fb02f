"""Table 1: the matrices, as printed and as measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.entries import MatrixEntry, printed_name
from reports.facts.inputs import Inputs
from reports.facts.naming import listed, stand_in
from reports.facts.printed import abbreviation, printed_table
from reports.facts.verdicts import Subset
from reports.shapes.tables import COUNT, Column, Row, Table, Words

CLAIM = "table1_matrices"
# The column of ours that each claim is of.
HELD = {"order": "order", "nnz": "nnz", "symmetry": "structural_symmetry", "fillins_per_nnz": "fills_per_nnz"}
PRINTED = ("order", "nnz", "structural_symmetry", "nnz_per_row", "fillins_per_nnz")
THEIRS, OURS = "printed in the paper", "measured here"
AS_PRINTED, ONE_DIGIT, TWO_DIGITS = "{:g}".format, "{:.1f}".format, "{:.2f}".format


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix of the paper's Table 1 (not run where it is not at hand), beside what was measured;
    then stand-ins under their own names, then other matrices of the cases, which the paper does not print."""
    measured = _per_matrix(inputs)
    by_abbreviation = {row["abbr"]: row for row in measured if row["abbr"]}
    rows = [
        {**_printed(printed), **by_abbreviation.get(printed["abbr"], {})}
        for printed in printed_table("gsofa_table1_matrices").to_dict("records")
    ]
    others = [row for row in measured if not row["abbr"]]
    rows += sorted(others, key=lambda row: row["role"] == "other")
    columns = [
        "matrix", "abbr", "role", "stand_in_for", *(f"paper_{name}" for name in PRINTED), "status", "order",
        "nnz", "explicit_zeros", "structural_symmetry", "diagonal_added", "zeros_kept", "nnz_per_row",
        "fills", "fills_per_nnz", "preparation", "case", "machine",
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=columns)
    whole = dict.fromkeys(("paper_order", "paper_nnz", "order", "nnz", "fills"), "Int64")
    whole |= dict.fromkeys(("explicit_zeros", "diagonal_added"), "Int64")
    floats = dict.fromkeys(
        ("paper_fillins_per_nnz", "structural_symmetry", "nnz_per_row", "fills_per_nnz"), "float64"
    )
    return table.astype({**whole, **floats, "zeros_kept": "boolean"})


def facts(frame: pd.DataFrame) -> Mapping[str, object]:
    """What the caption counts, and the orderings."""
    ok = frame[frame["status"] == "ok"]
    return {
        "orderings": listed(ok["preparation"].dropna()),
        "zeros": int((ok["zeros_kept"].eq(True) & ok["explicit_zeros"].gt(0)).fillna(False).sum()),
        "measured": len(ok),
        "holes": int(ok["diagonal_added"].gt(0).fillna(False).sum()),
    }


def _named(frame: pd.DataFrame) -> list[Subset]:
    return [Subset(frame.assign(label=frame["matrix"]))]


def _per_matrix(inputs: Inputs) -> list[dict[str, Any]]:
    """One row per matrix and preparation: of a verified result if there is one, else why there is none."""
    matrices = []
    for (matrix, _), group in inputs.rows().groupby(["matrix", "preparation"], sort=False):
        ok = group[(group["status"] == "ok") & group["fills"].notna()]
        row = {str(key): value for key, value in (group if ok.empty else ok).iloc[0].items()}
        entry = inputs.entry(str(matrix))
        matrices.append({**_identity(str(matrix), entry), **_measured(row)})
    return matrices


def _identity(matrix: str, entry: MatrixEntry | None) -> dict[str, Any]:
    short = abbreviation(entry, "gsofa")
    if short:
        return {"abbr": short}
    stood_for = stand_in(entry, "gsofa")
    name = entry.name if entry else printed_name(matrix)
    return {
        "matrix": name,
        "abbr": None,
        "role": "stand-in" if stood_for else "other",
        "stand_in_for": stood_for,
    }


def _measured(row: Mapping[str, Any]) -> dict[str, Any]:
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


def _name(row: Row) -> str:
    if row["role"] == "paper":
        return f"{row['matrix']} ({row['abbr']})"
    stood_for = f", stand-in for {row['stand_in_for']}" if row["role"] == "stand-in" else ""
    return f"{row['matrix']}{stood_for}"


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Table 1",
    "the matrices, as printed and as measured",
    frame,
    Table(
        [
            Words("matrix", 3.0, _name, left=True),
            Column("order", 1.1, THEIRS, "paper_order", COUNT),
            Column("nnz", 1.25, THEIRS, "paper_nnz", COUNT),
            Column("struct.\nsymm.", 0.8, THEIRS, "paper_structural_symmetry", AS_PRINTED),
            Column("nnz\n/ row", 0.8, THEIRS, "paper_nnz_per_row", AS_PRINTED),
            Column("fill-ins\n/ nnz", 0.9, THEIRS, "paper_fillins_per_nnz", TWO_DIGITS),
            Column("order", 1.1, OURS, "order", COUNT),
            Column("nnz", 1.25, OURS, "nnz", COUNT),
            Column("explicit\nzeros", 0.95, OURS, "explicit_zeros", COUNT),
            Column("struct.\nsymm.", 0.8, OURS, "structural_symmetry", TWO_DIGITS),
            Column("nnz\n/ row", 0.8, OURS, "nnz_per_row", ONE_DIGIT),
            Column("fill-ins\n/ nnz", 0.9, OURS, "fills_per_nnz", TWO_DIGITS),
            Column("status", 1.4, "", "status"),
        ]
    ),
    """Printed: the paper's Table 1, which leaves explicit zeros out of nnz and orders by ParMETIS. Measured:
    verified results, nnz counted likewise; preparation: {orderings}. What is factorised has explicit zeros in
    {zeros} of {measured} measured matrices, and a diagonal that was incomplete in {holes}. Rows on grey are
    stand-ins.""",
    facts,
    held=tuple(Held(CLAIM, column, (name,), subsets=_named) for name, column in HELD.items()),
)
