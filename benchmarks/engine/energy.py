"""Joules while sampling, by the hardware's own counters: NVML's of the card, RAPL's of the processor.

The whole card, or the whole package, is counted, with its idle draw and the work of others. Counters step
every 20 to 100 ms, so a short sample has no energy of its own. All samples together have it, where they last
LEAST_SECONDS.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pynvml

from fillpath.hardware import read
from fillpath.registry import Device
from impl.cuda import device

POWERCAP = Path("/sys/class/powercap")
LEAST_SECONDS = 0.5


@dataclass
class _Counter:
    """A counter of the hardware, which begins again at 0 after its range.

    read : returns its joules; raises where they cannot be read
    whole : returns its range, J
    """

    read: Callable[[], float]
    whole: Callable[[], float] = lambda: 0.0
    last: float = 0.0

    def spent(self) -> float | None:
        """Return joules since the last call; None where they cannot be read."""
        try:
            now = self.read()
            whole = self.whole() if now < self.last else 0.0
        except (OSError, ValueError, pynvml.NVMLError):
            return None
        self.last, spent = now, now - self.last + whole
        return spent


@dataclass
class Meter:
    """Joules since the meter was made. Read it more often than its counters wrap round.

    joules : float, so far; None where a counter could not be read, or there is none
    """

    counters: Sequence[_Counter]

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
    counters = _packages() if name == "cpu" else []
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(pynvml.NVMLError):
            if name == "gpu":
                pynvml.nvmlInit()
                stack.callback(pynvml.nvmlShutdown)
                counters = [_card(address) for address in _addresses(gpus)]
        yield Meter(counters)


def _card(address: str) -> _Counter:
    """Return NVML's counter of a card by its address on the PCI bus."""
    card = partial(pynvml.nvmlDeviceGetHandleByPciBusId, address)
    return _Counter(lambda: int(pynvml.nvmlDeviceGetTotalEnergyConsumption(card())) / 1e3)


def _packages() -> list[_Counter]:
    """List RAPL's counters of whole packages: their parts would count joules twice.

    So would the platform, which holds all packages.
    """
    named = sorted(POWERCAP.glob("intel-rapl:*/name"))
    folders = [name.parent for name in named if (read(name) or "").startswith("package")]
    files = [(folder / "energy_uj", folder / "max_energy_range_uj") for folder in folders]
    return [_Counter(partial(_joules, now), partial(_joules, whole)) for now, whole in files]


def _joules(microjoules: Path) -> float:
    return int(microjoules.read_text()) / 1e6


def _addresses(gpus: int) -> list[str]:
    """List the cards' addresses; none for a MIG slice, whose card others share."""
    if device.is_mig():
        return []
    import cupy

    runtime = cupy.cuda.runtime
    first = int(runtime.getDevice())
    return [str(runtime.deviceGetPCIBusId(card)) for card in range(first, first + gpus)]
