"""Where the values of bars and points are written. All numbers are made up."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from reports.shapes.beside import PanelRow, Step, draw_marks, looks_of, scale
from reports.shapes.style import new_figure

BARS = PanelRow("seconds over those without", [Step("a", "value"), Step("b", "value")], {})
POINTS = replace(BARS, points=True)


def drawn(row: PanelRow, *values: tuple[float, float, float]) -> tuple[Figure, Axes]:
    """Two steps of one group."""
    figure = new_figure(8.0, 5.0, layout=None)
    axes = figure.subplots()
    marks = pd.DataFrame(values, columns=["value", "low", "high"])
    marks = marks.assign(group=0, step=row.names, status="ok", hollow=False)
    scale(axes, row, marks)
    draw_marks(axes, row, marks, looks_of(row.names))
    return figure, axes


def spans(figure: Figure, axes: Axes) -> list[tuple[float, float]]:
    """Of each value what it takes of the vertical axis, in its numbers."""
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts if isinstance(text, Annotation)]
    ends = [axes.transData.inverted().transform([(box.x0, box.y0), (box.x1, box.y1)]) for box in boxes]
    return [(float(low[1]), float(high[1])) for low, high in ends]


@pytest.mark.parametrize("row", [BARS, POINTS])
@pytest.mark.parametrize("value", [0.3, 0.8, 0.9, 0.97, 1.02, 1.5])
def test_no_value_is_written_across_the_line_of_no_effect(row: PanelRow, value: float) -> None:
    figure, axes = drawn(row, (value, value - 0.05, value + 0.05), (2.0, 1.9, 2.1))
    for low, high in spans(figure, axes):
        assert low >= 1.0 or high <= 1.0


def test_the_value_of_a_bar_is_not_at_the_far_end_of_a_whisker() -> None:
    figure, axes = drawn(BARS, (0.5, 0.4, 1.9), (2.0, 1.9, 2.1))
    long, short = spans(figure, axes)
    assert long[1] < 0.4 and short[0] > 2.1


def test_the_value_of_a_point_is_beside_it() -> None:
    figure, axes = drawn(POINTS, (1.5, 1.1, 1.9), (2.0, 1.9, 2.1))
    for (low, high), value in zip(spans(figure, axes), (1.5, 2.0), strict=True):
        assert low < value < high
