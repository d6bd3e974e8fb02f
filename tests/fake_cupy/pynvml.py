"""NVML with one card at 0000:0F:00.0, as far as fillpath calls it: names and signatures are those of
nvidia-ml-py 13, the driver one before 535, which does not know of clock events.

FAKE_NVML in the environment names the card (default: NVIDIA Fake 1); empty, there is no driver. FAKE_MIG
lists the UUIDs of its MIG slices.
"""

import os
import time
from collections.abc import Callable
from typing import Any

NVML_CLOCK_SM, NVML_CLOCK_MEM = 1, 2
CARD, SLICE = "card", "slice "
WATTS = 300


class NVMLError(Exception):
    pass


def nvmlInit() -> None:
    if not os.environ.get("FAKE_NVML", "NVIDIA Fake 1"):
        raise NVMLError("Driver Not Loaded")
    _users.append(1)


def nvmlShutdown() -> None:
    _users.pop()


_users: list[int] = []


def _in_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """NVML answers nothing to those who have not begun."""

    def checked(*arguments: Any) -> Any:
        if not _users:
            raise NVMLError("Uninitialized")
        return function(*arguments)

    return checked


@_in_session
def nvmlSystemGetDriverVersion() -> str:
    return "580.82.07"


@_in_session
def nvmlDeviceGetCount() -> int:
    return 1


@_in_session
def nvmlDeviceGetHandleByIndex(index: int) -> str:
    return CARD


@_in_session
def nvmlDeviceGetHandleByPciBusId(pci: str) -> str:
    if pci != "0000:0F:00.0":
        raise NVMLError("Not Found")
    return CARD


@_in_session
def nvmlDeviceGetName(handle: str) -> str:
    return os.environ.get("FAKE_NVML", "NVIDIA Fake 1")


@_in_session
def nvmlDeviceGetUUID(handle: str) -> str:
    return handle.removeprefix(SLICE)


@_in_session
def nvmlDeviceGetClockInfo(handle: str, kind: int) -> int:
    return {NVML_CLOCK_SM: 1755, NVML_CLOCK_MEM: 877}[kind]


@_in_session
def nvmlDeviceGetMaxClockInfo(handle: str, kind: int) -> int:
    if kind != NVML_CLOCK_SM:
        raise NVMLError("Not Supported")
    return 1980


@_in_session
def nvmlDeviceGetCurrentClocksEventReasons(handle: str) -> int:
    raise NVMLError("Function Not Found")


@_in_session
def nvmlDeviceGetCurrentClocksThrottleReasons(handle: str) -> int:
    return 0x25


@_in_session
def nvmlDeviceGetTotalEnergyConsumption(handle: str) -> int:
    return int(1000 * WATTS * time.monotonic())


@_in_session
def nvmlDeviceGetMaxMigDeviceCount(handle: str) -> int:
    return 7


@_in_session
def nvmlDeviceGetMigDeviceHandleByIndex(handle: str, index: int) -> str:
    made = [uuid for uuid in os.environ.get("FAKE_MIG", "").split(",") if uuid]
    if index >= len(made):
        raise NVMLError("Not Found")
    return SLICE + made[index]
