"""`make nightly`: what is new since the last night is said, once; a night without a result is a failure.

A repository of its own, whose commits hold what a made-up measurement takes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.runs import nightly
from benchmarks.runs.environment import environment_key
from benchmarks.runs.nightly import Night, night
from benchmarks.runs.regressions import Base, State, learn
from fillpath.case import Case
from fillpath.errors import ConfigError, FillpathError
from fillpath.paths import results
from fillpath.record import Record, Status, read_records, record_path, write_records
from tests.reports_fakes import made_record

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
CASE = "symbolic.fill1@grid2d,8.metis"
MACHINE = "test-machine"


def made(
    commit: str, seconds: float | None, status: Status = Status.OK, input_hash: str = "0" * 64
) -> Record:
    """A record of CASE with five samples around these seconds."""
    record = made_record(Case.parse(CASE), 1)
    ok = seconds is not None
    return replace(
        record, machine=MACHINE, commit=commit, dirty=False, status=status, reason="" if ok else "made up",
        seconds=[seconds * (1 + step / 100) for step in range(-2, 3)] if ok else [],
        verified=record.verified if ok else None, prepared={**(record.prepared or {}), "hash": input_hash},
    )  # fmt: skip


class Repository:
    """Commits that say how long the case takes, or that it has no result; and nights over them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.measured: list[str] = []
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, seconds: float | str) -> str:
        (self.folder / "seconds").write_text(str(seconds))
        self.git("add", "seconds")
        self.git("commit", "--quiet", "--allow-empty", "--message", f"takes {seconds}")
        return self.git("rev-parse", "HEAD")

    def measure(self, folder: Path) -> int:
        commit = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
        ).stdout.strip()
        self.measured.append(commit)
        # Of several, one after the other.
        said, _, rest = (folder / "seconds").read_text().partition(" ")
        (folder / "seconds").write_text(rest or said)
        if said == "killed":
            raise KeyboardInterrupt
        if said == "broken":
            raise FillpathError("pip failed")
        record = (
            made(commit, None, Status(said)) if said.isalpha() or "_" in said else made(commit, float(said))
        )
        path = record_path(MACHINE, CASE)
        write_records(path, [*read_records(path), record])
        return 0

    def night(self) -> Night:
        return night(self.folder, self.folder.parent / "worktrees", self.measure)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_a_regression_is_new_once_and_stays_known(repository: Repository) -> None:
    before = repository.commit(1.0)
    assert repository.night().status == 0
    after = repository.commit(1.5)
    found = repository.night()
    assert found.status == 1
    assert f"NEW REGRESSION {CASE}: 1.5 times as long, from {before[:12]} to {after[:12]}" in found.text
    repository.commit(1.51)
    again = repository.night()
    assert again.status == 0
    assert f"known regression {CASE}: 1.51 times as long, from {before[:12]} to {after[:12]}" in again.text
    repository.commit(1.0)
    mended = repository.night()
    assert mended.status == 0 and f"mended {CASE}" in mended.text and "known" not in mended.text
    repository.commit(1.5)
    assert repository.night().status == 1


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
    assert done.status == 2 and [commit for commit, _ in done.failed] == [broken, other]
    assert repository.measured == [first, broken, other, broken, other, later]
    assert repository.night().status == 0


def test_each_new_commit_is_measured_once_oldest_first_and_clears_away(repository: Repository) -> None:
    repository.commit(9.0)
    first = repository.commit(1.0)
    repository.night()
    others = [repository.commit(1.01), repository.commit(1.02)]
    repository.night()
    done = repository.night()
    assert repository.measured == [first, *others]
    assert done.status == 0 and "0 new commits, 0 results" in done.text
    assert list((repository.folder.parent / "worktrees").iterdir()) == []
    assert len(repository.git("worktree", "list").splitlines()) == 1


@pytest.mark.parametrize("status", ["unavailable", "not_run", "error"])
def test_a_night_without_a_result_is_a_failure(repository: Repository, status: str) -> None:
    repository.commit(1.0)
    repository.night()
    commit = repository.commit(status)
    done = repository.night()
    assert done.status == 2 and f"NOT MEASURED {commit[:12]}" in done.text


def test_a_killed_night_goes_on_in_its_worktree(repository: Repository) -> None:
    repository.commit(1.0)
    repository.night()
    done, killed = repository.commit(1.01), repository.commit("killed")
    with pytest.raises(KeyboardInterrupt):
        repository.night()
    folder = repository.folder.parent / "worktrees" / killed[:12]
    (folder / "seconds").write_text("1.6")
    (folder / "left-behind").touch()
    assert json.loads((results() / MACHINE / "nightly.json").read_text())["last"] == done
    assert repository.night().status == 1
    assert set(repository.measured[-2:]) == {killed} and not folder.exists()


def test_what_looks_worse_is_measured_again_and_the_better_counts(repository: Repository) -> None:
    repository.commit(1.0)
    repository.night()
    commit = repository.commit("1.5 1.02")
    done = repository.night()
    assert done.status == 0 and repository.measured[-2:] == [commit, commit]
    assert done.changes[0].state.worse == {}


def test_what_fails_now_is_a_regression_and_another_input_is_none() -> None:
    base = learn(State(), "a" * 40, [made("a" * 40, 1.0)]).state
    failed = learn(base, "b" * 40, [made("b" * 40, None, Status.WRONG)])
    assert [found.factor for found in failed.new] == [None] and "wrong: made up" in failed.new[0].text
    assert learn(base, "b" * 40, [made("b" * 40, None, Status.NOT_RUN)]).new == ()
    moved = learn(base, "b" * 40, [made("b" * 40, 3.0, input_hash="2" * 64)])
    assert moved.new == () and moved.state.bases[CASE].median == 3.0


def test_a_creeping_loss_is_seen_and_only_a_clear_gain_moves_the_base() -> None:
    state = State()
    for number, seconds in enumerate((1.0, 1.1, 1.19)):
        change = learn(state, f"{number}" * 40, [made(f"{number}" * 40, seconds)])
        state = change.state
        assert change.new == () and state.bases[CASE].median == 1.0
    assert learn(state, "3" * 40, [made("3" * 40, 1.3)]).new[0].before == "0" * 40
    assert learn(state, "3" * 40, [made("3" * 40, 0.5)]).state.bases[CASE].median == 0.5


def test_what_nights_know_is_read_back_and_a_foreign_file_is_refused(tmp_path: Path) -> None:
    state = State("a" * 40, {CASE: Base("a" * 40, 1.0, 0.9, 1.1, "here")})
    state.save(tmp_path / "nightly.json")
    assert State.load(tmp_path / "nightly.json") == state
    (tmp_path / "nightly.json").write_text("[]")
    with pytest.raises(ConfigError, match=r"nightly\.json: not what a night wrote"):
        State.load(tmp_path / "nightly.json")


def test_the_default_branch_is_the_remotes(repository: Repository, tmp_path: Path) -> None:
    tip = repository.commit(1.0)
    subprocess.run(["git", "clone", "--quiet", str(repository.folder), str(tmp_path / "clone")], check=True)
    assert nightly.default_branch(tmp_path / "clone") == "origin/main"
    assert nightly.new_commits(tmp_path / "clone", "") == [tip]
    with pytest.raises(ConfigError, match="is not in origin/main"):
        nightly.new_commits(tmp_path / "clone", "0" * 40)


def test_environments_are_told_apart_by_their_locks(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("numpy==2.0")
    other.write_text("numpy==2.1")
    assert environment_key([one]) != environment_key([other]) != environment_key([one, other])
    assert environment_key([one]) == environment_key([one]) and os.sep not in environment_key([one])
