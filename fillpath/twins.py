"""Twins: available matrices like a paper's unavailable matrix, config/twins.csv.

A finished search found them (docs/twins.md): a row holds the nearest matrix that was tried, with its
distances.
"""

from __future__ import annotations

import csv
import functools
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fillpath.errors import ConfigError
from fillpath.paths import CONFIG

# The beginning of a twin's label in figures.
TWIN_OF = "twin of "
# Largest distances of a twin: factors either way, and a difference of two shares.
ORDER, DENSITY, FILL, SYMMETRY = 1.25, 1.5, 2.0, 0.1
LIMITS = (
    f"n within {ORDER:g}x, nnz/n within {DENSITY:g}x, symmetry within {SYMMETRY:g}, fill within {FILL:g}x "
    "where it is printed, one family of kinds"
)
FILE = CONFIG / "twins.csv"


@dataclass(frozen=True)
class Nearest:
    """The nearest matrix to one of the papers' that was tried.

    matrix : its id in the catalogue
    preparation : that the fill is of, as in a case's name
    nearest : the id of the nearest; empty where none was tried
    order, density, fill : rows, entries per row and fill-ins over entries, each over that of the matrix. None
        where not measured, or where no paper prints the fill
    symmetry : its structural symmetry less that of the matrix
    note : what has to be known of it
    """

    matrix: str
    preparation: str
    nearest: str
    order: float | None
    density: float | None
    symmetry: float | None
    fill: float | None
    note: str

    @property
    def within(self) -> bool:
        """Return whether it is a twin."""
        return self.distance <= 1

    @property
    def distance(self) -> float:
        """Return the largest of its distances, each over its limit; infinite where none was measured.

        A fill that no paper prints weighs nothing.
        """
        if self.order is None or self.density is None or self.symmetry is None:
            return math.inf
        pairs = ((self.order, ORDER), (self.density, DENSITY), (self.fill, FILL))
        ratios = [
            abs(math.log(ratio)) / math.log(limit) if ratio > 0 else math.inf
            for ratio, limit in pairs
            if ratio is not None
        ]
        return max(*ratios, abs(self.symmetry) / SYMMETRY)

    @property
    def text(self) -> str:
        """`twin of rma10: order 1.00x, entries a row 1.02x, symmetry +0.00, fill 1.17x`."""
        fill = "fill not printed" if self.fill is None else f"fill {self.fill:.2f}x"
        sizes = f"order {self.order or 0:.2f}x, entries a row {self.density or 0:.2f}x"
        return f"{TWIN_OF}{self.matrix}: {sizes}, symmetry {self.symmetry or 0:+.2f}, {fill}"


COLUMNS = tuple(field.name for field in fields(Nearest))
_NUMBERS = ("order", "density", "symmetry", "fill")


@functools.cache
def twins() -> tuple[Nearest, ...]:
    """Return the rows of config/twins.csv. Raises ConfigError naming the line."""
    return read_twins(FILE)


@functools.cache
def twins_of(matrix: str) -> tuple[Nearest, ...]:
    """Return the rows of which a matrix is the twin, none for most. matrix : its id in a case's name."""
    return tuple(row for row in twins() if row.within and row.nearest == matrix)


def without_twin() -> tuple[str, ...]:
    """Matrices of the papers of which no twin was found."""
    return tuple(row.matrix for row in twins() if not row.within)


def read_twins(path: Path) -> tuple[Nearest, ...]:
    """Return the rows of a file. Raises ConfigError naming a damaged, repeated or contradictory line."""
    with path.open(newline="") as handle:
        reader = csv.DictReader(handle)
        rows = [_row(row, f"{path}:{reader.line_num}") for row in reader]
    repeated = {row.matrix for row in rows if sum(other.matrix == row.matrix for other in rows) > 1}
    if repeated:
        raise ConfigError(f"{path}: {min(repeated)} has several lines; leave one")
    return tuple(rows)


def _row(row: dict[str, str], where: str) -> Nearest:
    if tuple(row) != (*COLUMNS, "within") or None in row.values():
        raise ConfigError(f"{where}: expected the columns {', '.join(COLUMNS)}, within")
    try:
        cells: dict[str, Any] = {name: row[name] for name in COLUMNS}
        cells |= {name: float(row[name]) if row[name] else None for name in _NUMBERS}
        nearest = Nearest(**cells)
    except ValueError as problem:
        raise ConfigError(f"{where}: {problem}") from None
    if row["within"] != str(nearest.within).lower():
        raise ConfigError(f"{where}: within is {row['within']!r}, which its distances contradict")
    return nearest
