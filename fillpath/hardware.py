"""Which host this is: what hosts of one kind have in common, and what distinguishes them."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

# Where the system describes itself.
_MACHINE_ID = Path("/etc/machine-id")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CPUINFO = Path("/proc/cpuinfo")
_BOARD, _BOARD_OF_ARM = Path("/sys/class/dmi/id"), Path("/proc/device-tree")
_GPUS = Path("/proc/driver/nvidia/gpus")
_FREQUENCY = Path("/sys/devices/system/cpu/cpu0/cpufreq")


@dataclass(frozen=True)
class Hardware:
    """What hosts of one kind have in common.

    cpu : its model, None if it cannot be read
    cores : of the host, however many a process may use
    gpus : models that the driver lists, each once; empty without a driver
    """

    cpu: str | None
    cores: int
    gpus: tuple[str, ...]


def hardware() -> Hardware:
    """The hardware of this host."""
    model = _line(_CPUINFO, "model name") or platform.processor() or None
    models = {_line(path, "Model") for path in _GPUS.glob("*/information")}
    return Hardware(model, os.cpu_count() or 1, tuple(sorted(model for model in models if model)))


@functools.cache
def fingerprint() -> str:
    """16 hexadecimal digits that survive a restart and differ between hosts.

    It is a hash because a machine's id must not be published, according to machine-id(5). A host without an
    id of its own, such as a container or a virtual machine from a shared image, gets new digits after each
    start: nothing else distinguishes it from its twins.
    """
    return _digits(_own_id() or _text(_BOOT_ID), hardware().cpu, platform.machine(), *_board())


def identity() -> str:
    """16 hexadecimal digits that differ between hosts, between starts of one, and between sets of GPUs: what
    was measured under the same ones was measured on one host."""
    gpus = sorted(filter(None, (_line(path, "GPU UUID") for path in _GPUS.glob("*/information"))))
    return _digits(fingerprint(), _text(_MACHINE_ID), _text(_BOOT_ID), *gpus)


def host_facts() -> dict[str, str | float | None]:
    """What else of the processor a time depends on: its stepping and microcode, the frequency governor, the
    clocks in MHz (of its first core, now and at most); None for what cannot be read."""
    most = _text(_FREQUENCY / "cpuinfo_max_freq")
    now = _line(_CPUINFO, "cpu MHz")
    return {
        "stepping": _line(_CPUINFO, "stepping"),
        "microcode": _line(_CPUINFO, "microcode"),
        "governor": _text(_FREQUENCY / "scaling_governor"),
        "cpu_mhz": None if now is None else float(now),
        "cpu_max_mhz": None if most is None else float(most) / 1000,
    }


def _digits(*facts: str | None) -> str:
    """16 hexadecimal digits of these facts."""
    return hashlib.sha256(json.dumps(["fillpath", *facts]).encode()).hexdigest()[:16]


def _own_id() -> str | None:
    """The machine's id, 32 hexadecimal digits; None if there is none yet, or if it may come from an image, as
    no board is known that it was installed on."""
    id = _text(_MACHINE_ID) or ""
    return id if re.fullmatch("[0-9a-f]{32}", id) and any(_board()) else None


def _board() -> list[str | None]:
    names = [_BOARD / "sys_vendor", _BOARD / "product_name", _BOARD / "board_name", _BOARD_OF_ARM / "model"]
    return [_text(path) for path in names]


def _line(path: Path, label: str) -> str | None:
    """What follows `label:` in a file of such lines."""
    value = re.search(rf"^{label}\s*:\s*(.+)$", _text(path) or "", re.MULTILINE)
    return value[1].strip() if value else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip() or None
    except OSError:
        return None
