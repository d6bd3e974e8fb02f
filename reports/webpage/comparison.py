"""The page's part on machines against each other: means, pictures, what is left out."""

from __future__ import annotations

from collections import Counter
from html import escape
from pathlib import Path

from fillpath import paths
from reports.bars import times
from reports.compare import HARDWARE, Comparison
from reports.roofline import roofs
from reports.webpage.markup import Cell, Column, address, code, element, items, link, table

_COLUMNS = (
    Column("group", choice="group"),
    Column("machine", choice="machine"),
    Column("geometric mean", "right"),
    Column("interval", "right"),
    Column("cases", "right"),
)


def comparison_folder(comparison: Comparison) -> Path:
    """Where its pictures and its CSV lie."""
    return paths.SITE / "compare" / "_".join(comparison.machines)


def comparison_section(comparison: Comparison) -> str:
    first, *others = comparison.machines
    folder = comparison_folder(comparison)
    told = (
        f"Seconds of {first} over those of {', '.join(others)} on the same cases: above 1, {first} is slower."
        f" {HARDWARE}"
    )
    command = f"fillpath compare {' '.join(comparison.machines)}"
    pairs = link(address(folder / "ratios.csv"), "Every pair as CSV")
    made = f"{pairs}. Again, or of other machines: {code(command)}."
    parts = [
        element("p", escape(told)),
        _means(comparison) if comparison.means else element("p", "No case is solved on all of them yet."),
        _left_out(comparison),
        element("p", made),
        *([_picture(folder, "profiles", "Performance profiles")] if comparison.profiles else []),
        *([_picture(folder, "rooflines", "Rooflines")] if any(map(roofs, comparison.machines)) else []),
    ]
    return "\n".join(parts)


def _means(comparison: Comparison) -> str:
    rows = [
        (
            Cell(escape(mean.group), value=mean.group.partition(".")[0]),
            Cell(escape(mean.machine), value=mean.machine),
            Cell(times(mean.ratio), mean.ratio),
            Cell(f"{times(mean.low)} to {times(mean.high)}", mean.low),
            Cell(str(mean.n), mean.n),
        )
        for mean in comparison.means
    ]
    return table("means", "Geometric means over the cases that all have solved", _COLUMNS, rows)


def _left_out(comparison: Comparison) -> str:
    """How many cases are in no mean, by reason."""
    counts = Counter((left.machine, left.reason.partition(":")[0]) for left in comparison.left_out)
    told = [
        f"{count} cases: {escape(machine)}: {escape(reason)}" for (machine, reason), count in counts.items()
    ]
    return element("p", f"In no mean: {len(comparison.left_out)} cases.") + items(told)


def _picture(folder: Path, name: str, title: str) -> str:
    image = (
        f'<img src="{address(folder / f"{name}.png")}" loading="lazy" alt="{escape(title)} of the machines">'
    )
    shown = element("a", image, href=address(folder / f"{name}.svg"))
    return element("figure", shown + element("figcaption", escape(title)))
