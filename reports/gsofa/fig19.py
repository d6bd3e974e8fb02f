"""Figure 19: strong scaling over GPUs and nodes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import gpu_caption
from reports.frames.gpus import by_kind, gain_frame, printed_columns, simulated_how, with_option
from reports.frames.seconds import beside
from reports.shapes.beside import PAPER
from reports.shapes.gains import STAR
from reports.shapes.labels import write_names
from reports.shapes.style import NORMAL, PALETTE, headline, new_figure

CLAIM = "fig19_strong_scaling"
PRINTED = subject("gsofa", CLAIM).data["per"]
FLAT = subject("gsofa", CLAIM).data["flat_from_33_to_44_nodes"]
FLAT_FROM = 33
SAME = ("matrix", "preparation", "machine")
# GPUs of the paper's nodes, and its most nodes.
A_NODE, NODES = 6, 44
COLOURS = dict(zip(PRINTED, PALETTE, strict=False))
GPUS, NODES_SHOWN = "GPUs of one host", "nodes of six GPUs"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, number of workers and machine: `ratio`, seconds on one GPU over those on so many of
    a host, or of a simulated node over those of so many nodes; `times`, how many as many; `efficiency`, the
    ratio over that; `from_33`, the ratio over that of 33 nodes; `by`, what the workers run."""
    rows = gain_frame(inputs, _pairing)
    each = pd.Series([A_NODE if what == NODES_SHOWN else 1 for what in rows["what"]], index=rows.index)
    rows["times"] = rows["workers"] / each
    rows["efficiency"] = rows["ratio"].astype(float) / rows["times"]
    rows["by"] = ["fill2" if "fill2_multi" in str(case) else "gsofa" for case in rows["case"]]
    at_33 = (rows["what"] == NODES_SHOWN) & (rows["times"] == FLAT_FROM)
    rows["from_33"] = rows["ratio"].astype(float) / beside(rows, at_33, "ratio", (*SAME, "by"))
    return printed_columns(rows, {NODES_SHOWN: PRINTED}, "times", "efficiency", "from_33", "by")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """The print over nodes on the left; then, where there is any, nodes simulated and GPUs measured."""
    ok = frame[(frame["pair"] == "ok") & frame["ratio"].notna()]
    parts = [ok[ok["what"] == what] for what in (NODES_SHOWN, GPUS)]
    shown = [part for part in parts if len(part)]
    figure = new_figure(min(14.0, 4.8 + 5.6 * len(shown)), 6.0)
    headline(figure, title)
    panels = figure.subplots(1, 1 + len(shown), squeeze=False, width_ratios=[3] + [4] * len(shown))[0]
    _draw_print(panels[0])
    for axes, rows in zip(panels[1:], shown, strict=True):
        _draw_lines(axes, rows)
    return figure


def _draw_print(axes: Axes) -> None:
    """The printed ends, joined as the text says: two flat from 33 nodes on, of the others only the ends are
    known."""
    lines = {
        abbr: ([1, FLAT_FROM, NODES], [1.0, value, value]) if abbr in FLAT else ([1, NODES], [1.0, value])
        for abbr, value in PRINTED.items()
    }
    _scale(axes, [1, *range(11, NODES + 1, 11)], NODES, NODES_SHOWN)
    for abbr, (xs, ys) in lines.items():
        axes.plot(xs, ys, color=COLOURS[abbr], linestyle=":", linewidth=1.4)
        axes.plot(xs[-1:], ys[-1:], linestyle="none", **STAR)
    axes.set_facecolor(PAPER)
    axes.set_title("printed: 44 nodes of six V100", loc="left", fontsize=NORMAL)
    names = [f"{abbr} {value:g}x" for abbr, value in PRINTED.items()]
    write_names(axes, [(NODES, value) for value in PRINTED.values()], names)


def _draw_lines(axes: Axes, rows: pd.DataFrame) -> None:
    """A line for each matrix and way, named at its end, in the colour of the printed matrix that it is or
    stands for."""
    what = str(rows["what"].iloc[0])
    _scale(axes, sorted({1.0, *rows["times"]}), float(rows["ratio"].max()), what)
    ends, names = [], []
    for (label, by), line in rows.groupby(["label", "by"], sort=False):
        ordered = line.sort_values("times")
        xs, ys = [1.0, *ordered["times"]], [1.0, *ordered["ratio"]]
        # fill2's workers, in turn on the CPU, are squares.
        marker, abbr = "s" if by == "fill2" else "o", _printed_matrix(line)
        colour = COLOURS.get(abbr, "#555555")
        axes.plot(xs, ys, marker=marker, color=colour, linestyle=":" if line["simulated"].any() else "-")
        ends.append((xs[-1], ys[-1]))
        stands_for = f", for {abbr}" if abbr and pd.isna(line["abbr"].iloc[0]) else ""
        names.append(f"{label} {ys[-1]:.3g}x{stands_for}")
    how = f"simulated: {' and '.join(dict.fromkeys(rows['by']))} in turn"
    heading = f"{how if rows['simulated'].any() else 'measured'}, {', '.join(dict.fromkeys(rows['where']))}"
    axes.set_title(textwrap.fill(heading, 36), loc="left", fontsize=NORMAL)
    write_names(axes, ends, names)


def _printed_matrix(line: pd.DataFrame) -> str:
    """The abbreviation of the printed matrix that it is, or the first that it stands for; empty for none."""
    row = line.iloc[0].to_dict()
    names = [str(row[name]) for name in ("abbr", "near", "stand_in_for") if not pd.isna(row[name])]
    return next((abbr for text in names for abbr in text.split(", ") if abbr in PRINTED), "")


def _scale(axes: Axes, times: Sequence[float], most: float, what: str) -> None:
    """Linear axes around the lines, with room for names at their ends, and the line of speed in proportion as
    far as it reaches. times : what the lines have points at."""
    # Where all points are at 1, as of one node, the axis has a width too.
    span = max(times[-1], 2.0) - 1
    axes.set_xlabel(what)
    axes.set_xticks(times, [f"{number:g}" for number in times])
    axes.set_xlim(1 - 0.06 * span, 1 + 2.0 * span)
    top = 1.12 * most
    axes.set_ylim(min(0.8, 1 - 0.05 * most), top)
    axes.set_ylabel(f"times as fast as one (axis up to {top:.0f})")
    axes.plot([1, times[-1]], [1, times[-1]], color="#555555", linestyle="--", linewidth=1.2, scaley=False)


def _pairing(case: Case) -> tuple[Case, str] | None:
    options = dict(case.options)
    if case.gpus > 1:
        return replace(case, gpus=0), GPUS
    if int(options.get("nodes", "1")) > 1 and options.get("virtual_gpus") == str(A_NODE):
        return with_option(case, "nodes", None), NODES_SHOWN
    return None


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 19",
    "strong scaling",
    frame,
    draw,
    """Dashed: in proportion; each panel has an axis of its own. Printed are the ends at 44 nodes and that
    {flat} are flat from 33 on; the dotted lines only join these. {simulated}A stand-in has the colour of the
    matrix that it stands for. {gpu}""",
    lambda frame: {
        "flat": " and ".join(FLAT),
        "simulated": simulated_how(frame),
        "gpu": gpu_caption(frame, "gsofa", timed=False),
    },
    # Beside the print: 44 nodes are simulated.
    held=(
        Held(
            CLAIM, "ratio", ("each",), "pair", "slowest worker", {"what": NODES_SHOWN, "times": NODES},
            by_kind, beside=True,
        ),
        Held(
            CLAIM, "efficiency", ("near_linear",), "pair", "slowest worker",
            {"what": NODES_SHOWN, "times": FLAT_FROM}, by_kind, beside=True,
        ),
        Held(
            CLAIM, "from_33", ("flat",), "pair", "slowest worker", {"what": NODES_SHOWN, "times": NODES},
            by_kind, beside=True,
        ),
    ),
    one_run=True,
    topic="strong scaling over GPUs and nodes",
)  # fmt: skip
