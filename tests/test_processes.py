"""Several processes of a case: their median and its interval, ratios of two cases, measuring in turn."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.engine import current, run
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.runs import airspeed
from benchmarks.runs import rounds as rounds_module
from benchmarks.runs.cases import limits_of
from benchmarks.runs.rounds import measure_rounds
from commands import remeasure
from commands._records import record_text
from fillpath.case import Case, Preparation
from fillpath.processes import Rounds, interval, of_run, ratio, representative
from fillpath.record import (
    RIGHT_HAND_SIDE,
    Record,
    Status,
    read_records,
    record_path,
    write_records,
)
from fillpath.settings import PROCESSES, Settings, settings
from reports import figures
from reports.exhibit import how
from reports.facts.records import Records
from reports.hardware.comparison import compare
from reports.table import case_table
from reports.verbs import over
from tests.reports_fakes import ENTRIES, measured, shown_frame

SECONDS = st.floats(1e-6, 1e3)
SAMPLES = st.lists(SECONDS, min_size=1, max_size=7)
BY_PROCESS = st.lists(SAMPLES, min_size=1, max_size=6)
ONE_RUN = run.Run("one-run", None, "")
CLAIM = "gsofa.fig11_vs_glu3_symbolic.smallest"


def rounds(*samples: Sequence[float], first: int = 0) -> Rounds:
    return Rounds(tuple(range(first, first + len(samples))), tuple(map(tuple, samples)))


def of_process(number: int | None, median: float = 1.0, **changes: object) -> Record:
    return replace(measured("gsofa", median), process=number, **changes)  # type: ignore[arg-type]


@given(BY_PROCESS)
def test_the_number_is_the_median_of_the_medians_and_lies_in_its_interval(samples: list[list[float]]) -> None:
    whole = rounds(*samples)
    low, high = whole.interval
    assert whole.median == np.median([np.median(each) for each in samples])
    assert min(map(min, samples)) <= low <= whole.median <= high <= max(map(max, samples))


@given(SAMPLES)
def test_one_process_is_read_as_its_samples(samples: list[float]) -> None:
    assert rounds(samples).interval == interval(samples)


def test_the_interval_is_of_processes_and_not_of_their_samples() -> None:
    """Samples of one process agree to a thousandth, processes differ by a tenth."""
    medians = [1.0, 1.1, 0.95, 1.05, 0.9]
    low, high = rounds(*([m, m * 1.001, m * 0.999, m, m] for m in medians)).interval
    assert low == pytest.approx(0.9, rel=0.01) and high == pytest.approx(1.1, rel=0.01)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Of five processes with 10 % noise between them: 94 % are what the order statistics of five allow."""
    generator = np.random.default_rng(7)
    inside = 0
    for _ in range(200):
        levels = np.exp(generator.normal(0, 0.1, 5))
        low, high = rounds(*(level * np.exp(generator.normal(0, 0.01, 5)) for level in levels)).interval
        inside += low <= 1.0 <= high
    assert 0.88 <= inside / 200 <= 0.99


@given(BY_PROCESS, st.floats(0.1, 10))
def test_what_slows_both_is_not_in_their_ratio(samples: list[list[float]], factor: float) -> None:
    """Each process of one is as much slower as that of the other, so the ratio is known."""
    alone = [[each[0]] for each in samples]
    both = ratio(rounds(*([factor * s for s in each] for each in alone)), rounds(*alone))
    assert both.value == pytest.approx(factor)
    if len(samples) > 1:
        assert (both.low, both.high) == pytest.approx((factor, factor))
    assert both.processes == len(samples)


@given(BY_PROCESS, BY_PROCESS)
def test_a_ratio_lies_in_its_interval_and_its_inverse_in_the_inverse(
    above: list[list[float]], below: list[list[float]]
) -> None:
    there = ratio(rounds(*above), rounds(*below))
    assert there.processes == min(len(above), len(below))
    assert 0 < there.low <= there.high
    if len(above) == len(below):
        assert ratio(rounds(*below), rounds(*above)).value == pytest.approx(1 / there.value)


def test_only_processes_of_one_number_are_pairs() -> None:
    assert ratio(rounds([2.0], [2.0], [2.0]), rounds([1.0], [1.0], first=2)).processes == 1
    both = ratio(rounds([9.0], [2.0], [4.0]), rounds([1.0], [2.0], first=1))
    assert (both.value, both.low, both.high, both.processes) == (2.0, 2.0, 2.0, 2)


def test_processes_of_another_run_host_or_key_do_not_pool() -> None:
    of_one = [of_process(number, 1.0 + number, run_id="b", host="1" * 16) for number in range(3)]
    strangers = [
        replace(of_one[0], run_id="a"),
        replace(of_one[1], host="2" * 16, process=3),
        replace(of_one[1], key="0" * 64, process=4),
        replace(of_one[1], status=Status.TIMEOUT, seconds=[], process=5),
    ]
    assert of_run([*strangers, *of_one]) == tuple(of_one)
    assert representative(of_one) == of_one[1]
    assert representative(of_one[:2]) == of_one[0]
    failed = replace(of_one[2], status=Status.WRONG, seconds=[], verified=None)
    assert of_run([*of_one[:2], failed]) == (failed,) and representative([failed]) == failed


def test_the_process_in_the_middle_stands_for_a_case() -> None:
    processes = [of_process(number, median) for number, median in enumerate((3.0, 1.0, 2.0))]
    path = record_path(processes[0].machine, processes[0].case)
    write_records(path, processes)
    assert Records.load(path.parents[1].name).rows == (processes[2],)
    write_records(path, processes[::-1])
    assert [record.median for record in Records.load(path.parents[1].name).rows] == [2.0]


def test_every_reader_leaves_the_making_of_b_out_of_seconds_once() -> None:
    """The file has the clock and the phase as they were read, also when it is written again."""
    changes = {"case": "solve.lu_cpu@grid2d,6.metis", "machine": "test-machine", "device": None}
    phases = {RIGHT_HAND_SIDE: [1.0, 2.0, 3.0]}
    clocks = [[4.0 + n, 6.0 + n, 5.0 + n] for n in range(3)]
    stored = [
        of_process(n, seconds=clock, kernel_seconds=clock, phases=phases, run_id=ONE_RUN.id, **changes)
        for n, clock in enumerate(clocks)
    ]
    case = Case.parse(stored[0].case)
    path = record_path("test-machine", case.name)
    write_records(path, stored)
    text = path.read_text()
    write_records(path, read_records(path))
    assert path.read_text() == text and read_records(path) == stored
    records = Records.load("test-machine")
    (record,) = records.rows
    assert record.samples == record.kernel_samples == [4.0, 5.0, 3.0] and record.seconds == clocks[1]
    both = replace(records, rows=(record, replace(record, machine="other")), earlier=())
    found = compare(["test-machine", "other"], both)
    row = case_table(records, [case], ENTRIES, "").iloc[0]
    best = set(found.best["answers"]["seconds"])
    pair = {*found.pairs["first_seconds"], *found.pairs["seconds"]}
    (series,) = airspeed.rows_of({case.name: of_run(stored)})["solve.Solve.track_seconds"].values()
    read = {series, record.median, row["median"]}
    assert read | pair | best == {4.0} and "4 s, median of 3 (3 to 5 s)" in record_text(record)


def test_older_records_are_one_process() -> None:
    twice = [of_process(None, median, run_id="a") for median in (1.0, 2.0)]
    assert of_run(twice) == (twice[1],)


def case_of(name: str) -> Case:
    return Case("symbolic", name, "grid2d,6")


def stored(name: str) -> list[Record]:
    return read_records(record_path("test-machine", case_of(name).name))


@pytest.fixture
def measurable(registered_fakes: None, shared_cache: None, forked_workers: None) -> None:
    """The fakes, measured without a process that imports anew."""


def test_cases_are_measured_in_turn(measurable: None) -> None:
    cases = [case_of("right"), case_of("missing_row"), case_of("chatty")]
    records = list(measure_rounds(cases, 3, False, ONE_RUN))
    order = [(record.case.split("@")[0].split(".")[1], record.process) for record in records]
    assert order == [
        ("right", 0), ("missing_row", 0), ("chatty", 0),
        ("right", 1), ("chatty", 1), ("right", 2), ("chatty", 2),
    ]  # fmt: skip
    assert [record.process for record in of_run(stored("right"))] == [0, 1, 2]
    assert len({record.run_id for record in records}) == len({record.host for record in records}) == 1


def test_a_run_goes_on_with_the_process_that_is_missing(measurable: None) -> None:
    first = list(measure_rounds([case_of("right")], 2, False, ONE_RUN))
    whole = list(measure_rounds([case_of("right")], 3, False, ONE_RUN))
    assert whole[:2] == first and [record.process for record in stored("right")] == [0, 1, 2]


def test_another_run_is_taken_only_where_it_has_as_many_processes(measurable: None) -> None:
    list(measure_rounds([case_of("right")], 2, False, ONE_RUN))
    later = run.Run("later", None, "")
    limits = limits_of(case_of("right"), settings())
    assert measure(case_of("right"), limits, within=later, processes=2).run_id == "one-run"
    records = list(measure_rounds([case_of("right")], 3, False, later))
    assert {record.run_id for record in records} == {"later"} and len(stored("right")) == 5
    assert len(of_run(stored("right"))) == 3
    assert measure(case_of("right"), limits, processes=3).run_id == "later"


def test_a_run_that_goes_on_elsewhere_has_whole_cases_of_one_host_each(
    measurable: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_host(digit: str, count: int, *names: str) -> list[Record]:
        monkeypatch.setattr(current, "identity", lambda: digit * 16)
        return list(measure_rounds([case_of(name) for name in names], count, True, ONE_RUN))

    whole, _ = on_host("1", 2, "right"), on_host("1", 1, "chatty")
    assert on_host("2", 2, "right", "chatty")[::2] == whole
    for name, digit in (("right", "1"), ("chatty", "2")):
        assert [(r.process, r.host) for r in of_run(stored(name))] == [(0, digit * 16), (1, digit * 16)]


def test_a_claim_is_measured_again_in_as_many_processes_as_a_claim_of_a_time_needs(
    measurable: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [Case("symbolic", "right", f"random,{order},0.1") for order in (100, 90, 100)]
    cases[2] = replace(cases[2], implementation="chatty", preparation=Preparation(ordering="amd"))
    rounds_of: list[tuple[list[Case], int]] = []

    def measured_in_turn(of_matrix: list[Case], count: int, fresh: bool, within: run.Run) -> list[Record]:
        assert fresh
        rounds_of.append((of_matrix, count))
        return []

    monkeypatch.setattr(remeasure, "measure_rounds", measured_in_turn)
    monkeypatch.setattr(remeasure.cases, "figure_cases", lambda *_: cases)
    monkeypatch.setenv("FILLPATH_SUITE", "embedded")
    assert remeasure.run(argparse.Namespace(claim=CLAIM)) == 0
    assert rounds_of == [([cases[0], cases[2]], PROCESSES), ([cases[1]], PROCESSES)]


def test_after_a_limit_no_other_process_is_measured(measurable: None) -> None:
    one_sample = Limits(samples=1)
    ok = measure(case_of("slow"), one_sample, within=ONE_RUN)
    short = replace(one_sample, seconds=0.25)
    cut = measure(case_of("slow"), short, within=ONE_RUN, process=1, processes=3)
    assert cut.status is Status.TIMEOUT
    assert measure(case_of("slow"), short, within=ONE_RUN, process=2, processes=3) == ok
    assert of_run(stored("slow")) == (ok,)


def in_five(name: str, median: float, host: str = "1" * 16) -> list[Record]:
    """Five processes of a case on bcsstk18, with a drift that is common to all cases, and little noise."""
    noise = np.random.default_rng(len(name)).normal(0, 5e-4, (5, 3))
    levels = median * np.linspace(1, 2, 5)
    return [
        replace(measured(name, level), seconds=samples, process=number, host=host, run_id="run-2")
        for number, (level, samples) in enumerate(
            zip(levels, (levels[:, None] * np.exp(noise)).tolist(), strict=True)
        )
    ]


def records_of(*groups: list[Record]) -> Records:
    return Records(
        tuple(representative(group) for group in groups), tuple(r for group in groups for r in group)
    )


def table_of(group: list[Record]) -> pd.DataFrame:
    """The table of one case."""
    return case_table(records_of(group), [Case.parse(group[0].case)], ENTRIES, "gsofa")


def test_a_case_is_shown_by_all_its_processes() -> None:
    group = in_five("gsofa", 1.0)
    (row,) = table_of(group).to_dict("records")
    assert row["processes"] == 5 and row["median"] == Rounds.of(group).median
    assert row["low"] < row["median"] < row["high"]
    caption = how(table_of(group), "gsofa", "from here to there")
    assert "medians of 5 processes of 3 samples" in caption


def test_a_drift_of_all_is_in_no_ratio_and_two_hosts_make_none() -> None:
    first, second, elsewhere = (
        table_of(group)
        for group in (in_five("fill1", 2.0), in_five("gsofa", 1.0), in_five("gsofa", 1.0, host="2" * 16))
    )
    there = over(first, second).iloc[0]
    assert there["pair"] == "ok" and there["ratio_processes"] == 5
    assert there["ratio"] == pytest.approx(2.0, rel=0.005)
    # Apart, the intervals are as wide as the drift; of pairs the ratio's is as wide as the noise.
    assert first["high"].iloc[0] / first["low"].iloc[0] > 1.8
    assert there["ratio_high"] / there["ratio_low"] < 1.01
    apart = over(first, elsewhere).iloc[0]
    assert apart["pair"] == "two_hosts" and pd.isna(apart["ratio"])


def test_a_claim_of_a_time_is_judged_by_five_processes() -> None:
    """Figure 11's smallest speedup is of bcsstk18, whose own records these are."""
    groups = [in_five("gilbert_peierls", 8.0), in_five("gsofa", 1.0)]
    cases = [Case.parse(group[0].case) for group in groups]
    shown, found = figures.exhibit("gsofa", "fig11"), []
    for count in (1, 4, 5):
        part = records_of(*(group[:count] for group in groups))
        verdicts = shown.verdicts(shown_frame(shown, part.of_one_run(cases), ENTRIES, cases))
        found += [(str(v.outcome), v.why) for v in verdicts if v.claim == CLAIM]
    assert found == [("open", "1 process of 5"), ("open", "4 processes of 5"), ("not reproduced", "")]


def test_a_night_of_three_processes_takes_no_ratio_from_a_run_of_five_of_the_same_sources() -> None:
    five = [in_five("gilbert_peierls", 8.0), in_five("gsofa", 1.0)]
    cases = [Case.parse(group[0].case) for group in five]
    later = {"run_id": "night", "started_at": "2031-01-01T00:00:00.000000Z"}

    def shown(count: int, **changes: str) -> set[tuple[str, int]]:
        night = [[replace(r, **later, **changes) for r in group[:count]] for group in five]  # type: ignore[arg-type]
        rows = records_of(*five)
        every = replace(rows, earlier=(*rows.earlier, *night[0], *night[1]))
        frame = case_table(every.of_one_run(cases), cases, ENTRIES, "")
        return set(zip(frame["run_id"], frame["processes"], strict=True))

    assert shown(3) == {("run-2", 5)} and shown(5) == {("night", 5)}
    assert shown(3, key="1" * 64) == {("night", 3)}, "other sources are measured anew"


def test_transfers_are_shown_beside_and_never_in_the_seconds() -> None:
    phases = {"to_device": [0.25], "to_host": [0.5, 0.75, 1.0]}
    there = replace(measured("gsofa", 1.0), phases=phases)
    here = replace(measured("fill1", 4.0), device=None, run_id=there.run_id)
    top, bottom = (table_of([record]) for record in (here, there))
    assert [rows["transfers"].item() for rows in (top, bottom)] == [0.0, 1.0]
    assert [rows["median"].item() for rows in (top, bottom)] == [4.0, 1.0]
    assert over(top, bottom)[["ratio", "moved_ratio"]].iloc[0].tolist() == [4.0, 2.0]
    assert pd.isna(over(top, bottom.assign(transfers=float("nan")))["moved_ratio"].item())
    assert pd.isna(over(top, bottom.assign(run_id="another"))["moved_ratio"].item())


def test_a_name_that_has_lived_on_several_hosts_says_so() -> None:
    here = in_five("gsofa", 1.0)
    there = in_five("gsofa", 1.0, host="2" * 16)
    old = [replace(record, host=None) for record in here[:2]]
    assert Records(tuple(here)).hosts_text() == ""
    assert Records((*here, *there)).hosts_text() == "its records are of 2 hosts"
    assert (
        Records((*old, *here)).hosts_text()
        == "2 of its 7 records do not say of which host they are, the others are of 1"
    )


def test_a_run_that_measures_afresh_gives_asv_its_own_processes_alone(
    measurable: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = case_of("right")
    monkeypatch.setattr(rounds_module, "settings", lambda: Settings(processes=1, fresh=True))
    monkeypatch.setattr(rounds_module, "suite_cases", lambda settings, stage: [case])
    monkeypatch.setattr(rounds_module, "die_with_parent", lambda: None)
    base, commit = (run.Run(f"night-{name}", None, "") for name in ("base", "commit"))
    for process, within in [(0, base), (0, commit), (1, commit), (1, base)]:
        measure(case, fresh=True, within=within, process=process)
    of_commit = [record for record in stored("right") if record.run_id == commit.id]
    for deadline in (None, 0.0):
        monkeypatch.setattr(
            rounds_module.run, "current", lambda deadline=deadline: replace(commit, deadline=deadline)
        )
        assert rounds_module.median_seconds(case.name) == Rounds.of(of_commit).median
    monkeypatch.setattr(rounds_module.run, "current", lambda: run.Run("night-late", 0.0, ""))
    assert np.isnan(rounds_module.median_seconds(case.name))
    assert len(stored("right")) == 4
