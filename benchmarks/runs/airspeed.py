"""How asv (airspeed velocity) is used, and which of its traps are avoided.

asv only lists and draws. `asv run` starts a process per case, which takes longer than many cases, and a kill
loses all results of a call. So `stage.run_stage` measures, and here the numbers of a clean commit are written
from stored records, as asv would save them:

    results/asv/benchmarks.json               each benchmark, with its cases on all machines
    results/asv/<machine>/machine.json        the machine
    results/asv/<machine>/<commit>-<env>.json a row per benchmark: [numbers, [cases], version]

`asv show`, `asv compare` and `asv publish` read these files. Traps of asv 0.6.6, each with its way out:

An environment is named after its interpreter's path, which differs between checkouts: ENVIRONMENT is not.
A benchmark's version is a hash of its source unless it is set: `Benchmark.version` is.
A kill tears a file, and of two calls at once one loses its results: files are renamed, under a lock.
A `track_` function that returns a dict breaks `asv publish`: each quantity is a benchmark of its own.
Cases are keyed by `repr`, and a skipped case is a bare NaN: it is null here, so that the files are JSON.
"""

from __future__ import annotations

import contextlib
import json
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.engine import machine
from benchmarks.engine.benchmark import Benchmark, benchmark_of
from benchmarks.engine.follow import adopt
from benchmarks.engine.machine import git
from benchmarks.runs.exact import agreed, unit_of
from fillpath.errors import FillpathError
from fillpath.host import machine_name
from fillpath.lock import exclusive
from fillpath.paths import ROOT, SITE, WORK, results, write_text
from fillpath.processes import Rounds
from fillpath.record import Record
from impl.cuda import nvml

PYTHON_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
ENVIRONMENT = f"existing-py{PYTHON_VERSION}"
LISTED = "benchmarks.json"
# asv shows it as a benchmark's source.
CODE = "# Written from records, not run by asv: docs/measuring.md"


class AirspeedError(FillpathError):
    """asv failed, or left a damaged file."""


@dataclass(frozen=True)
class Row:
    """A commit's numbers of one benchmark.

    name : str, as asv writes it: `symbolic.Symbolic.track_seconds`
    unit : str, of the numbers
    values : by case; None without a result
    version : str, another one begins a new series
    """

    name: str
    unit: str
    values: dict[str, float | None] = field(default_factory=dict)
    version: str = Benchmark.version


def rows_of(stage: str, measured: Mapping[str, Sequence[Record]]) -> list[Row]:
    """Return a row of medians, and one for each quantity that needs no clock (docs/exact.md).

    measured : by case, the ok records of its processes, empty without any
    """
    prefix = f"{stage}.{stage.capitalize()}.track_"
    rows = {"seconds": Row(f"{prefix}seconds", "seconds", version=benchmark_of(stage).version)}
    for case, records in measured.items():
        rows["seconds"].values[case] = Rounds.of(records).median if records else None
        for name, value in (agreed(records) if records else {}).items():
            rows.setdefault(name, Row(f"{prefix}{name}", unit_of(name))).values[case] = value
    return list(rows.values())


def has_rows(rows: Sequence[Row]) -> bool:
    """Tell whether `add_rows` would change nothing, and find no damage."""
    try:
        return all(_read(path) == content for path, content in _files(rows).items())
    except AirspeedError:
        return False


def add_rows(rows: Sequence[Row]) -> None:
    """Add the rows to those of this commit, one node at a time: one list of benchmarks serves all machines.

    A case that an earlier run of the same commit measured keeps its number. A changed tree has no rows, and
    neither has a folder that is no repository.
    """
    with exclusive(results() / "asv" / ".lock"):
        for path, content in _files(rows).items():
            if _read(path) != content:
                _write(path, content)


def publish() -> None:
    """Write asv's pages to reports/site/asv, unless there is no series or no repository.

    Raises AirspeedError with asv's last line, and the command to repeat.
    """
    if machine.git_state()[0] is None or not (results() / "asv" / LISTED).is_file():
        print("asv: no series yet (a clean commit's run starts one), no pages", file=sys.stderr)
        return
    adopt()
    command = [sys.executable, "-m", "asv", "--config", str(configuration()), "publish", "--no-pull"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.runs.launch", "job", *command],
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode:
        last = done.stdout.decode(errors="replace").strip().rpartition("\n")[2]
        raise AirspeedError(f"asv ended with status {done.returncode} ({last}); try `{' '.join(command)}`")


def configuration() -> Path:
    """Write asv.conf.json with the folders of this checkout's results and pages. Return its path."""
    path = WORK / "asv.conf.json"
    folders = {"repo": str(ROOT), "results_dir": str(results() / "asv"), "html_dir": str(SITE / "asv")}
    _write(path, {**_read(ROOT / "asv.conf.json"), **folders})
    return path


def facets() -> dict[str, str]:
    """Return the machine as asv describes one: text only, `none` for what is absent."""
    host = machine.facts()
    return {
        "machine": machine_name(),
        "os": host["os"],
        "arch": host["arch"],
        "cpu": host["cpu"] or "unknown",
        "num_cpu": str(machine.cores()),
        "ram": f"{host['memory'] / 2**30:.0f}GiB",
        "gpu": ", ".join(nvml.cards()) or "none",
        "python_implementation": platform.python_implementation(),
    }


def _files(rows: Sequence[Row]) -> dict[Path, dict[str, Any]]:
    """Return the content of each of asv's files with the rows added; no file where no row can be added."""
    commit, dirty = machine.git_state()
    if commit is None or dirty or not rows:
        return {}
    series, host = results() / "asv", facets()
    folder = series / host["machine"]
    listed, path = _read(series / LISTED), folder / f"{commit[:8]}-{ENVIRONMENT}.json"
    found = _read(path).get("results", {})
    for row in rows:
        with _reading(path):
            found[row.name] = _merged(found.get(row.name), row)
        with _reading(series / LISTED):
            known = listed.get(row.name, {"params": [[]]})["params"][0]
            cases = sorted({*known, *map(repr, row.values)})
        listed[row.name] = {
            "code": CODE,
            "name": row.name,
            "param_names": ["case"],
            "params": [cases],
            "type": "track",
            "unit": row.unit,
            "version": row.version,
        }
    head = {
        "commit_hash": commit,
        "date": int(git(ROOT, "show", "--quiet", "--format=%at", commit)) * 1000,
        "env_name": ENVIRONMENT,
        "params": {**host, "python": PYTHON_VERSION},
        "python": PYTHON_VERSION,
        "requirements": {},
        "result_columns": ["result", "params", "version"],
        "version": 2,
    }
    return {
        folder / "machine.json": {**host, "version": 1},
        path: {**head, "results": found},
        series / LISTED: {**listed, "version": 2},
    }


def _merged(old: Sequence[Any] | None, row: Row) -> list[Any]:
    """Return the row with the cases that only an old row of the same version has."""
    kept = {}
    if old is not None and old[2] == row.version:
        labels = old[1][0]
        kept = dict(zip(labels, old[0] or [None] * len(labels), strict=True))
    values = {**kept, **{repr(case): value for case, value in row.values.items()}}
    labels = sorted(values)
    return [[values[label] for label in labels], [labels], row.version]


def _read(path: Path) -> dict[str, Any]:
    with _reading(path):
        content = json.loads(path.read_text()) if path.is_file() else {}
        if not isinstance(content, dict):
            raise TypeError("not an object")
        return content


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise AirspeedError for content that asv would not write."""
    try:
        yield
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise AirspeedError(f"{path}: damaged ({error}); remove it, and run `make figures`") from error


def _write(path: Path, content: Mapping[str, Any]) -> None:
    """Write sorted lines, so that git shows small differences."""
    write_text(path, json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n")
