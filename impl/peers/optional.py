"""Peers that are used where somebody installed them."""

from __future__ import annotations

import importlib.metadata
import importlib.util

from fillpath.registry import Available


def importable(package: str, otherwise: str) -> Available:
    """Whether a Python package can be found, and if not the reason. Never raises."""
    there = importlib.util.find_spec(package) is not None
    return there, "" if there else otherwise


def distribution(name: str) -> str:
    """The distribution whose version stands in the key of a peer's records: where it is not installed nothing
    is measured, but keys of records of elsewhere are computed, with NumPy's."""
    try:
        return importlib.metadata.distribution(name).metadata["Name"]
    except importlib.metadata.PackageNotFoundError:
        return "numpy"
