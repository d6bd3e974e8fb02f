"""Figure 18: page faults of shared counts and fill flags, by how the memory is laid out and advised."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.gsofa.gpus import by_kind, compared, parallel, picture
from reports.gsofa.printed import per_cent
from reports.series import probes
from reports.shapes.beside import PanelRow, Step
from reports.table import NOT_MEASURED, SECONDS
from reports.verbs import ENDS, option, with_option

CLAIM = "fig18_unified_memory_faults"
DATA = subject("gsofa", CLAIM).data
SAVED = DATA["separation_on_top"]
ADVICE, SEPARATION, BOTH = "advice", "separation", "both"
ADVISED, APART = "one array, advice", "separate arrays, advice"
FAULTS, BASIS = "gpu_fault_groups", "groups of GPU page faults"


def over_saved(percent: float) -> float:
    """Return what a saving is as a ratio: 85 per cent are 6.7."""
    return 100 / (100 - percent)


PRINTED = {
    ADVICE: DATA["advice"]["max"],
    SEPARATION: {abbr: over_saved(saved) for abbr, saved in SAVED["max_percent"].items()},
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return a row per matrix, number of GPUs and step: `ratio`, page faults without the step over with it.

    The steps are advice in one array of all GPUs, an array each with advice, and both. `left` is the inverse
    of the ratio; `fewer`, by how many per cent there are fewer. The ends of the ratio are of the calls that
    are furthest from each other.
    """
    rows = counted(parallel(cases))
    advised = option(rows["variant"], "advise").isna()
    sharing = option(rows["variant"], "sharing").where(advised)
    shared = with_option(rows["variant"], "sharing", "one_array")
    without_advice = with_option(shared, "advise", "false")
    steps = {
        ADVICE: (sharing == "one_array", without_advice),
        SEPARATION: (sharing == "separate_arrays", shared),
        BOTH: (sharing == "separate_arrays", without_advice),
    }
    rows = compared(rows, steps, PRINTED).rename(columns={"median": "faults", "other_median": "other_faults"})
    # There is no ratio over no faults.
    rows = rows.replace({f"ratio{end}": {np.inf: np.nan} for end in ENDS})
    rows[["left", "left_low", "left_high"]] = 1 / rows[["ratio", "ratio_high", "ratio_low"]].to_numpy()
    rows["pair"] = rows["pair"].mask((rows["pair"] == "ok") & rows["ratio"].isna(), NOT_MEASURED)
    return rows.assign(fewer=100 * (1 - rows["left"]))


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with page faults in place of seconds: the median, least and most of the calls."""
    calls = [each.get("repeats", ()) for each in probes("faults", rows)]
    faults = [[call[FAULTS] for call in each] or [np.nan] for each in calls]
    numbers = {"median": map(np.median, faults), "low": map(min, faults), "high": map(max, faults)}
    return rows.assign(**{name: pd.Series(numbers[name], rows.index, float) for name in SECONDS}, rounds=None)


MEAN = 1 / DATA["advice"]["mean"]
ROW = PanelRow(
    "page faults, share of\nthose without advice",
    [Step(ADVISED, "left", {"what": ADVICE}), Step(APART, "left", {"what": BOTH})],
    {"mean": {ADVISED: MEAN, APART: MEAN / over_saved(SAVED["mean_percent"])}}
    | {abbr: {ADVISED: 1 / value} for abbr, value in PRINTED[ADVICE].items()},
    {abbr: f"separate: {value:g}% fewer" for abbr, value in SAVED["max_percent"].items()}
    | dict.fromkeys(SAVED["increases"], "separate: more"),
    base="one array, no advice",
    form=per_cent,
)
# What is held against claims: the step, the column and the claims.
JUDGED = (
    (ADVICE, "ratio", ("advice_mean", "advice_largest", "advice_fewer")),
    (SEPARATION, "ratio", ("separation_fewer", "separation_rises")),
    (SEPARATION, "fewer", ("separation_mean", "separation_largest")),
)
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 18",
    "page faults of shared memory",
    frame,
    picture(ROW, "printed: six V100 of one node"),
    f"""Groups of page faults on all GPUs of a host, counted by CUPTI (fillpath faults CASE): shared counts
    and fill flags in one array without advice, with it, and with it in an array each. Medians of the calls,
    whiskers their range. The last printed mean is {SAVED["mean_percent"]:g}% below the one before.""",
    # Beside the print: no host here has the paper's six cards.
    held=tuple(
        Held(CLAIM, value, names, "pair", BASIS, {"what": what}, by_kind, beside=True)
        for what, value, names in JUDGED
    ),
    one_run=True,
    topic="page faults of shared memory on several GPUs",
)
