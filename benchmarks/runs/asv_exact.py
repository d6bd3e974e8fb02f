"""What needs no clock as series of asv's: `track_edges`, `track_registers` and others beside `track_seconds`.

They are written from records; asv's pages draw them like its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.runs.asv_results import VERSION, Row
from benchmarks.runs.exact import Quantity, agreed
from fillpath.processes import of_run
from fillpath.record import Status, read_records, record_path

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


def exact_rows(seconds: Mapping[str, Any], counts: Counts, kernels: Counts) -> dict[str, Row]:
    """Return a row per quantity, by the name of its benchmark.

    seconds : the benchmark of seconds as asv describes it, `symbolic.Symbolic.track_seconds`
    counts : by case, kernels : by kernel
    """
    rows = {}
    for parameter, table in (("case", counts), ("kernel", kernels)):
        for name, quantities in _by_name(table).items():
            benchmark = {
                **seconds,
                "param_names": [parameter],
                "unit": next(iter(quantities.values())).unit,
                "version": VERSION,
                "code": CODE,
            }
            values = {label: quantity.value for label, quantity in quantities.items()}
            rows[f"{seconds['name'].rpartition('.')[0]}.track_{name}"] = Row(benchmark, values)
    return rows


def _by_name(table: Counts) -> dict[str, dict[str, Quantity]]:
    names: dict[str, dict[str, Quantity]] = {}
    for label, quantities in table.items():
        for name, quantity in quantities.items():
            names.setdefault(name, {})[label] = quantity
    return names
