"""The dependency graphs of the three methods, GLU1.0's wrong factor, and how many dependencies each finds."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit
from reports.facts.claims import claim
from reports.glu3 import examples
from reports.shapes import bars
from reports.shapes.axes import legend_above
from reports.shapes.style import PALETTE, SMALL, new_figure
from reports.verbs import by_code, first_failure, inputs, wide


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return rows of five kinds (`part`), the first four of examples, which are no measurement.

    An entry of an example's F (row and column from 1; filled: not of A), a dependency (column on before, and
    why), a level of a column, from 1, a value of the factor of the slides' example under a method's levels
    (right: that of GLU2.0's), and of a measured matrix how many dependencies the exact and the relaxed rule
    find.
    """
    codes = by_code(cases, {"exact": "glu2", "relaxed": "glu3_relaxed"})
    rows = wide(codes, ["dependencies", "double_u"], inputs(cases)).assign(part="matrix")
    rows["status"] = first_failure(pd.concat([rows.pop("status_exact"), rows.pop("status_relaxed")], axis=1))
    ok = (rows["status"] == "ok") & (rows["exact_dependencies"] > 0)
    rows["ratio"] = (rows["relaxed_dependencies"] / rows["exact_dependencies"]).where(ok)
    return pd.concat([examples.table().assign(status="computed"), rows.reset_index()], ignore_index=True)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Per example a row of panels: its pattern, and the graph of each method; the two factors; the counts."""
    matrices = frame[frame["part"] == "matrix"]
    heights = [2.8, 3.6, max(2.4, 0.9 + 0.27 * len(matrices))]
    figure = new_figure(13.0, 0.9 + sum(heights), title)
    *tops, bottom = figure.subfigures(3, 1, squeeze=False, height_ratios=heights).ravel()
    for part, name in zip(tops, examples.ENTRIES, strict=True):
        rows = frame[frame["example"] == name]
        first, *panels = part.subplots(1, 4, width_ratios=[1.0, 1.2, 1.2, 1.2])
        examples.draw_pattern(first, rows, name)
        for axes, method in zip(panels, examples.METHODS, strict=True):
            examples.draw_graph(axes, rows, method)
    left, right = bottom.subplots(1, 2, width_ratios=[1.0, 1.6])
    examples.draw_factors(left, frame[frame["part"] == "factor"])
    _counts(right, matrices)
    words = ("L dependency", "double-U dependency", "redundant, by the relaxed rule")
    looks = zip(examples.LOOKS.values(), words, strict=True)
    lines = [Line2D([], [], color=c, linestyle=style, linewidth=2, label=text) for (c, style), text in looks]
    legend_above(figure, lines)
    return figure


def _counts(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a line per matrix: dependencies of the relaxed rule over those of the exact one."""
    axes.set_title("dependencies of glu3_relaxed over those of glu2", loc="left")
    axes.grid(visible=False)
    axes.grid(visible=True, axis="x")
    axes.axvline(1, color="black", linewidth=1)
    ratios, places = rows["ratio"].astype(float), range(len(rows))
    look: Any = {"marker": "o", "markersize": 7, "color": PALETTE[0], "markeredgecolor": "black"}
    axes.plot(ratios, places, linestyle="none", **look)
    texts = ratios.map(bars.times).where(ratios.notna(), rows["status"].astype(str).str.replace("_", " "))
    beside: Any = {"textcoords": "offset points", "va": "center", "fontsize": SMALL, "bbox": bars.GROUND}
    for place, at, text in zip(places, ratios.fillna(1.0), texts, strict=True):
        axes.annotate(text, (at, place), (9, 0), **beside)
    most = max([*ratios.dropna(), 1.1]) - 1
    axes.set(xlim=(1 - 0.05 * most, 1 + 1.2 * most), ylim=(max(len(rows), 1) - 0.4, -0.6))
    axes.set_yticks(places, list(rows["label"]), fontsize=SMALL)
    axes.xaxis.set_major_formatter(lambda value, _: bars.times(value))


def verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Return whether GLU1.0's levels give the printed wrong factor of the slides' matrix."""
    factor = frame[(frame["part"] == "factor") & (frame["method"] == "GLU1.0")]
    pivot = factor.loc[(factor["row"] == 3) & (factor["column"] == 3), "value"].item()
    return [judge_numbers(claim("glu3", "glu1_is_wrong", "last_pivot"), {"by GLU1.0": pivot})]


EXHIBIT = Exhibit(
    "glu3",
    "GLU3.0",
    "dependency graphs of GLU1.0, 2.0 and 3.0",
    frame,
    draw,
    """Above, an illustration and no measurement: levels by each on two examples, the second made up; grey:
    fill-in; an arrow goes to a column that waits. Bottom left: the slides' matrix factorised by the levels of
    each; GLU1.0's are wrong. Bottom right, measured: how many dependencies the relaxed rule finds over those
    of the exact one.""",
    held=(verdicts,),
    claims=("fig_dependency_graphs", "glu1_is_wrong"),
)
