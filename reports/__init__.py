"""Figures, verdicts and pages, made from the records."""
