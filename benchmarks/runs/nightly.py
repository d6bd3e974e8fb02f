"""`make nightly`: measure the default branch's new commits and their base in turn; print what became slower.

Each commit has a worktree, with an environment for its lock files. Records and asv's series go into this
checkout's results/. A killed night resumes. A commit that cannot be measured is skipped if a later one can
be; otherwise the next night begins with it. A summary reads, for instance:

    2 new commits against 91be77a0c3d4, 412 cases compared, 3120 results
    NEW REGRESSION levels.glu2@add32.mc64+amd: 1.31 times as long (1.22 to 1.4, 20 rounds), ...
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.engine import machine
from benchmarks.engine.follow import adopt
from benchmarks.runs import airspeed
from benchmarks.runs.airspeed import AirspeedError
from benchmarks.runs.checkouts import Checkouts, Process, base_of, clear, new_commits, worktrees
from benchmarks.runs.exact import differences
from benchmarks.runs.night_rounds import Course, Turns
from benchmarks.runs.regressions import Regression, State, learn
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


@dataclass(frozen=True)
class Night:
    """The outcome of a night.

    status : int, exit status: 2 if a commit has no result, else 1 for a new regression, else 0
    lines : of the summary
    commits : those measured, the base first
    """

    status: int
    lines: tuple[str, ...]
    commits: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the summary."""
        return "\n".join(self.lines)


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
            head, *rest = finished.lines
            return replace(finished, lines=(head, f"NO PAGES OF ASV: {error}", *rest))
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
    measured = [commit for commit in workers if commit in new]
    try:
        turns = Turns(workers, bench.deadline, state.late) if measured else None
        if turns:
            turns.measure(state.worse)
        for commit in measured:
            bench.keep_series(folders[commit], id)
    finally:
        for worker in workers.values():
            worker.close()
    if turns:
        changes = _kernels(kernels, folders[turns.base], folders[turns.tip])
        state, finished = _judged(state, turns, failed, len(measured), changes)
        state.save(path)
    else:
        head = "0 new commits, 0 cases compared, 0 results"
        finished = Night(2 if failed else 0, (head, *_not_measured(failed), *_known(state.worse.values())))
    for folder in folders.values():
        clear(repository, folder)
    return finished


def _opened(bench: Checkouts, folders: Mapping[str, Path], id: str) -> tuple[dict[str, Process], Failed]:
    """Return the worker of each commit, the base's first, and why other commits have none."""
    workers, failed = {}, []
    for commit, folder in folders.items():
        try:
            workers[commit] = bench.open(folder, id)
        except FillpathError as error:
            failed.append((commit, str(error)))
    return workers, failed


def _judged(
    state: State, turns: Turns, failed: Failed, count: int, kernels: Sequence[str]
) -> tuple[State, Night]:
    """Return what is known after the turns, and the night.

    failed : commits that were not measured
    count : of the new commits that were
    kernels : lines on what changed of these
    """
    known, new, mended = learn(state, turns)
    stored = [pair for course in turns.courses.values() for pair in course.items()]
    results = Counter(commit for commit, records in stored for record in records if record.median is not None)
    failed = [*failed, *((each, "no case has a result") for each in turns.commits if not results[each])]
    exact = {case: _exact(course, turns.base, turns.tip) for case, course in turns.courses.items()}
    news = {regression.case for regression in new}
    base = f" against {turns.base[:12]}" if len(turns.commits) > 1 else ""
    lines = (
        f"{count} new commits{base}, {len(turns.judgements)} cases compared, {results.total()} results",
        *([f"TIME WAS UP for {len(turns.late)} of {len(turns.courses)} cases"] if turns.late else []),
        *_not_measured(failed),
        *(f"NEW REGRESSION {regression.text}" for regression in new),
        *_known(regression for case, regression in known.worse.items() if case not in news),
        *(f"mended {case}" for case in mended),
        *(f"exact change {case}: {', '.join(texts)}" for case, texts in exact.items() if texts),
        *(f"exact change {line}" for line in kernels),
    )
    return known, Night(2 if failed else int(bool(new)), lines, turns.commits)


def _not_measured(failed: Failed) -> list[str]:
    return [f"NOT MEASURED {commit[:12]}: {reason}" for commit, reason in failed]


def _known(regressions: Iterable[Regression]) -> list[str]:
    return [f"known regression {regression.text}" for regression in regressions]


def _exact(course: Course, base: str, tip: str) -> tuple[str, ...]:
    """Return what changed that needs no clock, if every round agrees."""
    pairs = zip(course[base], course[tip], strict=False)
    rounds = [differences(before, after) for before, after in pairs if base != tip]
    return tuple(text for text in rounds[0] if all(text in texts for texts in rounds)) if rounds else ()


def _kernels(kernels: Kernels, base: Path, tip: Path) -> tuple[str, ...]:
    """Return what changed of kernels between two checkouts, or why that is not known."""
    try:
        return tuple(kernels(base, tip))
    except FillpathError as error:
        return (f"of kernels is not known: {error}",)
