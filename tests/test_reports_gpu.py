"""GSoFA's figures of the GPU, from made records. All numbers are made up."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd
import pytest

from fillpath.case import Case
from fillpath.paths import results
from fillpath.record import Record, Status
from reports.gsofa import fig13, fig14, fig15, fig16, fig20
from reports.verbs import in_papers_order, on
from tests.reports_fakes import (
    BC,
    ENTRIES,
    FACTS,
    STAND_IN,
    case_of,
    counting,
    made_frame,
    measured,
    names,
    one,
    texts,
    unavailable,
)

RANGES, FIRST = "gsofa.maxid_ranges=false", "gsofa.fill_first=true"


def frame_of(function: Any, *records: Record, more: tuple[Case, ...] = ()) -> pd.DataFrame:
    """Return the figure's frame from these records, and cases without one."""
    return made_frame(function, ENTRIES, records, more)


def legend(figure: Any) -> list[str]:
    """Return the texts of a picture's legend."""
    return [text.get_text() for each in figure.legends for text in each.get_texts()]


def outcomes(figure: Any, frame: pd.DataFrame) -> dict[str, str]:
    """Return the outcome of each claim by its name; the last of several."""
    verdicts = figure.EXHIBIT.verdicts(frame)
    return {verdict.claim.rpartition(".")[2]: str(verdict.outcome) for verdict in verdicts}


# ---- pairs of cases that differ in one option


def test_value_ranges_are_a_ratio_and_two_shares_beside_what_is_printed() -> None:
    off = measured(RANGES, 3.0, work=counting(reinit_share=0.2))
    frame = frame_of(fig14.EXHIBIT.frame, measured("gsofa", 2.0, work=counting(reinit_share=0.001)), off)
    row, rows = one(frame), frame.set_index("label")
    found = [row[name] for name in ("ratio", "ratio_low", "ratio_high", "reinit_without", "reinit_with")]
    assert row["pair"] == "ok" and found == pytest.approx([1.5, 2.7 / 2.4, 3.6 / 1.8, 0.2, 0.001])
    assert list(rows.index) == ["bbmat (BB)", "bcsstk18 (BC)", "lhr71c (LH)", "pre2 (PR)"]
    assert list(rows["status"]) == ["not_run", "ok", "not_run", "not_run"]
    assert rows["paper_speedup"].dropna().to_dict() == {"bbmat (BB)": 1.02, "lhr71c (LH)": 1.5}
    assert rows.loc["pre2 (PR)", ["paper_reinit_without", "paper_reinit_with"]].tolist() == [0.22, 0.00082]
    printed, ratios, printed_share, shares = fig14.EXHIBIT.picture(frame).axes
    assert names(shares) == ["bcsstk18 (BC)"], "what was not measured has no place"
    assert texts(ratios).endswith("1.5x") and {"20%", "0.1%"} <= set(texts(shares).splitlines())
    assert {"1.14x", "1.5x", "1.02x"} <= set(texts(printed).splitlines())
    assert {"22%", "0.082%"} <= set(texts(printed_share).splitlines())
    assert ratios.get_ylim() == printed.get_ylim()
    assert " ".join(ratios.get_title(loc="left").split()) == "measured on h200 (NVIDIA H200)"


@pytest.mark.parametrize(
    ("off", "on", "said"),
    [
        ({"status": Status.TIMEOUT}, {}, "timeout"),
        ({}, {"status": Status.OUT_OF_MEMORY}, "with value ranges out of memory"),
        ({}, {"run_id": "run-2"}, "two runs"),
        ({}, None, "with value ranges not run"),
        ({"work": counting(concurrent_sources=None)}, {}, "not measured"),
        ({"work": counting(concurrent_sources=8.0)}, {}, "other concurrency"),
        ({"work": None}, {}, "not measured"),
    ],
)
def test_what_cannot_be_paired_is_a_slot_that_says_why(off: dict[str, Any], on: Any, said: str) -> None:
    others = [] if on is None else [measured("gsofa", 2.0, **on)]
    frame = frame_of(fig14.EXHIBIT.frame, measured(RANGES, 3.0, **off), *others)
    picture = fig14.EXHIBIT.picture(frame)
    assert pd.isna(one(frame)["ratio"]) and set(outcomes(fig14, frame).values()) == {"not run"}
    assert said in texts(picture.axes[1]).splitlines() and "no number" in legend(picture)


def test_a_record_without_the_share_is_not_measured_below_but_has_its_ratio() -> None:
    off = measured(RANGES, 3.0, work=counting(reinit_share=None))
    _, ratios, _, shares = fig14.EXHIBIT.picture(
        frame_of(fig14.EXHIBIT.frame, off, measured("gsofa", 2.0))
    ).axes
    assert "1.5x" in texts(ratios) and "not measured" in texts(shares)


def test_a_number_beside_a_row_is_of_its_own_input() -> None:
    rows = pd.DataFrame(product(("m", "n"), ("natural", "metis")), columns=["matrix", "preparation"])
    assert on(rows, rows.assign(number=range(4))[::-1])["number"].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(("before", "outcome"), [(0.22, "reproduced"), (0.005, "deviates")])
def test_a_small_share_is_no_effect_where_it_is_small_without(before: float, outcome: str) -> None:
    on, off = (
        measured(name, 2.0, work=counting(reinit_share=share))
        for name, share in (("gsofa", 0.0008), (RANGES, before))
    )
    found = outcomes(fig14, frame_of(fig14.EXHIBIT.frame, on, off).replace({"abbr": {"BC": "PR"}}))
    assert (found["reinitialisation_with"], found["reinitialisation_without"]) == (outcome, outcome)


def test_all_gain_fails_by_one_matrix_that_does_not() -> None:
    pair = frame_of(fig14.EXHIBIT.frame, measured("gsofa", 2.0), measured(RANGES, 3.0))
    frame = pd.concat([pair.query("abbr == 'BC'")] * 4, ignore_index=True)
    frame["abbr"] = frame["matrix"] = ["BB", "BC", "RM", "EP"]
    slower = frame.copy()
    slower.loc[1, ["ratio", "ratio_low", "ratio_high"]] = [0.9, 0.89, 0.91]
    few = [(frame[:3], "inconclusive"), (slower[:2], "deviates")]
    for rows, outcome in [(frame, "reproduced"), (slower, "deviates"), *few]:
        (verdict,) = [v for v in fig14.EXHIBIT.verdicts(rows) if v.claim.endswith(".all_gain")]
        assert verdict.outcome == outcome and f"on {len(rows)} of 13" in verdict.label


def test_the_gain_of_line_9_5_has_the_papers_sign() -> None:
    seconds = {BC: (2.0, 2.5), STAND_IN: (3.2, 2.0)}
    pairs = [(measured("gsofa", off, m), measured(FIRST, on, m)) for m, (off, on) in seconds.items()]
    frame = frame_of(fig20.EXHIBIT.frame, *pairs[0], *pairs[1])
    rows = frame.set_index("label")
    assert rows["gain"].dropna().to_dict() == pytest.approx({"bcsstk18 (BC)": -20, "circuit:4000": 60})
    assert rows["paper_gain"].dropna().to_dict() == {"bbmat (BB)": 5.5, "lhr71c (LH)": -4.6}
    assert rows.loc["bcsstk18 (BC)", "fill"] == pytest.approx(10**6 / 7131)
    printed, axes = fig20.EXHIBIT.picture(frame).axes
    assert {"+60%", "-20%"} <= set(texts(axes).splitlines()) and axes.get_yscale() == "linear"
    assert {"+5.5%", "-4.6%", "gains"} <= set(texts(printed).splitlines())
    found = {v.claim.rpartition(".")[2]: v for v in reversed(fig20.EXHIBIT.verdicts(frame))}
    assert found["gains"].numbers.startswith("0 of 1 (0 to 1 by the intervals)")
    assert "printed 3 of 13" in found["gains"].numbers and "of 3" in found["named"].label
    assert found["named"].outcome == "inconclusive"
    assert found["largest"].outcome == found["smallest"].outcome == "not run", "neither is of BB or LH"


# ---- the print on the left


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
def test_without_a_record_the_print_stands_alone(figure: Any) -> None:
    cases = [case_of(name) for name in ("gsofa", RANGES, "gsofa.memory_budget=1GB")]
    for records in ([], [unavailable(case, 1) for case in cases]):
        frame = frame_of(figure.EXHIBIT.frame, *records, more=tuple(cases))
        axes = figure.EXHIBIT.picture(frame).axes
        assert len(axes) == (2 if figure in (fig13, fig14) else 1)
        assert axes[0].get_title(loc="left").startswith("printed")
    assert figure is not fig14 or "unavailable" in set(frame["pair"])


def test_a_legend_names_only_what_is_drawn() -> None:
    record = measured("gsofa", 2.0)
    counters(record, facts={"dram_bytes": 6e11, "kernel_seconds": 0.5, "dram_peak_bytes_per_s": 4.8e12})
    picture = fig13.EXHIBIT.picture(frame_of(fig13.EXHIBIT.frame, record))
    assert legend(picture) == ["through DRAM"], "L2 was not read"


# ---- budgets


def budgets(*seconds: float, **changes: Any) -> list[Record]:
    """Return gsofa without a budget, which takes 3.08e9 bytes, and within 16 GB, 5 GB, 1 GB and 64 MB."""
    names = ("gsofa", *(f"gsofa.memory_budget={budget}" for budget in ("16GB", "5GB", "1GB", "64MB")))
    return [measured(name, s, STAND_IN, **changes) for name, s in zip(names, seconds, strict=True)]


def test_a_budget_is_held_against_16_gb_and_says_whether_it_binds() -> None:
    frame = frame_of(fig16.EXHIBIT.frame, *budgets(1.0, 1.0, 1.1, 2.0, 5.0))
    own = frame[frame["case"].notna()]
    assert list(own["budget"]) == ["5GB", "1GB", "64MB"]
    assert own["ratio"].tolist() == pytest.approx([1.1, 2.0, 5.0]) and own["binds"].tolist() == [0, 1, 1]
    assert own["unlimited_bytes"].unique().tolist() == [FACTS["bytes_maxid"] + FACTS["bytes_fill"] + 6e8]
    assert frame.set_index("label").loc["Hamrle3 (HM)", "paper_ratio"] == 3.3
    printed, axes = fig16.EXHIBIT.picture(frame).axes
    assert {"1.1x", "2x", "5x"} <= set(texts(axes).splitlines()) and "3.3x" in texts(printed)
    assert names(printed) == ["AU", "DI", "HM", "PR", "ST", "TT"], "the paper's axis"
    near = frame.assign(near=frame["stand_in_for"])
    judged = {(v.claim.rpartition(".")[2], v.basis): v for v in fig16.EXHIBIT.verdicts(near)}
    at_1 = "seconds at 1GB where it binds"
    assert judged["each", at_1].outcome == "beside the print", "one GPU is not 264"
    assert judged["slower", at_1].outcome == "inconclusive" and "1 of 1" in judged["slower", at_1].numbers
    assert judged["slower", "seconds at 64MB where it binds"].outcome == "beside the print"
    assert not [basis for _, basis in judged if "5GB" in basis], "5 GB binds nowhere"


def test_a_budget_whose_effect_is_not_known_to_bind_is_no_verdict() -> None:
    loose = frame_of(fig16.EXHIBIT.frame, *budgets(1.0, 1.0, 1.1, 2.0, 5.0, work=counting(bytes_queue=None)))
    assert loose.loc[loose["case"].notna(), "binds"].isna().all()
    assert {(v.outcome, v.scope) for v in fig16.EXHIBIT.verdicts(loose)} == {("not run", None)}
    assert "the budget does not bind" in legend(fig16.EXHIBIT.picture(loose))


def test_dynamic_space_is_compared_within_one_budget() -> None:
    static = "gsofa.dynamic_space=false.memory_budget"
    records = [
        measured("gsofa", 1.0), measured("gsofa.memory_budget=1GB", 2.0), measured(f"{static}=1GB", 3.0),
        measured("gsofa.memory_budget=64MB", 4.0),
        measured(f"{static}=64MB", 1.0, status=Status.OUT_OF_MEMORY),
    ]  # fmt: skip
    frame = frame_of(fig15.EXHIBIT.frame, *records)
    own = frame[frame["case"].notna()].set_index("budget")
    assert own.loc["1GB", "ratio"] == pytest.approx(1.5) and own.loc["64MB", "pair"] == "out_of_memory"
    assert frame.set_index("abbr").loc["HM", "paper_ratio"] == 1.7
    printed, axes = fig15.EXHIBIT.picture(frame).axes
    assert "out of memory" in texts(axes) and names(printed) == ["AU", "DI", "HM", "PR", "ST", "TT"]
    assert set(outcomes(fig15, frame).values()) == {"not run"}, "of none of the six, and of no stand-in"
    as_hm = frame[frame["case"].notna()].replace({"abbr": {"BC": "HM"}})
    each, all_gain = [v for v in fig15.EXHIBIT.verdicts(as_hm) if v.machine]
    assert each.numbers.startswith("0 of 1 within 25% of the print, 1 across")
    assert each.outcome == all_gain.outcome == "inconclusive" and "of 6" in all_gain.label


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
    printed, share, printed_rate, rate = fig13.EXHIBIT.picture(frame).axes
    assert "25%" in texts(share) and {"40%", "43%", "47%"} <= set(texts(printed).splitlines())
    assert 0.47 < share.get_ylim()[1] < 0.7, "an axis of what is drawn, not of 100 %"
    assert {"1,200", "4,000"} <= set(texts(rate).splitlines()) and "422" in texts(printed_rate)
    assert "log axis" in printed_rate.get_ylabel() and rate.get_yscale() == "log"
    assert "Bytes: hardware counters" in fig13.EXHIBIT.words(frame)
    mean, *_ = fig13.EXHIBIT.verdicts(frame)
    assert mean.outcome == "inconclusive" and mean.size == "smaller", "1 of 13 is no mean"
    assert mean.factor == pytest.approx(0.25 / 0.43)


def test_counters_of_other_sources_are_not_shown() -> None:
    record = measured("gsofa", 2.0)
    counters(record, key="0" * 64)
    frame = frame_of(fig13.EXHIBIT.frame, record)
    assert one(frame)["told"] == "not_measured" and pd.isna(one(frame)["dram_bytes"])
    assert "not measured" in texts(fig13.EXHIBIT.picture(frame).axes[1])


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
    first, *_ = fig13.EXHIBIT.picture(frame).axes
    assert "counted, not read" in legend(first.figure)
    assert one(unknown)["told"] == "ok" and pd.isna(one(unknown)["share_of_peak"])
    _, share, _, rate = fig13.EXHIBIT.picture(unknown).axes
    assert "not measured" in texts(share) and "not measured" not in texts(rate)
