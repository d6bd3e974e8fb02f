"""What needs no clock: compared exactly, told with any change, and the same in identical runs."""

import fnmatch
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.runs import airspeed
from benchmarks.runs.exact import LEFT_OUT, agreed, differences, quantities, unit_of
from fillpath.case import Case
from fillpath.processes import of_run
from fillpath.record import Record, Status, read_records, record_path, write_records
from tests.reports_fakes import made_record


def record(implementation: str = "fill2_cpu", device: str | None = None, **counts: Any) -> Record:
    """An ok record that counted so. `facts` are those of the implementation."""
    case = Case("symbolic", implementation, "grid2d,60")
    return replace(made_record(case, 0), work={"facts": None, **counts}, device=device)


def repeats(results: Path) -> Iterator[list[Record]]:
    """The committed ok records of one key, where there are several: identical runs."""
    for path in sorted(results.glob("*/records/*.jsonl")):
        by_key: dict[str, list[Record]] = {}
        for record in read_records(path):
            if record.status is Status.OK:
                by_key.setdefault(record.key, []).append(record)
        # A younger run with fewer processes stands before the current one.
        runs = (sorted(records, key=attrgetter("started_at")) for records in by_key.values())
        yield from (several for several in runs if len(several) > 1)


@pytest.fixture(scope="module")
def committed(committed_results: Path) -> list[list[Record]]:
    return list(repeats(committed_results))


def test_no_committed_pair_of_identical_runs_differs_in_what_is_compared(
    committed: list[list[Record]],
) -> None:
    pairs = [pair for records in committed for pair in pairwise(records)]
    assert len(pairs) > 200
    assert sum(len(quantities(base)) for base, _ in pairs) > 1000
    changed = [(base.case, one) for base, later in pairs for one in differences(base, later)]
    # A later gate counts more of the same result.
    assert not [(case, one) for case, one in changed if " none to " not in one]


def test_the_peak_of_a_process_varies_and_that_of_a_gpus_pool_does_not(committed: list[list[Record]]) -> None:
    pairs = [pair for records in committed for pair in pairwise(records)]
    differ = {True: 0, False: 0}
    for base, later in pairs:
        compared = base.device is None or "peak_memory" in quantities(base)
        if compared and None not in (base.peak_memory, later.peak_memory):
            differ[base.device is not None] += base.peak_memory != later.peak_memory
    assert differ[True] == 0 and differ[False] > 100


def test_every_rule_that_leaves_something_out_meets_a_committed_record(committed_results: Path) -> None:
    counted = set()
    for path in committed_results.glob("*/records/*.jsonl"):
        values = json.loads(path.read_text().rstrip().rpartition("\n")[2])
        work = values["work"] or {}
        names = {*(name for name, value in work.items() if value is not None), *(work.get("facts") or {})}
        counted |= {
            (values["case"].partition("@")[0], name) for name in {*names, "peak_memory", "structures"}
        }
    assert counted
    for implementations, names in LEFT_OUT:
        of_these = {
            name for each, name in counted if any(fnmatch.fnmatch(each, p) for p in implementations.split())
        }
        assert all(fnmatch.filter(of_these, pattern) for pattern in names.split()), names


def test_a_change_is_told_with_both_numbers_and_units() -> None:
    base = record(edges=1000, facts={"launches": 4.0})
    later = record(edges=1200, facts={"launches": 4.0})
    assert differences(base, later) == ("edges 1,000 to 1,200",)
    assert differences(base, base) == ()
    assert differences(base, record(edges=1000)) == ("launches 4 to none",)
    assert differences(record(facts={"growth": 1.5}), record(facts={"growth": 1.5 + 2**-50})) == ()
    assert differences(record(facts={"growth": 1.5}), record(facts={"growth": 1.5 + 1e-9})) != ()
    large = record(peak_memory=2**53 - 1), record(peak_memory=2**53 - 2)
    assert differences(*large) == ("structures 9,007,199,254,740,991 bytes to 9,007,199,254,740,990 bytes",)


def test_peak_memory_counts_on_a_gpu_only() -> None:
    on_gpu = replace(record(device="NVIDIA H200"), peak_memory=4096)
    assert quantities(on_gpu) == {"peak_memory": 4096}
    assert quantities(replace(on_gpu, device=None)) == {}
    assert unit_of("peak_memory") == "bytes"


def test_what_varies_is_left_out_of_its_implementations_alone() -> None:
    assert "edges" not in quantities(record("gsofa", edges=1000, fills=7))
    assert set(quantities(record("fill2_cpu", edges=1000, fills=7))) == {"edges", "fills"}


@pytest.mark.parametrize(
    "changes",
    [
        {"status": Status.TIMEOUT},
        {"threads_used": 3},
        {"device": "NVIDIA V100"},
        {"case": "symbolic.fill2_cpu@grid2d,61"},
        {"prepared": {"hash": "1" * 64}},
    ],
)
def test_another_input_device_or_outcome_is_no_change_of_the_code(changes: dict[str, Any]) -> None:
    base, later = record(edges=1000), record(edges=1200)
    assert differences(base, replace(later, **changes)) == ()


def test_a_series_has_what_the_last_runs_processes_agree_on_and_nothing_after_a_failure() -> None:
    first, other = (replace(record(edges=edges, fills=7), process=n) for n, edges in enumerate((9, 8)))
    failed = replace(first, status=Status.TIMEOUT, seconds=[])
    path = record_path("test-machine", first.case)
    for last, names in (([first], {"edges", "fills"}), ([first, other], {"fills"}), ([first, failed], set())):
        write_records(path, last)
        rows = airspeed.rows_of({first.case: of_run(read_records(path))})
        assert {name.rpartition("_")[2] for name in rows} == {"seconds", *names}


def test_what_processes_disagree_on_is_not_agreed() -> None:
    processes = [record(edges=1000, fills=7), record(edges=1001, fills=7)]
    assert set(agreed(processes)) == {"fills"}
    assert agreed(processes[:1]) == quantities(processes[0])
