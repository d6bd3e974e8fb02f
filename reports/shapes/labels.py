"""Names beside points, none over another, and a legend for all panels of a figure."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from reports.shapes.bars import GROUND, columns_for
from reports.shapes.style import SMALL

# Of the height and the width of an axes of 6 inches: a line of text, a letter; between a point and its name;
# half of a point.
LINE, LETTER, ASIDE, HALF = 0.036, 0.0155, 0.018, 0.012


def write_names(axes: Axes, points: Sequence[tuple[float, float]], names: Sequence[str]) -> None:
    """Write each name beside its point, on the side where there is room, as near in height as other points
    and names allow; a thin line where it had to move. The axes' limits, linear, have to stand."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    placed = [((x - left) / (right - left), (y - low) / (high - low)) for x, y in points]
    taken = [(x - HALF, y, 2 * HALF) for x, y in placed]
    for (x, y), name in sorted(zip(placed, names, strict=True), key=lambda item: -item[0][1]):
        width = LETTER * len(name)
        onward = x + ASIDE + width < 1
        start = x + ASIDE if onward else x - ASIDE - width
        height = _free(start, y, width, taken)
        taken.append((start, height, width))
        line = {"arrowstyle": "-", "color": "#777777", "linewidth": 0.7, "relpos": (0 if onward else 1, 0.5)}
        axes.annotate(
            name, (x, y), (start if onward else start + width, height), xycoords="axes fraction",
            textcoords="axes fraction", ha="left" if onward else "right", va="center", fontsize=SMALL,
            bbox=GROUND, arrowprops=line if abs(height - y) > LINE / 2 else None, zorder=2,
        )  # fmt: skip


def legend_above(figure: Figure, handles: Sequence[Artist]) -> None:
    """A legend of the whole figure, between its title and its panels."""
    if not handles:
        return
    width, height = figure.get_size_inches()
    across = columns_for(width, handles)
    rows = -(-len(handles) // across)
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    engine.set(rect=(0.0, 0.0, 1.0, 1 - (0.45 + 0.27 * rows) / height))
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.005, 1 - 0.4 / height), ncols=across)


def _free(start: float, y: float, width: float, taken: Sequence[tuple[float, float, float]]) -> float:
    """The height nearest to y at which the name overlaps none that is taken."""
    heights = (y + step * LINE / 2 for step in sorted(range(-30, 31), key=abs))
    return next((h for h in heights if 0 < h < 1 and not _hits(start, h, width, taken)), y)


def _hits(start: float, y: float, width: float, taken: Sequence[tuple[float, float, float]]) -> bool:
    return any(abs(y - other) < LINE and start < x + wide and x < start + width for x, other, wide in taken)
