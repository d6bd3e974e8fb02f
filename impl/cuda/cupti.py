"""CUPTI's activity records: the library, and the callbacks by which it hands over records.

CUPTI requests and returns buffers of records through callbacks; a process has one pair of callbacks. Records
arrive late, so the collector waits. CUPTI is called through ctypes, so no compiler is needed. One collector
at a time collects one kind of record.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fillpath.errors import UnavailableError

# Takes the kind of a record and its address.
Receive = Callable[[int, int], None]

_FORCED = 1
_BUFFER = 8 * 2**20
# How long to wait for late records; each record that arrives restarts the wait.
_QUIET_SECONDS = 0.2
_LIBRARIES = ("libcupti.so.13", "libcupti.so.12", "libcupti.so")

_Requested = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t)
)
_Completed = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t
)
# Kept alive for the life of the process: CUPTI stores only the addresses of the callbacks.
_kept: list[Any] = []


def available() -> tuple[bool, str]:
    """Return (whether CUPTI can be loaded, the reason if not)."""
    try:
        library()
    except UnavailableError as error:
        return False, str(error)
    return True, ""


@functools.cache
def library() -> Any:
    """Return the system's library, which matches its driver, or a wheel's. Raises UnavailableError."""
    for candidate in [*_LIBRARIES, *_wheels()]:
        try:
            return ctypes.CDLL(str(candidate))
        except OSError:
            continue
    raise UnavailableError(
        f"CUPTI is not installed: none of {', '.join(_LIBRARIES)} can be loaded; `make` brings it, or the "
        "wheel nvidia-cuda-cupti, of CUDA 12 nvidia-cuda-cupti-cu12"
    )


def check(cupti: Any, status: int, refused: str) -> None:
    """Raise UnavailableError unless a status is success. refused : str, what is missing without it."""
    if status == 0:
        return
    text = ctypes.c_char_p()
    cupti.cuptiGetResultString(status, ctypes.byref(text))
    raise UnavailableError(f"{refused}: {(text.value or b'?').decode()} ({status})")


def ignore(kind: int, address: int) -> None:
    """Receive nothing."""


@dataclass
class Collector:
    """The callbacks, one pair per process, and the receiver of their records. records : how many came."""

    cupti: Any
    receive: Receive = ignore
    buffers: dict[int, Any] = field(default_factory=dict)
    records: int = 0

    def __post_init__(self) -> None:
        callbacks = _Requested(self._requested), _Completed(self._completed)
        _kept.append((self, *callbacks))
        self.check(self.cupti.cuptiActivityRegisterCallbacks(*callbacks))

    def check(self, status: int, refused: str = "CUPTI refuses activity records") -> None:
        check(self.cupti, status, refused)

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
            self.records += 1
            # Every record begins with its kind.
            self.receive(ctypes.c_uint32.from_address(record.value).value, record.value)
        self.buffers.pop(buffer, None)

    def flush(self) -> None:
        self.check(self.cupti.cuptiActivityFlushAll(_FORCED))

    def wait(self) -> None:
        """Wait until no record has arrived for a while."""
        quiet_since, before = time.monotonic(), -1
        while time.monotonic() - quiet_since < _QUIET_SECONDS:
            self.flush()
            if self.records != before:
                quiet_since, before = time.monotonic(), self.records
            time.sleep(_QUIET_SECONDS / 20)


@functools.cache
def collector() -> Collector:
    """Return the process's collector. Raises UnavailableError if there is no CUPTI, or CUPTI refuses."""
    return Collector(library())


def _wheels() -> list[Path]:
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    return [path for folder in folders for path in sorted(folder.glob("*/lib/libcupti.so.*"), reverse=True)]
