"""Figure 20: testing fill before maxId (line 9.5)."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.symbolic import SPAN, paired
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.verbs import beside, gains, in_papers_order

DATA = subject("gsofa", "fig20_fill_before_maxid")
PRINTED = {**DATA["max_gain_percent"], **DATA["max_drop_percent"]}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: `gain` in per cent, at the same number of concurrent sources."""
    rows = gains(paired(cases, "fill_first", ("maxId first", ""), inverse=True))
    rows["fill"] = rows["fills"] / rows["nnz"]
    return in_papers_order(beside(rows, "gsofa", {"paper_gain": PRINTED}), "gsofa")


ROW = PanelRow(
    "gain of testing fill first, %",
    [Step("gain", "gain")],
    {"gain": PRINTED},
    {abbr: "gains" for abbr in DATA["gains"] if abbr not in PRINTED},
    even=0.0,
    points=True,
    form=lambda gain: f"{gain:+.2g}%" if gain else "0%",
)
CAPTION = f"""Gain: seconds of gsofa over seconds with fill_first=true, less 1, at the same number of
    concurrent sources. The paper prints the largest gain and drop, and names {", ".join(DATA["gains"])} as
    gaining."""
EXHIBIT = Exhibit(frame, BesidePrint([ROW], "printed: one V100", height=5.5), CAPTION, span=SPAN)
