"""The files of a comparison of machines: its tables as CSV, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fillpath import paths
from fillpath.paths import write_text
from reports.facts.records import Records
from reports.hardware.best_picture import best_picture
from reports.hardware.comparison import Comparison
from reports.hardware.roofline import rooflines
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
    """Write the rooflines of these machines, and return their paths. Raises InputError for damaged ceilings."""
    return style.save_shown(rooflines(machines, records), folder / "rooflines.svg")
