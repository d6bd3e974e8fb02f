"""How the seconds of codes grow with the matrix: of generated families of matrices the exponents of n."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fillpath.dicts import dicts
from reports.facts.inputs import Inputs
from reports.facts.naming import listed
from reports.frames.device import columns_of
from reports.frames.phase_sums import put_symbolic_phases
from reports.frames.seconds import timed_frame
from reports.shapes.over_n import POINTS, lines_of

FRONTS, CUDSS = "bitfronts_gpu, by fronts", "cuDSS, symbolic phase"
# The codes in the order of a legend.
CODES = (
    "fill2_gpu", "gsofa", "fill1_pruned", "fill1_supernodal", "etree_cpu", "bitfronts_cpu", "bitfronts_gpu",
    FRONTS, CUDSS,
)  # fmt: skip
# Kinds of generated matrices that make a line; all others are points.
LINES = {"3D grid": "3D grids", "circuit": "circuits"}
_ENDS = ("median", "low", "high")


def cost_frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: `code`, its seconds, of cuDSS those of its symbolic phase alone, `filled`
    entries of L + U, and the `family` of its matrix. Of each code on each family of generated matrices
    `exponent`, the slope of log seconds over log n by least squares over all sizes, and `exponent_filled`,
    that of the entries of L + U of the same matrices."""
    rows = timed_frame(inputs)
    put_symbolic_phases(rows, inputs.records)
    rows["code"] = [_code(row) for row in dicts(rows)]
    rows["family"] = [family_of(inputs, matrix, LINES) for matrix in rows["matrix"]]
    rows["filled"] = rows["entries"].astype("float64") + rows["fills"].astype("float64")
    add_exponents(rows, "exponent", "median")
    add_exponents(rows, "exponent_filled", "filled")
    return columns_of(rows, "code", "family", "n", "filled", *_ENDS, "exponent", "exponent_filled")


def add_exponents(rows: pd.DataFrame, name: str, of: str) -> None:
    """Add a column of the slopes of log `of` over log n, by least squares over all sizes of a line."""
    rows[name] = np.nan
    for part in lines_of(rows):
        rows.loc[part.index, name] = _slope(part, of)


def codes_how(ok: pd.DataFrame, codes: Sequence[str]) -> str:
    """Which of the codes have no row among the measured ones, and in how many processes these were."""
    absent = [code for code in codes if code not in set(ok["code"])]
    without = f"Not measured there: {', '.join(absent)}. " if absent else ""
    return f"{without}Medians; processes: {listed(str(count) for count in ok['processes'])}."


def family_of(inputs: Inputs, matrix: str, lines: Mapping[str, str]) -> str:
    """The family of a matrix: what `lines` calls a kind of generated ones, or POINTS."""
    entry = inputs.entry(matrix)
    return POINTS if entry is None or entry.group else lines.get(entry.kind, POINTS)


def _code(row: Mapping[Any, Any]) -> str:
    """What the picture calls the code of a case."""
    if row["implementation"] == "cudss":
        return CUDSS
    return FRONTS if "path=fronts" in row["options"] else str(row["implementation"])


def _slope(part: pd.DataFrame, of: str) -> float:
    """Of the logarithms; unknown of fewer than two sizes, or where a value is."""
    n, values = part["n"].astype("float64"), part[of].astype("float64")
    if n.nunique() < 2 or values.isna().any():
        return float("nan")
    return float(np.polyfit(np.log(n), np.log(values), 1)[0])
