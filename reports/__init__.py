"""What it says: one module a paper, the claims, the page."""

from reports.claims import paper_figure
from reports.figures import available_figures, draw
from reports.records import Records
from reports.summary import summary
from reports.webpage import page

__all__ = ["Records", "available_figures", "draw", "page", "paper_figure", "summary"]
