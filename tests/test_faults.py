"""Counts by CUPTI: a child's become medians with the key of the case's record, or one clear line."""

import contextlib
import gc
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.probes import cupti
from benchmarks.probes.counting import CountingError, counts_path, run_child
from benchmarks.probes.cupti import Counter, counted_cases
from benchmarks.runs import archive
from commands import main
from fillpath import registry
from fillpath.case import Case
from fillpath.errors import UnavailableError
from fillpath.hardware import identity
from fillpath.nouns import Pattern
from fillpath.record import Record, Status, record_path, write_records
from fillpath.registry import lookup
from fillpath.settings import Settings
from impl.cuda import kernels
from impl.cuda.page_faults import PageFaults
from reports.facts.records import Records
from reports.series import read_probe
from reports.table import case_table, with_kernel_seconds
from tests import device_fakes
from tests.ended import is_gone
from tests.test_durations import GLU3, TIMED, TIMED_FACTS
from tests.test_record import record as any_record

CASE = Case.parse("symbolic.unified_memory@bcsstk18.metis")
OTHER = Case.parse("symbolic.out_of_core@bcsstk18.metis")
COUNTS = {
    "gpu_fault_groups": 700, "gpu_fault_records": 40, "fault_seconds": 0.25, "cpu_faults": 3,
    "bytes_to_device": 4096, "bytes_to_host": 0, "thrashing": 1,
}  # fmt: skip
COUNTED: dict[str, Any] = {
    "repeats": [
        {**COUNTS, "seconds": 3.0},
        {**COUNTS, "seconds": 1.0, "gpu_fault_groups": 100},
        {**COUNTS, "seconds": 2.0, "gpu_fault_groups": 900, "fault_seconds": 0.5},
    ],
    "uncounted_seconds": [0.5, 4.0, 1.0],
    "link_bytes_per_second": [5e10, 1e10, 4e10, 6e10, 5.5e10],
}
FACTS = {
    **COUNTS, "fault_share": 0.25, "counted_seconds": 2.0, "uncounted_seconds": 1.0, "overhead": 2.0,
    "link_bytes_per_second": 5e10,
}  # fmt: skip
# Each counter with a case, what its child writes, and the medians.
COUNTERS = [(cupti.FAULTS, CASE, COUNTED, FACTS), (cupti.DURATIONS, GLU3, TIMED, TIMED_FACTS)]


@pytest.mark.parametrize(("counter", "case", "counted", "facts"), COUNTERS)
def test_facts_are_medians(counter: Counter, case: Case, counted: Any, facts: Any) -> None:
    assert counter.facts(counted, lookup(case.stage, case.implementation)) == facts


# The parent, whose child is a script.


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> dict[str, Record]:
    """Every case is as good as measured, and CUPTI is there; their records by name."""
    records = {}
    for case, key in ((CASE, "a"), (OTHER, "b"), (GLU3, "c")):
        parts = {"stage": case.stage, "implementation": case.implementation}
        records[case.name] = Record(
            case.name, parts, 64 * key, Status.OK, "", "run", "2026-01-01T00:00:00Z", "test-machine",
            device="Imaginary GPU",
        )  # fmt: skip
    monkeypatch.setattr(cupti, "measured", lambda case, implementation: records[case.name])
    monkeypatch.setattr(cupti, "available", lambda: (True, ""))
    return records


def scripted(monkeypatch: pytest.MonkeyPatch, script: str, counted: Any = COUNTED) -> None:
    """Have the child run this; `target` is its file, `case` the case's name."""

    def child(command: list[str], seconds: float, name: str) -> subprocess.CompletedProcess[str]:
        *_, target, case = command
        start = f"import os, sys, time, json, pathlib\nCOUNTED = {counted!r}\n"
        mine = f"target, case = pathlib.Path({target!r}), {case!r}\n"
        return run_child([sys.executable, "-c", start + mine + script], seconds, name)

    monkeypatch.setattr(cupti, "run_child", child)


WRITES = "target.write_text(json.dumps(COUNTED))\n"


def test_counts_carry_the_key_of_the_record_that_they_belong_to_and_travel_with_it(
    measured: dict[str, Record],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for counter, case, counted, facts in COUNTERS:
        # Counts are whole once they are written, however the child ends.
        scripted(monkeypatch, WRITES + "os.kill(os.getpid(), 11)", counted)
        assert main([counter.tool, case.name]) == 0
        path, record = counts_path(counter.tool, "test-machine", case.name), measured[case.name]
        assert capsys.readouterr().out == f"{path}\n"
        stored = read_probe(counter.tool, "test-machine", case.name, record.key) or {}
        about = {"schema": 1, "case": case.name, "key": record.key, "machine": "test-machine"}
        expected = {**about, **counted, "device": record.device, "host": identity(), "facts": facts}
        assert {**expected, "started_at": stored["started_at"]} == stored
        assert stored["started_at"].endswith("Z")
        assert read_probe(counter.tool, "test-machine", case.name, "f" * 64) is None
        assert read_probe(counter.tool, "test-machine", OTHER.name, record.key) is None
    rows = with_kernel_seconds(
        case_table(Records((replace(measured[GLU3.name], seconds=[1.0]),)), [GLU3], (), "")
    )
    assert rows["rounds"][0].samples == ((3.5, 1.25, 3.0),) and rows["host"][0] == identity()
    files = [counts_path(counter.tool, "test-machine", case.name) for counter, case, *_ in COUNTERS]
    before = [path.read_text() for path in files]
    write_records(
        record_path("test-machine", GLU3.name), [any_record(case=GLU3.name, machine="test-machine")]
    )
    archive.pack("test-machine", tmp_path / "pack.tar.gz")
    [path.unlink() for path in files]
    archive.unpack(tmp_path / "pack.tar.gz")
    assert [path.read_text() for path in files] == before


def test_damaged_counts_are_none(caplog: pytest.LogCaptureFixture) -> None:
    path = counts_path("faults", "h200", CASE.name)
    path.parent.mkdir(parents=True)
    path.write_text("{")
    assert read_probe("faults", "h200", CASE.name, "f" * 64) is None
    assert "no faults" in caplog.text


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print('faults: wrong while CUPTI counted', file=sys.stderr)\nprint('bye', file=sys.stderr)\n"
         "sys.exit(1)", "wrong while CUPTI counted"),
        ("raise ValueError('no such thing')", "ValueError: no such thing"),
        ("os.kill(os.getpid(), 9)", "killed by signal 9"),
        ("sys.exit(3)", "the child ended with exit status 3"),
        ("sys.exit(0)", "the child ended with exit status 0"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("measured")
def test_where_a_child_fails_nothing_is_stored_and_the_next_case_is_counted(
    script: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted(monkeypatch, f"if case == {OTHER.name!r}:\n    {WRITES}    sys.exit(0)\n{script}")
    assert main(["faults", CASE.name, OTHER.name]) == 1
    assert capsys.readouterr().err == f"fillpath: {CASE.name}: {message}\n"
    assert not counts_path("faults", "test-machine", CASE.name).exists()
    assert counts_path("faults", "test-machine", OTHER.name).exists()


def test_a_child_dies_with_its_parent(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    child = (
        "import os, pathlib, time; from benchmarks.engine.follow import die_with_parent; die_with_parent(); "
        f"pathlib.Path({str(pid)!r}).write_text(str(os.getpid())); time.sleep(60)"
    )
    command = [sys.executable, "-c", child]
    text = f"from benchmarks.probes.counting import run_child\nrun_child({command!r}, 60, 'it')"
    # As a tier would start it: the variable names another process.
    environment = {**os.environ, "FILLPATH_PARENT": "1"}
    parent = subprocess.Popen([sys.executable, "-c", text], env=environment)
    deadline = time.monotonic() + 60
    while not (pid.is_file() and pid.read_text()) and parent.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert is_gone(pid.read_text())


@pytest.mark.usefixtures("measured")
def test_a_missing_cupti_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cupti, "available", lambda: (False, "CUPTI is not installed: none can load"))
    scripted(monkeypatch, WRITES)
    assert main(["faults", CASE.name]) == 1
    assert capsys.readouterr().err == f"fillpath: {CASE.name}: CUPTI is not installed: none can load\n"


@pytest.mark.parametrize("tool", ["counters", "faults", "durations"])
@pytest.mark.parametrize(
    ("case", "status", "message"),
    [
        ("symbolic.fill2_cpu@bcsstk18.metis", 1, "runs on the CPU"),
        ("symbolic.unified_memori@bcsstk18.metis", 2, "did you mean unified_memory"),
        ("nonsense", 2, "expected stage.implementation"),
    ],
)
def test_a_case_that_cannot_be_counted_is_refused(
    tool: str, case: str, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([tool, case]) == status
    assert message in capsys.readouterr().err


# The child, over a CuPy that needs no GPU.


class FakeCounters:
    """In place of CUPTI: a block has as many groups as there were blocks. wait : seconds, for records."""

    on = False
    blocks = 0
    wait = 0.0

    @contextlib.contextmanager
    def page_faults(self) -> Iterator[PageFaults]:
        counted = PageFaults()
        self.on = True
        yield counted
        self.on = False
        time.sleep(self.wait)
        self.blocks += 1
        counted.gpu_fault_groups = self.blocks


@pytest.fixture
def counters(
    own_registry: None, shared_cache: None, forked_with_cupy: None, monkeypatch: pytest.MonkeyPatch
) -> Any:
    device_fakes.register()
    found = FakeCounters()
    monkeypatch.setattr(cupti, "page_faults", found.page_faults)
    monkeypatch.setattr(cupti, "available", lambda: (True, ""))
    monkeypatch.setattr(cupti, "die_with_parent", lambda: None)
    return found


def case_of(fake: str) -> Case:
    return Case("symbolic", fake, "grid2d,6")


def registered(function: Callable[..., Any], name: str) -> Case:
    registry.implementation(stage="symbolic", device="gpu", name=name)(function)
    return case_of(name)


def test_calls_are_made_without_the_counters_first_and_in_free_memory(cupy: Any, counters: Any) -> None:
    calls: list[tuple[bool, int]] = []

    def watched(pattern: Pattern) -> Any:
        calls.append((counters.on, cupy.get_default_memory_pool().used_bytes()))
        result = device_fakes._computed(pattern)
        cupy.launch(0.05)
        return result

    case = registered(watched, "watched")
    # What compiles leaves exceptions behind that hold its callers' frames, results among them, until they are
    # collected: here before the calls that are watched.
    cupti.FAULTS.counted(case)
    gc.collect()
    calls.clear()
    counters.blocks, counters.wait = 0, 0.5
    counted = cupti.FAULTS.counted(case)
    assert [on for on, _ in calls] == [False] * 4 + [True] * 3
    # Nothing of the calls before is held.
    assert len({used for _, used in calls}) == 1
    assert [repeat["gpu_fault_groups"] for repeat in counted["repeats"]] == [1, 2, 3]
    assert set(counted["repeats"][0]) == {*COUNTS, "seconds"}
    seconds = [*counted["uncounted_seconds"], *(repeat["seconds"] for repeat in counted["repeats"])]
    # Until the device is done, without the wait for records.
    assert len(seconds) == 6 and all(0.05 <= each < 0.5 for each in seconds), seconds


@pytest.mark.parametrize(("right", "when"), [(0, "before"), (6, "while")])
def test_a_wrong_result_is_no_count(
    right: int, when: str, counters: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[None] = []

    def turning(pattern: Pattern) -> Any:
        called.append(None)
        return (
            device_fakes._computed(pattern)
            if len(called) <= right
            else device_fakes.wrong_on_the_card(pattern)
        )

    case = registered(turning, "turning")
    assert cupti.FAULTS.main([str(tmp_path / "counted"), case.name]) == 1
    assert capsys.readouterr().err.startswith(
        f"faults: wrong {when} CUPTI counted: row counts and row hashes"
    )
    assert not (tmp_path / "counted").exists() and len(called) == right + 1


def test_whatever_breaks_is_one_line(
    counters: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextlib.contextmanager
    def refused() -> Iterator[PageFaults]:
        raise UnavailableError("the driver refuses CUPTI's unified-memory counters: no privileges (35)")
        yield

    monkeypatch.setattr(cupti, "page_faults", refused)
    for fake, message in (
        ("too_large", "faults: OutOfMemoryError: Out of memory allocating 1,073,741,824 bytes.\n"),
        ("on_the_card", "faults: the driver refuses CUPTI's unified-memory counters: no privileges (35)\n"),
    ):
        assert cupti.FAULTS.main([str(tmp_path / "counted"), case_of(fake).name]) == 1
        assert capsys.readouterr().err == message


def test_a_child_follows_its_parents_end_before_it_does_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    monkeypatch.setattr(cupti, "die_with_parent", lambda: order.append("follows"))
    monkeypatch.setattr(Counter, "counted", lambda self, case: order.append(f"counts {case.name}"))
    assert cupti.FAULTS.main([str(tmp_path / "counted"), CASE.name]) == 0
    assert order == ["follows", f"counts {CASE.name}"] and (tmp_path / "counted").exists()


def test_the_links_rate_is_of_warm_copies(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert max(cupti.link_rates()["link_bytes_per_second"]) <= cupy.LINK
    milliseconds = iter([100.0, 1.0, 2.0, 4.0, 1.28, 1.0])
    monkeypatch.setattr(cupy.cuda, "get_elapsed_time", lambda start, end: next(milliseconds))
    assert cupti.link_rates()["link_bytes_per_second"] == pytest.approx([64e9, 32e9, 16e9, 50e9, 64e9])


def in_this_process(command: list[str], seconds: float, name: str) -> subprocess.CompletedProcess[str]:
    """The child without a process, whose CUPTI would not be a fake."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        status = cupti.FAULTS.main(command[4:])
    return subprocess.CompletedProcess(command, status, errors.getvalue())


def test_only_what_has_an_ok_record_of_todays_sources_is_counted(
    counters: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case, wrong, never = case_of("on_the_card"), case_of("wrong_on_the_card"), case_of("unwaited")
    monkeypatch.setattr(cupti, "run_child", in_this_process)
    monkeypatch.setattr(cupti, "figure_cases", lambda paper, figure, settings: [never, wrong, case])
    assert main(["faults", case.name]) == 1
    assert (
        "no ok record of today's sources here: measure it first: fillpath run symbolic"
        in capsys.readouterr().err
    )
    assert main(["faults"]) == 2
    assert "3 cases of ooclu table3 and gsofa fig18" in capsys.readouterr().err

    limits = Limits(seconds=60, samples=3)
    for each in (case, wrong):
        record = measure(each, limits)
        assert (record.status is Status.OK) == (each != wrong), record.reason
    assert main(["faults"]) == 0
    path = counts_path("faults", "test-machine", case.name)
    assert capsys.readouterr().out == f"{path}\n"
    found = json.loads(path.read_text())
    assert (found["key"], found["device"]) == (measure(case, limits).key, "NVIDIA Fake 1")
    assert found["facts"]["gpu_fault_groups"] == 2 and found["facts"]["uncounted_seconds"] >= 0.15

    ok = measure(case, limits)
    failed_since = replace(ok, status=Status.ERROR, run_id="later", seconds=[])
    write_records(record_path("test-machine", case.name), [ok, failed_since])
    with pytest.raises(CountingError, match="none with an ok record"):
        counted_cases(Settings())
    write_records(record_path("test-machine", case.name), [failed_since, ok])
    assert counted_cases(Settings()) == [case]

    monkeypatch.setattr(registry.Implementation, "source_hash", lambda *_: "other sources")
    with pytest.raises(CountingError, match="none with an ok record"):
        counted_cases(Settings())
    assert main(["faults", case.name]) == 1


def test_without_a_gpu_or_a_known_suite_nothing_is_looked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernels, "available", lambda: (False, "no NVIDIA GPU: no driver"))
    assert main(["faults"]) == 2
    assert capsys.readouterr().err == "fillpath: no NVIDIA GPU: no driver\n"
    monkeypatch.setenv("FILLPATH_SUITE", "tiny")
    assert main(["faults"]) == 2
    assert capsys.readouterr().err.startswith("fillpath: FILLPATH_SUITE=tiny: expected one of")


@pytest.mark.gpu
@pytest.mark.usefixtures("shared_cache")
def test_what_a_gpu_faults_is_counted() -> None:
    cases = [Case("symbolic", name, "grid2d,40") for name in ("unified_memory", "out_of_core")]
    keys = [measure(case, Limits(seconds=120, samples=3)).key for case in cases]
    assert main(["faults", *(case.name for case in cases)]) == 0
    managed, own = [
        (read_probe("faults", "test-machine", case.name, key) or {})["facts"]
        for case, key in zip(cases, keys, strict=True)
    ]
    # 24 n^2 bytes of fresh pages in the one, no managed memory in the other.
    assert managed["gpu_fault_groups"] >= managed["gpu_fault_records"] > 0
    assert managed["fault_seconds"] > 0 and own["gpu_fault_groups"] == own["bytes_to_device"] == 0
    for found in (managed, own):
        assert found["counted_seconds"] > 0 and found["uncounted_seconds"] > 0
        # Of any link between a host and a card: PCIe 2.0 on four lanes, and NVLink-C2C.
        assert 1e9 < found["link_bytes_per_second"] < 1e12
