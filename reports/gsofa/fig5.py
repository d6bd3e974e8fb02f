"""Figure 5: auxiliary memory over matrix memory, before and after the space optimisations."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import MEMORY, add_printed, columns_of, gpu_caption, total
from reports.frames.space import WORD, printed_words, space_frame
from reports.shapes import bars
from reports.shapes.gains import Gains, draw_before_after, gains_legend
from reports.shapes.panels import Panels

CLAIM = "fig5_auxiliary_memory"
DATA = subject("gsofa", CLAIM).data
MEAN = DATA["reduction"]["mean"]
# The prefix of each variant's facts.
VARIANTS = {"before": "", "after": "other_", "default": "default_"}
REDUCTION = bars.Panel(
    "reduction", "reduction", "reduction", "auxiliary memory\nbefore over after", "both", points=True
)
LEGEND = (("star", "printed, of the matrix"), ("line", f"printed mean, {MEAN:g}x"))


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: device bytes of fill, maxId and queues over those of the matrix, with
    every space optimisation off (before), with all of them on at the same rule for the number of sources
    (after), and by default; of the paper's structures at as many sources as before; the reduction, before
    over after."""
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
    rows = add_printed(rows, "gsofa", printed)
    rows["paper_reduction"] = rows["paper_before"] / rows["paper_after"]
    columns = [f"{kind}{name}" for name in VARIANTS for kind in ("", "bytes_", "sources_", "words_")]
    return columns_of(
        rows, "both", "pair_status", "median", "other_median", *columns, "bytes_matrix",
        "other_bytes_external", "table2", "reduction", *printed, "paper_reduction",
    )  # fmt: skip


def ratios(axes: Axes, frame: pd.DataFrame) -> None:
    """Auxiliary memory over the matrix's, before and after, and what the paper's structures would take."""
    rows = frame.assign(status=frame["both"])
    draw_before_after(axes, rows, ("before", "after"), ("paper_before", "paper_after"), bars.times)
    _formula(axes, rows)
    axes.set_ylabel("auxiliary memory\nover the matrix's")
    marks = [("hollow", "before"), ("full", "after"), ("dash", "6 n words per source, as Table 2 prints")]
    gains_legend(axes, rows, [*marks, ("star", "printed"), ("slot", "no number")])


def _formula(axes: Axes, frame: pd.DataFrame) -> None:
    """A dash at what the paper's structures would take."""
    places, width = bars.positions(frame)
    known = [(x, value) for x, value in zip(places, frame["table2"], strict=True) if value == value]
    for x, value in known:
        axes.plot([x - 0.3 * width, x + 0.3 * width], [value, value], color="black", linewidth=2)
    if known:
        low, high = axes.get_ylim()
        axes.set_ylim(low, max(high, 3 * max(value for _, value in known)))


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 5",
    "auxiliary memory over the matrix's",
    frame,
    Panels([ratios, Gains(REDUCTION, "paper_reduction", MEAN, legend=LEGEND)], height=9.5),
    """Device bytes of fill, maxId and queues over those of the matrix's structure. Before: all space
    optimisations off; after: all on, with queues of n / 8 entries; both with the authors' number of
    concurrent sources. Pinned host memory is not counted. {gpu}""",
    lambda frame: {"gpu": gpu_caption(frame, "gsofa", timed=False)},
    held=(
        Held(CLAIM, "reduction", ("reduction",), "both", "bytes"),
        Held(CLAIM, "before", ("before_largest", "before_smallest"), "both", "bytes, before"),
        Held(CLAIM, "after", ("after_largest", "after_smallest"), "both", "bytes, after"),
    ),
)
