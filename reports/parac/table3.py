"""Table 3: time to solution on the GPU, beside incomplete Cholesky without fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.bars import times
from reports.claims import claim
from reports.device import add_printed
from reports.figures import Entries, FigureSpec
from reports.glu3.paper import by_matrix, finished, number, paired, said, status_of
from reports.naming import lines
from reports.parac.paper import (
    FACTS,
    GPU,
    PAPER,
    PARTS,
    RULE,
    Row,
    ordered_how,
    over,
    plain,
    printed,
    printed_or_not,
    printed_sum,
    solved_frame,
    variant_of,
)
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, matrix_column, table
from reports.timed import RATIO, ratio_of
from reports.verdicts import judge, judge_all

CLAIM = "table3_gpu"
OWN, SPSV, IC0, AMGX = "parac_gpu", "parac_gpu.triangular=cusparse", "ic0_gpu", "amgx"
# How the columns of each variant are called.
SHORT = {OWN: "parac", SPSV: "spsv", IC0: "ic0", AMGX: "amgx"}
SHOWN = ("factor", "analysis", "solve", "total")


def is_shown(case: Case) -> bool:
    """A solution on the GPU, of a variant of the table."""
    return case.stage == "laplacian" and variant_of(case) in SHORT and not case.seed


def table3_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, ordering and machine: of each variant status, milliseconds of factor, analysis, solve
    and all three, iterations and true relative residual, beside the print. ratio : total of ic0_gpu over
    ParAC's, amgx_ratio that of AmgX; spsv_ratio : of ParAC with cuSPARSE's triangular solves over that with
    ours; of one run."""
    frame = solved_frame(records, entries, [case for case in cases if is_shown(case)])
    frame = by_matrix(frame, tuple(SHORT), _numbers)
    frame = add_printed(frame, _print(), paper=PAPER)
    numbers = [f"{short}_{shown}" for short in SHORT.values() for shown in (*PARTS, "total", *FACTS)]
    ratios = [f"{prefix}{name}" for prefix in ("", "spsv_", "amgx_") for name in RATIO if name != "pair"]
    texts = [*(f"status_{short}" for short in SHORT.values()), "pair", "spsv_pair", "amgx_pair"]
    return finished(frame, texts, [*_print(), *numbers, *ratios])


def table3(frame: pd.DataFrame) -> Figure:
    """Of each matrix the print, then what was measured, a row a machine."""
    rows: list[list[str]] = []
    shaded: list[bool] = []
    for _, own in frame.groupby("label", sort=False):
        found = own.to_dict("records")
        if not pd.isna(found[0]["paper_ratio"]):
            rows.append(_printed_cells(found[0], printed_or_not(found)))
            shaded.append(False)
        measured = [row for row in found if isinstance(row["machine"], str) or pd.isna(row["paper_ratio"])]
        rows += [_cells(row) for row in measured]
        shaded += [isinstance(row["stand_in_for"], str) for row in measured]
    parts = [(name, 1.0) for name in SHOWN]
    quality = [("iter.", 0.8), ("residual", 0.95)]
    columns = [
        matrix_column(rows),
        Column("", 1.9, left=True),
        *(Column(text, width, "ParAC") for text, width in [*parts, *quality]),
        *(Column(text, width, "ParAC, cuSPARSE's SpSV") for text, width in parts[1:]),
        *(Column(text, width, "incomplete Cholesky without fill") for text, width in [*parts, *quality]),
        Column("total", 1.0, "AmgX"),
        Column("inc. Chol.", 1.1, "total over ParAC's"),
        Column("SpSV", 1.0, "total over ParAC's"),
    ]
    return table("ParAC, Table 3: milliseconds to solution on the GPU", columns, rows, shaded)


def table3_caption(frame: pd.DataFrame) -> str:
    """What is compared, and what the columns hold."""
    return (
        "Milliseconds, medians: the factor; the analysis, which prepares the triangular solves; conjugate "
        "gradients. ParAC here: parac_gpu with triangular solves of our own, and with cuSPARSE's SpSV, which "
        "the paper takes; incomplete Cholesky: ic0_gpu, cuSPARSE's csric02 and SpSV (the print has its "
        "factor "
        "and analysis as one). The printed analysis of ParAC is what its total leaves. AmgX: printed only. "
        f"{RULE}The paper's residuals are of other rules. Ratios are of one run and machine. "
        f"{ordered_how(frame)}"
    )


def table3_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """On how many matrices ParAC takes less than the others, and how much; its iterations."""
    ic0 = [claim(PAPER, CLAIM, name) for name in ("below_ic0", "over_ic0")]
    amgx = [claim(PAPER, CLAIM, name) for name in ("below_amgx", "over_amgx")]
    return [
        *judge_all(
            frame, ic0, "ratio", status="pair", by_edges=False, basis="total, ic0_gpu over parac_gpu"
        ),
        *judge_all(
            frame, amgx, "amgx_ratio", status="amgx_pair", by_edges=False, basis="total, AmgX over ParAC"
        ),
        *judge(
            frame, claim(PAPER, CLAIM, "iterations"), "parac_iterations", status="status_parac",
            by_edges=False,
        ),
    ]  # fmt: skip


def _print() -> dict[str, dict[str, float | None]]:
    """The printed columns by the names that they have in the frame."""
    columns = {
        "parac_factor": "parac_factor_ms", "parac_solve": "parac_solve_ms", "parac_total": "parac_total_ms",
        "parac_iterations": "parac_iter", "parac_residual": "parac_relres",
        "ic0_factor": "ic0_analysis_factor_ms",
        "ic0_solve": "ic0_solve_ms", "ic0_iterations": "ic0_iter", "ic0_residual": "ic0_relres",
        "amgx_total": "amgx_total_ms",
    }  # fmt: skip
    found = {f"paper_{ours}": printed(GPU, theirs) for ours, theirs in columns.items()}
    found["paper_ic0_total"] = printed_sum(GPU, "ic0_analysis_factor_ms", "ic0_solve_ms")
    found["paper_ratio"] = over(found["paper_ic0_total"], found["paper_parac_total"])
    found["paper_amgx_ratio"] = over(found["paper_amgx_total"], found["paper_parac_total"])
    return found


def _numbers(found: Mapping[str, Row]) -> dict[str, Any]:
    """What a row says of the variants of its matrix, in milliseconds."""
    rows = {short: found.get(variant) for variant, short in SHORT.items()}
    own: dict[str, Any] = {f"status_{short}": status_of(row) for short, row in rows.items()}
    for short, row in rows.items():
        seconds = {name: number(row, name) for name in (*PARTS, "total")}
        own |= {f"{short}_{name}": None if s is None else 1e3 * s for name, s in seconds.items()}
        own |= {f"{short}_{name}": number(row, name) for name in FACTS}
    ok = [row for row in rows.values() if row is not None and row["status"] == "ok"]
    return {
        **own,
        "status": own["status_parac"],
        "samples": ok[0]["samples"] if ok else 0,
        **paired("", ratio_of(rows["ic0"], rows["parac"], (IC0, OWN))),
        **paired("spsv_", ratio_of(rows["spsv"], rows["parac"], (SPSV, OWN))),
        **paired("amgx_", ratio_of(rows["amgx"], rows["parac"], (AMGX, OWN))),
    }


def _printed_cells(row: Row, said_: str) -> list[str]:
    analysis = row["paper_parac_total"] - row["paper_parac_factor"] - row["paper_parac_solve"]
    return [
        lines(row).replace("\n", ", "), said_,
        plain(row["paper_parac_factor"]), plain(analysis), plain(row["paper_parac_solve"]),
        plain(row["paper_parac_total"]), *_quality(row, "paper_parac"), "", "", "",
        plain(row["paper_ic0_factor"]), "", plain(row["paper_ic0_solve"]), plain(row["paper_ic0_total"]),
        *_quality(row, "paper_ic0"), plain(row["paper_amgx_total"], "OOM"), times(row["paper_ratio"]), "",
    ]  # fmt: skip


def _cells(row: Row) -> list[str]:
    measured = isinstance(row["machine"], str)
    held = not pd.isna(row["paper_ratio"])
    where = str(row["machine"]) if measured else said(str(row["status"]))
    amgx = said(str(row["status_amgx"])) if measured else "-"
    ratios = ["-" if pd.isna(row[name]) else times(row[name]) for name in ("ratio", "spsv_ratio")]
    return [
        "" if held else lines(row).replace("\n", ", "), where, *_variant_cells(row, "parac", 0),
        *_variant_cells(row, "spsv", 1)[:3], *_variant_cells(row, "ic0", 0), amgx, *ratios,
    ]  # fmt: skip


def _variant_cells(row: Row, short: str, first: int) -> list[str]:
    """From which of SHOWN on."""
    if row[f"status_{short}"] != "ok":
        said_ = said(str(row[f"status_{short}"])) if isinstance(row["machine"], str) else "-"
        return [said_, *[""] * (len(SHOWN) - first + 1)]
    return [*(plain(row[f"{short}_{name}"]) for name in SHOWN[first:]), *_quality(row, short)]


def _quality(row: Row, prefix: str) -> list[str]:
    return [f"{row[f'{prefix}_iterations']:,.0f}", f"{row[f'{prefix}_residual']:.0e}"]


SPEC = FigureSpec(
    "Table 3: milliseconds to solution on the GPU",
    is_shown,
    table3_frame,
    table3,
    table3_caption,
    state="drawn, from no record yet",
    claims=(CLAIM,),
    judge=table3_verdicts,
    one_run=True,
)
