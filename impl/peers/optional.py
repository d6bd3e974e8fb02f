"""Peers that are used if they are installed."""

from __future__ import annotations

import importlib.util

from fillpath.registry import Available


def importable(package: str, otherwise: str) -> Available:
    """(whether a Python package can be found, the reason if not). Never raises."""
    there = importlib.util.find_spec(package) is not None
    return there, "" if there else otherwise
