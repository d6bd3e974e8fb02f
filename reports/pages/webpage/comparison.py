"""The page's part on machines against each other: means, pictures, what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from fillpath import paths
from reports.frames.roofline import roofs
from reports.pages.compare import HARDWARE, Comparison
from reports.pages.webpage.markup import Cell, Column, address, code, element, items, link, table
from reports.shapes.bars import times

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


def rooflines_folder() -> Path:
    """Where the rooflines of all machines lie."""
    return paths.SITE / "compare"


def comparisons_section(comparisons: Sequence[Comparison]) -> str:
    """The first machine against each of the others, two by two: a machine that shares no case with another
    hides nothing of the rest."""
    machines = list(dict.fromkeys(name for found in comparisons for name in found.machines))
    parts = [comparison_section(found) for found in comparisons]
    if any(map(roofs, machines)):
        parts.append(_picture(rooflines_folder(), "rooflines", "Rooflines"))
    else:
        parts.append(
            element("p", f"No machine has ceilings for a roofline yet: {code('fillpath calibrate')}.")
        )
    return "\n".join(parts)


def comparison_section(comparison: Comparison) -> str:
    """One machine against another."""
    first, *others = comparison.machines
    folder = comparison_folder(comparison)
    id = f"compare-{'-'.join(comparison.machines)}"
    told = (
        f"Seconds of {first} over those of {', '.join(others)} on the same cases: above 1, {first} is slower."
        f" {HARDWARE}"
    )
    command = f"fillpath compare {' '.join(comparison.machines)}"
    pairs = link(address(folder / "ratios.csv"), "Every pair as CSV")
    made = f"{pairs}. Again, or of other machines: {code(command)}."
    parts = [
        element("h3", escape(f"{first} and {', '.join(others)}")),
        element("p", escape(told)),
        _means(comparison, f"{id}-means")
        if comparison.means
        else element("p", "No case is solved on both of them yet."),
        _left_out(comparison),
        element("p", made),
        *([_picture(folder, "profiles", "Performance profiles")] if comparison.profiles else []),
    ]
    return element("article", "\n".join(parts), id=id)


def _means(comparison: Comparison, id: str) -> str:
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
    return table(id, "Geometric means over the cases that all have solved", _COLUMNS, rows)


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
