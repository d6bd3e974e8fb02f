"""The harness on a real GPU: what tests/test_places.py and tests/test_kernels.py can only imitate."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.engine.places import Gpu
from fetch.prepare import prepare
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError
from fillpath.record import Record, Status
from impl.cuda import device, kernels, transfer
from tests import gpu_fakes
from tests.gpu_fakes import MIB, SOURCE

pytestmark = pytest.mark.gpu


@pytest.fixture
def registered(own_registry: None, shared_cache: None) -> None:
    gpu_fakes.register()


def measured(fake: str) -> Record:
    return measure(Case("symbolic", fake, "grid2d,6"), Limits(seconds=120, samples=3))


def test_a_kernel_is_compiled_with_its_defines_and_runs() -> None:
    import cupy

    kernel = kernels.load(SOURCE, ("multiples",), ("FACTOR=3",))["multiples"]
    out = cupy.zeros(1000, np.int32)
    kernel((4,), (256,), (out, np.int32(1000)))
    np.testing.assert_array_equal(transfer.on_host(out), 3 * np.arange(1000))
    assert 1 <= device.occupancy(kernel, 256, 0) <= 32
    assert device.occupancy(kernel, 256, 40_000) < device.occupancy(kernel, 256, 0)


def test_a_kernel_that_cannot_be_had_is_explained(tmp_path: Path) -> None:
    with pytest.raises(
        FillpathError, match=r"probe\.cu does not compile: probe\.cu\([0-9]+\): error: .*FACTOR"
    ):
        kernels.load(SOURCE, ("multiples",))
    with pytest.raises(FillpathError, match=r"probe\.cu: CUDA_ERROR_NOT_FOUND.*asked for absent"):
        kernels.load(SOURCE, ("absent",), ("FACTOR=1",))


def test_the_device_says_what_it_is_and_what_is_free() -> None:
    import cupy

    facts = device.facts()
    told = [facts[name] for name in ("name", "compute_capability", "pci", "driver", "cuda_runtime", "nvrtc")]
    assert all(isinstance(fact, str) and fact for fact in told), told
    assert str(facts["name"]) in device.identity()
    amounts = [facts[name] for name in ("memory", "multiprocessors", "l2")]
    assert all(isinstance(fact, int) and fact > 0 for fact in amounts), amounts
    free = device.free_bytes()
    held = cupy.empty(256 * MIB, np.uint8)
    assert device.free_bytes() <= free - 256 * MIB
    del held
    # What the pool keeps is free all the same.
    assert device.free_bytes() >= free - 16 * MIB


def test_nouns_go_to_the_device_and_back() -> None:
    prepared = prepare("grid2d,6", Preparation())
    there = transfer.on_device(prepared)
    assert there.pattern.n == prepared.pattern.n and there.pattern.nnz == prepared.pattern.nnz
    back = transfer.on_host(there)
    for name in ("values", "row_permutation", "column_permutation", "row_scale", "column_scale"):
        np.testing.assert_array_equal(getattr(back, name), getattr(prepared, name))
    back.pattern.validate()


def test_peak_memory_is_counted_through_the_pool() -> None:
    import cupy

    def call() -> object:
        cupy.empty(64 * MIB, np.uint8)
        return cupy.empty(8 * MIB, np.uint8), cupy.empty(MIB, np.uint8)

    gpu = Gpu()
    before = cupy.empty(32 * MIB, np.uint8)
    gpu.rehearse(call)
    assert gpu.peak_memory() == 64 * MIB
    assert len(before)


@pytest.mark.usefixtures("registered")
def test_a_sample_ends_when_the_device_is_done() -> None:
    record = measured("kept_busy")
    assert record.status is Status.OK, record.reason
    assert record.kernel_seconds is not None
    for seconds, kernel in zip(record.seconds, record.kernel_seconds, strict=True):
        assert 0.19 < kernel <= 1.01 * seconds
    assert len(record.phases["to_device"]) == 1 == len(record.phases["to_host"])
    assert record.peak_memory is not None and 64 * MIB <= record.peak_memory < 80 * MIB
    assert record.device == device.identity()


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("fake", "status", "reason"),
    [
        ("out_of_bounds", Status.ERROR, r"(?i)illegal.?(address|memory access)"),
        ("beyond_the_card", Status.OUT_OF_MEMORY, "Out of memory allocating"),
    ],
)
def test_each_failure_of_a_device_ends_in_its_status(fake: str, status: Status, reason: str) -> None:
    record = measured(fake)
    assert record.status is status
    assert re.search(reason, record.reason)


def test_pinned_memory_that_is_not_there_is_out_of_memory() -> None:
    import cupy

    with pytest.raises(RuntimeError) as raised:
        cupy.cuda.alloc_pinned_memory(2**50)
    assert device.is_out_of_memory(raised.value)
