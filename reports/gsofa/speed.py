"""Beyond the paper: row counts alone, which is all that the paper's GSoFA and fill2 compute, against good
sequential codes, against trees and fronts of bits, and against other authors' libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from fillpath.dicts import Row, dicts
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.frames.phase_sums import phases_of, put_symbolic_phases
from reports.frames.seconds import by_machine, prepared_how, ratio_of, timed_frame, with_transfers
from reports.frames.sequential import RATIOS as OF_SEQUENTIAL
from reports.frames.sequential import SEQUENTIAL, TEXTS, marks_of, sequential_how, sequential_over
from reports.shapes.bars import times
from reports.shapes.tables import COUNT, Column, Table, matrix_column

FRONTS = "bitfronts_gpu_fronts"
# SuperLU_DIST on ranks, of which those that take least are shown.
PARALLEL = "superlu_dist_parallel"
PEERS = ("superlu_dist", PARALLEL, "klu", "cudss")
OURS = (
    "fill1_pruned", "fill1_supernodal", "etree_cpu", "bitfronts_cpu", "fill2_gpu", "gsofa", "bitfronts_gpu",
    FRONTS,
)  # fmt: skip
CODES = (*OURS, *PEERS)
HELD = tuple(code for code in CODES if code != "gsofa")


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: median seconds and status of each code, of peers those of their
    symbolic phases, `ranks` of SuperLU_DIST, edges of fill2 and of gsofa, their ratio, and of each other code
    its seconds over gsofa's in the same run (`pair_<code>` says `ok` or why there is none), without and with
    transfers (`moved_<code>`); likewise of the fastest of the good sequential codes, which `sequential`
    names."""
    timed = timed_frame(inputs)
    put_symbolic_phases(timed, inputs.records)
    rows = [_row(part) for part in by_machine(dicts(timed))]
    columns = [f"{kind}_{code}" for code in CODES for kind in ("status", "seconds")]
    ratios = ("pair", "over", "over_low", "over_high", "moved")
    columns += [f"{kind}_{code}" for code in HELD for kind in ratios]
    columns += [*TEXTS, *OF_SEQUENTIAL]
    first = ["label", "abbr", "stand_in_for", "group", "preparation", "n", "nnz", "fills"]
    last = ["ranks", "edges_fill2", "edges_gsofa", "edges_ratio", "run_id", "machine", "where"]
    return pd.DataFrame(rows, columns=[*first, *columns, *last])


def _row(rows: Sequence[Row]) -> dict[str, Any]:
    """What the codes took of one matrix on one machine."""
    by_code = _by_code(rows)
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
    result["ranks"] = _ranks(by_code.get(PARALLEL))
    edges = {code: row["edges"] for code, row in by_code.items() if row["status"] == "ok"}
    result["edges_fill2"], result["edges_gsofa"] = edges.get("fill2_gpu"), edges.get("gsofa")
    both = result["edges_fill2"] and result["edges_gsofa"]
    result["edges_ratio"] = result["edges_gsofa"] / result["edges_fill2"] if both else None
    result["fills"] = next((row["fills"] for row in ok if row["fills"] is not None), None)
    result["run_id"] = ", ".join(dict.fromkeys(str(row["run_id"]) for row in ok))
    result["where"] = gsofa["where"] if gsofa and gsofa["status"] == "ok" else known["where"]
    return result


def _by_code(rows: Sequence[Row]) -> dict[str, Row]:
    """The row of each code; of SuperLU_DIST on ranks that which takes least, of gsofa's run if any is."""
    by_code: dict[str, Row] = {_code(row): row for row in rows}
    ok = [row for row in rows if _code(row) == PARALLEL and row["status"] == "ok"]
    run = by_code["gsofa"]["run_id"] if "gsofa" in by_code else None
    chosen = [row for row in ok if row["run_id"] == run] or ok
    return by_code | ({PARALLEL: min(chosen, key=lambda row: float(row["median"]))} if chosen else {})


def _ranks(row: Row | None) -> float | None:
    """Of SuperLU_DIST's row; None without a time."""
    if row is None or row["status"] != "ok":
        return None
    return float(dict(Case.parse(str(row["case"])).options).get("ranks", 1))


def _code(row: Row) -> str:
    """What the columns of a case are called."""
    return FRONTS if "path=fronts" in row["options"] else str(row["implementation"])


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.{2 if seconds >= 1e-3 else 3}f}"


def _timed(heading: str, code: str, group: str = "") -> Column:
    return Column(heading, 1.1, group or SECONDS, f"seconds_{code}", _milliseconds, f"status_{code}")


SECONDS, OVER = "milliseconds, row counts only", "over gsofa, seconds"
THEIRS = "milliseconds, other authors' libraries"
# Of the picture alone: the ratio of the fastest sequential code with the code's letter, and the time on ranks
# with their number.
MARKED, RANKED = "over_sequential_marked", f"marked_{PARALLEL}"
LETTERS = ", ".join(f"{code.mark}: {name}" for name, code in SEQUENTIAL.items())
TABLE = Table(
    (
        matrix_column(),
        Column("n", 1.0, "", "n", COUNT),
        Column("nnz", 1.1, "", "nnz", COUNT),
        Column("fill-ins", 1.2, "", "fills", COUNT),
        _timed("fill1_pruned\none core", "fill1_pruned"),
        _timed("fill1_supernodal\none core", "fill1_supernodal"),
        _timed("etree_cpu\none core", "etree_cpu"),
        _timed("bitfronts_cpu\nall cores", "bitfronts_cpu"),
        _timed("fill2_gpu", "fill2_gpu"),
        _timed("gsofa", "gsofa"),
        _timed("bitfronts_gpu", "bitfronts_gpu"),
        _timed("the same,\nby fronts", FRONTS),
        _timed("SuperLU_DIST,\none core", "superlu_dist", THEIRS),
        Column("on ranks,\nthe best", 1.1, THEIRS, RANKED, why=f"status_{PARALLEL}"),
        _timed("KLU,\none core", "klu", THEIRS),
        _timed("cuDSS,\nits own count", "cudss", THEIRS),
        Column("sequential,\nthe fastest", 1.2, OVER, MARKED),
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
    ratios = zip(frame["over_sequential"], marks_of(frame), strict=True)
    marked = [f"{times(ratio)} {mark}" if pd.notna(ratio) else None for ratio, mark in ratios]
    on_ranks = zip(frame[f"seconds_{PARALLEL}"], frame["ranks"], strict=True)
    ranked = [f"{_milliseconds(s)} ({ranks:.0f})" if pd.notna(ranks) else None for s, ranks in on_ranks]
    texts = {MARKED: marked, RANKED: ranked}
    columns = {name: pd.Series(each, index=frame.index, dtype="object") for name, each in texts.items()}
    return TABLE(frame.assign(machine=[str(name) for name in frame["machine"]], **columns), title)


def _seconds(frame: pd.DataFrame) -> str:
    timed = frame[[f"seconds_{code}" for code in CODES]].notna().any(axis=None) if len(frame) else False
    if not timed:
        return "Nothing of it was measured here."
    how = f"Medians, input and result resident where they are used. {prepared_how(frame, 'gsofa')}"
    return f"{sequential_how(frame)}{_peers(frame)}{how}"


def _peers(frame: pd.DataFrame) -> str:
    """Of what the seconds of libraries are, of those that have any."""
    there = [name for name in PEERS if frame[f"seconds_{name}"].notna().any()]
    on = " Ranks in brackets." if PARALLEL in there else ""
    own = " cuDSS counts the entries of its own factors." if "cudss" in there else ""
    return f"Libraries: {', '.join(map(phases_of, there))}.{on}{own} " if there else ""


EXHIBIT = Exhibit(
    "gsofa",
    "Row counts only",
    "traversals, elimination trees, fronts of bits, and libraries",
    frame,
    draw,
    f"""Not in the paper: rows are counted, none is stored (output=counts). fill1_pruned traverses the filled
    graph, fill1_supernodal that of supernodes, fill2 and gsofa traverse A; etree_cpu counts by the
    elimination tree; of the project's own, bitfronts_cpu eliminates fronts of bits, and bitfronts_gpu counts
    by the tree where A is symmetric and by fronts of bits elsewhere. A ratio is of one run and machine;
    {LETTERS}. {{seconds}}""",
    lambda frame: {"seconds": _seconds(frame)},
    one_run=True,
    topic="Row counts by traversals, elimination trees and fronts of bits (beyond the paper)",
)
