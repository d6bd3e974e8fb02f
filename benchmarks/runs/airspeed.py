"""How asv (airspeed velocity) is used, and which of its traps are avoided.

asv only lists and draws. `asv run` starts a process per case, which takes longer than many cases, and a kill
loses all results of a call. So `rounds.run_stage` measures, and `publish` makes asv's files from the records:

    .fillpath/asv/benchmarks.json               each benchmark, with its cases
    .fillpath/asv/<machine>/machine.json        the machine
    .fillpath/asv/<machine>/<commit>-<env>.json a row per benchmark: [numbers, [cases], version]

`asv show`, `asv compare` and `asv publish` read these files. A number is of the commit that measured it, from
a tree without changes. Traps of asv 0.6.6, each with its way out:

An environment is named after its interpreter's path, which differs between checkouts: here after its version.
A benchmark's version is a hash of its source unless it is set: `Benchmark.version` is.
A kill tears a file, and of two calls at once one loses its results: files are renamed, and made anew.
A `track_` function that returns a dict breaks `asv publish`: each quantity is a benchmark of its own.
Cases are keyed by `repr`, and a skipped case is a bare NaN: it is null here, so that the files are JSON.
"""

import itertools
import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.engine import machine
from benchmarks.engine.benchmark import Benchmark
from benchmarks.engine.follow import FOLLOW, adopt
from benchmarks.runs.exact import agreed, unit_of
from fillpath.errors import FillpathError
from fillpath.holdings import read_facts
from fillpath.lock import exclusive
from fillpath.paths import ROOT, SITE, WORK, results, write_json
from fillpath.processes import Rounds, of_run
from fillpath.record import UNTRIED, Record, stored_records

# The numbers of each benchmark by case, None without a result.
Rows = dict[str, dict[str, float | None]]


def publish(machines: Iterable[str]) -> None:
    """Write asv's pages of these machines to reports/site/asv, unless there is no series or no repository.

    Raises FillpathError with asv's last line, and the command to repeat.
    """
    with exclusive(WORK / "asv.lock"):
        if machine.git_state()[0] is None or not write_series(machines):
            print("asv: no series yet (a clean commit's run starts one), no pages", file=sys.stderr)
            return
        adopt()
        command = [sys.executable, "-m", "asv", "--config", str(configuration()), "publish", "--no-pull"]
        done = subprocess.run(
            [*FOLLOW, *command],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    if done.returncode:
        last = done.stdout.decode(errors="replace").strip().rpartition("\n")[2]
        raise FillpathError(f"asv ended with status {done.returncode} ({last}); try `{' '.join(command)}`")


def configuration() -> Path:
    """Write asv.conf.json with the folders of this checkout's series and pages. Return its path."""
    path, given = WORK / "asv.conf.json", json.loads((ROOT / "asv.conf.json").read_text())
    folders = {"repo": str(ROOT), "results_dir": str(WORK / "asv"), "html_dir": str(SITE / "asv")}
    write_json(path, {**given, **folders})
    return path


def write_series(machines: Iterable[str]) -> bool:
    """Write asv's files of these machines alone. Returns whether the repository has a commit with records."""
    dates = dict(line.split() for line in machine.git(ROOT, "log", "--all", "--format=%H %at").splitlines())
    series, cases = WORK / "asv", dict[str, set[str]]()
    shutil.rmtree(series, ignore_errors=True)
    for name in machines:
        host = facets(name)
        for (commit, python), measured in _measured(name).items():
            if commit not in dates:
                continue
            rows = rows_of(measured)
            for benchmark, numbers in rows.items():
                cases.setdefault(benchmark, set()).update(numbers)
            content = {
                "commit_hash": commit,
                "date": int(dates[commit]) * 1000,
                "env_name": f"existing-py{python}",
                "params": {**host, "python": python},
                "python": python,
                "requirements": {},
                "result_columns": ["result", "params", "version"],
                "results": {benchmark: _row(numbers) for benchmark, numbers in rows.items()},
                "version": 2,
            }
            write_json(series / name / f"{commit[:8]}-existing-py{python}.json", content)
            write_json(series / name / "machine.json", {**host, "version": 1})
    listed = {benchmark: description(benchmark, names) for benchmark, names in cases.items()}
    if listed:
        write_json(series / "benchmarks.json", {**listed, "version": 2})
    return bool(listed)


def rows_of(measured: Mapping[str, Sequence[Record]]) -> Rows:
    """Return medians, and each quantity that needs no clock (docs/exact.md).

    measured : by case, the records of its processes
    """
    rows: Rows = {}
    for case, records in measured.items():
        stage = case.partition(".")[0]
        seconds = None if records[-1].median is None else Rounds.of(records).median
        for name, number in {"seconds": seconds, **agreed(records)}.items():
            rows.setdefault(f"{stage}.{stage.capitalize()}.track_{name}", {})[case] = number
    return rows


def description(benchmark: str, cases: Collection[str]) -> dict[str, Any]:
    """Return a benchmark as asv lists it. benchmark : str, such as `symbolic.Symbolic.track_seconds`."""
    quantity = benchmark.partition(".track_")[2]
    return {
        "code": "# Written from records, not run by asv: docs/measuring.md",
        "name": benchmark,
        "param_names": ["case"],
        "params": [sorted(map(repr, cases))],
        "type": "track",
        "unit": "seconds" if quantity == "seconds" else unit_of(quantity),
        "version": Benchmark.version,
    }


def facets(name: str) -> dict[str, str]:
    """Return a machine as asv describes one: text only, `none` for what is absent."""
    facts = read_facts(results() / name)
    return {
        "machine": name,
        **{key: str(facts.get(key) or "unknown") for key in ("os", "arch", "cpu")},
        "num_cpu": str(facts.get("cores") or "unknown"),
        "ram": f"{(facts.get('memory') or 0) / 2**30:.0f}GiB",
        "gpu": ", ".join(facts.get("gpus") or ()) or "none",
    }


def _measured(name: str) -> dict[tuple[str, str], dict[str, Sequence[Record]]]:
    """Return each case's last run at each commit and version of Python, from trees without changes."""
    found: dict[tuple[str, str], dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in itertools.chain.from_iterable(stored_records(name)):
        if record.commit and record.dirty is False and record.status not in UNTRIED:
            python = ".".join(record.versions.get("python", "").split(".")[:2])
            found[record.commit, python][record.case].append(record)
    return {key: {case: of_run(records) for case, records in cases.items()} for key, cases in found.items()}


def _row(numbers: Mapping[str, float | None]) -> list[Any]:
    cases = sorted(numbers, key=repr)
    return [[numbers[case] for case in cases], [[*map(repr, cases)]], Benchmark.version]
