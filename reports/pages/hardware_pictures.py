"""The picture of a comparison's rooflines, one of each device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.frames.bytes_model import DEPENDENCIES, EDGES, ELIMINATED, FLOPS
from reports.frames.roofline import Roof, Spot, Unplaced, limit
from reports.shapes import style
from reports.shapes.style import LARGE, PALETTE, SMALL, new_figure

MARKERS = "osD^vP*X<>"
# A device's ceilings, the cases with a place under them, and the implementations without one.
Occupied = tuple[Roof, Sequence[Spot], Sequence[Unplaced]]


def rooflines(devices: Sequence[Occupied], without: Sequence[str]) -> Figure:
    """One panel per device: its measured ceilings, and every verified case that ran on it.

    without : machines without ceilings
    """
    figure, panels = _grid(len(devices))
    names = sorted({spot.implementation for _, spots, _ in devices for spot in spots})
    for axes, (roof, spots, _) in zip(panels, devices, strict=False):
        _roofline(axes, roof, spots, names)
    if not devices:
        panels[0].text(0.5, 0.5, "no machine here has ceilings: fillpath calibrate", ha="center", va="center")
        panels[0].set_axis_off()
    unplaced = sorted({(lack.reason, lack.implementation) for _, _, lacks in devices for lack in lacks})
    by_reason = {reason: [name for r, name in unplaced if r == reason] for reason, _ in unplaced}
    reasons = "; ".join(f"{reason}: {', '.join(names)}" for reason, names in by_reason.items())
    style.write_below(
        figure,
        "Slope: what a copy moves a second; level: double-precision multiply-adds of a matrix product, both "
        "by `fillpath calibrate`. Full points: bytes were counted, those of DRAM by hardware counters where "
        "there are any, else what the algorithm asks for (docs/compare.md); empty: a lower bound of them, so "
        f"that the point belongs there or further left. Operations are {FLOPS} of a factorisation or of "
        f"conjugate gradients, {EDGES} by a traversal, {DEPENDENCIES} by levels or {ELIMINATED} by ParAC's "
        "factor; the level limits the first alone. A point above the slope has bytes that a cache served."
        + (f" Without a place: {reasons}." if reasons else "")
        + (f" Without ceilings: {', '.join(without)}." if without else ""),
    )
    return figure


def _grid(count: int) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels, two in a row."""
    across = 2 if count > 1 else 1
    down = max(1, -(-count // across))
    figure = new_figure(max(9.0, 6.0 * across), 1.2 + (5.0 * down if count else 0.6))
    title = "Rooflines from measured ceilings, and the work that was counted"
    figure.suptitle(title, x=0.01, ha="left", fontsize=LARGE, weight="bold")
    panels = list(figure.subplots(down, across, squeeze=False).ravel())
    for axes in panels[max(1, count) :]:
        axes.set_axis_off()
    return figure, panels


def _roofline(axes: Axes, roof: Roof, spots: Sequence[Spot], names: Sequence[str]) -> None:
    """names : of all panels' implementations, so that each has one colour and one marker"""
    together = f"{roof.cards} x " if roof.cards > 1 else ""
    axes.set_title(f"{roof.machine}: {together}{roof.name}", loc="left")
    ridge = roof.flops / roof.copy
    places = [ridge, *(spot.intensity for spot in spots)]
    ends = (min(places) / 5, max(places) * 20)
    line = np.geomspace(*ends, 200)
    axes.plot(line, [limit(roof, x) for x in line], color="black", linewidth=2)
    for i, name in enumerate(names):
        colour, marker = PALETTE[i % len(PALETTE)], MARKERS[i % len(MARKERS)]
        of_name = [spot for spot in spots if spot.implementation == name]
        for bound in (False, True):
            some = [spot for spot in of_name if spot.bound == bound]
            # One entry of the legend, however many kinds of points it has.
            first = some and bound == all(spot.bound for spot in of_name)
            axes.plot(
                [spot.intensity for spot in some], [spot.rate for spot in some], linestyle="",
                marker=marker, markersize=7, markeredgecolor=colour if bound else "black",
                color="none" if bound else colour, label=name if first else None,
            )  # fmt: skip
    lines = [f"copy {roof.copy / 1e9:,.0f} GB/s", f"double {roof.flops / 1e9:,.0f} GFLOP/s"]
    if roof.link is not None:
        lines.append(f"link {roof.link / 1e9:,.0f} GB/s")
    if roof.faults is not None:
        lines.append(f"page faults {roof.faults:,.0f} / s")
    if roof.peer is not None:
        lines.append(f"from one to another {roof.peer / 1e9:,.0f} GB/s")
    axes.text(0.02, 0.98, "\n".join(lines), transform=axes.transAxes, va="top", fontsize=SMALL)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations per byte")
    axes.set_ylabel("operations per second")
    if spots:
        axes.legend(fontsize=SMALL, loc="lower right")
