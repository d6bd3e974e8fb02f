"""Figure 12: SuperLU_DIST's parallel symbolic factorisation by its printed ratios; it is not measured."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.claims import subject
from reports.device import GSOFA, add_printed, columns_of, device_frame, gpu_caption
from reports.figures import Entries, FigureSpec
from reports.gains import draw_gains, gains_legend
from reports.records import Records
from reports.style import LARGE, new_figure
from reports.timed import RATIO, add_columns, groups_of, name_matrices, ratio_of, width

CLAIM = "fig12_vs_superlu_dist"
# What a good sequential code takes, beside which the print stands.
BASELINE = "fill1_pruned"
GAIN = bars.Panel(
    "ratio", "ratio_low", "ratio_high", "seconds of fill1_pruned, one core,\nover gsofa, one GPU", "pair",
    points=True,
)  # fmt: skip


def fig12_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix and machine: `ratio`, seconds of fill1_pruned over gsofa's in one run; superlu_dist, why
    there is none of SuperLU_DIST's; what the paper prints of that over GSoFA's on one node."""
    rows = device_frame(records, entries, cases, ())
    found = {(r["implementation"], r["group"], r["machine"]): r for r in rows.to_dict("records")}
    frame = rows[rows["implementation"] == BASELINE].reset_index(drop=True)
    ratios = [
        ratio_of(row, found.get((GSOFA, row["group"], row["machine"])), ("", GSOFA))
        for row in frame.to_dict("records")
    ]
    add_columns(frame, ratios, RATIO)
    frame["group"] = groups_of(frame)
    frame = add_printed(frame, {"paper": subject("gsofa", CLAIM).data["one_node"]})
    frame["superlu_dist"] = "unavailable"
    return columns_of(frame, "median", *RATIO, "superlu_dist", "paper")


def fig12(frame: pd.DataFrame) -> Figure:
    """Our ratio to a sequential code as points, the printed ones to SuperLU_DIST as stars."""
    figure = new_figure(width(frame), 7.0)
    axes = figure.subplots()
    figure.suptitle(
        "GSoFA, Figure 12: SuperLU_DIST (unavailable here; printed ratios only)",
        x=0.01, ha="left", fontsize=LARGE, weight="bold",
    )  # fmt: skip
    draw_gains(axes, frame, GAIN, "paper", None)
    stars = "printed: SuperLU_DIST's parallel symbolic over GSoFA, one node of each"
    gains_legend(axes, frame, [("star", stars), ("slot", "no ratio of ours")])
    name_matrices(axes, frame)
    return figure


def fig12_caption(frame: pd.DataFrame) -> str:
    """What is missing, and what stands beside the print."""
    nodes = subject("gsofa", CLAIM).data["nodes_44"]
    (most,), (least,) = nodes["max"].items(), nodes["min"].items()
    return (
        "SuperLU_DIST's parallel symbolic factorisation is unavailable: it needs nodes of its own, and there "
        "is no driver of it here. Stars are the printed ratios on one node (42 cores, six V100); on 44 nodes "
        f"the paper prints {nodes['mean']}x on average, {most[1]}x ({most[0]}) at most and {least[1]}x "
        f"({least[0]}) at least. Points are another comparison: fill1_pruned, sequential, over gsofa on one "
        f"GPU. {gpu_caption(frame)}"
    )


def _concerns(case: Case) -> bool:
    return case.stage == "symbolic" and case.implementation in (BASELINE, GSOFA) and not case.options


SPEC = FigureSpec(
    "Figure 12: SuperLU_DIST's parallel symbolic factorisation (printed)",
    _concerns,
    fig12_frame,
    fig12,
    fig12_caption,
    claims=(CLAIM,),
    one_run=True,
)
