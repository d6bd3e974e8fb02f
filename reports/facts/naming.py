"""What the figures of a paper call a matrix: its own under its abbreviation, a twin `twin of` that, another
stand-in never."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from fillpath.case import matrix_id
from fillpath.dicts import Row, dicts
from fillpath.twins import TWIN_OF
from reports.facts.distance import Target, distances, of_row, targets_of, twins_in
from reports.facts.printed import Entries, MatrixEntry, abbreviation, abbreviations, by_matrix

NAMES = (
    "label", "abbr", "stand_in_for", "near", "distance", "stands_for", "kind", "collection", "lower_in",
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


def names_of(rows: pd.DataFrame, entries: Entries, paper: str) -> pd.DataFrame:
    """Return NAMES of each row: what the paper's figures call its matrix, and what the catalogue says of it.

    rows : with `matrix`, and what is known of it prepared
    """
    known = by_matrix(entries)
    found = {
        matrix: (entry, targets_of(entry, entries, paper) if entry else (), _names(matrix, entry, paper))
        for matrix in set(rows["matrix"])
        for entry in [known.get(matrix)]
    }
    about = dicts(rows[["matrix", "nnz", "fills", "structural_symmetry"]])
    named = [found[row["matrix"]][2] | _far(row, *found[row["matrix"]][:2]) for row in about]
    return pd.DataFrame(named, rows.index, columns=list(NAMES), dtype="object")


def _names(matrix: str, entry: MatrixEntry | None, paper: str) -> dict[str, Any]:
    said = {
        "label": label(matrix, entry, paper),
        "abbr": abbreviation(entry, paper),
        "stand_in_for": stand_in(entry, paper),
    }
    if entry is None:
        return said
    lists = {"stands_for": ", ".join(entry.stands_for), "lower_in": ", ".join(entry.lower_in)}
    return said | lists | {"kind": entry.kind, "collection": entry.group or None}


def _far(row: Row, entry: MatrixEntry | None, targets: tuple[Target, ...]) -> dict[str, Any]:
    """Return of a row's stand-in which matrices it is near enough to, and how far it is from each."""
    far = distances(of_row(row, entry), targets) if entry else ()
    near = ", ".join(each.target for each in far if each.near)
    return {"near": near or None, "distance": "; ".join(each.text for each in far) or None}


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
