"""GSoFA's Figure 5, Tables 2 and 3 (memory) and row counts, from made records. All numbers are made up."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from fillpath.record import Record, Status
from reports.claims.verdict import JUDGED
from reports.facts.claims import claims_of, subject
from reports.facts.printed import printed_table
from reports.gsofa import fig5, speed, table2, table3
from reports.gsofa.memory import PRINTED_WORDS, WORD
from tests.reports_fakes import (
    ENTRIES,
    FACTS,
    HALF_OF_GSOFA,
    MORE_OF_GSOFA,
    SPACE_OFF,
    STAND_IN,
    case_of,
    counting,
    made_frame,
    measured,
    one,
    texts,
)

OFF = f"gsofa.{SPACE_OFF}.rule=published"
ON = "gsofa.queue_fraction=8.rule=published"
ALL = (*ENTRIES, *MORE_OF_GSOFA)


def frame_of(exhibit: Any, *records: Record, more: tuple[Any, ...] = ()) -> pd.DataFrame:
    """The figure's frame from these records, and cases without one."""
    return made_frame(exhibit.frame, ALL, records, more)


def cells(exhibit: Any, frame: pd.DataFrame) -> list[list[str]]:
    """The table's cells, line by line."""
    return [list(line.cells) for line in exhibit.picture(frame).cells.lines]


def test_auxiliary_memory_is_the_sum_of_the_structures_over_the_matrix() -> None:
    on = counting(bytes_queue=0.0, bytes_maxid=1.16e9, bytes_fill=8e7)
    # Memory is comparable across runs, seconds are not.
    records = (measured(OFF, 2.0), measured(ON, 2.0, work=on, run_id="run-2"), measured("gsofa", 2.0))
    frame = frame_of(fig5.EXHIBIT, *records)
    row, n = one(frame), (records[0].prepared or {})["n"]
    known = {name: row[name] for name in ("before", "after", "reduction", "words_before", "table2")}
    assert known == pytest.approx({
        "before": 3.08e9 / 6e5, "after": 1.24e9 / 6e5, "reduction": 3.08 / 1.24,
        "words_before": 3.08e9 / (4 * n * 512), "table2": 24 * n * 512 / 6e5,
    }), "six words of four bytes a vertex and source"  # fmt: skip
    assert row["both"] == "ok" and row["pair"] == "two_runs" and pd.isna(row["ratio"])
    (axes,) = fig5.EXHIBIT.picture(frame).axes
    heights = sorted(patch.get_height() for patch in axes.patches)
    assert heights == pytest.approx(sorted(row[name] for name in fig5.BARS.values()))
    assert axes.get_yscale() == "log"
    assert "36x (AU) to 3,121x (MK) before, 9x (AU) to 801x (MK) after" in texts(axes)


@pytest.mark.parametrize(("abbr", "sources"), [("MK", 4096), ("AU", 512)])
def test_the_printed_ratios_are_of_six_words_a_vertex_and_source(abbr: str, sources: int) -> None:
    """docs/figures.md says so: whatever else changes, the formula here is that of the paper's own figure."""
    row = printed_table("gsofa_table1_matrices").set_index("abbr").loc[abbr]
    auxiliary = WORD * PRINTED_WORDS.sum() * row["order"] * sources
    before = subject("gsofa", "fig5_auxiliary_memory").data["before"]
    printed = before["max" if abbr == "MK" else "min"][abbr]
    assert int(auxiliary / (8 * row["order"] + 4 * row["nnz"])) == printed


def test_what_figure_5_lacks_is_a_slot_and_the_print_stays_in_the_frame() -> None:
    off = measured(OFF, 2.0, work=counting(bytes_fill=None))
    frame = frame_of(fig5.EXHIBIT, off, measured(ON, 2.0))
    assert one(frame)["both"] == "not_measured" and pd.isna(one(frame)["reduction"])
    printed = frame.set_index("abbr")
    assert printed.loc["MK", ["paper_before", "paper_after"]].tolist() == [3121, 801]
    assert printed.loc["AU", "paper_reduction"] == 4
    assert "not measured" in texts(fig5.EXHIBIT.picture(frame).axes[0])
    alone = frame_of(fig5.EXHIBIT, measured(OFF, 2.0), more=(case_of(ON),))
    assert one(alone)["both"] == "not_run", "the case after is missing"
    assert {str(verdict.outcome) for verdict in fig5.EXHIBIT.verdicts(alone)} == {"not run"}


def test_constants_of_our_own_data_structures_are_shown_and_not_judged() -> None:
    records = [measured(name, 2.0, m) for m in ("bcsstk18", "twotone") for name in (OFF, ON, "gsofa")]
    exhibits = {"fig5_auxiliary_memory": fig5, "table2_space": table2, "table3_queue_usage": table3}
    for id, exhibit in exhibits.items():
        verdicts = exhibit.EXHIBIT.verdicts(frame_of(exhibit.EXHIBIT, *records))
        numbers = [v for v in verdicts if v.claim.startswith(f"gsofa.{id}.") and v.n]
        shown = [v for v in numbers if v.outcome == "not comparable"]
        assert shown and not any(v.outcome in JUDGED for v in numbers)
        assert all(claim.not_comparable == v.why for v in shown for claim in claims_of("gsofa", id))


@pytest.mark.parametrize(("after", "outcome"), [(1.05, "reproduced"), (3.0, "deviates")])
def test_that_saving_memory_costs_no_time_can_fail(after: float, outcome: str) -> None:
    narrow = {"seconds": [1.0, 1.0, 1.0]}
    records = [
        record
        for matrix in HALF_OF_GSOFA
        for record in (measured(OFF, 1.0, matrix, **narrow), measured(ON, 1.0, matrix, seconds=[after] * 3))
    ]
    verdicts = fig5.EXHIBIT.verdicts(frame_of(fig5.EXHIBIT, *records))
    (verdict,) = (v for v in verdicts if v.claim == "gsofa.fig5_similar_performance.mean" and v.n)
    assert verdict.outcome == outcome


def test_table_2_has_a_row_per_structure_as_the_paper_has() -> None:
    records = [measured(name, 2.0, m) for m in ("bcsstk18", STAND_IN) for name in (OFF, ON, "gsofa")]
    records[1] = measured(ON, 2.0, work=counting(bytes_queue=0.0))
    frame = frame_of(table2.EXHIBIT, *records)
    words = 4 * frame["n"].iloc[0] * 512
    row = frame[frame["variant"] == "all off"].iloc[0]
    found = row[["words_queue", "words_sum", "printed_sum"]].tolist()
    assert found == pytest.approx([6e8 / words, 3.08e9 / words, 6])
    lines = cells(table2.EXHIBIT, frame)
    assert [line[1] for line in lines] == ["4", "1", "1", "6"]
    assert lines[0][3] == f"0 to {6e8 / words:.3g}", "from the least to the most of the matrices"
    assert lines[3][2] == f"{3.08e9 / words:.3g}"


def test_a_table_says_what_is_missing() -> None:
    lacking = measured(OFF, 2.0, work=counting(concurrent_sources=None, queue_peak=None))
    space = frame_of(table2.EXHIBIT, lacking)
    assert list(space["told"]) == ["not_measured"]
    assert {line[2] for line in cells(table2.EXHIBIT, space)} == {"not measured"}
    failed = measured(OFF, 2.0, STAND_IN, status=Status.WRONG, seconds=[])
    usage = cells(table3.EXHIBIT, frame_of(table3.EXHIBIT, lacking, failed))
    assert sorted(line[1:3] for line in usage) == [["0.1", "not measured"], ["wrong", "wrong"]]


def test_table_3_has_the_print_of_the_matrix_that_is_stood_in_for() -> None:
    whole = counting(queue_mean=0.0011, queue_peak=0.25)
    frame = frame_of(table3.EXHIBIT, measured(OFF, 2.0, STAND_IN, work=whole), measured(ON, 1.0, STAND_IN))
    assert list(frame["abbr"].dropna()) == ["AU", "DI", "HM", "PR", "ST", "TT"]
    found = [one(frame)[name] for name in ("average_usage_percent", "peak_usage_percent", "small_peak_usage_percent")]
    assert found == pytest.approx([0.11, 25, 100 * FACTS["queue_peak"]])
    (line,) = table3.EXHIBIT.picture(frame).cells.lines
    assert list(line.cells[:3]) == ["circuit:4000", "0.11", "25"]
    assert list(line.below[:3]) == ["printed of PR", "0.11", "25"]
    assert "Not measured: Hamrle3 (HM)" in table3.EXHIBIT.words(frame)


def test_row_counts_only_are_held_against_gsofa_in_the_same_run() -> None:
    counts = ".output=counts"
    frame = frame_of(
        speed.EXHIBIT,
        measured(f"gsofa{counts}", 2.0, work={"edges": 300, "fills": 7}),
        measured(f"fill2_gpu{counts}", 6.0, work={"edges": 100, "fills": 7}),
        measured(f"fill1_pruned{counts}", 1.0, run_id="run-2"),
    )
    (row,) = frame.to_dict("records")
    assert row["edges_ratio"] == 3 and row["fills"] == 7
    assert row["fill2_gpu_ratio"] == pytest.approx(3) and row["fill2_gpu_pair"] == "ok"
    assert pd.isna(row["fill1_pruned_ratio"]) and row["fill1_pruned_pair"] == "two_runs"
    assert pd.isna(row["sequential_ratio"]) and row["sequential_pair"] == "two_runs"
    (line,) = cells(speed.EXHIBIT, frame)
    assert {"2,000.00", "6,000.00", "1,000.00", "3x", "-"} <= set(line)


def test_row_counts_by_trees_and_fronts_stand_beside_the_traversals() -> None:
    counts = ".output=counts"
    frame = frame_of(
        speed.EXHIBIT,
        measured(f"gsofa{counts}", 2.0),
        measured(f"fill1_pruned{counts}.threads=1", 4.0),
        measured(f"etree_cpu{counts}.threads=1", 1.0),
        measured(f"bitfronts_gpu{counts}", 0.0002),
        measured(f"bitfronts_gpu{counts}.path=fronts", 0.02),
    )
    (row,) = frame.to_dict("records")
    assert row["sequential_code"] == "etree_cpu" and row["sequential_ratio"] == pytest.approx(0.5)
    assert row["bitfronts_gpu_ratio"] == pytest.approx(1e-4)
    assert row[f"{speed.FRONTS}_ratio"] == pytest.approx(1e-2), "not the case of the other path"
    (line,) = cells(speed.EXHIBIT, frame)
    assert {"0.200", "20.00", "0.5x e", "0.0001x", "not run"} <= set(line)


def test_a_code_that_was_not_run_is_no_row_of_its_own() -> None:
    counts = ".output=counts"
    absent = case_of(f"fill2_gpu{counts}")
    frame = frame_of(speed.EXHIBIT, measured(f"gsofa{counts}", 2.0), more=(absent,))
    (row,) = frame.to_dict("records")
    assert row["machine"] == "h200" and row["status_fill2_gpu"] == "not_run" and pd.isna(row["edges_ratio"])
