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
from benchmarks.runs import airspeed
from benchmarks.runs.asv_process import AirspeedError
from benchmarks.runs.exact import differences
from benchmarks.runs.launch import adopt
from benchmarks.runs.night_commits import checked_out, clear, git, new_commits
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


def tonight(kernels: Kernels) -> Night:
    """Measure this checkout's new commits under a lock, and write asv's pages."""
    machine.introduce()
    # The folder is this host's before a commit's own processes get its name by FILLPATH_MACHINE.
    machine.write_facts()
    limit = settings().limit
    deadline = float("inf") if limit is None else time.time() + limit
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

    The run ids follow from base, tip and host, so a killed night resumes and measures no process twice.
    """
    path = results() / machine_name() / "nightly.json"
    state = State.load(path)
    new = new_commits(repository, state.last)
    # Before the first night the base is the parent of the tip.
    before = ("rev-list", "--first-parent", "--max-count=1", "--skip=1")
    commits = [*(state.last or git(repository, *before, new[0])).split(), *new] if new else []
    for folder in place.glob("*/.git"):
        if folder.parent.name not in {commit[:12] for commit in commits}:
            clear(repository, folder.parent)
    folders = {commit: checked_out(repository, place / commit[:12], commit) for commit in commits}
    id = content_hash(*commits[:1], *commits[-1:], identity())[:12]
    runs = {commit: f"night-{id}-{commit[:12]}" for commit in commits}
    opened = {commit: _opened(bench, folders[commit], runs[commit]) for commit in commits}
    workers = {commit: worker for commit, worker in opened.items() if not isinstance(worker, str)}
    failed = [(commit, reason) for commit, reason in opened.items() if isinstance(reason, str)]
    measured = [commit for commit in workers if commit in new]
    try:
        finished = _measured(state, workers, bench.deadline) if measured else Night((), state)
        for commit in measured:
            bench.keep_series(folders[commit], runs[commit])
    finally:
        for worker in workers.values():
            worker.close()
    if measured:
        ends = [folders[finished.commits[end]] for end in (0, -1)]
        finished = replace(finished, kernels=_kernels(kernels, *ends))
        finished.state.save(path)
    for folder in folders.values():
        clear(repository, folder)
    return replace(finished, count=len(measured), failed=(*failed, *finished.failed))


def _opened(bench: Checkouts, folder: Path, run: str) -> Process | str:
    """Return the worker of a checkout, or why it has none."""
    try:
        return bench.open(folder, run)
    except FillpathError as error:
        return str(error)


def _measured(state: State, workers: Mapping[str, Process], deadline: float) -> Night:
    """Measure these commits, the base first, and judge the last."""
    turns = Turns(workers, deadline, state.late)
    judgements, courses = turns.measure(state.worse), turns.courses
    stored = [pair for course in courses.values() for pair in course.records.items()]
    results = Counter(commit for commit, records in stored for record in records if record.median is not None)
    exact = {case: _exact(course, turns.base, turns.tip) for case, course in courses.items()}
    late = f"TIME WAS UP for {len(turns.late)} of {len(courses)} cases"
    return Night(
        tuple(workers),
        *learn(state, tuple(workers), courses, judgements, turns.late),
        results=results.total(),
        compared=len(judgements),
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
