"""Figure 4: how deep the factor is, its time and its fill, for three orderings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.verdicts import Subset
from reports.frames.device import columns_of, device_frame
from reports.frames.parac import ORDERINGS, PAPER, names_of, ordered_how
from reports.frames.seconds import NO_RESULT, seconds_how
from reports.shapes import bars
from reports.shapes.axes import seconds_axis
from reports.shapes.groups import lines
from reports.shapes.labels import legend_above
from reports.shapes.seconds import seconds_panel
from reports.shapes.style import headline, new_figure

CLAIM = "fig4_dependency_depth"
DEPTHS = {
    "height_classical": ("o", "white", "classical e-tree height"),
    "height_actual": ("o", "own", "actual e-tree height"),
    "critical_path": ("_", "own", "critical path of a triangular solve"),
}
FACTS = (*DEPTHS, "nnz_l", "nnz_g")
# The GPU's first: its time is the paper's.
FACTORS = ("parac_gpu", "parac_cpu")
SPAN = "the graph resident where it is factorised to its factor resident there"
FILL = bars.Panel("fill", "fill", "fill", "fill ratio", log=False)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, ordering and machine: both heights and the critical path, in vertices, `fill`, 2
    nnz(G) over nnz(L) with both diagonals, and seconds of the factor by `implementation`: on the GPU where
    the machine has a result of it, else on one thread. shrinks : the classical height over the actual one."""
    rows = device_frame(inputs, FACTS)
    rows["ordering"] = rows["preparation"]
    rows["place"] = rows["implementation"].map(FACTORS.index) + 2 * (rows["status"] != "ok")
    keys = ["label", "ordering", "machine"]
    rows = rows.sort_values("place", kind="stable").drop_duplicates(keys).sort_index(ignore_index=True)
    rows["fill"] = 2 * rows["nnz_g"] / rows["nnz_l"]
    rows["shrinks"] = rows["height_classical"] / rows["height_actual"]
    rows["series"] = names_of(rows, [ORDERINGS[name] for name in rows["ordering"]])
    places = list(dict.fromkeys(rows["label"]))
    rows["group"] = [places.index(label) for label in rows["label"]]
    rank = list(ORDERINGS)
    rows = rows.sort_values(
        ["group", "machine", "ordering"], key=lambda c: c.map(rank.index) if c.name == "ordering" else c,
        kind="stable", ignore_index=True,
    )  # fmt: skip
    return columns_of(rows, "ordering", "implementation", *FACTS, "fill", "shrinks", "median", "low", "high")


def shrinks(rows: pd.DataFrame) -> str:
    """How much lower the actual tree is, by ordering."""
    means = rows.groupby("ordering")["shrinks"].mean()
    parts = [f"{bars.times(means[name])} {text}" for name, text in ORDERINGS.items() if name in means]
    return f"{', '.join(parts)} on average; printed: least so for AMD"


def _spread(frame: pd.DataFrame) -> list[Subset]:
    """With how far fill depends on the ordering, by matrices that have several."""
    fill = frame[frame["status"] == "ok"].groupby(["label", "machine"])["fill"]
    spread = (fill.transform("max") / fill.transform("min")).where(fill.transform("size") > 1)
    return [Subset(frame.assign(spread=spread))]


def _largest(rows: pd.DataFrame) -> str:
    most = max(rows.to_dict("records"), key=lambda row: row["spread"])
    return f"at most {bars.times(most['spread'])} ({most['label']}); printed: hardly"


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """What was timed, and how matrices were ordered."""
    timed = sorted(set(frame.loc[frame["status"] == "ok", "implementation"]))
    return {
        "timed": ", ".join(timed) or "nothing",
        "seconds": seconds_how(frame, SPAN),
        "slots": NO_RESULT,
        "ordered": ordered_how(frame),
    }


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Depths above, then the time of the factor and the fill ratio, a colour per ordering."""
    groups = max(1, frame["group"].nunique())
    figure = new_figure(min(24.0, max(11.0, 3.0 + 1.7 * groups)), 12.5)
    headline(figure, title)
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[1.5, 1.0, 0.8])
    _depths(top, frame)
    seconds_panel(middle, frame)
    middle.set_ylabel("time of the factor")
    bars.bar_panel(bottom, frame, FILL)
    if (frame["status"] == "ok").any():
        seconds_axis(middle)
        bottom.set_ylim(0, 1.15 * float(frame["fill"].max()))
    labels = [lines(row) for row in frame.drop_duplicates("group").to_dict("records")]
    bottom.set_xticks(range(len(labels)), labels, rotation=32, ha="right", rotation_mode="anchor")
    bottom.set_xlim(-0.6, groups - 0.4)
    legend_above(figure, _handles(frame))
    return figure


def _handles(frame: pd.DataFrame) -> list[Artist]:
    """The legend's: a colour per ordering, a mark per depth."""
    looks = bars.look_of(frame)
    series = [Patch(facecolor=c, hatch=h, edgecolor="black", label=name) for name, (c, h) in looks.items()]
    marks = [
        Line2D([], [], linestyle="none", marker=marker, markersize=9, markeredgecolor="black",
               markeredgewidth=2.0, color="white" if fill == "white" else "#777777", label=text)
        for marker, fill, text in DEPTHS.values()
    ]  # fmt: skip
    return [*series, *marks]


def _depths(axes: Axes, frame: pd.DataFrame) -> None:
    """Three marks per row, joined, on a log axis."""
    looks = bars.look_of(frame)
    places, width = bars.positions(frame)
    for x, row in zip(places, frame.to_dict("records"), strict=True):
        if row["status"] != "ok" or pd.isna(row["height_actual"]):
            status = str(row["status"]) if row["status"] != "ok" else "not measured"
            bars.draw_slot(axes, x, 0.92 * width, status)
            continue
        _marks(axes, x, row, looks[row["series"]][0])
    drawn = frame[list(DEPTHS)].to_numpy(dtype=float)
    axes.set_ylabel("vertices")
    if np.isfinite(drawn).any():
        axes.set_yscale("log")
        axes.set_ylim(np.nanmin(drawn) / 2, np.nanmax(drawn) * 8)


def _marks(axes: Axes, x: float, row: Mapping[Any, Any], colour: str) -> None:
    values = [float(row[name]) for name in DEPTHS]
    axes.plot([x, x], [min(values), max(values)], color="black", linewidth=1.0, zorder=1)
    for value, (marker, fill, _) in zip(values, DEPTHS.values(), strict=True):
        hollow = fill == "white"
        axes.plot(
            x, value, marker=marker, markersize=12 if marker == "_" else 8,
            color="white" if hollow else colour,
            markeredgecolor=colour if hollow or marker == "_" else "black",
            markeredgewidth=3.0 if marker == "_" else 2.0 if hollow else 1.0, zorder=3,
        )  # fmt: skip
    bars.write_upwards(axes, x, values[0], f"{values[0]:,.0f}", 8)


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Figure 4",
    "depth, time and fill of the factor by ordering",
    frame,
    draw,
    """In vertices: the height of the elimination tree of L (classical) and of ParAC's factor G (actual), and
    the longest path of G. Fill ratio: 2 nnz(G) / nnz(L). Time: {timed} (parac_cpu: on one thread, where there
    is no GPU). {seconds} {slots} {ordered}""",
    facts,
    held=(
        Held(CLAIM, "shrinks"),
        Held(CLAIM, "shrinks", basis="classical over actual e-tree height", remark=shrinks),
        Held(
            CLAIM, "spread", basis="fill, most over least ordering", subsets=_spread, remark=_largest,
        ),
    ),
)  # fmt: skip
