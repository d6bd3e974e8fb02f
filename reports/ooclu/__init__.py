"""End-to-End LU Factorization of Large Matrices on GPUs (Xia and others, PPoPP 2023): one module a table or
figure."""

from __future__ import annotations

from collections.abc import Mapping

from reports.figures import FigureSpec
from reports.ooclu import budgets, faults, fig3, fig4, fig5, fig6, fig7, fig8, kahn, table2, table3, table4

FIGURES: Mapping[str, FigureSpec] = {
    "table2": table2.EXHIBIT.spec,
    "fig3": fig3.EXHIBIT.spec,
    "fig4": fig4.EXHIBIT.spec,
    "fig5": fig5.EXHIBIT.spec,
    "fig6": fig6.EXHIBIT.spec,
    "table3": table3.EXHIBIT.spec,
    "faults": faults.EXHIBIT.spec,
    "fig7": fig7.EXHIBIT.spec,
    "budgets": budgets.EXHIBIT.spec,
    "table4": table4.EXHIBIT.spec,
    "fig8": fig8.EXHIBIT.spec,
    "kahn": kahn.EXHIBIT.spec,
}
