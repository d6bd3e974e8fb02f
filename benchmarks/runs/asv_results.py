"""asv's series in results/asv, written as asv would save them, but from stored records.

`benchmarks.json` lists what each benchmark is, with its cases on all machines. `<machine>/machine.json` is
the machine as asv keeps it. `<machine>/<commit>-<env>.json` has a row per benchmark: [numbers, [cases],
version, started_at].
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fillpath.lock import exclusive
from fillpath.paths import atomic_write

# asv's three: results/asv/<machine>/<commit>-<ENVIRONMENT>.json must not name one checkout's interpreter.
PYTHON_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
ENVIRONMENT = f"existing-py{PYTHON_VERSION}"
LISTED = "benchmarks.json"
# As `Suite.version`: what a series means does not change with the code around it. That of `Solve` did; of
# `Laplacian` by 1 % at most, so that its series go on.
VERSION = "1"
VERSIONS = {"solve.Solve.track_seconds": "2"}
_COLUMNS = ("result", "params", "version", "started_at")

# By case or kernel; None without a result, as asv keeps what was skipped.
Values = Mapping[str, float | None]


@dataclass(frozen=True)
class Commit:
    """A commit. date : when it was made, in ms."""

    id: str
    date: int


@dataclass(frozen=True)
class Row:
    """A commit's numbers of one benchmark. benchmark : as asv describes it, whatever its parameters."""

    benchmark: Mapping[str, Any]
    values: Values


def has_row(series: Path, machine: str, commit: str, benchmark: str, values: Values) -> bool:
    """Whether the commit's row has these numbers, and every row of the commit is of a benchmark listed."""
    results = read_json(_file(series, machine, commit)).get("results", {})
    if benchmark not in results or not set(results) <= set(read_json(series / LISTED)):
        return False
    kept = _by_label(results[benchmark])
    return all(repr(label) in kept and kept[repr(label)] == value for label, value in values.items())


def add_rows(series: Path, facets: Mapping[str, str], commit: Commit, rows: Mapping[str, Row]) -> None:
    """Add the rows to the commit's, one node at a time: the list of benchmarks is one file for all machines.

    Cases that an earlier run of the same commit measured stay. series : results/asv, facets : of the machine.
    """
    machine = facets["machine"]
    with exclusive(series / ".lock"):
        listed, path = read_json(series / LISTED), _file(series, machine, commit.id)
        results = read_json(path).get("results", {})
        for name, row in rows.items():
            results[name] = _together(results.get(name), row)
            params = {*listed.get(name, {"params": [[]]})["params"][0], *map(repr, row.values)}
            listed[name] = {**row.benchmark, "name": name, "params": [sorted(params)]}
        write_json(series / machine / "machine.json", {**facets, "version": 1})
        write_json(path, {**_head(facets, commit), "results": results})
        write_json(series / LISTED, {**listed, "version": 2})


def read_json(path: Path) -> dict[str, Any]:
    """The file's object, empty without a file."""
    return json.loads(path.read_text()) if path.is_file() else {}


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write JSON proper, without nan, so that git shows small differences."""
    text = json.dumps(data, indent=1, sort_keys=True, allow_nan=False)
    with atomic_write(path) as handle:
        handle.write(f"{text}\n")  # type: ignore[call-overload]


def _file(series: Path, machine: str, commit: str) -> Path:
    return series / machine / f"{commit[:8]}-{ENVIRONMENT}.json"


def _head(facets: Mapping[str, str], commit: Commit) -> dict[str, Any]:
    return {
        "commit_hash": commit.id,
        "date": commit.date,
        "durations": {},
        "env_name": ENVIRONMENT,
        "env_vars": {},
        "params": {**facets, "python": PYTHON_VERSION},
        "python": PYTHON_VERSION,
        "requirements": {},
        "result_columns": list(_COLUMNS),
        "version": 2,
    }


def _together(old: list[Any] | None, row: Row) -> list[Any]:
    """The row with the cases of the old one that it has not, unless that is of another version."""
    version = row.benchmark["version"]
    kept = _by_label(old) if old is not None and old[2] == version else {}
    values = {**kept, **{repr(label): value for label, value in row.values.items()}}
    labels = sorted(values)
    return [[values[label] for label in labels], [labels], version, int(time.time() * 1000)]


def _by_label(row: list[Any]) -> dict[str, float | None]:
    labels = row[1][0]
    return dict(zip(labels, row[0] or [None] * len(labels), strict=True))
