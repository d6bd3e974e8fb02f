"""Matrices along an axis: a group each, in the order of the frame's `group`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fillpath.dicts import dicts
from fillpath.twins import TWIN_OF


def lines(row: Mapping[Any, Any], several_preparations: bool = False) -> str:
    """A row's `label`, with its preparation where there are several, and what it stands in for below."""
    prepared = several_preparations and not pd.isna(row["preparation"])
    name = str(row["label"]) + (f", {row['preparation']}" if prepared else "")
    says = pd.isna(row["stand_in_for"]) or str(row["label"]).startswith(TWIN_OF)
    return name if says else f"{name}\nstand-in: {row['stand_in_for']}"


def name_matrices(axes: Axes, frame: pd.DataFrame) -> None:
    """The matrices below the axis, in the order of their groups."""
    groups = frame.sort_values("group", kind="stable").drop_duplicates("group")
    several = groups["preparation"].nunique() > 1
    labels = [lines(row, several) for row in dicts(groups)]
    axes.set_xticks(range(len(labels)), labels, rotation=32, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, max(1, len(labels)) - 0.4)


def width(frame: pd.DataFrame) -> float:
    """Of the figure, in inches."""
    return min(22.0, max(10.0, 2.5 + 1.25 * frame["group"].nunique()))
