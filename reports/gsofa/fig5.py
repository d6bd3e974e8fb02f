"""Figure 5: auxiliary memory over matrix memory, before and after the space optimisations."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.gsofa.space import MEMORY, WORD, printed_words, with_and_without
from reports.shapes.bars import Panel, times
from reports.shapes.strip import CodedBars, StripLine, number_line
from reports.verbs import beside, fact, in_papers_order

CLAIM, SIMILAR = "fig5_auxiliary_memory", "fig5_similar_performance"
DATA = subject("gsofa", CLAIM).data
# The prefix of each variant's facts.
VARIANTS = {"before": "", "after": "other_", "default": "default_"}
# What the bars are of.
BARS = {"matrix": "bytes_matrix", "auxiliary, before": "bytes_before", "auxiliary, after": "bytes_after"}
BYTES = Panel("bytes", "bytes", "bytes", "bytes on the device (log scale)", "both")
PRINTED = {
    f"paper_{when}": {abbr: float(value) for pair in DATA[when].values() for abbr, value in pair.items()}
    for when in ("before", "after")
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: device bytes of fill, maxId and queues over those of the matrix.

    `before`: every space optimisation off; `after`: all of them on at the same rule for the number of
    sources; `default`. `table2` is of the paper's structures at as many sources as before. `reduction` is
    before over after; `ratio`, seconds before over after in one run.
    """
    rows = with_and_without(cases)
    n = rows["n"].astype(float)
    for name, prefix in VARIANTS.items():
        parts = rows.reindex(columns=[f"{prefix}{part}" for part in MEMORY])
        rows[f"bytes_{name}"] = parts.sum(axis=1, min_count=len(MEMORY))
        rows[name] = rows[f"bytes_{name}"] / fact(rows, f"{prefix}bytes_matrix")
        rows[f"sources_{name}"] = fact(rows, f"{prefix}concurrent_sources")
        rows[f"words_{name}"] = rows[f"bytes_{name}"] / (WORD * n * rows[f"sources_{name}"])
    rows["bytes_matrix"] = fact(rows, "bytes_matrix")
    words = WORD * sum(printed_words().values()) * n
    rows["table2"] = words * rows["sources_before"] / rows["bytes_matrix"]
    rows["reduction"] = rows["before"] / rows["after"]
    rows["both"] = rows["told"].where(rows["told"] != "ok", rows["other_told"])
    rows = in_papers_order(beside(rows, "gsofa", PRINTED), "gsofa")
    return rows.assign(paper_reduction=rows["paper_before"] / rows["paper_after"])


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Return three bars per matrix, as the paper has them, and the ratios above."""
    bars_of = [frame.assign(series=name, bytes=frame[column]) for name, column in BARS.items()]
    return CodedBars(BYTES, lambda _: lines(frame))(pd.concat(bars_of, ignore_index=True), title)


def lines(frame: pd.DataFrame) -> list[StripLine]:
    """Return the ratios as text."""
    spans = {when: _span(when) for when in ("before", "after")}
    printed = ", ".join(f"{span} {when}" for when, span in spans.items())
    return [
        StripLine(title=f"auxiliary memory over the matrix's; printed {printed}"),
        *number_line(frame, "before", "before"),
        *number_line(frame, "printed", "paper_before"),
        *number_line(frame, "after", "after"),
        *number_line(frame, "printed", "paper_after"),
        *number_line(frame, "6 n words", "table2"),
        StripLine(title=f"before over after; printed mean {DATA['reduction']['mean']:g}x"),
        *number_line(frame, "reduction", "reduction"),
    ]


def _span(when: str) -> str:
    """Return `36x (AU) to 3,121x (MK)`."""
    ends = (next(iter(DATA[when][end].items())) for end in ("min", "max"))
    return " to ".join(f"{times(value)} ({abbr})" for abbr, value in ends)


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 5",
    "memory of the matrix and of the auxiliary data structures",
    frame,
    draw,
    """Device bytes of fill, maxId and queues over those of the matrix's structure. Before: all space
    optimisations off; after: all on, with queues of n / 8 entries; both with the authors' number of
    concurrent sources. 6 n words per source: what Table 2 prints.""",
    held=(
        Held(CLAIM, "reduction", ("reduction",), "both", "bytes"),
        Held(CLAIM, "before", ("before_largest", "before_smallest"), "both", "bytes, before"),
        Held(CLAIM, "after", ("after_largest", "after_smallest"), "both", "bytes, after"),
        Held(SIMILAR, "ratio", (), "pair"),
    ),
    one_run=True,
)
