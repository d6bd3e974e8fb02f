"""The text's other right-hand side: iterations for b = L x and for b at random."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.verdicts import Subset
from reports.frames.device import columns_of, option_of
from reports.frames.parac import PAPER, solved_frame, solved_how, tried
from reports.frames.seconds import beside, groups_of
from reports.shapes import bars
from reports.shapes.axes import count_axis
from reports.shapes.gains import point_handles
from reports.shapes.groups import name_matrices, width
from reports.shapes.labels import legend_above
from reports.shapes.style import headline, new_figure
from reports.shapes.tables import COUNT

CLAIM = "right_hand_side"
OURS = ("parac_cpu", "parac_gpu")
# As many times the iterations for the one b as for the other are none to speak of.
SAME = 1.25
BASIS = "iterations, b at random over b = L x"
ITERATIONS = bars.Panel("iterations", "iterations", "iterations", "iterations", points=True, form=COUNT)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: iterations for its right-hand side (`rhs`); on those of random ones
    `ratio`, their iterations over those for L x."""
    solved = solved_frame(inputs)
    solved["rhs"] = [option_of(case, "rhs") or "random" for case in solved["case"]]
    words = solved["rhs"].map({"random": "b random", "product": "b = L x"})
    solved["series"] = solved["implementation"] + ", " + words
    keys = ("matrix", "preparation", "machine", "implementation")
    other = beside(solved, solved["rhs"] == "product", "iterations", keys)
    solved["ratio"] = (solved["iterations"] / other).where(solved["rhs"] == "random")
    solved["group"] = groups_of(solved)
    return columns_of(solved, "implementation", "rhs", "iterations", "residual", "ratio")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Iterations on a log axis, a panel per machine, a point per implementation and right-hand side."""
    shown = tried(frame)
    machines = shown["machine"].dropna().unique().tolist() or [None]
    figure = new_figure(max(11.0, width(frame)), 3.5 + 4.5 * len(machines))
    headline(figure, title)
    panels = figure.subplots(len(machines), 1, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, machine in zip(panels, machines, strict=True):
        # What no machine ran stands in the first panel.
        rows = shown["machine"] == machine
        rows |= shown["machine"].isna() & (machine == machines[0])
        bars.bar_panel(axes, shown, ITERATIONS, rows)
        if len(machines) > 1:
            axes.set_title(f"on {machine}", loc="left")
    for axes in panels:
        count_axis(axes, shown["iterations"])
    name_matrices(panels[-1], shown)
    legend_above(figure, point_handles(shown))
    return figure


def _ours(frame: pd.DataFrame) -> list[Subset]:
    """ParAC's rows, with whether it needs as many iterations for either b."""
    rows = frame[frame["implementation"].isin(OURS)]
    as_many = rows["ratio"].between(1 / SAME, SAME).astype("float64").where(rows["ratio"].notna())
    return [Subset(rows.assign(as_many=as_many))]


def _peers(frame: pd.DataFrame) -> list[Subset]:
    return [Subset(frame[~frame["implementation"].isin(OURS)])]


def _span(rows: pd.DataFrame) -> str:
    ordered = rows.sort_values("ratio").to_dict("records")
    ends = (ordered[0], ordered[-1])
    named = [f"{bars.times(row['ratio'])} {row['label']}" for row in ends]
    return f"mean {bars.times(float(rows['ratio'].mean()))} ({' to '.join(dict.fromkeys(named))})"


EXHIBIT = Exhibit(
    PAPER,
    "ParAC",
    "iterations by right-hand side",
    frame,
    draw,
    """Iterations of conjugate gradients for a random right-hand side and for b = L x with a random x. Such a
    b has little of the smooth vectors that an incomplete factor is bad at. {solved}""",
    lambda frame: {"solved": solved_how(frame)},
    held=(
        Held(CLAIM, "as_many", ("parac",), above=0.5, subsets=_ours),
        Held(CLAIM, "ratio", ("ichol",), above=SAME, subsets=_peers),
        Held(CLAIM, "ratio", basis=f"{BASIS}, ParAC", subsets=_ours, remark=_span),
        Held(CLAIM, "ratio", basis=f"{BASIS}, incomplete Cholesky", subsets=_peers, remark=_span),
    ),
)
