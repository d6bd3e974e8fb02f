"""`make nightly`: what is new since the last night is said, once; a night without a result is a failure.

A repository of its own, whose commits hold what a made-up measurement takes.
"""

import json
import os
import re
import shutil
import subprocess
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.engine.run import Run
from benchmarks.runs import checkouts
from benchmarks.runs.checkouts import Process, environment_key
from benchmarks.runs.night_rounds import Course, Turns, paired
from benchmarks.runs.night_rule import FEWEST, FIRST, FRESH, MOST
from benchmarks.runs.regressions import Regression, State, learn
from commands.nightly import acknowledge, night
from commands.workflow import processes
from fillpath.case import Case
from fillpath.errors import ConfigError, FillpathError, UnknownNameError
from fillpath.paths import ROOT, results
from fillpath.record import Record, Status
from tests.reports_fakes import made_record
from tests.test_record import record as any_record

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
CASE = "symbolic.fill1@grid2d,8.metis"
OTHERS = tuple(f"symbolic.fill1@grid2d,{order}.metis" for order in range(9, 19))
MACHINE = "test-machine"
SCATTER = 0.01


def made(case: str, commit: str, seconds: float | str, process: int = 0, edges: int = 100) -> Record:
    """A record of five equal samples, or of a status without any."""
    record = made_record(Case.parse(case), 1)
    ok = not isinstance(seconds, str)
    return replace(
        record, machine=MACHINE, commit=commit, dirty=False, process=process,
        status=Status.OK if ok else Status(seconds), reason="" if ok else "made up",
        seconds=[seconds] * 5 if isinstance(seconds, float) else [],
        verified=record.verified if ok else None, work={**(record.work or {}), "edges": edges},
    )  # fmt: skip


class Ended(BaseException):
    """A kill."""


class Repository:
    """Commits that say how long CASE takes, or which status it has; and nights over them.

    A commit's text is `SECONDS-OR-STATUS [EDGES]`; `broken` cannot be installed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # (commit, case, process) in the order in which they were asked for.
        self.asked: list[tuple[str, str, int]] = []
        self.records: dict[tuple[str, str, int], Record] = {}
        self.compared: list[tuple[str, str]] = []
        self.kill_after = 10**9
        self.nights = 0
        self.stored: set[Path] = set()
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, text: float | str) -> str:
        (self.folder / "seconds").write_text(str(text))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", f"takes {text}")
        return self.git("rev-parse", "HEAD")

    def start(self, place: Path, deadline: float, folder: Path, run: str, stored: Path) -> "Asked":
        self.stored.add(stored)
        commit = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
        ).stdout.strip()
        text = (folder / "seconds").read_text()
        if text == "broken":
            raise FillpathError("pip failed")
        number = self.git("rev-list", "--count", commit)
        return Asked(self, commit, run, text, f"{self.nights} {number}")

    def night(self, branch: str | None = None, deadline: float = np.inf) -> SimpleNamespace:
        self.nights += 1
        status, text = night(self.folder, self.folder.parent / "worktrees", deadline, branch)
        return SimpleNamespace(status=status, text=text)

    def kernels(self, base: Path, tip: Path) -> list[str]:
        self.compared.append((base.name, tip.name))
        if (tip / "seconds").read_text().startswith("3"):
            raise FillpathError("no NVRTC")
        return [f"kernel {base.name} to {tip.name}"]

    def measured(self) -> list[str]:
        """Of CASE, in the order of their first process."""
        return list(dict.fromkeys(commit for commit, case, _ in self.asked if case == CASE))


class Asked(Process):
    """A commit's worker; of one run it has each record once."""

    cases = (CASE, *OTHERS)

    def __init__(self, repository: Repository, commit: str, run: str, text: str, seed: str = "") -> None:
        self.repository, self.commit, self.run, self.text, self.seed = repository, commit, run, text, seed

    def measure(self, case: str, process: int) -> Record | None:
        key = (self.run, case, process)
        if key not in self.repository.records:
            if len(self.repository.asked) >= self.repository.kill_after:
                raise Ended
            self.repository.asked.append((self.commit, case, process))
            self.repository.records[key] = self._record(case, process)
        return self.repository.records[key]

    def close(self) -> None:
        pass

    def _record(self, case: str, process: int) -> Record:
        seconds, _, edges = self.text.partition(" ")
        noise = np.random.default_rng(zlib.crc32(f"{self.seed} {case} {process}".encode())).normal(0, SCATTER)
        if case != CASE:
            return made(case, self.commit, float(np.exp(noise)), process)
        if not seconds[0].isdigit():
            return made(case, self.commit, seconds, process)
        return made(case, self.commit, float(seconds) * float(np.exp(noise)), process, int(edges or 100))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    made = Repository(tmp_path / "repository")
    monkeypatch.setattr("commands.nightly.start", made.start)
    monkeypatch.setattr("commands.nightly.changes", made.kernels)
    return made


def test_a_regression_is_new_once_and_stays_known(repository: Repository) -> None:
    before = repository.commit(1.0)
    assert repository.night().status == 0
    after = repository.commit(1.5)
    found = repository.night()
    assert found.status == 1
    assert f"NEW REGRESSION {CASE}: 1." in found.text
    assert f"from {before[:12]} to {after[:12]}" in found.text
    repository.commit(1.51)
    again = repository.night()
    assert again.status == 0 and f"known regression {CASE}: 1." in again.text
    assert f"from {before[:12]} to {after[:12]}" in again.text
    repository.commit(1.0)
    mended = repository.night()
    assert mended.status == 0 and f"mended {CASE}" in mended.text and "known" not in mended.text
    repository.commit(1.5)
    assert repository.night().status == 1


def test_of_several_commits_the_one_that_was_slower_first_is_named(repository: Repository) -> None:
    base = repository.commit(1.0)
    repository.night()
    repository.commit(1.4)
    repository.commit(1.01)
    slow = repository.commit(1.4)
    repository.commit(1.41)
    found = repository.night()
    assert found.status == 1 and f"from {base[:12]} to {slow[:12]}" in found.text


def test_a_base_is_measured_again_in_turn_with_the_commits(repository: Repository) -> None:
    base = repository.commit(1.0)
    repository.night()
    repository.asked.clear()
    new = repository.commit(1.0)
    repository.night()
    asked = [(commit, process) for commit, case, process in repository.asked if case == CASE][: 2 * FIRST]
    assert asked == [(base, 0), (new, 0), (new, 1), (base, 1), (base, 2), (new, 2)]


def test_what_is_undecided_is_measured_more_often_and_what_is_equal_is_not(repository: Repository) -> None:
    repository.commit(1.0)
    repository.commit(1.5)
    repository.night()
    times = {case: sum(each == case for _, each, _ in repository.asked) // 2 for case in Asked.cases}
    assert times.pop(CASE) == MOST + FRESH and {*times.values()} == {FIRST}
    repository.asked.clear()
    repository.commit(1.5)
    repository.night()
    # The known regression is measured until its end would be seen.
    assert sum(case == CASE for _, case, _ in repository.asked) // 2 == FEWEST


def test_an_alarm_that_fresh_rounds_do_not_confirm_is_none(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Asked._record

    def fading(asked: Asked, case: str, process: int) -> Record:
        asked.text = asked.text if process < MOST else "1.0"
        return record(asked, case, process)

    repository.commit(1.0)
    repository.commit(1.5)
    monkeypatch.setattr(Asked, "_record", fading)
    assert repository.night().status == 0
    assert sum(case == CASE for _, case, _ in repository.asked) // 2 == MOST + FRESH


def test_an_alarm_whose_fresh_rounds_had_no_time_stays(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = Turns._round

    def late(turns: Turns, cases: Sequence[str], process: int) -> None:
        turns._deadline = np.inf if process < MOST else 0.0
        measure(turns, cases, process)

    repository.commit(1.0)
    repository.commit(1.5)
    monkeypatch.setattr(Turns, "_round", late)
    done = repository.night()
    assert done.status == 1 and f"{MOST} rounds)" in done.text and "TIME WAS UP for 1 of" in done.text


@pytest.mark.parametrize(("seconds", "line", "status"), [(1.5, "NEW REGRESSION", 1), (0.7, "faster", 0)])
def test_a_branch_is_held_against_the_commit_that_it_left(
    repository: Repository, seconds: float, line: str, status: int
) -> None:
    base = repository.commit(1.0)
    repository.night()
    known = (results() / MACHINE / "nightly.json").read_text()
    repository.git("checkout", "--quiet", "-b", "tuned")
    repository.commit(9.0)
    tip = repository.commit(seconds)
    repository.git("checkout", "--quiet", "main")
    repository.commit(5.0)
    assert repository.stored == {results()}
    repository.asked.clear()
    repository.stored.clear()
    done = repository.night("tuned")
    assert repository.stored == {repository.folder.parent / "worktrees" / "results"}
    assert done.status == status and repository.measured() == [base, tip]
    assert done.text.startswith(f"2 new commits against {base[:12]}, {len(Asked.cases)} cases compared, ")
    (said,) = [each for each in done.text.splitlines() if each.startswith(f"{line} {CASE}: ")]
    assert said.endswith(f"{FRESH} rounds), from {base[:12]} to {tip[:12]}")
    assert (results() / MACHINE / "nightly.json").read_text() == known


def test_a_branch_without_a_commit_of_its_own_is_refused(repository: Repository) -> None:
    repository.commit(1.0)
    repository.git("branch", "same")
    repository.git("branch", "absent/inner")
    for name, why in (("same", "has no commit that HEAD lacks"), ("absent", "git fetch origin absent")):
        with pytest.raises(ConfigError, match=why):
            repository.night(name)
    assert repository.asked == []


def test_a_regression_that_is_acknowledged_is_forgotten(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit(1.0)
    repository.commit(1.5)
    repository.night()
    with pytest.raises(UnknownNameError, match=f"no known regression of 'x'; expected one of {CASE}"):
        acknowledge("x")
    assert acknowledge(CASE) == 0
    assert f"acknowledged {CASE}: 1." in capsys.readouterr().out
    repository.commit(1.5)
    done = repository.night()
    assert done.status == 0 and CASE not in done.text
    with pytest.raises(UnknownNameError, match="there is none"):
        acknowledge(CASE)


def test_the_first_night_holds_the_tip_against_its_parent(repository: Repository) -> None:
    repository.commit(9.0)
    repository.commit(1.0)
    tip = repository.commit(1.5)
    first = repository.night()
    assert first.status == 1 and repository.measured()[1:] == [tip]
    repository.asked.clear()
    assert repository.night().status == 0 and repository.asked == []


def test_a_tip_whose_base_cannot_be_measured_is_compared_with_nothing(repository: Repository) -> None:
    broken, tip = repository.commit("broken"), repository.commit(1.5)
    done = repository.night()
    assert done.status == 2 and f"NOT MEASURED {broken[:12]}: pip failed" in done.text
    assert repository.measured() == [tip] and "1 new commit, 0 cases compared" in done.text
    repository.commit(1.5)
    assert repository.night().status == 0


def test_a_commit_that_cannot_be_installed_is_left_out_but_a_night_without_network_loses_none(
    repository: Repository,
) -> None:
    first = repository.commit(1.0)
    repository.night()
    broken, other = repository.commit("broken"), repository.commit("broken")
    done = repository.night()
    assert done.status == 2 and f"NOT MEASURED {broken[:12]}: pip failed" in done.text
    later = repository.commit(1.0)
    done = repository.night()
    failed = [line.split()[2] for line in done.text.splitlines() if line.startswith("NOT MEASURED")]
    assert done.status == 2 and failed == [f"{commit[:12]}:" for commit in (broken, other)]
    assert repository.measured() == [first, later]
    assert repository.night().status == 0


def test_each_new_commit_is_measured_in_one_night_and_clears_away(repository: Repository) -> None:
    repository.commit(1.0)
    repository.night()
    others = [repository.commit(1.0), repository.commit(1.0)]
    both = repository.night()
    assert repository.measured()[1:] == others and "2 new commits against" in both.text
    repository.asked.clear()
    done = repository.night()
    assert done.status == 0 and "0 new commits" in done.text and repository.asked == []
    assert list((repository.folder.parent / "worktrees").iterdir()) == []
    assert len(repository.git("worktree", "list").splitlines()) == 1


@pytest.mark.parametrize("status", ["unavailable", "not_run", "error"])
def test_a_night_without_a_result_is_a_failure(
    repository: Repository, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Asked, "cases", (CASE,))
    repository.commit(1.0)
    repository.night()
    commit = repository.commit(status)
    done = repository.night()
    assert done.status == 2 and f"NOT MEASURED {commit[:12]}" in done.text


@pytest.mark.parametrize("after", [3, 40, 70])
def test_a_killed_night_goes_on_where_it_stopped(repository: Repository, after: int) -> None:
    repository.commit(1.0)
    done = repository.commit(1.0)
    repository.night()
    repository.asked.clear()
    slow = repository.commit(1.6)
    repository.kill_after = after
    with pytest.raises(Ended):
        repository.night()
    assert json.loads((results() / MACHINE / "nightly.json").read_text())["last"] == done
    repository.kill_after = 10**9
    assert repository.night().status == 1
    assert len(set(repository.asked)) == len(repository.asked)
    assert not (repository.folder.parent / "worktrees" / slow[:12]).exists()


def test_a_killed_night_on_another_host_begins_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1.0)
    repository.commit(1.0)
    repository.kill_after = 5
    with pytest.raises(Ended):
        repository.night()
    repository.kill_after = 10**9
    monkeypatch.setattr("commands.nightly.identity", lambda: "f" * 16)
    repository.commit(1.0)
    assert repository.night().status == 0
    assert len({run for run, _, _ in repository.records}) == 4
    assert list((repository.folder.parent / "worktrees").iterdir()) == []


@pytest.mark.parametrize("status", ["wrong", "error", "timeout", "out_of_memory"])
def test_what_fails_now_is_a_regression_until_it_has_a_result(repository: Repository, status: str) -> None:
    repository.commit(1.0)
    repository.night()
    first = repository.commit(status)
    repository.commit(status)
    failed = repository.night()
    assert failed.status == 1 and f"no result any more ({status}: made up)" in failed.text
    assert f"to {first[:12]}" in failed.text
    repository.commit(status)
    assert repository.night().status == 0
    repository.commit(1.0)
    assert f"mended {CASE}" in repository.night().text


def test_what_needs_no_clock_is_told_however_small_and_is_no_alarm(repository: Repository) -> None:
    repository.commit("1.0 1000")
    repository.night()
    repository.commit("1.0 1001")
    done = repository.night()
    assert done.status == 0 and f"exact change {CASE}: edges 1,000 to 1,001" in done.text
    assert done.text.count("edges") == 1


def course(change: Callable[[Record], Record] = lambda record: record) -> Course:
    """Three rounds of a base and of a commit that is slower by half."""
    base = [made(CASE, "a" * 40, 1.0, process) for process in range(FIRST)]
    tip = [change(made(CASE, "b" * 40, 1.5, process)) for process in range(FIRST)]
    return {"a" * 40: base, "b" * 40: tip}


@pytest.mark.parametrize(
    "change",
    [
        lambda record: replace(record, prepared={**(record.prepared or {}), "hash": "2" * 64}),
        lambda record: replace(record, host="2" * 16),
        lambda record: replace(record, device="another"),
        lambda record: replace(record, threads_used=7),
        lambda record: replace(record, status=Status.ERROR, seconds=[], verified=None),
    ],
)
def test_records_of_other_inputs_hosts_and_devices_make_no_pair(change: Callable[[Record], Record]) -> None:
    assert paired(course(), "a" * 40, "b" * 40) == pytest.approx([np.log(1.5)] * FIRST)
    assert paired(course(change), "a" * 40, "b" * 40) == ()


def test_what_was_not_run_is_no_regression(repository: Repository) -> None:
    late = course(lambda record: replace(record, status=Status.NOT_RUN, seconds=[], verified=None))
    turns = Turns({commit: Asked(repository, commit, commit, "1.0") for commit in late}, np.inf, ())
    turns.courses = {CASE: late}
    assert learn(State(), turns)[1] == ()


def test_no_turn_begins_after_the_deadline(repository: Repository) -> None:
    workers = {commit * 40: Asked(repository, commit * 40, commit, "1.0") for commit in "ab"}
    turns = Turns(workers, 0.0, ())
    turns.measure(())
    assert turns.judgements == {} and repository.asked == []
    assert turns.late == set(Asked.cases)


def test_a_night_without_time_for_a_turn_says_so_and_leaves_its_commits_to_the_next(
    repository: Repository,
) -> None:
    repository.commit(1.0)
    repository.night()
    repository.asked.clear()
    slower = repository.commit(1.5)
    late = repository.night(deadline=0.0)
    head, why = late.text.splitlines()
    assert late.status == 2 and head == "1 new commit, 0 cases compared, 0 results"
    assert why == "TIME WAS UP before the first turn: give a longer LIMIT"
    assert repository.asked == [] and list((repository.folder.parent / "worktrees").iterdir()) == []
    assert repository.night().status == 1 and slower in repository.measured()


def test_what_a_night_had_no_time_for_comes_first_in_the_next(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1.0)
    repository.commit(1.0)
    late = OTHERS[6:8]
    with monkeypatch.context() as patched:
        patched.setattr(Turns, "_round", lambda turns, cases, process: turns.late.update({*cases} & {*late}))
        assert repository.night().status == 2
    assert State.load(results() / MACHINE / "nightly.json").late == late
    repository.commit(1.0)
    repository.night()
    order = list(dict.fromkeys(case for _, case, _ in repository.asked))
    assert order == [*late, CASE, *OTHERS[:6], *OTHERS[8:]]
    assert State.load(results() / MACHINE / "nightly.json").late == ()


def test_what_changed_of_kernels_is_in_the_summary(repository: Repository) -> None:
    base, tip = repository.commit("1.0"), repository.commit("1.0 101")
    done = repository.night()
    assert repository.compared == [(base[:12], tip[:12])] and done.status == 0
    assert f"exact change kernel {base[:12]} to {tip[:12]}" in done.text.splitlines()
    repository.commit("3.0")
    assert "exact change of kernels is not known: no NVRTC" in repository.night().text.splitlines()


@pytest.mark.parametrize(
    ("pull", "install", "status", "expected"),
    [
        (0, 0, 0, ""),
        (0, 0, 1, "fillpath: status 1\nsummary 6h\n"),
        (0, 0, 2, "fillpath: status 2\nsummary 6h\n"),
        (128, 0, 0, "fillpath: status 128\nfatal: git\n"),
        (0, 2, 0, "fillpath: status 2\nfatal: make\n"),
    ],
)
def test_the_line_for_cron_mails_what_went_wrong_and_nothing_of_a_quiet_night(
    tmp_path: Path, pull: int, install: int, status: int, expected: str
) -> None:
    (line,) = re.findall(
        r"^    30 1 \* \* \* (.*)$", (ROOT / "docs" / "nightly.md").read_text(), re.MULTILINE
    )
    clone, tools = tmp_path / "fillpath-nightly", tmp_path / "bin"
    failing = "[ {0} = 0 ] || echo fatal: {1} >&2; exit {0}"
    for path, text in {
        tools / "git": failing.format(pull, "git"), tools / "make": failing.format(install, "make"),
        tools / "mail": 'echo "$2" > $HOME/mailed; cat >> $HOME/mailed',
        clone / ".venv" / "bin" / "fillpath": f"echo on >&2; echo summary $FILLPATH_LIMIT; exit {status}",
    }.items():  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    environment = {"HOME": str(tmp_path), "PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", line], env=environment, check=True, capture_output=True, text=True)
    mailed = tmp_path / "mailed"
    assert (mailed.read_text() if mailed.is_file() else "") == expected
    assert done.stdout == done.stderr == "", "cron mails what is printed"


def test_what_nights_know_is_read_back_and_a_foreign_file_is_refused(tmp_path: Path) -> None:
    regression = Regression(CASE, 1.31, "a" * 40, "b" * 40, "1.22 to 1.4, 20 rounds")
    state = State("a" * 40, {CASE: regression}, (CASE,))
    for each in (state, State()):
        each.save(tmp_path / "nightly.json")
        assert State.load(tmp_path / "nightly.json") == each
    for foreign in ("[]", '{"last": "", "bases": {}, "worse": {}}'):
        (tmp_path / "nightly.json").write_text(foreign)
        with pytest.raises(ConfigError, match=r"nightly\.json: no night wrote this"):
            State.load(tmp_path / "nightly.json")


def test_the_default_branch_is_the_remotes(repository: Repository, tmp_path: Path) -> None:
    tip = repository.commit(1.0)
    subprocess.run(["git", "clone", "--quiet", str(repository.folder), str(tmp_path / "clone")], check=True)
    assert checkouts.default_branch(tmp_path / "clone") == "origin/main"
    assert checkouts.new_commits(tmp_path / "clone", "") == ([], [tip])
    with pytest.raises(ConfigError, match="is not in origin/main"):
        checkouts.new_commits(tmp_path / "clone", "0" * 40)


def test_environments_are_told_apart_by_their_locks(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("numpy==2.0")
    other.write_text("numpy==2.1")
    assert environment_key([one]) != environment_key([other]) != environment_key([one, other])
    assert environment_key([one]) == environment_key([one]) and os.sep not in environment_key([one])


@pytest.mark.parametrize(
    ("asked", "status", "refused"),
    [(1, Status.OK, False), (2, Status.OK, True), (2, Status.TIMEOUT, False)],
)
def test_past_the_limit_an_earlier_process_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, asked: int, status: Status, refused: bool
) -> None:
    """`measure` then returns the newest ok record of the run. A failure holds for every process."""
    found = any_record(status, run_id="night", process=1)
    monkeypatch.setattr(processes, "measure", lambda *_, **__: found)
    answer = processes._answer(f"{asked} {found.case}\n", Run("night", None, ""))
    assert ("error" in answer) == refused
