"""Table 3: time to solution on the GPU, beside incomplete Cholesky without fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.bars import times
from reports.claims import claim
from reports.figures import Entries, FigureSpec
from reports.parac.paper import GPU, PAPER, RULE, ordered_how, over, plain, printed, printed_sum
from reports.parac.solved import (
    absent_cells,
    is_variant,
    matrices_frame,
    numbers_of,
    quality_cells,
    rows_of,
)
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, matrix_column, table
from reports.timed import ratio_of
from reports.variants import Row, number, paired
from reports.verdicts import judge, judge_all

CLAIM = "table3_gpu"
OWN, SPSV, IC0, AMGX = "parac_gpu", "parac_gpu.triangular=cusparse", "ic0_gpu", "amgx"
BY_LEVELS = "ic0_gpu.policy=levels"
# How the columns of each variant are called; those of ic0_gpu are of the policy of csric02 that takes less.
SHORT = {OWN: "parac", SPSV: "spsv", IC0: "ic0", AMGX: "amgx"}
VARIANTS = (*SHORT, BY_LEVELS)
SHOWN = ("factor", "analysis", "solve", "total")

# Of whom the paper prints iterations, by the claim's name.
ITERATIONS = {"iterations": "parac", "ic0_iterations": "ic0", "amgx_iterations": "amgx"}


def is_shown(case: Case) -> bool:
    """A solution on the GPU, of a variant of the table."""
    return is_variant(case, VARIANTS)


def table3_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, ordering and machine: of each variant status, milliseconds of factor, analysis, solve
    and all three, iterations and true relative residual, beside the print. ratio : total of ic0_gpu, by
    the policy of csric02 that takes less, over ParAC's, amgx_ratio that of AmgX; spsv_ratio : of ParAC with
    cuSPARSE's triangular solves over that with ours; of one run."""
    names = tuple(SHORT.values())
    return matrices_frame(records, entries, cases, VARIANTS, names, _numbers, _print(), ("spsv_", "amgx_"))


def table3(frame: pd.DataFrame) -> Figure:
    """Of each matrix the print, then what was measured, a row a machine."""
    rows, shaded = rows_of(frame, _printed_cells, _cells)
    parts = [(name, 1.0) for name in SHOWN]
    quality = [("iter.", 0.8), ("residual", 0.95)]
    columns = [
        matrix_column(rows),
        Column("", 1.9, left=True),
        *(Column(text, width, "ParAC") for text, width in [*parts, *quality]),
        *(Column(text, width, "ParAC, cuSPARSE's SpSV") for text, width in parts[1:]),
        *(Column(text, width, "incomplete Cholesky without fill") for text, width in [*parts, *quality]),
        Column("total", 1.35, "AmgX"),
        Column("inc. Chol.", 1.1, "total over ParAC's"),
        Column("SpSV", 1.0, "total over ParAC's"),
    ]
    return table("ParAC, Table 3: milliseconds to solution on the GPU", columns, rows, shaded)


def table3_caption(frame: pd.DataFrame) -> str:
    """What is compared, and what the columns hold."""
    return (
        "Milliseconds, medians: the factor; the analysis, which prepares the triangular solves; conjugate "
        "gradients. ParAC here: parac_gpu with triangular solves of our own, and with cuSPARSE's SpSV, which "
        "the paper takes; incomplete Cholesky: ic0_gpu, cuSPARSE's csric02, by that of its two policies "
        "which takes less, and SpSV (the print has its "
        "factor "
        "and analysis as one). The printed analysis of ParAC is what its total leaves. AmgX: printed only. "
        f"{RULE}The paper's residuals are of other rules. Ratios are of one run and machine. "
        f"{ordered_how(frame)}"
    )


def table3_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """On how many matrices ParAC takes less than the others, and how much; the iterations of each."""
    ic0 = [claim(PAPER, CLAIM, name) for name in ("below_ic0", "over_ic0")]
    amgx = [claim(PAPER, CLAIM, name) for name in ("below_amgx", "over_amgx")]
    return [
        *judge_all(
            frame, ic0, "ratio", status="pair", by_edges=False, basis="total, ic0_gpu over parac_gpu"
        ),
        *judge_all(
            frame, amgx, "amgx_ratio", status="amgx_pair", by_edges=False, basis="total, AmgX over ParAC"
        ),
        *(
            verdict
            for name, ours in ITERATIONS.items()
            for verdict in judge(
                frame, claim(PAPER, CLAIM, name), f"{ours}_iterations", status=f"status_{ours}",
                by_edges=False,
            )
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
    peer = _better(found)
    rows = {short: found.get(peer if variant == IC0 else variant) for variant, short in SHORT.items()}
    return {
        **numbers_of(rows, "parac", 1e3),
        **paired("", ratio_of(rows["ic0"], rows["parac"], (peer, OWN))),
        **paired("spsv_", ratio_of(rows["spsv"], rows["parac"], (SPSV, OWN))),
        **paired("amgx_", ratio_of(rows["amgx"], rows["parac"], (AMGX, OWN))),
    }


def _better(found: Mapping[str, Row]) -> str:
    """The variant of ic0_gpu that takes less, as far as both are measured."""
    totals = {variant: number(found.get(variant), "total") for variant in (IC0, BY_LEVELS)}
    measured = {variant: total for variant, total in totals.items() if total is not None}
    return min(measured, key=lambda variant: measured[variant], default=IC0)


def _printed_cells(row: Row) -> list[str]:
    analysis = row["paper_parac_total"] - row["paper_parac_factor"] - row["paper_parac_solve"]
    return [
        plain(row["paper_parac_factor"]), plain(analysis), plain(row["paper_parac_solve"]),
        plain(row["paper_parac_total"]), *quality_cells(row, "paper_parac"), "", "", "",
        plain(row["paper_ic0_factor"]), "", plain(row["paper_ic0_solve"]), plain(row["paper_ic0_total"]),
        *quality_cells(row, "paper_ic0"), plain(row["paper_amgx_total"], "OOM"), times(row["paper_ratio"]),
        "",
    ]  # fmt: skip


def _cells(row: Row) -> list[str]:
    ratios = ["-" if pd.isna(row[name]) else times(row[name]) for name in ("ratio", "spsv_ratio")]
    return [
        *_variant_cells(row, "parac", 0), *_variant_cells(row, "spsv", 1)[:3],
        *_variant_cells(row, "ic0", 0), *absent_cells(row, "amgx", 1), *ratios,
    ]  # fmt: skip


def _variant_cells(row: Row, short: str, first: int) -> list[str]:
    """From which of SHOWN on."""
    if row[f"status_{short}"] != "ok":
        return absent_cells(row, short, len(SHOWN) - first + 2)
    return [*(plain(row[f"{short}_{name}"]) for name in SHOWN[first:]), *quality_cells(row, short)]


SPEC = FigureSpec(
    "Table 3: milliseconds to solution on the GPU",
    is_shown,
    table3_frame,
    table3,
    table3_caption,
    claims=(CLAIM,),
    judge=table3_verdicts,
    one_run=True,
)
