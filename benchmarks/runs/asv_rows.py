"""A commit's row of asv's series where nothing was left to measure: of stored medians, without a process.

asv saves what its own processes return, one per case. Where all cases stand, these would only read what is
stored; so the row is written here, as asv would have saved it.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.runs.asv_results import ENVIRONMENT, PYTHON_VERSION, write_json
from fillpath.paths import ROOT

# As asv names them, of what a row here has.
_COLUMNS = ("result", "params", "version", "started_at", "duration")

# Seconds by case; None without a result.
Medians = Mapping[str, float | None]


def has_row(series: Path, machine: str, commit: str, benchmark: str, medians: Medians) -> bool:
    """Whether the commit's row of that benchmark has these medians. series : results/asv."""
    row = _read(_file(series, machine, commit)).get("results", {}).get(benchmark)
    if row is None:
        return False
    kept = dict(zip(row[1][0], row[0] or [None] * len(row[1][0]), strict=True))
    return all(repr(case) in kept and kept[repr(case)] == median for case, median in medians.items())


def save_row(
    series: Path, saved: Path, facets: Mapping[str, str], commit: str, benchmark: str, medians: Medians
) -> bool:
    """Write the row as asv would save it, with what it knows of the benchmark; False where it has never run
    the benchmark, or the commit's date cannot be read.

    series : results/asv
    saved : the folder that asv saves its results in
    facets : of the machine
    """
    known, date = _read(series / "benchmarks.json").get(benchmark), _milliseconds(commit)
    if known is None or date is None:
        return False
    labels, machine = [repr(case) for case in medians], facets["machine"]
    row = [list(medians.values()), [labels], known["version"], int(time.time() * 1000), 0.0]
    data = {
        "commit_hash": commit,
        "date": date,
        "durations": {},
        "env_name": ENVIRONMENT,
        "env_vars": {},
        "params": {**facets, "python": PYTHON_VERSION},
        "python": PYTHON_VERSION,
        "requirements": {},
        "result_columns": list(_COLUMNS),
        "results": {benchmark: row},
        "version": 2,
    }
    write_json(saved / machine / "machine.json", {**facets, "version": 1})
    write_json(_file(saved, machine, commit), data)
    write_json(saved / "benchmarks.json", {benchmark: {**known, "params": [labels]}, "version": 2})
    return True


def _file(folder: Path, machine: str, commit: str) -> Path:
    return folder / machine / f"{commit[:8]}-{ENVIRONMENT}.json"


def _milliseconds(commit: str) -> int | None:
    """When it was committed, as asv counts time."""
    command = ["git", "-C", str(ROOT), "show", "--quiet", "--format=%at", commit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return int(done.stdout) * 1000 if done.returncode == 0 else None


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded
