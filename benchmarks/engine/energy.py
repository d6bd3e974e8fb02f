"""Joules while sampling, by the hardware's own counters: NVML's of the card, RAPL's of the processor.

The whole card, or the whole package, is counted, with its idle draw and the work of others. Counters step
every 20 to 100 ms, so a short sample has no energy of its own. All samples together have it, where they last
LEAST_SECONDS.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pynvml

from benchmarks.engine import machine
from fillpath.registry import Device
from impl.cuda import device

POWERCAP = Path("/sys/class/powercap")
LEAST_SECONDS = 0.5


@dataclass
class Meter:
    """Joules since the meter was made. Read it more often than its counters wrap round.

    joules : float, so far; None where a counter could not be read, or there is none
    """

    counters: Sequence[_Card | _Package]

    def __post_init__(self) -> None:
        # The joules from before do not count, but have to be readable.
        before = [counter.spent() for counter in self.counters]
        self.joules: float | None = None if not before or None in before else 0.0

    def advance(self) -> None:
        """Add the joules spent since the last call."""
        for counter in self.counters:
            spent = counter.spent()
            self.joules = None if self.joules is None or spent is None else self.joules + spent

    def per_sample(self, samples: int, seconds: float) -> float | None:
        """Return joules per sample; None where `seconds`, of all samples, are too short for the counters."""
        if self.joules is None or not samples or seconds < LEAST_SECONDS:
            return None
        return self.joules / samples


@contextlib.contextmanager
def metered(name: Device, gpus: int = 1) -> Iterator[Meter]:
    """Hold the meter of an implementation's device. gpus : int, cards, from the current card on."""
    if name == "cpu":
        yield Meter(_packages())
        return
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        yield Meter(())
        return
    try:
        yield Meter([_Card(address) for address in _addresses(gpus)])
    finally:
        pynvml.nvmlShutdown()


class _Card:
    """NVML's counter of a card, in millijoules since the driver was loaded. address : str, on the PCI bus."""

    def __init__(self, address: str) -> None:
        self._address, self._last = address, 0

    def spent(self) -> float | None:
        """Return joules since the last call; None where they cannot be read."""
        try:
            card = pynvml.nvmlDeviceGetHandleByPciBusId(self._address)
            now = int(pynvml.nvmlDeviceGetTotalEnergyConsumption(card))
        except pynvml.NVMLError:
            return None
        self._last, spent = now, now - self._last
        return spent / 1e3


class _Package:
    """RAPL's counter of a processor's package, in microjoules, which begins again at 0 after its range."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._last = folder, 0

    def spent(self) -> float | None:
        """Return joules since the last call; None where they cannot be read."""
        try:
            now = int((self._folder / "energy_uj").read_text())
            whole = int((self._folder / "max_energy_range_uj").read_text()) if now < self._last else 0
        except (OSError, ValueError):
            return None
        self._last, spent = now, now - self._last + whole
        return spent / 1e6


def _packages() -> list[_Package]:
    """List whole packages: their parts, and the platform that holds them, would count joules twice."""
    names = sorted(POWERCAP.glob("intel-rapl:*/name"))
    return [_Package(name.parent) for name in names if (machine.read(name) or "").startswith("package")]


def _addresses(gpus: int) -> list[str]:
    """List the cards' addresses; none for a MIG slice, whose card others share."""
    if device.is_mig():
        return []
    import cupy

    runtime = cupy.cuda.runtime
    first = int(runtime.getDevice())
    return [str(runtime.deviceGetPCIBusId(card)) for card in range(first, first + gpus)]
