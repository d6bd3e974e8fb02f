"""Rooflines: the measured ceilings of a device (`fillpath calibrate`), and the counted work on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from fillpath.case import Case
from fillpath.holdings import read_ceilings
from fillpath.paths import results
from fillpath.record import Record, Status
from reports.facts.records import Records
from reports.hardware.bytes_model import filled_entries, operations
from reports.hardware.solved import find
from reports.series import read_probe
from reports.shapes import style
from reports.shapes.style import SMALL, Look, looks, new_figure

PER_SECOND = EngFormatter("/s", places=2)
CAPTION = """Slope: bytes that a copy moves; level: double-precision operations of a matrix product, both by
`fillpath calibrate`. Full points: bytes were counted; empty: a lower bound of them, so that the point belongs
there or further left. A point above the slope has bytes that a cache served. More: docs/compare.md."""


@dataclass(frozen=True)
class Roof:
    """The ceilings of a device, or of all GPUs together.

    kind : as `ceilings.json` names it, as the rates per second
    cards : GPUs that have them together, 0 for the host
    """

    machine: str
    kind: str
    name: str
    cards: int
    rates: Mapping[str, float]


def roofs(machine: str) -> list[Roof]:
    """Return the roofs of a machine's devices, none without ceilings. Raises InputError for damaged ones."""
    found, ceilings = [], read_ceilings(results() / machine)
    for kind in ("host", "gpu", "gpus"):
        if device := ceilings.get(kind):
            rates = {name: rate["per_second"] for name, rate in device["rates"].items()}
            cards = 0 if kind == "host" else device.get("count", 1)
            found.append(Roof(machine, kind, device["name"], cards, rates))
    return found


def spots(machines: Sequence[str], records: Records) -> pd.DataFrame:
    """Return the verified cases of these machines.

    cards : GPUs that a case ran on, 0 on the processor
    intensity, rate : operations per byte and per second
    bound : whether the bytes are a lower bound, so that the intensity is an upper one
    lacking : why a case has no place, empty where it has one
    """
    filled, rows = filled_entries(records.rows), []
    for record in (r for r in records.rows if r.machine in machines and r.status is Status.OK):
        case = Case.parse(record.case)
        counted = operations(record, case, filled)
        # Hardware counters, which are of a whole call, go before bytes that were asked for.
        counters = None if counted.phase else read_probe("counters", record.machine, record.case, record.key)
        read = counters["facts"].get("dram_bytes") if counters else None
        seconds = median(record.phases[counted.phase] if counted.phase else record.samples)
        spot = record.machine, _cards(record, case), f"{case.stage}.{case.implementation}"
        place = counted.done / (read or counted.bytes), counted.done / seconds
        rows.append((*spot, *place, counted.least and not read, counted.lacking))
    head = ["machine", "cards", "implementation", "intensity", "rate", "bound", "lacking"]
    return pd.DataFrame(rows, columns=head)


def _cards(record: Record, case: Case) -> int:
    entry = find(case)
    # For an implementation that is not installed here, a colleague's own, the record has the device.
    if (entry.device if entry else record.device or "cpu") == "cpu":
        return 0
    # Each of several ranks has its own GPU; simulated workers take turns on one GPU.
    facts: Mapping[str, float] = (record.work or {}).get("facts") or {}
    return max(1, case.gpus, 1 if facts.get("simulated") else int(facts.get("workers", 1)))


def rooflines(machines: Sequence[str], records: Records) -> Figure:
    """Return one panel per device of these machines: its ceilings, and every verified case that ran on it.

    A device without a case is left out where its machine has another with some.

    Raises InputError for damaged ceilings.
    """
    devices = {(roof.machine, roof.cards): roof for machine in machines for roof in roofs(machine)}
    found = spots(machines, records).set_index(["machine", "cards"])
    placed = found[(found["lacking"] == "") & found.index.isin(devices)]
    occupied = {machine for machine, _ in placed.index}
    shown = {at: roof for at, roof in devices.items() if at in placed.index or roof.machine not in occupied}
    across, down = min(2, max(1, len(shown))), max(1, -(-len(shown) // 2))
    title = "Rooflines from measured ceilings, and the work that was counted"
    figure = new_figure(max(9.0, 6.0 * across), 1.2 + (5.0 * down if shown else 0.6), title)
    panels = list(figure.subplots(down, across, squeeze=False).ravel())
    for axes in panels[len(shown) :]:
        axes.set_axis_off()
    if not shown:
        panels[0].text(0.5, 0.5, "no machine here has ceilings: fillpath calibrate", ha="center", va="center")
    known = looks(sorted(placed["implementation"].unique()))
    for axes, (at, roof) in zip(panels, shown.items(), strict=False):
        _draw(axes, roof, placed[placed.index == at], known)
    # Implementations of which no case has a place on a device, each with what its first case there lacks.
    on_device = found[found.index.isin(shown)].groupby(["machine", "cards", "implementation"])["lacking"]
    lost = on_device.first()[on_device.min() != ""].reset_index("implementation")
    firsts = lost.groupby("lacking")["implementation"].unique()
    more = {
        "Without a place": "; ".join(f"{why}: {', '.join(sorted(names))}" for why, names in firsts.items()),
        "Without ceilings": ", ".join(name for name in machines if not roofs(name)),
    }
    said = [f"{what}: {names}." for what, names in more.items() if names]
    style.write_below(figure, " ".join([*CAPTION.split(), *said]))
    return figure


def _draw(axes: Axes, roof: Roof, found: pd.DataFrame, known: Mapping[str, Look]) -> None:
    """Draw one device, each implementation with its look in all panels."""
    together = f"{roof.cards} x " if roof.cards > 1 else ""
    axes.set_title(f"{roof.machine}: {together}{roof.name}", loc="left")
    flops, copy = roof.rates["flops_double"], roof.rates["copy_bytes"]
    places = [flops / copy, *found["intensity"]]
    line = np.geomspace(min(places) / 5, max(places) * 20, 200)
    axes.plot(line, np.minimum(flops, copy * line), color="black", linewidth=2)
    for name, some in found.groupby("implementation"):
        colour, _, marker = known[str(name)]
        face, edge = np.where(some["bound"], [["none"], [colour]], [[colour], ["black"]])
        axes.scatter(
            some["intensity"], some["rate"], 50, face, marker=marker, edgecolors=edge, label=name, zorder=2
        )
    rates = [f"{name.replace('_', ' ')} {PER_SECOND(rate)}" for name, rate in roof.rates.items()]
    axes.text(0.02, 0.98, "\n".join(rates), transform=axes.transAxes, va="top", fontsize=SMALL)
    axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="operations per second")
    if len(found):
        axes.legend(fontsize=SMALL, loc="lower right")
