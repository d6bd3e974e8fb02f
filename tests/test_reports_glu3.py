"""GLU3.0's tables and figures, from made records. All numbers are made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.engine.series import series_path, write_series
from benchmarks.runs.cases import figure_cases
from benchmarks.runs.experiments import experiments
from fetch import catalogue
from fillpath import registry
from fillpath.case import Case
from fillpath.nouns import LevelSeries
from fillpath.record import Record, Status
from fillpath.settings import SUITES, Settings
from impl.numeric.right_looking import AUTHORS
from reports.facts.claims import claim
from reports.facts.naming import label, printed_label
from reports.facts.printed import abbreviation, abbreviations
from reports.frames import examples
from reports.frames.examples import EXAMPLES, METHODS, SLIDES
from reports.frames.variants import variant_of
from reports.glu3 import dependencies, levels, phases, table1, table2
from tests.dependencies import depends, longest_paths
from tests.reports_fakes import made_frame, made_record, unavailable

OWN, STAND_IN = "rajat12", "add32"
ENTRIES = catalogue.entries()


def case_of(stage: str, name: str, matrix: str = OWN, preparation: str = "mc64+amd") -> Case:
    return Case.parse(f"{stage}.{name}@{matrix}.{preparation}")


def measured(
    name: str,
    milliseconds: float,
    matrix: str = OWN,
    *,
    stage: str = "levels",
    facts: Any = (),
    **changes: Any,
) -> Record:
    """An ok record: three samples around the median."""
    entry = catalogue.lookup(matrix)
    record = made_record(case_of(stage, name, matrix), 1)
    prepared = {**(record.prepared or {}), "n": entry.order, "entries": entry.nnz_with_zeros}
    work = {"edges": None, "fills": None, "facts": dict(facts)}
    samples = [milliseconds * factor / 1e3 for factor in (0.9, 1.0, 1.2)]
    record = replace(record, status=Status.OK, machine="box", prepared=prepared, work=work, seconds=samples)
    return replace(record, **changes)


def levelled(matrix: str = OWN, *, exact: int = 37, relaxed: int = 39, filled: int = 13948) -> list[Record]:
    """Exact in 8 ms, without its third loop in 2, relaxed in 1."""
    counted = {"levels": float(exact), "dependencies": 1000.0, "double_u": 40.0, "searched": 9e4}
    return [
        measured("glu2", 8.0, matrix, facts=counted),
        measured("glu2.search=closed", 2.0, matrix, facts=counted | {"searched": 0.0}),
        measured(
            "glu3_relaxed", 1.0, matrix,
            facts={"levels": float(relaxed), "dependencies": 1100.0, "filled": float(filled)},
        ),
    ]  # fmt: skip


def frame_of(function: Any, *records: Record, more: tuple[Case, ...] = ()) -> pd.DataFrame:
    """The figure's frame from these records, and cases without one."""
    return made_frame(function, ENTRIES, records, more)


def cells(figure: Any) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


# ---- what they share


def test_the_paper_calls_its_matrices_by_their_names() -> None:
    own, other = catalogue.lookup(OWN), catalogue.lookup(STAND_IN)
    assert len(abbreviations("glu3")) == 15 and abbreviation(own, "glu3") == OWN
    assert abbreviation(other, "glu3") is None
    assert label(OWN, own, "glu3") == printed_label(OWN, "glu3") == OWN, "no second name in brackets"


def test_experiments_have_what_their_figures_show() -> None:
    ours = [experiment for experiment in experiments() if experiment.paper == "glu3"]
    shown = {
        "table1": set(table1.WIDE.variants.values()),
        "table2": set(table2.WIDE.variants.values()),
        "levels": {"glu3_relaxed.series=true"},
        "dependencies": set(dependencies.COUNTED),
        "phases": set(phases.PHASES),
    }
    assert {e.figure for e in ours} == set(shown)
    for figure, variants in shown.items():
        cases = figure_cases("glu3", figure, Settings(suite="papers"))
        assert {variant_of(case) for case in cases} == variants, figure
    own = set(abbreviations("glu3"))
    assert own <= {case.matrix for case in figure_cases("glu3", "table2", Settings(suite="papers"))}
    stand_ins = {e.id for e in ENTRIES if e.suite == "small" and own & set(e.stands_for)}
    assert stand_ins <= {case.matrix for case in figure_cases("glu3", "table2", Settings(suite="small"))}


def test_the_embedded_suite_needs_no_optional_library_and_real_matrices_are_prepared_as_printed() -> None:
    for suite in SUITES:
        for experiment in (e for e in experiments() if e.paper == "glu3"):
            for case in figure_cases("glu3", experiment.figure, Settings(suite=suite)):
                generated = not catalogue.lookup(case.matrix).group
                assert case.preparation.name == ("metis" if generated else "mc64+amd")
                assert suite != "embedded" or generated


# ---- Table II


def test_table2_has_the_print_beside_the_measured_and_says_what_is_equal() -> None:
    frame = frame_of(table2.EXHIBIT.frame, *levelled(relaxed=40)).set_index("label")
    row = frame.loc[OWN]
    assert (row["paper_filled"], row["paper_levels_exact"], row["paper_levels_relaxed"]) == (13948, 37, 39)
    assert (row["filled_is"], row["levels_exact_is"], row["levels_relaxed_is"]) == (
        "equal",
        "equal",
        "differs",
    )
    assert (row["nz"], row["paper_nz"]) == (12926, 12926)
    assert (row["ms_exact"], row["ms_closed"], row["ms_relaxed"]) == pytest.approx((8, 2, 1))
    assert row["ratio"] == pytest.approx(8) and row["closed_ratio"] == pytest.approx(2)
    assert row["ratio_high"] == pytest.approx(8 * 1.2 / 0.9) and row["paper_ratio"] == 87.1
    assert row["status_kahn"] == "not_run" and pd.isna(row["ms_kahn"])
    assert (
        len(frame) == 15 and frame.loc["Raj1", "status"] == "not_run" and frame.loc["Raj1", "filled_is"] == ""
    )
    drawn = cells(table2.EXHIBIT.picture(frame.reset_index()))
    assert {"13,948 =", "37 =", "40 \N{NOT EQUAL TO}", "87.1x", "8x", "2x"} <= set(drawn)
    assert drawn.count("not run") == 15, "fourteen matrices, and the GPU's levels"


def test_table2_says_that_the_ratio_is_of_the_search() -> None:
    said = table2.EXHIBIT.words(frame_of(table2.EXHIBIT.frame, *levelled()))
    assert "It takes 2x as long as glu3_relaxed, where the three loops take 8x" in said
    assert "3 of 3 counts here are equal" in said
    nothing = table2.EXHIBIT.words(frame_of(table2.EXHIBIT.frame, more=(case_of("levels", "glu2"),)))
    assert "It takes" not in nothing and "Nothing of it was measured here" in nothing


def test_table2_is_judged_on_the_same_matrices_and_stand_ins_apart() -> None:
    frame = frame_of(table2.EXHIBIT.frame, *levelled(), *levelled(STAND_IN))
    seconds = [v for v in table2.EXHIBIT.verdicts(frame) if v.basis == "seconds, exact over relaxed"]
    by_scope = {(verdict.claim, verdict.scope): verdict for verdict in seconds}
    mean, each = (f"glu3.table2_levelization.{name}" for name in ("mean", "each"))
    own = by_scope[mean, "on the paper's own matrices"]
    assert own.outcome == "deviates" and own.factor == pytest.approx(8 / 87.1)
    assert own.numbers == "8x (rajat12), printed mean 8,804x, 87.1x of the same"
    assert by_scope[each, "on the paper's own matrices"].numbers.startswith("0 of 1 within 25% of the print")
    other = by_scope[mean, "indicative (stand-in)"].measured
    assert other is not None and other.printed == 8804.1, "of other matrices the whole table's"
    closed = [v for v in table2.EXHIBIT.verdicts(frame) if "third loop" in v.basis]
    assert {v.outcome for v in closed} == {"beside the print"} and closed[0].numbers.startswith("2x")
    counts = [v for v in table2.EXHIBIT.verdicts(frame) if v.claim.startswith("glu3.counts.")]
    assert [v.outcome for v in counts] == ["reproduced"] * 3
    assert {v.scope for v in counts} == {"on the paper's own matrices"}, "a stand-in has other counts"


@pytest.mark.parametrize(("relaxed", "outcome"), [(39, "reproduced"), (40, "deviates")])
def test_counts_are_exact_targets(relaxed: int, outcome: str) -> None:
    frame = frame_of(table2.EXHIBIT.frame, *levelled(relaxed=relaxed))
    (counts,) = [v for v in table2.EXHIBIT.verdicts(frame) if v.claim == "glu3.counts.levels_relaxed"]
    assert counts.outcome == outcome and counts.numbers.startswith(f"{int(relaxed == 39)} of 1 equal")


def test_two_runs_give_no_ratio_and_failures_stay_in_sight() -> None:
    exact, closed, relaxed = levelled()
    frame = frame_of(table2.EXHIBIT.frame, replace(exact, run_id="run-2"), closed, relaxed)
    row = frame.set_index("label").loc[OWN]
    assert row["pair"] == "two_runs" and pd.isna(row["ratio"]) and row["closed_ratio"] == pytest.approx(2)
    assert "box: two runs" in " ".join(cells(table2.EXHIBIT.picture(frame)))
    late = replace(exact, status=Status.TIMEOUT, seconds=[], work=None)
    frame = frame_of(table2.EXHIBIT.frame, late, closed, relaxed)
    row = frame.set_index("label").loc[OWN]
    assert (row["pair"], row["status_exact"]) == ("glu2 timeout", "timeout")
    assert row["levels_exact"] == 37, "what closed finds is the same"
    assert "timeout" in cells(table2.EXHIBIT.picture(frame))


def test_without_amd_the_papers_matrices_are_unavailable() -> None:
    gone = [replace(unavailable(Case.parse(record.case), 1), machine="box") for record in levelled()]
    frame = frame_of(table2.EXHIBIT.frame, *gone)
    assert frame.set_index("label").loc[OWN, "status"] == "unavailable"
    assert {v.outcome for v in table2.EXHIBIT.verdicts(frame)} == {"not run"}
    assert "unavailable" in cells(table2.EXHIBIT.picture(frame))


def test_machines_have_rows_of_their_own() -> None:
    there = [replace(record, machine="other") for record in levelled()]
    frame = frame_of(table2.EXHIBIT.frame, *levelled(), *there)
    assert frame.loc[frame["label"] == OWN, "machine"].tolist() == ["box", "other"]


# ---- Table I


def factorised(matrix: str = OWN, **changes: Any) -> list[Record]:
    facts = {"levels": 39.0, "levels_a": 1.0, "levels_b": 8.0, "levels_c": 30.0, "launches": 39.0}
    variants = table1.WIDE.variants.values()
    return [
        measured(
            name, 50.0, matrix, stage="numeric", facts=facts,
            **{"kernel_seconds": [ms / 1e3 * factor for factor in (0.9, 1.0, 1.2)], **changes},
        )
        for name, ms in zip(variants, (6.0, 2.0, 0.5), strict=True)
    ]  # fmt: skip


def test_table1_is_of_kernel_seconds_in_one_run() -> None:
    frame = frame_of(table1.EXHIBIT.frame, *factorised())
    row = frame.set_index("label").loc[OWN]
    assert (row["ms_fixed"], row["ms_modes"], row["ms_batched"]) == pytest.approx((6, 2, 0.5))
    assert row["ratio"] == pytest.approx(3) and row["batched_ratio"] == pytest.approx(4)
    assert (row["paper_ms_fixed"], row["paper_ms_modes"], row["paper_ratio"]) == (2.44883, 2.237, 1.1)
    assert (row["levels_a"], row["levels_b"], row["levels_c"]) == (1, 8, 30)
    drawn = cells(table1.EXHIBIT.picture(frame))
    assert {"6.000", "0.500", "3x", "4x"} <= set(drawn) and drawn.count("not testable") == 15
    assert "Lee's code (the paper's last column) is not public" in table1.EXHIBIT.words(frame)
    order, nnz, mean, geometric, each, batched = table1.EXHIBIT.verdicts(frame)
    assert [v.claim.rpartition(".")[2] for v in (order, nnz)] == ["order", "nnz"]
    assert mean.outcome == "deviates" and mean.numbers.endswith("printed mean 13x, 1.1x of the same")
    assert mean.direction == "as printed" and mean.magnitude == "larger"
    assert (geometric.factor, each.factor) == pytest.approx((3 / 1.1, 3 / 1.1))
    assert batched.outcome == "beside the print" and batched.measured is None
    lee = claim("glu3", "table1_kernel_time", "lee_mean")
    assert lee.value == 7.1 and "not public" in lee.needs


def test_a_record_without_events_is_not_measured() -> None:
    fixed, modes, batched = factorised()
    frame = frame_of(table1.EXHIBIT.frame, replace(fixed, kernel_seconds=None), modes, batched)
    row = frame.set_index("label").loc[OWN]
    assert row["status_fixed"] == "not_measured" and pd.isna(row["ratio"]) and pd.isna(row["ms_fixed"])
    assert row["batched_ratio"] == pytest.approx(4)
    assert "not measured" in cells(table1.EXHIBIT.picture(frame))


def test_table1_without_a_card_says_so() -> None:
    gone = [replace(unavailable(Case.parse(record.case), 1), machine="box") for record in factorised()]
    for frame in (frame_of(table1.EXHIBIT.frame, *gone), frame_of(table1.EXHIBIT.frame)):
        assert {verdict.outcome for verdict in table1.EXHIBIT.verdicts(frame)} == {"not run"}
        assert len(frame) == 15 and table1.EXHIBIT.picture(frame).axes
        assert "Nothing of it was measured here" in table1.EXHIBIT.words(frame)


# ---- levels


def kept(matrix: str, columns: Any, subcolumns: Any) -> Record:
    """A record whose series of levels is on disk."""
    case = case_of("levels", "glu3_relaxed.series=true", matrix)
    held = LevelSeries(columns=np.array(columns), subcolumns=np.array(subcolumns))
    name = write_series(series_path("box", case.name), held, 10**6)
    return measured("glu3_relaxed.series=true", 1.0, matrix, series=name)


def test_levels_are_drawn_from_the_series_with_the_modes() -> None:
    record = kept("adder_dcop_05", [900, 449, 448, 17, 16, 1], [1, 2, 3, 4, 5, 0])
    frame = frame_of(levels.EXHIBIT.frame, record)
    own = frame[frame["case"].notna()]
    assert own["columns_mean"].tolist() == [900, 449, 448, 17, 16, 1] and set(own["depth"]) == {6}
    assert (own["in_A"].iloc[0], own["in_B"].iloc[0], own["in_C"].iloc[0]) == (2, 2, 2)
    assert set(own["stand_in_for"]) == {"ASIC_100ks"}
    (absent,) = frame[frame["case"].isna()].to_dict("records")
    assert absent["label"] == "ASIC_100ks" and absent["reason"] == "the matrix is not at hand"
    drawn = " ".join(cells(levels.EXHIBIT.picture(frame)))
    assert "6 levels: A 2, B 2, C 2; rank correlation -0.14" in drawn
    assert "not run: the matrix is not at hand" in drawn and "ASIC_100ks" in levels.EXHIBIT.words(frame)
    (verdict,) = levels.EXHIBIT.verdicts(frame)
    assert verdict.outcome == "beside the print" and "adder_dcop_05" in verdict.numbers


def test_more_levels_than_bins_have_no_exact_modes() -> None:
    frame = frame_of(levels.EXHIBIT.frame, kept(OWN, np.full(5000, 20), np.arange(5000)))
    own = frame[frame["case"].notna()]
    assert set(own["depth"]) == {5000} and own["in_A"].isna().all() and own["correlation"].isna().all()
    assert "5,000 levels" in cells(levels.EXHIBIT.picture(frame))


def test_a_case_without_a_series_is_a_panel_that_says_why() -> None:
    frame = frame_of(levels.EXHIBIT.frame, measured("glu3_relaxed.series=true", 1.0))
    assert "names no series" in " ".join(cells(levels.EXHIBIT.picture(frame)))
    assert levels.EXHIBIT.verdicts(frame) == []


def test_the_modes_are_those_of_the_kernels() -> None:
    assert set(levels.MODES.values()) < {above for above, _ in AUTHORS}


# ---- dependencies


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example.n))
@pytest.mark.parametrize(
    ("method", "rule"), [("GLU1.0", "upper"), ("GLU2.0", "exact"), ("GLU3.0", "relaxed")]
)
def test_the_graphs_are_what_the_implementations_find(example: Any, method: str, rule: str) -> None:
    found = examples.filled(example)
    dense = examples.dense_of(found)
    drawn = np.zeros_like(dense)
    for i, k in examples.dependencies(dense, method):
        drawn[k, i] = True
    assert np.array_equal(drawn, depends(dense, rule))
    assert examples.level_of(examples.levels_of(found, method)).tolist() == longest_paths(drawn).tolist()


def test_the_own_example_tells_the_three_methods_apart() -> None:
    found = examples.filled(EXAMPLES[1])
    depths = [len(examples.levels_of(found, method).pointers) - 1 for method in METHODS]
    assert depths == [2, 3, 4]
    reasons = list(examples.dependencies(examples.dense_of(found), "GLU3.0").values())
    assert reasons.count(examples.DOUBLE) == 1 and reasons.count(examples.LEFT) == 2


def test_glu1_gives_the_slides_wrong_factor_and_the_others_the_right_one() -> None:
    found = examples.filled(SLIDES)
    wrong, *right = (examples.factor_by(examples.levels_of(found, method)) for method in METHODS)
    assert wrong.tolist() == [[1, 0, 1], [1, 1, 0], [0, 1, 0]]
    assert all(values.tolist() == [[1, 0, 1], [1, 1, 0], [0, 1, 1]] for values in right)


def test_dependencies_are_drawn_with_and_without_records() -> None:
    exact, _, relaxed = levelled()
    frame = frame_of(dependencies.EXHIBIT.frame, exact, relaxed, more=(case_of("levels", "glu2", STAND_IN),))
    rows = frame[frame["part"] == "matrix"].set_index("label")
    assert rows.loc[OWN, "ratio"] == pytest.approx(1.1) and rows.loc[STAND_IN, "status"] == "not_run"
    drawn = cells(dependencies.EXHIBIT.picture(frame))
    assert "1.1x" in drawn and "not run" in drawn and "wrong: marked" in drawn and drawn.count("right") == 2
    assert "an illustration" in dependencies.EXHIBIT.words(frame)
    _, wrong, pivots = dependencies.EXHIBIT.verdicts(frame)
    assert wrong.claim == "glu3.glu1_is_wrong.last_pivot" and wrong.outcome == "reproduced"
    assert "last pivot 0 by GLU1.0, 1 by GLU2.0" in pivots.numbers
    assert dependencies.EXHIBIT.picture(frame_of(dependencies.EXHIBIT.frame)).axes


def test_only_glu1_is_not_measured_here() -> None:
    """It is there to fail the gate."""
    named = {
        case.implementation for e in experiments() for case in figure_cases(e.paper, e.figure, Settings())
    }
    assert "glu1" not in named and registry.lookup("levels", "glu1")
