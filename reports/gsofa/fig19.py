"""Figure 19: strong scaling over GPUs and nodes."""

from __future__ import annotations

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.gsofa.gpus import SIMULATED, by_kind, compared, parallel
from reports.gsofa.printed import printed_matrix
from reports.shapes.axes import write_names
from reports.shapes.beside import PAPER, where
from reports.shapes.style import NORMAL, PALETTE, headline, new_figure
from reports.table import KEY
from reports.verbs import by_input, option, without

CLAIM = "fig19_strong_scaling"
PRINTED = subject("gsofa", CLAIM).data["per"]
FLAT = subject("gsofa", CLAIM).data["flat_from_33_to_44_nodes"]
FLAT_FROM = 33
# GPUs of the paper's nodes, and its most nodes.
A_NODE, NODES = 6, 44
COLOURS = dict(zip(PRINTED, PALETTE, strict=False))
GPUS, NODES_SHOWN = "GPUs of one host", "nodes of six GPUs"
# By the code of the workers the marker of their line.
MARKERS = {"gsofa": "o", "fill2": "s"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return a row per matrix and number of workers: `ratio`, seconds on one over those on so many.

    The one is a GPU, or a simulated node; `times` is how many as many, `efficiency` the ratio over that.
    `from_33` is the ratio over that of 33 nodes; `by`, what the workers run.
    """
    rows = parallel(cases)
    nodes, each = (option(rows["variant"], name) for name in ("nodes", "virtual_gpus"))
    alone = {name: without(rows["variant"], name) for name in ("gpus", "nodes")}
    steps = {
        GPUS: (rows["gpus"] > 1, alone["gpus"]),
        NODES_SHOWN: ((nodes.fillna("1") != "1") & (each == str(A_NODE)), alone["nodes"]),
    }
    rows = compared(rows, steps, {NODES_SHOWN: PRINTED})
    rows["times"] = rows["workers"] / rows["what"].map({GPUS: 1, NODES_SHOWN: A_NODE})
    rows["efficiency"] = rows["ratio"] / rows["times"]
    rows["by"] = rows["implementation"].str.removesuffix("_multi")
    at_33 = by_input(rows[(rows["what"] == NODES_SHOWN) & (rows["times"] == FLAT_FROM)], "by")["ratio"]
    then = at_33.reindex(pd.MultiIndex.from_frame(rows[[*KEY, "by"]])).set_axis(rows.index)
    return rows.assign(from_33=rows["ratio"] / then)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Return the print over nodes on the left; then, where there are any, simulated nodes and GPUs."""
    ok = frame[(frame["pair"] == "ok") & frame["ratio"].notna()]
    shown = [ok[ok["what"] == what] for what in (NODES_SHOWN, GPUS) if (ok["what"] == what).any()]
    figure = new_figure(min(14.0, 4.8 + 5.6 * len(shown)), 6.0)
    headline(figure, title)
    panels = figure.subplots(1, 1 + len(shown), squeeze=False, width_ratios=[3] + [4] * len(shown))[0]
    _draw_print(panels[0])
    for axes, rows in zip(panels[1:], shown, strict=True):
        _draw_lines(axes, rows)
    return figure


def _draw_print(axes: Axes) -> None:
    """Draw the printed ends, joined as the text says: two are flat from 33 nodes on."""
    _scale(axes, [1.0, *range(11, NODES + 1, 11)], NODES, NODES_SHOWN)
    for abbr, value in PRINTED.items():
        xs, ys = ([1, FLAT_FROM, NODES], [1, value, value]) if abbr in FLAT else ([1, NODES], [1, value])
        axes.plot(xs, ys, color=COLOURS[abbr], linestyle=":", linewidth=1.4)
    axes.plot([NODES] * len(PRINTED), list(PRINTED.values()), "*w", markersize=15, markeredgecolor="black")
    axes.set_facecolor(PAPER)
    axes.set_title("printed: 44 nodes of six V100", loc="left", fontsize=NORMAL)
    names = [f"{abbr} {value:g}x" for abbr, value in PRINTED.items()]
    write_names(axes, [(NODES, value) for value in PRINTED.values()], names)


def _draw_lines(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a line for each matrix and way, named at its end, in the colour of the printed matrix that it is
    or stands for."""
    simulated = bool(rows["simulated"].any())
    _scale(axes, sorted({1.0, *rows["times"]}), float(rows["ratio"].max()), str(rows["what"].iloc[0]))
    lines = rows.assign(printed=printed_matrix(rows, PRINTED).fillna("")).sort_values("times", kind="stable")
    ends, names = [], []
    for (label, by), line in lines.groupby(["label", "by"], sort=False):
        xs, ys = [1.0, *line["times"]], [1.0, *line["ratio"]]
        abbr = line["printed"].iloc[0]
        look = {"color": COLOURS.get(abbr, "#555555"), "linestyle": ":" if simulated else "-"}
        axes.plot(xs, ys, marker=MARKERS[str(by)], **look)
        ends.append((xs[-1], ys[-1]))
        stands_for = f", for {abbr}" if abbr and pd.isna(line["abbr"].iloc[0]) else ""
        names.append(f"{label} {ys[-1]:.3g}x{stands_for}")
    how = f"simulated: {' and '.join(rows['by'].unique())} in turn" if simulated else "measured"
    heading = textwrap.fill(f"{how} on {where(rows)}", 36, break_on_hyphens=False)
    axes.set_title(heading, loc="left", fontsize=NORMAL)
    write_names(axes, ends, names)


def _scale(axes: Axes, times: list[float], most: float, what: str) -> None:
    """Put linear axes around lines with points at `times`, with room for names at their ends.

    The line of speed in proportion goes as far as they reach.
    """
    # Where all points are at 1, as of one node, the axis has a width too.
    span = max(times[-1], 2.0) - 1
    axes.set_xlabel(what)
    axes.set_xticks(times, [f"{number:g}" for number in times])
    axes.set_xlim(1 - 0.06 * span, 1 + 2.0 * span)
    top = 1.12 * most
    axes.set_ylim(min(0.8, 1 - 0.05 * most), top)
    axes.set_ylabel(f"times as fast as one (axis up to {top:.0f})")
    axes.plot([1, times[-1]], [1, times[-1]], color="#555555", linestyle="--", linewidth=1.2, scaley=False)


# What is held against claims: the column, the claim, and the number of nodes.
JUDGED = (("ratio", "each", NODES), ("efficiency", "near_linear", FLAT_FROM), ("from_33", "flat", NODES))
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 19",
    "strong scaling",
    frame,
    draw,
    f"""Dashed: in proportion; each panel has an axis of its own. Printed are the ends at 44 nodes and that
    {" and ".join(FLAT)} are flat from 33 on; the dotted lines only join these. {SIMULATED} A stand-in has the
    colour of the matrix that it stands for.""",
    # Beside the print: 44 nodes are simulated.
    held=tuple(
        Held(
            CLAIM,
            value,
            (name,),
            "pair",
            "slowest worker",
            {"what": NODES_SHOWN, "times": nodes},
            by_kind,
            beside=True,
        )
        for value, name, nodes in JUDGED
    ),
    one_run=True,
    topic="strong scaling over GPUs and nodes",
)
