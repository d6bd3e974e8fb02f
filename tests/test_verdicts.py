"""The rules of judging, each with planted numbers that break it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fillpath.twins import twins
from reports.facts.claim import Claim, Kind
from reports.facts.claims import claim, claims, find_claim
from reports.facts.comparison import outcome
from reports.facts.distance import Distance, Features
from reports.facts.intervals import ClaimPart, Place, band, direction, share_interval
from reports.facts.rows import ClaimColumn
from reports.facts.standings import Direction, Magnitude, Outcome, Scope, Verdict
from reports.facts.trend import trend
from reports.facts.verdicts import judge, judge_pairs

# Of five matrices, three of which are more than half.
MEAN = replace(claim("gsofa", "fig14_maxid_ranges", "mean"), matrices=("BB", "BC", "EP", "RM", "LH"))
RANGE = claim("ooclu", "fig8_binary_search", "range")
EACH = claim("glu3", "table1_kernel_time", "each")
GEOMETRIC = claim("glu3", "table1_kernel_time", "geometric")
COUNT = claim("parac", "table2_cpu", "below_ichol")
ORDER = claim("gsofa", "table1_matrices", "order")
LARGEST = claim("gsofa", "fig14_maxid_ranges", "largest")
VALUE = ClaimColumn("value")
# Of GSoFA's list.
THREE = ("BB", "BC", "EP")


def row(
    value: float | None, abbr: str | None = "BB", *, machine: str = "m", around: float = 0.0, near: str = "",
    processes: int = 5,
) -> dict[str, object]:  # fmt: skip
    number = np.nan if value is None else value
    return {
        "value": number, "value_low": number - around, "value_high": number + around, "machine": machine,
        "abbr": abbr, "near": near or None, "distance": "LH: n 0.001x, nnz/n 1x, circuit",
        "status": "ok" if value is not None else "timeout", "value_processes": processes,
        "label": f"{abbr or 'a stand-in'} of {value}",
    }  # fmt: skip


def verdicts(
    rows: Sequence[dict[str, object]], claim: Claim = MEAN, column: ClaimColumn = VALUE
) -> list[Verdict]:
    return judge(pd.DataFrame(rows), claim, column)


def only(rows: Sequence[dict[str, object]], claim: Claim = MEAN, column: ClaimColumn = VALUE) -> Verdict:
    (verdict,) = (v for v in verdicts(rows, claim, column) if v.outcome is not Outcome.BESIDE)
    return verdict


def of_three(*values: float, around: float = 0.0, processes: int = 5) -> list[dict[str, object]]:
    pairs = zip(values, THREE, strict=True)
    return [row(value, abbr, around=around, processes=processes) for value, abbr in pairs]


@pytest.mark.parametrize(
    ("low", "high", "printed", "neutral", "expected"),
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
        (1.0, 1.0, 1.004, 1.0, Direction.NONE),
    ],
)
def test_a_direction_is_the_side_of_no_effect_on_which_the_whole_interval_lies(
    low: float, high: float, printed: float, neutral: float | None, expected: Direction
) -> None:
    assert direction(low, high, printed, neutral) is expected


@pytest.mark.parametrize(
    ("low", "high", "printed", "neutral", "tolerance", "expected"),
    [
        (1.11, 1.17, 1.14, 1.0, 0.25, Place.WITHIN),
        (1.10, 1.10, 1.14, 1.0, 0.25, Place.BELOW),
        (1.18, 1.19, 1.14, 1.0, 0.25, Place.ABOVE),
        (1.12, 1.18, 1.14, 1.0, 0.25, Place.ACROSS),
        (1.0, 2.0, 1.14, 1.0, 0.25, Place.ACROSS),
        (0.40, 0.40, 0.43, None, 0.1, Place.WITHIN),
        (12.0, 12.0, 12.0, None, 0.0, Place.WITHIN),
        (13.0, 13.0, 12.0, None, 0.0, Place.ABOVE),
        (-5.0, -5.0, -4.6, 0.0, 0.25, Place.WITHIN),
        (99.0, 99.0, 1.0, 0.0, None, Place.WITHIN),
    ],
)
def test_a_band_is_a_share_of_the_printed_effect_and_the_whole_interval_has_to_lie_in_it(
    low: float, high: float, printed: float, neutral: float | None, tolerance: float | None, expected: Place
) -> None:
    assert ClaimPart(low, low, high, band(printed, neutral, tolerance), printed).place is expected


@given(
    st.floats(0.1, 100), st.floats(0, 50), st.floats(0, 50), st.floats(0.1, 100), st.floats(0.01, 1)
)  # fmt: skip
def test_an_interval_lies_in_exactly_one_place_and_none_that_leaves_its_band_is_reproduced(
    value: float, below: float, above: float, printed: float, tolerance: float
) -> None:
    limits = band(printed, None, tolerance)
    assert limits is not None
    part = ClaimPart(value, value - below, value + above, limits, None)
    leaves = value - below < limits[0] * (1 - 1e-6) or value + above > limits[1] * (1 + 1e-6)
    judged = outcome([part], [Direction.NONE])
    assert not (leaves and judged is Outcome.REPRODUCED)
    apart = value + above < limits[0] * (1 - 1e-6) or value - below > limits[1] * (1 + 1e-6)
    assert not apart or judged is Outcome.DEVIATES


def test_an_interval_across_the_bands_edge_is_inconclusive() -> None:
    """1.14x printed, the band from 1.105 to 1.175."""
    across = only(of_three(1.14, 1.14, 1.14, around=0.05))
    assert across.outcome is Outcome.INCONCLUSIVE and across.magnitude is Magnitude.OPEN
    assert across.label.startswith("inconclusive on 3 of 5") and "size open" in across.label
    within = only(of_three(1.14, 1.14, 1.14, around=0.02))
    assert within.outcome is Outcome.REPRODUCED and within.word == "reproduced on 3 of 5"
    assert only(of_three(1.3, 1.3, 1.3, around=0.05)).outcome is Outcome.DEVIATES
    assert only(of_three(0.9, 0.9, 0.9, around=0.05)).outcome is Outcome.CONTRADICTED


def test_fewer_than_three_matrices_make_no_aggregate() -> None:
    for values in ((1.14,), (1.14, 1.14), (0.5, 0.5)):
        rows = [row(value, abbr) for value, abbr in zip(values, THREE, strict=False)]
        verdict = only(rows)
        assert verdict.outcome is Outcome.INCONCLUSIVE and "of the 3 matrices" in verdict.why
    whole = replace(MEAN, matrices=("BB",))
    assert only([row(1.14)], whole).outcome is Outcome.REPRODUCED, "it is all that the claim is about"


def test_no_mean_is_carried_by_one_matrix() -> None:
    """GLU's Table II as measured once: 3.3, 2.1, 139 and 3198 times, whose arithmetic mean is the printed
    one's neighbour, and whose geometric mean is a twelfth of the print."""
    table2 = find_claim("glu3.table2_levelization.geometric")
    names = ("rajat12", "circuit_2", "memplus", "onetone2")
    ratios = (3.33, 2.08, 139.0, 3198.0)
    printed = np.mean([table2.by_matrix[name] for name in names])
    assert np.mean(ratios) == pytest.approx(printed, rel=0.25), "the accident that this is about"
    verdict = only([row(v, name) for v, name in zip(ratios, names, strict=True)], table2)
    assert verdict.outcome is Outcome.DEVIATES and verdict.factor == pytest.approx(0.08, abs=0.01)
    assert "arithmetic mean 835.6x, printed 1,080x" in verdict.numbers, (
        "it stands beside the print and decides nothing"
    )


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.inf, -np.inf])
def test_what_is_no_ratio_is_in_no_mean(wrong: float) -> None:
    """A mean of 0, 1.71 and 1.71 is 1.14, and none of ratios."""
    verdict = only([*of_three(1.14, 1.14, 1.14), row(wrong, "RM")])
    assert verdict.measured is not None and verdict.measured.n == 3 and verdict.outcome is Outcome.REPRODUCED
    assert [(left.label, left.reason) for left in verdict.excluded] == [(f"RM of {wrong}", "no number")]
    accident = only([row(wrong, "BB"), row(1.71, "BC"), row(1.71, "EP")])
    assert accident.outcome is Outcome.INCONCLUSIVE


def test_a_mean_of_less_than_half_of_the_matrices_is_not_held_against_that_of_all() -> None:
    whole = claim("gsofa", "fig14_maxid_ranges", "mean")
    three = only(of_three(1.14, 1.14, 1.14), whole)
    assert three.outcome is Outcome.INCONCLUSIVE and three.why.startswith("3 of the 7 matrices")
    seven = [row(1.14, abbr) for abbr in (whole.matrices or ())[:7]]
    assert only(seven, whole).outcome is Outcome.REPRODUCED


def test_a_time_without_an_interval_is_never_firm() -> None:
    rows = [{k: v for k, v in each.items() if k != "value_high"} for each in of_three(1.14, 1.14, 1.14)]
    verdict = only(rows)
    assert not verdict.firm and verdict.doubt == "no interval is known"


def test_stand_ins_for_one_matrix_are_one_matrix() -> None:
    rows = [row(1.14, None, near="LH") for _ in range(6)]
    assert only(rows).outcome is Outcome.INCONCLUSIVE and only(rows).coverage == "on stand-ins for 1 of 5"


def test_a_print_next_to_no_effect_has_no_side_and_no_band_of_nothing() -> None:
    printed = replace(LARGEST, value=1.01)
    assert only([row(1.003, "LH", around=0.001)], printed).outcome is Outcome.REPRODUCED
    assert only([row(1.2, "LH", around=0.001)], printed).outcome is Outcome.DEVIATES


def test_no_claim_judges_an_arithmetic_mean_of_ratios() -> None:
    for one in claims().values():
        assert one.aggregate != "mean" or one.unit != "x", one.id


def test_matrix_by_matrix_each_has_its_own_band_and_coverage_is_part_of_the_word() -> None:
    verdict = only([row(9.0, "onetone2"), row(2.0, "circuit_2")], EACH)
    assert verdict.word == "reproduced on 2 of 15"
    off = only([row(9.0, "onetone2"), row(20.0, "circuit_2")], EACH)
    assert off.outcome is Outcome.DEVIATES and off.numbers.startswith("1 of 2 within 25% of the print")
    assert off.factor == pytest.approx((1 * 10) ** 0.5)
    open_ = only([row(9.0, "onetone2"), row(2.0, "circuit_2", around=0.5)], EACH)
    assert open_.outcome is Outcome.INCONCLUSIVE and "1 across its edge" in open_.numbers


def test_matrix_by_matrix_every_direction_counts_and_no_mean_hides_one() -> None:
    split = only([row(30.0, "onetone2"), row(0.5, "circuit_2")], EACH)
    assert split.direction is Direction.UNRESOLVED and split.outcome is Outcome.DEVIATES
    assert "1 of 2 in the printed direction" in split.numbers
    assert only([row(0.9, "onetone2"), row(0.5, "circuit_2")], EACH).outcome is Outcome.CONTRADICTED
    # Printed on either side of no effect, and measured so: as printed, both.
    hypre = claim("parac", "table2_cpu", "over_hypre")
    printed = {name: hypre.by_matrix[name] for name in ("parabolic_fem", "com-LiveJournal")}
    assert printed["parabolic_fem"] < 1 < printed["com-LiveJournal"]
    assert only([row(value, name) for name, value in printed.items()], hypre).outcome is Outcome.REPRODUCED


def test_a_part_of_the_matrices_is_held_against_that_part_of_the_print() -> None:
    names = ("onetone2", "circuit_2", "rajat12")
    printed = [GEOMETRIC.by_matrix[name] for name in names]
    verdict = only([row(v, name) for v, name in zip(printed, names, strict=True)], GEOMETRIC)
    assert verdict.measured is not None and verdict.measured.printed == pytest.approx(
        np.prod(printed) ** (1 / 3)
    )
    assert verdict.outcome is Outcome.REPRODUCED and "of the same" in verdict.numbers


def test_the_papers_matrices_and_stand_ins_are_judged_apart_and_never_merged() -> None:
    near = [row(value, None, near=name) for value, name in ((0.5, "RM, LH"), (0.6, "LH"), (0.7, "EP"))]
    found = verdicts([*of_three(1.17, 1.11, 1.14), *near, row(None, "RM")])
    assert [v.scope for v in found] == [Scope.PAPER, Scope.STAND_INS]
    paper, instead = found
    assert paper.outcome is Outcome.REPRODUCED and paper.firm and paper.word == "reproduced on 3 of 5"
    assert [(left.label, left.reason) for left in paper.excluded] == [("RM of None", "timeout")]
    assert instead.outcome is Outcome.CONTRADICTED and not instead.firm
    assert instead.word == "contradicted on stand-ins for 3 of 5 (indicative)"
    assert instead.measured is not None and instead.measured.value == pytest.approx(
        np.prod([0.5, 0.6, 0.7]) ** (1 / 3)
    )


def test_a_stand_in_too_far_weighs_nothing_and_stands_beside_with_its_distance() -> None:
    found = verdicts([row(1.14, None), row(1.14, None), row(1.14, None)])
    judged, beside = found
    assert judged.outcome is Outcome.NOT_RUN and judged.measured is None
    assert judged.excluded[0].reason == "too far to stand in"
    assert judged.excluded[0].label == "a stand-in of 1.14 (LH: n 0.001x, nnz/n 1x, circuit)"
    assert beside.outcome is Outcome.BESIDE and "1.14x" in beside.numbers and beside.claim == MEAN.id
    mixed = verdicts([*(row(1.14, None, near="LH") for _ in range(3)), row(9.0, None)])
    assert mixed[0].measured is not None and mixed[0].measured.n == 3
    assert [left.label.partition(" (")[0] for left in mixed[0].excluded] == ["a stand-in of 9.0"]


def test_twins_are_judged_apart_and_say_how_far_the_worst_of_them_is() -> None:
    near = {"rma10": "RM", "lhr71c": "LH", "epb2": "EP"}
    known = {twin.matrix: twin for twin in twins() if twin.matrix in near}
    rows = [row(1.14, None, near=abbr) | {"matrix": known[name].nearest} for name, abbr in near.items()]
    (verdict,) = verdicts(rows)
    assert verdict.scope is Scope.TWINS and verdict.word == "reproduced on twins of 3 of 5 (indicative)"
    farthest = max(known.values(), key=lambda twin: twin.distance)
    assert farthest.matrix == "lhr71c"
    assert verdict.doubt == f"on twins, the farthest of 3 the {farthest.text}"
    assert known["rma10"].text == (
        "twin of rma10: order 1.00x, entries a row 1.02x, symmetry +0.00, fill 1.17x"
    )
    lhr71c = replace(claim("gsofa", "fig12_vs_superlu_dist", "one_node"), matrices=("LH",))
    (alone,) = verdicts([row(0.971, None, near="LH") | {"matrix": known["lhr71c"].nearest}], lhr71c)
    assert alone.doubt == f"on twins, {known['lhr71c'].text}" and not alone.firm


def test_a_stand_in_is_no_twin_of_a_matrix_beside_its_own() -> None:
    twin = next(each for each in twins() if each.matrix == "rma10").nearest
    of_rma10 = [row(1.14, None, near="RM") | {"matrix": twin} for _ in range(3)]
    other = [row(0.5, None, near=name) | {"matrix": twin} for name in ("LH", "EP")]
    loose = [row(0.5, None, near="RM") | {"matrix": "circuit,4000"} for _ in range(3)]
    found = verdicts([*of_rma10, *other, *loose])
    assert [v.scope for v in found] == [Scope.TWINS, Scope.STAND_INS]
    assert [v.measured.n for v in found if v.measured] == [3, 5] and found[1].doubt in ("", "on stand-ins")
    assert verdicts([{**row(1.14, None), "matrix": twin}])[0].outcome is Outcome.NOT_RUN, "measured too far"


def test_a_twin_decides_no_extreme_and_is_not_called_too_far() -> None:
    twin = next(each for each in twins() if each.matrix == "lhr71c").nearest
    judged = verdicts([row(1.9, None, near="LH") | {"matrix": twin}], LARGEST)[0]
    assert judged.outcome is Outcome.NOT_RUN
    assert [left.reason for left in judged.excluded] == ["not the paper's own, which alone decide this"]


def test_a_distance_is_of_kind_order_density_fill_and_symmetry() -> None:
    """A circuit of 1,220 rows does not stand for Hamrle3, of 1.4 million."""
    hamrle = Features("circuit", 1447360, 3.8, fill=32.6, symmetry=0.0)
    dcop = Distance.between("HM", Features("circuit", 1220, 4.8, fill=0.38, symmetry=0.9), hamrle)
    assert not dcop.near and dcop.text == "HM: n 0.00084x, nnz/n 1.3x, fill 0.012x, symmetry +0.9, circuit"
    twin = Features("circuit", 5e5, 4.2, fill=20.0, symmetry=0.1)
    assert Distance.between("HM", twin, hamrle).near
    for change in (
        {"order": 1e5},
        {"density": 9.0},
        {"fill": 5.0},
        {"symmetry": 0.5},
        {"kind": "structural"},
    ):
        assert not Distance.between("HM", replace(twin, **change), hamrle).near, change  # type: ignore[arg-type]
    unknown = replace(twin, fill=None, symmetry=None)
    assert Distance.between("HM", unknown, hamrle).near, "what is not known excludes nothing"


def test_a_stand_in_never_decides_an_extreme() -> None:
    """The print names LH: LH alone decides, and the extreme of all matrices stands beside."""
    assert LARGEST.matrices == ("LH",)
    none, beside = verdicts([*of_three(1.4, 1.3, 1.2), row(1.5, None, near="LH")], LARGEST)
    assert none.outcome is Outcome.NOT_RUN and none.measured is None
    assert beside.scope is Scope.PANEL and beside.outcome is Outcome.BESIDE and beside.measured is not None
    assert beside.measured.value == 1.5 and beside.doubt == ""
    found = verdicts([*of_three(9.0, 1.3, 1.2), row(1.5, "LH")], LARGEST)
    named, panel = found
    assert (
        named.scope is Scope.PAPER
        and named.outcome is Outcome.REPRODUCED
        and named.word == "reproduced on 1 of 1"
    )
    assert panel.scope is Scope.PANEL and panel.outcome is Outcome.BESIDE and panel.measured is not None
    assert panel.measured.value == 9.0
    unnamed = replace(LARGEST, matrices=None)
    found = verdicts([row(1.5, None), row(1.4, None), row(1.3, None)], unnamed)
    assert [v.outcome for v in found] == [Outcome.NOT_RUN, Outcome.BESIDE], "nor where none is named"


def test_a_time_is_firm_by_five_processes_whose_interval_is_narrower_than_the_band() -> None:
    five = only(of_three(1.14, 1.14, 1.14, around=0.02))
    one = only(of_three(1.14, 1.14, 1.14, around=0.02, processes=1))
    wide = only(of_three(1.4, 1.4, 1.4, around=0.1))
    assert five.firm and five.doubt == ""
    assert not one.firm and one.doubt == "1 process of 5" and one.word.endswith("(indicative)")
    assert not wide.firm and wide.doubt == "the interval is wider than the band"
    open_ = only(of_three(1.14, 1.14, 1.14, around=0.1, processes=1))
    assert open_.outcome is Outcome.INCONCLUSIVE and not open_.firm and open_.doubt == "", "it says nothing"
    assert only([row(38744.0, processes=1)], ORDER).firm, "no fact of an input needs processes"
    fewest = [*of_three(1.14, 1.14, 1.14)[:2], row(1.14, "EP", processes=4)]
    assert not only(fewest).firm, "the least counts"


def test_of_exact_numbers_those_that_differ_are_named_and_no_stand_in_has_them() -> None:
    verdict = only([row(38744.0), row(7.0, "BC"), row(7.0, None, near="EP")], ORDER)
    assert verdict.numbers == "1 of 2 equal the print; BC of 7.0 7, printed 11,948"
    assert verdict.outcome is Outcome.DEVIATES and verdict.coverage == "on 2 of 13"
    assert only([row(38744.0)], ORDER).word == "reproduced on 1 of 13"


def test_a_range_is_held_against_its_ends_and_not_a_mean_against_the_least() -> None:
    """A mean above the least printed number says nothing: 20x is outside 2.88x to 3.33x, and so is 1.2x."""
    assert RANGE.matrices is not None
    names = RANGE.matrices[:3]
    verdict = only([row(v, n) for v, n in zip((1.2, 3.0, 20.0), names, strict=True)], RANGE)
    assert verdict.outcome is Outcome.DEVIATES and verdict.magnitude is Magnitude.LARGER
    assert verdict.factor == pytest.approx(20 / 3.33) and verdict.numbers.endswith("1 of 3 within it")
    inside = only([row(v, n) for v, n in zip((2.9, 3.1, 3.3), names, strict=True)], RANGE)
    assert inside.outcome is Outcome.REPRODUCED and inside.factor == 1
    assert (
        only([row(v, n) for v, n in zip((0.5, 0.9, 0.7), names, strict=True)], RANGE).outcome
        is Outcome.CONTRADICTED
    )


def test_of_all_its_matrices_a_range_has_to_reach_the_printed_ends() -> None:
    wide = replace(RANGE, span=(1.1, 30.0), matrices=("a", "b", "c"))
    rows = [row(2.0, "a"), row(3.0, "b"), row(2.5, "c")]
    part = only(rows, replace(wide, matrices=("a", "b", "c", "d")))
    whole = only(rows, wide)
    assert part.outcome is Outcome.REPRODUCED and whole.outcome is Outcome.DEVIATES
    assert whole.factor == pytest.approx(3 / 30) and whole.magnitude is Magnitude.SMALLER


def test_a_count_is_held_against_its_share_and_a_part_of_the_matrices_leaves_it_open() -> None:
    """4 of 4 may be 8 of 15: a share of a few says little of all."""
    assert COUNT.matrices is not None and len(COUNT.matrices) == 15
    rows = [row(2.0 if i else 0.5, name) for i, name in enumerate(COUNT.matrices)]
    whole = only(rows, COUNT)
    assert whole.numbers == "14 of 15, printed 14 of 15" and whole.outcome is Outcome.REPRODUCED
    part = only(rows[1:5], COUNT)
    assert part.outcome is Outcome.INCONCLUSIVE
    assert part.numbers == "4 of 4, a share of 51% to 100%, printed 14 of 15"
    against = [row(0.5, name, around=0.1) for name in COUNT.matrices[:6]]
    assert only(against, COUNT).outcome is Outcome.CONTRADICTED
    edge = [row(1.1, name, around=0.2) if i < 6 else row(2.0, name) for i, name in enumerate(COUNT.matrices)]
    open_ = only(edge, COUNT)
    assert open_.outcome is Outcome.INCONCLUSIVE
    assert open_.numbers == "15 of 15 (9 to 15 by the intervals), printed 14 of 15"


@given(st.integers(1, 200), st.data())
def test_the_interval_of_a_share_holds_it_and_narrows_with_the_number(n: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, n))
    low, high = share_interval(count / n, n)
    assert 0 <= low <= count / n + 1e-12 and count / n - 1e-12 <= high <= 1
    more = share_interval(count / n, 4 * n)
    assert more[1] - more[0] < high - low


def words(printed: float, tolerance: float | None = None) -> Claim:
    return replace(COUNT, kind=Kind.WORDS, count=None, value=printed, tolerance=tolerance)


def test_words_are_judged_by_their_direction_alone() -> None:
    def rows(*values: float) -> list[dict[str, object]]:
        assert COUNT.matrices is not None
        return [row(v, name, around=0.2) for v, name in zip(values, COUNT.matrices, strict=False)]

    most, every, none = words(1.0), words(1.0, 0.0), words(0.0)
    assert (most.printed, every.printed, none.printed) == ("most", "all", "none")
    assert only(rows(*[2.0] * 4), most).outcome is Outcome.REPRODUCED
    assert only(rows(2.0, 2.0, 2.0, 0.5), most).outcome is Outcome.INCONCLUSIVE, "3 of 4 may be 7 of 15"
    assert only(rows(*[2.0] * 10, 0.5, 0.5), most).outcome is Outcome.REPRODUCED
    assert only(rows(*[0.5] * 6), most).outcome is Outcome.CONTRADICTED
    assert only(rows(2.0, 2.0, 2.0, 0.5), every).outcome is Outcome.DEVIATES, "all means all"
    assert only(rows(2.0, 2.0, 2.0, 1.1), every).outcome is Outcome.INCONCLUSIVE, "one may be below"
    assert only(rows(0.5, 0.5, 0.5, 0.5), none).outcome is Outcome.REPRODUCED
    assert only(rows(2.0, 2.0, 2.0, 2.0), none).outcome is Outcome.CONTRADICTED
    assert only(rows(2.0, 2.0, 2.0), every).outcome is Outcome.INCONCLUSIVE, "three make most no certainty"
    assert only(rows(2.0, 0.5), every).outcome is Outcome.DEVIATES, "one is enough against all"


def test_a_trend_is_a_rank_correlation_whose_whole_interval_has_the_printed_sign() -> None:
    rises = replace(words(1.0), aggregate="trend", neutral=0.0, matrices=None)
    column = ClaimColumn("value", against="x")

    def rows(values: Sequence[float]) -> list[dict[str, object]]:
        return [{**row(v, f"M{x}"), "x": x} for x, v in enumerate(values)]

    up = list(range(10))
    assert only(rows(up), rises, column).outcome is Outcome.REPRODUCED
    assert only(rows(up[::-1]), rises, column).outcome is Outcome.CONTRADICTED
    assert only(rows([3, 1, 4, 1.5, 9, 2, 6, 5, 3.5, 5.5]), rises, column).outcome is Outcome.INCONCLUSIVE
    assert only(rows(up[:4]), rises, column).outcome is Outcome.INCONCLUSIVE, "four matrices make no trend"
    unknown = [*rows(up), {**row(3.0, "M99"), "x": np.nan}]
    assert only(unknown, rises, column).outcome is Outcome.REPRODUCED
    assert "rank correlation +1.00" in only(rows(up), rises, column).numbers


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=5, max_size=30))
def test_a_trend_lies_in_its_interval_and_turns_with_its_sign(pairs: list[tuple[float, float]]) -> None:
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    value, low, high = trend(x, y)
    assert -1 <= low <= value <= high <= 1
    turned = trend(x, [-b for b in y])
    assert turned == pytest.approx((-value, -high, -low))


def test_a_pair_is_reproduced_together_or_not_at_all() -> None:
    """0.067 % is near the printed 0.082 %; but without value ranges it is 0.47 %, not 22 %."""
    without, with_ = (
        claim("gsofa", "fig14_maxid_ranges", f"reinitialisation_{end}") for end in ("without", "with")
    )
    assert with_.pair == without.name
    after = only([row(0.00067, "PR")], replace(with_, tolerance=0.25))
    before = only([row(0.0047, "PR")], without)
    assert after.outcome is Outcome.REPRODUCED and before.outcome is Outcome.DEVIATES
    judged = {v.claim: v for v in judge_pairs([before, after])}
    assert judged[with_.id].outcome is Outcome.DEVIATES and "reinitialisation_without" in judged[with_.id].why
    effect = only([row(0.22, "PR")], without)
    assert {v.outcome for v in judge_pairs([effect, after])} == {Outcome.REPRODUCED}
    assert judge_pairs([after])[0].outcome is Outcome.INCONCLUSIVE, "without the other nothing is known"


def test_a_constant_of_our_own_data_structures_is_shown_and_not_judged() -> None:
    constant = replace(MEAN, not_comparable="one queue here")
    verdict = only(of_three(1.14, 1.14, 1.14), constant)
    assert verdict.outcome is Outcome.NOT_COMPARABLE and not verdict.firm and verdict.doubt == ""
    assert verdict.text.startswith("not comparable: one queue here: ") and "1.14x" in verdict.numbers
    assert verdict.direction is Direction.NONE and verdict.magnitude is Magnitude.NONE


def test_what_follows_from_the_print_is_derived_and_says_whether_the_print_agrees_with_itself() -> None:
    """It is arithmetic: no measurement reproduces it, and none contradicts it."""
    derived = replace(ORDER, derived="8 GB over 4 n")
    right, wrong = only([row(38744.0)], derived), only([row(7.0)], derived)
    assert right.outcome is wrong.outcome is Outcome.DERIVED and not right.firm
    assert right.why == "8 GB over 4 n: the two agree" and wrong.why.endswith("the two do not agree")


def test_what_cannot_test_a_claim_is_not_judged_by_it() -> None:
    verdict = only(of_three(0.5, 0.5, 0.5), MEAN, ClaimColumn("value", untestable="2 of the 16 threads"))
    assert verdict.outcome is Outcome.UNTESTABLE and verdict.why == "2 of the 16 threads"
    assert verdict.direction is Direction.NONE


def test_machines_are_judged_apart() -> None:
    rows = [{**each, "machine": "a"} for each in of_three(1.14, 1.14, 1.14)]
    rows += [{**each, "machine": "b"} for each in of_three(1.0, 1.0, 1.0)]
    found = verdicts(rows)
    assert [(v.machine, str(v.outcome)) for v in found] == [("a", "reproduced"), ("b", "contradicted")]
    assert len({verdict.key for verdict in found}) == 2


def test_without_a_number_nothing_is_judged() -> None:
    verdict = only([row(None)])
    assert verdict.text == "not run: printed mean 1.14x"
    assert verdict.key == f"verdict gsofa.fig14_maxid_ranges.mean ({MEAN.metric})"
    assert verdicts([row(None)], MEAN, ClaimColumn("value", beside=True)) == []


def test_the_interval_of_a_mean_is_what_the_intervals_of_its_points_allow() -> None:
    verdict = only([row(1.1, around=0.02), row(1.3, "BC", around=0.1)])
    assert verdict.measured is not None
    ends = (1.08 * 1.2) ** 0.5, (1.12 * 1.4) ** 0.5
    assert (verdict.measured.low, verdict.measured.high) == pytest.approx(ends)


def bound(
    least: float | None = None, most: float | None = None, abbr: str | None = "BB"
) -> dict[str, object]:
    """A row whose ratio is only known to be more than `least`, or less than `most`."""
    ends = (np.nan if end is None else end for end in (least, most))
    words = f"> {least:g}x" if least is not None else f"< {most:g}x"
    return (
        row(None, abbr, processes=1)
        | dict(zip(("value_low", "value_high"), ends, strict=True))
        | {"status": words}
    )


ABOVE = replace(
    claim("glu3", "table1_kernel_time", "geometric"), tolerance=None, matrices=THREE, by_matrix={}
)


def test_a_bound_beyond_the_edge_decides_a_claim() -> None:
    """Of a claim that the ratio is above 1; GEOMETRIC prints a size, which a bound far above it exceeds."""
    rows = [row(3.0, "BB", around=0.1), row(4.0, "BC", around=0.1), bound(least=70, abbr="EP")]
    verdict = only(rows, ABOVE)
    assert verdict.outcome is Outcome.REPRODUCED and not verdict.firm
    assert "> 9." in verdict.numbers and "> 70x" in verdict.numbers
    assert verdict.why == "1 of 3 a bound, of a call that a limit of time ended: the bound decides"
    sized = replace(ABOVE, tolerance=0.25, value=2.0)
    assert only(rows, sized).magnitude is Magnitude.LARGER
    assert only(rows, sized).factor is None


def test_a_bound_near_the_print_is_inconclusive() -> None:
    sized = replace(ABOVE, tolerance=0.25, value=100.0)
    verdict = only([row(90.0, "BB"), row(100.0, "BC"), bound(least=70, abbr="EP")], sized)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "too near the print to decide" in verdict.text


def test_a_bound_from_above_speaks_against_a_claim() -> None:
    rows = [row(0.5, "BB"), row(0.4, "BC"), bound(most=0.3, abbr="EP")]
    assert only(rows, ABOVE).outcome is Outcome.CONTRADICTED
    assert "< 0.3x" in only(rows, ABOVE).numbers


def test_bounds_of_both_kinds_leave_an_aggregate_open() -> None:
    rows = [row(2.0, "BB"), bound(least=70, abbr="BC"), bound(most=3, abbr="EP")]
    verdict = only(rows, ABOVE)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "geometric mean ~ " in verdict.numbers


def test_a_bound_counts_where_it_is_certain() -> None:
    most = replace(COUNT, matrices=THREE)
    sure = only([row(2.0, "BB"), row(2.0, "BC"), bound(least=1.5, abbr="EP")], most)
    assert sure.numbers.startswith("3 of 3,") or sure.numbers.startswith("3 of 3 ")
    unsure = only([row(2.0, "BB"), row(2.0, "BC"), bound(least=0.5, abbr="EP")], most)
    assert unsure.numbers.startswith("2 of 3 (2 to 3 by the intervals)")


def test_a_timeout_without_a_bound_has_no_number() -> None:
    verdict = only([row(3.0, "BB"), row(4.0, "BC"), row(5.0, "RM"), row(None, "EP")], MEAN)
    assert verdict.measured is not None and verdict.measured.n == 3
    assert [excluded.reason for excluded in verdict.excluded] == ["timeout"]


def test_a_column_of_the_figure_that_is_called_bound_is_no_bound() -> None:
    rows = [{**each, "bound": 1.28} for each in of_three(1.14, 1.14, 1.14)]
    assert only(rows) == only(of_three(1.14, 1.14, 1.14))


def test_what_has_no_number_is_named_whatever_the_frames_index() -> None:
    frame = pd.concat([pd.DataFrame(of_three(1.14, 1.14, 1.14)), pd.DataFrame([row(None, "RM")])])
    (verdict,) = judge(frame, MEAN, VALUE)
    assert [excluded.reason for excluded in verdict.excluded] == ["timeout"]
