"""Pictures of a comparison of machines: performance profiles, and a roofline of each device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from reports.frames.bytes_model import DEPENDENCIES, EDGES, ELIMINATED, FLOPS
from reports.frames.roofline import Roof, Spot, Unplaced, limit
from reports.pages.comparison import Comparison, Curve
from reports.shapes import style
from reports.shapes.labels import legend_above
from reports.shapes.style import LARGE, PALETTE, SMALL, new_figure

DASHES: tuple[Literal["-", "--", ":", "-."], ...] = ("-", "--", ":", "-.")
MARKERS = "osD^vP*X<>"


def profiles(comparison: Comparison) -> Figure:
    """One panel per stage: the share of the cases solved within a factor of the fastest machine."""
    groups = list(dict.fromkeys(curve.group for curve in comparison.profiles))
    figure, panels = _grid(len(groups), across=3, title="The same implementation on each machine")
    for axes, group in zip(panels, groups, strict=False):
        _profile(axes, [curve for curve in comparison.profiles if curve.group == group], comparison.machines)
    if not groups:
        panels[0].text(0.5, 0.5, "no case that every machine has tried", ha="center", va="center")
        panels[0].set_axis_off()
    handles = [
        Line2D([], [], color=PALETTE[i % len(PALETTE)], linestyle=DASHES[i % 4], linewidth=2, label=machine)
        for i, machine in enumerate(comparison.machines)
    ]  # fmt: skip
    legend_above(figure, handles)
    style.write_below(
        figure,
        "Performance profiles (Dolan and More): of the cases that every machine has tried, the share that a "
        "machine solves within a factor of the fastest machine's seconds. A case without a verified result "
        "there is a failure, which no factor mends: its curve ends below 1, and says so. What runs on one of "
        "them only, such as GPU codes, is in no panel: what a machine can do is in the picture of the best.",
    )
    return figure


# A device's ceilings, the cases with a place under them, and the implementations without one.
Occupied = tuple[Roof, Sequence[Spot], Sequence[Unplaced]]


def rooflines(devices: Sequence[Occupied], without: Sequence[str]) -> Figure:
    """One panel per device: its measured ceilings, and every verified case that ran on it.

    without : machines without ceilings
    """
    figure, panels = _grid(
        len(devices), across=2, title="Rooflines from measured ceilings, and the work that was counted"
    )
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


def _grid(count: int, *, across: int, title: str) -> tuple[Figure, list[Axes]]:
    across = max(1, min(across, count))
    down = max(1, -(-count // across))
    figure = new_figure(max(9.0, 6.0 * across), 1.2 + (5.0 * down if count else 0.6))
    figure.suptitle(title, x=0.01, ha="left", fontsize=LARGE, weight="bold")
    panels = list(figure.subplots(down, across, squeeze=False).ravel())
    for axes in panels[max(1, count) :]:
        axes.set_axis_off()
    return figure, panels


def _profile(axes: Axes, curves: Sequence[Curve], machines: Sequence[str]) -> None:
    axes.set_title(f"{curves[0].group}, {curves[0].n} cases", loc="left")
    last = max(curve.within[-1] for curve in curves) * 1.3
    for curve in curves:
        i = machines.index(curve.machine)
        axes.step(
            [*curve.within, last], [*curve.share, curve.share[-1]], where="post", linewidth=2,
            color=PALETTE[i % len(PALETTE)], linestyle=DASHES[i % 4],
        )  # fmt: skip
        if curve.failed:
            axes.annotate(
                f"{curve.machine}: {curve.failed} of {curve.n} failed", (last, curve.share[-1]), (-4, 4),
                textcoords="offset points", ha="right", va="bottom", fontsize=SMALL,
            )  # fmt: skip
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}x"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(1, last)
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("within a factor of the fastest")
    axes.set_ylabel("share of the cases")


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
