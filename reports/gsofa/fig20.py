"""Figure 20: testing fill before maxId (line 9.5 of the paper's Figure 6)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.claims import claims_of, subject
from reports.device import add_printed, columns_of, gpu_caption, is_gsofa, pair_frame, without
from reports.figures import Entries, FigureSpec
from reports.gains import draw_gains, gains_legend
from reports.records import Records
from reports.standings import Verdict
from reports.style import LARGE, new_figure
from reports.timed import name_matrices, width
from reports.verdicts import judge, judge_all

CLAIM = "fig20_fill_before_maxid"
GAIN = bars.Panel(
    "gain",
    "gain_low",
    "gain_high",
    "gain of testing fill first, %",
    "pair",
    points=True,
    form="{:+.2g}%".format,
    log=False,
)


def fig20_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix and machine: `gain`, by how many per cent of the seconds with fill_first those without
    it are more; what the paper prints, and whether it names the matrix as one that gains."""
    facts = ("concurrent_sources",)
    frame = pair_frame(
        records,
        entries,
        cases,
        without("fill_first"),
        role="maxId first",
        facts=facts,
        same=facts[0],
        inverse=True,
    )
    for ratio, gain in (("ratio", "gain"), ("ratio_low", "gain_low"), ("ratio_high", "gain_high")):
        frame[gain] = 100 * (frame[ratio] - 1)
    frame = add_printed(frame, {"paper_gain": _printed()})
    gains = subject("gsofa", CLAIM).data["gains"]
    named = [abbr in gains if isinstance(abbr, str) else None for abbr in frame["abbr"]]
    frame["paper_gains"] = pd.Series(named, index=frame.index, dtype="boolean")
    own = ("gain", "gain_low", "gain_high", "concurrent_sources", "other_concurrent_sources")
    return columns_of(frame, "other", "median", "other_median", "pair", *own, "paper_gain", "paper_gains")


def fig20(frame: pd.DataFrame) -> Figure:
    """The gain of each matrix."""
    figure = new_figure(width(frame), 7.0)
    axes = figure.subplots()
    figure.suptitle(
        "GSoFA, Figure 20: testing fill before maxId (line 9.5)",
        x=0.01,
        ha="left",
        fontsize=LARGE,
        weight="bold",
    )
    draw_gains(axes, frame, GAIN, "paper_gain", None, even=0.0)
    gains_legend(axes, frame, [("star", "printed, of the matrix"), ("slot", "no ratio")])
    name_matrices(axes, frame)
    return figure


def fig20_caption(frame: pd.DataFrame) -> str:
    """What a gain is, and what the paper says in words."""
    return (
        "Gain: seconds of gsofa over those of gsofa with fill_first=true, less 1, the ratio of their medians "
        "in one run at the same number of concurrent sources. The paper prints the largest gain and the "
        f"largest drop, says that {', '.join(subject('gsofa', CLAIM).data['gains'])} gain, and leaves the "
        f"line out otherwise, as the default is here. {gpu_caption(frame)}"
    )


def fig20_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """How many matrices gain, and from what to what."""
    count, *ends = claims_of("gsofa", CLAIM)
    gains = judge(frame, count, "gain", status="pair", basis="seconds", above=0.0)
    return gains + judge_all(frame, ends, "gain", status="pair", basis="seconds")


def _printed() -> dict[str, float]:
    """The largest gain and the largest drop, in per cent, by matrix."""
    data = subject("gsofa", CLAIM).data
    return {**data["max_gain_percent"], **data["max_drop_percent"]}


SPEC = FigureSpec(
    "Figure 20: testing fill before maxId",
    is_gsofa,
    fig20_frame,
    fig20,
    fig20_caption,
    claims=(CLAIM,),
    judge=fig20_verdicts,
    one_run=True,
)
