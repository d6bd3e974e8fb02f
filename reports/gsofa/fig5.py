"""Figure 5: auxiliary memory over matrix memory, before and after the space optimisations."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.claims import claims_of, subject
from reports.device import MEMORY, add_printed, columns_of, gpu_caption, is_gsofa, total
from reports.figures import Entries, FigureSpec
from reports.gains import draw_before_after, draw_gains, gains_legend
from reports.gsofa.space import WORD, printed_words, space_frame
from reports.records import Records
from reports.standings import Verdict
from reports.style import LARGE, new_figure
from reports.timed import name_matrices, width
from reports.verdicts import judge

CLAIM = "fig5_auxiliary_memory"
REDUCTION = bars.Panel(
    "reduction", "reduction", "reduction", "auxiliary memory\nbefore over after", "both", points=True
)


def fig5_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix and machine: device bytes of fill, maxId and queues over those of the matrix, with
    every space optimisation off (before), with all of them on at the same rule for the number of sources
    (after), and by default; of the paper's structures at as many sources as before; the reduction, before
    over after."""
    frame = space_frame(records, entries, cases)
    for name, prefix in (("before", ""), ("after", "other_"), ("default", "default_")):
        auxiliary = total(frame, [f"{prefix}{part}" for part in MEMORY])
        frame[name] = auxiliary / frame[f"{prefix}bytes_matrix"]
        frame[f"bytes_{name}"] = auxiliary
        frame[f"sources_{name}"] = frame[f"{prefix}concurrent_sources"]
        frame[f"words_{name}"] = auxiliary / (WORD * frame["n"].astype("Float64") * frame[f"sources_{name}"])
    words = WORD * sum(printed_words().values()) * frame["n"].astype("Float64")
    frame["table2"] = (words * frame["sources_before"] / frame["bytes_matrix"]).astype("float64")
    frame["reduction"] = frame["before"] / frame["after"]
    frame["both"] = frame["told"].where(frame["told"] != "ok", frame["pair_status"])
    data = subject("gsofa", CLAIM).data
    printed = {
        f"paper_{when}": {a: float(value) for pair in data[when].values() for a, value in pair.items()}
        for when in ("before", "after")
    }
    frame = add_printed(frame, printed)
    frame["paper_reduction"] = frame["paper_before"] / frame["paper_after"]
    own = [
        f"{kind}{name}"
        for name in ("before", "after", "default")
        for kind in ("", "bytes_", "sources_", "words_")
    ]
    return columns_of(
        frame, "both", "pair_status", "median", "other_median", *own, "bytes_matrix", "other_bytes_external",
        "table2", "reduction", *printed, "paper_reduction",
    )  # fmt: skip


def fig5(frame: pd.DataFrame) -> Figure:
    """The ratios before and after, above the reduction."""
    figure = new_figure(width(frame), 9.5)
    top, bottom = figure.subplots(2, 1, sharex=True)
    figure.suptitle(
        "GSoFA, Figure 5: auxiliary memory over the matrix's",
        x=0.01,
        ha="left",
        fontsize=LARGE,
        weight="bold",
    )
    told = frame.assign(status=frame["both"])
    draw_before_after(top, told, ("before", "after"), ("paper_before", "paper_after"), bars.times)
    _formula(top, told)
    top.set_ylabel("auxiliary memory\nover the matrix's")
    marks = [("hollow", "before"), ("full", "after"), ("dash", "6 n words a source, as Table 2 prints")]
    gains_legend(top, told, [*marks, ("star", "printed"), ("slot", "no number")])
    mean = subject("gsofa", CLAIM).data["reduction"]["mean"]
    draw_gains(bottom, frame, REDUCTION, "paper_reduction", mean)
    gains_legend(bottom, frame, [("star", "printed, of the matrix"), ("line", f"printed mean, {mean:g}x")])
    name_matrices(bottom, frame)
    return figure


def fig5_caption(frame: pd.DataFrame) -> str:
    """What is counted, before and after."""
    return (
        "Auxiliary memory: device bytes of fill, maxId and queues where most sources run at a time, as gsofa "
        "tells them, over the bytes of A's structure (int64 row pointers, int32 columns). Before: "
        "bubble_removal, dynamic_space and external_frontiers off; after: all on, with queues of n / 8 "
        "entries a source (queue_fraction=8), the rest in pinned host memory; both with at most the authors' "
        "number of concurrent sources (rule=published); the CSV names how many ran and the seconds of both. "
        "The reduction is of these settings: with one launch bubble removal and dynamic space save a word a "
        "source, the queues nearly all of it. "
        "What gsofa takes under a budget of bytes is Figure 16. A set of bits stands "
        "for the paper's word of fill, and one queue for its two. Pinned host memory is not counted. "
        f"{gpu_caption(frame, timed=False)}"
    )


def fig5_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """The reduction, in bytes, and what it is of."""
    reduction, *others = claims_of("gsofa", CLAIM)
    found = judge(frame, reduction, "reduction", status="both", basis="bytes")
    for one in others:
        when = one.name.partition("_")[0]
        found += judge(frame, one, when, status="both", basis=f"bytes, {when}")
    return found


def _formula(axes: Axes, frame: pd.DataFrame) -> None:
    """A dash at what the paper's structures would take."""
    places, width = bars.positions(frame)
    known = [(x, value) for x, value in zip(places, frame["table2"], strict=True) if value == value]
    for x, value in known:
        axes.plot([x - 0.3 * width, x + 0.3 * width], [value, value], color="black", linewidth=2)
    if known:
        low, high = axes.get_ylim()
        axes.set_ylim(low, max(high, 3 * max(value for _, value in known)))


SPEC = FigureSpec(
    "Figure 5: auxiliary memory over the matrix's",
    is_gsofa,
    fig5_frame,
    fig5,
    fig5_caption,
    claims=(CLAIM,),
    judge=fig5_verdicts,
)
