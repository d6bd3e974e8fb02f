"""Figure 5: auxiliary memory over matrix memory, before and after the space optimisations."""

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.memory import PRINTED_WORDS, WORD, device_bytes, told, with_and_without
from reports.gsofa.symbolic import spread
from reports.shapes.strip import CodedBars, Ratios
from reports.verbs import beside, fact, first_failure, in_papers_order

DATA = subject("gsofa", "fig5_auxiliary_memory").data
BARS = {"matrix": "bytes_matrix", "auxiliary, before": "bytes_before", "auxiliary, after": "bytes_after"}
PRINTED = {f"paper_{when}": DATA[when]["max"] | DATA[when]["min"] for when in ("before", "after")}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: device bytes of fill, maxId and queues over those of the matrix.

    `before` is with every space optimisation off, `after` with all on; `table2`, of the paper's structures at
    as many sources as before; `reduction`, before over after; `ratio`, seconds of the same in one run.
    """
    rows = with_and_without(cases)
    rows["bytes_matrix"] = fact(rows, "bytes_matrix")
    for when, prefix in {"before": "", "after": "other_"}.items():
        rows[f"bytes_{when}"] = device_bytes(rows, prefix)
        rows[when] = rows[f"bytes_{when}"] / fact(rows, f"{prefix}bytes_matrix")
    words = PRINTED_WORDS.sum() * rows["n"].astype(float) * fact(rows, "concurrent_sources")
    rows = rows.assign(table2=WORD * words / rows["bytes_matrix"], reduction=rows["before"] / rows["after"])
    both = [told(rows, "before"), told(rows, "after", status="other_status")]
    rows = rows.assign(both=first_failure(pd.concat(both, axis=1)))
    return in_papers_order(beside(rows, "gsofa", PRINTED), "gsofa")


ENDS = ", ".join(f"{spread('fig5_auxiliary_memory', when)} {when}" for when in ("before", "after"))
LINES = {"before": "before", "printed before": "paper_before", "after": "after"}
LINES |= {"printed after": "paper_after", "6 n words": "table2"}
OVER = f"auxiliary memory over the matrix's, printed {ENDS}"
MEAN = f"before over after, printed mean {DATA['reduction']['mean']:g}x"
ONCE = {"series": "matrix"}
STRIP = [Ratios(OVER, LINES, only=ONCE), Ratios(MEAN, {"reduction": "reduction"}, only=ONCE)]


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw three bars per matrix, as the paper has them, and the ratios above."""
    bars = [frame.assign(series=name, bytes=frame[column]) for name, column in BARS.items()]
    shape = CodedBars(STRIP, "bytes on the device (log scale)", "bytes", "both")
    return shape(pd.concat(bars, ignore_index=True), title)


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 5",
    "memory of the matrix and of the auxiliary data structures",
    frame,
    draw,
    """Device bytes of fill, maxId and queues over those of the matrix's structure. Before: all space
    optimisations off; after: all on, with queues of n / 8 entries; both with the authors' number of
    concurrent sources. 6 n words per source: what Table 2 prints.""",
    claims=("fig5_auxiliary_memory", "fig5_similar_performance"),
    one_run=True,
)
