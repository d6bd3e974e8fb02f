"""GSoFA's figures of the GPU, from made records. All numbers are made up."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from fillpath.case import Case
from fillpath.paths import results
from fillpath.record import Record, Status
from reports.facts.claims import subject
from reports.facts.printed import printed_table
from reports.frames.space import WORD, printed_words
from reports.gsofa import fig4, fig5, fig10, fig11, fig13, fig14, fig15, fig16, fig20, speed, table2, table3
from tests.reports_fakes import (
    BC,
    ENTRIES,
    FACTS,
    SPACE_OFF,
    STAND_IN,
    case_of,
    counting,
    made_frame,
    made_record,
    measured,
    names,
    one,
    texts,
    unavailable,
)

OFF = f"gsofa.{SPACE_OFF}.rule=published"
ON = "gsofa.queue_fraction=8.rule=published"


def frame_of(function: Any, *records: Record, more: tuple[Case, ...] = ()) -> pd.DataFrame:
    """The figure's frame from these records, and cases without one."""
    return made_frame(function, ENTRIES, records, more)


# ---- pairs of cases that differ in one option


def test_value_ranges_are_a_ratio_of_medians_and_two_shares() -> None:
    off = measured("gsofa.maxid_ranges=false", 3.0, work=counting(reinit_share=0.2))
    frame = frame_of(fig14.EXHIBIT.frame, measured("gsofa", 2.0, work=counting(reinit_share=0.001)), off)
    row = one(frame)
    assert row["pair"] == "ok" and row["ratio"] == pytest.approx(1.5)
    assert row["ratio_low"] == pytest.approx(2.7 / 2.4) and row["ratio_high"] == pytest.approx(3.6 / 1.8)
    assert (row["reinit_without"], row["reinit_with"]) == (0.2, 0.001)
    top, bottom = fig14.EXHIBIT.picture(frame).axes
    assert "1.5x" in texts(top) and "20%" in texts(bottom) and "0.1%" in texts(bottom)
    assert "h200 (NVIDIA H200)" in [text.get_text() for text in top.get_legend().get_texts()]
    assert "h200 (NVIDIA H200)" in fig14.EXHIBIT.words(frame)


def test_the_papers_own_matrices_stand_with_what_is_printed_though_not_at_hand() -> None:
    pair = (measured("gsofa", 2.0, STAND_IN), measured("gsofa.maxid_ranges=false", 3.0, STAND_IN))
    frame = frame_of(fig14.EXHIBIT.frame, *pair).set_index("label")
    assert list(frame.index) == ["bbmat (BB)", "lhr71c (LH)", "pre2 (PR)", "circuit:4000"]
    assert list(frame["status"]) == ["not_run", "not_run", "not_run", "ok"]
    assert (
        frame.loc["lhr71c (LH)", "paper_speedup"] == 1.5 and frame.loc["bbmat (BB)", "paper_speedup"] == 1.02
    )
    assert frame.loc["pre2 (PR)", ["paper_reinit_without", "paper_reinit_with"]].tolist() == [0.22, 0.00082]
    assert pd.isna(frame.loc["circuit:4000", "paper_speedup"])
    drawn = fig14.EXHIBIT.picture(frame.reset_index())
    assert "circuit:4000\nstand-in: PR, TT" in names(drawn.axes[1]) and "1.5x" in texts(drawn.axes[0])


@pytest.mark.parametrize(
    ("off", "on", "said"),
    [
        ({"status": Status.TIMEOUT}, {}, "timeout"),
        ({}, {"status": Status.OUT_OF_MEMORY}, "with value ranges out of memory"),
        ({}, {"run_id": "run-2"}, "two runs"),
        ({}, {"machine": "other"}, "with value ranges not run"),
        ({"work": counting(concurrent_sources=None)}, {}, "not measured"),
        ({"work": counting(concurrent_sources=8.0)}, {}, "other concurrency"),
        ({"work": None}, {}, "not measured"),
    ],
)
def test_what_cannot_be_paired_is_a_slot_that_says_why(
    off: dict[str, Any], on: dict[str, Any], said: str
) -> None:
    frame = frame_of(
        fig14.EXHIBIT.frame, measured("gsofa.maxid_ranges=false", 3.0, **off), measured("gsofa", 2.0, **on)
    )
    assert pd.isna(one(frame)["ratio"])
    assert said in [text.get_text() for text in fig14.EXHIBIT.picture(frame).axes[0].texts]
    assert {verdict.outcome for verdict in fig14.EXHIBIT.verdicts(frame)} == {"not run"}


def test_a_record_without_the_share_is_not_measured_below_but_has_its_ratio() -> None:
    off = measured("gsofa.maxid_ranges=false", 3.0, work=counting(reinit_share=None))
    frame = frame_of(fig14.EXHIBIT.frame, off, measured("gsofa", 2.0))
    top, bottom = fig14.EXHIBIT.picture(frame).axes
    assert "1.5x" in texts(top) and "not measured" in texts(bottom)


def test_machines_are_never_paired_and_have_places_of_their_own() -> None:
    records = [
        measured(name, seconds, machine=machine, device=f"GPU of {machine}")
        for machine, off in (("h200", 3.0), ("a100", 8.0))
        for name, seconds in (("gsofa", 2.0), ("gsofa.maxid_ranges=false", off))
    ]
    frame = frame_of(fig14.EXHIBIT.frame, *records)
    ratios = frame[frame["pair"] == "ok"].set_index("machine")["ratio"]
    assert ratios["h200"] == pytest.approx(1.5) and ratios["a100"] == pytest.approx(4.0)
    legend = fig14.EXHIBIT.picture(frame).axes[0].get_legend()
    shown = [text.get_text() for text in legend.get_texts()]
    assert {"h200 (GPU of h200)", "a100 (GPU of a100)"} <= set(shown)
    means = [verdict for verdict in fig14.EXHIBIT.verdicts(frame) if verdict.claim.endswith(".mean")]
    assert [verdict.machine for verdict in means] == ["a100", "h200"]


def test_a_reader_without_a_gpu_sees_the_other_machines_numbers() -> None:
    pair = [measured("gsofa", 2.0), measured("gsofa.maxid_ranges=false", 3.0)]
    here = [replace(unavailable(Case.parse(r.case), 1), machine="laptop") for r in pair]
    frame = frame_of(fig14.EXHIBIT.frame, *here, *pair)
    assert one(frame)["machine"] == "h200" and "unavailable" not in set(frame["pair"])
    assert "unavailable" in set(frame_of(fig14.EXHIBIT.frame, *here)["pair"])


def test_the_gain_of_line_9_5_has_the_papers_sign() -> None:
    records = (
        measured("gsofa", 2.0), measured("gsofa.fill_first=true", 2.5),
        measured("gsofa", 3.2, STAND_IN), measured("gsofa.fill_first=true", 2.0, STAND_IN),
    )  # fmt: skip
    frame = frame_of(fig20.EXHIBIT.frame, *records).set_index("label")
    assert frame.loc["bcsstk18 (BC)", "gain"] == pytest.approx(-20)
    assert frame.loc["circuit:4000", "gain"] == pytest.approx(60)
    assert frame.loc["bcsstk18 (BC)", "paper_gains"] and pd.isna(frame.loc["circuit:4000", "paper_gains"])
    assert frame.loc["bbmat (BB)", "paper_gain"] == 5.5 and frame.loc["lhr71c (LH)", "paper_gain"] == -4.6
    (axes,) = fig20.EXHIBIT.picture(frame.reset_index()).axes
    assert "+60%" in texts(axes) and "-20%" in texts(axes) and axes.get_yscale() == "linear"
    gains, largest, smallest = fig20.EXHIBIT.verdicts(frame.reset_index())
    assert gains.numbers == "1 of 2 (1 to 2 by the intervals), printed 3 of 13"
    assert largest.outcome == smallest.outcome == "not run", "neither is of the matrix that the paper names"
    assert smallest.numbers == "printed -4.6% (LH, the smallest)"


# ---- budgets


def budgets(*seconds: float, **changes: Any) -> list[Record]:
    """gsofa without a budget, which takes 3.08e9 bytes, and within 16 GB, 5 GB, 1 GB and 64 MB."""
    names = ("gsofa", *(f"gsofa.memory_budget={budget}" for budget in ("16GB", "5GB", "1GB", "64MB")))
    return [measured(name, s, STAND_IN, **changes) for name, s in zip(names, seconds, strict=True)]


def test_a_budget_is_held_against_16_gb_and_says_whether_it_binds() -> None:
    frame = frame_of(fig16.EXHIBIT.frame, *budgets(1.0, 1.0, 1.1, 2.0, 5.0))
    own = frame[frame["case"].notna()]
    assert list(own["budget"]) == ["5GB", "1GB", "64MB"]
    assert own["ratio"].tolist() == pytest.approx([1.1, 2.0, 5.0]) and own["binds"].tolist() == [0, 1, 1]
    assert own["unlimited_bytes"].unique().tolist() == [FACTS["bytes_maxid"] + FACTS["bytes_fill"] + 6e8]
    assert frame.set_index("label").loc["Hamrle3 (HM)", "paper_slowdown"] == 3.3
    (axes,) = fig16.EXHIBIT.picture(frame).axes
    assert {"2x", "5x", "3.3x"} <= set(texts(axes).splitlines())
    judged = {verdict.basis: verdict for verdict in fig16.EXHIBIT.verdicts(frame)}
    assert judged["seconds at 1GB where it binds"].outcome == "deviates"
    assert judged["seconds at 1GB where it binds"].direction == "as printed"
    assert judged["seconds at 64MB where it binds"].outcome == "beside the print"
    assert len(judged) == 2, "5 GB binds nowhere"


def test_a_budget_whose_effect_is_not_known_to_bind_is_no_verdict() -> None:
    loose = frame_of(fig16.EXHIBIT.frame, *budgets(1.0, 1.0, 1.1, 2.0, 5.0, work=counting(bytes_queue=None)))
    assert loose.loc[loose["case"].notna(), "binds"].isna().all()
    (verdict,) = fig16.EXHIBIT.verdicts(loose)
    assert verdict.outcome == "not run" and verdict.scope == ""
    assert fig16.EXHIBIT.picture(loose).axes


def test_dynamic_space_is_compared_within_one_budget() -> None:
    records = [
        measured("gsofa", 1.0), measured("gsofa.memory_budget=1GB", 2.0),
        measured("gsofa.dynamic_space=false.memory_budget=1GB", 3.0),
        measured("gsofa.memory_budget=64MB", 4.0),
        measured("gsofa.dynamic_space=false.memory_budget=64MB", 1.0, status=Status.OUT_OF_MEMORY),
    ]  # fmt: skip
    frame = frame_of(fig15.EXHIBIT.frame, *records)
    own = frame[frame["case"].notna()].set_index("budget")
    assert own.loc["1GB", "ratio"] == pytest.approx(1.5) and own.loc["64MB", "pair"] == "out_of_memory"
    assert frame.set_index("abbr").loc["HM", "paper_speedup"] == 1.7
    (axes,) = fig15.EXHIBIT.picture(frame).axes
    assert "out of memory" in texts(axes)
    nothing = {verdict.outcome for verdict in fig15.EXHIBIT.verdicts(frame)}
    assert nothing == {"not run"}, "of none of the six, and of no stand-in"
    six = [replace(r, case=r.case.replace(BC, STAND_IN)) for r in records]
    (verdict,) = [v for v in fig15.EXHIBIT.verdicts(frame_of(fig15.EXHIBIT.frame, *six)) if v.machine]
    assert verdict.outcome == "deviates" and verdict.magnitude == "larger"
    assert verdict.numbers == "1.5x (circuit:4000), printed mean 1.317x"


# ---- what the device told of itself


def counters(record: Record, **changes: Any) -> None:
    """The counters of that record, on disk."""
    path = results() / record.machine / "counters" / f"{record.case}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {"dram_bytes": 6e11, "l2_bytes": 2e12, "kernel_seconds": 0.5, "dram_peak_bytes_per_s": 4.8e12}
    path.write_text(json.dumps({"key": record.key, "facts": facts, **changes}))


def test_throughput_is_the_counters_bytes_over_their_own_seconds() -> None:
    record = measured("gsofa", 2.0)
    counters(record)
    frame = frame_of(fig13.EXHIBIT.frame, record)
    row = one(frame)
    assert row["how"] == "hardware counters" and row["dram_bytes_per_s"] == 1.2e12
    assert row["l2_bytes_per_s"] == 4e12 and row["share_of_peak"] == 0.25
    top, bottom = fig13.EXHIBIT.picture(frame).axes
    assert "25%" in texts(bottom) and "47%" in texts(bottom) and "not measured" not in texts(top)
    assert "Bytes: hardware counters" in fig13.EXHIBIT.words(frame)
    mean, *_ = fig13.EXHIBIT.verdicts(frame)
    assert mean.outcome == "deviates" and mean.magnitude == "smaller"
    assert mean.scope == "indicative (stand-in)" and mean.factor == pytest.approx(0.25 / 0.43)


def test_counters_of_other_sources_are_not_shown() -> None:
    record = measured("gsofa", 2.0)
    counters(record, key="0" * 64)
    frame = frame_of(fig13.EXHIBIT.frame, record)
    assert one(frame)["told"] == "not_measured" and pd.isna(one(frame)["dram_bytes"])
    assert "not measured" in texts(fig13.EXHIBIT.picture(frame).axes[0])


def test_damaged_counters_are_none(caplog: pytest.LogCaptureFixture) -> None:
    record = measured("gsofa", 2.0)
    counters(record, facts=None)
    path = results() / "h200" / "counters" / f"{record.case}.json"
    path.write_text("{")
    row = one(frame_of(fig13.EXHIBIT.frame, record))
    assert row["told"] == "not_measured" and "no counters" in caplog.text


def test_counted_bytes_say_so_and_take_the_cards_peak() -> None:
    work = {**counting(), "bytes": 10**12}
    record = measured("gsofa", 2.0, work=work, gpu={"peak_bytes_per_second": 4e12})
    frame = frame_of(fig13.EXHIBIT.frame, record)
    assert one(frame)["how"] == "counted" and one(frame)["share_of_peak"] == pytest.approx(0.125)
    *read, counted = fig13.EXHIBIT.verdicts(frame)
    assert {v.outcome for v in read} == {"not run"}, "the paper's are read from counters"
    assert counted.outcome == "beside the print" and "counted" in counted.basis
    unknown = frame_of(fig13.EXHIBIT.frame, replace(record, gpu=None))
    (axes,) = fig13.EXHIBIT.picture(frame).axes[1:]
    assert "counted, not read" in [text.get_text() for text in axes.get_legend().get_texts()]
    assert one(unknown)["told"] == "ok" and pd.isna(one(unknown)["share_of_peak"])
    top, bottom = fig13.EXHIBIT.picture(unknown).axes
    assert "not measured" in texts(bottom) and "not measured" not in texts(top)


def test_auxiliary_memory_is_the_sum_of_the_structures_over_the_matrix() -> None:
    on = counting(bytes_queue=0.0, bytes_maxid=1.16e9, bytes_fill=8e7)
    records = (measured(OFF, 2.0), measured(ON, 2.0, work=on), measured("gsofa", 2.0))
    row = one(frame_of(fig5.EXHIBIT.frame, *records))
    assert row["before"] == pytest.approx((2.4e9 + 8e7 + 6e8) / 6e5)
    assert row["after"] == pytest.approx(1.24e9 / 6e5)
    assert row["reduction"] == pytest.approx(3.08 / 1.24) and row["both"] == "ok"
    n = (records[0].prepared or {})["n"]
    assert row["table2"] == pytest.approx(24 * n * 512 / 6e5), "six words of four bytes a vertex and source"
    assert row["words_before"] == pytest.approx(3.08e9 / (4 * n * 512))


@pytest.mark.parametrize(("abbr", "sources"), [("MK", 4096), ("AU", 512)])
def test_the_printed_ratios_are_of_six_words_a_vertex_and_source(abbr: str, sources: int) -> None:
    """docs/figures.md says so: whatever else changes, the formula here is that of the paper's own figure."""
    row = printed_table("gsofa_table1_matrices").set_index("abbr").loc[abbr]
    auxiliary = WORD * sum(printed_words().values()) * row["order"] * sources
    before = subject("gsofa", "fig5_auxiliary_memory").data["before"]
    printed = before["max" if abbr == "MK" else "min"][abbr]
    assert int(auxiliary / (8 * row["order"] + 4 * row["nnz"])) == printed


def test_what_figure_5_lacks_is_said_and_the_print_stands_beside() -> None:
    off = measured(OFF, 2.0, work=counting(bytes_fill=None))
    frame = frame_of(fig5.EXHIBIT.frame, off, measured(ON, 2.0))
    assert one(frame)["both"] == "not_measured" and pd.isna(one(frame)["reduction"])
    printed = frame.set_index("abbr")
    assert printed.loc["MK", ["paper_before", "paper_after"]].tolist() == [3121, 801]
    assert printed.loc["AU", "paper_reduction"] == 4
    top, bottom = fig5.EXHIBIT.picture(frame).axes
    assert "not measured" in texts(top) and "3,121x" in texts(top) and "4x" in texts(bottom)
    alone = frame_of(fig5.EXHIBIT.frame, measured(OFF, 2.0), more=(case_of(ON),))
    assert one(alone)["both"] == "not_run", "the case after is missing"
    assert {verdict.outcome for verdict in fig5.EXHIBIT.verdicts(alone)} == {"not run"}


def test_memory_is_comparable_across_runs_seconds_are_not() -> None:
    pair = measured(OFF, 2.0), measured(ON, 2.0, run_id="run-2")
    assert one(frame_of(fig5.EXHIBIT.frame, *pair))["reduction"] == pytest.approx(1)


def test_table2_has_the_formula_beside_what_was_allocated() -> None:
    frame = frame_of(table2.EXHIBIT.frame, measured(OFF, 2.0), measured("gsofa", 2.0), measured(ON, 2.0))
    assert list(frame["variant"]) == ["all off", "default", "all on"]
    row, n = frame.iloc[0], frame["n"].iloc[0]
    assert row["formula_bytes_queue"] == 16 * n
    assert row["formula_bytes_maxid"] == row["formula_bytes_fill"] == 4 * n
    assert row["formula_bytes"] == 24 * n
    assert row["source_bytes_queue"] == 6e8 / 512 and row["source_bytes"] == pytest.approx(3.08e9 / 512)
    cells = [text.get_text() for text in table2.EXHIBIT.picture(frame).axes[0].texts]
    assert f"{24 * n:,.0f}" in cells and f"{3.08e9 / 512:,.0f}" in cells and "h200 (NVIDIA H200)" in cells


def test_a_table_says_what_is_missing() -> None:
    lacking = measured(OFF, 2.0, work=counting(concurrent_sources=None, queue_peak=None))
    failed = measured("gsofa", 2.0, STAND_IN, status=Status.WRONG, seconds=[])
    space = frame_of(table2.EXHIBIT.frame, lacking, failed)
    assert list(space["told"]) == ["not_measured", "wrong"]
    assert {"not measured", "wrong"} <= {
        text.get_text() for text in table2.EXHIBIT.picture(space).axes[0].texts
    }
    assert one(frame_of(table3.EXHIBIT.frame, lacking))["told"] == "not_measured"


def test_table3_has_the_papers_six_and_the_stand_ins() -> None:
    whole = counting(queue_mean=0.0011, queue_peak=0.25)
    frame = frame_of(
        table3.EXHIBIT.frame, measured(OFF, 2.0, STAND_IN, work=whole), measured(ON, 1.0, STAND_IN)
    )
    assert list(frame["abbr"].dropna()) == ["AU", "DI", "HM", "PR", "ST", "TT"]
    row = one(frame)
    assert row["mean_percent"] == pytest.approx(0.11) and row["peak_percent"] == 25
    assert row["small_peak_percent"] == pytest.approx(100 * FACTS["queue_peak"])
    cells = [text.get_text() for text in table3.EXHIBIT.picture(frame).axes[0].texts]
    assert cells.count("not run") == 6 and "circuit:4000, stand-in: PR, TT" in cells
    average, peak = table3.EXHIBIT.verdicts(frame)
    assert average.numbers == "0.11% (circuit:4000), printed mean 0.08%" and average.outcome == "deviates"
    assert peak.magnitude == "larger" and peak.direction == "no direction"


# ---- the figures that have a CPU's side


def test_gsofa_over_fill2_in_seconds_and_in_teps() -> None:
    more = {"edges": 25 * 10**7, "fills": 10**6, "facts": FACTS}
    records = (
        measured("gsofa", 2.0, work=more), measured("fill2_gpu", 20.0),
        measured("fill2_cpu", 60.0, device=None),
    )  # fmt: skip
    frame = frame_of(fig10.EXHIBIT.frame, *records).set_index("implementation")
    assert frame["gsofa_over_this_seconds"].tolist()[1:] == pytest.approx([10, 30])
    assert frame["gsofa_over_this_teps"].tolist()[1:] == pytest.approx([25, 75])
    assert frame.loc["fill2_gpu", "paper_gsofa_over_this_mean"] == 13.01
    assert pd.isna(frame.loc["gsofa", "pair"])
    drawn = fig10.EXHIBIT.picture(frame.reset_index())
    gains = drawn.axes[0]
    assert {"10x", "25x", "30x", "75x"} <= set(texts(gains).splitlines())
    assert "h200 (NVIDIA H200)" in drawn.get_suptitle()
    found = {(v.claim, v.basis): v.outcome for v in fig10.EXHIBIT.verdicts(frame.reset_index())}
    assert found["gsofa.fig10_vs_fill2_gpu.mean", "seconds"] == "beside the print"
    assert found["gsofa.fig10_vs_fill2_gpu.mean", "TEPS"] == "deviates"
    assert found["gsofa.fig10_vs_fill2_cpu.largest", "TEPS"] == "not run"


def test_figure_10_without_a_gpu_is_the_cpu_side_and_says_why() -> None:
    records = (
        measured("fill2_cpu", 60.0, machine="laptop", device=None),
        *(replace(unavailable(case_of(name), 1), machine="laptop") for name in ("gsofa", "fill2_gpu")),
    )
    drawn = fig10.EXHIBIT.picture(frame_of(fig10.EXHIBIT.frame, *records))
    top, bottom = drawn.axes
    assert "fill2_gpu, gsofa: unavailable, no NVIDIA GPU" in texts(top)
    assert "not measured here" in texts(top) and "unavailable" not in texts(bottom)
    assert "CPU side" in drawn.get_suptitle()


def test_figure_10_pairs_no_two_machines() -> None:
    records = measured("gsofa", 2.0), measured("fill2_cpu", 60.0, machine="laptop", device=None)
    frame = frame_of(fig10.EXHIBIT.frame, *records).set_index("implementation")
    assert frame.loc["fill2_cpu", "pair"] == "gsofa not_run"
    assert set(frame["series"]) == {"gsofa on h200", "fill2_cpu on laptop"}


def test_figure_11_has_gsofa_over_one_core() -> None:
    records = (
        measured("gilbert_peierls.threads=1", 100.0, device=None), measured("gsofa", 2.0),
        measured("fill1_pruned.threads=1", 10.0, device=None),
    )  # fmt: skip
    frame = frame_of(fig11.EXHIBIT.frame, *records).set_index("implementation")
    assert frame.loc["gsofa", "speedup"] == pytest.approx(50) and frame.loc["gsofa", "pair"] == "ok"
    assert frame.loc["fill1_pruned", "speedup"] == pytest.approx(10)
    mean, largest, smallest = fig11.EXHIBIT.verdicts(frame.reset_index())
    assert mean.outcome == "reproduced" and mean.numbers == "50x (bcsstk18 (BC)), printed mean 50.1x"
    assert largest.outcome == "not run" and smallest.factor == pytest.approx(50 / 1.01)
    top, _ = fig11.EXHIBIT.picture(frame.reset_index()).axes
    assert "50x" in texts(top) and "not measured here" not in texts(top)
    assert "not measured here" not in fig11.EXHIBIT.words(frame.reset_index())


def test_figure_4_has_a_panel_for_the_gpu_only_where_it_ran() -> None:
    cpu = case_of("gsofa_cpu.threads=1")
    gone = [replace(unavailable(case_of("gsofa"), 1), machine="made-up"), made_record(cpu, 1)]
    frame = frame_of(fig4.EXHIBIT.frame, *gone)
    assert set(frame["implementation"]) == {"gsofa", "gsofa_cpu"}
    titles = [axes.get_title(loc="left") for axes in fig4.EXHIBIT.picture(frame).axes]
    assert [title for title in titles if title] == ["bcsstk18 (BC), gsofa_cpu"]
    assert "Without a panel: gsofa, unavailable (no NVIDIA GPU)" in fig4.EXHIBIT.words(frame)


def test_row_counts_only_are_held_against_gsofa_in_the_same_run() -> None:
    counts = ".output=counts"
    frame = frame_of(
        speed.EXHIBIT.frame,
        measured(f"gsofa{counts}", 2.0, work={"edges": 300, "fills": 7}),
        measured(f"fill2_gpu{counts}", 6.0, work={"edges": 100, "fills": 7}),
        measured(f"fill1_pruned{counts}", 1.0, run_id="run-2"),
    )
    (row,) = frame.to_dict("records")
    assert row["edges_ratio"] == 3 and row["fills"] == 7
    assert row["over_fill2_gpu"] == pytest.approx(3) and row["pair_fill2_gpu"] == "ok"
    assert pd.isna(row["over_fill1_pruned"]) and row["pair_fill1_pruned"] == "two_runs"
    cells = [text.get_text() for text in speed.EXHIBIT.picture(frame).axes[0].texts]
    assert {"2,000.00", "6,000.00", "1,000.00", "3.00x", "-"} <= set(cells)


def test_a_code_that_was_not_run_is_no_row_of_its_own() -> None:
    counts = ".output=counts"
    absent = case_of(f"fill2_gpu{counts}")
    frame = frame_of(speed.EXHIBIT.frame, measured(f"gsofa{counts}", 2.0), more=(absent,))
    (row,) = frame.to_dict("records")
    assert row["machine"] == "h200" and row["status_fill2_gpu"] == "not_run" and pd.isna(row["edges_ratio"])
