"""The files of a comparison of machines: its tables as CSV, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fillpath import paths
from fillpath.paths import write_text
from reports.facts.records import Records
from reports.hardware.best_picture import best_picture
from reports.hardware.comparison import Comparison
from reports.hardware.roofline import roofs, spots
from reports.hardware.roofline_picture import rooflines
from reports.shapes import style


def comparison_folder(comparison: Comparison) -> Path:
    """Return where its pictures and its CSVs lie."""
    return paths.SITE / "compare" / "_".join(comparison.machines)


def draw_comparison(comparison: Comparison, records: Records) -> list[Path]:
    """Write best.csv, ratios.csv, and best and rooflines (SVG, and PNG of a large one) into its folder, and
    return their paths.

    Raises InputError for damaged ceilings.
    """
    folder = comparison_folder(comparison)
    tables = {folder / "best.csv": comparison.best.answers, folder / "ratios.csv": comparison.pairs}
    for path, table in tables.items():
        write_text(path, table.to_csv(index=False, lineterminator="\n"))
    best = style.save_shown(best_picture(comparison), folder / "best.svg")
    return [*tables, *best, *draw_rooflines(comparison.machines, records, folder)]


def draw_rooflines(machines: Sequence[str], records: Records, folder: Path) -> list[Path]:
    """Write the rooflines of these machines, and return their paths.

    A device without a case is left out where its machine has another with some.

    Raises InputError for damaged ceilings.
    """
    devices, without = [], []
    for machine in machines:
        under = [(roof, spots(roof, records)) for roof in roofs(machine)]
        occupied = [(roof, found) for roof, found in under if (found["lacking"] == "").any()]
        devices += occupied or under
        without += [] if under else [machine]
    return style.save_shown(rooflines(devices, without), folder / "rooflines.svg")
