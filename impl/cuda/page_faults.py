"""Page faults and migrations of managed memory while a block of code runs, from CUPTI's counters.

CUPTI writes one record per group of faults that the driver services together, and one per migration. The end
of the block waits for records that arrive late.

    with page_faults() as counted:
        filled, work = unified_memory(pattern)
    counted.gpu_fault_groups, counted.bytes_to_device
"""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fillpath.errors import UnavailableError
from impl.cuda import cupti

# As in cupti_activity.h of CUDA 12 and 13.
_UNIFIED_MEMORY_COUNTER = 25
_SINGLE_DEVICE = 1
_HTOD, _DTOH, _CPU_FAULT, _GPU_FAULT, _THRASHING = 1, 2, 3, 4, 5
_KINDS = (_HTOD, _DTOH, _CPU_FAULT, _GPU_FAULT, _THRASHING)
_REFUSED = "the driver refuses CUPTI's unified-memory counters"

# Bytes that are moved to test whether records arrive, and how long they may take.
_PROBE = 2**22
_PROBE_SECONDS = 5.0


class _Config(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("scope", "kind", "device", "enable")]


class _Record(ctypes.Structure):
    """The common beginning of all versions of the record."""

    _pack_ = 8
    _layout_ = "ms"
    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("counter", ctypes.c_uint32),
        ("value", ctypes.c_uint64),
        ("start", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("address", ctypes.c_uint64),
    ]


@dataclass
class PageFaults:
    """The counters, complete when the block ends.

    gpu_fault_groups : int, groups of faults that the driver serviced together
    gpu_fault_records : int, records of such groups, one per page
    fault_seconds : float, time spent servicing; overlapping records count once each
    cpu_faults : int, on the host
    bytes_to_device, bytes_to_host : int, migrated
    thrashing : int, events of pages that moved back and forth
    """

    gpu_fault_groups: int = 0
    gpu_fault_records: int = 0
    fault_seconds: float = 0.0
    cpu_faults: int = 0
    bytes_to_device: int = 0
    bytes_to_host: int = 0
    thrashing: int = 0

    def receive(self, kind: int, address: int) -> None:
        if kind == _UNIFIED_MEMORY_COUNTER:
            self.add(_Record.from_address(address))

    def add(self, record: Any) -> None:
        if record.counter == _GPU_FAULT:
            self.gpu_fault_groups += int(record.value)
            self.gpu_fault_records += 1
            self.fault_seconds += (record.end - record.start) / 1e9
        elif record.counter == _CPU_FAULT:
            # The record's value is the address of the instruction.
            self.cpu_faults += 1
        elif record.counter == _HTOD:
            self.bytes_to_device += int(record.value)
        elif record.counter == _DTOH:
            self.bytes_to_host += int(record.value)
        elif record.counter == _THRASHING:
            self.thrashing += 1


@contextmanager
def page_faults() -> Iterator[PageFaults]:
    """Count on the current device, which has a context, while the block runs. Raises UnavailableError."""
    import cupy

    counters = collector()
    with _counting(counters) as counted:
        yield counted
        cupy.cuda.runtime.deviceSynchronize()
        counters.wait()


@contextmanager
def _counting(collector: cupti.Collector) -> Iterator[PageFaults]:
    import cupy

    device = int(cupy.cuda.runtime.getDevice())
    cupy.cuda.runtime.deviceSynchronize()
    with counting_on(collector, [device]) as counted:
        yield counted


@contextmanager
def counting_on(collector: cupti.Collector, devices: Sequence[int]) -> Iterator[PageFaults]:
    """Count on these devices, each of which has a context."""
    library = collector.cupti
    kinds = [_Config(_SINGLE_DEVICE, kind, device, 1) for device in devices for kind in _KINDS]
    configs = (_Config * len(kinds))(*kinds)
    collector.check(library.cuptiActivityConfigureUnifiedMemoryCounter(configs, len(kinds)), _REFUSED)
    collector.check(library.cuptiActivityEnable(_UNIFIED_MEMORY_COUNTER), _REFUSED)
    try:
        collector.flush()
        counted = PageFaults()
        collector.receive = counted.receive
        yield counted
    finally:
        collector.receive = cupti.ignore
        collector.check(library.cuptiActivityDisable(_UNIFIED_MEMORY_COUNTER), _REFUSED)


@functools.cache
def collector() -> cupti.Collector:
    """Return the process's collector, once it has received a record: earlier faults are lost."""
    import cupy
    import numpy as np

    counters = cupti.collector()
    probe = cupy.ndarray(_PROBE, np.uint8, memptr=cupy.cuda.malloc_managed(_PROBE))
    deadline = time.monotonic() + _PROBE_SECONDS
    with _counting(counters) as counted:
        while not counted.bytes_to_device and time.monotonic() < deadline:
            ctypes.memset(probe.data.ptr, 0, _PROBE)
            probe += 1
            cupy.cuda.runtime.deviceSynchronize()
            counters.wait()
    if not counted.bytes_to_device:
        raise UnavailableError(f"{_REFUSED}: no record came of {_PROBE} bytes that were migrated")
    return counters
