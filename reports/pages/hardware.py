"""The files of a comparison of machines: its tables as CSV, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from fillpath import paths
from fillpath.paths import write_text
from reports.facts.records import Records
from reports.frames.roofline import Roof, roofs, spots
from reports.pages.best_pictures import best_picture
from reports.pages.compare import compare
from reports.pages.comparison import Comparison
from reports.pages.hardware_pictures import Occupied, rooflines
from reports.shapes import style


def comparison_folder(comparison: Comparison) -> Path:
    """Where its pictures and its CSV lie."""
    return rooflines_folder() / "_".join(comparison.machines)


def rooflines_folder() -> Path:
    """Where the rooflines of all machines lie."""
    return paths.SITE / "compare"


def draw_comparisons(machines: Sequence[str], records: Records) -> list[Comparison]:
    """Compare the first machine with each of the others, two by two, and write the files of each and the
    rooflines of all; none for fewer than two. A machine that shares no case with another hides nothing of the
    rest.

    Raises InputError for damaged ceilings.
    """
    comparisons = [compare([machines[0], other], records) for other in machines[1:]]
    for comparison in comparisons:
        draw_pairs(comparison, comparison_folder(comparison))
    if comparisons:
        draw_rooflines(machines, records, rooflines_folder())
    return comparisons


def draw_comparison(comparison: Comparison, records: Records, folder: Path) -> list[Path]:
    """Write best.csv, ratios.csv, and best and rooflines (SVG, and PNG of a large one) into a
    folder, and return their paths.

    Raises InputError for damaged ceilings.
    """
    return [
        *draw_pairs(comparison, folder),
        *draw_rooflines(comparison.machines, records, folder),
    ]


def draw_pairs(comparison: Comparison, folder: Path) -> list[Path]:
    """Write the CSVs and best, and return their paths."""
    tables = {folder / "best.csv": comparison.best.frame(), folder / "ratios.csv": comparison.frame()}
    for path, table in tables.items():
        write_text(path, table.to_csv(index=False, lineterminator="\n"))
    return [*tables, *_write(best_picture(comparison), folder, "best")]


def draw_rooflines(machines: Sequence[str], records: Records, folder: Path) -> list[Path]:
    """Write the rooflines of these machines, and return their paths.

    Raises InputError for damaged ceilings.
    """
    ceilings = {machine: roofs(machine) for machine in machines}
    devices = [device for listed in ceilings.values() for device in _occupied(listed, records)]
    without = [machine for machine, listed in ceilings.items() if not listed]
    return _write(rooflines(devices, without), folder, "rooflines")


def _occupied(listed: Sequence[Roof], records: Records) -> list[Occupied]:
    """A machine's devices with a case under their ceilings, or all where none has any."""
    devices: list[Occupied] = [(roof, *spots(roof, records)) for roof in listed]
    return [device for device in devices if device[1]] or devices


def _write(figure: Figure, folder: Path, name: str) -> list[Path]:
    return style.save_shown(figure, folder / f"{name}.svg")
