"""Figure 14: value ranges of maxId over re-initialising it for each source."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.claims import claim, subject
from reports.device import (
    add_printed,
    columns_of,
    gpu_caption,
    is_gsofa,
    pair_frame,
    printed_values,
    without,
)
from reports.figures import Entries, FigureSpec
from reports.gains import draw_before_after, draw_gains, gains_legend
from reports.records import Records
from reports.standings import Verdict
from reports.style import LARGE, new_figure
from reports.timed import RATIO, name_matrices, width
from reports.verdicts import judge, judge_all

CLAIM = "fig14_maxid_ranges"
GAIN = bars.Panel(
    "ratio", "ratio_low", "ratio_high", "seconds without value ranges\nover with", "pair", points=True
)


def fig14_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix and machine: `ratio`, seconds without value ranges over with them, at the same number of
    concurrent sources; the share of time that re-initialising takes without and with (other_)."""
    facts = ("concurrent_sources", "reinit_share")
    frame = pair_frame(
        records, entries, cases, without("maxid_ranges"), role="with value ranges", facts=facts, same=facts[0]
    )
    shares = subject("gsofa", CLAIM).data["reinitialisation_share"]
    printed = {
        "paper_speedup": printed_values(CLAIM),
        "paper_reinit_without": {abbr: pair["before"] for abbr, pair in shares.items()},
        "paper_reinit_with": {abbr: pair["after"] for abbr, pair in shares.items()},
    }
    names = {"reinit_share": "reinit_without", "other_reinit_share": "reinit_with"}
    return columns_of(
        add_printed(frame, printed).rename(columns=names),
        "other", "median", "other_median", *RATIO, "concurrent_sources", "other_concurrent_sources",
        *names.values(), *printed,
    )  # fmt: skip


def fig14(frame: pd.DataFrame) -> Figure:
    """The speed-up above the shares of time."""
    figure = new_figure(width(frame), 9.0)
    top, bottom = figure.subplots(2, 1, sharex=True)
    figure.suptitle(
        "GSoFA, Figure 14: value ranges of maxId", x=0.01, ha="left", fontsize=LARGE, weight="bold"
    )
    mean = subject("gsofa", CLAIM).mean
    draw_gains(top, frame, GAIN, "paper_speedup", mean)
    gains_legend(
        top,
        frame,
        [("star", "printed, of the matrix"), ("line", f"printed mean, {mean:g}x"), ("slot", "no ratio")],
    )
    draw_before_after(
        bottom,
        frame,
        ("reinit_without", "reinit_with"),
        ("paper_reinit_without", "paper_reinit_with"),
        _per_cent,
    )
    bottom.set_ylabel("share of time spent\nre-initialising maxId")
    gains_legend(bottom, frame, [("hollow", "without value ranges"), ("full", "with")])
    name_matrices(bottom, frame)
    return figure


def fig14_caption(frame: pd.DataFrame) -> str:
    """What is compared, and what the shares are of."""
    return (
        "Above: seconds of gsofa with maxid_ranges=false over those of gsofa with it, the ratio of their "
        "medians in one run, only where both had the same number of concurrent sources (`other concurrency`: "
        "they had not; `not measured`: it is not known). Below: the share of its blocks' cycles that gsofa "
        "spent re-initialising maxId, empty points without value ranges, full ones with. The paper "
        "re-initialises for each source, and its iterations are of the whole card; here each block "
        f"re-initialises on its own. {gpu_caption(frame)}"
    )


def fig14_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """The speed-ups, in seconds, and the shares of time that re-initialising takes."""
    speedups = [claim("gsofa", CLAIM, name) for name in ("mean", "largest", "smallest")]
    shares = ("reinitialisation_without", "reinit_without"), ("reinitialisation_with", "reinit_with")
    return judge_all(frame, speedups, "ratio", status="pair", basis="seconds") + [
        verdict
        for name, column in shares
        for verdict in judge(frame, claim("gsofa", CLAIM, name), column, status="pair")
    ]


def _per_cent(share: float) -> str:
    return f"{100 * share:.2g}%"


SPEC = FigureSpec(
    "Figure 14: value ranges of maxId",
    is_gsofa,
    fig14_frame,
    fig14,
    fig14_caption,
    claims=(CLAIM,),
    judge=fig14_verdicts,
    one_run=True,
)
