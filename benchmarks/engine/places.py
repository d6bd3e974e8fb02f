"""The place where an implementation works, and what happens there around a sample: the host, or a GPU.

The worker brings the input in before the clock starts, and fetches the results for the gate after it has
stopped. A place also reads kernels' seconds, peak memory and clocks.

    where = Gpu()
    result, work = where.rehearse(lambda: function(where.bring(noun)))
"""

import contextlib
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.engine.benchmark import bytes_of, noun_hash
from benchmarks.engine.staging import LEAST_BYTES, Staging
from impl.cuda import device, nvml, transfer

Call = Callable[[], Any]


class Host:
    """The host: all nouns are there already, a call is done when it returns, and the device has no clock.

    transfers : seconds of each transfer so far, under `to_device` and `to_host`
    """

    def __init__(self) -> None:
        self.transfers: dict[str, list[float]] = {}
        self._baseline: int | None = None
        self._given, self._given_hash = None, noun_hash(None)

    def synchronise(self) -> None:
        """Wait for all work that was started."""

    def bring(self, noun: Any) -> Any:
        """Return the noun where the implementation wants it."""
        self._given, self._given_hash = noun, noun_hash(noun)
        return noun

    def intact(self) -> bool:
        """Return whether the input is as it came. The gate reads the same arrays; a device has copies."""
        return bool(noun_hash(self._given) == self._given_hash)

    def fetch(self, noun: Any) -> Any:
        """Return the noun on the host."""
        return noun

    def rehearse(self, call: Call) -> Any:
        """Make the first call, whose result is verified before anything is timed."""
        return call()

    def sampled(self, call: Call) -> Call:
        """Return the call as it is timed: it returns when its result is there."""
        return call

    def begin(self) -> None:
        """Prepare for the first sample."""
        with contextlib.suppress(OSError):
            # From now on VmHWM is the peak of samples.
            Path("/proc/self/clear_refs").write_text("5")
            self._baseline = _status_bytes("VmRSS")

    def kernel_seconds(self) -> float | None:
        """Return the last sample's seconds by the device's clock."""
        return None

    def peak_memory(self) -> int | None:
        """Return the bytes that a call takes above those in use before; on the host, of all samples."""
        peak = _status_bytes("VmHWM")
        return None if self._baseline is None or peak is None else max(0, peak - self._baseline)

    def state(self) -> dict[str, Any]:
        """Return `clocks` and `throttle` of a record."""
        return {"clocks": None, "throttle": None}


class Gpu(Host):
    """The first visible GPU, through CuPy.

    Peak memory is the most that CuPy's pool had in use during the rehearsal, which does what every sample
    does. A hook that counts each allocation would cost samples microseconds. Memory allocated past the pool
    (pinned host memory, managed memory) is not counted. The rehearsal also fills the pool, so that samples
    allocate from it, and compiles the kernels.
    """

    def __init__(self) -> None:
        import cupy

        super().__init__()
        self._cupy = cupy
        self._events = cupy.cuda.Event(), cupy.cuda.Event()
        self._peak: int | None = None
        self._staging: Staging | None = None
        # Makes CUDA's context now, which no transfer is to be charged with.
        self.synchronise()

    def synchronise(self) -> None:
        self._cupy.cuda.runtime.deviceSynchronize()

    def bring(self, noun: Any) -> Any:
        return self._moved("to_device", transfer.on_device, Staging.to_device, noun)

    def fetch(self, noun: Any) -> Any:
        return self._moved("to_host", transfer.on_host, Staging.to_host, noun)

    def rehearse(self, call: Call) -> Any:
        with _pool_hook(self._cupy) as pool:
            result = call()
            self.synchronise()
        self._peak = pool.most
        return result

    def sampled(self, call: Call) -> Call:
        start, end = self._events

        def timed() -> Any:
            start.record()
            result = call()
            end.record()
            self.synchronise()
            return result

        return timed

    def kernel_seconds(self) -> float | None:
        return float(self._cupy.cuda.get_elapsed_time(*self._events)) / 1000

    def peak_memory(self) -> int | None:
        return self._peak

    def state(self) -> dict[str, Any]:
        card = device.pci()
        return {"clocks": nvml.clocks(card), "throttle": nvml.throttle(card)}

    def _moved(
        self, name: str, plain: Callable[[Any], Any], staged: Callable[[Staging, Any], Any], noun: Any
    ) -> Any:
        large = bytes_of(noun) >= LEAST_BYTES
        if large and self._staging is None:
            # Pinned memory takes milliseconds, which no transfer is charged with.
            self._staging = Staging()
        start = time.perf_counter()
        moved = staged(self._staging, noun) if large and self._staging else plain(noun)
        self.synchronise()
        self.transfers.setdefault(name, []).append(time.perf_counter() - start)
        return moved


def _pool_hook(cupy: Any) -> Any:
    """Return a hook of CuPy's pool. most : bytes, the most in use above those in use when it was made."""

    class Hook(cupy.cuda.MemoryHook):  # type: ignore[misc]
        name = "fillpath"
        used = most = 0

        def malloc_postprocess(self, *, mem_size: int, mem_ptr: int, **_: int) -> None:
            # Without a pointer where it failed.
            self.used += mem_size if mem_ptr else 0
            self.most = max(self.most, self.used)

        def free_postprocess(self, *, mem_size: int, **_: int) -> None:
            self.used -= mem_size

    return Hook()


def _status_bytes(field: str) -> int | None:
    found = re.search(rf"^{field}:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else None
