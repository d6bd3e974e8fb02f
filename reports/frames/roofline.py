"""A device's ceilings, measured (`fillpath calibrate`), and the counted work of each implementation on
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.holdings import read_ceilings
from fillpath.paths import results
from fillpath.record import Record, Status
from fillpath.registry import lookup
from reports.facts.probes import read_counters
from reports.facts.records import Records

# Bytes that examining one adjacency entry reads at least: its index.
INDEX = 4
# What an operation is, by what the records count.
EDGES, UPDATES = "edges examined", "multiply-adds (2 operations each)"


@dataclass(frozen=True)
class Roof:
    """A device's ceilings.

    kind : host or gpu.
    copy : bytes per second.
    flops : double-precision operations per second.
    link, faults : bytes to the device and page faults per second, None where there is none.
    """

    machine: str
    kind: str
    name: str
    copy: float
    flops: float
    link: float | None
    faults: float | None


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
    return [_roof(machine, kind, ceilings[kind]) for kind in ("host", "gpu") if ceilings.get(kind)]


def spots(machine: str, kind: str, records: Records) -> tuple[list[Spot], list[Unplaced]]:
    """The verified cases that ran on that device, and the implementations that cannot be placed."""
    device = {"host": "cpu", "gpu": "gpu"}[kind]
    located: list[Spot] = []
    unplaced: dict[str, Unplaced] = {}
    for record in records.rows:
        case = Case.parse(record.case)
        if record.machine != machine or record.status is not Status.OK or _device_of(record, case) != device:
            continue
        spot = _spot(record, case)
        if isinstance(spot, Spot):
            located.append(spot)
        else:
            unplaced.setdefault(spot.implementation, spot)
    placed = {spot.implementation for spot in located}
    return located, [lack for name, lack in sorted(unplaced.items()) if name not in placed]


def limit(roof: Roof, intensity: float) -> float:
    """Operations per second that the roof allows at that intensity."""
    return min(roof.flops, roof.copy * intensity)


def _spot(record: Record, case: Case) -> Spot | Unplaced:
    name = f"{case.stage}.{case.implementation}"
    work = record.work or {}
    edges: int = work.get("edges") or 0
    updates: float = (work.get("facts") or {}).get("updates") or 0
    if not edges and not updates:
        return Unplaced(name, "counts no operations")
    counters = read_counters(record.machine, record.case, record.key) or {}
    moved = counters.get("dram_bytes") or work.get("bytes")
    if not moved and not edges:
        return Unplaced(name, "counts multiply-adds and no bytes")
    operations = float(edges or 2 * updates)
    median = record.median
    assert median is not None
    return Spot(
        record.case, name, operations / float(moved or INDEX * operations), operations / median, not moved,
        EDGES if edges else UPDATES,
    )  # fmt: skip


def _device_of(record: Record, case: Case) -> str:
    """Of an implementation that is not here, a colleague's own say, by whether its record names a GPU."""
    try:
        return lookup(case.stage, case.implementation).device
    except UnknownNameError:
        return "gpu" if record.device else "cpu"


def _roof(machine: str, kind: str, device: Mapping[str, Any]) -> Roof:
    rates = {name: rate["per_second"] for name, rate in device["rates"].items()}
    return Roof(
        machine, kind, device["name"], rates["copy_bytes"], rates["flops_double"],
        rates.get("link_to_device_bytes"), rates.get("page_faults"),
    )  # fmt: skip
