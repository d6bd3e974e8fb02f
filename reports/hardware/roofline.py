"""Rooflines: the measured ceilings of a device (`fillpath calibrate`), and the counted work on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.case import Case
from fillpath.holdings import read_ceilings
from fillpath.paths import results
from fillpath.record import Record, Status
from reports.facts.records import Records
from reports.hardware.bytes_model import filled_entries, operations
from reports.hardware.solved import find
from reports.series import read_probe
from reports.shapes import style
from reports.shapes.style import PALETTE, SMALL, new_figure

# The devices of a machine, as its ceilings name them.
KINDS = ("host", "gpu", "gpus")
RATES = ("copy_bytes", "flops_double", "link_to_device_bytes", "page_faults", "peer_bytes")
MARKERS = "osD^vP*X<>"
CAPTION = """Slope: what a copy moves a second; level: double-precision multiply-adds of a matrix product,
both by `fillpath calibrate`. Full points: bytes were counted, those of DRAM by hardware counters where there
are any, else what the algorithm asks for (docs/compare.md); empty: a lower bound of them, so that the point
belongs there or further left. Operations are floating-point operations of a factorisation or of conjugate
gradients, edges examined by a traversal, dependencies released by levels or edges eliminated by ParAC's
factor; the level limits the first alone. A point above the slope has bytes that a cache served."""


@dataclass(frozen=True)
class Roof:
    """The ceilings of a device, or of all GPUs together.

    kind : of KINDS
    cards : GPUs that have them together, 0 for the host
    copy : bytes per second
    flops : double-precision operations per second
    link, faults : bytes to the device and page faults per second, None where there is none
    peer : bytes per second from one GPU to another, None for one
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
    """Return the roofs of a machine's devices, none without ceilings. Raises InputError for damaged ones."""
    ceilings, found = read_ceilings(results() / machine) or {}, []
    for kind, device in ((kind, ceilings.get(kind)) for kind in KINDS):
        if device:
            rates: dict[str, Any] = dict.fromkeys(RATES)
            rates |= {name: rate["per_second"] for name, rate in device["rates"].items()}
            cards = 0 if kind == "host" else device.get("count", 1)
            found.append(Roof(machine, kind, device["name"], cards, *(rates[name] for name in RATES)))
    return found


def spots(machines: Sequence[str], records: Records) -> pd.DataFrame:
    """Return the verified cases of these machines.

    cards : GPUs that it ran on, 0 on the processor
    implementation : with its stage
    intensity : operations per byte
    rate : operations per second
    bound : whether the bytes are a lower bound, so that the intensity is an upper one
    lacking : why it has no place, empty where it has
    """
    filled, rows = filled_entries(records.rows), []
    for record in records.rows:
        if record.machine in machines and record.status is Status.OK:
            case = Case.parse(record.case)
            counted = operations(record, case, filled)
            # Hardware counters, which are of a whole call, go before bytes that were asked for.
            about = record.machine, record.case, record.key
            counters = None if counted.phase else read_probe("counters", *about)
            read = (counters or {"facts": {}})["facts"].get("dram_bytes")
            intensity = counted.done / (read or counted.bytes)
            rate = counted.done / median(record.phases[counted.phase] if counted.phase else record.samples)
            spot = record.machine, _cards(record, case), record.case, f"{case.stage}.{case.implementation}"
            rows.append((*spot, intensity, rate, counted.least and not read, counted.lacking))
    head = ["machine", "cards", "case", "implementation", "intensity", "rate", "bound", "lacking"]
    return pd.DataFrame(rows, columns=head)


def _cards(record: Record, case: Case) -> int:
    entry = find(case)
    # Of an implementation that is not here, a colleague's own, the record says whether a GPU worked.
    if (entry.device if entry else record.device or "cpu") == "cpu":
        return 0
    # Of several ranks each has a GPU of its own; workers that are simulated take turns on one.
    facts: Mapping[str, float] = (record.work or {}).get("facts") or {}
    ranks = 1 if facts.get("simulated") else int(facts.get("workers", 1))
    return max(1, case.gpus, ranks)


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
    names = sorted(placed["implementation"].unique())
    for axes, (at, roof) in zip(panels, shown.items(), strict=False):
        _draw(axes, roof, placed[placed.index == at], names)
    # Implementations of which no case has a place on a device, each with what its first case there lacks.
    under = found[found.index.isin(shown)]
    every, some = (part.set_index("implementation", append=True) for part in (under, placed))
    lost = every[~every.index.isin(some.index)]
    firsts = lost[~lost.index.duplicated()].reset_index().groupby("lacking")["implementation"].unique()
    reasons = "; ".join(f"{why}: {', '.join(sorted(names))}" for why, names in firsts.items())
    without = ", ".join(name for name in machines if name not in {machine for machine, _ in devices})
    more = {"Without a place": reasons, "Without ceilings": without}
    said = [f"{what}: {names}." for what, names in more.items() if names]
    style.write_below(figure, " ".join([*CAPTION.split(), *said]))
    return figure


def _draw(axes: Axes, roof: Roof, found: pd.DataFrame, names: Sequence[str]) -> None:
    """Draw one device. names : of all panels' implementations, so that each has one colour and one marker"""
    together = f"{roof.cards} x " if roof.cards > 1 else ""
    axes.set_title(f"{roof.machine}: {together}{roof.name}", loc="left")
    places = [roof.flops / roof.copy, *found["intensity"]]
    line = np.geomspace(min(places) / 5, max(places) * 20, 200)
    axes.plot(line, np.minimum(roof.flops, roof.copy * line), color="black", linewidth=2)
    # One entry of the legend, however many kinds of points an implementation has.
    named: set[str] = set()
    for (name, bound), some in found.groupby(["implementation", "bound"]):
        colour, marker = (looks[names.index(name) % len(looks)] for looks in (PALETTE, MARKERS))
        axes.plot(
            some["intensity"], some["rate"], linestyle="", marker=marker, markersize=7,
            markeredgecolor=colour if bound else "black", color="none" if bound else colour,
            label=None if name in named else name,
        )  # fmt: skip
        named.add(str(name))
    rates = {
        "copy {:,.0f} GB/s": roof.copy / 1e9,
        "double {:,.0f} GFLOP/s": roof.flops / 1e9,
        "link {:,.0f} GB/s": roof.link and roof.link / 1e9,
        "page faults {:,.0f} / s": roof.faults,
        "from one to another {:,.0f} GB/s": roof.peer and roof.peer / 1e9,
    }
    known = [text.format(rate) for text, rate in rates.items() if rate is not None]
    axes.text(0.02, 0.98, "\n".join(known), transform=axes.transAxes, va="top", fontsize=SMALL)
    axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="operations per second")
    if len(found):
        axes.legend(fontsize=SMALL, loc="lower right")
