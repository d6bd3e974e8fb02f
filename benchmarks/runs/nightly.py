"""`make nightly`: measure the default branch's new commits and their base in turn; say what became slower.

Each commit has a worktree of its own, in an environment that belongs to its lock files; its records and its
point in asv's series go into this checkout's results/. What nights know is kept in
results/<machine>/nightly.json. A night that was killed goes on where it stopped. Exit status: 0, 1 for a
regression that the last night did not know, 2 where a commit has no result at all. A commit whose environment
cannot be installed is left out if a later one's can, else the next night begins with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.engine import machine, run
from benchmarks.runs import airspeed
from benchmarks.runs.airspeed import AirspeedError
from benchmarks.runs.asv_history import commit_changes
from benchmarks.runs.exact import differences
from benchmarks.runs.launch import adopt
from benchmarks.runs.night_commits import Revisions, base_of, can_be_asked, checked_out, clear, new_commits
from benchmarks.runs.night_report import Night
from benchmarks.runs.night_rounds import Course, Turns
from benchmarks.runs.night_worker import Bench, Checkouts, Worker
from benchmarks.runs.regressions import Change, State, learn
from fillpath.errors import FillpathError
from fillpath.hardware import identity
from fillpath.host import machine_name
from fillpath.lock import exclusive
from fillpath.paths import ROOT, WORK, results
from fillpath.settings import settings

PLACE = WORK / "nightly"
_TOO_OLD = "is from before nights measured single processes"
# Of two commits: what changed of kernels from the first to the second.
Kernels = Callable[[str, str], Sequence[str]]


def tonight(kernels: Kernels) -> Night:
    """Measure this checkout's new commits under a lock, and write asv's pages."""
    machine.introduce()
    # The folder is this host's before a commit's own processes get its name by FILLPATH_MACHINE.
    machine.write_facts()
    limit = settings().limit
    deadline = None if limit is None else time.time() + limit
    with exclusive(WORK / "nightly.lock", 0.0):
        adopt()
        bench = Checkouts(PLACE, deadline)
        finished = night(ROOT, PLACE, bench, deadline or float("inf"))
        if len(finished.commits) > 1:
            finished = replace(finished, kernels=tuple(kernels(finished.commits[0], finished.commits[-1])))
        try:
            airspeed.publish()
        except AirspeedError as error:
            # What was measured is said all the same.
            finished = replace(finished, notes=(*finished.notes, f"NO PAGES OF ASV: {error}"))
    return finished


def night(repository: Path, place: Path, bench: Bench, deadline: float = float("inf")) -> Night:
    """Measure the new commits of a repository's default branch and their base, in worktrees below `place`.

    What it is at is kept until it is done, with the worktrees, so that the next call goes on.
    """
    path, plan_path = results() / machine_name() / "nightly.json", place / "night.json"
    state = State.load(path)
    revisions, unfit = _revisions(repository, plan_path, state.last)
    opened = _opened(repository, place, bench, revisions)
    workers = {commit: worker for commit, worker in opened.items() if not isinstance(worker, FillpathError)}
    failed = [(commit, str(e)) for commit, e in opened.items() if isinstance(e, FillpathError)]
    try:
        finished = _measured(state, workers, deadline)
        new = [commit for commit in workers if commit in revisions.commits]
        for commit in new:
            bench.keep_series(place / commit[:12], revisions.run_of(commit))
    finally:
        for worker in workers.values():
            worker.close()
    if workers:
        finished.change.state.save(path)
    plan_path.unlink(missing_ok=True)
    for commit in opened:
        clear(repository, place / commit[:12])
    notes = (*_notes(repository, revisions, state.last, workers), *finished.notes)
    failures = (*unfit, *failed, *finished.failed)
    return replace(finished, new=len(new), failed=failures, notes=notes, steps=_steps(repository, new))


def _revisions(repository: Path, plan_path: Path, last: str) -> tuple[Revisions, list[tuple[str, str]]]:
    """What this night compares, as a killed one did if it can go on, and the commits that cannot be asked."""
    new = new_commits(repository, last)
    commits = tuple(each for each in new if can_be_asked(repository, each))
    unfit = [(each, _TOO_OLD) for each in new if each not in commits]
    unfinished = Revisions.load(plan_path)
    if (
        unfinished
        and unfinished.commits
        and unfinished.host == identity()
        and {*unfinished.commits} <= {*new}
    ):
        return unfinished, unfit
    base = base_of(repository, last, commits[0]) if commits else ""
    fit = base if base and can_be_asked(repository, base) else ""
    revisions = Revisions(run.alone().id, identity(), fit, commits)
    for folder in plan_path.parent.glob("*/.git"):
        clear(repository, folder.parent)
    revisions.save(plan_path)
    return revisions, unfit


def _opened(
    repository: Path, place: Path, bench: Bench, revisions: Revisions
) -> dict[str, Worker | FillpathError]:
    """The worker of each commit, the base's first, or why it has none."""
    opened: dict[str, Worker | FillpathError] = {}
    for commit in [revisions.base] * bool(revisions.base and revisions.commits) + [*revisions.commits]:
        folder = checked_out(repository, place / commit[:12], commit)
        try:
            opened[commit] = bench.open(folder, revisions.run_of(commit))
        except FillpathError as error:
            opened[commit] = error
    return opened


def _steps(repository: Path, new: Sequence[str]) -> tuple[str, ...]:
    """Where a series of this machine's steps, as the new commits show."""
    folder = results() / "asv" / machine_name()
    return tuple(change.text for change in commit_changes(folder, repository, new)) if new else ()


def _notes(repository: Path, revisions: Revisions, last: str, workers: Collection[str]) -> tuple[str, ...]:
    """Why the base is not the last commit that a night measured, where it is not."""
    if not workers or revisions.base in workers:
        return ()
    base = base_of(repository, last, revisions.commits[0])
    reason = "cannot be installed" if revisions.base else _TOO_OLD
    before = f"{base[:12]} {reason}" if base else "there is no earlier commit"
    return (f"NO BASE: {before}; {next(iter(workers))[:12]}, the first that is new, takes its place",)


def _measured(state: State, workers: Mapping[str, Worker], deadline: float) -> Night:
    """Measure these commits, the base first, and judge the last."""
    if not workers:
        return Night((), Change(state))
    turns = Turns(workers, deadline, state.late)
    turns.first()
    judgements = turns.judge(state.past, state.worse)
    change = learn(state, tuple(workers), turns.courses, judgements, turns.late)
    counts = {commit: _results(turns.courses.values(), commit) for commit in workers}
    failed = [(commit, "no case has a result") for commit, count in counts.items() if count == 0]
    exact = {case: _exact(course, turns.base, turns.tip) for case, course in turns.courses.items()}
    late = f"TIME WAS UP for {len(turns.late)} of {len(turns.courses)} cases"
    return Night(
        tuple(workers),
        change,
        results=sum(counts.values()),
        compared=len(judgements),
        exact={case: texts for case, texts in exact.items() if texts},
        failed=tuple(failed),
        notes=(late,) if turns.late else (),
    )


def _results(courses: Iterable[Course], commit: str) -> int:
    return sum(record.median is not None for course in courses for record in course.records[commit])


def _exact(course: Course, base: str, tip: str) -> tuple[str, ...]:
    """What changed that needs no clock: what every round says."""
    pairs = zip(course.records[base], course.records[tip], strict=False)
    rounds = [differences(before, after) for before, after in pairs if base != tip]
    return tuple(text for text in rounds[0] if all(text in texts for texts in rounds)) if rounds else ()
