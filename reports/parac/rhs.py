"""The text's other right-hand side: iterations for b = L x and for b at random."""

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Subset
from reports.parac.by_ordering import first_names
from reports.parac.solution import PAPER, RULE
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.shapes.style import PALETTE, SMALL
from reports.table import KEY
from reports.verbs import by_input, fact, in_papers_order, mean, option, over_variant, with_option

# A panel each: ParAC, and the incomplete Cholesky beside it.
DEVICES = {"CPU": ("parac_cpu", "ict"), "GPU": ("parac_gpu", "ic0_gpu")}
OURS = {peer: ours for ours, peer in DEVICES.values()}
# By column, the right-hand side.
SIDES = {"iterations": "b at random", "iterations_product": "b = L x"}
METHODS = {"ParAC": PALETTE[0], "incomplete Cholesky": PALETTE[1]}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and implementation: iterations for b at random, and those for b = L x.

    `ratio` is the first over the second, and `status` is ok where both are. Rows of incomplete Cholesky have
    `less`: their ratio over ParAC's on the same device.
    """
    ours, peer = METHODS
    rows = in_papers_order(cases[option(cases["variant"], "rhs") != "product"], PAPER)
    other = over_variant(cases, rows, with_option(rows["variant"], "rhs", "product"), ("", ""))
    is_peer = rows["implementation"].isin(OURS)
    rows = rows.assign(
        iterations=fact(rows, "iterations"),
        iterations_product=fact(other, "other_iterations"),
        status=rows["status"].where(rows["status"] != "ok", other["other_status"].fillna("not_run")),
        series=is_peer.map({False: ours, True: peer}),
        group=pd.factorize(rows["label"])[0],
    )
    rows["ratio"] = rows["iterations"] / rows["iterations_product"]
    beside = pd.MultiIndex.from_frame(rows[KEY].assign(code=rows["implementation"].map(OURS)))
    of_ours = by_input(rows[~is_peer], "implementation")["ratio"].reindex(beside)
    return rows.assign(less=rows["ratio"] / of_ours.to_numpy())


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """Return of each matrix what incomplete Cholesky says on all its devices: the geometric mean of `ratio`,
    and the least of `less`."""
    peers = frame[frame["implementation"].isin(OURS)]
    first = peers.iloc[peers["ratio"].isna().argsort(kind="stable")].drop_duplicates("label")
    numbers = peers.groupby("label").agg({"ratio": mean, "less": "min"})
    return [Subset(first.set_index("label").assign(**numbers).reset_index())]


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw iterations on a log axis, a panel per device.

    An empty point for b at random is joined to a full one for b = L x, with the first over the second above.
    """
    there = [name for name, pair in DEVICES.items() if frame["implementation"].isin(pair).any()] or ["CPU"]
    panels = [partial(_panel, device=name) for name in there]
    return Panels(panels, 2.6 + 3.4 * len(there), first_names)(frame, title)


def _panel(axes: Axes, frame: pd.DataFrame, device: str) -> None:
    rows = frame[frame["implementation"].isin(DEVICES[device])]
    ok, _ = bars.with_slots(axes, rows)
    for method, part in ok.groupby("series"):
        colour = METHODS[str(method)]
        axes.vlines(part["x"], part["iterations_product"], part["iterations"], colors=colour, linewidth=1.6)
        point: Any = {"marker": "o", "markersize": 8, "markeredgecolor": colour, "markeredgewidth": 2}
        for (name, text), fill in zip(SIDES.items(), ("white", colour), strict=True):
            label = f"{method}, {text}"
            axes.plot(part["x"], part[name], linestyle="none", color=fill, label=label, zorder=3, **point)
    for x, first, second, ratio in ok[["x", "iterations", "iterations_product", "ratio"]].to_numpy().tolist():
        look: Any = {"textcoords": "offset points", "ha": "center", "fontsize": SMALL}
        axes.annotate(f"{first:,.0f}", (x, first), (0, 8), va="bottom", **look)
        axes.annotate(f"{second:,.0f}", (x, second), (0, -8), va="top", **look)
        axes.annotate(bars.times(ratio), (x, first), (0, 21), va="bottom", weight="bold", **look)
    axes.set_yscale("log")
    axes.set_ylabel(f"iterations on the {device} (log)\n{' and '.join(DEVICES[device])}")
    bars.label_log(axes.yaxis, "{:,.0f}".format)
    # Room for what is written at the top and below the lowest point.
    axes.margins(y=0.25)


EXHIBIT = Exhibit(
    PAPER,
    "ParAC",
    "iterations by right-hand side",
    frame,
    draw,
    f"""Iterations of conjugate gradients for b at random and for b = L x with a random x. Such a b is mostly
    rough, and an incomplete factor is slow on what is smooth; bold: the first over the second. {RULE}""",
    claims=("right_hand_side",),
    subsets={"by_matrix": by_matrix},
)
