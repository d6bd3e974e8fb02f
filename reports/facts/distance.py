"""How far a stand-in is from the matrix that it stands for: one far away says nothing of it, and one
within the limits of config/twins.csv is its twin."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from fillpath.case import matrix_id
from fillpath.papers import papers
from fillpath.twins import Nearest, twins_of
from reports.facts.entries import Entries, MatrixEntry
from reports.facts.printed import abbreviation, abbreviations, printed_column

# What a stand-in may differ by and still weigh: factors either way, and a difference of two shares.
ORDER, DENSITY, FILL, SYMMETRY = 10.0, 2.0, 4.0, 0.25
# What a row of a frame knows of the prepared matrix.
PREPARED = ("nnz", "fills", "structural_symmetry")
# Kinds of the catalogue that are of one family.
_FAMILIES = {
    "mesh": (
        "2D grid", "3D grid", "mesh", "Delaunay triangulation", "finite elements (3D)", "structural",
        "structural (pattern only)", "thermal", "electromagnetics", "computational fluid dynamics",
        "weighted planar graph", "reservoir (not obtainable: the collection does not hold it)",
    ),
    "road": ("road network", "road-like graph"),
    "network": ("social network", "geometric graph"),
}  # fmt: skip
_FAMILY = {kind: family for family, kinds in _FAMILIES.items() for kind in kinds}


@dataclass(frozen=True)
class Features:
    """What two matrices are compared by.

    kind : of the catalogue.
    order : rows.
    density : entries per row, explicit zeros among them.
    fill : fill-ins over entries, None where it is not known.
    symmetry : share of the entries whose mirror is one too, None where it is not known.
    """

    kind: str
    order: float
    density: float
    fill: float | None = None
    symmetry: float | None = None


# A matrix that a stand-in stands for, by the paper's abbreviation.
Target = tuple[str, Features]


@dataclass(frozen=True)
class Distance:
    """A stand-in's features over those of the matrix that it stands for.

    target : the paper's abbreviation of the matrix.
    kinds : of the stand-in, of the matrix.
    order, density, fill : ratios, that of the fill None where either is not known.
    symmetry : the difference of the shares, None where either is not known.
    """

    target: str
    kinds: tuple[str, str]
    order: float
    density: float
    fill: float | None
    symmetry: float | None

    @classmethod
    def between(cls, target: str, stand_in: Features, matrix: Features) -> Distance:
        """target : the abbreviation of the matrix."""
        fill = None if stand_in.fill is None or not matrix.fill else stand_in.fill / matrix.fill
        shares = stand_in.symmetry, matrix.symmetry
        symmetry = None if shares[0] is None or shares[1] is None else shares[0] - shares[1]
        order, density = stand_in.order / matrix.order, stand_in.density / matrix.density
        return cls(target, (stand_in.kind, matrix.kind), order, density, fill, symmetry)

    @functools.cached_property
    def near(self) -> bool:
        """Whether the stand-in weighs: of the same family of kinds, and each feature that is known within its
        limit."""
        one, other = (_FAMILY.get(kind, kind) for kind in self.kinds)
        return (
            one == other
            and _within(self.order, ORDER)
            and _within(self.density, DENSITY)
            and (self.fill is None or _within(self.fill, FILL))
            and (self.symmetry is None or abs(self.symmetry) <= SYMMETRY)
        )

    @functools.cached_property
    def text(self) -> str:
        """`BB: n 0.2x, nnz/n 1.29x, fill 0.4x, symmetry +0.1, thermal for structural`."""
        fill = "" if self.fill is None else f", fill {self.fill:.2g}x"
        symmetry = "" if self.symmetry is None else f", symmetry {self.symmetry:+.2g}"
        one, other = (kind.partition(" (")[0] for kind in self.kinds)
        kinds = one if one == other else f"{one} for {other}"
        return f"{self.target}: n {self.order:.2g}x, nnz/n {self.density:.2g}x{fill}{symmetry}, {kinds}"


LIMITS = (
    f"n within {ORDER:g}x, nnz/n within {DENSITY:g}x, fill within {FILL:g}x, symmetry within {SYMMETRY:g}, "
    "one family of kinds"
)


def of_entry(entry: MatrixEntry) -> Features | None:
    """What the catalogue says of a matrix; None where it does not know its size."""
    entries = entry.nnz_with_zeros or entry.nnz
    return (
        Features(entry.kind, float(entry.order), entries / entry.order) if entry.order and entries else None
    )


def of_row(row: Mapping[Any, Any], entry: MatrixEntry) -> Features | None:
    """As `of_entry`, with what a row of a frame knows of the prepared matrix."""
    features = of_entry(entry)
    if features is None:
        return None
    nnz, fills = _number(row, "nnz"), _number(row, "fills")
    fill = fills / nnz if nnz and fills is not None else None
    return replace(features, fill=fill, symmetry=_number(row, "structural_symmetry"))


@functools.cache
def of_print(entry: MatrixEntry) -> Features | None:
    """As `of_entry`, with what any paper prints of its matrix: the same stand-in is as far in each."""
    features = of_entry(entry)
    if features is None:
        return None
    fill, symmetry = (_printed(entry, field) for field in ("fill", "symmetry"))
    return replace(features, fill=fill, symmetry=symmetry)


def targets_of(entry: MatrixEntry, entries: Entries, paper: str) -> tuple[Target, ...]:
    """The matrices of the paper that the entry stands for and whose size is known."""
    stood_for = [other for other in entries if other.id in entry.stands_for]
    known = [(abbreviation(other, paper), of_print(other)) for other in stood_for]
    return tuple((abbr, matrix) for abbr, matrix in known if abbr and matrix)


@functools.cache
def distances(stand_in: Features | None, targets: tuple[Target, ...]) -> tuple[Distance, ...]:
    """From each of the targets, the nearest first; none of a stand-in of unknown size."""
    if stand_in is None:
        return ()
    return tuple(sorted((Distance.between(abbr, stand_in, matrix) for abbr, matrix in targets), key=_factor))


@functools.cache
def twins_in(matrix: str, paper: str) -> Mapping[str, Nearest]:
    """What config/twins.csv has of each matrix of the paper that this one is a twin of, by the paper's
    abbreviation. matrix : as a case names it."""
    shorts = {matrix_id(name): short for name, short in abbreviations(paper).items()}
    return {shorts[row.matrix]: row for row in twins_of(matrix) if row.matrix in shorts}


def _printed(entry: MatrixEntry, field: Literal["fill", "symmetry"]) -> float | None:
    """What the first paper that has such a column prints of the matrix; None where none does."""
    for paper in papers().values():
        table, _, column = getattr(paper, field).partition(".")
        value = (
            printed_column(paper.id, table, column).get(abbreviation(entry, paper.id) or "")
            if table
            else None
        )
        if value is not None:
            return value
    return None


def _number(row: Mapping[Any, Any], name: str) -> float | None:
    value = row.get(name)
    return None if value is None or pd.isna(value) else float(value)


def _factor(distance: Distance) -> float:
    """How far n, density and fill are apart together: the product of their ratios, each above 1."""
    ratios = [ratio for ratio in (distance.order, distance.density, distance.fill) if ratio]
    return float(np.exp(sum(abs(np.log(ratio)) for ratio in ratios)))


def _within(ratio: float, factor: float) -> bool:
    return 1 / factor <= ratio <= factor
