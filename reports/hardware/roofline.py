"""A device's ceilings, measured (`fillpath calibrate`), and the counted work of each implementation on
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from statistics import median
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.holdings import read_ceilings
from fillpath.paths import results
from fillpath.record import Record, Status
from fillpath.registry import lookup
from reports.facts.records import Records
from reports.hardware.bytes_model import Operations, filled_entries, operations
from reports.series import read_probe

# The devices of a machine, as its ceilings name them.
KINDS = ("host", "gpu", "gpus")


@dataclass(frozen=True)
class Roof:
    """The ceilings of a device, or of all GPUs together.

    kind : host, gpu or gpus.
    cards : GPUs that have them together, 0 for the host.
    copy : bytes per second.
    flops : double-precision operations per second.
    link, faults : bytes to the device and page faults per second, None where there is none.
    peer : bytes per second from one GPU to another, None for one.
    """

    machine: str
    kind: str
    name: str
    cards: int
    copy: float
    flops: float
    link: float | None
    faults: float | None
    peer: float | None


def roofs(machine: str) -> list[Roof]:
    """The roofs of a machine's devices, none without ceilings. Raises InputError for damaged ones."""
    ceilings = read_ceilings(results() / machine) or {}
    return [_roof(machine, kind, ceilings[kind]) for kind in KINDS if ceilings.get(kind)]


def spots(roof: Roof, records: Records) -> pd.DataFrame:
    """Return the verified cases that ran on those devices.

    implementation : with its stage
    intensity : operations per byte
    rate : operations per second
    bound : whether the bytes are a lower bound, so that the intensity is an upper one
    lacking : why it has no place, empty where it has
    """
    filled = filled_entries(records.rows)
    cases = [(record, Case.parse(record.case)) for record in records.rows if record.machine == roof.machine]
    rows = [
        (record.case, f"{case.stage}.{case.implementation}", *_spot(record, operations(record, case, filled)))
        for record, case in cases
        if record.status is Status.OK and _cards(record, case) == roof.cards
    ]
    return pd.DataFrame(rows, columns=["case", "implementation", "intensity", "rate", "bound", "lacking"])


def lacking(found: pd.DataFrame) -> pd.Series[str]:
    """Return by implementation why none of its cases has a place, as the first says."""
    placed = found.loc[found["lacking"] == "", "implementation"]
    without = found[~found["implementation"].isin(placed)]
    return without.groupby("implementation")["lacking"].first()


def limit(roof: Roof, intensity: float) -> float:
    """Operations per second that the roof allows at that intensity."""
    return min(roof.flops, roof.copy * intensity)


def _spot(record: Record, counted: Operations | str) -> tuple[float, float, bool, str]:
    """Return intensity, rate, bound and lacking.

    Hardware counters, which are of a whole call, go before bytes that were asked for.
    """
    if isinstance(counted, str):
        return nan, nan, False, counted
    counters = (not counted.phase and read_probe("counters", record.machine, record.case, record.key)) or {}
    moved = counters.get("facts", {}).get("dram_bytes")
    seconds = median(record.phases[counted.phase]) if counted.phase else record.median
    assert seconds is not None
    return counted.count / (moved or counted.bytes), counted.count / seconds, counted.least and not moved, ""


def _cards(record: Record, case: Case) -> int:
    """GPUs that it ran on, 0 on the CPU. Of an implementation that is not here, a colleague's own say, by
    whether its record names a GPU."""
    try:
        device = lookup(case.stage, case.implementation).device
    except UnknownNameError:
        device = "gpu" if record.device else "cpu"
    if device == "cpu":
        return 0
    # Of several ranks each has a GPU of its own; workers that are simulated take turns on one.
    facts: Mapping[str, float] = (record.work or {}).get("facts") or {}
    ranks = 1 if facts.get("simulated") else int(facts.get("workers", 1))
    return max(1, case.gpus, ranks)


def _roof(machine: str, kind: str, device: Mapping[str, Any]) -> Roof:
    rates = {name: rate["per_second"] for name, rate in device["rates"].items()}
    cards = 0 if kind == "host" else device.get("count", 1)
    return Roof(
        machine, kind, device["name"], cards, rates["copy_bytes"], rates["flops_double"],
        rates.get("link_to_device_bytes"), rates.get("page_faults"), rates.get("peer_bytes"),
    )  # fmt: skip
