"""`make nightly`: measure the default branch's new commits and their base in turn; print what became slower.

Each commit has a worktree, with an environment for its lock files. Records and asv's series go into this
checkout's results/. A killed night resumes. A commit that cannot be measured is skipped if a later one can
be; otherwise the next night begins with it. docs/nightly.md shows a summary.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.engine import machine
from benchmarks.engine.follow import adopt
from benchmarks.runs import airspeed
from benchmarks.runs.airspeed import AirspeedError
from benchmarks.runs.exact import differences
from benchmarks.runs.night_commits import base_of, clear, new_commits, worktrees
from benchmarks.runs.night_report import Night
from benchmarks.runs.night_rounds import Course, Turns
from benchmarks.runs.night_worker import Checkouts, Process
from benchmarks.runs.regressions import State, learn
from fillpath.errors import FillpathError
from fillpath.hardware import identity
from fillpath.host import machine_name
from fillpath.lock import exclusive
from fillpath.nouns import content_hash
from fillpath.paths import ROOT, WORK, results
from fillpath.settings import settings

PLACE = WORK / "nightly"
# Returns lines on what changed of kernels between two checkouts, the base's first.
Kernels = Callable[[Path, Path], Sequence[str]]
# (commit, reason) of each.
Failed = list[tuple[str, str]]


def tonight(kernels: Kernels) -> Night:
    """Measure this checkout's new commits under a lock, and write asv's pages."""
    machine.introduce()
    # The folder is this host's before a commit's own processes get its name by FILLPATH_MACHINE.
    machine.write_facts()
    deadline = time.time() + (settings().limit or float("inf"))
    with exclusive(WORK / "nightly.lock", 0.0):
        adopt()
        finished = night(ROOT, PLACE, Checkouts(PLACE, deadline), kernels)
        try:
            airspeed.publish()
        except AirspeedError as error:
            return replace(finished, notes=(*finished.notes, f"NO PAGES OF ASV: {error}"))
    return finished


def night(repository: Path, place: Path, bench: Checkouts, kernels: Kernels) -> Night:
    """Measure the new commits of a repository's default branch and their base, in worktrees below `place`.

    The run ids follow from commits and host. A killed night of the same ones resumes, and measures no process
    twice.
    """
    path = results() / machine_name() / "nightly.json"
    state = State.load(path)
    new = new_commits(repository, state.last)
    folders = worktrees(repository, place, [*base_of(repository, state.last, new), *new])
    id = f"night-{content_hash(*folders, identity())[:12]}"
    workers, failed = _opened(bench, folders, id)
    measured = [folders[commit] for commit in workers if commit in new]
    try:
        finished = _measured(state, workers, bench.deadline) if measured else Night((), state)
        for folder in measured:
            bench.keep_series(folder, id)
    finally:
        for worker in workers.values():
            worker.close()
    if measured:
        finished = replace(finished, kernels=_kernels(kernels, folders[finished.commits[0]], measured[-1]))
        finished.state.save(path)
    for folder in folders.values():
        clear(repository, folder)
    return replace(finished, count=len(measured), failed=(*failed, *finished.failed))


def _opened(bench: Checkouts, folders: Mapping[str, Path], id: str) -> tuple[dict[str, Process], Failed]:
    """Return the worker of each commit, the base's first, and why other commits have none."""
    workers, failed = {}, []
    for commit, folder in folders.items():
        try:
            workers[commit] = bench.open(folder, id)
        except FillpathError as error:
            failed.append((commit, str(error)))
    return workers, failed


def _measured(state: State, workers: Mapping[str, Process], deadline: float) -> Night:
    """Measure these commits, the base first, and judge the last."""
    turns = Turns(workers, deadline, state.late)
    turns.measure(state.worse)
    stored = [pair for course in turns.courses.values() for pair in course.records.items()]
    results = Counter(commit for commit, records in stored for record in records if record.median is not None)
    exact = {case: _exact(course, turns.base, turns.tip) for case, course in turns.courses.items()}
    late = f"TIME WAS UP for {len(turns.late)} of {len(turns.courses)} cases"
    return Night(
        turns.commits,
        *learn(state, turns),
        results=results.total(),
        compared=len(turns.judgements),
        exact={case: texts for case, texts in exact.items() if texts},
        failed=tuple((commit, "no case has a result") for commit in workers if not results[commit]),
        notes=(late,) if turns.late else (),
    )


def _exact(course: Course, base: str, tip: str) -> tuple[str, ...]:
    """Return what changed that needs no clock, if every round agrees."""
    pairs = zip(course.records[base], course.records[tip], strict=False)
    rounds = [differences(before, after) for before, after in pairs if base != tip]
    return tuple(text for text in rounds[0] if all(text in texts for texts in rounds)) if rounds else ()


def _kernels(kernels: Kernels, base: Path, tip: Path) -> tuple[str, ...]:
    """Return what changed of kernels between two checkouts, or why that is not known."""
    try:
        return tuple(kernels(base, tip))
    except FillpathError as error:
        return (f"of kernels is not known: {error}",)
