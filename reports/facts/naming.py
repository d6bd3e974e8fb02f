"""What the figures of a paper call a matrix: its own under its abbreviation, a twin `twin of` that, another
stand-in never."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from fillpath.case import matrix_id
from fillpath.twins import TWIN_OF
from reports.facts.distance import distances, twins_in
from reports.facts.printed import Entries, MatrixEntry, abbreviation, abbreviations, by_matrix

NAMES = (
    "label", "abbr", "stand_in_for", "distance", "stands_for", "kind", "collection", "lower_in",
)  # fmt: skip


def label(matrix: str, entry: MatrixEntry | None, paper: str) -> str:
    """`rma10 (RM)`; `twin of RM`; for a matrix that the paper does not print, or not abbreviate, its name
    alone."""
    short, twin_of = abbreviation(entry, paper), twins_in(matrix, paper)
    if twin_of and not short:
        return f"{TWIN_OF}{' and '.join(twin_of)}"
    # As people write what a case names: `poisson3d,40,uniform` is `poisson3d:40:uniform`.
    name = entry.name if entry else matrix.replace(",", ":").replace("+", "/")
    return _with_short(name, short) if short else name


def stand_in(entry: MatrixEntry | None, paper: str) -> str | None:
    """`ST, AU`: the matrices of the paper that the entry stands in for."""
    known = {matrix_id(name): short for name, short in abbreviations(paper).items()}
    return ", ".join(known[name] for name in (entry.stands_for if entry else ()) if name in known) or None


def among(names: str | None, abbreviations: Collection[str]) -> str | None:
    """Return of what a row stands in for, these alone; None for none."""
    shorts = names.split(", ") if isinstance(names, str) else []
    return ", ".join(short for short in shorts if short in abbreviations) or None


def nearest(rows: pd.DataFrame) -> pd.Series[str]:
    """Return what each row stands in for, the nearest first."""
    by_distance = rows["distance"].astype("object").str.replace(r":[^;]*", "", regex=True)
    return by_distance.str.replace(";", ",").fillna(rows["stand_in_for"])


def names_of(rows: pd.DataFrame, entries: Entries, paper: str) -> pd.DataFrame:
    """Return NAMES of each row: what the paper's figures call its matrix, and what the catalogue says of it.

    rows : with `matrix`, and what is known of it prepared
    """
    known = by_matrix(entries)
    fill = rows["fills"] / rows["nnz"]
    about = rows[["matrix"]].assign(fill=fill, symmetry=rows["structural_symmetry"])
    each = about.drop_duplicates()
    named = [_names(known.get(matrix), entries, paper, matrix, *far) for matrix, *far in each.to_numpy()]
    names = pd.DataFrame(named, each.index, columns=list(NAMES), dtype="object")
    return about.merge(each.join(names), how="left")[list(NAMES)].set_axis(rows.index)


def _names(
    entry: MatrixEntry | None, entries: Entries, paper: str, matrix: str, *far: float
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
        "distance": distances(entry, entries, paper, *far),
    }


def printed_label(abbr: str, paper: str) -> str:
    """The label of a matrix of the paper's own table."""
    return next(_with_short(name, abbr) for name, short in abbreviations(paper).items() if short == abbr)


def listed(names: Iterable[str]) -> str:
    """The names once each, `none` without any."""
    return ", ".join(sorted(set(names))) or "none"


def fastest_how(code: pd.Series[str], untimed: pd.Series[str], which: str, names: Mapping[str, str]) -> str:
    """Return a sentence of which sequential code is the fastest, and where some had no time; empty of none.

    code, untimed : by matrix, the fastest and those without a time
    which : what they are the fastest of
    names : what each code is called
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
