"""Steps in a history: planted ones are found, and none in noise; held against asv's own detection."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from asv.step_detect import detect_steps

from benchmarks.runs import asv_history
from benchmarks.runs.steps import _residuals, changes, steps
from fillpath.nouns import Array

NOISE = 0.05
SEED = 2026


def series(generator: np.random.Generator, length: int, *planted: tuple[int, float]) -> Array:
    """Seconds with normal noise in their logarithms. planted : (position, factor from there on)."""
    seconds = 0.1 * np.exp(generator.normal(0.0, NOISE, length))
    for position, factor in planted:
        seconds[position:] *= factor
    return seconds


def firsts(seconds: Array) -> list[int]:
    return [step.first for step in steps(list(seconds))]


def firsts_of_asv(seconds: Array) -> list[int]:
    return [left for left, *_ in detect_steps(list(seconds))[1:]]


@pytest.mark.parametrize("length", [10, 20, 40])
def test_noise_alone_has_a_step_in_one_series_of_twenty_at_most(length: int) -> None:
    generator = np.random.default_rng(SEED)
    drawn = [series(generator, length) for _ in range(150)]
    assert sum(bool(firsts(seconds)) for seconds in drawn) <= len(drawn) / 20, SEED


@pytest.mark.parametrize(("length", "factor"), [(10, 1.5), (20, 1.25), (40, 1.25)])
def test_a_planted_loss_is_found_at_its_commit_wherever_asvs_own_detection_finds_it(
    length: int, factor: float
) -> None:
    generator = np.random.default_rng(SEED)
    drawn = [series(generator, length, (length // 2, factor)) for _ in range(60)]
    near = {length // 2 - 1, length // 2, length // 2 + 1}
    ours = [bool(near & set(firsts(seconds))) for seconds in drawn]
    theirs = [bool(near & set(firsts_of_asv(seconds))) for seconds in drawn]
    assert sum(ours) >= 0.95 * len(drawn), SEED
    assert sum(a and not o for o, a in zip(ours, theirs, strict=True)) <= 1, SEED
    assert sum(firsts(seconds) == [length // 2] for seconds in drawn) >= 0.8 * len(drawn), SEED


def test_clear_steps_are_asvs_and_so_are_their_levels() -> None:
    generator = np.random.default_rng(SEED)
    seconds = series(generator, 60, (20, 1.6), (40, 0.5))
    assert firsts(seconds) == firsts_of_asv(seconds) == [20, 40]
    up, down = steps(list(seconds))
    assert up.factor == pytest.approx(1.6, rel=0.05) and down.factor == pytest.approx(0.5, rel=0.05)
    assert (up.last, up.after) == (19, down.before)


def test_residuals_are_those_of_every_beginning() -> None:
    for length in range(1, 12):
        values = np.random.default_rng([SEED, length]).normal(size=length)
        direct = [np.abs(part - np.median(part)).sum() for part in (values[: k + 1] for k in range(length))]
        assert _residuals(values.tolist()) == pytest.approx(direct)


def test_the_unit_of_the_clock_makes_no_difference() -> None:
    seconds = series(np.random.default_rng(SEED), 30, (15, 1.4))
    assert firsts(seconds) == firsts(1000 * seconds) == [15]


def test_a_commit_without_a_result_is_passed_over_and_named_by_none() -> None:
    seconds = [*[0.1] * 4, None, *[0.2] * 3, float("nan"), 0.2]
    (step,) = steps(seconds)
    assert (step.last, step.first) == (3, 5) and step.factor == pytest.approx(2.0)


@pytest.mark.parametrize("seconds", [[], [0.1], [None, None], [0.1, 0.2], [0.1, 0.1, 0.3]])
def test_one_slow_commit_is_no_level_yet(seconds: list[float | None]) -> None:
    assert steps(seconds) == ()


def test_a_lone_outlier_is_no_step() -> None:
    seconds = series(np.random.default_rng(SEED), 20)
    seconds[11] *= 5
    assert firsts(seconds) == []


def test_every_change_of_what_needs_no_clock_is_a_step() -> None:
    (up, down) = changes([7, 7, None, 8, 7])
    assert (up.last, up.first, up.before, up.after) == (1, 3, 7, 8)
    assert (down.last, down.first, down.after) == (3, 4, 7)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_commit_of_a_planted_loss_is_named_once(tmp_path: Path) -> None:
    commits = [commit(tmp_path, number) for number in range(10)]
    generator = np.random.default_rng(SEED)
    slow, steady = series(generator, 10, (6, 1.5)), series(generator, 10)
    folder = tmp_path / "results" / "asv" / "m"
    folder.mkdir(parents=True)
    (folder / "machine.json").write_text("{}")
    for number, name in enumerate(commits):
        rows = {
            "levels.Levels.track_seconds": [[slow[number], steady[number]], [["'slow'", "'steady'"]], "1"],
            "levels.Levels.track_edges": [[1000 if number < 3 else 1200], [["'slow'"]], "1"],
            "levels.Levels.track_fills": [None, [["'slow'"]], "1"],
        }
        data = {"commit_hash": name, "params": {"gpu": "none"}, "results": rows}
        (folder / f"{name[:8]}.json").write_text(json.dumps(data))
    edges, seconds = (change.text for change in asv_history.commit_changes(folder, tmp_path, commits))
    assert edges == f"{commits[3][:12]} (after {commits[2][:12]}): edges of slow 1.2 times, 1000 to 1200"
    assert seconds.startswith(f"{commits[6][:12]} (after {commits[5][:12]}): seconds of slow 1.")
    # One commit of a level is none yet; a step that was known before is not told again.
    new = {k: asv_history.commit_changes(folder, tmp_path, commits[k:]) for k in (7, 8)}
    assert [change.first for change in new[7]] == [commits[6]] and new[8] == []
    # What changed with the hardware is no commit's doing.
    for name in commits[6:]:
        path = folder / f"{name[:8]}.json"
        path.write_text(path.read_text().replace('"none"', '"NVIDIA H200"'))
    (only,) = asv_history.commit_changes(folder, tmp_path, commits)
    assert only.history.quantity == "edges" and only.first == commits[3]
    # Of a history that has not these commits nothing is said.
    other = tmp_path / "other"
    other.mkdir()
    assert asv_history.commit_changes(folder, other, [commit(other, 0)]) == []


def commit(folder: Path, number: int) -> str:
    """Make a commit, and the repository before the first; all within a second, as a script would."""
    environment = {**os.environ, "HOME": str(folder)}
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]

    def git(*arguments: str) -> str:
        command = ["git", *identity, *arguments]
        return subprocess.run(
            command, cwd=folder, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    if not (folder / ".git").exists():
        git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", str(number))
    return git("rev-parse", "HEAD")
