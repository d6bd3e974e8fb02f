"""Tables of several variants per matrix: one row of them all, and means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.dicts import Row, dicts
from reports.facts.means import geometric_mean
from reports.frames.device import columns_of
from reports.frames.seconds import RATIO, by_machine, groups_of
from reports.shapes.bars import times


def variant_of(case: Case) -> str:
    """A case's implementation with its options, as an experiment writes it."""
    return ".".join([case.implementation, *(f"{key}={value}" for key, value in case.options)])


def by_matrix(
    frame: pd.DataFrame, variants: Sequence[str], numbers: Callable[[Mapping[str, Row]], Mapping[str, Any]]
) -> pd.DataFrame:
    """One row per matrix, preparation and machine.

    frame : one row per case and machine, with its `variant`.
    variants : all of them; the first ones say what the row is.
    numbers : of the rows by variant, what the row says of them.
    """
    rows = []
    for part in by_machine(dicts(frame)):
        by_variant = {str(row["variant"]): row for row in part}
        first = next(by_variant[name] for name in variants if name in by_variant)
        rows.append({**first, **numbers(by_variant)})
    merged = pd.DataFrame(rows) if rows else frame.copy()
    kept = {name: dtype for name, dtype in frame.dtypes.items() if name in merged}
    merged = merged.astype(kept)
    merged["group"] = groups_of(merged)
    return merged


def status_of(row: Row | None) -> str:
    """The status of a variant's row; `not_run` without one."""
    return "not_run" if row is None else str(row["status"])


def number(row: Row | None, name: str) -> float | None:
    """What a variant's row says, None unless it was verified and said it."""
    value = row[name] if row is not None and row["status"] == "ok" else None
    return None if value is None or pd.isna(value) else float(value)


def paired(prefix: str, ratio: Mapping[str, Any]) -> dict[str, Any]:
    """A ratio as `ratio_of` gives it, as `<prefix>pair`, `<prefix>ratio` ..."""
    return {f"{prefix}{name}": ratio.get(name) for name in RATIO}


def finished(frame: pd.DataFrame, texts: Sequence[str], numbers: Sequence[str]) -> pd.DataFrame:
    """The columns that every frame has and these: a status where there is no row is `not_run`."""
    for name in numbers:
        frame[name] = frame[name].astype("float64") if name in frame else float("nan")
    for name in texts:
        column = frame[name] if name in frame else pd.Series(None, index=frame.index)
        frame[name] = column.astype("object").where(column.notna(), "not_run")
    return columns_of(frame, *dict.fromkeys((*numbers, *texts)))


def means(values: pd.Series[float]) -> str:
    """`mean 13x, geometric 6.7x`."""
    return f"mean {times(float(values.mean()))}, geometric {times(geometric_mean(values))}"
