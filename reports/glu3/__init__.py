"""GLU3.0 (Peng and Tan, IEEE Design & Test 2020, as their slides tell it): one module a table or figure."""

from __future__ import annotations

from collections.abc import Mapping

from reports.figures import FigureSpec
from reports.glu3 import dependencies, levels, phases, table1, table2

FIGURES: Mapping[str, FigureSpec] = {
    "table1": table1.EXHIBIT.spec,
    "table2": table2.EXHIBIT.spec,
    "levels": levels.EXHIBIT.spec,
    "dependencies": dependencies.EXHIBIT.spec,
    "phases": phases.EXHIBIT.spec,
}
