"""The rules of judging, each with planted numbers that break it."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fillpath.errors import ConfigError
from fillpath.paths import CONFIG
from reports.claims.judge import judge, judge_pairs
from reports.claims.verdict import Outcome, Reason, Verdict
from reports.facts import printed
from reports.facts.claims import Claim, Held, Kind, claims, find_claim, subjects

Row = dict[str, object]
WHOLE = find_claim("gsofa.fig14_maxid_ranges.mean")
# Of five matrices, three of which are more than half.
MEAN = replace(WHOLE, matrices=("BB", "BC", "EP", "RM", "LH"))
LARGEST = find_claim("gsofa.fig14_maxid_ranges.largest")
RANGE = find_claim("ooclu.fig8_binary_search.range")
EACH = find_claim("glu3.table1_kernel_time.each")
GEOMETRIC = find_claim("glu3.table1_kernel_time.geometric")
LEVELS = find_claim("glu3.table2_levelization.geometric")
HYPRE = find_claim("parac.table2_cpu.over_hypre")
COUNT = find_claim("parac.table2_cpu.below_ichol")
ORDER = find_claim("gsofa.table1_matrices.order")
DROPS = find_claim("gsofa.fig17_source_scheduling.inter_node_drops")
APART = find_claim("gsofa.fig18_unified_memory_faults.separation_rises")
# Of GSoFA's list; of ParAC's, of the second paper's and of GLU3.0's.
THREE = ("BB", "BC", "EP")
NAMES, LARGE, TWO = COUNT.matrices or (), (RANGE.matrices or ())[:3], ("onetone2", "circuit_2")
WORDS = replace(COUNT, kind=Kind.WORDS, count=None, tolerance=None)
MOST, NONE = (replace(WORDS, value=value) for value in (1.0, 0.0))
ALL = replace(MOST, tolerance=0.0)
RISES = replace(MOST, aggregate="trend", neutral=0.0, matrices=None)
DERIVED, ONE_QUEUE = replace(ORDER, derived="8 GB over 4 n"), replace(MEAN, not_comparable="one queue here")
OF_THREE = replace(COUNT, matrices=THREE)
OF_LH, OF_FOUR = (replace(LARGEST, matrices=names) for names in (("LH",), ("BB", "BC", "EP", "LH")))
ABOVE_ONE = replace(GEOMETRIC, tolerance=None, matrices=THREE, by_matrix={})
ABOVE_TWO, ABOVE_100 = (replace(ABOVE_ONE, tolerance=0.25, value=value) for value in (2.0, 100.0))
WIDE, A_PART = (replace(RANGE, span=(1.1, 30.0), matrices=tuple(names)) for names in ("abc", "abcd"))
VALUE, AS_RUN = Held("value"), "bcsstk18_as_run"


def row(
    value: float | None, abbr: str | None = "BB", *, around: float = 0.0, for_: str = "", processes: int = 5,
    **more: object,
) -> Row:  # fmt: skip
    number = np.nan if value is None else value
    return {
        "value": number, "value_low": number - around, "value_high": number + around,
        "abbr": abbr, "stand_in_for": for_ or None,
        "status": "ok" if value is not None else "timeout", "value_processes": processes,
        "label": f"{abbr or 'a stand-in'} of {value}", **more,
    }  # fmt: skip


def own(*values: float, names: Sequence[str] = THREE, **more: Any) -> list[Row]:
    """Rows of the first of these matrices."""
    return [row(value, abbr, **more) for value, abbr in zip(values, names, strict=False)]


def bound(abbr: str, *, least: float = np.nan, most: float = np.nan, processes: int = 5) -> Row:
    """A row whose ratio is only known to be more than `least`, or less than `most`."""
    words = f"< {most:g}x" if np.isnan(least) else f"> {least:g}x"
    return row(None, abbr, processes=processes) | {"value_low": least, "value_high": most, "status": words}


def rising(*values: float, of: int = 100) -> list[Row]:
    """Rows of at most so many matrices, with the x that a trend goes along."""
    return [row(value, f"M{x % of}", x=x) for x, value in enumerate(values)]


def verdicts(rows: Sequence[Row], claim: Claim = MEAN, column: Held = VALUE) -> list[Verdict]:
    return judge(pd.DataFrame(rows), claim, column)


def only(rows: Sequence[Row], claim: Claim = MEAN, column: Held = VALUE) -> Verdict:
    (verdict,) = (v for v in verdicts(rows, claim, column) if v.reason is not Reason.BESIDE)
    return verdict


@pytest.mark.parametrize(
    ("low", "high", "printed", "neutral", "tolerance", "expected"),
    [
        (1.1, 1.2, 1.14, 1.0, None, "reproduced"), (0.99, 1.2, 1.14, 1.0, None, "open"),
        (0.9, 1.0, 1.14, 1.0, None, "not reproduced"), (1.0, 1.004, 1.14, 1.0, None, "not reproduced"),
        (0.3, 0.4, 0.5, 1.0, None, "reproduced"), (1.3, 1.4, 0.5, 1.0, None, "not reproduced"),
        (-3.0, -1.0, -4.6, 0.0, None, "reproduced"), (1.0, 2.0, 0.4, None, None, "reproduced"),
        (1.11, 1.17, 1.14, 1.0, 0.25, "reproduced"), (1.10, 1.10, 1.14, 1.0, 0.25, "other size"),
        (1.18, 1.19, 1.14, 1.0, 0.25, "other size"), (1.12, 1.18, 1.14, 1.0, 0.25, "open"),
        (1.0, 2.0, 1.14, 1.0, 0.25, "open"), (0.5, 2.0, 1.14, 1.0, 0.25, "open"),
        (0.9, 0.95, 1.14, 1.0, 0.25, "not reproduced"), (0.40, 0.40, 0.43, None, 0.1, "reproduced"),
        (0.30, 0.30, 0.43, None, 0.1, "not reproduced"), (12.0, 12.0, 12.0, None, 0.0, "reproduced"),
        (13.0, 13.0, 12.0, None, 0.0, "not reproduced"), (-5.0, -5.0, -4.6, 0.0, 0.25, "reproduced"),
        (-9.0, -9.0, -4.6, 0.0, 0.25, "other size"), (1.0, 1.0, 1.004, 1.0, 0.25, "reproduced"),
    ],
)  # fmt: skip
def test_a_whole_interval_lies_to_no_effect_and_to_the_band_which_is_a_share_of_the_printed_effect(
    low: float, high: float, printed: float, neutral: float | None, tolerance: float | None, expected: str
) -> None:
    claim = replace(LARGEST, value=printed, neutral=neutral, tolerance=tolerance, unit="s")
    verdict = only([row((low + high) / 2, "LH", value_low=low, value_high=high)], claim)
    assert verdict.outcome == expected


# GLU's Table II as measured once: its arithmetic mean is near the print, its geometric one a twelfth.
CARRIED = own(3.33, 2.08, 139.0, 3198.0, names=("rajat12", "circuit_2", "memplus", "onetone2"))
EFFECT = [row(3.0, "BB", around=0.1), row(4.0, "BC", around=0.1), bound("EP", least=70)]
BOTH = [row(2.0, "BB"), bound("BC", least=70), bound("EP", most=3)]
HASTY = [*EFFECT[:2], bound("EP", least=70, processes=1)]
EDGES = [row(1.1, name, around=0.2) if i < 6 else row(2.0, name) for i, name in enumerate(NAMES)]
UNEQUAL = [row(38744.0), row(7.0, "BC"), row(7.0, None, for_="EP")]


def as_printed(claim: Claim, *names: str) -> list[Row]:
    return [row(claim.by_matrix[name], name) for name in names]


def of_words(*values: float) -> list[Row]:
    return own(*values, names=NAMES, around=0.2)


# What it shows; the claim; its rows; parts of the verdict's text.
PLANTED: list[tuple[str, Claim, list[Row], str]] = [
    # 1.14x is printed, the band lies from 1.105 to 1.175.
    ("across the edge", MEAN, own(*[1.14] * 3, around=0.05), "open on 3 of 5: geo"),
    ("within", MEAN, own(*[1.14] * 3, around=0.02), "reproduced on 3 of 5: geo"),
    ("beyond", MEAN, own(*[1.3] * 3, around=0.05), "other size on 3 of 5, 1.14 of the print"),
    ("wide, and beyond", MEAN, own(*[1.4] * 3, around=0.1), "other size on 3 of 5"),
    ("the other way", MEAN, own(*[0.9] * 3, around=0.05), "not reproduced on 3 of 5"),
    ("one is no mean", MEAN, own(1.14), "open on 1 of 5: 1 of the 3 matrices"),
    ("two are no mean", MEAN, own(1.14, 1.14), "open on 2 of 5: 2 of the 3 matrices"),
    ("nor are two against", MEAN, own(0.5, 0.5), "open on 2 of 5: 2 of the 3 matrices"),
    ("one is all", replace(MEAN, matrices=("BB",)), own(1.14), "reproduced on 1 of 1"),
    ("less than half", WHOLE, own(*[1.14] * 3), "open on 3 of 13: 3 of the 7 matrices"),
    ("half", WHOLE, own(*[1.14] * 7, names=WHOLE.matrices or ()), "reproduced on 7 of 13"),
    ("carried by one", LEVELS, CARRIED, "other size|0.0799 of the print|arithmetic mean 835.6x"),
    ("as printed, by all", LEVELS, CARRIED, "arithmetic mean 835.6x, printed 1,080x on the same"),
    ("two of a table", LEVELS, CARRIED[:2], "open on 2 of 15: 2 of the 3 matrices"),
    ("no side", replace(LARGEST, value=1.01), [row(1.003, "LH", around=0.001)], "reproduced"),
    ("no band of nothing", replace(LARGEST, value=1.01), [row(1.2, "LH", around=0.001)], "not reproduced"),
    ("another is the largest", OF_LH, [*own(1.4, 1.3), row(1.5, None, for_="LH")], "not judged (not run)"),
    ("the named one decides", OF_LH, [*own(9.0, 1.3), row(1.5, "LH")], "reproduced on 1 of 1"),
    ("largest of two of four", OF_FOUR, own(1.5, 1.4), "open on 2 of 4: 2 of the 3 matrices"),
    ("each", EACH, own(9.0, 2.0, names=TWO), "reproduced on 2 of 15"),
    ("each, one off", EACH, own(9.0, 20.0, names=TWO), "other size on 2 of 15: 1 of 2 within 25% of"),
    ("each, across", EACH, [row(9.0, TWO[0]), row(2.0, TWO[1], around=0.5)], "open on|1 across its"),
    ("half go the other way", EACH, own(30.0, 0.5, names=TWO), "not reproduced on|1 of 2 in the printed"),
    ("most go the printed way", EACH, own(30.0, 30.0, 0.5, names=(*TWO, "rajat12")), "other size|2 of 3 in"),
    ("each, all against", EACH, own(0.9, 0.5, names=TWO), "not reproduced"),
    ("either side", HYPRE, as_printed(HYPRE, "parabolic_fem", "com-LiveJournal"), "reproduced|(0.5694x"),
    ("a part by that", GEOMETRIC, as_printed(GEOMETRIC, *TWO, "rajat12"), "reproduced|2.705x on the same"),
    ("not equal", ORDER, UNEQUAL, "not reproduced on 2|1 of 2 equal the print; BC of 7.0 7, printed 11"),
    ("equal, in one process", ORDER, [row(38744.0, processes=1)], "reproduced on 1 of 13: 1 of 1"),
    ("range, far off", RANGE, own(1.2, 3.0, 20.0, names=LARGE), "other size|6.01 of the print|1 of 3"),
    ("range, inside", RANGE, own(2.9, 3.1, 3.3, names=LARGE), "reproduced|3 of 3 within it"),
    ("range, against", RANGE, own(0.5, 0.9, 0.7, names=LARGE), "not reproduced"),
    ("range, a part", A_PART, own(2.0, 3.0, 2.5, names="abc"), "reproduced"),
    ("range, its ends", WIDE, own(2.0, 3.0, 2.5, names="abc"), "other size|0.1 of the print"),
    ("count", COUNT, own(0.5, *[2.0] * 14, names=NAMES), "reproduced|: 14 of 15, printed 14 of 15"),
    ("4 may be 8 of 15", COUNT, of_words(*[2.0] * 4), "open|: 4 of 4, a share of 51% to 100%"),
    ("3 are too few", COUNT, of_words(*[0.5] * 3), "open on 3 of 15: 3 of the 4 matrices"),
    ("count, against", COUNT, own(*[0.5] * 6, names=NAMES, around=0.1), "not reproduced"),
    ("count, on the edge", COUNT, EDGES, "open|15 of 15 (9 to 15 by the intervals), printed 14"),
    ("most", MOST, of_words(*[2.0] * 4), "reproduced|printed most"),
    ("3 of 4 may be 7 of 15", MOST, of_words(2.0, 2.0, 2.0, 0.5), "open"),
    ("10 of 12 are most", MOST, of_words(*[2.0] * 10, 0.5, 0.5), "reproduced"),
    ("most, against", MOST, of_words(*[0.5] * 6), "not reproduced"),
    ("all means all", ALL, of_words(2.0, 2.0, 2.0, 0.5), "not reproduced|printed all"),
    ("all, one may be below", ALL, of_words(2.0, 2.0, 2.0, 1.1), "open"),
    ("all, three are too few", ALL, of_words(2.0, 2.0, 2.0), "open"),
    ("all, one is enough against", ALL, of_words(2.0, 0.5), "not reproduced"),
    ("all, four rows of one", ALL, own(*[2.0] * 4, names=NAMES[:1] * 4), "open on|1 of the 4 matrices"),
    ("none", NONE, of_words(*[0.5] * 4), "reproduced|printed none"),
    ("none, against", NONE, of_words(*[2.0] * 4), "not reproduced"),
    ("rises", RISES, rising(*range(10)), "reproduced on 10 matrices|rank correlation +1.00"),
    ("falls", RISES, rising(*range(9, -1, -1)), "not reproduced"),
    ("neither", RISES, rising(3, 1, 4, 1.5, 9, 2, 6, 5, 3.5, 5.5), "open"),
    ("four make no trend", RISES, rising(*range(4)), "open|4 of the 5 matrices"),
    ("nor do ten rows of two", RISES, rising(*range(10), of=2), "open on 2 matrices: 2 of the 5"),
    ("rows of one are one", RISES, rising(*range(24), of=6), "reproduced|over 6"),
    ("one without an x", RISES, [*rising(*range(10)), row(3.0, "M99", x=np.nan)], "reproduced|over 10"),
    ("1 process", MEAN, own(*[1.14] * 3, processes=1), "open on 3 of 5 in 1 process: 1 process of 5: geo"),
    ("the least", MEAN, [*own(1.14, 1.14), row(1.14, "EP", processes=4)], "open on 3 of 5 in 4 processes"),
    ("against, in 1", MEAN, own(*[0.9] * 3, processes=1), "open on 3 of 5 in 1 process"),
    ("not comparable", ONE_QUEUE, own(*[1.14] * 3), "not judged (a constant of our own|: one queue here"),
    ("a drop is a gain of none", DROPS, own(*[0.5] * 3, names=("AU", "DI", "HM")), "reproduced on 3 of 3"),
    ("and a gain is not", DROPS, own(*[2.0] * 3, names=("AU", "DI", "HM")), "not reproduced on 3 of 3"),
    ("faults in 1 process", APART, own(0.5, 0.5, names=("PR", "TT"), processes=1), "reproduced on 2 of 2"),
    ("fewer faults", APART, own(2.0, 2.0, names=("PR", "TT"), processes=1), "not reproduced on 2 of 2"),
    ("derived", DERIVED, [row(38744.0)], "not judged (derived from the print)|8 GB over 4 n: the two agree"),
    ("derived, and wrong", DERIVED, [row(7.0)], "8 GB over 4 n: the two do not agree"),
    ("nothing", MEAN, [row(None)], "not judged (not run): printed mean 1.14x"),
    ("a bound decides", ABOVE_ONE, EFFECT, "reproduced on 3 of 3: 1 of 3 a bound, of|: the bound decides"),
    ("a bound is said", ABOVE_ONE, EFFECT, "geometric mean > 9.|> 70x EP"),
    ("above a size", ABOVE_TWO, EFFECT, "other size on 3 of 3: 1 of 3 a bound"),
    ("a bound near", ABOVE_100, [*own(90.0, 100.0), bound("EP", least=70)], "open|too near"),
    ("a bound from above", ABOVE_ONE, [*own(0.5, 0.4), bound("EP", most=0.3)], "not reproduced|< 0.3x"),
    ("bounds of both kinds", ABOVE_ONE, BOTH, "open|geometric mean ~ "),
    ("a bound over one process", ABOVE_ONE, HASTY, "open on 3 of 3 in 1 process"),
    ("a certain bound counts", OF_THREE, [*own(2.0, 2.0), bound("EP", least=1.5)], ": 3 of 3, "),
    ("no other", OF_THREE, [*own(2.0, 2.0), bound("EP", least=0.5)], ": 2 of 3 (2 to 3 by the intervals)"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "rows", "text"), [pytest.param(*case, id=name) for name, *case in PLANTED])
def test_each_planted_number_is_judged_by_its_rule(claim: Claim, rows: list[Row], text: str) -> None:
    verdict = only(rows, claim, replace(VALUE, against="x" if claim.aggregate == "trend" else ""))
    assert [part for part in text.split("|") if part not in verdict.text] == [], verdict.text


def test_the_interval_of_a_mean_is_what_the_intervals_of_its_points_allow() -> None:
    verdict = only([row(1.1, around=0.02), row(1.3, "BC", around=0.1)])
    assert (verdict.low, verdict.high) == pytest.approx(((1.08 * 1.2) ** 0.5, (1.12 * 1.4) ** 0.5))


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.inf, -np.inf])
def test_what_is_no_ratio_is_in_no_mean(wrong: float) -> None:
    """A mean of 0, 1.71 and 1.71 is 1.14, and none of ratios."""
    verdict = only([*own(1.14, 1.14, 1.14), row(wrong, "RM")])
    assert verdict.n == 3 and verdict.outcome == "reproduced"
    assert verdict.left_out == ((f"RM of {wrong}", "no number"),)
    assert only(own(wrong, 1.71, 1.71)).outcome == "open"


def test_the_papers_own_matrices_decide_and_stand_ins_are_one_number_beside() -> None:
    instead = [row(value, None, for_=names) for value, names in ((0.5, "RM, LH"), (0.6, "LH"), (0.7, "EP"))]
    other = [row(9.0, None), row(9.0, "TT"), row(None, "RM")]
    paper, beside = verdicts([*own(1.17, 1.11, 1.14), *instead, *other])
    assert paper.word == "reproduced on 3 of 5" and paper.left_out == (("RM of None", "timeout"),)
    assert (beside.reason, beside.n, beside.coverage) == (Reason.BESIDE, 3, "")
    assert beside.basis == f"{MEAN.metric}, on stand-ins" and beside.basis != paper.basis
    assert beside.text.startswith("not judged (beside the print): geometric mean 0.5944x (0.5x")
    alone, _ = verdicts(instead)
    assert (alone.reason, alone.n, alone.left_out) == (Reason.NOT_RUN, 0, ())
    assert verdicts([row(7.0, None, for_="BC")], ORDER)[0].reason is Reason.NOT_RUN
    assert len(verdicts([row(7.0, None, for_="BC")], ORDER)) == 1, "what a matrix equals, no other says"


def test_a_matrix_counts_once_in_its_authors_order_where_that_was_measured() -> None:
    metis, as_run = (row(v, "BC", label=f"{name} (BC)") for v, name in ((9.0, "bcsstk18"), (1.17, AS_RUN)))
    without = row(None, "BC", label=f"{AS_RUN} (BC)")
    assert only([metis, as_run]).points["value"].tolist() == [1.17]
    assert only([metis, without]).points["value"].tolist() == [9.0]
    assert only([metis, as_run]).left_out == only([metis, without]).left_out == ()
    neither = [row(None, "BC", label="bcsstk18 (BC)"), without, row(None, "BB", label="bbmat (BB)")]
    late = row(None, "BC", label="bcsstk18 (BC)", status="not_run")
    assert only(neither).left_out == ((f"{AS_RUN} (BC)", "timeout"), ("bbmat (BB)", "timeout"))
    assert only([late, without]).left_out == (("bcsstk18 (BC)", "not run"), (f"{AS_RUN} (BC)", "timeout"))


def test_a_pair_is_reproduced_together_or_not_at_all() -> None:
    """0.067 % is near the printed 0.082 %; but without value ranges it is 0.47 %, not 22 %."""
    name = "reinitialisation_{}".format
    without, with_ = (find_claim(f"gsofa.fig14_maxid_ranges.{name(end)}") for end in ("without", "with"))
    after = only([row(0.00067, "PR")], replace(with_, tolerance=0.25))
    before, effect = only([row(0.0047, "PR")], without), only([row(0.22, "PR")], without)
    assert after.outcome == "reproduced" and before.outcome == "not reproduced"
    judged = judge_pairs([before, after])[1]
    assert judged.outcome == "not reproduced" and "reinitialisation_without" in judged.why
    assert {v.outcome for v in judge_pairs([effect, after])} == {"reproduced"}
    assert judge_pairs([after])[0].outcome == "open", "without the other nothing is known"


def test_what_cannot_test_a_claim_is_not_judged_by_it() -> None:
    verdict = only(own(0.5, 0.5, 0.5), MEAN, Held("value", untestable="2 of the 16 threads"))
    assert (verdict.outcome, verdict.reason) == (Outcome.NOT_JUDGED, Reason.NEEDS)
    assert verdict.why == "2 of the 16 threads"
    assert verdicts([row(None)], MEAN, Held("value", beside=True)) == []
    (beside,) = verdicts(own(0.5), MEAN, Held("value", beside=True))
    assert (beside.outcome, beside.reason) == (Outcome.NOT_JUDGED, Reason.BESIDE)


def test_a_column_called_bound_is_no_bound_and_no_index_loses_what_has_no_number() -> None:
    assert only(own(1.14, 1.14, 1.14, bound=1.28)) == only(own(1.14, 1.14, 1.14))
    frame = pd.concat([pd.DataFrame(own(1.14, 1.14, 1.14)), pd.DataFrame([row(None, "RM")])])
    (verdict,) = judge(frame, MEAN, VALUE)
    assert [reason for _, reason in verdict.left_out] == ["timeout"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("column: n,", "colum: n,", r"claims\.order: .* \('colum' was unexpected\)"),
        ("{column: graph_ratio", "{colum: graph_ratio", r"also\[1\]: .* \('colum' was unexpected\)"),
        ("  status: ", "  statsu: ", "'statsu' was unevaluated and invalid"),
        ("column: n, ", "", "table1_kernel_time.order: no column is named that it is held against"),
        ("printed: speedup.", "printed: sped.", "printed: sped.geometric_mean: no such key of its subject"),
        ("sum: [rows]", "sum: [row]", "glu3_table1_kernel_time.csv has no row"),
        ("aggregate: geometric", "aggregate: mean", "ratios have a geometric mean, which is `geometric`"),
    ],
)
def test_a_mistake_in_a_file_of_claims_is_refused_in_one_line(
    old: str, new: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(CONFIG, tmp_path / "config")
    file = tmp_path / "config" / "claims" / "glu3.yaml"
    file.write_text(file.read_text().replace(old, new))
    monkeypatch.setattr(printed, "CONFIG", tmp_path / "config")
    cached = (printed.claims_file, subjects, claims)
    for each in cached:
        each.cache_clear()
    with pytest.raises(ConfigError, match=message) as caught:
        claims()
    assert "\n" not in str(caught.value)
    for each in cached:
        each.cache_clear()
