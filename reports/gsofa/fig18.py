"""Figure 18: page faults of shared memory on several GPUs."""

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.gpus import KINDS, compared, parallel, picture
from reports.gsofa.memory import told
from reports.gsofa.symbolic import per_cent
from reports.series import probes
from reports.shapes.beside import PanelRow, Step
from reports.table import SECONDS
from reports.verbs import inverted, option, with_option

DATA = subject("gsofa", "fig18_unified_memory_faults")
SAVED = DATA["separation_on_top"]
ADVICE, SEPARATION, BOTH = "advice", "separation", "both"
ADVISED, APART = "one array, advice", "separate arrays, advice"
# Ratios: a saving of 85 per cent is one of 6.7.
PRINTED = {
    ADVICE: DATA["advice"]["max"],
    SEPARATION: {abbr: 100 / (100 - saved) for abbr, saved in SAVED["max_percent"].items()},
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return a row per matrix, number of GPUs and step: `ratio` of page faults, `left`, `fewer` per cent."""
    rows = parallel(cases)
    repeats = [each.get("repeats", ()) for each in probes("faults", rows)]
    calls = [[call["gpu_fault_groups"] for call in each] or [np.nan] for each in repeats]
    # In place of seconds the median, least and most faults of the calls.
    ends = [(np.median(each), min(each), max(each)) for each in calls]
    rows = rows.assign(rounds=None, **pd.DataFrame(ends, rows.index, columns=list(SECONDS)))
    sharing = option(rows["variant"], "sharing").where(option(rows["variant"], "advise").isna())
    shared = with_option(rows["variant"], "sharing", "one_array")
    without_advice = with_option(shared, "advise", "false")
    steps = {
        ADVICE: (sharing == "one_array", without_advice),
        SEPARATION: (sharing == "separate_arrays", shared),
        BOTH: (sharing == "separate_arrays", without_advice),
    }
    rows = compared(rows, steps, PRINTED).rename(columns={"median": "faults", "other_median": "other_faults"})
    rows = rows.replace({name: {np.inf: np.nan} for name in ("ratio", "ratio_low", "ratio_high")})
    rows = rows.join(inverted(rows, "left")).assign(pair=told(rows, "ratio", status="pair"))
    return rows.assign(fewer=100 * (1 - rows["left"]))


LEFT = {name: 1 / value for name, value in {"mean": DATA["advice"]["mean"], **PRINTED[ADVICE]}.items()}
ROW = PanelRow(
    "page faults, share of\nthose without advice",
    [Step(ADVISED, "left", {"what": ADVICE}), Step(APART, "left", {"what": BOTH})],
    {ADVISED: LEFT, APART: {"mean": LEFT["mean"] * (1 - SAVED["mean_percent"] / 100)}},
    {abbr: f"separate: {value:g}% fewer" for abbr, value in SAVED["max_percent"].items()}
    | dict.fromkeys(SAVED["increases"], "separate: more"),
    form=per_cent,
)
CAPTION = f"""Groups of page faults on all GPUs of a host, counted by CUPTI (fillpath faults CASE). Counts and
    fill flags share an array without advice, then with advice, then have an array each. Medians of the calls,
    whiskers their range. The last printed mean is {SAVED["mean_percent"]:g}% below the one before."""
EXHIBIT = Exhibit(frame, picture(ROW, "printed: six V100 of one node"), CAPTION, subsets=KINDS)
