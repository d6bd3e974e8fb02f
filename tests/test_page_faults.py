"""The counter of page faults, on programs whose pages are known."""

import ctypes
from typing import Any

import numpy as np
import pytest

from impl.cuda import managed, peers
from impl.cuda.page_faults import page_faults
from impl.cuda.page_faults_all import page_faults_of

pytestmark = pytest.mark.gpu
MIB = 2**20


@pytest.fixture
def array() -> Any:
    """64 MiB of managed memory whose pages are the host's."""
    array: Any = managed.words(16 * MIB, oversubscribe=False)
    ctypes.memset(array.data.ptr, 0, array.nbytes)
    return array


def test_what_the_device_touches_is_migrated_to_the_page(array: Any) -> None:
    with page_faults() as counted:
        array[: 10 * MIB] += np.uint32(1)
    assert counted.bytes_to_device == 40 * MIB
    assert counted.bytes_to_host == 0
    assert counted.gpu_fault_groups > 0
    assert counted.gpu_fault_groups >= counted.gpu_fault_records
    assert 0 < counted.fault_seconds < 10


def test_what_the_host_touches_comes_back_to_the_page(array: Any) -> None:
    array += np.uint32(1)
    with page_faults() as counted:
        text = ctypes.string_at(array.data.ptr + 8 * MIB, 4 * MIB)
    assert text == b"\1\0\0\0" * MIB
    assert counted.bytes_to_host == 4 * MIB
    assert counted.bytes_to_device == 0
    assert counted.cpu_faults > 0
    assert counted.gpu_fault_groups == 0


def test_fresh_pages_fault_and_nothing_is_moved() -> None:
    fresh: Any = managed.words(16 * MIB, oversubscribe=False)
    with page_faults() as counted:
        fresh.fill(1)
    assert counted.gpu_fault_groups >= 64 / 2 / 16
    assert (counted.bytes_to_device, counted.bytes_to_host) == (0, 0)


def test_prefetched_pages_do_not_fault(array: Any) -> None:
    with page_faults() as counted:
        managed.prefetch(array)
        array += np.uint32(1)
    assert counted.gpu_fault_groups == 0
    assert counted.bytes_to_device == 64 * MIB


def test_nothing_is_counted_of_what_happens_outside(array: Any) -> None:
    array += np.uint32(1)
    with page_faults() as counted:
        pass
    assert counted.gpu_fault_groups == counted.bytes_to_device == counted.bytes_to_host == 0


def test_the_pages_of_every_device_are_counted() -> None:
    import cupy

    if peers.device_count() < 2:
        pytest.skip(f"2 GPUs, and this machine has {peers.device_count()}")
    fresh: Any = [managed.words(4 * MIB, oversubscribe=False) for _ in range(2)]
    with page_faults_of([0, 1]) as counted:
        for device, array in enumerate(fresh):
            with cupy.cuda.Device(device):
                array.fill(1)
    with page_faults_of([0, 1]) as one:
        fresh[0] += np.uint32(1)
    assert counted.gpu_fault_groups > 0 and one.gpu_fault_groups == 0
