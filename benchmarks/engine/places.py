"""Where an implementation works, and what has to be done there around a sample: the host, or a GPU.

The worker brings the input in before the clock starts, and fetches the results for the gate after it has
stopped. The place also says what is measured of a sample beside its seconds.

Longer than two screens: the host and the GPU stand side by side under the protocol that both follow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from benchmarks.engine.benchmark import bytes_of
from benchmarks.engine.staging import LEAST_BYTES, Staging
from fillpath.registry import Device
from impl.cuda import device, nvml, transfer

Call = Callable[[], Any]


class Place(Protocol):
    """One of the two below.

    transfers : seconds of each transfer so far, under `to_device` and `to_host`.
    """

    transfers: dict[str, list[float]]

    @property
    def synchronise(self) -> Callable[[], None] | None:
        """Waits for all that was started; None where nothing is asynchronous."""

    def bring(self, noun: Any) -> Any:
        """The noun where the implementation wants it."""

    def fetch(self, noun: Any) -> Any:
        """The noun on the host."""

    def rehearse(self, call: Call) -> Any:
        """The first call, whose result is verified before anything is timed."""

    def sampled(self, call: Call) -> Call:
        """The call as it is timed: it returns when its result is there."""

    def begin(self) -> None:
        """Called once, before the first sample."""

    def kernel_seconds(self) -> float | None:
        """Seconds of the last sample by the device's clock, None where it has none."""

    def peak_memory(self) -> int | None:
        """Bytes that a call takes above what was in use before."""

    def state(self) -> dict[str, Any]:
        """How fast the device runs: `clocks` and `throttle` of a record."""


def place(name: Device) -> Place:
    """The place of an implementation's device."""
    return Gpu() if name == "gpu" else Host()


class Host:
    """Everything is on the host already, and a call is done when it returns. Peak memory is what the process
    grows by while it is sampled."""

    synchronise = None

    def __init__(self) -> None:
        self.transfers: dict[str, list[float]] = {}
        self._baseline: int | None = None

    def bring(self, noun: Any) -> Any:
        return noun

    def fetch(self, noun: Any) -> Any:
        return noun

    def rehearse(self, call: Call) -> Any:
        return call()

    def sampled(self, call: Call) -> Call:
        return call

    def begin(self) -> None:
        self._baseline = _reset_peak_memory()

    def kernel_seconds(self) -> float | None:
        return None

    def peak_memory(self) -> int | None:
        peak = _status_bytes("VmHWM")
        return None if self._baseline is None or peak is None else max(0, peak - self._baseline)

    def state(self) -> dict[str, Any]:
        return {"clocks": None, "throttle": None}


class Gpu:
    """The first visible GPU, through CuPy.

    Peak memory is the most that CuPy's pool had in use during the rehearsal, which does what every sample
    does: a hook that counts each allocation takes microseconds, which the samples are spared. What is
    allocated past the pool (pinned host memory, managed memory) is not in it. The rehearsal also fills the
    pool, so that samples allocate from it, and compiles the kernels.
    """

    def __init__(self) -> None:
        import cupy

        self.transfers: dict[str, list[float]] = {}
        self._events = cupy.cuda.Event(), cupy.cuda.Event()
        self._peak: int | None = None
        self._staging: Staging | None = None
        # Makes CUDA's context now, which no transfer is to be charged with.
        self.synchronise()

    def synchronise(self) -> None:
        import cupy

        cupy.cuda.runtime.deviceSynchronize()

    def bring(self, noun: Any) -> Any:
        return self._moved("to_device", transfer.on_device, Staging.to_device, noun)

    def fetch(self, noun: Any) -> Any:
        return self._moved("to_host", transfer.on_host, Staging.to_host, noun)

    def rehearse(self, call: Call) -> Any:
        with _pool_hook() as pool:
            result = call()
            self.synchronise()
        self._peak = pool.most - pool.before
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

    def begin(self) -> None:
        return

    def kernel_seconds(self) -> float | None:
        import cupy

        return float(cupy.cuda.get_elapsed_time(*self._events)) / 1000

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


def _pool_hook() -> Any:
    """A hook of CuPy's pool.

    before : bytes in use when the hook was made.
    most : the most bytes in use since.
    """
    import cupy

    class Hook(cupy.cuda.MemoryHook):  # type: ignore[misc]
        name = "fillpath"

        def __init__(self) -> None:
            self.before = int(cupy.get_default_memory_pool().used_bytes())
            self.used = self.most = self.before

        def malloc_postprocess(self, *, mem_size: int, mem_ptr: int, **_: int) -> None:
            # Without a pointer where it failed.
            self.used += mem_size if mem_ptr else 0
            self.most = max(self.most, self.used)

        def free_postprocess(self, *, mem_size: int, **_: int) -> None:
            self.used -= mem_size

    return Hook()


def _reset_peak_memory() -> int | None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return _status_bytes("VmRSS")


def _status_bytes(field: str) -> int | None:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    return None
