"""How far a stand-in is from the matrix that it stands in for."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from operator import itemgetter
from typing import NamedTuple

from fillpath.case import matrix_id
from fillpath.papers import papers
from fillpath.twins import Nearest, twins_of
from reports.facts.printed import Entries, MatrixEntry, abbreviation, abbreviations, printed_column


class Features(NamedTuple):
    """The numbers that two matrices are compared by, nan where one is not known.

    kind : of the catalogue.
    order : rows.
    density : entries per row, explicit zeros among them.
    fill : fill-ins over entries.
    symmetry : share of the entries whose mirror is one too.
    """

    kind: str
    order: float
    density: float
    fill: float = math.nan
    symmetry: float = math.nan

    @classmethod
    def of(cls, entry: MatrixEntry, fill: float, symmetry: float) -> Features | None:
        """Return what the catalogue says of a matrix, with the others; None where its size is not known."""
        entries = entry.nnz_with_zeros or entry.nnz
        if not entry.order or not entries:
            return None
        return cls(entry.kind, float(entry.order), entries / entry.order, fill, symmetry)


def distance(one: Features, other: Features) -> tuple[float, str]:
    """Return how far n, density and fill are apart, as the product of factors above 1, and that in words.

    In words: `n 0.2x, nnz/n 1.29x, fill 0.4x, symmetry +0.1, thermal for structural`.
    """
    fill, shift = one.fill / (other.fill or math.nan), one.symmetry - other.symmetry
    ratios = {"n": one.order / other.order, "nnz/n": one.density / other.density, "fill": fill}
    parts = [f"{name} {ratio:.2g}x" for name, ratio in ratios.items() if not math.isnan(ratio)]
    parts += [] if math.isnan(shift) else [f"symmetry {shift:+.2g}"]
    parts.append(" for ".join(dict.fromkeys(each.kind.partition(" (")[0] for each in (one, other))))
    return math.prod(max(ratio, 1 / ratio) for ratio in ratios.values() if ratio > 0), ", ".join(parts)


def distances(entry: MatrixEntry, entries: Entries, paper: str, fill: float, symmetry: float) -> str | None:
    """Return how far a matrix is from each of the paper's that it stands in for: `HM: n 0.1x, ...; PR: ...`.

    Those of its own kind come first, the nearest before others. None where no size is known.

    fill, symmetry : of it prepared
    """
    own = Features.of(entry, fill, symmetry)
    stood_for = [each for each in entries if own and each.id in entry.stands_for]
    known = [(abbreviation(each, paper), _of_print(each)) for each in stood_for]
    away = [
        (own.kind != other.kind, *distance(own, other), abbr)
        for abbr, other in known
        if own and abbr and other
    ]
    return "; ".join(f"{abbr}: {text}" for *_, text, abbr in sorted(away, key=itemgetter(0, 1))) or None


@functools.cache
def twins_in(matrix: str, paper: str) -> Mapping[str, Nearest]:
    """Return what config/twins.csv has of each matrix of the paper that this one is a twin of, by the paper's
    abbreviation. matrix : as a case names it."""
    shorts = {matrix_id(name): short for name, short in abbreviations(paper).items()}
    return {shorts[row.matrix]: row for row in twins_of(matrix) if row.matrix in shorts}


@functools.cache
def _of_print(entry: MatrixEntry) -> Features | None:
    """Return the features by what the first paper to print one says: the same stand-in is as far in each."""

    def printed(field: str) -> float:
        columns = [(paper.id, *getattr(paper, field).split(".")) for paper in papers().values()]
        tables = [(id, printed_column(id, *column)) for id, *column in columns if len(column) == 2]
        numbers = [table.get(abbreviation(entry, id) or "") for id, table in tables]
        return next((number for number in numbers if number is not None), math.nan)

    return Features.of(entry, printed("fill"), printed("symmetry"))
