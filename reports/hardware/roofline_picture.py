"""The picture of a comparison's rooflines, one of each device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.hardware.roofline import Roof, lacking, limit
from reports.shapes import style
from reports.shapes.style import PALETTE, SMALL, new_figure

MARKERS = "osD^vP*X<>"
# A device's ceilings, and the cases under them.
Device = tuple[Roof, pd.DataFrame]


def rooflines(devices: Sequence[Device], without: Sequence[str]) -> Figure:
    """Return one panel per device: its measured ceilings, and every verified case that ran on it.

    without : machines without ceilings
    """
    figure, panels = _grid(len(devices))
    names = sorted({name for _, spots in devices for name in _placed(spots)["implementation"]})
    for axes, (roof, spots) in zip(panels, devices, strict=False):
        _roofline(axes, roof, _placed(spots), names)
    if not devices:
        panels[0].text(0.5, 0.5, "no machine here has ceilings: fillpath calibrate", ha="center", va="center")
        panels[0].set_axis_off()
    unplaced = sorted({(reason, name) for _, spots in devices for name, reason in lacking(spots).items()})
    by_reason = {reason: [str(name) for r, name in unplaced if r == reason] for reason, _ in unplaced}
    reasons = "; ".join(f"{reason}: {', '.join(names)}" for reason, names in by_reason.items())
    style.write_below(
        figure,
        "Slope: what a copy moves a second; level: double-precision multiply-adds of a matrix product, both "
        "by `fillpath calibrate`. Full points: bytes were counted, those of DRAM by hardware counters where "
        "there are any, else what the algorithm asks for (docs/compare.md); empty: a lower bound of them, so "
        "that the point belongs there or further left. Operations are floating-point operations of a "
        "factorisation or of conjugate gradients, edges examined by a traversal, dependencies released by "
        "levels or edges eliminated by ParAC's factor; the level limits the first alone. A point above the "
        "slope has bytes that a cache served."
        + (f" Without a place: {reasons}." if reasons else "")
        + (f" Without ceilings: {', '.join(without)}." if without else ""),
    )
    return figure


def _placed(spots: pd.DataFrame) -> pd.DataFrame:
    return spots[spots["lacking"] == ""]


def _grid(count: int) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels, two in a row."""
    across = 2 if count > 1 else 1
    down = max(1, -(-count // across))
    figure = new_figure(max(9.0, 6.0 * across), 1.2 + (5.0 * down if count else 0.6))
    style.headline(figure, "Rooflines from measured ceilings, and the work that was counted")
    panels = list(figure.subplots(down, across, squeeze=False).ravel())
    for axes in panels[max(1, count) :]:
        axes.set_axis_off()
    return figure, panels


def _roofline(axes: Axes, roof: Roof, spots: pd.DataFrame, names: Sequence[str]) -> None:
    """Draw one device. names : of all panels' implementations, so that each has one colour and one marker"""
    together = f"{roof.cards} x " if roof.cards > 1 else ""
    axes.set_title(f"{roof.machine}: {together}{roof.name}", loc="left")
    places = [roof.flops / roof.copy, *spots["intensity"]]
    line = np.geomspace(min(places) / 5, max(places) * 20, 200)
    axes.plot(line, [limit(roof, x) for x in line], color="black", linewidth=2)
    for i, name in enumerate(names):
        colour, marker = PALETTE[i % len(PALETTE)], MARKERS[i % len(MARKERS)]
        of_name = spots[spots["implementation"] == name]
        for bound, some in of_name.groupby("bound"):
            # One entry of the legend, however many kinds of points it has.
            first = bound == of_name["bound"].all()
            axes.plot(
                some["intensity"], some["rate"], linestyle="", marker=marker, markersize=7,
                markeredgecolor=colour if bound else "black", color="none" if bound else colour,
                label=name if first else None,
            )  # fmt: skip
    rates = {
        "copy {:,.0f} GB/s": roof.copy / 1e9,
        "double {:,.0f} GFLOP/s": roof.flops / 1e9,
        "link {:,.0f} GB/s": roof.link and roof.link / 1e9,
        "page faults {:,.0f} / s": roof.faults,
        "from one to another {:,.0f} GB/s": roof.peer and roof.peer / 1e9,
    }
    known = [text.format(rate) for text, rate in rates.items() if rate is not None]
    axes.text(0.02, 0.98, "\n".join(known), transform=axes.transAxes, va="top", fontsize=SMALL)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations per byte")
    axes.set_ylabel("operations per second")
    if len(spots):
        axes.legend(fontsize=SMALL, loc="lower right")
