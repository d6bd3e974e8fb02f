"""Beyond the paper: row counts alone, which is all that the paper's GSoFA and fill2 compute, against a good
sequential code."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.inputs import Inputs
from reports.frames.seconds import prepared_how, ratio_of, timed_frame, with_transfers
from reports.shapes.tables import COUNT, Column, Table, matrix_column

CODES = ("fill1_pruned", "fill2_gpu", "gsofa")
HELD = ("fill1_pruned", "fill2_gpu")


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: median seconds and status of each code, edges of fill2 and of gsofa,
    their ratio, and of each other code its seconds over gsofa's in the same run (`pair_<code>` says `ok` or
    why there is none), without and with transfers (`moved_<code>`)."""
    timed = timed_frame(inputs)
    # What no machine has tried is missing on each of those that tried the others.
    tried = timed.groupby("group")["machine"].transform("count") > 0
    timed = timed[timed["machine"].notna() | ~tried]
    rows = [_row(group) for _, group in timed.groupby(["group", "machine"], sort=False, dropna=False)]
    columns = [f"{kind}_{code}" for code in CODES for kind in ("status", "seconds")]
    ratios = ("pair", "over", "over_low", "over_high", "moved")
    columns += [f"{kind}_{code}" for code in HELD for kind in ratios]
    first = ["label", "abbr", "stand_in_for", "group", "preparation", "n", "nnz", "fills"]
    last = ["edges_fill2", "edges_gsofa", "edges_ratio", "run_id", "machine", "where"]
    return pd.DataFrame(rows, columns=[*first, *columns, *last])


def _row(group: pd.DataFrame) -> dict[str, Any]:
    """What the codes took of one matrix on one machine."""
    by_code = {row["implementation"]: row for row in group.to_dict("records")}
    ok = [row for row in by_code.values() if row["status"] == "ok"]
    known = ok[0] if ok else next(iter(by_code.values()))
    names = ("label", "abbr", "stand_in_for", "group", "preparation", "n", "nnz", "machine")
    result: dict[str, Any] = {name: known[name] for name in names}
    gsofa = by_code.get("gsofa")
    for code in CODES:
        row = by_code.get(code)
        result[f"status_{code}"] = row["status"] if row else "not_run"
        result[f"seconds_{code}"] = row["median"] if row and row["status"] == "ok" else None
    for code in HELD:
        ratio = ratio_of(by_code.get(code), gsofa, (code, "gsofa"))
        result[f"pair_{code}"] = ratio["pair"]
        for end in ("", "_low", "_high"):
            result[f"over{end}_{code}"] = ratio.get(f"ratio{end}")
        result[f"moved_{code}"] = with_transfers(by_code.get(code), gsofa)
    edges = {code: row["edges"] for code, row in by_code.items() if row["status"] == "ok"}
    result["edges_fill2"], result["edges_gsofa"] = edges.get("fill2_gpu"), edges.get("gsofa")
    both = result["edges_fill2"] and result["edges_gsofa"]
    result["edges_ratio"] = result["edges_gsofa"] / result["edges_fill2"] if both else None
    result["fills"] = next((row["fills"] for row in ok if row["fills"] is not None), None)
    result["run_id"] = ", ".join(dict.fromkeys(str(row["run_id"]) for row in ok))
    result["where"] = gsofa["where"] if gsofa and gsofa["status"] == "ok" else known["where"]
    return result


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.2f}"


SECONDS, OVER = "milliseconds, row counts only", "over gsofa, seconds"
TABLE = Table(
    (
        matrix_column(),
        Column("n", 1.0, "", "n", COUNT),
        Column("nnz", 1.1, "", "nnz", COUNT),
        Column("fill-ins", 1.2, "", "fills", COUNT),
        Column(
            "fill1_pruned\none core",
            1.4,
            SECONDS,
            "seconds_fill1_pruned",
            _milliseconds,
            "status_fill1_pruned",
        ),
        Column("fill2_gpu", 1.2, SECONDS, "seconds_fill2_gpu", _milliseconds, "status_fill2_gpu"),
        Column("gsofa", 1.1, SECONDS, "seconds_gsofa", _milliseconds, "status_gsofa"),
        Column("fill1_pruned", 1.4, OVER, "over_fill1_pruned", "{:.2f}x".format),
        Column("the same, with\ntransfers", 1.4, OVER, "moved_fill1_pruned", "{:.2f}x".format),
        Column("fill2_gpu", 1.2, OVER, "over_fill2_gpu", "{:.2f}x".format),
        Column("edges,\ngsofa / fill2", 1.4, "", "edges_ratio", "{:.2f}".format),
    ),
    shaded=lambda row: False,
    empty="no case of this table in the suite",
)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Milliseconds of each code; one that no machine has tried says so too."""
    return TABLE(frame.assign(machine=[str(name) for name in frame["machine"]]), title)


def _seconds(frame: pd.DataFrame) -> str:
    timed = frame[[f"seconds_{code}" for code in CODES]].notna().any(axis=None) if len(frame) else False
    if not timed:
        return "Nothing of it was measured here."
    return f"Medians, input and result resident where they are used. {prepared_how(frame, 'gsofa')}"


EXHIBIT = Exhibit(
    "gsofa",
    "Row counts only",
    "gsofa, fill2_gpu, fill1_pruned",
    frame,
    draw,
    """Not in the paper: rows are counted, none is stored (output=counts). fill1_pruned, on one core of the
    host, traverses the filled graph; fill2 and gsofa traverse A. A ratio is of one run and machine.
    {seconds}""",
    lambda frame: {"seconds": _seconds(frame)},
    one_run=True,
    topic="gsofa and fill2_gpu against a good sequential code (beyond the paper)",
)
