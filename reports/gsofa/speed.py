"""Beyond the paper: row counts alone, which is all that the paper's GSoFA and fill2 compute, against good
sequential codes, and against trees and fronts of bits."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.inputs import Inputs
from reports.frames.seconds import prepared_how, ratio_of, timed_frame, with_transfers
from reports.frames.sequential import RATIOS as OF_SEQUENTIAL
from reports.frames.sequential import SEQUENTIAL, TEXTS, sequential_how, sequential_over
from reports.shapes.bars import times
from reports.shapes.tables import COUNT, Column, Row, Table, matrix_column

FRONTS = "bitfronts_gpu_fronts"
CODES = ("fill1_pruned", "etree_cpu", "bitfronts_cpu", "fill2_gpu", "gsofa", "bitfronts_gpu", FRONTS)
HELD = tuple(code for code in CODES if code != "gsofa")


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: median seconds and status of each code, edges of fill2 and of gsofa,
    their ratio, and of each other code its seconds over gsofa's in the same run (`pair_<code>` says `ok` or
    why there is none), without and with transfers (`moved_<code>`); likewise of the faster one of the good
    sequential codes, which `sequential` names."""
    timed = timed_frame(inputs)
    # What no machine has tried is missing on each of those that tried the others.
    tried = timed.groupby("group")["machine"].transform("count") > 0
    timed = timed[timed["machine"].notna() | ~tried]
    rows = [_row(group) for _, group in timed.groupby(["group", "machine"], sort=False, dropna=False)]
    columns = [f"{kind}_{code}" for code in CODES for kind in ("status", "seconds")]
    ratios = ("pair", "over", "over_low", "over_high", "moved")
    columns += [f"{kind}_{code}" for code in HELD for kind in ratios]
    columns += [*TEXTS, *OF_SEQUENTIAL]
    first = ["label", "abbr", "stand_in_for", "group", "preparation", "n", "nnz", "fills"]
    last = ["edges_fill2", "edges_gsofa", "edges_ratio", "run_id", "machine", "where"]
    return pd.DataFrame(rows, columns=[*first, *columns, *last])


def _row(group: pd.DataFrame) -> dict[str, Any]:
    """What the codes took of one matrix on one machine."""
    by_code = {_code(row): row for row in group.to_dict("records")}
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
    result |= sequential_over(by_code, gsofa)
    edges = {code: row["edges"] for code, row in by_code.items() if row["status"] == "ok"}
    result["edges_fill2"], result["edges_gsofa"] = edges.get("fill2_gpu"), edges.get("gsofa")
    both = result["edges_fill2"] and result["edges_gsofa"]
    result["edges_ratio"] = result["edges_gsofa"] / result["edges_fill2"] if both else None
    result["fills"] = next((row["fills"] for row in ok if row["fills"] is not None), None)
    result["run_id"] = ", ".join(dict.fromkeys(str(row["run_id"]) for row in ok))
    result["where"] = gsofa["where"] if gsofa and gsofa["status"] == "ok" else known["where"]
    return result


def _code(row: Row) -> str:
    """What the columns of a case are called."""
    return FRONTS if "path=fronts" in row["options"] else str(row["implementation"])


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.{2 if seconds >= 1e-3 else 3}f}"


def _timed(heading: str, code: str) -> Column:
    return Column(heading, 1.1, SECONDS, f"seconds_{code}", _milliseconds, f"status_{code}")


SECONDS, OVER = "milliseconds, row counts only", "over gsofa, seconds"
# The column with the ratio of the faster sequential code and the code's letter, of the picture alone.
MARKED = "over_sequential_marked"
LETTERS = ", ".join(f"{mark}: {name}" for name, mark in SEQUENTIAL.items())
TABLE = Table(
    (
        matrix_column(),
        Column("n", 1.0, "", "n", COUNT),
        Column("nnz", 1.1, "", "nnz", COUNT),
        Column("fill-ins", 1.2, "", "fills", COUNT),
        _timed("fill1_pruned\none core", "fill1_pruned"),
        _timed("etree_cpu\none core", "etree_cpu"),
        _timed("bitfronts_cpu\nall cores", "bitfronts_cpu"),
        _timed("fill2_gpu", "fill2_gpu"),
        _timed("gsofa", "gsofa"),
        _timed("bitfronts_gpu", "bitfronts_gpu"),
        _timed("the same,\nby fronts", FRONTS),
        Column("sequential,\nthe faster", 1.2, OVER, MARKED),
        Column("the same, with\ntransfers", 1.4, OVER, "moved_over_sequential", times),
        Column("fill2_gpu", 1.1, OVER, "over_fill2_gpu", times),
        Column("bitfronts_gpu", 1.2, OVER, "over_bitfronts_gpu", times),
        Column("edges,\ngsofa / fill2", 1.4, "", "edges_ratio", "{:.2f}".format),
    ),
    shaded=lambda row: False,
    empty="no case of this table in the suite",
)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Milliseconds of each code; one that no machine has tried says so too."""
    ratios = zip(frame["over_sequential"], frame["sequential"].map(SEQUENTIAL), strict=True)
    marked = [f"{times(ratio)} {mark}" if pd.notna(ratio) else None for ratio, mark in ratios]
    machines = [str(name) for name in frame["machine"]]
    shown = frame.assign(machine=machines, **{MARKED: pd.Series(marked, index=frame.index, dtype="object")})
    return TABLE(shown, title)


def _seconds(frame: pd.DataFrame) -> str:
    timed = frame[[f"seconds_{code}" for code in CODES]].notna().any(axis=None) if len(frame) else False
    if not timed:
        return "Nothing of it was measured here."
    how = f"Medians, input and result resident where they are used. {prepared_how(frame, 'gsofa')}"
    return f"{sequential_how(frame)}{how}"


EXHIBIT = Exhibit(
    "gsofa",
    "Row counts only",
    "traversals, elimination trees, fronts of bits",
    frame,
    draw,
    f"""Not in the paper: rows are counted, none is stored (output=counts). fill1_pruned traverses the filled
    graph, fill2 and gsofa traverse A; etree_cpu counts by the elimination tree; of the project's own,
    bitfronts_cpu eliminates fronts of bits, and bitfronts_gpu counts by the tree where A is symmetric and by
    fronts of bits elsewhere. A ratio is of one run and machine;
    {LETTERS}. {{seconds}}""",
    lambda frame: {"seconds": _seconds(frame)},
    one_run=True,
    topic="Row counts by traversals, elimination trees and fronts of bits (beyond the paper)",
)
