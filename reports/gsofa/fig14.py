"""Figure 14: value ranges of maxId over re-initialising it for each source."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.symbolic import SPAN, per_cent
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.verbs import beside, fact, in_papers_order, over_variant, where_same, without

DATA = subject("gsofa", "fig14_maxid_ranges").data
SPEEDUPS, SHARES = DATA["max"] | DATA["min"], DATA["reinitialisation_share"]
WITHOUT, WITH = "without value ranges", "with value ranges"
PRINTED = {
    "paper_speedup": SPEEDUPS,
    "paper_reinit_without": {abbr: pair["before"] for abbr, pair in SHARES.items()},
    "paper_reinit_with": {abbr: pair["after"] for abbr, pair in SHARES.items()},
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: `ratio`, seconds without value ranges over with them, at the same number of
    concurrent sources; `reinit_without` and `reinit_with`, the share of time that re-initialising takes."""
    rows = cases[cases["variant"].str.match(r"gsofa\..*maxid_ranges=")]
    found = over_variant(cases, rows, without(rows["variant"], "maxid_ranges"), ("", WITH))
    rows = rows.join(where_same(found, rows, "concurrent_sources"))
    rows["reinit_without"], rows["reinit_with"] = fact(rows, "reinit_share"), fact(rows, "other_reinit_share")
    return in_papers_order(beside(rows, "gsofa", PRINTED), "gsofa")


RATIO = PanelRow(
    "seconds without value ranges\nover with",
    [Step("ratio", "ratio")],
    {abbr: {"ratio": value} for abbr, value in {"mean": DATA["mean"], **SPEEDUPS}.items()},
    points=True,
)
SHARE = PanelRow(
    "share of time spent\nre-initialising maxId (log axis)",
    [Step(WITHOUT, "reinit_without"), Step(WITH, "reinit_with")],
    {abbr: {WITHOUT: of["before"], WITH: of["after"]} for abbr, of in SHARES.items()},
    even=None,
    points=True,
    log=True,
    form=per_cent,
)
EXHIBIT = Exhibit(
    "value ranges of maxId",
    frame,
    BesidePrint([RATIO, SHARE], "printed: V100"),
    """Above: seconds of gsofa with maxid_ranges=false over those with it, at the same number of concurrent
    sources. Below: the share of its blocks' cycles that gsofa spent re-initialising maxId.""",
    span=SPAN,
)
