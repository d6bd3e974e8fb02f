"""GSoFA (Gaihre, Li, Liu, TPDS 2021): one module a table or figure."""

from __future__ import annotations

from collections.abc import Mapping

from reports.figures import FigureSpec
from reports.gsofa import (
    fig4,
    fig5,
    fig10,
    fig11,
    fig12,
    fig13,
    fig14,
    fig15,
    fig16,
    fig17,
    fig18,
    fig19,
    fig20,
    fig21,
    speed,
    table1,
    table2,
    table3,
)

FIGURES: Mapping[str, FigureSpec] = {
    "table1": table1.EXHIBIT.spec,
    "table2": table2.EXHIBIT.spec,
    "table3": table3.EXHIBIT.spec,
    "fig4": fig4.EXHIBIT.spec,
    "fig5": fig5.EXHIBIT.spec,
    "fig10": fig10.EXHIBIT.spec,
    "fig11": fig11.EXHIBIT.spec,
    "fig12": fig12.EXHIBIT.spec,
    "fig13": fig13.EXHIBIT.spec,
    "fig14": fig14.EXHIBIT.spec,
    "fig15": fig15.EXHIBIT.spec,
    "fig16": fig16.EXHIBIT.spec,
    "fig17": fig17.EXHIBIT.spec,
    "fig18": fig18.EXHIBIT.spec,
    "fig19": fig19.EXHIBIT.spec,
    "fig20": fig20.EXHIBIT.spec,
    "fig21": fig21.EXHIBIT.spec,
    "speed": speed.EXHIBIT.spec,
}
