"""GSoFA's figures of the GPU, from made records. All numbers are made up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from fillpath.paths import results
from fillpath.record import Record, Status
from reports.gsofa import fig13, fig14, fig15, fig16, fig20
from reports.verbs import in_papers_order, on
from tests.reports_fakes import FACTS, STAND_IN, case_of, counting, measured, unavailable
from tests.test_reports_gsofa import check, frame_of

RANGES, FIRST, BUDGET = "gsofa.maxid_ranges=false", "gsofa.fill_first=true", "gsofa.memory_budget"
STATIC = "gsofa.dynamic_space=false.memory_budget"
OFF = measured(RANGES, 3.0, work=counting(reinit_share=0.2))
ON = measured("gsofa", 2.0, work=counting(reinit_share=0.001))
COUNTS = {"dram_bytes": 6e11, "l2_bytes": 2e12, "kernel_seconds": 0.5, "dram_peak_bytes_per_s": 4.8e12}
COUNTED = measured("gsofa", 2.0, work={**counting(), "bytes": 10**12}, gpu={"peak_bytes_per_second": 4e12})
LARGE = "below: AU; DI; HM; PR; ST; TT"


def outcomes(figure: ModuleType, frame: pd.DataFrame) -> list[tuple[str, str]]:
    """The name of each claim with what is compared, and its outcome."""
    verdicts = figure.EXHIBIT.verdicts(frame)
    return [(f"{v.claim.rpartition('.')[2]}, {v.basis}", str(v.outcome)) for v in verdicts]


def budgets(*seconds: float, **changes: Any) -> list[Record]:
    """Gsofa without a budget, which takes 3.08e9 bytes, and within 16 GB, 5 GB, 1 GB and 64 MB."""
    names = ("gsofa", *(f"{BUDGET}={budget}" for budget in ("16GB", "5GB", "1GB", "64MB")))
    return [measured(name, s, STAND_IN, **changes) for name, s in zip(names, seconds, strict=True)]


def counters(record: Record, **changes: Any) -> Record:
    """The record, whose counters are on disk."""
    path = results() / record.machine / "counters" / f"{record.case}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"key": record.key, "facts": COUNTS, **changes}))
    return record


@pytest.mark.parametrize(
    ("figure", "records", "columns", "said"),
    [
        # A ratio and two shares beside what is printed; what was not measured has no place.
        (
            fig14, [ON, OFF],
            {
                "BC.pair": "ok", "BC.ratio": 1.5, "BC.ratio_low": 2.7 / 2.4, "BC.ratio_high": 3.6 / 1.8,
                "BC.reinit_without": 0.2, "BC.reinit_with": 0.001, "BB.status": "not_run",
                "BB.paper_speedup": 1.02, "LH.paper_speedup": 1.5, "PR.paper_reinit_without": 0.22,
                "PR.paper_reinit_with": 0.00082,
            },
            "1.5x | 20% | 0.1% | 1.14x | 1.02x | 22% | 0.082% | measured on h200 (NVIDIA H200) | "
            "below: bcsstk18 (BC) legend:",
        ),
        # A record without the share has its ratio.
        (
            fig14, [measured(RANGES, 3.0, work=counting(reinit_share=None)), ON], {"BC.ratio": 1.5},
            "1.5x | not measured",
        ),
        *(
            (fig14, [replace(OFF, **off), replace(ON, **on)], {"BC.ratio": None}, f"{said} | no number")
            for off, on, said in (
                ({"status": Status.TIMEOUT}, {}, "timeout"),
                ({}, {"status": Status.OUT_OF_MEMORY}, "with value ranges out of memory"),
                ({}, {"run_id": "run-2"}, "two runs"),
                ({}, {"case": case_of("gsofa", STAND_IN).name}, "with value ranges not run"),
                ({"work": counting(concurrent_sources=None)}, {}, "not measured"),
                ({"work": counting(concurrent_sources=8.0)}, {}, "other concurrency"),
                ({"work": None}, {}, "not measured"),
            )
        ),
        # The gain has the paper's sign.
        (
            fig20,
            [
                measured("gsofa", 2.0), measured(FIRST, 2.5), measured("gsofa", 3.2, STAND_IN),
                measured(FIRST, 2.0, STAND_IN),
            ],
            {
                "BC.gain": -20, "circuit:4000.gain": 60, "BB.paper_gain": 5.5, "LH.paper_gain": -4.6,
                "BC.fill": 10**6 / 7131,
            },
            "+60% | -20% | +5.5% | -4.6% | gains",
        ),
        # A budget is held against 16 GB and says whether it binds.
        (
            fig16, budgets(1.0, 1.0, 1.1, 2.0, 5.0),
            {
                "5GB.ratio": 1.1, "1GB.ratio": 2, "64MB.ratio": 5, "5GB.binds": 0, "1GB.binds": 1,
                "64MB.binds": 1, "5GB.unlimited_bytes": FACTS["bytes_maxid"] + FACTS["bytes_fill"] + 6e8,
                "HM.paper_ratio": 3.3,
            },
            f"1.1x | 2x | 5x | 3.3x | {LARGE}",
        ),
        (
            fig16, budgets(1.0, 1.0, 1.1, 2.0, 5.0, work=counting(bytes_queue=None)),
            {"5GB.binds": None, "1GB.binds": None, "64MB.binds": None}, "the budget does not bind",
        ),
        # Dynamic space is compared within one budget.
        (
            fig15,
            [
                measured("gsofa", 1.0), measured(f"{BUDGET}=1GB", 2.0), measured(f"{STATIC}=1GB", 3.0),
                measured(f"{BUDGET}=64MB", 4.0), measured(f"{STATIC}=64MB", 1.0, status=Status.OUT_OF_MEMORY),
            ],
            {"1GB.ratio": 1.5, "64MB.pair": "out_of_memory", "HM.paper_ratio": 1.7},
            f"1.5x | out of memory | {LARGE}",
        ),
        # What was counted takes the card's peak.
        (fig13, [COUNTED], {"BC.how": "counted", "BC.share_of_peak": 0.125}, "12% | counted, not read"),
        (fig13, [replace(COUNTED, gpu=None)], {"BC.told": "ok", "BC.share_of_peak": None}, "not measured"),
        (fig13, [ON], {"BC.told": "not_measured", "BC.dram_bytes": None}, "not measured | ! through L2"),
    ],
)  # fmt: skip
def test_rows_of_a_figure_of_the_gpu_and_what_it_says(
    figure: ModuleType, records: list[Record], columns: Mapping[str, Any], said: str
) -> None:
    frame = check(figure, records, columns, said)
    if figure is not fig13 and frame["ratio"].isna().all():
        assert {outcome for _, outcome in outcomes(figure, frame)} == {"not run"}


def test_a_number_beside_a_row_is_of_its_own_input() -> None:
    rows = pd.DataFrame(product(("m", "n"), ("natural", "metis")), columns=["matrix", "preparation"])
    assert on(rows, rows.assign(number=range(4))[::-1])["number"].tolist() == [0, 1, 2, 3]


def shares(*shares: float) -> list[Record]:
    """Without value ranges and with them."""
    pairs = zip((OFF, ON), shares, strict=True)
    return [replace(record, work=counting(reinit_share=share)) for record, share in pairs]


AT_1, AT_64 = "seconds at 1GB where it binds", "seconds at 64MB where it binds"
HM = [measured("gsofa", 1.0), measured(f"{BUDGET}=1GB", 2.0), measured(f"{STATIC}=1GB", 3.0)]


@pytest.mark.parametrize(
    ("figure", "records", "as_if", "expected"),
    [
        # A small share is no effect where it is small without value ranges.
        (fig14, shares(0.22, 0.0008), "PR", {"reinitialisation_": "reproduced"}),
        (fig14, shares(0.005, 0.0008), "PR", {"reinitialisation_": "deviates"}),
        # Neither matrix is of BB or LH.
        (
            fig20, [measured("gsofa", 2.0), measured(FIRST, 2.5)], "",
            {"named": "inconclusive", "largest": "not run | beside the print"},
        ),
        # One GPU is not 264; 5 GB binds nowhere.
        (
            fig16, budgets(1.0, 1.0, 1.1, 2.0, 5.0), "HM",
            {
                f"each, {AT_1}": "beside the print", f"slower, {AT_1}": "inconclusive",
                f"slower, {AT_64}": "beside the print", "5GB": "",
            },
        ),
        (fig16, budgets(1.0, 1.0, 1.1, 2.0, 5.0, work=counting(bytes_queue=None)), "HM", {"": "not run"}),
        (fig15, HM, "", {"": "not run"}),
        (fig15, HM, "HM", {f"each, {AT_1}": "inconclusive", f"all_gain, {AT_1}": "inconclusive"}),
        # The paper's are read from counters.
        (fig13, [COUNTED], "", {"hardware counters": "not run", "counted": "beside the print"}),
    ],
)  # fmt: skip
def test_what_a_figure_of_the_gpu_decides(
    figure: ModuleType, records: list[Record], as_if: str, expected: Mapping[str, str]
) -> None:
    """as_if : the paper's matrix that the records' own is taken for; expected : by what claims are called"""
    frame = frame_of(figure, *records)
    if as_if:
        frame.loc[frame["case"].notna(), "abbr"] = as_if
    for name, became in expected.items():
        found = {outcome for claim, outcome in outcomes(figure, frame) if name in claim}
        assert found == set(filter(None, became.split(" | "))), name


def test_all_gain_fails_by_one_matrix_that_does_not() -> None:
    frame = pd.concat([frame_of(fig14, ON, OFF).query("abbr == 'BC'")] * 4, ignore_index=True)
    frame["abbr"] = frame["matrix"] = ["BB", "BC", "RM", "EP"]
    slower = frame.copy()
    slower.loc[1, ["ratio", "ratio_low", "ratio_high"]] = [0.9, 0.89, 0.91]
    few = [(frame[:3], "inconclusive"), (slower[:2], "deviates")]
    for rows, outcome in [(frame, "reproduced"), (slower, "deviates"), *few]:
        (verdict,) = [v for v in fig14.EXHIBIT.verdicts(rows) if v.claim.endswith(".all_gain")]
        assert verdict.outcome == outcome and f"on {len(rows)} of 13" in verdict.label


def test_matrices_stand_in_the_order_of_the_papers_table_behind_what_they_stand_for() -> None:
    frame = pd.DataFrame({
        "label": ["far", "instead of TT", "pre2", "instead of RM and AU", "far", "bbmat"],
        "abbr": [None, None, "PR", None, None, "BB"],
        "stand_in_for": [None, "TT", None, "AU, RM", None, None],
    })  # fmt: skip
    ordered = in_papers_order(frame, "gsofa")
    assert list(ordered["label"]) == ["bbmat", "instead of RM and AU", "pre2", "instead of TT", "far", "far"]
    assert list(ordered["group"]) == [0, 1, 2, 3, 4, 4]
    of_two = in_papers_order(frame, "gsofa", ["AU", "PR"])
    assert list(of_two["label"])[:2] == ["instead of RM and AU", "pre2"]
    assert list(of_two["stand_in_for"].dropna()) == ["AU"], "only of the figure's matrices"


@pytest.mark.parametrize("figure", [fig13, fig14, fig15, fig16, fig20])
def test_without_a_record_the_print_stands_alone(figure: ModuleType) -> None:
    cases = [case_of(name) for name in ("gsofa", RANGES, f"{BUDGET}=1GB")]
    for records in ([], [unavailable(case, 1) for case in cases]):
        frame = frame_of(figure, *records, more=cases)
        axes = figure.EXHIBIT.picture(frame).axes
        assert len(axes) == (2 if figure in (fig13, fig14) else 1)
        assert axes[0].get_title(loc="left").startswith("printed")
    assert figure is not fig14 or "unavailable" in set(frame["pair"])


def test_throughput_is_the_counters_bytes_over_their_own_seconds() -> None:
    columns = {
        "BC.how": "hardware counters", "BC.dram_bytes_per_s": 1.2e12, "BC.l2_bytes_per_s": 4e12,
        "BC.share_of_peak": 0.25,
    }  # fmt: skip
    said = "25% | 40% | 43% | 47% | 1,200 | 4,000 | 422 | log axis | Bytes: hardware counters | through L2"
    frame = check(fig13, [counters(ON)], columns, said)
    _, share, *_ = fig13.EXHIBIT.picture(frame).axes
    assert 0.47 < share.get_ylim()[1] < 0.7, "an axis of what is drawn, not of 100 %"
    mean, *_ = [v for v in fig13.EXHIBIT.verdicts(frame) if v.n]
    assert mean.outcome == "inconclusive" and mean.size == "smaller", "1 of 13 is no mean"
    assert mean.factor == pytest.approx(0.25 / 0.43)


@pytest.mark.parametrize(
    ("changes", "columns", "said"),
    [
        # Of other sources; without what went through L2.
        ({"key": "0" * 64}, {"BC.told": "not_measured", "BC.dram_bytes": None}, "not measured"),
        (
            {"facts": {**COUNTS, "l2_bytes": None}},
            {"BC.told": "ok"},
            "legend: through DRAM Bytes | ! through L2",
        ),
    ],
)
def test_counters_that_say_less(changes: dict[str, Any], columns: dict[str, Any], said: str) -> None:
    check(fig13, [counters(ON, **changes)], columns, said)


def test_damaged_counters_are_none(caplog: pytest.LogCaptureFixture) -> None:
    counters(ON)
    (results() / "h200" / "counters" / f"{ON.case}.json").write_text("{")
    check(fig13, [ON], {"BC.told": "not_measured"}, "not measured")
    assert "no counters" in caplog.text
