"""Figure 5: auxiliary memory over matrix memory, before and after the space optimisations."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import MEMORY, add_printed, columns_of, gpu_caption, total
from reports.frames.order import in_papers_order
from reports.frames.seconds import RATIO, groups_of
from reports.frames.space import WORD, printed_words, space_frame
from reports.shapes import bars
from reports.shapes.coded_bars import CodedBars
from reports.shapes.strip import StripLine, number_line

CLAIM, SIMILAR = "fig5_auxiliary_memory", "fig5_similar_performance"
DATA = subject("gsofa", CLAIM).data
# The prefix of each variant's facts.
VARIANTS = {"before": "", "after": "other_", "default": "default_"}
# What the bars are of.
BARS = {"matrix": "bytes_matrix", "auxiliary, before": "bytes_before", "auxiliary, after": "bytes_after"}
BYTES = bars.Panel("bytes", "bytes", "bytes", "bytes on the device (log scale)", "both")


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: device bytes of fill, maxId and queues over those of the matrix, with
    every space optimisation off (before), with all of them on at the same rule for the number of sources
    (after), and by default; of the paper's structures at as many sources as before; the reduction, before
    over after; `ratio`, seconds before over after in one run."""
    rows = space_frame(inputs)
    for name, prefix in VARIANTS.items():
        auxiliary = total(rows, [f"{prefix}{part}" for part in MEMORY])
        rows[name] = auxiliary / rows[f"{prefix}bytes_matrix"]
        rows[f"bytes_{name}"] = auxiliary
        rows[f"sources_{name}"] = rows[f"{prefix}concurrent_sources"]
        rows[f"words_{name}"] = auxiliary / (WORD * rows["n"].astype("Float64") * rows[f"sources_{name}"])
    words = WORD * sum(printed_words().values()) * rows["n"].astype("Float64")
    rows["table2"] = (words * rows["sources_before"] / rows["bytes_matrix"]).astype("float64")
    rows["reduction"] = rows["before"] / rows["after"]
    rows["both"] = rows["told"].where(rows["told"] != "ok", rows["pair_status"])
    printed = {
        f"paper_{when}": {abbr: float(value) for pair in DATA[when].values() for abbr, value in pair.items()}
        for when in ("before", "after")
    }
    rows = in_papers_order(add_printed(rows, "gsofa", printed), inputs.paper)
    rows["group"] = groups_of(rows)
    rows["paper_reduction"] = rows["paper_before"] / rows["paper_after"]
    columns = [f"{kind}{name}" for name in VARIANTS for kind in ("", "bytes_", "sources_", "words_")]
    return columns_of(
        rows, "both", "pair_status", "median", "other_median", *RATIO, *columns, "bytes_matrix",
        "other_bytes_external", "table2", "reduction", *printed, "paper_reduction",
    )  # fmt: skip


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Three bars per matrix, as the paper has them: the matrix, and the auxiliary memory before and after."""
    bars_of = [frame.assign(series=name, bytes=frame[column]) for name, column in BARS.items()]
    return CodedBars(BYTES, lambda _: lines(frame))(pd.concat(bars_of, ignore_index=True), title)


def lines(frame: pd.DataFrame) -> list[StripLine]:
    """The ratios as text."""
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
    """`36x (AU) to 3,121x (MK)`."""
    ends = (next(iter(DATA[when][end].items())) for end in ("min", "max"))
    return " to ".join(f"{bars.times(value)} ({abbr})" for abbr, value in ends)


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 5",
    "memory of the matrix and of the auxiliary data structures",
    frame,
    draw,
    """Device bytes of fill, maxId and queues over those of the matrix's structure. Before: all space
    optimisations off; after: all on, with queues of n / 8 entries; both with the authors' number of
    concurrent sources. 6 n words per source: what Table 2 prints. {gpu}""",
    lambda frame: {"gpu": gpu_caption(frame, "gsofa", timed=False)},
    held=(
        Held(CLAIM, "reduction", ("reduction",), "both", "bytes"),
        Held(CLAIM, "before", ("before_largest", "before_smallest"), "both", "bytes, before"),
        Held(CLAIM, "after", ("after_largest", "after_smallest"), "both", "bytes, after"),
        Held(SIMILAR, "ratio", (), "pair"),
    ),
    one_run=True,
)
