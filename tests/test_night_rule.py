"""The rule of a night, by simulation: few false alarms, and losses found at the noise that was promised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.runs.night_noise import FIRST, Floats, Noise
from benchmarks.runs.night_power import Draw, Setting, differences_of_records, drawn_from, normal, simulate
from benchmarks.runs.night_rule import LOOKS, MOST, RATE, Decided, decide, interval, p_values
from commands import main
from fillpath.case import Case
from tests.reports_fakes import made_record
from tests.thorough import daily

NIGHTS = daily([20, 100], 20)


def heavy_tails() -> Draw:
    """A mixture: one pair in ten scatters five times as much."""

    def draw(generator: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
        scales = np.where(generator.random(shape) < 0.1, 0.25, 0.05)
        return generator.normal(0.0, scales)

    return draw


# Below one false alarm in ten nights.
@pytest.mark.parametrize("nights", NIGHTS)
@pytest.mark.parametrize("past", [0, 60])
@pytest.mark.parametrize("draw", [normal(0.05), normal(0.10), heavy_tails()], ids=["5%", "10%", "tails"])
def test_unchanged_nights_are_quiet(draw: Draw, past: int, nights: int) -> None:
    assert simulate(Setting(draw, past), [0.0], nights)[0].false_alarms < 0.1


@pytest.mark.parametrize("nights", NIGHTS)
@pytest.mark.parametrize(("scatter", "loss"), [(0.05, 0.15), (0.10, 0.25)])
def test_one_slower_case_of_300_is_found(scatter: float, loss: float, nights: int) -> None:
    outcome = simulate(Setting(normal(scatter)), [loss], nights)[0]
    assert outcome.detected >= 0.95 and outcome.pairs < 6


def test_the_past_differs_by_case_and_a_noisier_night_is_not_taken_for_losses() -> None:
    generator = np.random.default_rng(0)
    alarms = 0
    for _ in range(20):
        scales = generator.choice([0.01, 0.05, 0.2], 300)[:, None]
        noise = Noise.of(generator.normal(0, scales, (300, 100)))
        tonight = generator.normal(0, 3 * scales, (300, MOST))
        noise, decided = noise.widened(tonight), Decided.nothing((300,))
        for count in range(FIRST, MOST + 1):
            decided = decide(tonight[:, :count], noise, decided)
        alarms += int(decided.alarms.sum())
    assert alarms <= 4


def test_a_case_that_is_noisy_tonight_is_judged_by_tonight() -> None:
    """After a quiet past neighbours halve what some processes get; of four cases there is no middle."""
    generator = np.random.default_rng(5)
    nights = 150
    noise = Noise.of(generator.normal(0, 0.03, (nights, 4, 40)))
    busy = generator.choice([-0.8, 0.0, 0.8], (nights, 4, MOST), p=[0.25, 0.5, 0.25])
    tonight = busy + generator.normal(0, 0.03, (nights, 4, MOST))
    # A quiet case becomes slower.
    tonight[:, 0] = np.log(1.25) + generator.normal(0, 0.03, (nights, MOST))
    decided = Decided.nothing((nights, 4))
    for count in range(FIRST, MOST + 1):
        decided = decide(tonight[..., :count], noise, decided)
    assert decided.alarms[:, 0].all() and decided.alarms[:, 1:].any(axis=1).mean() <= RATE


def test_p_values_of_unchanged_cases_are_no_smaller_than_chance() -> None:
    generator = np.random.default_rng(1)
    noise = Noise.of(generator.normal(0, 0.1, (20_000, 50)))
    for pairs in LOOKS:
        differences = generator.normal(0, 0.1, (20_000, pairs))
        chances = p_values(differences, replace(noise.learned(differences), median=np.zeros(20_000)))
        for level in (0.01, 0.1):
            assert (chances <= level).mean() <= 1.2 * level


@given(st.floats(-0.2, 0.2), st.integers(2, MOST))
def test_a_case_alarms_only_if_its_interval_leaves_out_its_threshold(mean: float, pairs: int) -> None:
    noise = Noise.of(np.random.default_rng(2).normal(0.02, 0.03, (1, 100)))
    differences = mean + np.random.default_rng(3).normal(0, 0.03, (1, pairs))
    decided = decide(differences, noise, Decided.nothing((1,)))
    low, high = interval(differences, noise.learned(differences), 1 - 2 * RATE)
    assert low < high and (not decided.alarms[0] or low[0] > noise.threshold[0])


def test_a_case_that_left_does_not_come_back() -> None:
    noise = Noise.of(np.zeros((3, 60)))
    left = Decided(np.array([False, True, False]), np.array([False, False, True]))
    decided = decide(np.full((3, 8), 0.3), noise, left)
    assert decided.alarms.tolist() == [False, True, True] and not decided.undecided.any()


def test_one_outlier_of_eight_is_no_alarm() -> None:
    noise = Noise.of(np.random.default_rng(4).normal(0, 0.03, (1, 200)))
    row = np.array([[0.0, 0.01, -0.01, 1.0, 0.0, 0.01, -0.01, 0.0]])
    decided = decide(row, noise, Decided.nothing((1,)))
    assert not decided.alarms[0]
    assert decide(row + 0.2, noise, Decided.nothing((1,))).alarms[0]


def test_the_spread_of_records_is_of_two_of_one_key() -> None:
    one = replace(made_record(Case.parse("symbolic.fill1@grid2d,8.metis"), 1), seconds=[1.0], run_id="a")
    two = replace(one, seconds=[1.1], run_id="b")
    other = replace(one, seconds=[9.0], key="f" * 64)
    assert differences_of_records([[one, other, two]]) == pytest.approx([np.log(1.1)])
    assert simulate(Setting(drawn_from([0.1]), cases=20), [0.0], 2)[0].false_alarms == 0


def test_the_command_prints_a_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["maintain", "power", "--nights", "1"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[2].startswith("| 5% between processes | 0 |") and len(rows) > 6
    assert {row.count("|") for row in rows} == {rows[0].count("|")}
