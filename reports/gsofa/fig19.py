"""Figure 19: strong scaling over GPUs and nodes."""

import textwrap
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.gpus import SIMULATED, by_kind, compared, parallel
from reports.gsofa.symbolic import printed_matrix
from reports.shapes.axes import write_names
from reports.shapes.beside import PAPER, where
from reports.shapes.style import NORMAL, PALETTE, new_figure
from reports.table import KEY
from reports.verbs import option, without

DATA = subject("gsofa", "fig19_strong_scaling").data
PRINTED, FLAT = DATA["per"], DATA["flat_from_33_to_44_nodes"]
# Nodes from which two are flat, the paper's most nodes, GPUs of each.
FLAT_FROM, NODES, A_NODE = 33, 44, 6
COLOURS = dict(zip(PRINTED, PALETTE, strict=False))
GPUS, NODES_SHOWN = "GPUs of one host", "nodes of six GPUs"
# The printed ends, joined as the text says.
ENDS = pd.DataFrame(
    [(abbr, n, PRINTED[abbr]) for abbr in PRINTED for n in (FLAT_FROM, NODES) if n == NODES or abbr in FLAT],
    columns=["label", "times", "ratio"],
).assign(printed=lambda rows: rows["label"], stands_for="", simulated=True, by="print", what=NODES_SHOWN)
# How a line looks, by what its workers run.
LOOKS: dict[str, dict[str, Any]] = {
    "gsofa": {"marker": "o"},
    "fill2": {"marker": "s"},
    "print": {"marker": "*", "markersize": 15, "markevery": [-1], "mfc": "w", "mec": "black"},
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return a row per matrix and number of workers: `ratio`, seconds on a GPU or node over those on `times`.

    `efficiency` is the ratio over that number, `from_33` over that of 33 nodes; `by`, what the workers run.
    """
    rows = parallel(cases)
    nodes, each = (option(rows["variant"], name) for name in ("nodes", "virtual_gpus"))
    steps = {
        GPUS: (rows["gpus"] > 1, without(rows["variant"], "gpus")),
        NODES_SHOWN: (nodes.notna() & (each == str(A_NODE)), without(rows["variant"], "nodes")),
    }
    rows = compared(rows, steps, {NODES_SHOWN: PRINTED})
    rows["times"] = rows["workers"] / rows["what"].map({GPUS: 1, NODES_SHOWN: A_NODE})
    rows["efficiency"] = rows["ratio"] / rows["times"]
    rows["by"] = rows["implementation"].str.removesuffix("_multi")
    at_33 = rows["ratio"].where((rows["what"] == NODES_SHOWN) & (rows["times"] == FLAT_FROM))
    then = at_33.groupby([rows[name] for name in (*KEY, "by")]).transform("first")
    return rows.assign(from_33=rows["ratio"] / then)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw the print over nodes on the left; then, where there are any, simulated nodes and GPUs."""
    ok = frame[(frame["pair"] == "ok") & frame["ratio"].notna()]
    ok = ok.assign(printed=printed_matrix(ok, PRINTED))
    ok["stands_for"] = (", for " + ok["printed"]).where(ok["abbr"].isna()).fillna("")
    shown = [ok[ok["what"] == what] for what in (NODES_SHOWN, GPUS) if (ok["what"] == what).any()]
    figure = new_figure(min(14.0, 4.8 + 5.6 * len(shown)), 6.0, title)
    panels = figure.subplots(1, 1 + len(shown), squeeze=False, width_ratios=[3] + [4] * len(shown))[0]
    panels[0].set_facecolor(PAPER)
    _panel(panels[0], ENDS, "printed: 44 nodes of six V100")
    for axes, rows in zip(panels[1:], shown, strict=True):
        in_turn = f"simulated: {' and '.join(rows['by'].unique())} in turn"
        _panel(axes, rows, f"{in_turn if rows['simulated'].any() else 'measured'} on {where(rows)}")
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, heading: str) -> None:
    """Draw a line for each matrix and way, named at its end, in the colour of the printed matrix that it is
    or stands for, and the line of speed in proportion as far as they reach."""
    times, most = sorted({1.0, *rows["times"]}), 1.12 * float(rows["ratio"].max())
    # Where all points are at 1, as of one node, the axis has a width too.
    span = max(times[-1], 2.0) - 1
    axes.set_xticks(times, [f"{number:g}" for number in times])
    axes.set(xlim=(1 - 0.06 * span, 1 + 2.0 * span), ylim=(min(0.8, 1 - 0.05 * most), most))
    axes.set(xlabel=rows["what"].iloc[0], ylabel=f"times as fast as one (axis up to {most:.0f})")
    axes.plot([1, times[-1]], [1, times[-1]], color="#555555", linestyle="--", linewidth=1.2, scaley=False)
    ends, names = [], []
    for (label, by), line in rows.sort_values("times", kind="stable").groupby(["label", "by"], sort=False):
        end = line.iloc[-1]
        look = LOOKS[str(by)] | {"color": COLOURS.get(end["printed"], "#555555")}
        style = ":" if end["simulated"] else "-"
        axes.plot([1.0, *line["times"]], [1.0, *line["ratio"]], linestyle=style, **look)
        ends.append((end["times"], end["ratio"]))
        names.append(f"{label} {end['ratio']:.3g}x{end['stands_for']}")
    axes.set_title(textwrap.fill(heading, 36, break_on_hyphens=False), loc="left", fontsize=NORMAL)
    write_names(axes, ends, names)


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 19",
    "strong scaling",
    frame,
    draw,
    f"""Dashed: in proportion; each panel has an axis of its own. Printed are the ends at 44 nodes and that
    {" and ".join(FLAT)} are flat from 33 on; the dotted lines only join these. {SIMULATED} A stand-in has the
    colour of the matrix that it stands for.""",
    claims=("fig19_strong_scaling",),
    subsets={"kinds": by_kind},
    one_run=True,
    topic="strong scaling over GPUs and nodes",
)
