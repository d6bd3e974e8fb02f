"""Table 3: time to solution on the GPU, beside incomplete Cholesky without fill."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.parac import solution
from reports.parac.solution import RULE, below_stand_ins, columns_of
from reports.shapes.bars import times
from reports.shapes.sheet import Column, Sheet
from reports.table import phases, timed
from reports.verbs import fastest, inputs, mean, of, over, wide

SPSV = "parac_gpu.triangular=cusparse"
# The settings that each is given the best of; `own` is by our triangular solves, the others by SpSV.
CODES = {
    "parac": [SPSV],
    "parac_own": ["parac_gpu"],
    "ic0": ["ic0_gpu", "ic0_gpu.policy=levels"],
    "ic0_own": [f"ic0_gpu.{options}triangular=own" for options in ("", "policy=levels.", "tail=2048.")],
    "amgx": ["amgx"],
}
# Totals of ichol(0) over ParAC's: what the columns begin with, and who solves with either factor.
PAIRS = {
    "": ("ic0", "parac", "SpSV on both sides"),
    "own_": ("ic0_own", "parac_own", "our solves on both"),
    "mixed_": ("ic0", "parac_own", "ours for ParAC alone"),
    "swapped_": ("ic0_own", "parac", "ours for ichol(0) alone"),
}


def prints() -> pd.DataFrame:
    """Return what is printed of each matrix, and the ratios of its totals."""
    columns = solution.printed("parac_table3_gpu", {"analysis_factor": "setup"})
    total, ic0 = columns["paper_parac_total"], columns["paper_ic0_setup"] + columns["paper_ic0_solve"]
    ratios = {"paper_ratio": ic0 / total, "paper_amgx_ratio": columns["paper_amgx_total"] / total}
    return columns.assign(paper_ic0_total=ic0, **ratios)


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and ordering: of each code, in its best setting, milliseconds of a solution
    and of its parts, iterations and residual, beside the print.

    The ratios of PAIRS and `amgx_ratio` are of totals, in one run. `ic0_setup` is of csric02 and SpSV's
    analysis, without the forming of the triangle; `setup_ratio` is ParAC's factor over it.
    """
    whole = solution.solved(cases, unit=1e3)
    run = of(whole, SPSV)["run_id"]
    codes = {short: fastest({name: of(whole, name) for name in names}, run) for short, names in CODES.items()}
    rows = wide(codes, solution.NUMBERS, inputs(cases))
    for prefix, (top, bottom, _) in {**PAIRS, "amgx_": ("amgx", "parac", "")}.items():
        rows = rows.join(over(codes[top], codes[bottom], (top, bottom)).add_prefix(prefix))
    factor = timed(codes["parac"], phases("matrix", "factor", some=True))
    setup = timed(codes["ic0"], phases("factor", "analysis"))
    rows = rows.join(over(factor, setup, ("parac", "ic0")).add_prefix("setup_"))
    more = rows["ic0_iterations"] / rows["parac_iterations"]
    return solution.beside_print(rows.assign(more_iterations=more, status=rows["status_parac"]), prints())


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return of each pair the geometric mean of its ratios and how many are above 1."""
    means = "; ".join(
        f"{words} {times(mean(ratio))} ({(ratio > 1).sum()} of {len(ratio)} above 1)"
        for prefix, (_, _, words) in PAIRS.items()
        if len(ratio := frame[f"{prefix}ratio"].dropna())
    )
    return {"means": f"Its total over ParAC's, geometric mean: {means}." if means else ""}


EXHIBIT = Exhibit(
    "milliseconds to solution on the GPU",
    frame,
    Sheet(
        [
            *columns_of("parac", "ParAC, SpSV", factor="factor", solve="solve", iterations="iter."),
            *columns_of("ic0", "ichol(0), SpSV", setup="setup", solve="solve", iterations="iter."),
            Column("ParAC", "parac_total", group="total, SpSV", empty=""),
            Column("ichol(0)", "ic0_total", group="total, SpSV", empty=""),
            Column("ParAC", "parac_own_total", group="total, our solves", empty=""),
            Column("ichol(0)", "ic0_own_total", group="total, our solves", empty=""),
            Column("SpSV", "ratio", times, "ichol(0) over ParAC"),
            Column("our solves", "own_ratio", times, "ichol(0) over ParAC"),
            *columns_of("amgx", "AmgX", total="total"),
            Column("over ParAC", "amgx_ratio", times, "AmgX"),
        ],
        lambda frame: below_stand_ins(frame, prints()),
    ),
    f"""Medians; in grey what is printed, of a stand-in of the matrix named. Total: with forming the triangle
    and SpSV's analysis. Triangular solves: SpSV, as in the paper, or ours. ichol(0): csric02, best of its
    settings. {{means}} {RULE}""",
    facts,
)
