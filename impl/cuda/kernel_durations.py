"""Durations of kernels while a block of code runs, from CUPTI's records of concurrent kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fillpath.errors import UnavailableError
from impl.cuda import cupti

# As in cupti_activity.h of CUDA 12 and 13.
_CONCURRENT_KERNEL = 10
_REFUSED = "the driver refuses CUPTI's kernel records"


class _Record(ctypes.Structure):
    """The fields at one place in all versions of the record since CUDA 8 (CUpti_ActivityKernel3 to 13)."""

    _pack_ = 8
    _layout_ = "ms"
    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("shape", ctypes.c_uint8 * 12),
        ("start", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("launch", ctypes.c_uint8 * 72),
        ("name", ctypes.c_char_p),
    ]


@dataclass
class Kernel:
    """All launches of a kernel. seconds : float, the sum of their durations."""

    launches: int = 0
    seconds: float = 0.0


@dataclass
class Durations:
    """The durations, complete when the block ends.

    kernels : by name, mangled for C++ linkage
    untimed : int, launches whose times did not fit into CUPTI's memory
    first, last : int, start of the first and end of the last kernel, nanoseconds of CUPTI's clock
    """

    kernels: dict[str, Kernel] = field(default_factory=dict)
    untimed: int = 0
    first: int = 0
    last: int = 0

    @property
    def launches(self) -> int:
        return sum(kernel.launches for kernel in self.kernels.values())

    @property
    def seconds(self) -> float:
        """Return the sum of all durations; kernels that run at the same time each count."""
        return sum(kernel.seconds for kernel in self.kernels.values())

    @property
    def span(self) -> float:
        """Return seconds from the start of the first kernel to the end of the last, gaps included."""
        return (self.last - self.first) / 1e9

    def receive(self, kind: int, address: int) -> None:
        if kind == _CONCURRENT_KERNEL:
            self.add(_Record.from_address(address))

    def add(self, record: Any) -> None:
        if not record.start or not record.end:
            self.untimed += 1
            return
        kernel = self.kernels.setdefault((record.name or b"?").decode(), Kernel())
        kernel.launches += 1
        kernel.seconds += (record.end - record.start) / 1e9
        self.first = min(self.first or record.start, record.start)
        self.last = max(self.last, record.end)


@contextmanager
def kernel_durations() -> Iterator[Durations]:
    """Collect the durations of all kernels of this process while the block runs, graphs' included.

    The device must already have a context. Raises UnavailableError if there is no CUPTI, if CUPTI or the
    driver refuses, and for records that are lost.
    """
    import cupy

    collector = cupti.collector()
    cupy.cuda.runtime.deviceSynchronize()
    collector.check(collector.cupti.cuptiActivityEnable(_CONCURRENT_KERNEL), _REFUSED)
    try:
        collector.flush()
        durations = Durations()
        collector.receive = durations.receive
        yield durations
        cupy.cuda.runtime.deviceSynchronize()
        collector.wait()
    finally:
        collector.receive = cupti.ignore
        collector.check(collector.cupti.cuptiActivityDisable(_CONCURRENT_KERNEL), _REFUSED)
    lost = durations.untimed + _dropped(collector)
    if lost:
        raise UnavailableError(f"CUPTI lost the times of {lost} launches")


def _dropped(collector: cupti.Collector) -> int:
    """Return the number of records for which there was no buffer since the last call."""
    count = ctypes.c_size_t()
    status = collector.cupti.cuptiActivityGetNumDroppedRecords(
        ctypes.c_void_p(), ctypes.c_uint32(0), ctypes.byref(count)
    )
    collector.check(status)
    return int(count.value)
