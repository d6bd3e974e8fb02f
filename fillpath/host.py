"""The name under which this host's results are stored, and which folders are its own.

If FILLPATH_MACHINE is set, it names a kind of machine: several hosts may share it, provided that their CPUs,
cores and GPUs are alike. Otherwise the name is the host's own. A host never uses another host's folder: of
two hosts with one name, the second gets a free one.
"""

import contextlib
import itertools
import os
import re
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fillpath.errors import ConfigError, InputError
from fillpath.hardware import fingerprint, hardware
from fillpath.holdings import FACTS, read_facts
from fillpath.paths import WORK, require_checkout, results, write_json
from fillpath.settings import settings


def machine_name() -> str:
    """Return `$FILLPATH_MACHINE`, or this node's name, numbered where another host has that folder."""
    own = node_name()
    names = itertools.chain([own], (f"{own}-{number}" for number in itertools.count(2)))
    return settings().machine or next(name for name in names if _is_free(name) or _is_ours(name))


def node_name() -> str:
    """Return Slurm's name of this host in a job, else the host's own name."""
    name = os.environ.get("SLURMD_NODENAME") or socket.gethostname().split(".")[0]
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "machine"


def node_lock(name: str) -> Path:
    """Return a lock of this node alone: each node that shares the checkout has one of its own."""
    return WORK / f"{name}-{node_name()}.lock"


def own_facts() -> dict[str, Any]:
    """Return facts that depend on this machine's folder.

    name : str, of the folder
    host : str, fingerprint of the machine's only host, None for several or an unknown one
    gpus : GPU models of this host or, if it sees none, those noted in the folder
    """
    name = machine_name()
    facts = _facts(name)
    is_alone = _is_free(name) or facts.get("host") == fingerprint()
    gpus = hardware().gpus or facts.get("gpus") or ()
    return {"name": name, "host": fingerprint() if is_alone else None, "gpus": gpus}


def is_own(name: str) -> bool:
    """Return whether that folder holds only this host's results, under the host's own name."""
    return name != settings().machine and _is_ours(name)


def is_here(name: str) -> bool:
    """Return whether this host is of the kind of results/<name>, as far as is known.

    A host that sees no GPU is of no kind that has one.
    """
    facts = _facts(name)
    return not _differences(facts) and bool(hardware().gpus) >= bool(facts.get("gpus"))


def share(name: str) -> None:
    """Note that a folder has results of another host: it is a kind of machine from now on.

    A folder that belonged to another host alone stays as it is.
    """
    facts = _facts(name)
    if facts.get("host") == fingerprint():
        write_json(results() / name / FACTS, {**facts, "host": None})


def require_kind() -> None:
    """Raise ConfigError without a checkout, or if FILLPATH_MACHINE names a kind that this host is not.

    A kind whose facts cannot be read is refused too.
    """
    require_checkout()
    name = settings().machine
    if name and (differences := _differences(read_facts(results() / name))):
        raise ConfigError(
            f"FILLPATH_MACHINE={name}: this host is of another kind than results/{name}: "
            f"{', '.join(differences)}; choose another name, or unset it"
        )


def name_message() -> str:
    """Return why this host's results are not stored under its own name, and what to do; empty if they are."""
    name, host = machine_name(), node_name()
    if settings().machine or name == host:
        return ""
    facts = _facts(host)
    differences = _differences(facts)
    stranger = "of another host" if facts.get("host") else "perhaps another host's"
    reason = f"of other hardware ({', '.join(differences)})" if differences else stranger
    join = "" if differences else f"; FILLPATH_MACHINE={host} adds to it, for a machine of that kind"
    return f"results/{host} is {reason}: what is measured here goes to results/{name}{join}"


def _is_free(name: str) -> bool:
    return not any((results() / name / each).exists() for each in (FACTS, "records"))


def _is_ours(name: str) -> bool:
    facts = _facts(name)
    return facts.get("host") == fingerprint() and not _differences(facts)


def _differences(facts: Mapping[str, Any]) -> list[str]:
    """Return how a machine's facts differ from this host; what either does not know is no difference."""
    here = hardware()
    pairs = (
        ("CPU", facts.get("cpu"), here.cpu),
        ("cores", facts.get("cores"), here.cores),
        ("GPU", ", ".join(facts.get("gpus") or ()), ", ".join(here.gpus)),
    )
    return [f"{what} {far} there, {near} here" for what, far, near in pairs if far and near and far != near]


def _facts(name: str) -> Mapping[str, Any]:
    """Return a machine's facts, empty without a file or where it is damaged."""
    with contextlib.suppress(InputError):
        return read_facts(results() / name)
    return {}
