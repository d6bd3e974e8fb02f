"""Names of matrices in a paper's figures: the paper's abbreviation for its own matrices and their twins."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from fillpath.case import matrix_id
from fillpath.entry import Entry
from fillpath.twins import TWIN_OF, originals_of
from reports.facts.distance import distances
from reports.facts.printed import Entries, abbreviation, abbreviations, by_matrix

NAMES = (
    "label", "abbr", "stand_in_for", "distance", "stands_for", "kind", "collection", "lower_in",
)  # fmt: skip


def label(matrix: str, entry: Entry | None, paper: str) -> str:
    """Return `rma10 (RM)`, `twin of RM`, or the name alone where the paper has no abbreviation."""
    short, known = abbreviation(entry, paper), _by_id(paper)
    twin_of = [known[original] for original in originals_of(matrix) if original in known]
    if twin_of and not short:
        return f"{TWIN_OF}{' and '.join(twin_of)}"
    # As people write what a case names: `poisson3d,40,uniform` is `poisson3d:40:uniform`.
    name = entry.name if entry else matrix.replace(",", ":").replace("+", "/")
    return _with_short(name, short) if short else name


def stand_in(entry: Entry | None, paper: str) -> str | None:
    """Return the paper's matrices that the entry replaces as a stand-in: `ST, AU`."""
    known = _by_id(paper)
    return ", ".join(known[name] for name in (entry.stands_for if entry else ()) if name in known) or None


@functools.cache
def _by_id(paper: str) -> Mapping[str, str]:
    return {matrix_id(name): short for name, short in abbreviations(paper).items()}


def among(names: str | None, abbreviations: Collection[str]) -> str | None:
    """Return these names alone of `stand_in_for` or `stands_for`; None for none."""
    shorts = names.split(", ") if isinstance(names, str) else []
    return ", ".join(short for short in shorts if short in abbreviations) or None


def nearest(rows: pd.DataFrame) -> pd.Series[str]:
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
    return {
        "label": label(matrix, entry, paper),
        "abbr": abbreviation(entry, paper),
        "stand_in_for": stand_in(entry, paper),
        "stands_for": ", ".join(entry.stands_for),
        "lower_in": ", ".join(entry.lower_in),
        "kind": entry.kind,
        "collection": entry.group or None,
        "distance": distances(entry, entries, paper, *far) if entry.stands_for else None,
    }


def printed_label(abbr: str, paper: str) -> str:
    """Return the label of a matrix of the paper's own table."""
    return next(_with_short(name, abbr) for name, short in abbreviations(paper).items() if short == abbr)


def listed(names: Iterable[str]) -> str:
    """Return the names once each, `none` without any."""
    return ", ".join(sorted(set(names))) or "none"


def fastest_how(code: pd.Series[str], untimed: pd.Series[str], which: str, names: Mapping[str, str]) -> str:
    """Return a sentence of which sequential code is the fastest, and where some had no time; empty of none.

    code, untimed : by matrix, the fastest, and the codes without a time
    which, names : the codes in words, and by their column
    """
    counts = code.value_counts()
    if counts.empty:
        return ""
    of_each = ", ".join(f"{name} on {counts[own]}" for own, name in names.items() if own in counts)
    unknown = untimed[code.notna() & (untimed != "")]
    lost = f"; no time of {listed(unknown.str.split(', ').explode())} on {len(unknown)} of {counts.sum()}"
    words = f"Good sequential code: on each matrix the fastest of {which}, one core"
    return f"{words} ({of_each}{lost if len(unknown) else ''}). "


def _with_short(name: str, short: str) -> str:
    return name if short == name else f"{name} ({short})"
