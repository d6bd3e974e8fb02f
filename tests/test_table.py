"""The table of cases and its page, and the verbs that figures are made of. All numbers are made up."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fillpath import registry
from fillpath.case import Case
from fillpath.paths import ROOT
from fillpath.processes import Rounds, ratio
from fillpath.record import Record, Status
from fillpath.stages import STAGES
from reports import verbs
from reports.facts.naming import Features, distance
from reports.facts.printed import abbreviations
from reports.facts.records import Records
from reports.gsofa.symbolic import paired
from reports.table import COLUMNS, NOT_MEASURED, case_table, phases, timed, with_kernel_seconds
from tests import reports_fakes as fakes
from tests.reports_fakes import BC, CASES, ENTRIES, RECORDS, STAND_IN, counting, in_five_processes, measured

FASTER = "gsofa.fill_first=true"
STOPPED = {"status": Status.TIMEOUT, "seconds": [], "work": None, "longer_than": 60.0}


def lines_of(title: str) -> list[list[str]]:
    """The cells of each line of a section's table, the name without its marks."""
    section = (ROOT / "docs" / "table.md").read_text().split(f"\n## {title}\n")[1].split("\n#")[0]
    found = re.findall(r"^\| `(.*?)` \| (.*) \|$", section, re.MULTILINE)
    return [[name, *re.split(r"(?<!\\) \| ", rest)] for name, rest in found]


def rows_of(records: Records | Sequence[Record]) -> pd.DataFrame:
    records = records if isinstance(records, Records) else Records(tuple(records))
    return case_table(records, [Case.parse(each.case) for each in records.rows], ENTRIES, "gsofa")


def test_the_page_has_a_line_for_each_column_in_their_order() -> None:
    assert [name for name, unit, meaning in lines_of("Columns") if unit and meaning] == list(COLUMNS)


def test_the_page_has_a_line_for_each_fact_that_names_who_counts_it(committed_results: Path) -> None:
    codes = {(each.stage, each.name) for each in registry.registered()} | {(stage, "all") for stage in STAGES}
    known: dict[str, set[tuple[str, str]]] = {}
    for name, _, counted, _ in lines_of("Facts"):
        stages = [part.split(": ") for part in counted.split("; ")]
        found = {(stage, code) for stage, listed in stages for code in listed.split(", ")}
        assert known.setdefault(name, found) is found and found <= codes, name
    for path in committed_results.glob("*/records/*.jsonl"):
        for record in map(json.loads, path.read_text().splitlines()):
            stage, code = record["parts"]["stage"], record["parts"]["implementation"]
            for fact in (record["work"] or {}).get("facts") or {}:
                column = f"counted_{fact}" if fact in COLUMNS else re.sub(r"^gpu\d+_", "gpu<k>_", fact)
                assert known[column] & {(stage, code), (stage, "all")}, (column, stage, code)


def test_a_row_is_a_case_in_their_order_and_one_without_a_record_is_of_the_machine() -> None:
    rows = case_table(RECORDS, [*CASES[::-1], *CASES], ENTRIES, "gsofa")
    assert list(rows["case"]) == [case.name for case in CASES[::-1]] and set(rows["machine"]) == {"made-up"}
    by_case = rows.set_index("case")
    assert by_case.loc[fakes.ABSENT, ["samples", "runs"]].tolist() == [0, ()]
    for name, (status, reason) in {**fakes.FAILED, fakes.ABSENT: (Status.NOT_RUN, "no record yet")}.items():
        assert by_case.loc[name, ["status", "reason"]].tolist() == [str(status), reason]
        assert by_case.loc[name, ["median", "low", "high", "edges", "fills"]].isna().all()
    bare = case_table(RECORDS, CASES, ENTRIES, "").set_index("matrix")
    assert bare[["abbr", "stand_in_for", "distance"]].isna().all(axis=None)
    assert set(bare.loc[BC, "label"]) == {BC} and set(bare.loc[STAND_IN, "label"]) == {"circuit:4000"}
    assert case_table(Records(), [], ENTRIES, "gsofa").shape == (0, len(COLUMNS))


def test_a_row_says_what_its_record_does_and_of_a_stopped_call_a_bound_alone() -> None:
    both, one = {"to_device": [1.0, 3.0], "to_host": [0.5]}, {"to_host": [0.5]}
    counted = counting(rounds=4.0, entries=5.0)
    made = [measured("gsofa", 2.0, device=None, work=counted), measured("fill1", 1.0, phases=both)]
    made += [measured("fill2_cpu", 1.0, phases=one), measured(FASTER, 3.0, **STOPPED)]
    rows = rows_of(in_five_processes(made))
    ran, *_, stopped = rows.to_dict("records")
    rounds = Rounds.of(ran["runs"])
    assert (ran["median"], ran["low"], ran["high"]) == (rounds.median, *rounds.interval)
    assert (ran["rounds"], ran["processes"], ran["samples"]) == (rounds, 5, 3)
    assert (stopped["status"], stopped["low"], stopped["processes"]) == ("timeout", 60.0, 0)
    assert np.isnan([stopped["median"], stopped["high"]]).all() and stopped["rounds"] is None
    assert rows["transfers"].fillna(-1).tolist() == [0.0, 2.5, -1.0, -1.0]
    assert list(rows["concurrent_sources"].dropna()) == [512] * 3
    assert (ran["counted_rounds"], ran["counted_entries"], ran["entries"]) == (4, 5, 7131)


def test_seconds_of_phases_say_where_a_record_has_none_and_nothing_of_a_stopped_call() -> None:
    parts = {"factor": [0.5] * 3, "solve": [0.25] * 3}
    stopped = measured("fill2_cpu", 1.0, **STOPPED)
    rows = rows_of([measured("gsofa", 1.0, phases=parts), measured("fill1", 3.0), stopped])
    less = timed(rows, phases("factor", less=("solve",)))
    assert list(less["status"]) == ["ok", NOT_MEASURED, "timeout"] and list(less["processes"]) == [1, 0, 0]
    assert less["median"][0] == 0.25 and less.loc[1:, ["median", "low", "high"]].isna().all(axis=None)
    some = timed(rows, {"gsofa": phases("factor", "none", some=True), "fill2_cpu": phases("factor")})
    assert some["median"].fillna(-1).tolist() == [0.5, 3.0, -1] and np.isnan(some["low"][2])
    kernels = with_kernel_seconds(rows)
    assert list(kernels["status"]) == [NOT_MEASURED] * 2 + ["timeout"] and kernels["low"].isna().all()


# Rows by input, of what a ratio is made of. An interval is from half of the median to its double.
ROW = st.tuples(
    st.sampled_from(["ok", "ok", "ok", "timeout", "error"]), st.floats(0.1, 10.0),
    st.sampled_from(["first", "first", "second"]), st.sampled_from([None, "a", "b"]),
)  # fmt: skip
SIDE = st.dictionaries(st.sampled_from("pqrstuvw"), ROW, min_size=4)
MISSING = ("not_run", np.nan, "", None)
Side = dict[str, tuple[Any, ...]]
few = settings(max_examples=25, phases=[Phase.generate])  # To shrink what fails would take minutes.


def side(rows: Side) -> pd.DataFrame:
    frame = pd.DataFrame(rows.values(), columns=["status", "median", "run_id", "host"])
    frame = frame.assign(matrix=list(rows), preparation="amd", processes=1, rounds=None, transfers=1.0)
    ok, low = frame["status"] == "ok", frame["median"] / 2
    ends = {"low": low.where(frame["status"] != "error"), "high": (4 * low).where(ok)}
    return verbs.by_input(frame.assign(median=frame["median"].where(ok), **ends))


def expected(top: tuple[Any, ...], bottom: tuple[Any, ...]) -> tuple[str, Any]:
    """What `pair` begins with, and the ratio with its interval, of two rows."""
    states, value = (top[0], bottom[0]), top[1] / bottom[1]
    apart = "two_hosts" if {top[3], bottom[3]} == {"a", "b"} else ""
    apart = apart if top[2] == bottom[2] else "two_runs"
    bounds = {("timeout", "ok"): "> ", ("ok", "timeout"): "< ", ("ok", "ok"): "ok"}
    failure = top[0] if top[0] != "ok" else f"base {bottom[0]}" if bottom[0] != "ok" else apart
    why = failure if apart else bounds.get(states, failure)
    ends = [why == "ok", why in ("ok", "> "), why in ("ok", "< ")]
    return why, np.where(ends, [value, value / 4, value * 4], np.nan)


@given(SIDE, SIDE)
@few
def test_a_ratio_is_that_of_medians_or_says_why_there_is_none(top: Side, bottom: Side) -> None:
    found = verbs.over(side(top), side(bottom), ("", "base")).droplevel("preparation")
    assert set(found.index) == {*top, *bottom}
    for name, row in found.to_dict("index").items():
        a, b = top.get(name, MISSING), bottom.get(name, MISSING)
        pair, numbers = expected(a, b)
        assert row["pair"].startswith(pair) and (row["pair"] == pair or len(pair) == 2)
        moved = (a[1] + 1) / (b[1] + 1) if pair == "ok" else np.nan
        found_numbers = [*(row[f"ratio{end}"] for end in verbs.ENDS), row["moved_ratio"]]
        assert np.allclose(found_numbers, [*numbers, moved], equal_nan=True)
    assert not verbs.over(side(top), side(bottom), bounds=False)["pair"].str.contains("[<>]").any()


@given(SIDE, SIDE)
@few
def test_the_fastest_is_the_least_that_has_a_result_and_wide_rows_have_all(one: Side, two: Side) -> None:
    parts = {"one": side(one), "two": side(two)}
    found = verbs.fastest(parts)
    each = verbs.wide(parts, ["median"], found[[]]).droplevel("preparation")
    assert set(each.index) == {*one, *two} and len(each) == len(found)
    for name, row in found.droplevel("preparation").to_dict("index").items():
        held = {code: rows[name] for code, rows in (("one", one), ("two", two)) if name in rows}
        took = {code: seconds for code, (status, seconds, *_) in held.items() if status == "ok"}
        assert row["code"] == (min(took, key=lambda code: took[code]) if took else next(iter(held)))
        assert row["untimed"] == ", ".join(code for code in held if code not in took)
        for code in parts:
            assert np.isclose(each.loc[name, f"{code}_median"], took.get(code, np.nan), equal_nan=True)
            assert each.loc[name, f"status_{code}"] == held.get(code, MISSING)[0]


def test_a_ratio_of_rounds_pairs_processes_of_a_variant_and_its_partner() -> None:
    rows = rows_of(in_five_processes([measured(FASTER, 3.0), measured("gsofa", 2.0)]))
    base, both = verbs.without(rows["variant"][:1], "fill_first"), ratio(*rows["rounds"])
    (row,) = verbs.over_variant(rows, rows[:1], base, ("", "gsofa")).to_dict("records")
    assert [row[f"ratio{end}"] for end in verbs.ENDS] == [both.value, both.low, both.high]
    assert row["ratio_processes"] == 5 and row["other_case"] == rows["case"][1]
    inverse = verbs.over_variant(rows, rows[:1], base, ("", "gsofa"), inverse=True)["ratio"]
    assert np.isclose(inverse[0] * row["ratio"], 1)


def test_a_ratio_holds_where_both_ran_at_the_same_and_a_bound_stays() -> None:
    fewer, unknown = ({"work": counting(concurrent_sources=count)} for count in (64.0, None))
    ways = {"ok": {}, "other_concurrency": fewer, NOT_MEASURED: unknown, "> 25x": STOPPED}
    for pair, changes in ways.items():
        rows = rows_of([measured(FASTER, 1.0, **changes), measured("gsofa", 2.0)])
        found = verbs.over_variant(rows, rows[:1], pd.Series(["gsofa"]), ("", ""))
        same, kept = paired(rows, "fill_first", ("", "")), changes in ({}, STOPPED)
        assert list(same["pair"]) == [pair] and same["ratio_low"].equals(found["ratio_low"]) == kept


def test_the_print_stands_beside_its_matrix_and_a_matrix_without_a_case_is_not_run() -> None:
    rows = rows_of([measured("gsofa", 1.0, STAND_IN), measured("gsofa", 1.0)]).assign(pair="ok")
    printed = {"paper": {"BC": 3.0, "RM": 4.0, "none": 5.0}}
    frame = verbs.in_papers_order(verbs.beside(rows, "gsofa", printed), "gsofa")
    found = frame.set_index("label")[["status", "pair", "paper"]].fillna(0).T.to_dict("list")
    seen = {"circuit:4000": ["ok", "ok", 0], "bcsstk18 (BC)": ["ok", "ok", 3]}
    assert found == {**seen, "rma10 (RM)": ["not_run", "not_run", 4]} and len(frame) == 3
    order, meant = [*abbreviations("gsofa").values()], frame["abbr"].fillna(frame["stand_in_for"])
    places = [min(map(order.index, names.split(", "))) for names in meant]
    assert places == sorted(places) and list(frame["group"]) == [0, 1, 2]
    assert list(verbs.beside(rows[:0], "gsofa", printed)["status"]) == ["not_run"] * 2


def test_two_rows_of_one_input_are_an_error() -> None:
    rows = rows_of([measured("gsofa", 1.0), measured(FASTER, 1.0)])
    assert len(verbs.by_input(rows, "variant")) == 2 and len(verbs.of(rows, "gsofa")) == 1
    with pytest.raises(ValueError, match=r"two rows of bcsstk18, metis"):
        verbs.of(rows, "gsofa", by="implementation")


TEXTS = st.sampled_from(["1.5", "true", "a.b", "1e-3"])
NAMES = st.sampled_from(["order", "order_by", "rule", "tail"])


@given(st.dictionaries(NAMES, TEXTS), NAMES, TEXTS)
@settings(max_examples=50)
def test_options_of_a_variant_are_read_and_changed_as_cases_write_them(
    options: dict[str, str], name: str, value: str
) -> None:
    def variant(chosen: dict[str, str]) -> list[str]:
        return [Case("s", "x", BC, options=tuple(sorted(chosen.items()))).name[2:].partition("@")[0]]

    own = pd.Series(variant(options))
    assert verbs.option(own, name).fillna("").tolist() == [options.get(name, "")]
    changed = verbs.with_option(own, name, value)
    assert changed.tolist() == variant({**options, name: value})
    assert verbs.without(changed, name).tolist() == variant({k: v for k, v in options.items() if k != name})


def test_a_distance_is_of_kind_order_density_fill_and_symmetry() -> None:
    """A circuit of 1,220 rows is far from Hamrle3, of 1.4 million; what is not known is not said."""
    hamrle = Features("circuit", 1447360, 3.8, fill=32.6, symmetry=0.0)
    factor, text = distance(Features("circuit", 1220, 4.8, fill=0.38, symmetry=0.9), hamrle)
    assert text == "n 0.00084x, nnz/n 1.3x, fill 0.012x, symmetry +0.9, circuit"
    assert factor == pytest.approx(1447360 / 1220 * 4.8 / 3.8 * 32.6 / 0.38)
    assert distance(Features("mesh", 1447360, 3.8), hamrle) == (1.0, "n 1x, nnz/n 1x, mesh for circuit")
