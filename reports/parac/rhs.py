"""Iterations by right-hand side."""

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Subset
from reports.parac.orderings import first_names
from reports.parac.solution import PAPER, RULE
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.shapes.style import PALETTE, SMALL
from reports.verbs import KEY, by_input, fact, in_papers_order, mean, option

DEVICES = {"CPU": ("parac_cpu", "ict"), "GPU": ("parac_gpu", "ic0_gpu")}
OURS = {peer: ours for ours, peer in DEVICES.values()}
METHODS = {"ParAC": PALETTE[0], "incomplete Cholesky": PALETTE[1]}
SIDES = {"iterations": "b at random", "iterations_product": "b = L x"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and code: iterations for both b, their `ratio`; `less`, over ParAC's."""
    is_product = option(cases["variant"], "rhs") == "product"
    rows = in_papers_order(cases[~is_product], PAPER)
    own = pd.MultiIndex.from_frame(rows[[*KEY, "implementation"]])
    other = by_input(cases[is_product], "implementation").reindex(own).set_axis(rows.index)
    is_peer = rows["implementation"].isin(OURS)
    rows = rows.assign(
        iterations=fact(rows, "iterations"),
        iterations_product=fact(other, "iterations"),
        status=rows["status"].where(rows["status"] != "ok", other["status"].fillna("not_run")),
        series=is_peer.map(dict(zip((False, True), METHODS, strict=True))),
        group=pd.factorize(rows["label"])[0],
    )
    rows["ratio"] = rows["iterations"] / rows["iterations_product"]
    beside = pd.MultiIndex.from_frame(rows[KEY].assign(code=rows["implementation"].map(OURS)))
    of_ours = by_input(rows[~is_peer], "implementation")["ratio"].reindex(beside)
    return rows.assign(less=rows["ratio"] / of_ours.to_numpy())


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """Return of each matrix the geometric mean of incomplete Cholesky's `ratio`, and the least of `less`."""
    peers = frame[frame["implementation"].isin(OURS)]
    first = peers.iloc[peers["ratio"].isna().argsort(kind="stable")].drop_duplicates("label")
    numbers = peers.groupby("label").agg({"ratio": mean, "less": "min"})
    return [Subset(first.set_index("label").assign(**numbers).reset_index())]


def _panel(axes: Axes, frame: pd.DataFrame, device: str) -> None:
    """Draw both iterations of a case as joined points on a log axis, with their ratio above."""
    ok, _ = bars.with_slots(axes, frame[frame["implementation"].isin(DEVICES[device])])
    for method, part in ok.groupby("series", sort=False):
        colour = METHODS[str(method)]
        axes.vlines(part["x"], part["iterations_product"], part["iterations"], colors=colour, linewidth=1.6)
        point: Any = {"linestyle": "none", "marker": "o", "markersize": 8, "markeredgewidth": 2}
        for (name, side), fill in zip(SIDES.items(), ("white", colour), strict=True):
            axes.plot(part["x"], part[name], color=colour, mfc=fill, label=f"{method}, {side}", **point)
    for x, first, second, ratio in ok[["x", *SIDES, "ratio"]].to_numpy().tolist():
        look: Any = {"textcoords": "offset points", "ha": "center", "fontsize": SMALL}
        axes.annotate(f"{first:,.0f}", (x, first), (0, 8), va="bottom", **look)
        axes.annotate(f"{second:,.0f}", (x, second), (0, -8), va="top", **look)
        axes.annotate(bars.times(ratio), (x, first), (0, 21), va="bottom", weight="bold", **look)
    axes.set_ylabel(f"iterations on the {device} (log)\n{' and '.join(DEVICES[device])}")
    axes.set_yticks([])
    if len(ok):
        axes.set_yscale("log")
        bars.label_log(axes.yaxis, "{:,.0f}".format)
        axes.margins(y=0.25)


CAPTION = f"""Iterations of conjugate gradients for random b and for b = L x with random x. Such a b is mostly
    rough; an incomplete factor is slow on smooth parts. Bold: the first over the second. {RULE}"""
SHAPE = Panels([partial(_panel, device=device) for device in DEVICES], 9.4, first_names)
EXHIBIT = Exhibit(
    frame, SHAPE, CAPTION, more_claims=("right_hand_side",), subsets={"by_matrix": by_matrix}, one_run=False
)
