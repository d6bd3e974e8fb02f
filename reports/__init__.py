"""What it says: one module a paper, the claims, the page."""

from reports.facts.claims import paper_figure
from reports.facts.records import Records
from reports.figures import available_figures, draw
from reports.pages.summary import summary
from reports.pages.webpage import page

__all__ = ["Records", "available_figures", "draw", "page", "paper_figure", "summary"]
