"""Measure the default branch's new commits and their base in turn, and report what became slower.

Each commit has a worktree, with an environment for its lock files. A killed night resumes. A commit that
cannot be measured is skipped if a later one can be; otherwise the next night begins with it. Exit status 1
for a regression that the last night did not know, 2 where a commit has no result at all.

With --branch, measure a branch and the commit at which it left the default branch instead, and report what
became faster too. The next night is as it would have been.

    FILLPATH_SUITE=small FILLPATH_LIMIT=6h fillpath nightly

The settings are those of `make figures`."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.engine import machine
from benchmarks.engine.follow import die_with_parent
from benchmarks.probes.registers import changes
from benchmarks.runs import airspeed
from benchmarks.runs.checkouts import Process, branch_point, new_commits, start, worktrees
from benchmarks.runs.exact import differences
from benchmarks.runs.night_rounds import Course, Turns
from benchmarks.runs.regressions import Regression, State, learn
from commands._parser import Arguments, Parser, typed
from commands._records import machines_here
from fillpath.columns import counted
from fillpath.errors import FillpathError, find
from fillpath.hardware import identity
from fillpath.host import machine_name
from fillpath.lock import exclusive
from fillpath.nouns import content_hash
from fillpath.paths import ROOT, WORK, results
from fillpath.settings import matching, settings

PLACE = WORK / "nightly"


def add_arguments(parser: Parser) -> None:
    one, name = parser.add_mutually_exclusive_group(), typed(matching(".+", "a name"))
    one.add_argument("--branch", metavar="NAME", type=name, help="judge this branch, before it is merged")
    forget = "forget the regression of a case: a false alarm"
    one.add_argument("--acknowledge", metavar="CASE", type=name, help=forget)


def run(arguments: Arguments) -> int:
    die_with_parent()
    machine.introduce()
    # The folder is this host's before a commit's own processes get its name by FILLPATH_MACHINE.
    machine.write_facts()
    deadline = time.time() + (settings().limit or float("inf"))
    with exclusive(WORK / "nightly.lock", 0.0):
        if arguments.acknowledge:
            return acknowledge(arguments.acknowledge)
        status, text = night(ROOT, PLACE, deadline, arguments.branch)
        print(text, flush=True)
        try:
            airspeed.publish(machines_here())
        except (FillpathError, OSError) as error:
            print(f"NO PAGES OF ASV: {error}")
    return status


def acknowledge(case: str) -> int:
    """Forget the known regression of a case. Raises UnknownNameError if there is none."""
    state = State.load(_path())
    forgotten = find(case, state.worse, "no known regression of", "" if state.worse else ": there is none")
    worse = {name: regression for name, regression in state.worse.items() if name != case}
    replace(state, worse=worse).save(_path())
    print(f"acknowledged {forgotten.text}")
    return 0


def night(repository: Path, place: Path, deadline: float, branch: str | None = None) -> tuple[int, str]:
    """Measure the new commits of a repository's default branch and their base, in worktrees below `place`.

    The run ids follow from commits and host. A killed night of the same ones resumes, and measures no process
    twice. Returns the exit status and the summary. The status is 2 if a commit has no result, else 1 for a
    new regression, else 0.

    branch : str, measured in place of new commits, against the commit at which it left the default branch
    """
    state = State() if branch else State.load(_path())
    base, new = branch_point(repository, branch) if branch else new_commits(repository, state.last)
    folders = worktrees(repository, place, [*base, *(new[-1:] if branch else new)])
    # Figures show what is in results/, where a branch may never belong.
    workers, failed = _workers(place, deadline, folders, place / "results" if branch else results())
    measured, turns = [commit for commit in workers if commit in new], None
    try:
        if measured and time.time() < deadline:
            turns = Turns(workers, deadline, state.late, both=bool(branch))
            turns.measure(state.worse)
    finally:
        for worker in workers.values():
            worker.close()
    if turns:
        news = _kernels(folders[turns.base], folders[turns.tip])
        state, status, text = _judged(state, turns, failed, len(new), news)
        if not branch:
            state.save(_path())
    else:
        up = ["TIME WAS UP before the first turn: give a longer LIMIT"] if measured else []
        head = f"{counted(len(new), 'new commit')}, 0 cases compared, 0 results"
        lines = [head, *up, *_not_measured(failed), *_known(state.worse.values())]
        status, text = 2 if measured or failed else 0, "\n".join(lines)
    worktrees(repository, place, [])
    return status, text


def _path() -> Path:
    return results() / machine_name() / "nightly.json"


def _workers(
    place: Path, deadline: float, folders: Mapping[str, Path], stored: Path
) -> tuple[dict[str, Process], dict[str, str]]:
    """Return the worker of each commit, the base's first, and why other commits have none."""
    workers, failed = {}, {}
    id = f"night-{content_hash(*folders, identity())[:12]}"
    for commit, folder in folders.items():
        try:
            workers[commit] = start(place, deadline, folder, f"{id}-{folder.name}", stored)
        except FillpathError as error:
            failed[commit] = str(error)
    return workers, failed


def _judged(
    state: State, turns: Turns, failed: Mapping[str, str], count: int, news: Sequence[str]
) -> tuple[State, int, str]:
    """Return what is known after the turns, and the night's exit status and summary.

    failed : commits that were not measured
    count : int, new commits
    news : lines on what changed of kernels
    """
    known, new, mended = learn(state, turns)
    stored = [pair for course in turns.courses.values() for pair in course.items()]
    results = Counter(commit for commit, records in stored for record in records if record.median is not None)
    failed = {**failed, **{each: "no case has a result" for each in turns.commits if not results[each]}}
    exact = {case: _exact(course, turns.base, turns.tip) for case, course in turns.courses.items()}
    found = {regression.case for regression in new}
    faster = [
        Regression(case, each.factor, turns.base, turns.tip, each.detail).text
        for case, each in turns.judgements.items()
        if turns.both and each.is_faster
    ]
    base = f" against {turns.base[:12]}" if len(turns.commits) > 1 else ""
    lines = (
        f"{counted(count, 'new commit')}{base}, {counted(len(turns.judgements), 'case')} compared, "
        f"{counted(results.total(), 'result')}",
        *([f"TIME WAS UP for {len(turns.late)} of {len(turns.courses)} cases"] if turns.late else []),
        *_not_measured(failed),
        *(f"NEW REGRESSION {regression.text}" for regression in new),
        *_known(regression for case, regression in known.worse.items() if case not in found),
        *(f"mended {case}" for case in mended),
        *(f"faster {each}" for each in faster),
        *(f"exact change {case}: {', '.join(texts)}" for case, texts in exact.items() if texts),
        *news,
    )
    return known, 2 if failed else int(bool(new)), "\n".join(lines)


def _not_measured(failed: Mapping[str, str]) -> list[str]:
    return [f"NOT MEASURED {commit[:12]}: {reason}" for commit, reason in failed.items()]


def _known(regressions: Iterable[Regression]) -> list[str]:
    return [f"known regression {regression.text}" for regression in regressions]


def _exact(course: Course, base: str, tip: str) -> tuple[str, ...]:
    """Return what changed that needs no clock, if every round agrees."""
    pairs = zip(course[base], course[tip], strict=False)
    rounds = [differences(before, after) for before, after in pairs if base != tip]
    return tuple(text for text in rounds[0] if all(text in texts for texts in rounds)) if rounds else ()


def _kernels(base: Path, tip: Path) -> list[str]:
    """Return lines on what changed of kernels between two checkouts, or why that is not known."""
    try:
        return [f"exact change {line}" for line in changes(base, tip)]
    except FillpathError as error:
        return [f"exact change of kernels is not known: {error}"]
