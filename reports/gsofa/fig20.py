"""Figure 20: testing fill before maxId (line 9.5 of the paper's Figure 6)."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.symbolic import SPAN
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.verbs import beside, gains, in_papers_order, over_variant, where_same, without

DATA = subject("gsofa", "fig20_fill_before_maxid").data
# The largest gain and the largest drop, in per cent, by matrix.
PRINTED = {**DATA["max_gain_percent"], **DATA["max_drop_percent"]}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: `gain`, by how many per cent of the seconds with fill_first those without it
    are more, at the same number of concurrent sources; `fill`, fill-ins over entries."""
    rows = cases[cases["variant"].str.match(r"gsofa\..*fill_first=")]
    base = without(rows["variant"], "fill_first")
    found = over_variant(cases, rows, base, ("maxId first", ""), inverse=True)
    rows = rows.join(gains(where_same(found, rows, "concurrent_sources")))
    rows["fill"] = rows["fills"] / rows["nnz"]
    return in_papers_order(beside(rows, "gsofa", {"paper_gain": PRINTED}), "gsofa")


ROW = PanelRow(
    "gain of testing fill first, %",
    [Step("gain", "gain")],
    {abbr: {"gain": value} for abbr, value in PRINTED.items()},
    {abbr: "gains" for abbr in DATA["gains"] if abbr not in PRINTED},
    even=0.0,
    points=True,
    form=lambda gain: f"{gain:+.2g}%" if gain else "0%",
)
EXHIBIT = Exhibit(
    "testing fill before maxId (line 9.5)",
    frame,
    BesidePrint([ROW], "printed: one V100", height=5.5),
    f"""Gain: seconds of gsofa over those with fill_first=true, less 1, at the same number of concurrent
    sources. The paper prints the largest gain and drop and says that {", ".join(DATA["gains"])} gain.""",
    span=SPAN,
)
