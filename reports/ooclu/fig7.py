"""Figure 7: dynamic parallelism assignment."""

import pandas as pd

from reports.exhibit import Exhibit, Subset
from reports.facts.claims import subject
from reports.ooclu.arrays import PAPER, SYMBOLIC, budgeted
from reports.shapes.axes import Panels
from reports.shapes.bars import seconds
from reports.shapes.beside import PanelRow, Step
from reports.verbs import gains, over_variant, with_groups, without

OFF = "dynamic_assignment"
LABEL = f"gain, %\n(printed: at most {subject(PAPER, f'fig7_{OFF}')['max_percent']:+g}%)"
GAIN = PanelRow(LABEL, [Step("gain", "gain")], {}, even=0.0, form="{:+.3g}%".format)
STEPS = [Step("naive", "median"), Step("dynamic assignment", "other_median")]
SECONDS = PanelRow("seconds (log)", STEPS, {}, even=None, log=True, form=seconds)


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and budget, the largest first: `gain` in per cent, and if it `binds`."""
    rows = budgeted(cases, f"out_of_core.{OFF}=false")
    dynamic = over_variant(cases, rows, without(rows["variant"], OFF), ("", "with dynamic assignment"))
    rows = rows.join(gains(dynamic))
    return rows.sort_values(["group", "budget_bytes"], ascending=[True, False], kind="stable")


def with_budget(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows, each named with its budget."""
    return rows.assign(label=rows["label"].astype("object") + " at " + rows["budget"])


def least(frame: pd.DataFrame) -> list[Subset]:
    """Return of each matrix the binding budget with the least gain, by the processes of all."""
    rows = frame[(frame["binds"] == 1) & (frame["pair"] == "ok")]
    rows = rows.assign(gain_processes=rows.groupby("label")["gain_processes"].transform("min"))
    return [Subset(rows.sort_values("gain", kind="stable").drop_duplicates("label"))]


def drawn(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a group for each matrix and budget that binds, or has no ratio."""
    return with_groups(with_budget(frame[(frame["binds"] == 1) | (frame["pair"] != "ok")]))


CAPTION = """Gain: seconds of out_of_core without dynamic_assignment (naive) over seconds with it, less 1.
    Both have the same memory_budget, for which the naive one takes several launches. The paper names no
    matrix."""
SUBSETS = {"binding": lambda frame: [Subset(with_budget(frame[frame["binds"] == 1]))], "least": least}
EXHIBIT = Exhibit(frame, Panels([GAIN, SECONDS], 7.5, drawn), CAPTION, subsets=SUBSETS, span=SYMBOLIC)
