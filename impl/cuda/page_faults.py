"""Page faults and migrations of managed memory while a block of code runs, from CUPTI's unified-memory
counters.

CUPTI writes one record per group of faults that the driver serviced together, and one per migration, into
buffers that it requests and returns through callbacks. Records arrive late, so the end of the block waits for
those of events that have begun. CUPTI is called through ctypes, so no compiler is needed. Nothing else may
collect CUPTI activities at the same time.

Longer than two screens: CUPTI's structures and the callbacks that read them belong together.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fillpath.errors import UnavailableError

# As in cupti_activity.h of CUDA 12 and 13.
_UNIFIED_MEMORY_COUNTER = 25
_SINGLE_DEVICE = 1
_HTOD, _DTOH, _CPU_FAULT, _GPU_FAULT, _THRASHING = 1, 2, 3, 4, 5
_KINDS = (_HTOD, _DTOH, _CPU_FAULT, _GPU_FAULT, _THRASHING)
_FORCED = 1
_REFUSED = "the driver refuses CUPTI's unified-memory counters"

_BUFFER = 8 * 2**20
# How long to wait for late records; each record that arrives restarts the wait.
_QUIET_SECONDS = 0.2
# Bytes that are moved to test whether records arrive, and how long they may take.
_PROBE = 2**22
_PROBE_SECONDS = 5.0
_LIBRARIES = ("libcupti.so.13", "libcupti.so.12", "libcupti.so")


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

    gpu_fault_groups : groups of faults that the driver serviced together
    gpu_fault_records : records of such groups, one per page
    fault_seconds : time spent servicing; overlapping records count once each
    cpu_faults : on the host
    bytes_to_device, bytes_to_host : migrated
    thrashing : events of pages that moved back and forth
    """

    gpu_fault_groups: int = 0
    gpu_fault_records: int = 0
    fault_seconds: float = 0.0
    cpu_faults: int = 0
    bytes_to_device: int = 0
    bytes_to_host: int = 0
    thrashing: int = 0

    def add(self, record: Any) -> None:
        if record.counter == _GPU_FAULT:
            self.gpu_fault_groups += int(record.value)
            self.gpu_fault_records += 1
            self.fault_seconds += (record.end - record.start) / 1e9
        elif record.counter == _CPU_FAULT:
            # Its value is the address of the instruction.
            self.cpu_faults += 1
        elif record.counter == _HTOD:
            self.bytes_to_device += int(record.value)
        elif record.counter == _DTOH:
            self.bytes_to_host += int(record.value)
        elif record.counter == _THRASHING:
            self.thrashing += 1


def available() -> tuple[bool, str]:
    """(whether CUPTI can be loaded, the reason if not)."""
    try:
        _cupti()
    except UnavailableError as error:
        return False, str(error)
    return True, ""


@contextmanager
def page_faults() -> Iterator[PageFaults]:
    """Count on the current device while the block runs. The device must already have a context.

    Raises UnavailableError if there is no CUPTI, or CUPTI or the driver refuses.
    """
    import cupy

    collector = _collector()
    with _counting(collector) as counted:
        yield counted
        cupy.cuda.runtime.deviceSynchronize()
        collector.wait()


@contextmanager
def _counting(collector: _Collector) -> Iterator[PageFaults]:
    import cupy

    cupti, device = collector.cupti, int(cupy.cuda.runtime.getDevice())
    cupy.cuda.runtime.deviceSynchronize()
    configs = (_Config * len(_KINDS))(*(_Config(_SINGLE_DEVICE, kind, device, 1) for kind in _KINDS))
    _check(cupti, cupti.cuptiActivityConfigureUnifiedMemoryCounter(configs, len(_KINDS)))
    _check(cupti, cupti.cuptiActivityEnable(_UNIFIED_MEMORY_COUNTER))
    try:
        collector.flush()
        counted = collector.counted = PageFaults()
        yield counted
    finally:
        collector.counted = PageFaults()
        _check(cupti, cupti.cuptiActivityDisable(_UNIFIED_MEMORY_COUNTER))


_Requested = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t)
)
_Completed = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t
)


# Kept alive as long as the process runs, even for a collector that saw no record: CUPTI stores only the
# addresses of the callbacks.
_kept: list[Any] = []


@dataclass
class _Collector:
    """The callbacks, one pair per process, and the destination of their records."""

    cupti: Any
    counted: PageFaults = field(default_factory=PageFaults)
    buffers: dict[int, Any] = field(default_factory=dict)
    records: int = 0

    def __post_init__(self) -> None:
        callbacks = _Requested(self._requested), _Completed(self._completed)
        _kept.append((self, *callbacks))
        _check(self.cupti, self.cupti.cuptiActivityRegisterCallbacks(*callbacks))

    def _requested(self, buffer: Any, size: Any, most: Any) -> None:
        memory = ctypes.create_string_buffer(_BUFFER + 8)
        # CUPTI requires multiples of eight bytes.
        address = (ctypes.addressof(memory) + 7) & ~7
        self.buffers[address] = memory
        buffer[0], size[0], most[0] = address, _BUFFER, 0

    def _completed(self, context: Any, stream: int, buffer: int, size: int, valid: int) -> None:
        record = ctypes.c_void_p()
        while valid:
            status = self.cupti.cuptiActivityGetNextRecord(
                ctypes.c_void_p(buffer), ctypes.c_size_t(valid), ctypes.byref(record)
            )
            if status != 0 or record.value is None:
                break
            found = _Record.from_address(record.value)
            self.records += 1
            if found.kind == _UNIFIED_MEMORY_COUNTER:
                self.counted.add(found)
        self.buffers.pop(buffer, None)

    def flush(self) -> None:
        _check(self.cupti, self.cupti.cuptiActivityFlushAll(_FORCED))

    def wait(self) -> None:
        """Wait until no record has arrived for a while."""
        quiet_since, before = time.monotonic(), -1
        while time.monotonic() - quiet_since < _QUIET_SECONDS:
            self.flush()
            if self.records != before:
                quiet_since, before = time.monotonic(), self.records
            time.sleep(_QUIET_SECONDS / 20)


@functools.cache
def _collector() -> _Collector:
    """The process's collector, once it has received a record: what happens before the first record is
    lost."""
    import cupy
    import numpy as np

    collector = _Collector(_cupti())
    probe = cupy.ndarray(_PROBE, np.uint8, memptr=cupy.cuda.malloc_managed(_PROBE))
    deadline = time.monotonic() + _PROBE_SECONDS
    with _counting(collector) as counted:
        while not counted.bytes_to_device and time.monotonic() < deadline:
            ctypes.memset(probe.data.ptr, 0, _PROBE)
            probe += 1
            cupy.cuda.runtime.deviceSynchronize()
            collector.wait()
    if not counted.bytes_to_device:
        raise UnavailableError(f"{_REFUSED}: no record came of {_PROBE} bytes that were migrated")
    return collector


@functools.cache
def _cupti() -> Any:
    """The library: the system's, which matches its driver, or else that of an installed wheel. Raises
    UnavailableError if there is none."""
    for candidate in [*_LIBRARIES, *_wheels()]:
        try:
            return ctypes.CDLL(str(candidate))
        except OSError:
            continue
    raise UnavailableError(
        f"CUPTI is not installed: none of {', '.join(_LIBRARIES)} can be loaded; `make` brings it, or the "
        "wheel nvidia-cuda-cupti, of CUDA 12 nvidia-cuda-cupti-cu12"
    )


def _wheels() -> list[Path]:
    """The libraries in NVIDIA's wheels."""
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    return [path for folder in folders for path in sorted(folder.glob("*/lib/libcupti.so.*"), reverse=True)]


def _check(cupti: Any, status: int) -> None:
    if status == 0:
        return
    text = ctypes.c_char_p()
    cupti.cuptiGetResultString(status, ctypes.byref(text))
    raise UnavailableError(f"{_REFUSED}: {(text.value or b'?').decode()} ({status})")
