"""Facts of this host: those that hosts of one kind share, and those that distinguish them."""

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
_DMI = Path("/sys/class/dmi/id")
_BOARD = (_DMI / "sys_vendor", _DMI / "product_name", _DMI / "board_name", Path("/proc/device-tree/model"))
_GPUS = Path("/proc/driver/nvidia/gpus")
_FREQUENCY = Path("/sys/devices/system/cpu/cpu0/cpufreq")


@dataclass(frozen=True)
class Hardware:
    """Facts that hosts of one kind share.

    cpu : str | None, its model, None if it cannot be read
    cores : int, those of the host, however many a process may use
    gpus : tuple of str, models that the driver lists, each once; empty without a driver
    """

    cpu: str | None
    cores: int
    gpus: tuple[str, ...]


def hardware() -> Hardware:
    """Return the hardware of this host."""
    model = _line(_CPUINFO, "model name") or platform.processor() or None
    models = {_line(path, "Model") for path in _GPUS.glob("*/information")}
    return Hardware(model, os.cpu_count() or 1, tuple(sorted(model for model in models if model)))


@functools.cache
def fingerprint() -> str:
    """Return 16 hexadecimal digits that survive a restart and differ between hosts.

    The digits are a hash, because machine-id(5) forbids publishing a machine's id. A container or a virtual
    machine from a shared image has no id of its own. Its digits change with each start.
    """
    board = [read(path) for path in _BOARD]
    id = read(_MACHINE_ID) or ""
    # Without a board the id may be that of an image.
    own_id = id if re.fullmatch("[0-9a-f]{32}", id) and any(board) else None
    return _digits(own_id or read(_BOOT_ID), hardware().cpu, platform.machine(), *board)


def identity() -> str:
    """Return 16 hexadecimal digits that differ between hosts, their starts and their sets of GPUs."""
    gpus = sorted(filter(None, (_line(path, "GPU UUID") for path in _GPUS.glob("*/information"))))
    return _digits(fingerprint(), read(_MACHINE_ID), read(_BOOT_ID), *gpus)


def host_facts() -> dict[str, str | float | None]:
    """Return other facts of the processor that a time depends on, None for one that cannot be read.

    cpu_mhz, cpu_max_mhz : clocks of the first core, now and at most
    """
    now, most = _line(_CPUINFO, "cpu MHz"), read(_FREQUENCY / "cpuinfo_max_freq")
    return {
        "stepping": _line(_CPUINFO, "stepping"),
        "microcode": _line(_CPUINFO, "microcode"),
        "governor": read(_FREQUENCY / "scaling_governor"),
        "cpu_mhz": None if now is None else float(now),
        "cpu_max_mhz": None if most is None else float(most) / 1000,
    }


def _digits(*facts: str | None) -> str:
    return hashlib.sha256(json.dumps(["fillpath", *facts]).encode()).hexdigest()[:16]


def _line(path: Path, label: str) -> str | None:
    """Return the text after `label:` in a file of such lines."""
    value = re.search(rf"^{label}\s*:\s*(.+)$", read(path) or "", re.MULTILINE)
    return value[1].strip() if value else None


def read(path: Path) -> str | None:
    """Return a small file's text, None where it is empty or cannot be read."""
    try:
        return path.read_text(errors="replace").strip() or None
    except OSError:
        return None
