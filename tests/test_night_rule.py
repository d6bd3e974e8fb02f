"""The rule of a night, by simulation: few false alarms, and losses found at the noise that was promised."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from benchmarks.runs.night_rule import FEWEST, FIRST, FRESH, MOST, RATE, Floats, is_undecided, judge, p_values
from fillpath.paths import ROOT
from tests.thorough import daily

NIGHTS = daily([40, 400], 40)
CASES = 300
# Differences of cases and rounds.
Draw = Callable[[np.random.Generator], Floats]


def normal(scatter: float) -> Draw:
    """Draw pairs of processes whose log seconds have that standard deviation."""
    return lambda generator: generator.normal(0.0, scatter * np.sqrt(2.0), (CASES, MOST + FRESH))


def heavy_tails(generator: np.random.Generator) -> Floats:
    """Draw a mixture: one round in ten scatters five times as much."""
    return generator.normal(0.0, np.where(generator.random((CASES, MOST + FRESH)) < 0.1, 0.25, 0.05))


def cases_differ(generator: np.random.Generator) -> Floats:
    """Draw cases between a steady kernel's noise and a busy core's."""
    return generator.normal(0.0, generator.choice([0.003, 0.02, 0.2], (CASES, 1)), (CASES, MOST + FRESH))


def worktrees_differ(generator: np.random.Generator) -> Floats:
    """Draw cases that all rounds of a night shift by 0.7 % either way."""
    return generator.normal(0.0, 0.004, (CASES, MOST + FRESH)) + generator.normal(0.0, 0.007, (CASES, 1))


@dataclass(frozen=True)
class Outcome:
    """Many simulated nights.

    false_alarms : int, nights with an alarm of an unchanged case
    found : float, share of nights in which the slowed case alarmed
    rounds : float, per case
    """

    false_alarms: int
    found: float
    rounds: float


def simulate(draw: Draw, nights: int, loss: float = 0.0) -> Outcome:
    """Simulate nights in which the first case becomes slower by the loss."""
    generator = np.random.default_rng(2026)
    differences = np.array([draw(generator) for _ in range(nights)])
    differences[:, 0] += np.log1p(loss)
    counts = np.full((nights, CASES), FIRST)
    for count in range(FIRST, MOST):
        left = np.nonzero(counts == count)
        counts[left] += is_undecided(differences[left][:, :count])
    alarms = []
    for rows, taken in zip(differences, counts, strict=True):
        verdicts = judge({str(case): rows[case, : taken[case]] for case in range(CASES)})
        fresh = {case: rows[int(case), MOST:] for case, each in verdicts.items() if each.is_slower}
        verdicts |= judge(fresh)
        alarms.append([verdict.is_slower for verdict in verdicts.values()])
    unchanged = np.array(alarms)[:, int(loss > 0) :]
    return Outcome(int(unchanged.any(axis=1).sum()), float(np.mean(alarms, axis=0)[0]), float(counts.mean()))


@pytest.mark.parametrize("nights", NIGHTS)
@pytest.mark.parametrize(
    "draw",
    [normal(0.05), normal(0.10), heavy_tails, cases_differ],
    ids=["5%", "10%", "tails", "cases differ"],
)
def test_a_night_without_a_change_alarms_once_in_a_hundred_at_most(draw: Draw, nights: int) -> None:
    outcome = simulate(draw, nights)
    assert outcome.false_alarms <= binom.ppf(0.999, nights, 0.01) and outcome.rounds < 6


@pytest.mark.parametrize("nights", NIGHTS)
def test_what_only_another_worktree_changes_is_no_alarm(nights: int) -> None:
    outcome = simulate(worktrees_differ, nights)
    assert outcome.false_alarms <= binom.ppf(0.999, nights, 0.01) and outcome.rounds < 3.1


@pytest.mark.parametrize("nights", NIGHTS)
@pytest.mark.parametrize(
    ("draw", "loss", "share"),
    [(normal(0.05), 0.15, 0.98), (normal(0.10), 0.25, 0.9), (heavy_tails, 0.25, 0.9)],
    ids=["5%", "10%", "tails"],
)
def test_one_slower_case_of_300_is_found(draw: Draw, loss: float, share: float, nights: int) -> None:
    assert simulate(draw, nights, loss).found >= share


def test_a_busy_machine_hides_no_quiet_case_and_makes_no_alarm() -> None:
    """Neighbours halve what some processes get, of three cases; a quiet fourth becomes slower."""
    generator = np.random.default_rng(5)
    alarms = []
    for _ in range(100):
        busy = generator.choice([-0.8, 0.0, 0.8], (4, MOST), p=[0.25, 0.5, 0.25])
        tonight = busy + generator.normal(0, 0.03, (4, MOST))
        tonight[0] = np.log(1.25) + generator.normal(0, 0.03, MOST)
        verdicts = judge(dict(zip("abcd", tonight, strict=True)))
        alarms.append([verdict.is_slower for verdict in verdicts.values()])
    found, *others = np.array(alarms).T
    assert found.all() and np.any(others, axis=0).sum() <= binom.ppf(0.999, 100, RATE)


@pytest.mark.parametrize("rounds", [FIRST, FEWEST, MOST])
def test_p_values_of_unchanged_cases_are_no_smaller_than_chance(rounds: int) -> None:
    chances = p_values(np.random.default_rng(1).normal(0, 0.1, (20_000, rounds)))
    for level in (0.01, 0.1):
        assert (chances <= level).mean() <= 1.2 * level


@given(st.floats(-0.2, 0.3), st.integers(2, MOST))
def test_a_case_alarms_only_if_its_interval_lies_above_1(mean: float, rounds: int) -> None:
    row = mean + np.random.default_rng(3).normal(0, 0.05, rounds)
    case = judge({"case": row, "another": [0.0, 0.1, -0.1]})["case"]
    low, high = case.interval
    assert low < case.factor < high and (not case.is_slower or low > 1)


@pytest.mark.parametrize(
    ("row", "is_slower"),
    [
        pytest.param([0.2, 0.21, 0.19, 0.22, 0.18, 0.2, 0.21, 0.19], True, id="clear"),
        pytest.param([0.2, 0.21, 0.19, 0.22, 0.18, 0.2, 0.21], False, id="too few rounds"),
        pytest.param([0.02, 0.021, 0.019, 0.022, 0.018, 0.02, 0.021, 0.019], False, id="too small"),
        pytest.param([0.04, 0.041, 0.039, 0.042, 0.038, 0.04, 0.041, 0.039], True, id="small"),
        pytest.param([0.0, 0.01, -0.01, 1.0, 0.0, 0.01, -0.01, 0.0], False, id="one outlier"),
        pytest.param([0.2, 0.21, 0.19, 1.2, 0.2, 0.21, 0.19, 0.2], True, id="clear with an outlier"),
        pytest.param([-0.2, -0.21, -0.19, -0.22, -0.18, -0.2, -0.21, -0.19], False, id="faster"),
    ],
)
def test_a_case_alone_is_judged_by_size_scatter_and_number(row: list[float], is_slower: bool) -> None:
    judgement = judge({"case": row})["case"]
    assert judgement.is_slower == is_slower
    assert judge({"case": [-each for each in row]})["case"].is_faster == is_slower
    assert (p_values(-np.array(row)) < 0.01) == (row[0] < 0)


def test_the_more_cases_a_night_has_the_more_a_single_one_has_to_show() -> None:
    row = np.array([0.1, -0.02, 0.12, 0.05, 0.0, 0.1, -0.01, 0.08])
    noise = np.random.default_rng(0).normal(0, 0.1, (300, FEWEST))
    assert judge({"case": row})["case"].is_slower
    assert not judge({"case": row, **{str(k): each for k, each in enumerate(noise)}})["case"].is_slower
    assert judge({}) == {}


def test_the_nights_that_were_measured_alarm_as_their_notes_say() -> None:
    nights = pd.read_csv(ROOT / "docs" / "notes" / "nights.csv")
    alarms = []
    for (machine, rule, night), cases in nights.groupby(["machine", "rule", "night"]):
        rows = {
            name: np.array(row.split(), float) for name, row in cases.set_index("case").differences.items()
        }
        slower = [case.partition(".")[0] for case, verdict in judge(rows).items() if verdict.is_slower]
        alarms += [(machine, rule, night, name) for name in slower]
    assert alarms == [
        ("h100", "at once", 5, "gsofa"),
        ("h100", "at once", 5, "gsofa"),
        ("vm", "at once", 2, "fill1_pruned"),
        ("vm", "at once", 11, "fill1_supernodal"),
        ("vm", "at once", 11, "etree_cpu"),
        ("vm", "confirmed", 6, "fill1_supernodal"),
        ("vm", "confirmed", 6, "fill1_supernodal"),
    ]
