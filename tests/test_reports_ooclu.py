"""PPoPP'23's figures of the symbolic phase, from made records. All numbers are made up."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from reports.frames.page_faults import BLOCK, first_touches

from benchmarks.runs.cases import figure_cases
from benchmarks.runs.experiments import experiments
from fetch import catalogue
from fillpath import registry
from fillpath.case import Case
from fillpath.nouns import Series
from fillpath.paths import results
from fillpath.record import Record, Status
from fillpath.series import series_path, write_series
from fillpath.settings import SUITES, Settings
from impl.cuda import managed
from reports import figures
from reports.claims.verdict import Scope
from reports.facts.printed import abbreviation, abbreviations, printed_table
from reports.facts.records import Records
from reports.frames import arrays
from reports.frames import dense_columns as large
from reports.ooclu import budgets, faults, fig3, fig6, fig7, table2, table3
from reports.ooclu.faults import PRINT
from reports.shapes import labels, style
from tests.reports_fakes import counting, made_frame, made_record, names, one, texts, unavailable
from tests.thorough import daily

OT2, STAND_IN, OTHER = "onetone2", "ex40", "cage11"
WAYS = ("out_of_core", "unified_memory.prefetch=true", "unified_memory")
ENTRIES = catalogue.entries()
# As an H200 and a V100 have it.
LARGE, SMALL = 150_109_880_320, 16_945_709_056


def case_of(name: str, matrix: str = OT2) -> Case:
    return Case.parse(f"symbolic.{name}@{matrix}.metis")


def measured(name: str, median: float, matrix: str = OT2, *, card: int = LARGE, **changes: Any) -> Record:
    """An ok record of the catalogue's order and entries: three samples around the median."""
    entry = catalogue.lookup(matrix)
    record = made_record(case_of(name, matrix), 1)
    prepared = {**(record.prepared or {}), "n": entry.order, "entries": entry.nnz_with_zeros}
    record = replace(record, status=Status.OK, machine="h200", device="NVIDIA H200", prepared=prepared)
    record = replace(record, gpu={"memory": card}, peak_memory=3 * 10**9)
    samples = [median * factor for factor in (0.9, 1.0, 1.2)]
    return replace(record, **{"seconds": samples, "work": counting(), **changes})


def three(*seconds: float, matrix: str = OT2, **changes: Any) -> list[Record]:
    """out_of_core, unified memory with prefetching and without."""
    return [measured(name, s, matrix, **changes) for name, s in zip(WAYS, seconds, strict=True)]


def count(record: Record, **facts: float) -> Record:
    """The record, with its page faults on disk."""
    path = results() / record.machine / "faults" / f"{record.case}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {
        "gpu_fault_groups": 12_000.0, "gpu_fault_records": 12_000.0, "fault_seconds": 0.6, "cpu_faults": 0.0,
        "bytes_to_device": 3e10, "bytes_to_host": 0.0, "thrashing": 0.0, "counted_seconds": 1.2,
        "uncounted_seconds": 1.0, "overhead": 1.2, "link_bytes_per_second": 5e10,
        "fault_share": 0.5,
    }  # fmt: skip
    path.write_text(json.dumps({"key": record.key, "facts": known | facts}))
    return record


def frame_of(function: Any, *records: Record, more: tuple[Case, ...] = ()) -> pd.DataFrame:
    """The figure's frame from these records, and cases without one."""
    return made_frame(function, ENTRIES, records, more)


# ---- what they share


def test_each_paper_has_its_own_abbreviations() -> None:
    rma10, gemat11 = catalogue.lookup("rma10"), catalogue.lookup("gemat11")
    assert abbreviation(rma10, "ooclu") == "RM" and abbreviation(catalogue.lookup(OT2), "ooclu") == "OT2"
    assert abbreviation(catalogue.lookup(OT2), "gsofa") is None, "GSoFA does not list it"
    assert abbreviation(gemat11, "ooclu") is None and abbreviation(None, "ooclu") is None
    assert len(abbreviations("ooclu")) == 18 and len(abbreviations("gsofa")) == 13


def test_what_may_be_asked_for_is_what_unified_memory_asks_for() -> None:
    assert arrays.SHARE == managed.SHARE


@pytest.mark.parametrize(("card", "regime"), [(LARGE, "fits"), (SMALL, "oversubscribed")])
def test_the_regime_is_that_of_24_n_squared_bytes_and_the_card(card: int, regime: str) -> None:
    frame = frame_of(fig6.EXHIBIT.frame, *three(1.0, 2.0, 3.0, card=card))
    own = frame[frame["case"].notna()]
    assert set(own["managed_bytes"]) == {24 * 36057**2} and set(own["card_bytes"]) == {card}
    assert set(own["regime"]) == {regime}
    assert set(frame.loc[frame["case"].isna(), "regime"]) == {""}, "nothing is said of what did not run"


def test_experiments_have_what_their_figures_pair() -> None:
    ours = [experiment for experiment in experiments() if experiment.paper == "ooclu"]
    assert {e.figure for e in ours} == {
        "table2", "fig3", "fig4", "fig5", "fig6", "table3", "faults", "fig7", "budgets", "table4", "fig8",
        "kahn",
    }  # fmt: skip
    partners = {
        "fig6": arrays.over_out_of_core, "fig7": fig7.switched_on, "budgets": budgets.without_budget,
        "fig8": large.over_search,
    }  # fmt: skip
    for figure, partner in partners.items():
        cases = figure_cases("ooclu", figure, Settings(suite="papers"))
        held = {other for case in cases if (other := partner(case))}
        assert held and held <= set(cases), figure


def test_the_seven_are_those_with_the_smallest_n_and_have_stand_ins_at_hand() -> None:
    table = printed_table("ooclu_table2_matrices").nsmallest(7, "order")
    assert set(table["abbr"]) == set(arrays.the_seven())
    figure = next(experiment for experiment in experiments() if experiment.id == "ooclu-fig6")
    assert set(figure.only) == set(table["matrix"])
    at_hand = {e.id for e in ENTRIES if e.suite == "small"}
    for matrix in figure.only:
        assert matrix in at_hand or any(matrix in e.stands_for for e in ENTRIES if e.id in at_hand), matrix
    shown = dict(abbreviations("ooclu"))
    largest = printed_table("ooclu_table2_matrices").nlargest(3, "order")["matrix"]
    assert {shown[matrix] for matrix in largest} == set(arrays.LARGEST)


def test_without_a_gpu_nothing_of_this_paper_is_run_but_two_figures_baselines() -> None:
    for suite in SUITES:
        for experiment in (
            e for e in experiments() if e.paper == "ooclu" and e.figure not in ("fig4", "kahn")
        ):
            for case in figure_cases("ooclu", experiment.figure, Settings(suite=suite)):
                assert registry.lookup(case.stage, case.implementation).device == "gpu"


# ---- Table 2


def test_table2_has_the_print_beside_the_measured_and_the_memory() -> None:
    apache2 = measured("out_of_core", 2.0, "apache2")
    frame = frame_of(table2.EXHIBIT.frame, measured("out_of_core", 1.0), apache2).set_index("abbr")
    row = frame.loc["OT2"]
    assert (row["paper_n"], row["paper_own_nnz"], row["paper_nnz_per_row"]) == (36057, 227628, 6.3)
    assert (row["n"], row["own_nnz"]) == (36057, 227628) and row["nnz_per_row"] == pytest.approx(6.3, abs=0.1)
    assert row["managed_bytes"] == 24 * 36057**2 and row["safe_bytes"] == LARGE / 2
    assert row["times_card"] == pytest.approx(24 * 36057**2 / LARGE)
    assert (row["launches"], row["peak_memory"]) == (2, 3e9)
    assert frame.loc["AP", "own_nnz"] == frame.loc["AP", "paper_own_nnz"], "the lower triangle, as printed"
    assert len(frame) == 18 and frame.loc["WI", "status"] == "not_run"
    assert frame.loc["WI", "managed_bytes"] == 24 * 40816**2 and pd.isna(frame.loc["WI", "launches"])
    drawn = [text.get_text() for text in table2.EXHIBIT.picture(frame.reset_index()).axes[0].texts]
    assert drawn.count("printed") == 2 and "onetone2 (OT2)" in drawn and "31.20" in drawn
    assert "windtunnel_evap3d (WI)" not in drawn, "what was not measured is a line below"
    assert "Not measured: Goodwin_054 (GO), bbmat (BB)" in table2.EXHIBIT.words(frame.reset_index())
    assert "the card here in 1 of 2 rows" in table2.EXHIBIT.words(frame.reset_index())


def test_table2_labels_stand_ins_and_keeps_what_failed() -> None:
    failed = measured("out_of_core", 1.0, STAND_IN, status=Status.WRONG, seconds=[])
    frame = frame_of(table2.EXHIBIT.frame, failed)
    row = one(frame)
    assert row["stand_in_for"] == "BB, MI, GO, WI" and row["abbr"] is None and pd.isna(row["peak_memory"])
    assert "wrong" in [text.get_text() for text in table2.EXHIBIT.picture(frame).axes[0].texts]


def test_what_the_text_says_of_table_2_is_held_against_table_2() -> None:
    """crankseg_1 and crankseg_2 are denser than WI and MI, and onetone1 is sparser than rajat15."""
    verdicts = table2.EXHIBIT.verdicts(frame_of(table2.EXHIBIT.frame))
    words = {v.claim.rpartition(".")[2]: v for v in verdicts if "in_words" in v.claim}
    assert {name: v.numbers for name, v in words.items()} == {
        "exceed": "18 of 18, printed all", "highest": "0 of 2, printed all",
        "lowest": "2 of 2, printed all", "lowest_of_seven": "1 of 2, printed all",
    }  # fmt: skip
    assert {v.outcome for v in words.values()} == {"derived"}
    assert {name for name, v in words.items() if v.why.endswith("the two agree")} == {"exceed", "lowest"}
    assert not {v.machine for v in words.values()} - {""}, "no machine has a part in it"


# ---- Figure 3


def keep(matrix: str, edges: np.ndarray[Any, Any]) -> Record:
    """A record of out_of_core whose series, the entries that each row examines, is on disk."""
    path = series_path("h200", case_of("out_of_core", matrix).name)
    name = write_series(path, Series(edges=edges), len(edges))
    record = measured("out_of_core", 1.0, matrix)
    return replace(record, series=name, prepared={**(record.prepared or {}), "n": len(edges)})


def test_the_split_is_the_first_iteration_above_half_of_the_largest() -> None:
    entries = np.concatenate([np.full(500, 10), np.full(400, 400), np.full(100, 810)])
    frame = frame_of(fig3.EXHIBIT.frame, keep("cage11", entries))
    own = frame[frame["case"].notna()]
    per_row = catalogue.lookup("cage11").nnz_with_zeros / 1000
    assert len(own) == fig3.ITERATIONS and own["largest"].iloc[0] == pytest.approx(810 / per_row)
    assert own["frontier"].iloc[0] == pytest.approx(10 / per_row), "not bounded by what a step takes"
    assert set(own["split"]) == {90} and set(own["before"]) == {90} and set(own["stand_in_for"]) == {"pre2"}
    drawn = fig3.EXHIBIT.picture(frame)
    assert [axes.get_title(loc="left") for axes in drawn.axes if axes.get_title(loc="left")] == [
        "cage11, stand-in: pre2"
    ]
    assert "after 90% of the iterations" in texts(drawn.axes[0])
    assert "Not measured: audikw_1, pre2." in fig3.EXHIBIT.words(frame)


@pytest.mark.parametrize(("rise", "outcome"), [(0.95, "reproduced"), (0.3, "contradicted")])
def test_frontiers_are_late_where_the_last_tenth_alone_has_the_large_ones(rise: float, outcome: str) -> None:
    """An early iteration with large frontiers is what the paper says does not happen."""
    entries = np.full(1000, 10)
    entries[int(1000 * rise) : int(1000 * rise) + 20] = 900
    own = [keep(matrix, entries) for matrix in fig3.SHOWN]
    (verdict,) = fig3.EXHIBIT.verdicts(frame_of(fig3.EXHIBIT.frame, *own))
    assert verdict.outcome == outcome and verdict.firm, "of the paper's own two, and of no time"
    verdicts = fig3.EXHIBIT.verdicts(frame_of(fig3.EXHIBIT.frame, keep("cage11", entries)))
    assert [v.outcome for v in verdicts] == ["not run", "beside the print"], "too far from pre2 to weigh"


def test_a_matrix_of_figure_3_without_a_series_says_so() -> None:
    own, lacking = keep("pre2", np.arange(1, 90)), measured("out_of_core", 1.0, "bcsstk32")
    frame = frame_of(fig3.EXHIBIT.frame, own, lacking, more=(case_of("out_of_core", "audikw_1"),))
    panels = [axes for axes in fig3.EXHIBIT.picture(frame).axes if axes.get_title(loc="left")]
    shown = {axes.get_title(loc="left"): texts(axes) for axes in panels}
    assert list(shown) == ["pre2 (PR)", "bcsstk32, stand-in: audikw_1"]
    assert "names no series" in shown["bcsstk32, stand-in: audikw_1"]
    assert "Not measured: audikw_1." in fig3.EXHIBIT.words(frame)


# ---- Figure 6


def test_unified_memory_is_held_against_out_of_core_in_one_run() -> None:
    frame = frame_of(fig6.EXHIBIT.frame, *three(1.0, 1.5, 3.0)).set_index("variant")
    assert frame.loc["unified memory, prefetched", "ratio"] == pytest.approx(1.5)
    assert frame.loc["unified memory", "ratio"] == pytest.approx(3.0)
    assert frame.loc["unified memory", "ratio_high"] == pytest.approx(3.6 / 0.9)
    assert frame.loc["out_of_core", "pair"] == "baseline" and pd.isna(frame.loc["out_of_core", "ratio"])
    drawn = fig6.EXHIBIT.picture(frame.reset_index())
    (axes,) = drawn.axes
    assert all(text in texts(axes) for text in ("1 s", "1.5x", "3x")), "out_of_core has its seconds"
    assert names(axes) == ["onetone2 (OT2), nnz/n 6.31\n31 GB (fits)"], "only what was measured"
    assert "not run" not in texts(axes)
    words = fig6.EXHIBIT.words(frame.reset_index())
    assert "nothing is evicted" in words and "Not measured: Goodwin_054 (GO)" in words


KEPT = "unified_memory.keep=true.prefetch=true"


def test_kept_arrays_are_a_bar_of_their_own_and_in_no_claim() -> None:
    """The paper allocates for each call: what is kept is beside its ratios."""
    ways = three(1.0, 1.5, 3.0, card=SMALL)
    frame = frame_of(fig6.EXHIBIT.frame, *ways, measured(KEPT, 1.2, card=SMALL))
    row = frame.set_index("variant").loc[arrays.KEPT]
    assert row["ratio"] == pytest.approx(1.2) and pd.isna(row["prefetched_ratio"])
    (axes,) = fig6.EXHIBIT.picture(frame).axes
    legend = axes.get_legend() or axes.figure.legends[0]
    assert "1.2x" in texts(axes) and arrays.KEPT in [text.get_text() for text in legend.get_texts()]
    with_it, without = (fig6.EXHIBIT.verdicts(rows) for rows in (frame, frame_of(fig6.EXHIBIT.frame, *ways)))
    assert with_it == without


def test_figure_6_says_what_its_seconds_contain() -> None:
    base, prefetched, plain = three(1.0, 2.0, 3.0)
    words = fig6.EXHIBIT.words(frame_of(fig6.EXHIBIT.frame, base, prefetched, plain))
    assert "releasing them" in words and "Of the prefetched seconds" not in words, "no phase says it"
    phases = {"prefetch": [0.5] * 3, "traverse": [1.0] * 3, "release": [0.8] * 3}
    frame = frame_of(fig6.EXHIBIT.frame, base, replace(prefetched, phases=phases), plain)
    row = frame.set_index("variant").loc[arrays.PREFETCHED]
    assert (row["pages_share"], row["release_share"]) == pytest.approx((25, 40))
    assert "pages are 25 to 25 % and release 40 to 40 %" in fig6.EXHIBIT.words(frame)


def all_seven(prefetched: Callable[[int], float], plain: float = 3.0, *, card: int = SMALL) -> list[Record]:
    """Of each of the seven, the densest first: out_of_core in a second, unified memory in so many with
    prefetching, by its place, and in `plain` times as many without. No sample differs."""
    table = printed_table("ooclu_table2_matrices")
    seven = table[table["abbr"].isin(arrays.the_seven())].sort_values("nnz_per_row", ascending=False)
    return [
        measured(name, s, matrix, card=card, seconds=[s] * 3)
        for place, matrix in enumerate(seven["matrix"])
        for name, s in zip(WAYS, (1.0, prefetched(place), plain * prefetched(place)), strict=True)
    ]


def outcomes_of(exhibit: Any, *records: Record) -> dict[str, str]:
    """What became of each claim on the paper's own matrices, or on all where it is of matrices at large."""
    verdicts = exhibit.verdicts(frame_of(exhibit.frame, *records))
    judged = [v for v in verdicts if v.scope in (Scope.PAPER, Scope.ANY)]
    return {v.claim.rpartition(".")[2]: str(v.outcome) for v in judged}


def test_where_the_arrays_fit_no_claim_of_unified_memory_is_judged() -> None:
    verdicts = fig6.EXHIBIT.verdicts(frame_of(fig6.EXHIBIT.frame, *three(1.0, 1.5, 3.0)))
    assert {v.outcome for v in verdicts} == {"cannot be tested here"} and "fits" in verdicts[0].basis
    assert "may not be filled" in verdicts[0].why, "a shared card forbids it, and that is said"
    assert verdicts[0].numbers == "1.5x (onetone2 (OT2)), printed 1.2x to 2.2x; 1 of 1 within it"
    assert set(outcomes_of(fig6.EXHIBIT, *all_seven(lambda place: 1.2 + place / 6, card=LARGE)).values()) == {
        "cannot be tested here"
    }


@pytest.mark.parametrize(
    ("prefetched", "plain", "expected"),
    [
        (lambda place: 1.2 + place / 6, 3.0, dict.fromkeys(("range", "order", "density"), "reproduced")),
        (
            lambda place: 2.2 - place / 6,
            3.0,
            {"range": "reproduced", "order": "reproduced", "density": "contradicted"},
        ),
        (lambda place: 0.5 + place / 60, 3.0, {"range": "contradicted", "order": "contradicted"}),
        (lambda place: 1.2 + place / 6, 0.9, {"range": "reproduced", "order": "contradicted"}),
        (lambda place: 4.0 + place / 6, 3.0, {"range": "deviates", "order": "reproduced"}),
    ],
)
def test_oversubscribed_the_claims_of_unified_memory_are_judged(
    prefetched: Callable[[int], float], plain: float, expected: dict[str, str]
) -> None:
    outcomes = outcomes_of(fig6.EXHIBIT, *all_seven(prefetched, plain))
    assert expected.items() <= outcomes.items() and outcomes["density_prefetched"] == outcomes["density"]


def test_the_regimes_of_a_figure_are_judged_apart() -> None:
    small = three(1.0, 1.5, 3.0, matrix=STAND_IN, card=SMALL)
    both = fig6.EXHIBIT.verdicts(frame_of(fig6.EXHIBIT.frame, *three(1.0, 1.5, 3.0, card=SMALL), *small))
    regimes = {next(r for r in ("oversubscribed", "fits") if r in v.basis): v.outcome for v in both}
    assert regimes == {"oversubscribed": "inconclusive", "fits": "cannot be tested here"}
    nothing = fig6.EXHIBIT.verdicts(frame_of(fig6.EXHIBIT.frame, more=(case_of("out_of_core"),)))
    assert {v.outcome for v in nothing} == {"not run"} and len(nothing) == 4


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": Status.OUT_OF_MEMORY, "seconds": []}, "out of memory"),
        ({"run_id": "run-2"}, "two runs"),
        ({"machine": "other"}, "out of core not run"),
    ],
)
def test_what_cannot_be_paired_is_a_slot_that_says_why(changes: dict[str, Any], said: str) -> None:
    base, prefetched, plain = three(1.0, 1.5, 3.0)
    frame = frame_of(fig6.EXHIBIT.frame, base, prefetched, replace(plain, **changes))
    assert frame.loc[frame["variant"] == "unified memory", "ratio"].isna().all()
    assert said in [text.get_text() for text in fig6.EXHIBIT.picture(frame).axes[0].texts]


def test_a_card_of_unknown_memory_has_no_regime() -> None:
    frame = frame_of(fig6.EXHIBIT.frame, *(replace(record, gpu=None) for record in three(1.0, 1.5, 3.0)))
    assert set(frame["regime"]) == {""} and names(fig6.EXHIBIT.picture(frame).axes[0])[0].endswith("31 GB")
    first = fig6.EXHIBIT.verdicts(frame)[0]
    assert first.outcome == "cannot be tested here" and "regime unknown" in first.basis


def test_two_machines_are_two_series_and_slots_add_none() -> None:
    there = [replace(record, machine="v100", gpu={"memory": SMALL}) for record in three(1.0, 2.0, 4.0)]
    frame = frame_of(fig6.EXHIBIT.frame, *three(1.0, 1.5, 3.0), *there)
    drawn = fig6.EXHIBIT.picture(frame)
    shown = [text.get_text() for text in drawn.axes[0].get_legend().get_texts()]
    assert "unified memory, prefetched, v100" in shown
    assert not [name for name in shown if "no machine" in name]


def test_much_longer_bars_get_a_log_axis() -> None:
    frame = frame_of(fig6.EXHIBIT.frame, *three(1.0, 1.5, 300.0))
    assert fig6.EXHIBIT.picture(frame).axes[0].get_yscale() == "log"


# ---- Table 3


def test_shares_are_of_the_counted_call_and_movement_of_the_link() -> None:
    base, prefetched, plain = three(1.0, 1.5, 3.0)
    base = replace(base, work=counting(bytes_matrix=1e6, spilled=250_000.0))
    count(plain, fault_share=0.75)
    count(prefetched, gpu_fault_groups=3_000.0, fault_share=0.25, overhead=1.1)
    frame = frame_of(table3.EXHIBIT.frame, base, prefetched, plain)
    row = one(frame)
    assert (row["groups"], row["prefetched_groups"], row["reduction"]) == (12_000, 3_000, 4)
    assert row["share"] == pytest.approx(75) and row["share_told"] == "ok"
    assert row["prefetched_share"] == pytest.approx(25)
    assert row["movement"] == pytest.approx(100 * (1e6 + 16 * 250_000) / 5e10)
    assert (row["overhead"], row["prefetched_overhead"]) == (1.2, 1.1) and row["both"] == "ok"
    assert (row["paper_groups"], row["paper_prefetched_share"], row["paper_movement"]) == (16734, 56.60, 0.06)
    cells = [text.get_text() for text in table3.EXHIBIT.picture(frame).axes[0].texts]
    assert {"12,000", "16,734", "75.0", "1.20x", "fits", "printed"} <= set(cells)
    assert "not run" not in cells, "the paper's others are a line below"
    found = {verdict.claim.rpartition(".")[2]: verdict for verdict in table3.EXHIBIT.verdicts(frame)}
    assert found["reduction"].outcome == found["groups"].outcome == "cannot be tested here"
    movement = found["movement"]
    assert movement.outcome == "deviates"
    assert movement.value == pytest.approx(row["movement"]) and movement.printed == 0.06


def test_more_than_all_of_the_time_is_no_share_of_it() -> None:
    """Groups that are serviced at once add up to more than the call; their number stays."""
    base, prefetched, plain = three(1.0, 1.5, 3.0, card=SMALL)
    count(plain, fault_share=1.049)
    frame = frame_of(table3.EXHIBIT.frame, base, count(prefetched, fault_share=0.25), plain)
    row = one(frame)
    assert pd.isna(row["share"]) and pd.isna(row["over_movement"]) and row["groups"] == 12_000
    assert (row["told"], row["share_told"], row["prefetched_share_told"]) == ("ok", "groups_overlap", "ok")
    assert "groups overlap" in [text.get_text() for text in table3.EXHIBIT.picture(frame).axes[0].texts]
    verdicts = {verdict.claim.rpartition(".")[2]: verdict for verdict in table3.EXHIBIT.verdicts(frame)}
    assert verdicts["time"].outcome == verdicts["density"].outcome == "not run"
    assert verdicts["time"].left_out[0][1] == "groups overlap"
    assert verdicts["groups"].outcome == "deviates" and verdicts["time_prefetched"].n


def test_table3_is_judged_where_memory_is_oversubscribed() -> None:
    _, prefetched, plain = three(1.0, 1.5, 3.0, card=SMALL)
    frame = frame_of(table3.EXHIBIT.frame, count(prefetched, gpu_fault_groups=6_000.0), count(plain))
    found = {verdict.claim.rpartition(".")[2]: verdict for verdict in table3.EXHIBIT.verdicts(frame)}
    reduction = found["reduction"]
    assert reduction.outcome == "deviates" and reduction.basis.endswith("oversubscribed")
    assert reduction.factor == pytest.approx(2 / (16734 / 4638)) and found["movement"].outcome == "not run"
    assert one(frame)["out_of_core_told"] == "not_run"


def test_no_fault_left_with_prefetching_is_no_ratio() -> None:
    records = three(1.0, 1.5, 2.0)
    for record, groups in zip(records, (0.0, 0.0, 12_000.0), strict=True):
        count(record, gpu_fault_groups=groups)
    frame = table3.EXHIBIT.frame(Records(tuple(records)), ENTRIES, [Case.parse(r.case) for r in records])
    row = frame[frame["status"] == "ok"].iloc[0]
    assert row["groups"] == 12_000 and row["prefetched_groups"] == 0 and pd.isna(row["reduction"])
    (reduction,) = [v for v in table3.EXHIBIT.verdicts(frame) if v.claim.endswith(".reduction")]
    assert reduction.outcome == "not run"


def test_what_was_not_counted_is_said_and_not_inferred() -> None:
    base, prefetched, plain = three(1.0, 1.5, 3.0)
    count(replace(plain, key="0" * 64))
    row = one(frame_of(table3.EXHIBIT.frame, base, prefetched, plain))
    assert row["told"] == row["prefetched_told"] == row["out_of_core_told"] == "not_measured"
    assert pd.isna(row["groups"]) and pd.isna(row["movement"]) and pd.isna(row["reduction"])
    refused = replace(plain, status=Status.OUT_OF_MEMORY, seconds=[])
    frame = frame_of(table3.EXHIBIT.frame, count(base), count(prefetched), refused)
    assert one(frame)["both"] == "out_of_memory" and one(frame)["movement"] > 0
    said = [text.get_text() for text in table3.EXHIBIT.picture(frame).axes[0].texts]
    assert said.count("out of memory") == 2, "where its groups and their time would stand"
    assert {v.outcome for v in table3.EXHIBIT.verdicts(frame) if "groups" in v.basis} == {
        "not run",
        "cannot be tested here",
    }


def test_a_machine_has_a_row_of_its_own() -> None:
    there = replace(three(1.0, 2.0, 4.0)[2], machine="v100", gpu={"memory": SMALL})
    own = frame_of(table3.EXHIBIT.frame, *three(1.0, 1.5, 3.0), count(there))
    rows = own[own["case"].notna()].set_index("machine")
    assert list(rows.index) == ["h200", "v100"] and rows.loc["v100", "regime"] == "oversubscribed"
    assert rows.loc["v100", "prefetched_told"] == "not_run"


def counted_with(share_of: Callable[[int], float], prefetched: float, card: int) -> list[Record]:
    """Of the seven, the densest first: the share of time that faults take without prefetching by place, and
    with it; out_of_core moves 0.1 % of its time."""
    records = all_seven(lambda place: 1.5, card=card)
    moved = counting(bytes_matrix=5e7, spilled=0.0)
    kept = []
    for place in range(7):
        base, ahead, plain = records[3 * place : 3 * place + 3]
        kept += [
            replace(base, work=moved), count(ahead, fault_share=prefetched),
            count(plain, fault_share=share_of(place)),
        ]  # fmt: skip
    return [count(record) if "out_of_core" in record.case else record for record in kept]


@pytest.mark.parametrize(
    ("share_of", "outcome"),
    [(lambda place: 0.3 + place / 20, "reproduced"), (lambda place: 0.7 - place / 20, "contradicted")],
)
def test_the_share_of_faults_falls_with_density_or_rises(
    share_of: Callable[[int], float], outcome: str
) -> None:
    """Where the arrays do not fit, as in the rest of the table."""
    assert outcomes_of(table3.EXHIBIT, *counted_with(share_of, 0.2, SMALL))["density"] == outcome
    fits = outcomes_of(table3.EXHIBIT, *counted_with(share_of, 0.2, LARGE))
    assert fits["density"] == "cannot be tested here"


@pytest.mark.parametrize(("prefetched", "outcome"), [(0.2, "reproduced"), (0.0, "contradicted")])
def test_faults_take_more_than_movement_does(prefetched: float, outcome: str) -> None:
    records = counted_with(lambda place: 0.5, prefetched, SMALL)
    assert outcomes_of(table3.EXHIBIT, *records)["above_movement"] == outcome
    fits = counted_with(lambda place: 0.5, prefetched, LARGE)
    assert outcomes_of(table3.EXHIBIT, *fits)["above_movement"] == "cannot be tested here"


# ---- faults


def test_the_papers_counts_are_1_09_to_1_31_times_the_first_touches() -> None:
    frame = frame_of(faults.EXHIBIT.frame)
    printed = frame[(frame["source"] == PRINT) & (frame["variant"] == "unified memory")]
    assert len(frame) == 14 and len(printed) == 7
    assert printed["over_first_touches"].round(2).agg(["min", "max"]).tolist() == [1.09, 1.31]
    assert BLOCK == 2**21 and first_touches(pd.Series([2**20]))[0] == 24 * 2**40 / 2**21
    caption = faults.EXHIBIT.words(frame)
    assert "1.09 to 1.31 times" in caption and "rank correlation +0.82" in caption
    assert "No case has been counted here" in caption
    assert faults.EXHIBIT.picture(frame).axes


def test_faults_that_were_counted_stand_beside_the_print() -> None:
    _, prefetched, plain = three(1.0, 1.5, 3.0, matrix=STAND_IN)
    lacking = measured("unified_memory", 2.0, OTHER)
    frame = frame_of(faults.EXHIBIT.frame, count(prefetched, gpu_fault_groups=2.0), count(plain), lacking)
    own = frame[frame["source"] != PRINT].set_index("case")
    row = own.loc[plain.case]
    assert row["over_first_touches"] == pytest.approx(12_000 / (24 * 7740**2 / 2**21))
    assert row["nnz_per_row"] == pytest.approx(458012 / 7740) and row["regime"] == "fits"
    assert own.loc[lacking.case, "told"] == "not_measured" and pd.isna(own.loc[lacking.case, "groups"])
    drawn = faults.EXHIBIT.picture(frame)
    assert "ex40" in texts(drawn.axes[0]) and "cage11" not in texts(drawn.axes[0])
    (legend,) = drawn.legends
    assert "measured, prefetched" in [text.get_text() for text in legend.get_texts()]


def test_names_stand_beside_their_points_and_over_no_other() -> None:
    axes = style.new_figure(6.0, 6.0).subplots()
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    points = [(5.0, 5.0), (5.0, 5.05), (5.0, 5.1), (9.9, 5.0)]
    labels.write_names(axes, points, ["first", "second", "third", "a long name"])
    heights = [text.xyann[1] for text in axes.texts if text.get_text() != "a long name"]
    assert np.diff(np.sort(heights)).min() >= labels.LINE
    assert [text.get_ha() for text in axes.texts if text.get_text() == "a long name"] == ["right"]


# ---- budgets


def test_dynamic_assignment_gains_where_several_launches_were_needed() -> None:
    one_launch, off = counting(launches=1.0), "out_of_core.dynamic_assignment=false.memory_budget"
    records = [
        measured("out_of_core.memory_budget=1GB", 1.0, OTHER),
        measured(f"{off}=1GB", 1.25, OTHER, work=one_launch),
        measured("out_of_core.memory_budget=64MB", 2.0, OTHER),
        measured(f"{off}=64MB", 2.1, OTHER),
        measured("out_of_core.memory_budget=250MB", 2.0, OTHER, run_id="run-2"),
        measured(f"{off}=250MB", 2.1, OTHER),
    ]
    frame = frame_of(fig7.EXHIBIT.frame, *records)
    assert list(frame["budget"]) == ["1GB", "250MB", "64MB"]
    assert list(frame["pair"]) == ["ok", "two_runs", "ok"]
    assert frame["gain"].tolist() == pytest.approx([25, float("nan"), 5], nan_ok=True)
    assert frame["binds"].tolist() == [0, 1, 1] and set(frame["stand_in_for"]) == {"PR"}
    (axes,) = fig7.EXHIBIT.picture(frame).axes
    assert "+5%" in texts(axes) and "two runs" in texts(axes)
    assert "+25%" not in texts(axes) and names(axes) == [
        "cage11, 250MB\nstand-in: PR", "cage11, 64MB\nstand-in: PR",
    ], "where nothing binds there is nothing to see"  # fmt: skip
    of_none, largest, faster = fig7.EXHIBIT.verdicts(frame)
    assert of_none.outcome == "not run" and largest.outcome == "beside the print"
    assert largest.numbers == "5% (cage11 at 64MB), printed 10% (the largest)"
    assert faster.numbers.startswith("1 of 1") and largest.n == 1


def test_dynamic_assignment_is_faster_only_if_every_budget_that_binds_says_so() -> None:
    off = "out_of_core.dynamic_assignment=false.memory_budget"
    gains = {"64MB": 1.5, "250MB": 0.8}
    records = [
        record
        for matrix in (OTHER, "bcsstk32", "qa8fk", STAND_IN)
        for budget, seconds in gains.items()
        for record in (
            measured(f"out_of_core.memory_budget={budget}", 1.0, matrix, seconds=[1.0] * 3),
            measured(f"{off}={budget}", seconds, matrix, seconds=[seconds] * 3),
        )
    ]
    for chosen, outcome, numbers in (
        (records, "contradicted", "0 of 4, printed all"),
        ([r for r in records if OTHER in r.case], "deviates", "0 of 1, printed all"),
        ([r for r in records if "64MB" in r.case], "reproduced", "4 of 4, printed all"),
    ):
        frame = frame_of(fig7.EXHIBIT.frame, *chosen)
        (faster,) = [v for v in fig7.EXHIBIT.verdicts(frame) if v.claim.endswith("faster")]
        assert faster.outcome == outcome and faster.numbers.startswith(numbers)


def test_what_several_ratios_say_is_of_the_least_of_their_processes() -> None:
    off = "out_of_core.dynamic_assignment=false.memory_budget"
    budgets_of_one = [
        measured(f"{name}={budget}", seconds, OTHER)
        for budget in ("64MB", "250MB")
        for name, seconds in (("out_of_core.memory_budget", 1.0), (off, 1.5))
    ]
    gains = frame_of(fig7.EXHIBIT.frame, *budgets_of_one).assign(gain_processes=[5.0, 2.0])
    ways = frame_of(fig6.EXHIBIT.frame, *three(1.0, 2.0, 3.0))
    for judged, frame, number in (
        (fig7._least, gains, "gain"),
        (fig7._least, gains.iloc[::-1], "gain"),
        (fig6._least_steps, ways.assign(ratio_processes=5.0, prefetched_ratio_processes=2.0), "least_step"),
        (fig6._least_steps, ways.assign(ratio_processes=2.0, prefetched_ratio_processes=5.0), "least_step"),
    ):
        (subset,) = judged(frame)
        assert subset.rows[f"{number}_processes"].tolist() == [2.0]


@pytest.mark.parametrize(("off", "gain"), [(2.0, "100%"), (0.7, "-30%")])
def test_the_largest_gain_of_other_matrices_is_none_of_the_papers(off: float, gain: str) -> None:
    """The paper names no matrix, so that the number stands beside the ten per cent and decides nothing."""
    pairs = [
        record
        for matrix in (OTHER, "bcsstk32", "qa8fk")
        for record in (
            measured("out_of_core.memory_budget=64MB", 1.0, matrix),
            measured("out_of_core.dynamic_assignment=false.memory_budget=64MB", off, matrix),
        )
    ]
    judged, shown = [
        v for v in fig7.EXHIBIT.verdicts(frame_of(fig7.EXHIBIT.frame, *pairs)) if v.claim.endswith("largest")
    ]
    assert judged.outcome == "not run" and shown.outcome == "beside the print"
    assert shown.numbers.startswith(gain) and shown.scope is Scope.PANEL


def test_launches_that_are_not_known_bind_nothing() -> None:
    unknown = counting(launches=None)
    pair = (
        measured("out_of_core.memory_budget=64MB", 1.0, OTHER),
        measured("out_of_core.dynamic_assignment=false.memory_budget=64MB", 1.5, OTHER, work=unknown),
    )
    frame = frame_of(fig7.EXHIBIT.frame, *pair)
    assert frame["binds"].isna().all() and fig7.EXHIBIT.verdicts(frame)[0].outcome == "not run"


def test_a_budget_is_held_against_none_and_gsofa_stands_beside() -> None:
    records = [
        measured("out_of_core", 2.0, work=counting(launches=1.0)),
        measured("out_of_core.memory_budget=64MB", 8.0),
        measured("out_of_core.memory_budget=16GB", 2.0, work=counting(launches=1.0)),
        measured("out_of_core.memory_budget=1GB", 3.0, status=Status.OUT_OF_MEMORY, seconds=[]),
        measured("gsofa", 1.0, work=counting(launches=1.0)),
    ]
    frame = frame_of(budgets.EXHIBIT.frame, *records)
    assert list(frame["budget"].fillna("gsofa")) == ["64MB", "1GB", "16GB", "gsofa"]
    assert frame["ratio"].tolist() == pytest.approx([4, float("nan"), 1, 0.5], nan_ok=True)
    assert frame["binds"].fillna(-1).tolist() == [1, -1, 0, -1], "what failed and gsofa have no chunks"
    axes = budgets.EXHIBIT.picture(frame).axes[0]
    assert names(axes) == ["64MB", "1GB", "16GB", "none"] and "gsofa: 0.5x" in texts(axes)
    assert "out of memory" in texts(axes) and "1x: 2 s" in texts(axes) and "4x" in texts(axes)


def test_a_panel_without_a_ratio_says_why() -> None:
    budgeted = case_of("out_of_core.memory_budget=1GB")
    frame = frame_of(budgets.EXHIBIT.frame, more=(case_of("out_of_core"), budgeted))
    assert "nothing was measured" in texts(budgets.EXHIBIT.picture(frame).axes[0])
    failed = measured("out_of_core.memory_budget=1GB", 1.0, status=Status.TIMEOUT, seconds=[])
    frame = frame_of(budgets.EXHIBIT.frame, failed, more=(case_of("out_of_core"),))
    assert "timeout" in texts(budgets.EXHIBIT.picture(frame).axes[0])


def test_a_reader_without_a_gpu_has_an_empty_picture_and_no_number() -> None:
    gone = [replace(unavailable(Case.parse(r.case), 1), machine="laptop") for r in three(1.0, 1.5, 3.0)]
    frame = frame_of(fig6.EXHIBIT.frame, *gone)
    assert set(frame.loc[frame["case"].notna(), "pair"]) == {"unavailable", "baseline"}
    assert not names(fig6.EXHIBIT.picture(frame).axes[0])
    words = fig6.EXHIBIT.words(frame)
    assert "Nothing was measured here." in words and "onetone2 (OT2)" in words
    table = table3.EXHIBIT.picture(frame_of(table3.EXHIBIT.frame, *gone))
    assert "onetone2 (OT2)" not in [text.get_text() for text in table.axes[0].texts]


# ---- all of them


def everything() -> list[Record]:
    """Of each case of the paper's figures a result, and of some a failure."""
    cases = {
        case
        for figure in figures.exhibits("ooclu")
        for case in figure_cases("ooclu", figure, Settings(suite="small"))
    }
    records = [made_record(case, 1) for case in sorted(cases, key=lambda case: case.name)]
    return [
        replace(
            record, machine="h200", device="NVIDIA H200", gpu={"memory": LARGE},
            status=Status.OK if place % 4 else Status.TIMEOUT, seconds=[1.0 + place] * 3 if place % 4 else [],
            prepared={**(record.prepared or {}), "n": 50_000, "entries": 700_000}, work=counting(),
        )
        for place, record in enumerate(records)
    ]  # fmt: skip


@pytest.mark.parametrize("figure", daily(figures.exhibits("ooclu"), "fig3", "fig6", "table2", "kahn"))
def test_a_picture_of_any_rows_is_drawn_and_judged(figure: str) -> None:
    """Of some results and no failure, of failures alone, and of nothing."""
    shown = figures.exhibit("ooclu", figure)
    cases = list(figure_cases("ooclu", figure, Settings(suite="small")))
    frame = shown.frame(Records(tuple(everything())), ENTRIES, cases)
    nothing = shown.frame(Records(), ENTRIES, cases)
    ok = frame["status"] == "ok"
    for rows in (frame[ok].iloc[1::2], frame[~ok], nothing, nothing.iloc[:0]):
        part = rows.reset_index(drop=True)
        assert style.measured(shown.picture(part)).height > 0
        assert shown.words(part)
        assert all(verdict.text for verdict in shown.verdicts(part))
