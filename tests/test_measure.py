"""The supervisor: each way to fail ends in its status, is recorded, and stops nothing else."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.engine import current, inputs, machine, run
from benchmarks.engine import measure as measuring
from benchmarks.engine.limits import SHORT, Limits, Sampling
from benchmarks.engine.measure import measure
from benchmarks.engine.outcome import Outcome
from benchmarks.runs.rounds import measure_rounds
from fetch.matrix_id import resolve
from fillpath import host, paths, registry
from fillpath.case import Case, Preparation
from fillpath.errors import DiskFullError, UnknownNameError
from fillpath.lock import BusyError, exclusive
from fillpath.paths import ROOT
from fillpath.processes import of_run, representative
from fillpath.record import Record, Status, read_records, record_path, write_records
from impl.preparation import ordering
from tests import fakes
from tests.ended import is_gone
from tests.misbehaving import archive, regular

JOB = measuring.job_of
LIMITS = Limits(seconds=60, samples=3, forked=True)
# Each way to end a worker is tested on one that was started by itself, too.
SPAWNED = replace(LIMITS, forked=False)

pytestmark = pytest.mark.usefixtures("registered_fakes", "shared_cache")


def case_of(fake: str, **fields: object) -> Case:
    return Case("symbolic", fake, "grid2d,6", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fake", "status", "reason", "limits"),
    [
        ("missing_row", Status.WRONG, "row counts and row hashes", SPAWNED),
        ("not_a_pattern", Status.WRONG, "row counts and row hashes", LIMITS),
        ("wild_indices", Status.WRONG, "row counts and row hashes", LIMITS),
        ("wrong_later", Status.WRONG, "row counts and row hashes", LIMITS),
        ("changes_its_input", Status.ERROR, "changed its input", LIMITS),
        ("crashes", Status.ERROR, "SIGSEGV", SPAWNED),
        ("killed", Status.ERROR, "killed from outside by SIGKILL", SPAWNED),
        ("leaves", Status.ERROR, "ended early with exit status 0", SPAWNED),
        ("cannot_allocate", Status.OUT_OF_MEMORY, "MemoryError", LIMITS),
        ("over_budget", Status.OUT_OF_MEMORY, "12 n bytes", LIMITS),
        ("raises", Status.ERROR, "RuntimeError: no such thing", LIMITS),
        ("unsupported", Status.UNSUPPORTED, "symmetric input only", LIMITS),
        ("absent", Status.UNAVAILABLE, "does not exist", LIMITS),
    ],
)
def test_each_failure_ends_in_its_status_and_is_recorded(
    fake: str, status: Status, reason: str, limits: Limits
) -> None:
    record = measure(case_of(fake), limits)
    assert record.status is status
    assert reason in record.reason
    assert record.median is None
    assert read_records(record_path("test-machine", case_of(fake).name)) == [record]
    if status is Status.WRONG:
        assert record.seconds == []


def test_a_full_disk_refuses_the_next_case_and_leaves_what_is_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finished = measure(case_of("right"), LIMITS)
    full = SimpleNamespace(free=50 * 2**20)
    monkeypatch.setattr(paths.shutil, "disk_usage", lambda folder: full)
    with pytest.raises(DiskFullError, match=r"52\.4 MB are free, 104\.9 MB have to be"):
        measure(case_of("slow"), LIMITS)
    assert not record_path("test-machine", case_of("slow").name).exists()
    assert last_record(case_of("right")) == finished


def test_complex_values_stop_before_numeric_work_only(tmp_path: Path) -> None:
    path = tmp_path / "complex.mtx"
    path.write_text("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 0 1\n2 2 1 0\n")
    matrix = resolve(str(path)).text
    assert measure(Case("symbolic", "fill2_cpu", matrix), LIMITS).status is Status.OK
    registry.implementation(stage="numeric")(fakes.right)
    record = measure(Case("numeric", "right", matrix), LIMITS)
    assert record.status is Status.UNSUPPORTED and "complex values" in record.reason


def test_an_ordering_without_its_library_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ordering._LIBRARIES, "amd", ("no-such-library",))
    record = measure(Case("symbolic", "right", "grid2d,6", Preparation("none", "amd")), LIMITS)
    assert record.status is Status.UNAVAILABLE and "needs no-such-library" in record.reason


def test_the_rest_goes_on_after_a_crash() -> None:
    assert measure(case_of("crashes"), LIMITS).status is Status.ERROR
    assert measure(case_of("right"), LIMITS).status is Status.OK


@pytest.mark.parametrize(("limits", "least"), [(LIMITS, 0.5), (SPAWNED, 2)], ids=["forked", "spawned"])
def test_a_hang_ends_at_the_limit(limits: Limits, least: float) -> None:
    # The imports of a spawned worker count too: how long they take is the machine's affair.
    for seconds in (least, 4 * least, 16 * least):
        start = time.monotonic()
        record = measure(case_of("hangs"), replace(limits, seconds=seconds), fresh=True)
        assert (record.status, record.limit_seconds) == (Status.TIMEOUT, seconds)
        took = time.monotonic() - start
        assert took < seconds + 18
        if record.longer_than is not None:
            break
    # The first call did not return: a bound on its time. The limit is looked at between two polls.
    assert record.longer_than is not None and 0 < record.longer_than <= took


def test_facts_of_the_gate_join_those_of_the_work_where_they_are_numbers() -> None:
    outcome = Outcome()
    held = {"growth": float("inf"), "normwise_error": 0.5}
    outcome.take({"event": "verified", "by": "", "method": "", "value": 0.0, "bound": 1.0, "facts": held})
    sampled = {"work": {"edges": 1, "facts": {"residual": 1.0}}, "bytes": 1}
    outcome.take(
        {"event": "sampled", **sampled, "peak_memory": 1, "energy": None, "clocks": None, "throttle": None}
    )
    assert outcome.reported["work"] == {"edges": 1, "facts": {"residual": 1.0, "normwise_error": 0.5}}


def test_a_limit_says_nothing_of_a_call_that_returned() -> None:
    outcome = Outcome()
    outcome.take({"event": "began"})
    outcome.take({"event": "returned"})
    outcome.stop(Status.TIMEOUT, "while its result was checked")
    assert "longer_than" not in outcome.reported


def test_preparation_is_stopped_by_its_own_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FILLPATH_CACHE", str(tmp_path / "unprepared"))
    within, limits = run.alone(), replace(SPAWNED, preparation=0.2)
    record = measure(case_of("right"), limits, within=within)
    assert not list((tmp_path / "unprepared").rglob("*.npz")), "it was prepared all the same"
    assert record.status is Status.TIMEOUT and not record.conclusive
    assert record.reason == "preparing grid2d,6: preparation took more than 0.2 s"
    assert record.longer_than is None and record.limit_seconds is None
    # The run's other cases of that matrix do not wait for it again; another run tries.
    with monkeypatch.context() as patch:
        patch.setattr(inputs, "run_worker", lambda *_: pytest.fail("tried again"))
        assert measure(case_of("right"), limits, within=within).status is Status.TIMEOUT
    assert measure(case_of("right"), LIMITS).status is Status.OK


def test_a_short_limit_of_a_call_leaves_preparation_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FILLPATH_CACHE", str(tmp_path / "unprepared"))
    record = measure(case_of("hangs"), replace(LIMITS, seconds=0.1))
    assert record.reason == "not done within 0.1 s"


def test_a_hoarder_ends_at_the_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "group_limit", lambda: 600 * 2**20 * 10 // 9)
    record = measure(case_of("hoards"), SPAWNED)
    assert record.status is Status.OUT_OF_MEMORY
    assert "limit is 0.59 GiB" in record.reason


def test_a_slow_implementation_is_timed_right_and_its_phases_are_kept() -> None:
    record = measure(case_of("slow"), replace(LIMITS, samples=2))
    assert record.status is Status.OK
    assert len(record.seconds) == len(record.phases["sleep"]) == 2
    assert all(0.5 <= s < 1.0 for s in record.seconds)
    assert all(
        0 <= whole - part < 0.5 for whole, part in zip(record.seconds, record.phases["sleep"], strict=True)
    )


def test_output_of_an_implementation_is_not_a_report() -> None:
    record = measure(case_of("chatty"), LIMITS)
    assert (record.status, len(record.seconds)) == (Status.OK, 3)


def test_the_same_key_is_measured_once() -> None:
    first = measure(case_of("right"), LIMITS)
    assert measure(case_of("right"), LIMITS) == first
    assert measure(case_of("right").name, LIMITS) == first
    assert len(read_records(record_path("test-machine", first.case))) == 1


def test_fresh_measures_again_and_keeps_both_but_not_twice_in_one_run() -> None:
    first = measure(case_of("right"), LIMITS)
    nightly = run.Run("night", None, "")
    second = measure(case_of("right"), LIMITS, fresh=True, within=nightly)
    third = measure(case_of("right"), LIMITS, fresh=True, within=nightly)
    assert first.run_id != second.run_id == "night"
    assert third == second
    assert read_records(record_path("test-machine", first.case)) == [first, second]


def test_more_samples_than_stored_are_measured() -> None:
    measure(case_of("right"), replace(LIMITS, samples=1))
    assert len(measure(case_of("right"), Limits(forked=True)).seconds) == SHORT.most
    assert len(measure(case_of("right"), replace(LIMITS, samples=7)).seconds) == 7
    assert len(read_records(record_path("test-machine", case_of("right").name))) == 3


def last_record(case: Case) -> Record:
    return representative(of_run(read_records(record_path("test-machine", case.name))))


def test_past_the_deadline_no_record_of_another_number_of_cores_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ok = measure(case_of("right"), LIMITS)
    late = run.Run("late", time.time() - 1, "")
    assert measure(case_of("right"), LIMITS, within=late) == ok
    monkeypatch.setattr(current, "threads_of", lambda case: 99)
    assert measure(case_of("right"), LIMITS, within=late).status is Status.NOT_RUN


def test_a_limit_never_hides_an_earlier_proof() -> None:
    ok = measure(case_of("right"), LIMITS)
    assert measure(case_of("right"), replace(LIMITS, seconds=1e-3), fresh=True).status is Status.TIMEOUT
    assert last_record(case_of("right")) == ok
    assert measure(case_of("right"), LIMITS, within=run.Run("late", time.time() - 1, "")) == ok
    assert measure(case_of("right"), LIMITS) == ok


def test_the_record_that_measure_returns_is_the_one_that_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    first = measure(case_of("right"), LIMITS)
    with monkeypatch.context() as edited:
        edited.setattr(registry.Implementation, "source_hash", lambda *_: "edited")
        second = measure(case_of("right"), LIMITS)
        assert last_record(case_of("right")) == second != first
    assert measure(case_of("right"), LIMITS) == first
    assert last_record(case_of("right")) == first


def test_another_number_of_cores_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = measure(case_of("right"), LIMITS)
    cores = machine.cores()
    assert first.threads_used == cores
    monkeypatch.setattr(machine, "cores", lambda: cores + 1)
    assert measure(case_of("right"), LIMITS).threads_used == cores + 1


def test_a_failure_before_the_implementation_began_settles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = Path("/nonexistent/prepared.npz")
    with monkeypatch.context() as broken:
        broken.setattr(measuring, "job_of", lambda *a: {**JOB(*a), "prepared": str(nowhere)})
        record = measure(case_of("right"), LIMITS)
        assert (record.status, record.conclusive) == (Status.ERROR, False)
    assert measure(case_of("right"), LIMITS).status is Status.OK


def test_two_writers_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    record = measure(case_of("right"), LIMITS)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: current.store(replace(record, run_id=f"run{i}")), range(8)))
    assert len(read_records(record_path("test-machine", record.case))) == 9


def test_impossible_work_is_an_error_with_a_record() -> None:
    record = measure(case_of("negative_work"), LIMITS)
    assert record.status is Status.ERROR
    assert "negative edges" in record.reason


def test_facts_that_no_count_can_be_are_an_error_with_a_record() -> None:
    record = measure(case_of("negative_facts"), LIMITS)
    assert record.status is Status.ERROR
    assert record.reason == "its work has negative queue_peak, no finite reinit_share"


def test_device_facts_are_kept_with_the_work() -> None:
    record = measure(case_of("device_facts"), LIMITS)
    assert record.work is not None
    assert record.work["facts"] == {"queue_peak": 7.0, "reinit_share": 0.25}
    assert read_records(record_path("test-machine", record.case)) == [record]


def test_a_kill_from_outside_does_not_settle_the_case() -> None:
    first, second = (measure(case_of("killed"), LIMITS) for _ in range(2))
    assert not first.conclusive and second.started_at > first.started_at
    assert read_records(record_path("test-machine", first.case)) == [second]


def test_a_higher_limit_measures_a_timeout_again() -> None:
    low, lower, higher = (replace(LIMITS, seconds=seconds) for seconds in (0.2, 0.1, 0.3))
    first = measure(case_of("hangs"), low)
    assert measure(case_of("hangs"), lower) == first
    assert measure(case_of("hangs"), higher).limit_seconds == higher.seconds


def test_default_options_have_one_spelling() -> None:
    first = measure(case_of("right", options=(("repeats", "1"),)), LIMITS)
    assert first.case == "symbolic.right@grid2d,6.natural"


def test_past_the_deadline_nothing_is_started() -> None:
    late = run.Run("late", time.time() - 1, "")
    assert measure(case_of("hangs"), LIMITS, within=late).status is Status.NOT_RUN


def test_what_the_deadline_cuts_off_has_no_timeout() -> None:
    measure(case_of("right"), LIMITS)
    record = measure(case_of("hangs"), LIMITS, within=run.Run("cut", time.time() + 1, ""))
    assert (record.status, record.reason) == (Status.NOT_RUN, "the time limit of this run cut it off")


def test_no_other_case_of_this_node_is_measured_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    def supervised(*_: object) -> Outcome:
        with exclusive(host.node_lock("measurement"), seconds=0):
            return pytest.fail("nobody holds the lock")

    monkeypatch.setattr(measuring, "run_worker", supervised)
    with pytest.raises(BusyError, match="measurement"):
        measure(case_of("right"), LIMITS)


def test_memory_and_samples_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the memory is left to the machine; no sample begins after the time of all."""
    monkeypatch.setattr(machine, "group_limit", lambda: 1000)
    assert machine.memory_limit() == 900
    more = [Sampling(3, 1.0).wants_more(*taken) for taken in ((0, 0.0), (2, 0.9), (3, 0.9), (1, 1.0))]
    assert more == [True, True, False, False]


def test_a_matrix_that_cannot_be_had_is_an_error_with_a_record() -> None:
    record = measure(Case("symbolic", "fill1", "grid2d,-1"), LIMITS)
    assert record.status is Status.ERROR
    assert "grid2d" in record.reason


def test_a_matrix_that_is_gone_hides_no_stored_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("cache", "mirror"):
        monkeypatch.setenv(f"FILLPATH_{name.upper()}", str(tmp_path / name))
    stored = tmp_path / "mirror" / "MM" / "G" / "m.tar.gz"
    stored.parent.mkdir(parents=True)
    stored.write_bytes(archive(regular("m/m.mtx")))
    case = replace(case_of("right"), matrix="G+m")
    ok = measure(case, LIMITS)
    shutil.rmtree(tmp_path / "cache")
    monkeypatch.delenv("FILLPATH_MIRROR")
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")
    assert measure(case, LIMITS) == ok == last_record(case) and ok.status is Status.OK
    assert "offline: G/m is not in the cache" in caplog.text and "the stored result stays" in caplog.text
    # A night and a run that measures afresh get no sample of another run.
    night = run.Run("night", None, "")
    (fresh,) = measure_rounds([case], 3, fresh=True, within=night)
    assert (fresh.status, fresh.run_id, fresh.conclusive) == (Status.NOT_RUN, "night", False)
    assert read_records(record_path("test-machine", case.name)) == [ok]
    wrong = replace(ok, status=Status.WRONG, run_id="later", seconds=[], phases={}, kernel_seconds=None)
    current.store(wrong)
    assert measure(case, LIMITS) == wrong == last_record(case)
    with monkeypatch.context() as patch:
        patch.setattr(measuring, "make_ready", lambda *_: 1 / 0)
        assert measure(case, LIMITS).status is Status.ERROR is last_record(case).status
    monkeypatch.setattr(registry.Implementation, "source_hash", lambda *_: "edited")
    assert measure(case, LIMITS).status is Status.NOT_RUN is last_record(case).status


def test_unknown_names_are_refused_before_anything_starts() -> None:
    with pytest.raises(UnknownNameError, match="did you mean fill2_cpu"):
        measure("symbolic.fill2_cup@grid2d,6.natural")
    with pytest.raises(UnknownNameError, match=r"no option 'repeat'.*did you mean repeats"):
        measure("symbolic.right.repeat=2@grid2d,6.natural")


def test_another_source_or_machine_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    first = measure(case_of("right"), LIMITS)
    monkeypatch.setenv("FILLPATH_MACHINE", "other")
    assert measure(case_of("right"), LIMITS).key != first.key


def test_a_damaged_cache_repairs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_CACHE", str(tmp_path / "cache"))
    measure(case_of("right"), LIMITS)
    for artefact in [
        *(tmp_path / "cache").rglob("prepared/*.npz"),
        *(tmp_path / "cache").rglob("references/*.npz"),
    ]:
        artefact.write_bytes(artefact.read_bytes()[:100])
    assert measure(case_of("kept"), LIMITS).status is Status.OK


def test_the_worker_dies_with_its_supervisor(tmp_path: Path) -> None:
    case = "symbolic.hangs@grid2d,6.natural"
    code = f"from tests import fakes; from benchmarks.engine.measure import measure; measure('{case}')"
    supervisor = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, start_new_session=True)
    workers: list[int] = []
    deadline = time.monotonic() + 60
    while not workers and time.monotonic() < deadline:
        workers = _children_running("benchmarks.engine.worker", supervisor.pid)
        time.sleep(0.1)
    assert workers, "the worker never started"
    time.sleep(0.3)
    supervisor.send_signal(signal.SIGKILL)
    supervisor.wait()
    assert all(is_gone(pid) for pid in workers)


def test_records_survive_a_torn_write(monkeypatch: pytest.MonkeyPatch) -> None:
    record = measure(case_of("right"), LIMITS)
    path = record_path("test-machine", record.case)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_records(path, [])
    assert json.loads(path.read_text())["key"] == record.key
    assert list(path.parent.glob(".*.tmp")) == []


def _children_running(module: str, parent: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)], capture_output=True, text=True
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if module in line]


def test_what_cannot_fit_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "least_bytes", lambda *_: 1e15)
    measure(case_of("hangs"), LIMITS)
    monkeypatch.setattr(measuring, "run_worker", lambda *_: pytest.fail("started"))
    record = measure(case_of("right"), LIMITS, fresh=True)
    assert record.status is Status.OUT_OF_MEMORY and record.reason.startswith("foreseen, not started: ")
    assert record.key and record.memory_limit
    # It settles the case: the next call has it.
    assert measure(case_of("right"), LIMITS) == record
