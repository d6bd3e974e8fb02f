"""Peers that are used where somebody installed them."""

from __future__ import annotations

import importlib.util

from fillpath.registry import Available


def importable(package: str, otherwise: str) -> Available:
    """Whether a Python package can be found, and if not the reason. Never raises."""
    there = importlib.util.find_spec(package) is not None
    return there, "" if there else otherwise
