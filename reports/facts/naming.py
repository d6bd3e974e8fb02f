"""Names of matrices in a paper's figures, and the distance of a stand-in from the matrix that it replaces.

label("rma10", catalogue.lookup("rma10"), "gsofa")    # rma10 (RM)
"""

import functools
import math
from collections.abc import Collection, Iterable, Mapping
from operator import itemgetter
from typing import NamedTuple

import pandas as pd

from fillpath.case import matrix_id
from fillpath.entry import Entry
from fillpath.papers import papers
from fillpath.twins import TWIN_OF, originals
from reports.facts.printed import Entries, abbreviation, abbreviations, by_matrix, printed_column

NAMES = (
    "label", "abbr", "stand_in_for", "distance", "stands_for", "kind", "collection", "lower_in",
)  # fmt: skip


def label(matrix: str, entry: Entry | None, paper: str) -> str:
    """Return `rma10 (RM)`, `twin of RM`, or the name alone where the paper has no abbreviation."""
    short, known = abbreviation(entry, paper), _by_id(paper)
    twin_of = [known[original] for original in originals().get(matrix, ()) if original in known]
    if twin_of and not short:
        return f"{TWIN_OF}{' and '.join(twin_of)}"
    # As people write what a case names: `poisson3d,40,uniform` is `poisson3d:40:uniform`.
    name = entry.name if entry else matrix.replace(",", ":").replace("+", "/")
    return name if short in (None, name) else f"{name} ({short})"


@functools.cache
def _by_id(paper: str) -> Mapping[str, str]:
    return {matrix_id(name): short for name, short in abbreviations(paper).items()}


def among(names: str | None, abbreviations: Collection[str]) -> str | None:
    """Return these names alone of `stand_in_for` or `stands_for`; None for none."""
    shorts = names.split(", ") if isinstance(names, str) else []
    return ", ".join(short for short in shorts if short in abbreviations) or None


def nearest(rows: pd.DataFrame) -> "pd.Series[str]":
    """Return the matrices that each row replaces as a stand-in, the nearest first."""
    by_distance = rows["distance"].astype("object").str.replace(r":[^;]*", "", regex=True)
    return by_distance.str.replace(";", ",").fillna(rows["stand_in_for"])


def names_of(rows: pd.DataFrame, entries: Entries, paper: str) -> pd.DataFrame:
    """Return NAMES of each row of the table, by the paper's figures and the catalogue."""
    known = by_matrix(entries)
    about = zip(rows["matrix"], rows["fills"] / rows["nnz"], rows["structural_symmetry"], strict=True)
    named = [_names(known.get(matrix), entries, paper, matrix, *far) for matrix, *far in about]
    return pd.DataFrame(named, rows.index, list(NAMES), dtype="object")


def _names(
    entry: Entry | None, entries: Entries, paper: str, matrix: str, *far: float
) -> dict[str, str | None]:
    if entry is None:
        return {"label": label(matrix, entry, paper)}
    known = _by_id(paper)
    return {
        "label": label(matrix, entry, paper),
        "abbr": abbreviation(entry, paper),
        # The paper's matrices that it replaces: `ST, AU`.
        "stand_in_for": ", ".join(known[name] for name in entry.stands_for if name in known) or None,
        "stands_for": ", ".join(entry.stands_for),
        "lower_in": ", ".join(entry.lower_in),
        "kind": entry.kind,
        "collection": entry.group or None,
        "distance": distances(entry, entries, paper, *far) if entry.stands_for else None,
    }


def printed_label(abbr: str, paper: str) -> str:
    """Return the label of a matrix of the paper's own table."""
    name = next(name for name, short in abbreviations(paper).items() if short == abbr)
    return name if name == abbr else f"{name} ({abbr})"


def listed(names: Iterable[str]) -> str:
    """Return the names once each, `none` without any."""
    return ", ".join(sorted(set(names))) or "none"


def fastest_how(best: pd.DataFrame, which: str, names: Mapping[str, str]) -> str:
    """Return a sentence of which sequential code is the fastest, and where some had no time; empty of none.

    best : by matrix `code`, the fastest, and `untimed`, the codes without a time
    which, names : the codes in words, and by their column
    """
    counts = best["code"].value_counts()
    if counts.empty:
        return ""
    of_each = ", ".join(f"{name} on {counts[own]}" for own, name in names.items() if own in counts)
    unknown = best.loc[best["code"].notna() & (best["untimed"] != ""), "untimed"]
    lost = f"; no time of {listed(unknown.str.split(', ').explode())} on {len(unknown)} of {counts.sum()}"
    words = f"Good sequential code: on each matrix the fastest of {which}, one core"
    return f"{words} ({of_each}{lost if len(unknown) else ''}). "


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
