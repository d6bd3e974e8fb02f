"""Verdicts: direction and magnitude apart, firm only on the paper's own matrices with enough work, never
averaged over machines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from reports.facts.claims import Claim, claim
from reports.facts.comparison import direction, magnitude, outcome
from reports.facts.standings import Direction, Magnitude, Outcome, Verdict
from reports.facts.verdicts import LEAST_EDGES, judge

FOUND = claim("gsofa", "fig14_maxid_ranges", "mean")
RANGE = claim("ooclu", "fig8_binary_search", "range")
EACH = claim("glu3", "table1_kernel_time", "each")
COUNT = claim("parac", "table2_cpu", "below_ichol")


def row(
    value: float | None,
    machine: str = "m",
    abbr: str | None = "BB",
    edges: float = LEAST_EDGES,
    around: float = 0.0,
) -> dict[str, object]:
    number = np.nan if value is None else value
    return {
        "value": number, "value_low": number - around, "value_high": number + around, "machine": machine,
        "abbr": abbr, "stand_in_for": None, "edges": edges,
        "status": "ok" if value is not None else "timeout",
        "label": f"{abbr or 'a stand-in'} of {value}",
    }  # fmt: skip


def only(rows: list[dict[str, object]], found: Claim = FOUND, **how: bool) -> Verdict:
    (verdict,) = judge(pd.DataFrame(rows), found, "value", **how)
    return verdict


@pytest.mark.parametrize(
    ("low", "high", "printed", "neutral", "said"),
    [
        (1.1, 1.2, 1.14, 1.0, Direction.AS_PRINTED),
        (0.99, 1.2, 1.14, 1.0, Direction.UNRESOLVED),
        (0.9, 1.0, 1.14, 1.0, Direction.OPPOSITE),
        (1.0, 1.004, 1.14, 1.0, Direction.OPPOSITE),
        (0.3, 0.4, 0.5, 1.0, Direction.AS_PRINTED),
        (1.3, 1.4, 0.5, 1.0, Direction.OPPOSITE),
        (-3.0, -1.0, -4.6, 0.0, Direction.AS_PRINTED),
        (1.0, 2.0, 0.4, None, Direction.NONE),
        (1.0, 2.0, 1.0, 1.0, Direction.NONE),
    ],
)
def test_a_direction_is_the_side_of_no_effect_on_which_the_whole_interval_lies(
    low: float, high: float, printed: float, neutral: float | None, said: Direction
) -> None:
    assert direction(low, high, printed, neutral) is said


@pytest.mark.parametrize(
    ("value", "printed", "neutral", "tolerance", "said"),
    [
        (1.11, 1.14, 1.0, 0.25, Magnitude.AS_PRINTED),
        (1.10, 1.14, 1.0, 0.25, Magnitude.SMALLER),
        (1.18, 1.14, 1.0, 0.25, Magnitude.LARGER),
        (0.40, 0.43, None, 0.1, Magnitude.AS_PRINTED),
        (0.30, 0.43, None, 0.1, Magnitude.SMALLER),
        (12.0, 12.0, None, 0.0, Magnitude.AS_PRINTED),
        (13.0, 12.0, None, 0.0, Magnitude.LARGER),
        (-5.0, -4.6, 0.0, 0.25, Magnitude.AS_PRINTED),
    ],
)
def test_a_tolerance_is_of_the_printed_effect(
    value: float, printed: float, neutral: float | None, tolerance: float, said: Magnitude
) -> None:
    assert magnitude(value, printed, neutral, tolerance) is said


@pytest.mark.parametrize(
    ("towards", "size", "said"),
    [
        (Direction.AS_PRINTED, Magnitude.AS_PRINTED, Outcome.REPRODUCED),
        (Direction.NONE, Magnitude.AS_PRINTED, Outcome.REPRODUCED),
        (Direction.UNRESOLVED, Magnitude.AS_PRINTED, Outcome.DEVIATES),
        (Direction.AS_PRINTED, Magnitude.LARGER, Outcome.DEVIATES),
        (Direction.OPPOSITE, Magnitude.SMALLER, Outcome.CONTRADICTED),
    ],
)
def test_the_outcome_follows_from_direction_and_magnitude(
    towards: Direction, size: Magnitude, said: Outcome
) -> None:
    assert outcome(towards, size) is said


def test_the_papers_own_and_stand_ins_are_judged_apart() -> None:
    rows = [row(1.17), row(1.11), row(0.5, abbr=None), row(0.7, edges=LEAST_EDGES - 1), row(None)]
    indicative, firm = sorted(judge(pd.DataFrame(rows), FOUND, "value"), key=lambda v: v.firm)
    assert firm.outcome is Outcome.REPRODUCED and firm.scope == "on the paper's own matrices"
    assert firm.numbers == "mean 1.14x (1.11x BB of 1.11 to 1.17x BB of 1.17) of 2, printed mean 1.14x"
    assert [(left.label, left.reason) for left in firm.excluded] == [("BB of None", "timeout")]
    assert indicative.outcome is Outcome.CONTRADICTED and indicative.scope == "indicative (stand-in)"
    assert indicative.measured is not None and indicative.measured.value == pytest.approx(0.6)


def test_machines_are_judged_apart() -> None:
    found = judge(pd.DataFrame([row(1.14, "a"), row(1.0, "b")]), FOUND, "value")
    assert [(v.machine, str(v.outcome)) for v in found] == [("a", "reproduced"), ("b", "contradicted")]
    assert len({verdict.key for verdict in found}) == 2


def test_without_a_number_nothing_is_judged() -> None:
    verdict = only([row(None)])
    assert verdict.text == "not run: printed mean 1.14x"
    assert verdict.key == f"verdict gsofa.fig14_maxid_ranges.mean ({FOUND.metric})"
    assert judge(pd.DataFrame([row(None)]), FOUND, "value", beside=True) == []


def test_the_interval_of_a_mean_is_what_the_intervals_of_its_points_allow() -> None:
    verdict = only([row(1.1, around=0.02), row(1.3, around=0.1)])
    assert verdict.measured is not None
    assert (verdict.measured.low, verdict.measured.high) == pytest.approx((1.14, 1.26))


def test_a_range_is_held_against_its_ends_and_not_a_mean_against_the_least() -> None:
    """A mean above the least printed number says nothing: 20x is outside 2.88x to 3.33x, and so is 1.2x."""
    verdict = only([row(v, abbr="delaunay_n24") for v in (1.2, 3.0, 20.0)], RANGE)
    assert verdict.outcome is Outcome.DEVIATES and verdict.magnitude is Magnitude.LARGER
    assert verdict.factor == pytest.approx(20 / 3.33) and verdict.numbers.endswith("1 of 3 within it")
    inside = only([row(v, abbr="delaunay_n24") for v in (2.9, 3.3)], RANGE)
    assert inside.outcome is Outcome.REPRODUCED and inside.factor == 1
    split = only([row(v, abbr="delaunay_n24") for v in (0.5, 3.0)], RANGE)
    assert split.direction is Direction.UNRESOLVED and split.outcome is Outcome.DEVIATES
    assert only([row(v, abbr="delaunay_n24") for v in (0.5, 0.9)], RANGE).outcome is Outcome.CONTRADICTED


def test_of_all_its_matrices_a_range_has_to_reach_the_printed_ends() -> None:
    wide = replace(RANGE, span=(1.1, 30.0), matrices=("a", "b"))
    part = only([row(2.0, abbr="a")], wide)
    whole = only([row(2.0, abbr="a"), row(3.0, abbr="b")], wide)
    assert part.outcome is Outcome.REPRODUCED and whole.outcome is Outcome.DEVIATES
    assert whole.factor == pytest.approx(3 / 30) and whole.magnitude is Magnitude.SMALLER


def test_a_part_of_the_matrices_is_held_against_that_part_of_the_print() -> None:
    verdict = only([row(9.0, abbr="onetone2"), row(2.0, abbr="circuit_2")], EACH)
    assert verdict.measured is not None and verdict.measured.printed == pytest.approx((9.0 + 2.0) / 2)
    assert verdict.measured.of == 15 and verdict.outcome is Outcome.REPRODUCED
    off = only([row(9.0, abbr="onetone2"), row(20.0, abbr="circuit_2")], EACH)
    assert off.outcome is Outcome.DEVIATES and off.numbers.startswith("1 of 2 within 25% of the print")
    assert off.factor == pytest.approx((1 * 10) ** 0.5)


def test_matrix_by_matrix_every_direction_counts_and_no_mean_hides_one() -> None:
    split = only([row(30.0, abbr="onetone2"), row(0.5, abbr="circuit_2")], EACH)
    assert split.direction is Direction.UNRESOLVED and "1 of 2 in the printed direction" in split.numbers
    against = only([row(0.9, abbr="onetone2"), row(0.5, abbr="circuit_2")], EACH)
    assert against.outcome is Outcome.CONTRADICTED
    # Printed on either side of no effect, and measured so: as printed, both.
    hypre = claim("parac", "table2_cpu", "over_hypre")
    printed = {name: hypre.by_matrix[name] for name in ("parabolic_fem", "com-LiveJournal")}
    assert printed["parabolic_fem"] < 1 < printed["com-LiveJournal"]
    same = [row(value, abbr=name) for name, value in printed.items()]
    assert only(same, hypre).outcome is Outcome.REPRODUCED


def test_of_exact_numbers_those_that_differ_are_told() -> None:
    order = claim("gsofa", "table1_matrices", "order")
    told = only([row(38744.0, edges=0), row(7.0, abbr="BC", edges=0)], order, by_edges=False).numbers
    assert told == "1 of 2 equal the print; BC of 7.0 7, printed 11,948"


def test_a_count_is_held_against_its_share_and_tells_what_the_intervals_leave_open() -> None:
    names = ("ecology1", "ecology2", "apache2", "GAP-road")
    most = [row(v, abbr=name) for v, name in zip((2.0, 3.0, 4.0, 5.0), names, strict=True)]
    assert only(most, COUNT).numbers == "4 of 4, printed 14 of 15"
    assert only(most, COUNT).outcome is Outcome.REPRODUCED
    few = [row(v, abbr=name, around=0.2) for v, name in zip((0.9, 0.5, 0.4, 1.5), names, strict=True)]
    verdict = only(few, COUNT)
    assert verdict.numbers == "1 of 4 (1 to 2 by the intervals), printed 14 of 15"
    assert verdict.outcome is Outcome.CONTRADICTED


def test_the_very_number_of_a_matrix_is_never_asked_of_a_stand_in() -> None:
    order = claim("gsofa", "table1_matrices", "order")
    rows = [row(38744.0, edges=0), row(7.0, abbr=None)]
    verdict = only(rows, order, by_edges=False)
    assert verdict.outcome is Outcome.REPRODUCED and verdict.measured is not None and verdict.measured.n == 1


def test_a_claim_of_one_matrix_is_told_by_that_matrix_and_its_stand_ins_alone() -> None:
    largest = claim("gsofa", "fig14_maxid_ranges", "largest")
    assert largest.matrices == ("LH",)
    rows = [row(9.0), row(1.5, abbr="LH"), {**row(1.4, abbr=None), "stand_in_for": "AU, LH"}]
    indicative, firm = judge(pd.DataFrame(rows), largest, "value")
    assert firm.firm and firm.measured is not None and firm.measured.value == 1.5
    assert not indicative.firm and indicative.measured is not None and indicative.measured.value == 1.4
