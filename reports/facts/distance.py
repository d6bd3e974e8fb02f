"""How far a stand-in is from the matrix that it stands for: one far away says nothing of it, and one
within the limits of config/twins.csv is its twin."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fillpath.case import matrix_id
from fillpath.papers import papers
from fillpath.twins import Nearest, twins_of
from reports.facts.printed import Entries, MatrixEntry, abbreviation, abbreviations, printed_column

# What a stand-in may differ by and still weigh: factors either way, and a difference of two shares.
ORDER, DENSITY, FILL, SYMMETRY = 10.0, 2.0, 4.0, 0.25
LIMITS = (
    f"n within {ORDER:g}x, nnz/n within {DENSITY:g}x, fill within {FILL:g}x, symmetry within {SYMMETRY:g}, "
    "one family of kinds"
)
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
    """The numbers that two matrices are compared by.

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
    """How far a stand-in is from the matrix that it stands for.

    target : the paper's abbreviation of the matrix.
    factor : how far n, density and fill are apart together: the product of their ratios, each above 1.
    near : whether the stand-in weighs: of the same family of kinds, and each feature that is known within its
        limit.
    text : `BB: n 0.2x, nnz/n 1.29x, fill 0.4x, symmetry +0.1, thermal for structural`
    """

    target: str
    factor: float
    near: bool
    text: str

    @classmethod
    def between(cls, target: str, one: Features, other: Features) -> Distance:
        """Return the distance of a stand-in from a matrix. target : the abbreviation of the matrix."""
        ratios = {"n": one.order / other.order, "nnz/n": one.density / other.density}
        if one.fill is not None and other.fill:
            ratios["fill"] = one.fill / other.fill
        limits = zip(ratios.values(), (ORDER, DENSITY, FILL), strict=False)
        near = all(1 / limit <= ratio <= limit for ratio, limit in limits)
        near &= _FAMILY.get(one.kind, one.kind) == _FAMILY.get(other.kind, other.kind)
        parts = [f"{name} {ratio:.2g}x" for name, ratio in ratios.items()]
        if one.symmetry is not None and other.symmetry is not None:
            near &= abs(one.symmetry - other.symmetry) <= SYMMETRY
            parts.append(f"symmetry {one.symmetry - other.symmetry:+.2g}")
        kinds = [features.kind.partition(" (")[0] for features in (one, other)]
        parts.append(" for ".join(dict.fromkeys(kinds)))
        factor = float(np.exp(sum(abs(np.log(ratio)) for ratio in ratios.values() if ratio)))
        return cls(target, factor, bool(near), f"{target}: {', '.join(parts)}")


def features(entry: MatrixEntry, fill: float | None = None, symmetry: float | None = None) -> Features | None:
    """Return what the catalogue says of a matrix, with what is known of it prepared; None where the catalogue
    does not know its size."""
    entries = entry.nnz_with_zeros or entry.nnz
    if not entry.order or not entries:
        return None
    return Features(entry.kind, float(entry.order), entries / entry.order, fill, symmetry)


def of_row(row: Mapping[Any, Any], entry: MatrixEntry) -> Features | None:
    """Return `features` with what a row of the table knows of the prepared matrix."""
    nnz, fills, symmetry = (
        None if pd.isna(row[name]) else float(row[name]) for name in ("nnz", "fills", "structural_symmetry")
    )
    return features(entry, fills / nnz if nnz and fills is not None else None, symmetry)


def targets_of(entry: MatrixEntry, entries: Entries, paper: str) -> tuple[Target, ...]:
    """The matrices of the paper that the entry stands for and whose size is known."""
    stood_for = [other for other in entries if other.id in entry.stands_for]
    known = [(abbreviation(other, paper), _of_print(other)) for other in stood_for]
    return tuple((abbr, matrix) for abbr, matrix in known if abbr and matrix)


@functools.cache
def distances(stand_in: Features | None, targets: tuple[Target, ...]) -> tuple[Distance, ...]:
    """Return the distance from each of the targets, the nearest first; none of a stand-in of unknown size."""
    if stand_in is None:
        return ()
    found = (Distance.between(abbr, stand_in, matrix) for abbr, matrix in targets)
    return tuple(sorted(found, key=lambda each: each.factor))


@functools.cache
def twins_in(matrix: str, paper: str) -> Mapping[str, Nearest]:
    """Return what config/twins.csv has of each matrix of the paper that this one is a twin of, by the paper's
    abbreviation. matrix : as a case names it."""
    shorts = {matrix_id(name): short for name, short in abbreviations(paper).items()}
    return {shorts[row.matrix]: row for row in twins_of(matrix) if row.matrix in shorts}


@functools.cache
def _of_print(entry: MatrixEntry) -> Features | None:
    """As `features`, with what any paper prints of its matrix: the same stand-in is as far in each."""
    return features(entry, *(_printed(entry, field) for field in ("fill", "symmetry")))


def _printed(entry: MatrixEntry, field: str) -> float | None:
    """Return what the first paper that has such a column prints of the matrix; None where none does."""
    for paper in papers().values():
        table, _, column = getattr(paper, field).partition(".")
        printed = printed_column(paper.id, table, column) if table else {}
        value = printed.get(abbreviation(entry, paper.id) or "")
        if value is not None:
            return value
    return None
