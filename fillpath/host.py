"""Which host this is, and the name that its results stand under.

A machine's name is that of a kind of machine where FILLPATH_MACHINE gives it: hosts may share it as long as
their CPUs, cores and GPUs are alike. Otherwise it is the host's own, and no other host's folder is ever taken
for it: of two hosts that are called alike the second gets a name that is free.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import platform
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fillpath.errors import ConfigError
from fillpath.paths import WORK, require_checkout, results

# Where the system says what it is.
_MACHINE_ID = Path("/etc/machine-id")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CPUINFO = Path("/proc/cpuinfo")
_BOARD = Path("/sys/class/dmi/id")
_GPUS = Path("/proc/driver/nvidia/gpus")
FACTS = "machine.json"


@dataclass(frozen=True)
class Hardware:
    """What hosts of one kind have in common. cpu : its model, None where it cannot be read. cores : that this
    process may use. gpus : the models that the driver lists, each once; empty without a driver."""

    cpu: str | None
    cores: int
    gpus: tuple[str, ...]


def hardware() -> Hardware:
    """This host's."""
    model = _line(_CPUINFO, "model name") or platform.processor() or None
    models = {_line(path, "Model") for path in _GPUS.glob("*/information")}
    return Hardware(model, len(os.sched_getaffinity(0)), tuple(sorted(model for model in models if model)))


@functools.cache
def fingerprint() -> str:
    """16 hexadecimal digits that outlast a restart and differ from another host's. A hash, because an id of a
    machine is not to be published, as machine-id(5) says. A host without an id, as a container or a lent
    virtual machine is, is another after each start: nothing else tells it from its twins."""
    board = [_text(_BOARD / name) for name in ("sys_vendor", "product_name", "board_name")]
    facts = [_machine_id() or _text(_BOOT_ID), hardware().cpu, platform.machine(), *board]
    return hashlib.sha256(json.dumps(["fillpath", *facts]).encode()).hexdigest()[:16]


def _machine_id() -> str | None:
    """32 hexadecimal digits; None where there are none, or none yet."""
    id = _text(_MACHINE_ID) or ""
    return id if re.fullmatch("[0-9a-f]{32}", id) else None


def machine_name() -> str:
    """`$FILLPATH_MACHINE`, or this node's name; that with a number where a folder of that name is not this
    host's."""
    return _kind() or next(name for name in _names(node_name()) if _is_free(name) or _is_ours(name))


def node_name() -> str:
    """What tells this host from others that share the checkout: the name that Slurm gives it in a job, or the
    host's own."""
    return _plain(os.environ.get("SLURMD_NODENAME") or socket.gethostname().split(".")[0]) or "machine"


def node_lock(name: str) -> Path:
    """A lock of this node alone: two nodes that share the checkout may both hold theirs."""
    return WORK / f"{name}-{node_name()}.lock"


def owner() -> str | None:
    """The fingerprint of the only host whose results this machine's folder holds; None for several, or where
    nobody knows."""
    name = machine_name()
    free_or_ours = _is_free(name) or _facts(name).get("host") == fingerprint()
    return fingerprint() if free_or_ours else None


def require_kind() -> None:
    """Raise ConfigError where FILLPATH_MACHINE names a kind of machine that this host is not of, and where
    there is no checkout whose results this host's could be."""
    require_checkout()
    name = _kind()
    if name and (differences := _differences(_facts(name))):
        raise ConfigError(
            f"FILLPATH_MACHINE={name}: this host is of another kind than results/{name}: "
            f"{', '.join(differences)}; choose another name, or unset it"
        )


def name_message() -> str:
    """Why this host's results do not stand under its own name, and what to do; empty where they do."""
    name, taken = machine_name(), node_name()
    if _kind() or name == taken:
        return ""
    differences = _differences(_facts(taken))
    reason = f"of other hardware ({', '.join(differences)})" if differences else "of another host"
    join = "" if differences else f"; FILLPATH_MACHINE={taken} adds to it, for a machine of that kind"
    return f"results/{taken} is {reason}: what is measured here goes to results/{name}{join}"


def known_gpus() -> tuple[str, ...]:
    """The GPU models of this machine's folder: this host's, or where it sees none those that are known."""
    return hardware().gpus or tuple(_facts(machine_name()).get("gpus") or ())


def _kind() -> str:
    return _plain(os.environ.get("FILLPATH_MACHINE", ""))


def _names(name: str) -> itertools.chain[str]:
    return itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))


def _is_free(name: str) -> bool:
    folder = results() / name
    return not (folder / FACTS).exists() and not (folder / "records").exists()


def _is_ours(name: str) -> bool:
    facts = _facts(name)
    return facts.get("host") == fingerprint() and not _differences(facts)


def _differences(facts: Mapping[str, Any]) -> list[str]:
    """What a machine's facts say otherwise than this host; what either does not know is no difference."""
    here = hardware()
    pairs = (
        ("CPU", facts.get("cpu"), here.cpu),
        ("cores", facts.get("cores"), here.cores),
        ("GPU", ", ".join(facts.get("gpus") or ()), ", ".join(here.gpus)),
    )
    known = ((what, there, own) for what, there, own in pairs if there and own)
    return [f"{what} {there} there, {own} here" for what, there, own in known if there != own]


def _facts(name: str) -> Mapping[str, Any]:
    """What machine.json says; nothing where it is absent or damaged."""
    try:
        facts = json.loads((results() / name / FACTS).read_text())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _line(path: Path, label: str) -> str | None:
    """What follows `label:` in a file of such lines."""
    value = re.search(rf"^{label}\s*:\s*(.+)$", _text(path) or "", re.MULTILINE)
    return value[1].strip() if value else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip() or None
    except OSError:
        return None


def _plain(name: str) -> str:
    """Reduced to `[A-Za-z0-9_-]`."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")
