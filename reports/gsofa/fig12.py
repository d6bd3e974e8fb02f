"""Figure 12: GSoFA beside SuperLU_DIST's parallel symbolic factorisation, on ranks of the GPU's host."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.symbolic import GOOD, SPAN, SYMBOLIC, fastest_how
from reports.shapes.axes import empty_panel, legend_above, name_matrices, seconds_axis
from reports.shapes.bars import draw_slots
from reports.shapes.lines import draw_line, draw_nodes
from reports.shapes.strip import Ratios, write_strip
from reports.shapes.style import PALETTE, new_figure
from reports.table import KEY, cores_of, timed
from reports.verbs import beside, by_code, fastest, in_papers_order, of, on, option, over

DATA = subject("gsofa", "fig12_vs_superlu_dist").data
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
# Of a group's place: half of what points of 1 to 16 ranks take, half of a line.
HALF, EDGE = 0.36, 0.42


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and series: SuperLU_DIST on each number of `ranks`, of which `best` takes
    least, gsofa on one GPU and on six, and the fastest sequential code, which `code` names; `ratio`, its
    seconds over those of gsofa on one GPU in one run, `six_ratio` over those on six."""
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
    whole = beside(whole, "gsofa", {"paper": DATA["one_node"]})
    is_best = whole["best"].eq(True) | whole["series"].isna()
    return in_papers_order(whole.assign(best=is_best), "gsofa")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw what was measured above, what is printed below on axes of its own."""
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
    many = DATA["nodes_44"]
    draw_nodes(bottom, DATA["one_node"], DATA["faster_at_6_nodes"], many["max"] | many["min"], many["mean"])
    bottom.set_title("Printed: GSoFA over SuperLU_DIST, each on so many nodes of six GPUs", loc="left")
    return figure


def _measured(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw in each group seconds by ranks, 1 to 16 from left to right, and lines for what has none."""
    # Four ranks stand in the middle of a group, and all that has none.
    frame = frame.assign(x=frame["group"] + HALF * (np.log2(frame["ranks"].fillna(4)) / 2 - 1))
    ok, failed = frame[frame["status"] == "ok"], frame[frame["status"] != "ok"]
    for _, rows in ok[ok["series"] == RANKED].groupby("group"):
        draw_line(axes, "x", rows.sort_values("ranks"), LOOKS[RANKED])
    for name, rows in ok[ok["series"] != RANKED].groupby("series", sort=False):
        axes.hlines(rows["median"], rows["group"] - EDGE, rows["group"] + EDGE, **LOOKS[str(name)])
    ranked, others = failed[failed["series"] == RANKED], failed[failed["series"] != RANKED]
    draw_slots(axes, ranked["x"], HALF / 2, ranked["status"])
    draw_slots(axes, others["x"], 2 * HALF, others["series"] + ": " + others["status"])
    seconds_axis(axes)
    name_matrices(axes, frame)
    axes.set_ylabel("seconds (log)")


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return the host's cores, the ranks that it cannot have, and which sequential code is the fastest."""
    good = frame[frame["series"] == BEST]
    idle = frame[frame["ranks"].notna() & (frame["status"] == "unavailable")].sort_values("ranks")
    numbers = ", ".join(idle["ranks"].map("{:g}".format).unique())
    cores = [cores_of(machine) for machine in frame["machine"].dropna().unique()]
    return {
        "host": "".join(f"Host: {count:g} cores. " for count in cores if count > 0),
        "idle": f"Unavailable on {numbers} ranks: {idle['reason'].iloc[0]}. " if numbers else "",
        "fastest": fastest_how(good["code"], good["untimed"]),
    }


EXHIBIT = Exhibit(
    "GSoFA on one GPU and SuperLU_DIST on ranks of its host",
    frame,
    draw,
    """Above: seconds of symbfact_dist alone, which pdgssvx calls SYMBFACT, in the same order; it keeps
    subscripts by supernodes, gsofa the rows of F. {host}{idle}{fastest}Below 1 the GPU is
    slower; means are geometric; with transfers: the way to the GPU and back is added to its seconds. Below:
    six GPUs of each node over SuperLU_DIST on that node's POWER9 cores; one GPU here is another quantity,
    beside the print, and six GPUs of one host are judged.""",
    facts,
    span=SPAN,
)
