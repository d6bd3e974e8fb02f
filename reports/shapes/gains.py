"""Marks of a legend that are of no series."""

from __future__ import annotations

from typing import Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

PRINTED_LINE: dict[str, Any] = {"color": "#555555", "linewidth": 1.4, "linestyle": "--"}
# The largest over the smallest value from which on an axis is a log axis.
MUCH = 8.0


def legend_mark(kind: str, text: str) -> Line2D | Patch:
    """Return a legend's mark: line, dash, hollow, full or slot."""
    if kind == "line":
        return Line2D([], [], label=text, **PRINTED_LINE)
    if kind == "dash":
        return Line2D([], [], linestyle="none", marker="_", markersize=12, color="black", label=text)
    if kind in ("hollow", "full"):
        return Line2D(
            [], [], linestyle="none", marker="o", markersize=8, markeredgecolor="#666666",
            markeredgewidth=2.0, color="white" if kind == "hollow" else "#666666", label=text,
        )  # fmt: skip
    return Patch(fill=False, hatch="////", edgecolor="#888888", label=text)
