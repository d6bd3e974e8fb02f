"""Durations of kernels: CUPTI's records become sums by name and call."""

import contextlib
import ctypes
import itertools
import json
import struct
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.probes import cupti as probe
from benchmarks.probes.counting import CountingError, counts_path
from commands import main
from fillpath.case import Case
from fillpath.errors import UnavailableError
from fillpath.record import Status, read_records, record_path
from impl.cuda import cupti
from impl.cuda.kernel_durations import Durations, Kernel, kernel_durations

GLU3 = Case.parse("numeric.glu3.static_pivoting=true@onetone2.mc64+amd")
UNIFIED_MEMORY = 25
CONCURRENT = 10
REPEATS = probe.DURATIONS.repeats


def call_of(level: float, copy: float, span: float, seconds: float) -> dict[str, Any]:
    kernels = {
        "rl_level": {"launches": 40, "seconds": level},
        "cupy_copy__float64_float32": {"launches": 1, "seconds": copy},
    }
    return {"kernels": kernels, "span_seconds": span, "seconds": seconds}


TIMED: dict[str, Any] = {
    "calls": [call_of(3.0, 0.5, 4.0, 9.0), call_of(1.0, 0.25, 2.0, 6.0), call_of(2.0, 1.0, 8.0, 7.0)],
    "uncounted_seconds": [3.5, 9.0, 1.0],
}
TIMED_FACTS = {
    "kernel_seconds": 3.0,
    "own_kernel_seconds": 2.0,
    "kernel_launches": 41.0,
    "span_seconds": 4.0,
    "timed_seconds": 7.0,
    "untimed_seconds": 3.5,
    "overhead": 2.0,
}


# CUPTI, in whose place something writes its records.


def record(name: bytes | None, start: int, end: int, kind: int = CONCURRENT) -> tuple[bytes, Any]:
    """A record of CUDA 13.0, as a C compiler lays CUpti_ActivityKernel10 out, and the name that it points
    to."""
    text = ctypes.create_string_buffer(name) if name is not None else None
    laid_out = bytearray(216)
    struct.pack_into("<I", laid_out, 0, kind)
    struct.pack_into("<QQQI", laid_out, 16, start, end, 2**64 - 1, 7)
    struct.pack_into("<Q", laid_out, 104, ctypes.addressof(text) if text else 0)
    return bytes(laid_out), text


class FakeCupti:
    """Hands over what `launch` was told, when it is flushed; `dropped` records have no buffer."""

    def __init__(self) -> None:
        self.enabled: list[int] = []
        self.pending: list[tuple[bytes, Any]] = []
        self.handed: list[Any] = []
        self.dropped = 0
        self.refuses = 0

    def launch(self, name: bytes, start: int, end: int) -> None:
        if self.enabled:
            self.pending.append(record(name, start, end))

    def cuptiActivityRegisterCallbacks(self, requested: Any, completed: Any) -> int:
        self.requested, self.completed = requested, completed
        return 0

    def cuptiActivityEnable(self, kind: int) -> int:
        self.enabled += [] if self.refuses else [kind]
        return self.refuses

    def cuptiActivityDisable(self, kind: int) -> int:
        self.enabled.remove(kind)
        return 0

    def cuptiActivityFlushAll(self, flag: int) -> int:
        if not self.pending:
            return 0
        buffer, size, most = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t(1)
        self.requested(ctypes.pointer(buffer), ctypes.pointer(size), ctypes.pointer(most))
        address = buffer.value or 0
        assert address % 8 == 0 and size.value >= 2**20 and most.value == 0
        written = b"".join(laid_out for laid_out, _ in self.pending)
        ctypes.memmove(address, written, len(written))
        lengths = itertools.accumulate((len(laid_out) for laid_out, _ in self.pending), initial=0)
        self.places = [address + start for start in lengths][:-1]
        self.handed, self.pending = self.pending, []
        self.completed(None, 0, buffer, size.value, len(written))
        return 0

    def cuptiActivityGetNextRecord(self, buffer: Any, valid: Any, place: Any) -> int:
        if not self.places:
            return 12
        place._obj.value = self.places.pop(0)
        return 0

    def cuptiActivityGetNumDroppedRecords(self, context: Any, stream: Any, count: Any) -> int:
        count._obj.value, self.dropped = self.dropped, 0
        return 0

    def cuptiGetResultString(self, status: int, text: Any) -> int:
        text._obj.value = b"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
        return 0


class FakeRuntime:
    """In place of CuPy, of which only this is needed."""

    @staticmethod
    def deviceSynchronize() -> None:
        return


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeCupti:
    there = FakeCupti()
    collector = cupti.Collector(there)
    monkeypatch.setattr(cupti, "collector", lambda: collector)
    monkeypatch.setattr(cupti, "_QUIET_SECONDS", 0.01)
    module = type(sys)("cupy")
    module.cuda = type("cuda", (), {"runtime": FakeRuntime})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupy", module)
    return there


def test_records_are_added_up_by_name(fake: FakeCupti) -> None:
    fake.launch(b"before", 1, 2)
    with kernel_durations() as collected:
        fake.launch(b"rl_level", 1_000, 3_500)
        fake.launch(b"rl_finish", 5_000, 5_100)
        fake.pending.append(record(b"fault", 10, 9_999, UNIFIED_MEMORY))
        fake.launch(b"rl_level", 4_000, 4_500)
    fake.launch(b"after", 6_000, 7_000)
    assert set(collected.kernels) == {"rl_level", "rl_finish"}
    level = collected.kernels["rl_level"]
    assert (level.launches, level.seconds) == (2, pytest.approx(3e-6))
    assert collected.launches == 3 and collected.seconds == pytest.approx(3.1e-6)
    assert collected.span == pytest.approx(4.1e-6)
    # Nothing is left switched on, and a second block begins with nothing.
    assert fake.enabled == []
    with kernel_durations() as again:
        fake.launch(b"rl_norm", 8_000, 8_001)
    assert set(again.kernels) == {"rl_norm"} and collected.launches == 3


def test_lost_times_are_no_sum(fake: FakeCupti) -> None:
    for start, dropped in ((0, 0), (7, 3)):
        fake.dropped = dropped
        with (
            pytest.raises(UnavailableError, match=r"CUPTI lost the times of [13] launches"),
            kernel_durations(),
        ):
            fake.launch(b"rl_level", start, 9)


def test_a_refusal_is_named(fake: FakeCupti) -> None:
    fake.refuses = 35
    refusal = r"kernel records: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES \(35\)"
    with pytest.raises(UnavailableError, match=refusal), kernel_durations():
        pytest.fail("what cannot be timed must not run")


# The child, whose implementation needs no GPU.


def child(
    monkeypatch: pytest.MonkeyPatch, kernels: tuple[str, ...] = ("rl_level",)
) -> tuple[dict[str, Any], list[str]]:
    """What the child collects, and what it did."""
    events: list[str] = []

    @contextlib.contextmanager
    def collecting() -> Iterator[Durations]:
        events.append("on")
        collected = Durations()
        yield collected
        events.append("off")
        collected.kernels.update({name: Kernel(2, 0.5) for name in kernels})

    monkeypatch.setattr(probe, "kernel_durations", collecting)

    def subject(case: Case) -> Any:
        events.append("operand")
        return lambda: (events.append("call"), None), lambda result, when: events.append("check")

    monkeypatch.setattr(probe, "subject", subject)
    return probe.DURATIONS.counted(GLU3), events


def test_what_is_kept_of_the_calls_before_cupti_is_made_anew_under_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timed, events = child(monkeypatch)
    without = ["operand", "call", "check", *["call"] * REPEATS]
    assert events == [*without, "operand", *["on", "call", "off"] * (1 + REPEATS), "check"]
    assert len(timed["uncounted_seconds"]) == len(timed["calls"]) == REPEATS
    assert timed["calls"][0]["kernels"] == {"rl_level": {"launches": 2, "seconds": 0.5}}
    assert all(0 <= call["seconds"] < 1 for call in timed["calls"])


def test_no_kernel_is_no_duration(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CountingError, match="CUPTI saw no kernel"):
        child(monkeypatch, kernels=())


@pytest.mark.gpu
@pytest.mark.usefixtures("shared_cache")
def test_every_launch_is_timed_graphs_included() -> None:
    names = ("numeric.glu3@grid2d,40.natural", "numeric.glu3.graph=true@grid2d,40.natural")
    cases = [Case.parse(name) for name in names]
    for case in cases:
        assert measure(case, Limits(seconds=120, samples=3)).status is Status.OK
    assert main(["durations", *names]) == 0
    launches = []
    for case in cases:
        (measured_one,) = read_records(record_path("test-machine", case.name))
        path = counts_path("durations", "test-machine", case.name)
        stored = json.loads(path.read_text())
        found, own = stored["facts"], (measured_one.work or {})["facts"]
        for call in stored["calls"]:
            assert call["kernels"]["rl_level"]["launches"] == own["launches"]
            assert call["kernels"]["rl_finish"]["launches"] == 1
        assert 0 < found["own_kernel_seconds"] <= found["kernel_seconds"] <= found["span_seconds"]
        assert found["span_seconds"] < found["timed_seconds"]
        launches.append(found["kernel_launches"])
    assert min(launches) > 10
