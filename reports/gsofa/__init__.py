"""GSoFA (Gaihre, Li, Liu, TPDS 2021): one module a table or figure."""

from __future__ import annotations

from collections.abc import Mapping

from reports.figures import FigureSpec
from reports.gsofa import fig4, fig10, fig11, table1

FIGURES: Mapping[str, FigureSpec] = {
    "table1": table1.SPEC,
    "fig4": fig4.SPEC,
    "fig10": fig10.SPEC,
    "fig11": fig11.SPEC,
}
