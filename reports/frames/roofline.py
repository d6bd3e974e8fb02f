"""A device's ceilings, measured (`fillpath calibrate`), and the counted work of each implementation on
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.holdings import read_ceilings
from fillpath.paths import results
from fillpath.record import Record, Status
from fillpath.registry import lookup
from reports.facts.probes import read_counters
from reports.facts.records import Records
from reports.frames.bytes_model import Operations, filled_entries, operations

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


@dataclass(frozen=True)
class Spot:
    """One verified case under a roof.

    intensity : operations per byte.
    rate : operations per second.
    bound : whether the bytes are a lower bound, so that the intensity is an upper one.
    what : an operation.
    """

    case: str
    implementation: str
    intensity: float
    rate: float
    bound: bool
    what: str


@dataclass(frozen=True)
class Unplaced:
    """An implementation whose records count too little to stand under a roof."""

    implementation: str
    reason: str


def roofs(machine: str) -> list[Roof]:
    """The roofs of a machine's devices, none without ceilings. Raises InputError for damaged ones."""
    ceilings = read_ceilings(results() / machine) or {}
    return [_roof(machine, kind, ceilings[kind]) for kind in KINDS if ceilings.get(kind)]


def spots(roof: Roof, records: Records) -> tuple[list[Spot], list[Unplaced]]:
    """The verified cases that ran on those devices, and the implementations that cannot be placed."""
    filled = filled_entries(records.rows)
    located: list[Spot] = []
    unplaced: dict[str, Unplaced] = {}
    for record in records.rows:
        case = Case.parse(record.case)
        if (
            record.machine != roof.machine
            or record.status is not Status.OK
            or _cards(record, case) != roof.cards
        ):
            continue
        counted = operations(record, case, filled)
        if isinstance(counted, Operations):
            located.append(_spot(record, case, counted))
        else:
            name = _name(case)
            unplaced.setdefault(name, Unplaced(name, counted))
    placed = {spot.implementation for spot in located}
    return located, [lack for name, lack in sorted(unplaced.items()) if name not in placed]


def limit(roof: Roof, intensity: float) -> float:
    """Operations per second that the roof allows at that intensity."""
    return min(roof.flops, roof.copy * intensity)


def _spot(record: Record, case: Case, counted: Operations) -> Spot:
    """Hardware counters, which are of a whole call, go before bytes that were asked for."""
    counters = (not counted.phase and read_counters(record.machine, record.case, record.key)) or {}
    moved = counters.get("dram_bytes")
    seconds = median(record.phases[counted.phase]) if counted.phase else record.median
    assert seconds is not None
    return Spot(
        record.case, _name(case), counted.count / (moved or counted.bytes), counted.count / seconds,
        counted.least and not moved, counted.what,
    )  # fmt: skip


def _name(case: Case) -> str:
    return f"{case.stage}.{case.implementation}"


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
