"""ParAC (Liang and others, 2025): one module a table or figure."""

from __future__ import annotations

from collections.abc import Mapping

from reports.figures import FigureSpec
from reports.parac import breakeven, fig3, fig4, quality, rhs, seeds, table1, table2, table3

FIGURES: Mapping[str, FigureSpec] = {
    "table1": table1.EXHIBIT.spec,
    "table2": table2.EXHIBIT.spec,
    "table3": table3.EXHIBIT.spec,
    "fig3": fig3.EXHIBIT.spec,
    "fig4": fig4.EXHIBIT.spec,
    "rhs": rhs.EXHIBIT.spec,
    "seeds": seeds.EXHIBIT.spec,
    "breakeven": breakeven.EXHIBIT.spec,
    "quality": quality.EXHIBIT.spec,
}
