"""NVML, the library below nvidia-smi, for what CUDA does not offer: the driver's version, clocks, MIG slices.

Without a driver, or where the driver does not know, the answer is None or empty.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pynvml

# The reasons for low clocks by their bit in NVML's mask, as nvidia-smi spells them, without idleness.
_REASONS = {
    0x2: "applications_clocks_setting",
    0x4: "sw_power_cap",
    0x8: "hw_slowdown",
    0x10: "sync_boost",
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}
_CLOCKS = {
    "sm_mhz": ("nvmlDeviceGetClockInfo", pynvml.NVML_CLOCK_SM),
    "memory_mhz": ("nvmlDeviceGetClockInfo", pynvml.NVML_CLOCK_MEM),
    "sm_max_mhz": ("nvmlDeviceGetMaxClockInfo", pynvml.NVML_CLOCK_SM),
    "memory_max_mhz": ("nvmlDeviceGetMaxClockInfo", pynvml.NVML_CLOCK_MEM),
}
# Drivers from 535 on call reasons events; older ones know the other name only.
_MASKS = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")


def driver() -> str | None:
    """Return the driver's version, such as 580.82.07."""
    with _session():
        return _text(_read("nvmlSystemGetDriverVersion"))


def cards() -> list[str]:
    """Return the names of this machine's cards; empty without a driver."""
    with _session():
        return [name for card in _handles() if (name := _text(_read("nvmlDeviceGetName", card)))]


def slices() -> list[str]:
    """Return the UUIDs of the MIG slices of all cards."""
    with _session():
        parts = [part for card in _handles() for part in _parts(card)]
        return [uuid for part in parts if (uuid := _text(_read("nvmlDeviceGetUUID", part)))]


def clocks(card: str) -> dict[str, int] | None:
    """Return the current and highest clocks in MHz; None if none can be read. card : str, its PCI address."""
    with _session():
        handle = _handle(card)
        rates = {name: _read(function, handle, kind) for name, (function, kind) in _CLOCKS.items()}
        return {name: int(mhz) for name, mhz in rates.items() if mhz is not None} or None


def throttle(card: str) -> list[str] | None:
    """Return the reasons for low clocks, as nvidia-smi names them, or None. card : str, its PCI address."""
    with _session():
        handle = _handle(card)
        mask = next((mask for name in _MASKS if (mask := _read(name, handle)) is not None), None)
        return None if mask is None else [reason for bit, reason in _REASONS.items() if mask & bit]


@contextlib.contextmanager
def _session() -> Iterator[None]:
    """Open NVML, which counts its users. Without a driver all answers in the block are None."""
    ready = _answer(pynvml.nvmlInit) is not None
    try:
        yield
    finally:
        if ready:
            pynvml.nvmlShutdown()


def _handle(card: str) -> Any:
    return _read("nvmlDeviceGetHandleByPciBusId", card)


def _handles() -> list[Any]:
    count = _read("nvmlDeviceGetCount") or 0
    return [_read("nvmlDeviceGetHandleByIndex", index) for index in range(count)]


def _parts(card: Any) -> list[Any]:
    """Return one handle per MIG slice of that card; indices without a slice are left out."""
    count = _read("nvmlDeviceGetMaxMigDeviceCount", card) or 0
    parts = [_read("nvmlDeviceGetMigDeviceHandleByIndex", card, index) for index in range(count)]
    return [part for part in parts if part is not None]


def _read(function: str, *arguments: Any) -> Any:
    """Return NVML's answer; None where it has none, or where an argument is None."""
    if any(argument is None for argument in arguments):
        return None
    return _answer(getattr(pynvml, function), *arguments)


def _answer(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the function's result, True for nothing; None where NVML refuses."""
    try:
        value = function(*arguments)
    except pynvml.NVMLError:
        return None
    return True if value is None else value


def _text(value: Any) -> str | None:
    """Return text; older releases of the package return bytes."""
    return value.decode() if isinstance(value, bytes) else value
