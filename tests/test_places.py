"""What the worker does around a GPU's samples, over a CuPy that needs no GPU (tests/fake_cupy)."""

import importlib
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.engine.outcome import Outcome
from commands import doctor
from commands._parser import Arguments
from commands._records import record_text
from fetch.prepare import prepare
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError
from fillpath.nouns import Counts, Filled, Pattern, Supernodes
from fillpath.paths import results
from fillpath.record import Record, Status, read_records, record_path
from fillpath.series import read_bins
from impl.cuda import device, kernels, nvml, transfer
from tests import device_fakes
from tests.device_fakes import MIB
from tests.fake_cupy.pynvml import WATTS
from tests.fake_device import forget

LIMITS = Limits(seconds=60, samples=3)


@pytest.fixture
def registered_spawned(own_registry: None, shared_cache: None, cupy: Any) -> None:
    device_fakes.register()


@pytest.fixture
def registered(registered_spawned: None, forked_with_cupy: None) -> None:
    """For tests whose subject is no process of its own."""


def measured(fake: str, limits: Limits = LIMITS) -> Record:
    return measure(Case("symbolic", fake, "grid2d,6"), limits)


@pytest.mark.usefixtures("registered")
def test_transfers_are_phases_and_no_part_of_the_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_TRANSFER", "0.3")
    record = measured("back_on_the_host")
    assert (record.status, len(record.seconds)) == (Status.OK, 3), record.reason
    assert len(record.phases["to_device"]) == 1 and len(record.phases["to_host"]) == 2
    # Two arrays in; what is on the host is not moved, and looked at twice.
    assert record.phases["to_device"][0] >= 0.6
    assert max(record.seconds + record.phases["to_host"]) < 0.3


@pytest.mark.usefixtures("registered_spawned")
def test_a_sample_on_a_device() -> None:
    record = measured("on_the_card")
    assert record.status is Status.OK, record.reason
    # A phase ends when the device is done.
    assert all(seconds >= 0.05 for seconds in record.phases["first"])
    assert all(seconds >= 0.1 for seconds in record.phases["second"])
    # The gate looks at it on the device; its way to the host is measured once.
    assert len(record.phases["to_host"]) == 1
    # Of 2 MiB, and then of 1 MiB and the result.
    assert record.peak_memory == 2 * MIB
    text = record_text(record)
    assert "device: NVIDIA Fake 1, driver 580.82.07, CUDA 13.2" in text
    assert "work: edges 7, fills" in text and "facts: queue_peak 3.5" in text
    # What is counted on the device is recorded as numbers.
    assert record.work is not None and record.series is not None
    assert (record.work["edges"], record.work["facts"]) == (7, {"queue_peak": 3.5})
    _, bins = read_bins(results() / "test-machine" / record.series)
    assert bins["edges_mean"].sum() == 36


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("killed", [False, True])
def test_a_result_that_the_host_has_no_memory_for_is_measured(
    monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    """The counts and hashes of 36 rows fit, the entries of F do not."""
    monkeypatch.setenv("FAKE_HOST", "400")
    if killed:
        monkeypatch.setenv("FAKE_KILL", "1")
    record = measured("on_the_card")
    assert record.status is Status.OK and record.conclusive and not record.reason
    assert len(record.seconds) == 3 and record.verified is not None and record.verified.passes
    assert len(record.phases["to_device"]) == 1 and "to_host" not in record.phases
    assert record.work is not None and record.work["edges"] == 7 and record.series is not None


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.OUT_OF_MEMORY])
def test_a_limit_passed_by_the_last_transfer_takes_nothing_back(status: Status) -> None:
    complete, incomplete = Outcome(), Outcome()
    complete.take({"event": "complete", "series": None})
    for outcome in (complete, incomplete):
        outcome.stop(status, "a limit")
    assert (complete.status, complete.reason) == (Status.OK, "")
    assert (incomplete.status, incomplete.reason) == (status, "a limit")


@pytest.mark.usefixtures("registered")
def test_a_sample_ends_when_the_device_is_done_and_has_its_joules() -> None:
    record = measured("unwaited", Limits(seconds=60, samples=2))
    assert record.status is Status.OK
    assert record.kernel_seconds is not None
    for seconds, kernel in zip(record.seconds, record.kernel_seconds, strict=True):
        assert 0.5 <= kernel <= seconds
    assert record.energy == [pytest.approx(WATTS * np.mean(record.seconds), rel=0.2)]


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("fake", "status", "reason"),
    [
        ("wrong_on_the_card", Status.WRONG, "row counts and row hashes"),
        ("one_wrong_entry", Status.WRONG, "row counts and row hashes: 1 where at most 0"),
        ("too_large", Status.OUT_OF_MEMORY, "Out of memory allocating 1,073,741,824 bytes"),
        ("too_much_pinned", Status.OUT_OF_MEMORY, "cudaErrorMemoryAllocation"),
        ("illegal", Status.ERROR, "CUDARuntimeError: cudaErrorIllegalAddress: an illegal memory access"),
    ],
)
def test_each_failure_of_a_device_ends_in_its_status(fake: str, status: Status, reason: str) -> None:
    record = measured(fake)
    assert record.status is status
    assert reason in record.reason
    assert record.kernel_seconds is None
    assert record.conclusive
    assert record.device == "NVIDIA Fake 1"
    assert read_records(record_path("test-machine", record.case)) == [record]


@pytest.mark.usefixtures("registered")
def test_a_record_names_the_device_and_how_fast_it_ran() -> None:
    record = measured("back_on_the_host")
    assert (record.device, record.driver, record.cuda) == ("NVIDIA Fake 1", "580.82.07", "13.2")
    assert record.energy is None, "too short for the counter"
    assert record.clocks == {"sm_mhz": 1755, "memory_mhz": 877, "sm_max_mhz": 1980}
    assert record.throttle == ["sw_power_cap", "sw_thermal_slowdown"]
    assert record.gpu is not None
    # 900 GB/s, as NVIDIA gives it for a V100.
    assert record.gpu["peak_bytes_per_second"] == 898_048_000_000
    told = ("compute_capability", "multiprocessors", "l2", "memory", "mig", "nvrtc", "cuda_driver", "pci")
    assert [record.gpu[name] for name in told] == [
        *("9.0", 80, 6 * MIB, 2**30, False, "13.5", "13.0", "0000:0F:00.0")
    ]


@pytest.mark.usefixtures("registered")
def test_another_device_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = measured("back_on_the_host")
    assert measured("back_on_the_host") == first
    monkeypatch.setenv("FAKE_GPU", "NVIDIA Fake 2")
    forget()
    assert measured("back_on_the_host").device == "NVIDIA Fake 2"


@pytest.mark.usefixtures("registered")
def test_a_case_of_the_host_has_nothing_of_a_device() -> None:
    record = measured("fill1")
    assert record.status is Status.OK
    assert record.kernel_seconds is record.device is record.gpu is record.clocks is record.throttle is None
    assert not {"to_device", "to_host"} & set(record.phases)


@pytest.mark.usefixtures("registered")
def test_without_a_device_a_case_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    record = measured("on_the_card")
    assert record.status is Status.UNAVAILABLE
    assert record.reason == "no NVIDIA GPU: cudaErrorNoDevice: no CUDA-capable device is detected"


def test_why_there_is_no_gpu(cupy: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert kernels.available() == (True, "")
    monkeypatch.setattr(cupy.cuda.runtime, "driverGetVersion", lambda: 0)
    kernels.available.cache_clear()
    assert kernels.available() == (False, "no NVIDIA GPU: no driver")
    (tmp_path / "cupy.py").write_text("raise ImportError('libcudart.so.13:\\n no such file')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "cupy")
    kernels.available.cache_clear()
    assert kernels.available() == (False, "CuPy cannot be imported: libcudart.so.13: no such file")
    sys.modules["cupy"] = cupy


def test_a_mig_slice_is_named(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GPU", "NVIDIA H100 80GB HBM3 MIG 1g.10gb")
    monkeypatch.setenv("FAKE_MIG", "MIG-1a")
    assert device.identity() == "NVIDIA H100 80GB HBM3 MIG 1g.10gb (MIG-1a)"
    facts = device.facts()
    assert (facts["mig"], facts["mig_uuid"], facts["peak_bytes_per_second"]) == (True, "MIG-1a", None)
    # Of two slices, CUDA's choice cannot be read; what was asked for can, and a prefix is enough for CUDA.
    monkeypatch.setenv("FAKE_MIG", "MIG-1a,MIG-2b")
    forget()
    assert device.facts()["mig_uuid"] is None
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-2,MIG-1a")
    forget()
    assert device.facts()["mig_uuid"] == "MIG-2b"
    assert nvml.slices() == ["MIG-1a", "MIG-2b"]


def test_nvml_tells_of_the_card_at_an_address(cupy: Any) -> None:
    """What is not supported is left out, and an older driver's name for the reasons will do."""
    assert nvml.driver() == "580.82.07" and nvml.cards() == ["NVIDIA Fake 1"]
    assert nvml.clocks("0000:0F:00.0") == {"sm_mhz": 1755, "memory_mhz": 877, "sm_max_mhz": 1980}
    assert nvml.throttle("0000:0F:00.0") == ["sw_power_cap", "sw_thermal_slowdown"]
    assert nvml.clocks("0000:00:00.0") is nvml.throttle("0000:00:00.0") is None


def test_without_a_driver_nvml_tells_nothing(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_NVML", "")
    assert nvml.driver() is nvml.clocks("0000:0F:00.0") is nvml.throttle("0000:0F:00.0") is None
    assert nvml.cards() == nvml.slices() == []


def test_every_call_of_nvml_is_one_that_the_package_has() -> None:
    """The fake has no name that nvidia-ml-py lacks."""
    names = [
        name for name in vars(importlib.import_module("tests.fake_cupy.pynvml")) if name.startswith("nvml")
    ]
    assert len(names) > 10 and not [name for name in names if not hasattr(nvml.pynvml, name)]


def test_free_bytes_count_the_pool_and_its_limit(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    used = cupy.get_default_memory_pool().used_bytes()
    assert device.free_bytes() == cupy.MEMORY - used + 5 * cupy.UNIT
    monkeypatch.setenv("CUPY_GPU_MEMORY_LIMIT", str(used + 1000))
    assert device.free_bytes() == 1000


def test_nouns_go_to_the_device_and_back(cupy: Any) -> None:
    prepared = prepare("grid2d,6", Preparation())
    filled = Filled(prepared.pattern, np.arange(prepared.pattern.n))
    counts = Counts(np.arange(3), np.arange(3))
    for noun in (prepared.pattern, prepared, filled, counts, Supernodes(np.array([0, 3]))):
        there = transfer.on_device(noun)
        assert type(there) is type(noun)
        assert all(isinstance(array, cupy.ndarray) for array in _arrays(there))
        for array, original in zip(_arrays(transfer.on_host(there)), _arrays(noun), strict=True):
            assert isinstance(array, np.ndarray) and array.dtype == original.dtype
            np.testing.assert_array_equal(array, original)


def test_what_has_no_array_to_move_is_itself(cupy: Any) -> None:
    pattern = Pattern(np.arange(3), np.arange(2, dtype=np.int32))
    for noun in (pattern, "text", None, {"a": 1}):
        assert transfer.on_host(noun) is noun
    there = Supernodes(cupy.ndarray([0, 3]))
    assert transfer.on_device(there) is there


def _arrays(noun: Any) -> list[Any]:
    parts = [getattr(noun, f.name) for f in fields(noun)]
    inner = [array for part in parts if hasattr(part, "__dataclass_fields__") for array in _arrays(part)]
    return [part for part in parts if hasattr(part, "nbytes")] + inner


def test_a_kernel_is_compiled_once_for_the_same_arguments(cupy: Any, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text('extern "C" __global__ void first() {} extern "C" __global__ void second() {}')
    before = len(cupy.RawModule.compiled)
    loaded = kernels.load(path, ("first", "second"), ("BUBBLE=1",))
    assert kernels.load(path, ("first", "second"), ("BUBBLE=1",)) is loaded
    assert (loaded["first"].name, loaded["second"].name) == ("first", "second")
    assert cupy.RawModule.compiled[before:] == [kernels.options(("BUBBLE=1",))]
    assert "-DBUBBLE=1" in kernels.options(("BUBBLE=1",)) and "--std=c++17" in kernels.options(())
    assert device.occupancy(loaded["first"], 256, 0) == 8


def test_a_kernel_that_cannot_be_had_is_explained(cupy: Any, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    with pytest.raises(FillpathError, match=r"k\.cu: No such file"):
        kernels.load(path, ("first",))
    path.write_text("first undeclared")
    with pytest.raises(FillpathError, match=r"k\.cu does not compile: k\.cu\(7\): error: identifier"):
        kernels.load(path, ("first",))
    path.write_text("first")
    with pytest.raises(FillpathError, match=r'k\.cu: CUDA_ERROR_NOT_FOUND.*asked for second.*extern "C"'):
        kernels.load(path, ("second",))


def test_doctor_names_the_device_and_says_why_another_cannot_be_used(
    cupy: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FAKE_NVML", "NVIDIA H100 80GB HBM3")
    doctor.run(Arguments())
    found = "gpu       NVIDIA Fake 1, driver 580.82.07, CUDA 13.2; there: NVIDIA H100 80GB HBM3"
    assert found in capsys.readouterr().out
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    forget()
    doctor.run(Arguments())
    refused = "gpu       NVIDIA H100 80GB HBM3: not usable: no NVIDIA GPU: cudaErrorNoDevice"
    assert refused in capsys.readouterr().out
