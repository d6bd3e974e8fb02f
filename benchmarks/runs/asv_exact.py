"""What needs no clock as series of asv's: `track_edges`, `track_fills` and others beside `track_seconds`.

asv starts a process per benchmark and case, which for a number that stands in a record already would take
longer than many cases. So these series are written here, as asv would have saved them, from the records of
the cases that asv measured; its pages draw them like its own.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.runs.asv_results import write_json
from benchmarks.runs.exact import Quantity

# As `Suite.version`: what a series means does not change with the code around it.
VERSION = "1"
# What asv shows of a benchmark's source.
CODE = "# Read from the record that track_seconds left: see docs/exact.md."
Counts = Mapping[str, Mapping[str, Quantity]]


def add_series(saved: Path, commit: str, seconds: str, counts: Counts) -> None:
    """Add a series per quantity to what asv saved of a commit.

    saved : asv's results folder
    seconds : the benchmark that was measured, `symbolic.Symbolic.track_seconds`
    counts : by case and name; of cases that asv did not measure nothing is added
    """
    listed = saved / "benchmarks.json"
    benchmarks = json.loads(listed.read_text())
    for path in saved.glob("*/*.json"):
        data = json.loads(path.read_text())
        row = data.get("results", {}).get(seconds)
        if row is None or data["commit_hash"] != commit:
            continue
        for name, values in _by_name(row, counts).items():
            series = f"{seconds.rpartition('.')[0]}.track_{name}"
            cases = list(values)
            data["results"][series] = [[q.value for q in values.values()], [cases], VERSION, *row[3:4]]
            benchmarks[series] = _described(benchmarks[seconds], series, cases, next(iter(values.values())))
        path.write_text(json.dumps(data))
    write_json(listed, benchmarks)


def _by_name(row: list[Any], counts: Counts) -> dict[str, dict[str, Quantity]]:
    """The quantities by name, and by case as asv spells it, of the cases that have a result."""
    names: dict[str, dict[str, Quantity]] = {}
    values, ((*cases,), *_) = row[:2]
    for case, value in zip(cases, values or [None] * len(cases), strict=True):
        measured = value is not None and value == value
        for name, quantity in counts.get(ast.literal_eval(case), {}).items() if measured else ():
            names.setdefault(name, {})[case] = quantity
    return names


def _described(
    seconds: Mapping[str, Any], series: str, cases: list[str], quantity: Quantity
) -> dict[str, Any]:
    return {
        **seconds,
        "name": series,
        "params": [cases],
        "unit": quantity.unit,
        "version": VERSION,
        "code": CODE,
    }
