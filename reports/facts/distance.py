"""The distance of a stand-in from the matrix that it replaces."""

import functools
import math
from operator import itemgetter
from typing import NamedTuple

from fillpath.entry import Entry
from fillpath.papers import papers
from reports.facts.printed import Entries, abbreviation, printed_column


class Features(NamedTuple):
    """The numbers that two matrices are compared by, nan where one is not known.

    density : entries per row, explicit zeros among them.
    fill, symmetry : fill-ins over entries; the share of the entries whose mirror is an entry.
    """

    kind: str
    order: float
    density: float
    fill: float = math.nan
    symmetry: float = math.nan


def distance(one: Features, other: Features) -> tuple[float, str]:
    """Return the product of factors (above 1) of n, density and fill, and a text: `n 0.2x, fill 4x, ...`."""
    fill, shift = one.fill / (other.fill or math.nan), one.symmetry - other.symmetry
    ratios = {"n": one.order / other.order, "nnz/n": one.density / other.density, "fill": fill}
    parts = [f"{name} {ratio:.2g}x" for name, ratio in ratios.items() if not math.isnan(ratio)]
    parts += [] if math.isnan(shift) else [f"symmetry {shift:+.2g}"]
    parts.append(" for ".join(dict.fromkeys(each.kind.partition(" (")[0] for each in (one, other))))
    return math.prod(max(ratio, 1 / ratio) for ratio in ratios.values() if ratio > 0), ", ".join(parts)


def distances(entry: Entry, entries: Entries, paper: str, fill: float, symmetry: float) -> str | None:
    """Return the distance of a stand-in from each of the paper's matrices: `HM: n 0.1x, ...; PR: ...`.

    Matrices of its own kind come first, the nearest before others. None where no size is known.
    """
    own, away = _features(entry, fill, symmetry), []
    for other in (each for each in entries if each.id in entry.stands_for):
        printed, abbr = _of_print(other), abbreviation(other, paper)
        if own and printed and abbr:
            away.append((own.kind != printed.kind, *distance(own, printed), abbr))
    return "; ".join(f"{abbr}: {text}" for *_, text, abbr in sorted(away, key=itemgetter(0, 1))) or None


def _features(entry: Entry, fill: float, symmetry: float) -> Features | None:
    """Return the catalogue's features of a matrix with the given ones; None where its size is unknown."""
    entries = entry.nnz_with_zeros or entry.nnz
    if not entry.order or not entries:
        return None
    return Features(entry.kind, float(entry.order), entries / entry.order, fill, symmetry)


@functools.cache
def _of_print(entry: Entry) -> Features | None:
    """Return the features that the first of the papers prints: a stand-in's distance is one in all papers."""

    def printed(field: str) -> float:
        columns = {id: getattr(paper, field).split(".") for id, paper in papers().items()}
        tables = {id: printed_column(id, *column) for id, column in columns.items() if len(column) == 2}
        numbers = [table.get(abbreviation(entry, id) or "") for id, table in tables.items()]
        return next((number for number in numbers if number is not None), math.nan)

    return _features(entry, printed("fill"), printed("symmetry"))
