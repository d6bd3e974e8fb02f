"""What the figures of a paper call a matrix: its own under its abbreviation, a stand-in never."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from fillpath.case import matrix_id
from reports.facts.claims import abbreviation, abbreviations
from reports.facts.records import MatrixEntry, find_entry, printed_name


def label(matrix: str, entry: MatrixEntry | None, paper: str = "gsofa") -> str:
    """`rma10 (RM)`; for a matrix that the paper does not print, or not abbreviate, its name alone."""
    short = abbreviation(entry, paper)
    name = entry.name if entry else printed_name(matrix)
    return _with_short(name, short) if short else name


def stand_in(
    entry: MatrixEntry | None, among: Iterable[str] | None = None, paper: str = "gsofa"
) -> str | None:
    """`ST, AU`: the matrices of the paper that the entry stands in for. among : of these abbreviations."""
    known = {matrix_id(name): short for name, short in abbreviations(paper).items()}
    shorts = [known[name] for name in (entry.stands_for if entry else ()) if name in known]
    return ", ".join(short for short in shorts if among is None or short in among) or None


def add_names(frame: pd.DataFrame, entries: Sequence[MatrixEntry], paper: str = "gsofa") -> None:
    """Add `label`, `abbr` (of the paper's own matrices only) and `stand_in_for` to rows with a `matrix`."""
    found = [find_entry(matrix, entries) for matrix in frame["matrix"]]
    frame["label"] = [label(m, entry, paper) for m, entry in zip(frame["matrix"], found, strict=True)]
    shorts = [abbreviation(entry, paper) for entry in found]
    frame["abbr"] = pd.Series(shorts, index=frame.index, dtype="object")
    frame["stand_in_for"] = [stand_in(entry, paper=paper) for entry in found]


def printed_label(abbr: str, paper: str = "gsofa") -> str:
    """The label of a matrix of the paper's own table."""
    return next(_with_short(name, abbr) for name, short in abbreviations(paper).items() if short == abbr)


def lines(row: Mapping[Any, Any], several_preparations: bool = False) -> str:
    """A row's `label`, with its preparation where there are several, and what it stands in for below."""
    prepared = several_preparations and not pd.isna(row["preparation"])
    found = [str(row["label"]) + (f", {row['preparation']}" if prepared else "")]
    if not pd.isna(row["stand_in_for"]):
        found.append(f"stand-in: {row['stand_in_for']}")
    return "\n".join(found)


def listed(names: Iterable[str]) -> str:
    """The names once each, `none` without any."""
    return ", ".join(sorted(set(names))) or "none"


def measured_on(where: Iterable[str]) -> str:
    """Machines once each. where : as `laptop`, or `laptop (its GPU)`, which says that of the first too."""
    names = set(where)
    return listed(name for name in names if not any(other.startswith(f"{name} (") for other in names))


def _with_short(name: str, short: str) -> str:
    return name if short == name else f"{name} ({short})"
