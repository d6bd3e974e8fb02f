"""Show what nights find: ten commits of a throw-away branch, a night after each, one planted loss.

The branch begins at this checkout's commit, in a clone in FOLDER; each night runs there by `fillpath
nightly`. What they measured and said replaces docs/demonstration/. About half an hour on two cores."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.runs.asv_history import histories
from benchmarks.runs.asv_process import facets
from benchmarks.runs.asv_results import write_json
from benchmarks.runs.night_commits import git
from commands._parser import Parser
from fillpath.errors import ConfigError
from fillpath.paths import ROOT, write_text
from reports.pages.history_picture import Curve, draw

HOME = ROOT / "docs" / "demonstration"
MACHINE = "demonstration"
HEAD = """# Ten nights

Written by `fillpath maintain demonstration`, of commits on top of {base}, on {cpu}, {cores} cores, on {day}.
What they show is said in [nightly.md](../nightly.md#a-demonstration).
"""


@dataclass(frozen=True)
class Commit:
    """A commit of the branch: in a file, one text in place of another that is there once; added at its end
    where there is none."""

    subject: str
    path: str
    before: str
    after: str


PRUNED = "impl/symbolic/fill1_pruned.py"
LOSS = "Shorten fill1_pruned"
COMMITS = (
    Commit(
        "Measure four cases of Figure 11",
        "config/experiments.yaml",
        "  implementations:"
        " [gilbert_peierls, gsofa, fill1_pruned, etree_cpu, fill1_supernodal, superlu_dist, klu]\n"
        "  matrices: gsofa\n",
        "  implementations: [gilbert_peierls, fill1_pruned]\n"
        "  matrices: ['circuit,20000', 'circuit,15000,seed=1,symmetry=0.05']\n",
    ),
    Commit("Add a sentence to a page", "docs/page.md", "", "\nA sentence more.\n"),
    Commit("Explain the queue", PRUNED, "    queue = np.empty", "    # Of vertices.\n    queue = np.empty"),
    Commit("Begin with more room", PRUNED, "np.uint64(4 * len(indices))", "np.uint64(8 * len(indices))"),
    Commit("Add a sentence to a page", "docs/claims.md", "", "\nA sentence more.\n"),
    # Rows are no longer pruned, so that later ones follow all of U.
    Commit(LOSS, PRUNED, "                stop[vertex] = p + one\n", ""),
    Commit("Add a sentence to a page", "docs/figures.md", "", "\nA sentence more.\n"),
    Commit("Explain the queue no longer", PRUNED, "    # Of vertices.\n", ""),
    Commit("Begin with less room", PRUNED, "np.uint64(8 * len(indices))", "np.uint64(4 * len(indices))"),
    Commit("Add a sentence to a page", "docs/cluster.md", "", "\nA sentence more.\n"),
)


def add_arguments(parser: Parser) -> None:
    parser.add_argument("folder", type=Path, help="for the clone and what it measures; not there yet")


def run(arguments: argparse.Namespace) -> int:
    folder = arguments.folder.resolve()
    checkout, results = folder / "checkout", folder / "results"
    git(ROOT, "clone", "--quiet", "--no-tags", str(ROOT), str(checkout))
    git(checkout, "remote", "remove", "origin")
    base = git(checkout, "rev-parse", "HEAD")
    made, nights = [], []
    for commit in COMMITS:
        made.append(_commit(checkout, commit))
        nights.append(f"## {made[-1][:12]} {commit.subject}\n\n{_night(checkout, results)}")
        print(nights[-1], flush=True)
    steps = f"## Steps of the series\n\n    fillpath maintain steps\n\n{_steps(checkout, results)}"
    host = facets()
    head = HEAD.format(
        base=base[:12], cpu=host["cpu"], cores=host["num_cpu"], day=f"{datetime.now(UTC):%d %B %Y}"
    )
    shutil.rmtree(HOME, ignore_errors=True)
    _keep_series(results / "asv")
    shutil.copy(results / MACHINE / "nightly.json", HOME / "nightly.json")
    write_text(HOME / "nights.md", "\n".join([head, *nights, steps]))
    draw_series(HOME / "asv" / MACHINE, made, HOME / "series.png")
    return 0


def draw_series(series: Path, commits: Sequence[str], path: Path) -> None:
    """Draw seconds, and of the counts those that change. commits : in full, oldest first"""
    drawn = [h for h in histories(series, commits) if h.quantity == "seconds" or h.steps]
    curves = [
        Curve(
            history.case.replace("@", "\n@"),
            history.quantity,
            history.values,
            tuple(step.first for step in history.steps),
        )
        for history in sorted(drawn, key=lambda history: history.quantity != "seconds")
    ]
    title = "asv's series of ten commits, of which one makes fill1_pruned slower"
    draw(curves, [commit[:8] for commit in commits], title, path)


def _commit(checkout: Path, commit: Commit) -> str:
    path = checkout / commit.path
    text = path.read_text()
    if commit.before and text.count(commit.before) != 1:
        raise ConfigError(f"{commit.path}: not once there: {commit.before!r}")
    path.write_text(text.replace(commit.before, commit.after) if commit.before else text + commit.after)
    identity = ("-c", "user.name=demonstration", "-c", "user.email=demonstration@example.org")
    git(checkout, *identity, "commit", "--quiet", "--all", "--message", commit.subject)
    return git(checkout, "rev-parse", "HEAD")


def _night(checkout: Path, results: Path) -> str:
    """Its report, indented."""
    begun = time.monotonic()
    done = _fillpath(checkout, results, "nightly")
    minutes = (time.monotonic() - begun) / 60
    return f"Exit status {done.returncode}, after {minutes:.1f} minutes.\n\n{_indented(done.stdout)}\n"


def _steps(checkout: Path, results: Path) -> str:
    return f"{_indented(_fillpath(checkout, results, 'maintain', 'steps').stdout)}\n"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _fillpath(checkout: Path, results: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of the checkout, on four cases on the CPU."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("FILLPATH_")}
    kept = {name: value for name in KEPT if (value := os.environ.get(name))}
    variables: Mapping[str, str] = {
        **others,
        **kept,
        "FILLPATH_RESULTS": str(results),
        "FILLPATH_MACHINE": MACHINE,
        "FILLPATH_FIGURE": "gsofa.fig11",
        "FILLPATH_DEVICE": "cpu",
        "FILLPATH_CUDA": "none",
        "PYTHONPATH": str(checkout),
    }
    return subprocess.run(
        [sys.executable, "-m", "fillpath", *words], cwd=checkout, env=variables, text=True,
        stdout=subprocess.PIPE, check=False,
    )  # fmt: skip


# Of this process's variables.
KEPT = ("FILLPATH_CACHE", "FILLPATH_OFFLINE")


def _keep_series(source: Path) -> None:
    """asv's series of cases; those of kernels, which no commit changes, are left out."""
    target = HOME / "asv"
    benchmarks = json.loads((source / "benchmarks.json").read_text())
    of_cases = {k: v for k, v in benchmarks.items() if k == "version" or v["param_names"] == ["case"]}
    write_json(target / "benchmarks.json", of_cases)
    for path in sorted((source / MACHINE).glob("*.json")):
        data = json.loads(path.read_text())
        if "results" in data:
            data["results"] = {name: row for name, row in data["results"].items() if name in of_cases}
        write_json(target / MACHINE / path.name, data)
