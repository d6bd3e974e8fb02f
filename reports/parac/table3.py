"""Table 3: time to solution on the GPU, beside incomplete Cholesky without fill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.frames.parac import GPU, PAPER, RULE, ordered_how, over, printed_sum
from reports.frames.seconds import ratio_of
from reports.frames.solutions import matrices_frame, numbers_of
from reports.frames.variants import number, paired
from reports.shapes.bars import times
from reports.shapes.printed import Beside, Solutions, parts_of, plain
from reports.shapes.tables import Row

CLAIM = "table3_gpu"
OWN, SPSV, IC0, AMGX = "parac_gpu", "parac_gpu.triangular=cusparse", "ic0_gpu", "amgx"
BY_LEVELS = "ic0_gpu.policy=levels"
# How the columns of each variant are called; those of ic0_gpu are of the policy of csric02 that takes less.
SHORT = {OWN: "parac", SPSV: "spsv", IC0: "ic0", AMGX: "amgx"}
VARIANTS = (*SHORT, BY_LEVELS)
# Of a variant: heading, width, part.
TIMES = tuple((part, 1.0, part) for part in ("factor", "analysis", "solve", "total"))
SHOWN = (*TIMES, ("iter.", 0.8, "iterations"), ("residual", 0.95, "residual"))
# Of whom the paper prints iterations, by the claim's name.
ITERATIONS = {"iterations": "parac", "ic0_iterations": "ic0", "amgx_iterations": "amgx"}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, ordering and machine: of each variant status, milliseconds of factor, analysis,
    solve and all three, iterations and true relative residual, beside the print.

    ratio : total of ic0_gpu, by the policy of csric02 that takes less, over ParAC's, amgx_ratio that of AmgX
    spsv_ratio : of ParAC with cuSPARSE's triangular solves over that with ours; of one run.
    """
    names = tuple(SHORT.values())
    return matrices_frame(inputs, VARIANTS, names, _numbers, _print(), ("spsv_", "amgx_"))


def _print() -> dict[str, dict[str, float | None]]:
    """The printed columns by the names that they have in the frame."""
    columns = {
        "parac_factor": "parac_factor_ms", "parac_solve": "parac_solve_ms", "parac_total": "parac_total_ms",
        "parac_iterations": "parac_iter", "parac_residual": "parac_relres",
        "ic0_factor": "ic0_analysis_factor_ms",
        "ic0_solve": "ic0_solve_ms", "ic0_iterations": "ic0_iter", "ic0_residual": "ic0_relres",
        "amgx_total": "amgx_total_ms",
    }  # fmt: skip
    prints = {f"paper_{ours}": printed_column(PAPER, GPU, theirs) for ours, theirs in columns.items()}
    prints["paper_ic0_total"] = printed_sum(GPU, "ic0_analysis_factor_ms", "ic0_solve_ms")
    prints["paper_ratio"] = over(prints["paper_ic0_total"], prints["paper_parac_total"])
    prints["paper_amgx_ratio"] = over(prints["paper_amgx_total"], prints["paper_parac_total"])
    return prints


def _numbers(by_variant: Mapping[str, Row]) -> dict[str, Any]:
    """What a row says of the variants of its matrix, in milliseconds."""
    peer = _better(by_variant)
    rows = {short: by_variant.get(peer if variant == IC0 else variant) for variant, short in SHORT.items()}
    return {
        **numbers_of(rows, "parac", 1e3),
        **paired("", ratio_of(rows["ic0"], rows["parac"], (peer, OWN))),
        **paired("spsv_", ratio_of(rows["spsv"], rows["parac"], (SPSV, OWN))),
        **paired("amgx_", ratio_of(rows["amgx"], rows["parac"], (AMGX, OWN))),
    }


def _better(by_variant: Mapping[str, Row]) -> str:
    """The variant of ic0_gpu that takes less, as far as both are measured."""
    totals = {variant: number(by_variant.get(variant), "total") for variant in (IC0, BY_LEVELS)}
    measured = {variant: total for variant, total in totals.items() if total is not None}
    return min(measured, key=lambda variant: measured[variant], default=IC0)


def _with_analysis(frame: pd.DataFrame) -> pd.DataFrame:
    """With ParAC's printed analysis, which is what its total leaves."""
    factor, solve = frame["paper_parac_factor"], frame["paper_parac_solve"]
    return frame.assign(paper_parac_analysis=frame["paper_parac_total"] - factor - solve)


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Table 3",
    "milliseconds to solution on the GPU",
    frame,
    Solutions(
        [
            *parts_of("parac", "ParAC", SHOWN),
            *parts_of("spsv", "ParAC, cuSPARSE's SpSV", TIMES[1:]),
            *parts_of("ic0", "incomplete Cholesky without fill", SHOWN),
            Beside("total", 1.35, "AmgX", "amgx_total", plain, "status_amgx", unprinted="OOM"),
            Beside("inc. Chol.", 1.1, "total over ParAC's", "ratio", times),
            Beside("SpSV", 1.0, "total over ParAC's", "spsv_ratio", times),
        ],
        _with_analysis,
    ),
    """Milliseconds, medians. ParAC: parac_gpu with triangular solves of our own, and with cuSPARSE's SpSV,
    which the paper takes; incomplete Cholesky: ic0_gpu, that is csric02 by the faster of its two policies,
    and SpSV (printed with factor and analysis as one). AmgX: printed only. The printed analysis of ParAC is
    what its total leaves. {rule}The paper's residuals are of other rules. {ordered}""",
    lambda frame: {"rule": RULE, "ordered": ordered_how(frame)},
    held=(
        Held(CLAIM, "ratio", ("below_ic0", "over_ic0"), "pair", "total, ic0_gpu over parac_gpu"),
        Held(CLAIM, "amgx_ratio", ("below_amgx", "over_amgx"), "amgx_pair", "total, AmgX over ParAC"),
        *(
            Held(CLAIM, f"{ours}_iterations", (name,), f"status_{ours}")
            for name, ours in ITERATIONS.items()
        ),
    ),
    one_run=True,
)  # fmt: skip
