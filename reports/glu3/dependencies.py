"""Dependency graphs of GLU1.0, 2.0 and 3.0."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit
from reports.facts.claims import claim
from reports.glu3 import examples
from reports.shapes.axes import legend_above, name_matrices
from reports.shapes.beside import PanelRow, Step
from reports.shapes.style import new_figure
from reports.verbs import by_code, first_failure, inputs, wide, with_groups

LABEL = "dependencies of glu3_relaxed\nover those of glu2"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return rows by `part`: of the examples entries, dependencies, levels, factors; counts of a matrix."""
    codes = by_code(cases, {"exact": "glu2", "relaxed": "glu3_relaxed"})
    rows = wide(codes, ["dependencies", "double_u"], inputs(cases)).assign(part="matrix")
    rows["status"] = first_failure(pd.concat([rows.pop("status_exact"), rows.pop("status_relaxed")], axis=1))
    ok = (rows["status"] == "ok") & (rows["exact_dependencies"] > 0)
    rows["ratio"] = (rows["relaxed_dependencies"] / rows["exact_dependencies"]).where(ok)
    return pd.concat([examples.table().assign(status="computed"), rows.reset_index()], ignore_index=True)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Per example a row of panels: its pattern, and the graph of each method; the two factors; the counts."""
    figure = new_figure(13.0, 11.5, title)
    *tops, bottom = figure.subfigures(3, 1, squeeze=False, height_ratios=[2.8, 3.6, 4.0]).ravel()
    for part, name in zip(tops, examples.ENTRIES, strict=True):
        rows = frame[frame["example"] == name]
        first, *panels = part.subplots(1, 4, width_ratios=[1.0, 1.2, 1.2, 1.2])
        examples.draw_pattern(first, rows, name)
        for axes, method in zip(panels, examples.METHODS, strict=True):
            examples.draw_graph(axes, rows, method)
    left, right = bottom.subplots(1, 2, width_ratios=[1.0, 1.6])
    examples.draw_factors(left, frame[frame["part"] == "factor"])
    matrices = with_groups(frame[frame["part"] == "matrix"].assign(stand_in_for=None))
    PanelRow(LABEL, [Step("ratio", "ratio")], {}, status="status", points=True)(right, matrices)
    name_matrices(right, matrices)
    looks = examples.LOOKS.values()
    legend_above(figure, [Line2D([], [], color=c, linestyle=s, linewidth=2, label=t) for c, s, t in looks])
    return figure


def verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Return whether GLU1.0's levels give the printed wrong factor of the slides' matrix."""
    last = frame.query("part == 'factor' and method == 'GLU1.0' and row == 3 and column == 3")
    return [judge_numbers(claim("glu3", "glu1_is_wrong", "last_pivot"), {"by GLU1.0": last["value"].item()})]


CAPTION = """Above and bottom left are levels and factors of examples, the second made up, without
    measurement. Grey: fill-in. An arrow leads to a column that waits. Bottom right, measured: relaxed over
    exact dependencies."""
MORE = ("fig_dependency_graphs", "glu1_is_wrong")
EXHIBIT = Exhibit(frame, draw, CAPTION, held=(verdicts,), more_claims=MORE, one_run=False)
