"""Where the values of bars and points are written. All numbers are made up."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.text import Annotation

from reports.shapes.beside import BesidePrint, PanelRow, Step


def spans(points: bool, first: tuple[float, float, float]) -> list[tuple[float, float]]:
    """Return of two values of one group what each takes of the vertical axis, in its numbers."""
    rows = pd.DataFrame([first, (2.0, 1.9, 2.1)], columns=["value", "value_low", "value_high"])
    rows = rows.assign(step=["a", "b"], group=0, pair="ok", label="m", machine="here", device=None)
    rows = rows.assign(stand_in_for=None, preparation=None)
    steps = [Step(name, "value", {"step": name}) for name in ("a", "b")]
    figure = BesidePrint([PanelRow("seconds", steps, {"m": {"a": 2.0}}, points=points)], "printed")(
        rows, "title"
    )
    figure.draw_without_rendering()
    axes = figure.axes[1]
    boxes = [text.get_window_extent() for text in axes.texts if isinstance(text, Annotation)]
    ends = [axes.transData.inverted().transform([(box.x0, box.y0), (box.x1, box.y1)]) for box in boxes]
    return [(float(low[1]), float(high[1])) for low, high in ends]


@pytest.mark.parametrize("points", [False, True])
@pytest.mark.parametrize("value", [0.3, 0.8, 0.9, 0.97, 1.02, 1.5])
def test_no_value_is_written_across_the_line_of_no_effect(points: bool, value: float) -> None:
    for low, high in spans(points, (value, value - 0.05, value + 0.05)):
        assert low >= 1.0 or high <= 1.0


def test_the_value_of_a_bar_is_not_at_the_far_end_of_a_whisker() -> None:
    long, short = spans(False, (0.5, 0.4, 1.9))
    assert long[1] < 0.4 and short[0] > 2.1


def test_the_value_of_a_point_is_beside_it() -> None:
    for (low, high), value in zip(spans(True, (1.5, 1.1, 1.9)), (1.5, 2.0), strict=True):
        assert low < value < high
