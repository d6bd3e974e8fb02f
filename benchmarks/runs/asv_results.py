"""asv's results files, made comparable across machines and checkouts, and merged instead of replaced."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fillpath.paths import atomic_write

# asv's three: results/asv/<machine>/<commit>-<ENVIRONMENT>.json must not name one checkout's interpreter.
PYTHON_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
ENVIRONMENT = f"existing-py{PYTHON_VERSION}"


def merge(source: Path, target: Path) -> None:
    """Add what asv saved in `source` to `target`, comparable across machines and checkouts.

    Cases that an earlier run of the same commit measured stay; the machine's own facets replace the old.
    """
    for path in sorted(source.glob("*/*.json")):
        data = json.loads(path.read_text())
        if path.name != "machine.json":
            data = normalised(data)
            place = target / path.parent.name / f"{data['commit_hash'][:8]}-{data['env_name']}.json"
            data["results"] = _merged_results(_load(place).get("results", {}), data["results"])
        else:
            place = target / path.parent.name / path.name
        write_json(place, data)
    benchmarks = _load(source / "benchmarks.json")
    if benchmarks:
        place = target / "benchmarks.json"
        write_json(place, _merged_benchmarks(_load(place), benchmarks))


def normalised(data: Mapping[str, Any]) -> dict[str, Any]:
    """An asv results file without the interpreter's path, and with null for nan, which is not JSON."""
    clean: dict[str, Any] = without_nan(dict(data))
    return {
        **clean,
        "python": PYTHON_VERSION,
        "params": {**clean["params"], "python": PYTHON_VERSION},
        "env_name": ENVIRONMENT,
    }


def without_nan(value: Any) -> Any:
    """JSON values with null for nan and infinity."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _merged_results(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    return {**old, **{name: _merged_row(old.get(name), row) for name, row in new.items()}}


def _merged_row(old: list[Any] | None, new: list[Any]) -> list[Any]:
    """Rows are [result, params, version, started_at, duration, statistics...]; a track has no statistics."""
    if old is None or old[2] != new[2] or len(old[1]) != 1 or len(new[1]) != 1:
        return new
    values = {**_by_case(old), **_by_case(new)}
    names = sorted(values)
    return [[values[name] for name in names], [names], *new[2:]]


def _by_case(row: list[Any]) -> dict[str, float | None]:
    names = row[1][0]
    return dict(zip(names, row[0] or [None] * len(names), strict=True))


def _merged_benchmarks(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**old, **new}
    for name in set(old) & set(new) - {"version"}:
        if len(old[name]["params"]) == len(new[name]["params"]) == 1:
            both = sorted({*old[name]["params"][0], *new[name]["params"][0]})
            merged[name] = {**new[name], "params": [both]}
    return merged


def _load(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write JSON proper, without nan, so that git shows small differences."""
    text = json.dumps(data, indent=1, sort_keys=True, allow_nan=False)
    with atomic_write(path) as handle:
        handle.write(f"{text}\n")  # type: ignore[call-overload]
