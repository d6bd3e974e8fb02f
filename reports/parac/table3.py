"""Table 3: milliseconds to solution on the GPU."""

import pandas as pd

from reports.exhibit import Exhibit, Subset
from reports.parac import solution
from reports.parac.solution import RULE, columns_of, in_each_order, sheet
from reports.shapes.bars import times
from reports.shapes.sheet import columns, plain
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
# Totals of ichol(0) over ParAC's, by what the columns begin with.
PAIRS = {
    "": ("ic0", "parac", "SpSV on both sides"),
    "own_": ("ic0_own", "parac_own", "our solves on both"),
    "mixed_": ("ic0", "parac_own", "ours for ParAC alone"),
    "swapped_": ("ic0_own", "parac", "ours for ichol(0) alone"),
}
PRINTED = solution.printed("parac_table3_gpu", {"analysis_factor": "setup"})
PRINTED["paper_ic0_total"] = PRINTED["paper_ic0_setup"] + PRINTED["paper_ic0_solve"]
PRINTED["paper_ratio"] = PRINTED["paper_ic0_total"] / PRINTED["paper_parac_total"]
PRINTED["paper_amgx_ratio"] = PRINTED["paper_amgx_total"] / PRINTED["paper_parac_total"]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per input: NUMBERS of each code in its best setting, the print, and ratios."""
    whole = in_each_order(solution.solved(cases, unit=1e3))
    run = of(whole, SPSV)["run_id"]
    codes = {short: fastest({name: of(whole, name) for name in names}, run) for short, names in CODES.items()}
    rows = wide(codes, solution.NUMBERS, inputs(whole))
    for prefix, (top, bottom, _) in {**PAIRS, "amgx_": ("amgx", "parac", "")}.items():
        rows = rows.join(over(codes[top], codes[bottom], (top, bottom)).add_prefix(prefix))
    factor = timed(codes["parac"], phases("matrix", "factor", some=True))
    setup = timed(codes["ic0"], phases("factor", "analysis"))
    rows = rows.join(over(factor, setup, ("parac", "ic0")).add_prefix("setup_"))
    # As their seconds, iterations are compared within one run on one host.
    more = (rows["ic0_iterations"] / rows["parac_iterations"]).where(rows["ratio"].notna())
    return solution.beside_print(rows.assign(more_iterations=more, status=rows["status_parac"]), PRINTED)


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return of each pair the geometric mean of its ratios and how many are above 1."""
    means = "; ".join(
        f"{words} {times(mean(ratio))} ({(ratio > 1).sum()} of {len(ratio)} above 1)"
        for prefix, (_, _, words) in PAIRS.items()
        if len(ratio := frame[f"{prefix}ratio"].dropna())
    )
    return {"means": f"Its total over ParAC's, geometric mean: {means}." if means else ""}


def multigrid(rows: pd.DataFrame) -> list[Subset]:
    """Return all rows, which cannot test the paper's claims: it names no setting of AmgX."""
    return [Subset(rows, untestable="ours is multigrid by aggregation, and the paper does not name its own")]


COLUMNS = [
    *columns_of("parac", "ParAC, SpSV", factor="factor", solve="solve", iterations="iter."),
    *columns_of("ic0", "ichol(0), SpSV", setup="setup", solve="solve", iterations="iter."),
    *columns("total, SpSV", plain, "", "", parac_total="ParAC", ic0_total="ichol(0)"),
    *columns("total, our solves", plain, "", "", parac_own_total="ParAC", ic0_own_total="ichol(0)"),
    *columns("ichol(0) over ParAC", times, ratio="SpSV", own_ratio="our solves"),
    *columns_of("amgx", "AmgX", total="total"),
    *columns("AmgX", times, amgx_ratio="over ParAC"),
]
CAPTION = f"""Grey: the print, for a stand-in that of the named matrix. Total: with forming the triangle and
    SpSV's analysis. ichol(0): csric02 in its best setting, with solves by SpSV, as in the paper, or ours.
    {{means}} AmgX: the matrix in its own order. {RULE}"""
EXHIBIT = Exhibit(frame, sheet(COLUMNS, PRINTED), CAPTION, facts, subsets={"multigrid": multigrid})
