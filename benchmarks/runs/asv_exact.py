"""What needs no clock as series of asv's: `track_edges`, `track_registers` and others beside `track_seconds`.

asv starts a process per benchmark and case, which for a number that stands in a record already would take
longer than many cases. So these series are written here, as asv would have saved them, from the records of
the cases that asv measured; its pages draw them like its own.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.runs.asv_results import without_nan, write_json
from benchmarks.runs.exact import Quantity, agreed
from fillpath.processes import of_run
from fillpath.record import Status, read_records, record_path

# As `Suite.version`: what a series means does not change with the code around it.
VERSION = "1"
# What asv shows of a benchmark's source.
CODE = "# Not run by asv: docs/exact.md"
# By case or kernel, and by name.
Counts = Mapping[str, Mapping[str, Quantity]]


def counts_of(machine: str, cases: Iterable[str]) -> Counts:
    """What the processes of each case's last run agree on, of the cases whose status is ok."""
    stored = {case: read_records(record_path(machine, case)) for case in cases}
    return {
        case: agreed(of_run(records))
        for case, records in stored.items()
        if records and records[-1].status is Status.OK
    }


def add_series(saved: Path, commit: str, seconds: str, counts: Counts, kernels: Counts) -> None:
    """Add a series per quantity to what asv saved of a commit, if it came to that.

    saved : asv's results folder
    seconds : the benchmark that asv ran, `symbolic.Symbolic.track_seconds`
    counts : by case; of cases that have no result there nothing is added
    kernels : by kernel
    """
    listed = saved / "benchmarks.json"
    benchmarks = json.loads(listed.read_text()) if listed.is_file() else {}
    for path in saved.glob("*/*.json"):
        data = without_nan(json.loads(path.read_text()))
        row = data.get("results", {}).get(seconds)
        if row is None or data["commit_hash"] != commit:
            continue
        measured = {case: counts[case] for case in _measured(row) if case in counts}
        for parameter, name, values in [*_by_name("case", measured), *_by_name("kernel", kernels)]:
            series = f"{seconds.rpartition('.')[0]}.track_{name}"
            labels, numbers = [repr(label) for label in values], [q.value for q in values.values()]
            data["results"][series] = [numbers, [labels], VERSION, *row[3:4]]
            benchmarks[series] = {
                **benchmarks[seconds],
                "name": series,
                "params": [labels],
                "param_names": [parameter],
                "unit": next(iter(values.values())).unit,
                "version": VERSION,
                "code": CODE,
            }
        write_json(path, data)
    if benchmarks:
        write_json(listed, benchmarks)


def _measured(row: list[Any]) -> list[str]:
    """The cases that have a result in a row of asv's."""
    results, ((*cases,), *_) = row[:2]
    numbers = results or [None] * len(cases)
    return [ast.literal_eval(c) for c, number in zip(cases, numbers, strict=True) if number is not None]


def _by_name(parameter: str, table: Counts) -> list[tuple[str, str, dict[str, Quantity]]]:
    """(parameter, name, quantity by case or kernel)."""
    names: dict[str, dict[str, Quantity]] = {}
    for label, quantities in table.items():
        for name, quantity in quantities.items():
            names.setdefault(name, {})[label] = quantity
    return [(parameter, name, values) for name, values in names.items()]
