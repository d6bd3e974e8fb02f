"""What the figures of a paper call a matrix: its own under its abbreviation, a twin `twin of` that, another
stand-in never."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from fillpath.case import matrix_id
from fillpath.dicts import dicts
from fillpath.twins import TWIN_OF
from reports.facts.distance import PREPARED, Target, distances, of_row, targets_of, twins_in
from reports.facts.entries import Entries, MatrixEntry, by_matrix, printed_name
from reports.facts.printed import abbreviation, abbreviations


def label(matrix: str, entry: MatrixEntry | None, paper: str) -> str:
    """`rma10 (RM)`; `twin of RM`; for a matrix that the paper does not print, or not abbreviate, its name
    alone."""
    short, twin_of = abbreviation(entry, paper), twins_in(matrix, paper)
    if twin_of and not short:
        return f"{TWIN_OF}{' and '.join(twin_of)}"
    name = entry.name if entry else printed_name(matrix)
    return _with_short(name, short) if short else name


@dataclass(frozen=True)
class Names:
    """What a paper's figures call a matrix.

    entry : the catalogue's.
    abbr : the paper's own, of its own matrices only.
    stand_in_for : the paper's matrices that it stands in for.
    targets : of these, the ones whose size is known.
    """

    entry: MatrixEntry | None
    label: str
    abbr: str | None
    stand_in_for: str | None
    targets: tuple[Target, ...]


def names_in(matrices: Iterable[str], entries: Entries, paper: str) -> Mapping[str, Names]:
    """What the figures of the paper call each of these matrices."""
    known = by_matrix(entries)
    names: dict[str, Names] = {}
    for matrix in set(matrices):
        entry = known.get(matrix)
        shown, short = label(matrix, entry, paper), abbreviation(entry, paper)
        targets = targets_of(entry, entries, paper) if entry else ()
        names[matrix] = Names(entry, shown, short, stand_in(entry, paper), targets)
    return names


def stand_in(entry: MatrixEntry | None, paper: str) -> str | None:
    """`ST, AU`: the matrices of the paper that the entry stands in for."""
    known = {matrix_id(name): short for name, short in abbreviations(paper).items()}
    return ", ".join(known[name] for name in (entry.stands_for if entry else ()) if name in known) or None


def among(names: str | None, abbreviations: Collection[str]) -> str | None:
    """Of what a row stands in for, these alone; None for none."""
    shorts = names.split(", ") if isinstance(names, str) else []
    return ", ".join(short for short in shorts if short in abbreviations) or None


def add_names(frame: pd.DataFrame, entries: Entries, paper: str) -> None:
    """Add names to rows with a `matrix`.

    label : of the matrix.
    abbr : the paper's own, of its own matrices only.
    stand_in_for : the paper's matrices that it stands in for.
    near : of these, the ones that it is near enough to, the nearest first.
    distance : how far it is from each, the nearest first.
    """
    rows = dicts(frame[["matrix", *(name for name in PREPARED if name in frame)]])
    known = names_in((row["matrix"] for row in rows), entries, paper)
    names = [known[row["matrix"]] for row in rows]
    frame["label"] = [each.label for each in names]
    frame["abbr"] = pd.Series([each.abbr for each in names], index=frame.index, dtype="object")
    frame["stand_in_for"] = [each.stand_in_for for each in names]
    pairs = zip(rows, names, strict=True)
    far = [distances(of_row(row, each.entry), each.targets) if each.entry else () for row, each in pairs]
    frame["near"] = [", ".join(each.target for each in part if each.near) or None for part in far]
    frame["distance"] = ["; ".join(each.text for each in part) or None for part in far]


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
