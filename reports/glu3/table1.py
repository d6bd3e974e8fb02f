"""Table I: kernel time of GLU2.0 and of GLU3.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from fillpath.record import interval
from reports.bars import times
from reports.claims import claim
from reports.device import NOT_MEASURED, add_printed, device_frame
from reports.figures import Entries, FigureSpec
from reports.glu3.paper import KERNELS, PAPER, milliseconds, prepared_how, printed, where
from reports.naming import lines
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, machine_column, matrix_column, table
from reports.timed import RATIO, ratio_of
from reports.variants import Row, by_matrix, cell, finished, number, paired, said, spanning, status_of
from reports.verdicts import judge, judge_all, remarks

CLAIM = "table1_kernel_time"
REPLACED = "static_pivoting=true"
FIXED, MODES, BATCHED = f"glu2.{REPLACED}", f"glu3.{REPLACED}", f"glu3.batched=true.{REPLACED}"
SHORT = {FIXED: "fixed", MODES: "modes", BATCHED: "batched"}
FACTS = ("levels", "levels_a", "levels_b", "levels_c", "launches", "small_pivots")
NOT_TESTABLE = "not testable"


@dataclass(frozen=True)
class _Kernels:
    """Seconds between the events around the call, of a verified result."""

    median: float
    low: float
    high: float


def variant_of(case: Case) -> str:
    """Which of the columns a case is; empty for none."""
    written = ".".join([case.implementation, *(f"{key}={value}" for key, value in case.options)])
    return written if case.stage == "numeric" and written in SHORT else ""


def table1_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, preparation and machine: kernel milliseconds of glu2, of glu3 and of glu3 with batched
    levels beside the print; `ratio`, glu2 over glu3, `batched_ratio`, glu3 over batched, each of one run;
    levels in each mode, launches of glu3 and pivots that it replaced. over_lee : that nothing here can be
    held against the last column."""
    chosen = [case for case in cases if variant_of(case)]
    frame = device_frame(records, entries, chosen, FACTS, paper=PAPER)
    frame["variant"] = [variant_of(Case.parse(case)) for case in frame["case"]]
    _use_kernel_seconds(frame, records)
    frame = by_matrix(frame, tuple(SHORT), _numbers)
    columns = {
        "paper_rows": "rows", "paper_nz": "nz", "paper_ms_fixed": "glu2_ms", "paper_ms_modes": "glu3_ms",
        "paper_ratio": "speedup_over_glu2", "paper_over_lee": "speedup_over_lee",
    }  # fmt: skip
    frame = add_printed(
        frame, {name: printed(KERNELS, column) for name, column in columns.items()}, paper=PAPER
    )
    frame["over_lee"] = NOT_TESTABLE
    texts = [f"status_{short}" for short in SHORT.values()] + ["pair", "batched_pair", "over_lee"]
    ratios = [f"{prefix}{name}" for prefix in ("", "batched_") for name in RATIO if name != "pair"]
    seconds = [f"ms_{short}" for short in SHORT.values()]
    counted = [*FACTS, "launches_batched"]
    return finished(frame, texts, ["n", "nz", *columns, *seconds, *ratios, *counted])


def table1(frame: pd.DataFrame) -> Figure:
    """The print beside what was measured, one row a matrix and machine."""
    rows = [_cells(row) for row in frame.to_dict("records")]
    columns = [
        matrix_column(rows),
        Column("rows", 1.15, "printed"),
        Column("nz", 1.15, "printed"),
        Column("GLU2.0", 1.1, "kernel ms, printed"),
        Column("GLU3.0", 1.1, "kernel ms, printed"),
        *(Column(heading, 1.2, "kernel ms, here") for heading in ("glu2", "glu3", "glu3,\nbatched")),
        Column("printed", 1.05, "GLU2.0 over GLU3.0"),
        Column("here", 1.05, "GLU2.0 over GLU3.0"),
        Column("glu3 over\nbatched", 1.15),
        Column("printed", 0.95, "Lee's over GLU3.0"),
        Column("here", 1.25, "Lee's over GLU3.0"),
        Column("A", 0.7, "levels in mode"),
        Column("B", 0.7, "levels in mode"),
        Column("C", 0.8, "levels in mode"),
        machine_column(rows),
    ]
    shaded = [isinstance(name, str) for name in frame["stand_in_for"]]
    return table("GLU3.0, Table I: kernel time of GLU2.0 and GLU3.0", columns, rows, shaded)


def table1_caption(frame: pd.DataFrame) -> str:
    """What a kernel's time is here, and what cannot be tested."""
    return (
        "Numeric factorisation of relaxed levels in float32; no pivot is chosen, small ones are replaced as "
        "the authors' code does (the CSV says how many). glu2: a block of 32 warps a column, a warp a "
        "sub-column, in every level (the slides leave the shape open: our reading); glu3: "
        "modes A, B and C by the columns of the level, at the thresholds of the authors' code; batched, not "
        "in the paper: consecutive levels of 2048 columns and fewer in one launch. Kernel time: medians "
        "between device events around the call, launches and allocations included; what the printed GPU time "
        "spans is not said. Ratios are of one run and machine. Lee's code (the paper's last column) is not "
        f"public: nothing here can be held against it. {prepared_how(frame)}"
    )


def table1_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Order and entries; how many times longer GLU2.0's kernels take; what batching gains."""
    over_glu2 = [claim(PAPER, CLAIM, name) for name in ("mean", "geometric", "each")]

    def batched(rows: pd.DataFrame) -> str:
        return f"{spanning(rows, 'batched_ratio')}, not in the paper"

    listed = [
        verdict
        for name, column in (("order", "n"), ("nnz", "nz"))
        for verdict in judge(frame, claim(PAPER, CLAIM, name), column, status="status_modes", by_edges=False)
    ]
    return listed + judge_all(
        frame, over_glu2, "ratio", status="pair", by_edges=False, basis="kernel seconds, GLU2.0 over GLU3.0"
    ) + remarks(
        frame, f"{PAPER}.{CLAIM}", "batched_ratio", batched, basis="kernel seconds, glu3 over batched",
        status="batched_pair", by_edges=False,
    )  # fmt: skip


def _use_kernel_seconds(frame: pd.DataFrame, records: Records) -> None:
    """Put the seconds of kernels in place of the call's, and `not_measured` where a record has none."""
    for place, (case, machine) in enumerate(zip(frame["case"], frame["machine"], strict=True)):
        if frame.at[place, "status"] != "ok":
            continue
        known = _kernels(records, case, machine)
        if known is None:
            frame.at[place, "status"] = NOT_MEASURED
        else:
            frame.loc[place, ["median", "low", "high"]] = [known.median, known.low, known.high]


def _kernels(records: Records, case: str, machine: str) -> _Kernels | None:
    found = records.result(case, machine)
    if found is None or not found.kernel_seconds:
        return None
    return _Kernels(float(np.median(found.kernel_seconds)), *interval(found.kernel_seconds))


def _numbers(found: Mapping[str, Row]) -> dict[str, Any]:
    """What a row says of the variants of its matrix."""
    rows = {short: found.get(variant) for variant, short in SHORT.items()}
    own = {f"status_{short}": status_of(row) for short, row in rows.items()}
    failed = [own[f"status_{short}"] for short in ("fixed", "modes") if own[f"status_{short}"] != "ok"]
    seconds = {f"ms_{short}": number(row, "median") for short, row in rows.items()}
    ok = [row for row in rows.values() if row is not None and row["status"] == "ok"]
    return {
        **own,
        **{name: None if value is None else 1e3 * value for name, value in seconds.items()},
        **{name: number(rows["modes"], name) for name in FACTS},
        "launches_batched": number(rows["batched"], "launches"),
        "status": failed[0] if failed else "ok",
        "nz": number(ok[0], "entries") if ok else None,
        "n": ok[0]["n"] if ok else None,
        "samples": ok[0]["samples"] if ok else 0,
        **paired("", ratio_of(rows["fixed"], rows["modes"], (FIXED, MODES))),
        **paired("batched_", ratio_of(rows["modes"], rows["batched"], (MODES, "batched"))),
    }


def _cells(row: Row) -> list[str]:
    counts = [cell(row[name], ",.0f") for name in ("paper_rows", "paper_nz")]
    times_of = [milliseconds(row[f"paper_ms_{kind}"]) for kind in ("fixed", "modes")]
    for short in SHORT.values():
        absent = said(str(row[f"status_{short}"])) if isinstance(row["machine"], str) else "-"
        times_of.append(milliseconds(row[f"ms_{short}"], absent))
    ratios = [row[name] for name in ("paper_ratio", "ratio", "batched_ratio", "paper_over_lee")]
    modes = [cell(row[f"levels_{mode}"], ",.0f") for mode in "abc"]
    return [
        lines(row).replace("\n", ", "), *counts, *times_of,
        *("-" if pd.isna(ratio) else times(ratio) for ratio in ratios), str(row["over_lee"]), *modes,
        where(row),
    ]  # fmt: skip


SPEC = FigureSpec(
    "Table I: kernel time of GLU2.0 and GLU3.0",
    lambda case: bool(variant_of(case)),
    table1_frame,
    table1,
    table1_caption,
    claims=(CLAIM,),
    judge=table1_verdicts,
    one_run=True,
)
