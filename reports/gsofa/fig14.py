"""Figure 14: value ranges of maxId."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.symbolic import SPAN, paired, per_cent
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.verbs import beside, fact, in_papers_order

DATA = subject("gsofa", "fig14_maxid_ranges")
SPEEDUPS, SHARES = DATA["max"] | DATA["min"], DATA["reinitialisation_share"]
BEFORE, AFTER = ({abbr: of[when] for abbr, of in SHARES.items()} for when in ("before", "after"))
WITHOUT, WITH = "without value ranges", "with value ranges"
PRINTED = {"paper_speedup": SPEEDUPS, "paper_reinit_without": BEFORE, "paper_reinit_with": AFTER}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: `ratio` without value ranges over with; `reinit_...`, shares of time."""
    rows = paired(cases, "maxid_ranges", ("", WITH))
    rows["reinit_without"], rows["reinit_with"] = fact(rows, "reinit_share"), fact(rows, "other_reinit_share")
    return in_papers_order(beside(rows, "gsofa", PRINTED), "gsofa")


LABEL = "seconds without value ranges\nover with"
RATIO = PanelRow(LABEL, [Step("ratio", "ratio")], {"ratio": {"mean": DATA["mean"], **SPEEDUPS}}, points=True)
SHARE = PanelRow(
    "share of time spent\nre-initialising maxId (log axis)",
    [Step(WITHOUT, "reinit_without"), Step(WITH, "reinit_with")],
    {WITHOUT: BEFORE, WITH: AFTER},
    even=None,
    points=True,
    log=True,
    form=per_cent,
)
CAPTION = """Above: seconds of gsofa with maxid_ranges=false over seconds with true, at the same number of
    concurrent sources. Below: the share of its blocks' cycles in which gsofa re-initialises maxId."""
EXHIBIT = Exhibit(frame, BesidePrint([RATIO, SHARE], "printed: V100"), CAPTION, span=SPAN)
