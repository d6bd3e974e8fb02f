"""The text's other right-hand side: iterations for b = L x and for b at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fillpath.dicts import dicts
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.inputs import Inputs
from reports.facts.means import geometric_mean
from reports.frames.device import columns_of, option_of
from reports.frames.order import in_papers_order
from reports.frames.parac import PAPER, SAME, short_names, solved_frame, solved_how, tried
from reports.frames.seconds import beside, groups_of
from reports.shapes import bars
from reports.shapes.axes import count_axis
from reports.shapes.gains import legend_mark
from reports.shapes.groups import name_matrices, width
from reports.shapes.labels import legend_above
from reports.shapes.style import PALETTE, SMALL, headline, new_figure
from reports.shapes.tables import COUNT

CLAIM = "right_hand_side"
# A panel each: ParAC, and the incomplete Cholesky beside it.
DEVICES = {"CPU": ("parac_cpu", "ict"), "GPU": ("parac_gpu", "ic0_gpu")}
OURS = {peer: ours for ours, peer in DEVICES.values()}
METHODS = ("ParAC", "incomplete Cholesky")
KEYS = ("matrix", "preparation", "machine")


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, implementation and machine: iterations for b at random, `iterations_product` those
    for b = L x, `ratio` the first over the second; `status` is ok where both are. On the rows of incomplete
    Cholesky `less`: their ratio over ParAC's on the same device."""
    solved = in_papers_order(solved_frame(inputs), PAPER)
    product = pd.Series(
        [option_of(case, "rhs") == "product" for case in solved["case"]], solved.index, dtype=bool
    )
    solved["iterations_product"] = beside(solved, product, "iterations", (*KEYS, "implementation"))
    solved["status"] = _both(solved, product)
    rows = solved[~product].reset_index(drop=True)
    rows["ratio"] = rows["iterations"] / rows["iterations_product"]
    ours = rows["implementation"].isin(OURS.values())
    paired = rows.assign(implementation=rows["implementation"].replace(OURS))
    of_ours = beside(paired, ours, "ratio", (*KEYS, "implementation"))
    rows["less"] = (rows["ratio"] / of_ours).where(~ours)
    rows["series"] = [METHODS[name in OURS] for name in rows["implementation"]]
    rows["group"] = groups_of(rows.assign(preparation=None))
    return columns_of(rows, "implementation", "iterations", "iterations_product", "ratio", "less", "residual")


def _both(solved: pd.DataFrame, product: pd.Series[bool]) -> list[str]:
    """The status of each row, or that of b = L x where it is ok. product : the rows of b = L x."""
    keys = [*KEYS, "implementation"]
    other = solved[product].set_index(keys)["status"].to_dict()
    pairs = zip(solved["status"], solved[keys].itertuples(index=False, name=None), strict=True)
    return [other.get(key, "not_run") if status == "ok" else status for status, key in pairs]


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Iterations on a log axis, a panel per device: of each method an empty point for b at random, joined to
    a full one for b = L x; written: the first over the second."""
    shown = tried(frame)
    devices = {name: pair for name, pair in DEVICES.items() if shown["implementation"].isin(pair).any()}
    figure = new_figure(min(14.0, 1.2 * width(shown)), 2.6 + 3.4 * max(1, len(devices)))
    headline(figure, title)
    panels = figure.subplots(max(1, len(devices)), 1, sharex=True, squeeze=False).ravel()
    for axes, (name, pair) in zip(panels, devices.items(), strict=False):
        rows = shown[shown["implementation"].isin(pair)]
        _panel(axes, rows)
        axes.set_ylabel(f"iterations on the {name} (log)\n{' and '.join(pair)}")
    name_matrices(panels[-1], short_names(shown))
    if shown.empty:
        panels[0].set_yticks([])
    marks = [("hollow", "b at random"), ("full", "b = L x")] if len(shown) else []
    legend_above(figure, [*_methods(shown), *(legend_mark(kind, text) for kind, text in marks)])
    return figure


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    places, wide = bars.positions(rows)
    for x, row in zip(places, dicts(rows), strict=True):
        if row["status"] != "ok":
            bars.draw_slot(axes, x, 0.9 * wide, str(row["status"]))
        else:
            _joined(axes, x, row)
    axes.set_yscale("log")
    count_axis(axes, pd.concat([rows["iterations"], rows["iterations_product"]]))
    low, high = axes.get_ylim()
    # Room for what is written at the top and below the lowest point.
    axes.set_ylim(low / (high / low) ** 0.08, high * (high / low) ** 0.08)


def _joined(axes: Axes, x: float, row: Mapping[Any, Any]) -> None:
    values, colour = (row["iterations"], row["iterations_product"]), PALETTE[METHODS.index(row["series"])]
    axes.plot([x, x], values, color=colour, linewidth=1.6, zorder=2)
    for value, fill in zip(values, ("white", colour), strict=True):
        axes.plot(
            x,
            value,
            marker="o",
            markersize=8,
            color=fill,
            markeredgecolor=colour,
            markeredgewidth=2,
            zorder=3,
        )
    above, below = (COUNT(value) for value in values)
    for text, value, offset, side in ((above, values[0], 8, "bottom"), (below, values[1], -8, "top")):
        axes.annotate(
            text, (x, value), (0, offset), textcoords="offset points", ha="center", va=side, fontsize=SMALL
        )
    axes.annotate(
        bars.times(row["ratio"]), (x, values[0]), (0, 21), textcoords="offset points", ha="center",
        va="bottom", fontsize=SMALL, weight="bold",
    )  # fmt: skip


def _methods(shown: pd.DataFrame) -> list[Artist]:
    """A legend's line for each method that was measured."""
    there = set(shown["series"])
    return [
        Line2D([], [], color=PALETTE[i], linewidth=4, label=name)
        for i, name in enumerate(METHODS)
        if name in there
    ]


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """One row per matrix and machine, of incomplete Cholesky on all its devices: the geometric mean of
    `ratio`, and the least of `less`."""
    rows = []
    peers = frame[frame["implementation"].isin(OURS)]
    for _, devices in peers.groupby(["label", "machine"], sort=False, dropna=False):
        ok = devices[devices["ratio"].notna()]
        numbers = {"ratio": geometric_mean(ok["ratio"]), "less": ok["less"].min()} if len(ok) else {}
        rows.append({**(ok if len(ok) else devices).iloc[0], **numbers})
    return [Subset(pd.DataFrame(rows, columns=peers.columns))]


EXHIBIT = Exhibit(
    PAPER,
    "ParAC",
    "iterations by right-hand side",
    frame,
    draw,
    """Iterations of conjugate gradients for b at random and for b = L x with a random x. Such a
    b is mostly rough, and an incomplete factor is slow on what is smooth; bold: the first over the second.
    {solved}""",
    lambda frame: {"solved": solved_how(frame)},
    held=(
        Held(CLAIM, "ratio", ("ichol",), above=SAME, subsets=by_matrix),
        Held(CLAIM, "less", ("less_sensitive",), subsets=by_matrix),
    ),
)
