"""Dependency graphs of GLU1.0, 2.0 and 3.0."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from fillpath import registry
from fillpath.nouns import Array, Pattern
from impl.levels.two_way import by_both
from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit
from reports.facts.claims import find_claim
from reports.shapes.axes import legend_above, name_matrices
from reports.shapes.beside import PanelRow, Step
from reports.shapes.style import PALETTE, new_figure
from reports.verbs import by_code, first_failure, inputs, wide, with_groups

METHODS = {"GLU1.0": "glu1", "GLU2.0": "glu2", "GLU3.0": "glu3_relaxed"}
UPPER, DOUBLE, LEFT = "U", "double-U", "relaxed only"
LOOKS: dict[str, tuple[str, Any, str]] = {
    UPPER: ("black", "-", "L dependency"),
    DOUBLE: (PALETTE[5], "-", "double-U dependency"),
    LEFT: (PALETTE[0], "--", "redundant, by the relaxed rule"),
}
# The examples are small patterns, in which everything counts from 1.
SLIDES, MADE_UP = "the slides' 3 x 3 matrix", "an example of our own"
ENTRIES = {
    SLIDES: [(1, 3), (2, 1), (2, 3), (3, 2)],
    MADE_UP: [(1, 4), (1, 5), (1, 7), (2, 1), (2, 7), (3, 2), (3, 5), (5, 6), (5, 7), (6, 4)],
}
LABEL = "dependencies of glu3_relaxed\nover those of glu2"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return rows by `part`: of the examples entries, dependencies, levels, factors; counts of a matrix."""
    codes = by_code(cases, {"exact": "glu2", "relaxed": "glu3_relaxed"})
    rows = wide(codes, ["dependencies", "double_u"], inputs(cases)).assign(part="matrix")
    rows["status"] = first_failure(pd.concat([rows.pop("status_exact"), rows.pop("status_relaxed")], axis=1))
    ok = (rows["status"] == "ok") & (rows["exact_dependencies"] > 0)
    rows["ratio"] = (rows["relaxed_dependencies"] / rows["exact_dependencies"]).where(ok)
    parts = pd.concat([part for name in ENTRIES for part in _parts(name)])
    return pd.concat([parts.assign(status="computed"), rows.reset_index()], ignore_index=True)


def _parts(name: str) -> list[pd.DataFrame]:
    """Return what is known of an example: its F, and by each method levels, dependencies and the factor."""
    places = np.array(ENTRIES[name]) - 1
    pattern = np.eye(places.max() + 1, dtype=bool)
    pattern[tuple(places.T)] = True
    sparse = Pattern(np.append(0, pattern.sum(axis=1).cumsum()), np.nonzero(pattern)[1].astype(np.int32))
    filled = registry.lookup("symbolic", "fill1").function(sparse)[0]
    dense = np.zeros_like(pattern)
    dense[filled.pattern.rows(), filled.pattern.indices] = True
    entries = pd.DataFrame(np.argwhere(dense) + 1, columns=["row", "column"])
    parts = [entries.assign(part="entry", filled=~pattern[dense])]
    for method, code in METHODS.items():
        found = registry.lookup("levels", code).function(by_both(filled))[0]
        level = np.repeat(range(len(found.pointers) - 1), np.diff(found.pointers))
        levels = pd.DataFrame({"part": "level", "column": found.columns + 1, "level": level + 1})
        rows = [levels.sort_values("column"), _dependencies(dense, method)]
        if name == SLIDES:
            rows.append(_factor(pattern, levels.sort_values(["level", "column"], ascending=[True, False])))
        parts += [each.assign(method=method) for each in rows]
    return [part.assign(example=name) for part in parts]


def _dependencies(dense: Array, method: str) -> pd.DataFrame:
    """Return why a column depends on one before it, by the slides' rules that a method knows. F: (n, n)."""
    updates: Any = np.tril(dense, -1).any(axis=0)
    more_right = dense[:, ::-1].cumsum(axis=1)[:, ::-1] - dense > 0
    rules = {UPPER: dense & updates[:, None], DOUBLE: dense.T & updates & more_right, LEFT: dense.T}
    known = list(rules)[: 1 + list(METHODS).index(method)]
    why = np.select([np.triu(rules[name], 1) for name in known], known, "")
    rows = pd.DataFrame(np.argwhere(why) + 1, columns=["before", "column"])
    return rows.assign(why=why[why != ""], part="dependency")


def _factor(pattern: Array, levels: pd.DataFrame) -> pd.DataFrame:
    """Return L + U - I of the matrix of ones by these levels; whether a value is `right`."""
    parts = []
    for order in (levels["column"] - 1, range(len(pattern))):
        values = pattern.astype(float)
        for j in order:
            values[j + 1 :, j] /= values[j, j]
            values[j + 1 :, j + 1 :] -= np.outer(values[j + 1 :, j], values[j, j + 1 :])
        parts.append(values.ravel())
    rows, columns = np.indices(pattern.shape).reshape(2, -1) + 1
    which = {"row": rows, "column": columns, "value": parts[0], "right": parts[0] == parts[1]}
    return pd.DataFrame(which).assign(part="factor")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Per example a row of panels: its pattern, and the graph of each method; the two factors; the counts."""
    figure = new_figure(13.0, 11.5, title)
    *tops, bottom = figure.subfigures(3, 1, squeeze=False, height_ratios=[2.8, 3.6, 4.0]).ravel()
    for part, name in zip(tops, ENTRIES, strict=True):
        rows = frame[frame["example"] == name]
        first, *panels = part.subplots(1, 4, width_ratios=[1.0, 1.2, 1.2, 1.2])
        _draw_pattern(first, rows, name)
        for axes, method in zip(panels, METHODS, strict=True):
            _draw_graph(axes, rows, method)
    left, right = bottom.subplots(1, 2, width_ratios=[1.0, 1.6])
    _draw_factors(left, frame[frame["part"] == "factor"])
    matrices = with_groups(frame[frame["part"] == "matrix"].assign(stand_in_for=None))
    PanelRow(LABEL, [Step("ratio", "ratio")], {}, status="status", points=True)(right, matrices)
    name_matrices(right, matrices)
    legend_above(figure, [Line2D([], [], color=c, ls=s, lw=2, label=t) for c, s, t in LOOKS.values()])
    return figure


def _draw_pattern(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    """Draw the entries of F, those that fill in grey."""
    entries = rows[rows["part"] == "entry"]
    colours = np.where(entries["filled"].astype(bool), "#b5b5b5", "black")
    axes.scatter(entries["column"], entries["row"], 110, colours, marker="s")
    axes.set_title(name, loc="left")
    ticks = range(1, int(entries["row"].max()) + 1)
    axes.set(xticks=ticks, yticks=ticks, aspect="equal")
    axes.invert_yaxis()
    axes.grid(visible=False)


def _draw_graph(axes: Axes, rows: pd.DataFrame, method: str) -> None:
    """Draw the columns by their levels, and an arrow to each that waits."""
    of_method = rows[rows["method"] == method]
    level = of_method[of_method["part"] == "level"].set_index("column")["level"].sort_index()
    depth, arrows = int(level.max()), of_method[of_method["part"] == "dependency"]
    axes.set_title(f"{method} ({METHODS[method]}): {depth} levels", loc="left")
    arrow: Any = {"arrowstyle": "-|>", "linewidth": 1.6, "shrinkA": 11, "shrinkB": 11}
    for start, end, why in arrows[["before", "column", "why"]].itertuples(index=False):
        colour, style, _ = LOOKS[why]
        look = arrow | {"color": colour, "linestyle": style, "connectionstyle": "arc3,rad=0.12"}
        axes.annotate("", (end, level[end]), (start, level[start]), zorder=1, arrowprops=look)
    circle: Any = {"boxstyle": "circle,pad=0.3", "facecolor": "white", "edgecolor": "black"}
    for column, place in enumerate(level, 1):
        axes.text(column, place, str(column), ha="center", va="center", zorder=3, bbox=circle)
    axes.set(xlim=(0.3, len(level) + 0.7), ylim=(depth + 0.6, 0.4), xticks=[], yticks=range(1, depth + 1))
    axes.set_ylabel("level")


def _draw_factors(axes: Axes, rows: pd.DataFrame) -> None:
    """Write L + U - I by each method, wrong entries marked."""
    axes.set_axis_off()
    axes.set_title("L + U - I of the slides' matrix", loc="left")
    for place, (method, factor) in zip((0.0, 0.35, 0.7), rows.groupby("method", sort=False), strict=True):
        table = factor.pivot(index="row", columns="column", values=["value", "right"])
        colours = np.where(table["right"].astype(bool), "white", "#f3c7b8").tolist()
        texts = table["value"].map("{:g}".format).to_numpy().tolist()
        axes.table(texts, colours, cellLoc="center", bbox=Bbox.from_bounds(place, 0.0, 0.28, 0.7))
        verdict = "right" if factor["right"].all() else "wrong: marked"
        axes.text(place + 0.14, 0.75, f"{method}\n{verdict}", ha="center")


def verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Return whether GLU1.0's levels give the printed wrong factor of the slides' matrix."""
    last = frame.query("part == 'factor' and method == 'GLU1.0' and row == 3 and column == 3")
    return [judge_numbers(find_claim("glu3.glu1_is_wrong.last_pivot"), {"by GLU1.0": last["value"].item()})]


CAPTION = """Above and bottom left: examples, the second made up, without measurement. Grey: fill-in. An
    arrow leads to a column that waits. Bottom right, measured: relaxed over exact dependencies."""
MORE = ("fig_dependency_graphs", "glu1_is_wrong")
EXHIBIT = Exhibit(frame, draw, CAPTION, held=(verdicts,), more_claims=MORE, one_run=False)
