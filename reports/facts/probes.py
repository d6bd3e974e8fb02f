"""What probes measured of a case beside its seconds: hardware counters, page faults, durations of
kernels."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fillpath.paths import results


def read_counters(machine: str, case: str, key: str) -> Mapping[str, float] | None:
    """What `fillpath counters` read of that case; None where it was not run, or for an input, a
    source or a machine other than the record's of that key."""
    return _read_facts("counters", machine, case, key)


def read_faults(machine: str, case: str, key: str) -> Mapping[str, float] | None:
    """What `fillpath faults` counted of that case; None as of `read_counters`."""
    return _read_facts("faults", machine, case, key)


def read_fault_repeats(machine: str, case: str, key: str) -> Sequence[Mapping[str, float]]:
    """What each counted call of that case had; none where `read_faults` has nothing."""
    counts = _read_beside("faults", machine, case, key)
    repeats: Sequence[Mapping[str, float]] = (counts or {}).get("repeats", ())
    return repeats


def read_durations(machine: str, case: str, key: str) -> Mapping[str, float] | None:
    """What `fillpath durations` collected of that case; None as of `read_counters`."""
    return _read_facts("durations", machine, case, key)


@dataclass(frozen=True)
class KernelSeconds:
    """The sum of the durations of all kernels of each timed call, and the host that it was collected on."""

    seconds: tuple[float, ...]
    host: str | None


def read_kernel_seconds(machine: str, case: str, key: str) -> KernelSeconds | None:
    """Those of that case; None where `read_durations` has nothing."""
    durations = _read_beside("durations", machine, case, key)
    if durations is None:
        return None
    kernels = [call["kernels"].values() for call in durations["calls"]]
    seconds = tuple(math.fsum(kernel["seconds"] for kernel in each) for each in kernels)
    return KernelSeconds(seconds, durations.get("host"))


def _read_facts(kind: str, machine: str, case: str, key: str) -> Mapping[str, float] | None:
    counts = _read_beside(kind, machine, case, key)
    facts: Mapping[str, float] | None = None if counts is None else counts["facts"]
    return facts


def _read_beside(kind: str, machine: str, case: str, key: str) -> Mapping[str, Any] | None:
    """results/<machine>/<kind>/<case>.json, which has facts; None without it, with a warning for a file that
    cannot be read, and for one of another key."""
    path = results() / machine / kind / f"{case}.json"
    try:
        counts: Mapping[str, Any] = json.loads(path.read_text())
        counts["facts"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        logging.getLogger("fillpath").warning("%s: no %s: %s", path, kind, error)
        return None
    return counts if counts.get("key") == key else None
