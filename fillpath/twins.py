"""Twins: available matrices like a paper's unavailable matrix, config/twins.csv.

A finished search found them (docs/twins.md): a row holds the nearest matrix that was tried, with its
distances.
"""

import csv
import functools
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fillpath.errors import ConfigError
from fillpath.paths import CONFIG

# The beginning of a twin's label in figures.
TWIN_OF = "twin of "
FILE = CONFIG / "twins.csv"


@dataclass(frozen=True)
class Nearest:
    """The nearest matrix to one of the papers' that was tried.

    matrix : str, its id in the catalogue
    preparation : str, as in a case's name, of the compared fill
    nearest : str, the id of the nearest; empty where none was tried
    order, density, fill : float, rows, entries per row and fill-ins over entries, each over that of the
        matrix. None where not measured, or where no paper prints the fill
    symmetry : float, its structural symmetry less that of the matrix
    note : str, a remark for readers
    within : bool, whether it is a twin, by the limits of docs/twins.md
    """

    matrix: str
    preparation: str
    nearest: str
    order: float | None
    density: float | None
    symmetry: float | None
    fill: float | None
    note: str
    within: bool

    @property
    def text(self) -> str:
        """`twin of rma10: order 1.00x, entries a row 1.02x, symmetry +0.00, fill 1.17x`."""
        fill = "fill not printed" if self.fill is None else f"fill {self.fill:.2f}x"
        sizes = f"order {self.order or 0:.2f}x, entries a row {self.density or 0:.2f}x"
        return f"{TWIN_OF}{self.matrix}: {sizes}, symmetry {self.symmetry or 0:+.2f}, {fill}"


COLUMNS = tuple(field.name for field in fields(Nearest))
_NUMBERS = ("order", "density", "symmetry", "fill")


@functools.cache
def twins(path: Path = FILE) -> tuple[Nearest, ...]:
    """Return the rows of a file. Raises ConfigError naming a damaged or repeated line."""
    with path.open(newline="") as handle:
        reader = csv.DictReader(handle)
        rows = [_row(row, f"{path}:{reader.line_num}") for row in reader]
    repeated = [name for name, count in Counter(row.matrix for row in rows).items() if count > 1]
    if repeated:
        raise ConfigError(f"{path}: {min(repeated)} has several lines; leave one")
    return tuple(rows)


@functools.cache
def twins_of(matrix: str) -> tuple[Nearest, ...]:
    """Return the rows of which a matrix is the twin, none for most. matrix : its id in a case's name."""
    return tuple(row for row in twins() if row.within and row.nearest == matrix)


def _row(row: dict[str, str], where: str) -> Nearest:
    if tuple(row) != COLUMNS or None in row.values():
        raise ConfigError(f"{where}: expected the columns {', '.join(COLUMNS)}")
    try:
        numbers = {name: float(row[name]) if row[name] else None for name in _NUMBERS}
        cells: dict[str, Any] = {**row, **numbers, "within": {"true": True, "false": False}[row["within"]]}
        return Nearest(**cells)
    except (KeyError, ValueError) as problem:
        raise ConfigError(f"{where}: {problem}") from None
