"""Figure 12: GSoFA on one GPU and SuperLU_DIST on ranks of its host."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.symbolic import GOOD, SPAN, SYMBOLIC, fastest_facts
from reports.shapes.axes import empty_panel, legend_above, name_matrices, write_names
from reports.shapes.bars import draw_slots, label_log, seconds
from reports.shapes.lines import draw_line
from reports.shapes.strip import Ratios, write_strip
from reports.shapes.style import PALETTE, SMALL, new_figure
from reports.table import cores_of, timed
from reports.verbs import KEY, beside, by_code, fastest, in_papers_order, of, on, option, over

DATA = subject("gsofa", "fig12_vs_superlu_dist")
ONE_NODE: dict[str, float] = DATA["one_node"]
RANKED, GSOFA, SIX, BEST = "superlu_dist_parallel", "gsofa", "gsofa on six GPUs", "sequential, one core"
LOOKS: dict[str, dict[str, Any]] = {
    RANKED: {"label": "SuperLU_DIST on 1 to 16 ranks", "color": PALETTE[0], "marker": "o"},
    GSOFA: {"label": "gsofa, one GPU", "color": PALETTE[5], "linewidth": 2.4},
    SIX: {"label": "gsofa_multi, six GPUs", "color": PALETTE[3], "linewidth": 2.4, "linestyle": "-."},
    BEST: {"label": BEST, "color": "#555555", "linewidth": 1.6, "linestyle": "--"},
}
SPEEDUPS = {"speedup": "ratio", "with transfers": "moved_ratio"}
SIX_GPUS = {"six GPUs": "six_ratio", "printed, six": "paper"}
RANKS = "SuperLU_DIST on its best ranks (in brackets) over gsofa on one GPU"
STRIP = [
    Ratios(RANKS, SPEEDUPS | SIX_GPUS, only={"best": True}, mark="mark"),
    Ratios("The fastest sequential code over the same", SPEEDUPS, only={"series": BEST}, mark="mark"),
]
# Half of the width that points of 1 to 16 ranks take in a group, and half of that of a line.
HALF, EDGE = 0.36, 0.42


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and series, `best` on its best ranks: `ratio`, `six_ratio` over gsofa's."""
    rows = timed(cases, SYMBOLIC)
    rows["series"] = rows["implementation"].where(rows["gpus"] != 6, SIX)
    ours = rows["series"].isin([GSOFA, SIX])
    others = rows[~ours]
    for name, prefix in ((GSOFA, ""), (SIX, "six_")):
        ratio = over(others, on(others, rows[rows["series"] == name]), ("", name), bounds=False)
        others = others.join(ratio.add_prefix(prefix))
    ranked = others[others["series"] == RANKED]
    ranks = option(ranked["variant"], "ranks").fillna("1").astype(int)
    least = ranked.fillna({"median": np.inf}).groupby(KEY)["median"].idxmin()
    ranked = ranked.assign(ranks=ranks, best=ranked.index.isin(least))
    codes = by_code(others, {name: name for name in GOOD}, "implementation")
    best = fastest(codes, of(rows, GSOFA, "series")["run_id"]).dropna(subset="case").reset_index()
    best = best.assign(series=BEST, code=best["code"].where(best["status"] == "ok"))
    whole = pd.concat([ranked, best, rows[ours]], ignore_index=True)
    whole = beside(whole, "gsofa", {"paper": ONE_NODE})
    return in_papers_order(whole.assign(best=whole["best"].eq(True) | whole["series"].isna()), "gsofa")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw the measured seconds above, the printed ratios below on axes of their own."""
    ranks = frame["ranks"].map("({:g})".format)
    marked = frame.assign(mark=frame["code"].map(GOOD).where(frame["series"] == BEST, ranks))
    lines = [line for ratios in STRIP for line in ratios.lines(marked)]
    figure = new_figure(12.5, 11.5 + 0.2 * len(lines), title)
    top, bottom = figure.subplots(2, 1, height_ratios=(5, 6))
    if frame.empty:
        empty_panel(top, "not_run", "no case of it was measured")
    else:
        _measured(top, frame)
        write_strip(top, lines)
    legend_above(figure)
    _printed(bottom)
    return figure


def _measured(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw in each group seconds by ranks, 1 to 16 from left to right, and lines of codes without ranks."""
    # Four ranks are in the middle of a group, and so are codes without ranks.
    frame = frame.assign(x=frame["group"] + HALF * (np.log2(frame["ranks"].fillna(4)) / 2 - 1))
    ok, failed = frame[frame["status"] == "ok"], frame[frame["status"] != "ok"]
    for _, rows in ok[ok["series"] == RANKED].groupby("group"):
        draw_line(axes, "x", rows.sort_values("ranks"), LOOKS[RANKED])
    for name, rows in ok[ok["series"] != RANKED].groupby("series", sort=False):
        axes.hlines(rows["median"], rows["group"] - EDGE, rows["group"] + EDGE, **LOOKS[str(name)])
    ranked, others = failed[failed["series"] == RANKED], failed[failed["series"] != RANKED]
    draw_slots(axes, ranked["x"], HALF / 2, ranked["status"])
    draw_slots(axes, others["x"], 2 * HALF, others["series"] + ": " + others["status"])
    axes.set_yscale("log")
    label_log(axes.yaxis, seconds)
    name_matrices(axes, frame)
    axes.set_ylabel("seconds (log)")


def _printed(axes: Axes) -> None:
    """Draw the printed ratios by the number of nodes: each matrix on one, in words on six, ends on 44."""
    above, many = DATA["faster_at_6_nodes"], DATA["nodes_44"]["max"] | DATA["nodes_44"]["min"]
    axes.axhline(1, color="black", linewidth=1)
    axes.plot([0] * len(ONE_NODE), [*ONE_NODE.values()], "o", color=PALETTE[0])
    for abbr, value in many.items():
        axes.plot([0, 2], [ONE_NODE[abbr], value], "--o", color=PALETTE[0], linewidth=1)
    axes.plot(2, DATA["nodes_44"]["mean"], "D", color=PALETTE[5], markersize=8)
    axes.set_xticks([0, 1, 2], ["1 node", "6 nodes", "44 nodes"])
    axes.set(xlim=(-0.6, 2.6), ylim=(0.03, 25), yscale="log", ylabel="speedup (log scale)")
    axes.yaxis.set_major_formatter("{x:g}")
    names = [(0, *item) for item in ONE_NODE.items()]
    names += [(2, *item) for item in {**many, "mean": DATA["nodes_44"]["mean"]}.items()]
    write_names(axes, [(x, y) for x, _, y in names], [f"{name} {value:.3g}x" for _, name, value in names])
    below = ", ".join(abbr for abbr in ONE_NODE if abbr not in above)
    for height, text in ((7.0, f"above 1x:\n{', '.join(above)}"), (0.09, f"below 1x:\n{below}")):
        axes.text(1, height, text, ha="center", va="center", fontsize=SMALL)
    axes.set_title("Printed: GSoFA over SuperLU_DIST, each on a number of nodes of six GPUs", loc="left")


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return the host's cores, the ranks that it cannot have, and which sequential code is the fastest."""
    good = frame[frame["series"] == BEST]
    idle = frame[frame["ranks"].notna() & (frame["status"] == "unavailable")].sort_values("ranks")
    numbers = ", ".join(idle["ranks"].map("{:g}".format).unique())
    cores = [cores_of(machine) for machine in frame["machine"].dropna().unique()]
    return {
        "host": "".join(f"Host: {count:g} cores. " for count in cores if count > 0),
        "idle": f"Unavailable on {numbers} ranks: {idle['reason'].iloc[0]}. " if numbers else "",
        **fastest_facts(good, ""),
    }


CAPTION = """Above: seconds of symbfact_dist alone. {host}{idle}{fastest}Means are geometric. With transfers:
    the GPU's seconds with copies to and fro. Below 1 the GPU is slower. Print: six GPUs of each node over
    SuperLU_DIST on its POWER9 cores. Only six GPUs of one host are judged."""
EXHIBIT = Exhibit(frame, draw, CAPTION, facts, span=SPAN)
