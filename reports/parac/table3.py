"""Table 3: time to solution on the GPU, beside incomplete Cholesky without fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.dicts import Row
from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.facts.means import geometric_mean
from reports.facts.printed import printed_column
from reports.frames.parac import GPU, PAPER, RULE, of_span, ordered_how, over, printed_sum
from reports.frames.seconds import ratio_of
from reports.frames.solutions import beside_print, matrices_frame, numbers_of
from reports.frames.variants import number, paired
from reports.shapes.bars import times
from reports.shapes.printed import Beside, Solutions, parts_of, plain

CLAIM = "table3_gpu"
SPSV, OWN, AMGX = "parac_gpu.triangular=cusparse", "parac_gpu", "amgx"
# The settings that ichol(0) is given the best of, with either's triangular solves.
IC0 = ("ic0_gpu", "ic0_gpu.policy=levels")
IC0_OWN = tuple(f"ic0_gpu.{options}triangular=own" for options in ("", "policy=levels.", "tail=2048."))
# How the columns of each are called; `own` is by our triangular solves, the others by SpSV.
SHORT = {"parac": (SPSV,), "parac_own": (OWN,), "ic0": IC0, "ic0_own": IC0_OWN, "amgx": (AMGX,)}
VARIANTS = tuple(name for names in SHORT.values() for name in names)
# Totals of ichol(0) over ParAC's: what the columns begin with, and who solves with either factor.
PAIRS = {
    "": ("ic0", "parac", "SpSV on both sides"),
    "own_": ("ic0_own", "parac_own", "our solves on both"),
    "mixed_": ("ic0", "parac_own", "ours for ParAC alone"),
    "swapped_": ("ic0_own", "parac", "ours for ichol(0) alone"),
}
# Of whom the paper prints iterations, by the claim's name.
ITERATIONS = {"iterations": "parac", "ic0_iterations": "ic0", "amgx_iterations": "amgx"}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, ordering and machine: of each factor, solved with by SpSV and by our own solves,
    status, milliseconds of factor, analysis, solve and all three, iterations and true relative residual,
    beside the print.

    ratio, own_ratio, mixed_ratio, swapped_ratio : total of ichol(0), by those of its settings that take
        least, over ParAC's, as PAIRS says; amgx_ratio that of AmgX, by SpSV; of one run
    ic0_setup : milliseconds of csric02 and of SpSV's analysis, without the forming of the triangle, which the
        total has
    setup_ratio : ParAC's factor over it, of one run
    more_iterations : ichol(0)'s iterations over ParAC's.
    """
    more = ["ic0_setup", "more_iterations"]
    others = [*(prefix for prefix in PAIRS if prefix), "amgx_", "setup_"]
    return matrices_frame(inputs, VARIANTS, tuple(SHORT), _numbers, _print(), others, more)


def _print() -> dict[str, Mapping[str, float | None]]:
    """The printed columns by the names that they have in the frame."""
    columns = {
        "parac_factor": "parac_factor_ms", "parac_solve": "parac_solve_ms", "parac_total": "parac_total_ms",
        "parac_iterations": "parac_iter", "parac_residual": "parac_relres",
        "ic0_setup": "ic0_analysis_factor_ms",
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
    rows = {short: _best(by_variant, names) for short, names in SHORT.items()}
    numbers = numbers_of(rows, "parac", 1e3)
    for prefix, (top, bottom, _) in PAIRS.items():
        numbers |= paired(prefix, ratio_of(rows[top], rows[bottom], (top, bottom)))
    numbers |= paired("amgx_", ratio_of(rows["amgx"], rows["parac"], ("amgx", "parac")))
    setup = number(rows["ic0"], "setup")
    numbers["ic0_setup"] = None if setup is None else 1e3 * setup
    parac, ic0 = rows["parac"], rows["ic0"]
    factors = parac and of_span(parac, "factor"), ic0 and of_span(ic0, "setup")
    numbers |= paired("setup_", ratio_of(*factors, ("parac", "ic0")))
    numbers["more_iterations"] = _over(numbers["ic0_iterations"], numbers["parac_iterations"])
    return numbers


def _over(top: float | None, bottom: float | None) -> float | None:
    return top / bottom if top is not None and bottom else None


def _best(by_variant: Mapping[str, Row], names: Sequence[str]) -> Row | None:
    """The one of these variants that takes least, as far as they are measured; of the run of ParAC's, if any
    is."""
    measured = [by_variant[name] for name in names if number(by_variant.get(name), "total") is not None]
    run = by_variant[SPSV]["run_id"] if SPSV in by_variant else None
    of_run = [row for row in measured if row["run_id"] == run]
    if not measured:
        return next((by_variant[name] for name in names if name in by_variant), None)
    return min(of_run or measured, key=lambda row: float(row["total"]))


def _derived(frame: pd.DataFrame) -> pd.DataFrame:
    return beside_print(frame, _print())


def means(frame: pd.DataFrame) -> str:
    """Of each pair that was measured, the geometric mean of its ratios and how many are above 1."""
    texts = []
    for prefix, (_, _, words) in PAIRS.items():
        ratios = frame[f"{prefix}ratio"].dropna()
        if len(ratios):
            above = int((ratios > 1).sum())
            texts.append(f"{words} {times(geometric_mean(ratios))} ({above} of {len(ratios)} above 1)")
    return f"Its total over ParAC's, geometric mean: {'; '.join(texts)}. " if texts else ""


def absent(frame: pd.DataFrame) -> str:
    """That AmgX has no result, where it has none."""
    return "" if frame.empty or _has_amgx(frame) else "AmgX has no result here; its print is in the CSV. "


def _has_amgx(frame: pd.DataFrame) -> bool:
    return bool((frame["status_amgx"] == "ok").any())


COLUMNS = (
    *parts_of(
        "parac",
        "ParAC, SpSV",
        [("factor", 0.85, "factor"), ("solve", 0.85, "solve"), ("iter.", 0.7, "iterations")],
    ),
    *parts_of(
        "ic0",
        "ichol(0), SpSV",
        [("setup", 0.8, "setup"), ("solve", 0.85, "solve"), ("iter.", 0.8, "iterations")],
    ),
    *(
        Beside(heading, 0.85, group, f"{short}_total", plain, empty="")
        for group, shorts in (
            ("total, SpSV", ("parac", "ic0")),
            ("total, our solves", ("parac_own", "ic0_own")),
        )
        for heading, short in zip(("ParAC", "ichol(0)"), shorts, strict=True)
    ),
    Beside("SpSV", 0.8, "ichol(0) over ParAC", "ratio", times),
    Beside("our solves", 0.8, "ichol(0) over ParAC", "own_ratio", times),
)
OF_AMGX = (
    Beside("total", 0.85, "AmgX", "amgx_total", plain, "status_amgx"),
    Beside("over ParAC", 0.85, "AmgX", "amgx_ratio", times),
)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """The table, with AmgX's columns where it has a result."""
    return Solutions([*COLUMNS, *(OF_AMGX if _has_amgx(frame) else ())], _derived)(frame, title)


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Table 3",
    "milliseconds to solution on the GPU",
    frame,
    draw,
    """Medians; in grey what is printed, of a stand-in of the matrix named. Total: with forming the triangle
    and SpSV's analysis. Triangular solves: SpSV, as in the paper, or ours. ichol(0): csric02, best of its
    settings. {means}{absent}{rule}{ordered}""",
    lambda frame: {
        "rule": RULE,
        "means": means(frame),
        "absent": absent(frame),
        "ordered": ordered_how(frame),
    },
    held=(
        Held(CLAIM, "ratio", ("below_ic0", "over_ic0"), "pair"),
        *(
            Held(
                CLAIM,
                f"{prefix}ratio",
                ("below_ic0", "over_ic0"),
                f"{prefix}pair",
                f"total of ichol(0) over ParAC's, {words}",
                beside=True,
            )
            for prefix, (_, _, words) in PAIRS.items()
            if prefix in ("own_", "mixed_")
        ),
        Held(CLAIM, "setup_ratio", ("setup",), "setup_pair"),
        Held(CLAIM, "more_iterations", ("more_iterations",), "status_ic0"),
        Held(CLAIM, "amgx_ratio", ("below_amgx", "over_amgx"), "amgx_pair", "total, AmgX over ParAC"),
        *(Held(CLAIM, f"{ours}_iterations", (name,), f"status_{ours}") for name, ours in ITERATIONS.items()),
    ),
    one_run=True,
)
