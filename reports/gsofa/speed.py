"""Beyond the paper: row counts alone, which is all that the paper's GSoFA and fill2 compute, against a good
sequential code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.figures import Entries, FigureSpec
from reports.naming import lines
from reports.records import Records
from reports.tables import Column, machine_column, matrix_column, table
from reports.timed import prepared_how, ratio_of, timed_frame

CODES = ("fill1_pruned", "fill2_gpu", "gsofa")
HELD = ("fill1_pruned", "fill2_gpu")


def speed_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix and machine: median seconds and status of each code, edges of fill2 and of gsofa, their
    ratio, and of each other code its seconds over gsofa's in the same run (`pair_<code>` says `ok` or why
    there is none)."""
    frame = timed_frame(records, entries, cases)
    # What no machine has tried is missing on each of those that tried the others.
    tried = frame.groupby("group")["machine"].transform("count") > 0
    frame = frame[frame["machine"].notna() | ~tried]
    rows = [_row(group) for _, group in frame.groupby(["group", "machine"], sort=False, dropna=False)]
    own = [f"{kind}_{code}" for code in CODES for kind in ("status", "seconds")]
    own += [f"{kind}_{code}" for code in HELD for kind in ("pair", "over", "over_low", "over_high")]
    first = ["label", "abbr", "stand_in_for", "group", "preparation", "n", "nnz", "fills"]
    last = ["edges_fill2", "edges_gsofa", "edges_ratio", "run_id", "machine", "where"]
    return pd.DataFrame(rows, columns=[*first, *own, *last])


def speed(frame: pd.DataFrame) -> Figure:
    """Milliseconds of each code, one row a matrix and machine."""
    rows = [_cells(row) for row in frame.to_dict("records")] or [["no case of this table in the suite"]]
    columns = [
        matrix_column(rows),
        *(Column(heading, 1.2) for heading in ("n", "nnz", "fill-ins")),
        *(Column(heading, 1.5, "milliseconds, row counts only") for heading in _headings()),
        *(Column(heading, 1.4, "over gsofa, seconds") for heading in ("fill1_pruned", "fill2_gpu")),
        Column("edges,\ngsofa / fill2", 1.4),
        machine_column(rows),
    ]
    padded = [[*row, *[""] * (len(columns) - len(row))] for row in rows]
    return table("Row counts only: gsofa, fill2_gpu, fill1_pruned", columns, padded, [False] * len(rows))


def speed_caption(frame: pd.DataFrame) -> str:
    """What is compared, and what is not the paper's."""
    return (
        "Not in the paper. output=counts: rows are counted, none is stored. fill1_pruned: sequential, one "
        "core of the host; it traverses the filled graph, fill2 and gsofa traverse A. The edges of gsofa "
        "depend on how its sources are scheduled. A ratio is of two medians of one run and machine. "
        f"{_seconds(frame)}"
    )


def _row(group: pd.DataFrame) -> dict[str, Any]:
    """What the codes took of one matrix on one machine."""
    by_code = {row["implementation"]: row for row in group.to_dict("records")}
    ok = [row for row in by_code.values() if row["status"] == "ok"]
    known = ok[0] if ok else next(iter(by_code.values()))
    names = ("label", "abbr", "stand_in_for", "group", "preparation", "n", "nnz", "machine")
    found: dict[str, Any] = {name: known[name] for name in names}
    gsofa = by_code.get("gsofa")
    for code in CODES:
        row = by_code.get(code)
        found[f"status_{code}"] = row["status"] if row else "not_run"
        found[f"seconds_{code}"] = row["median"] if row and row["status"] == "ok" else None
    for code in HELD:
        ratio = ratio_of(by_code.get(code), gsofa, (code, "gsofa"))
        found[f"pair_{code}"] = ratio["pair"]
        for end in ("", "_low", "_high"):
            found[f"over{end}_{code}"] = ratio.get(f"ratio{end}")
    edges = {code: row["edges"] for code, row in by_code.items() if row["status"] == "ok"}
    found["edges_fill2"], found["edges_gsofa"] = edges.get("fill2_gpu"), edges.get("gsofa")
    both = found["edges_fill2"] and found["edges_gsofa"]
    found["edges_ratio"] = found["edges_gsofa"] / found["edges_fill2"] if both else None
    found["fills"] = next((row["fills"] for row in ok if row["fills"] is not None), None)
    found["run_id"] = ", ".join(dict.fromkeys(str(row["run_id"]) for row in ok))
    found["where"] = gsofa["where"] if gsofa and gsofa["status"] == "ok" else known["where"]
    return found


def _headings() -> list[str]:
    return ["fill1_pruned\none core", "fill2_gpu", "gsofa"]


def _cells(row: Mapping[Any, Any]) -> list[str]:
    counts = ["-" if pd.isna(row[name]) else f"{int(row[name]):,}" for name in ("n", "nnz", "fills")]
    seconds = [_milliseconds(row[f"seconds_{code}"], str(row[f"status_{code}"])) for code in CODES]
    ratios = ["-" if pd.isna(row[f"over_{code}"]) else f"{row[f'over_{code}']:.2f}x" for code in HELD]
    edges = "-" if pd.isna(row["edges_ratio"]) else f"{row['edges_ratio']:.2f}"
    return [lines(row).replace("\n", ", "), *counts, *seconds, *ratios, edges, str(row["where"])]


def _milliseconds(seconds: float | None, status: str) -> str:
    return status.replace("_", " ") if seconds is None or pd.isna(seconds) else f"{1e3 * seconds:,.2f}"


def _seconds(frame: pd.DataFrame) -> str:
    timed = frame[[f"seconds_{code}" for code in CODES]].notna().any(axis=None) if len(frame) else False
    if not timed:
        return "Nothing of it was measured here."
    return f"Medians, input and result resident where they are used. {prepared_how(frame)}"


def _concerns(case: Case) -> bool:
    return case.stage == "symbolic" and case.implementation in CODES and ("output", "counts") in case.options


SPEC = FigureSpec(
    "Row counts: gsofa and fill2_gpu against a good sequential code (beyond the paper)",
    _concerns,
    speed_frame,
    speed,
    speed_caption,
    one_run=True,
)
