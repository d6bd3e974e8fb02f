"""What the papers print, config/papers/*.csv and config/claims/, and what a paper calls its matrices, which
are the catalogue's."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import pandas as pd

from fillpath.case import matrix_id
from fillpath.config import load
from fillpath.papers import papers
from fillpath.paths import CONFIG


class MatrixEntry(Protocol):
    """A matrix of the catalogue, whose fields fetch/catalogue.py explains."""

    def __hash__(self) -> int: ...
    @property
    def id(self) -> str: ...
    @property
    def group(self) -> str | None: ...
    @property
    def name(self) -> str: ...
    @property
    def order(self) -> int | None: ...
    @property
    def nnz(self) -> int | None: ...
    @property
    def nnz_with_zeros(self) -> int | None: ...
    @property
    def kind(self) -> str: ...
    @property
    def stands_for(self) -> tuple[str, ...]: ...
    @property
    def papers(self) -> tuple[str, ...]: ...
    @property
    def lower_in(self) -> tuple[str, ...]: ...


Entries = Sequence[MatrixEntry]


def by_matrix(entries: Iterable[MatrixEntry]) -> Mapping[str, MatrixEntry]:
    """The catalogue's entries by their matrices, as cases name them: by id or by group/name."""
    named = [(name, entry) for entry in entries for name in (entry.id, f"{entry.group}/{entry.name}")]
    # The first of several stands.
    return {matrix_id(name): entry for name, entry in reversed(named)}


@functools.cache
def printed_table(name: str) -> pd.DataFrame:
    """A table as a paper prints it: config/papers/<name>.csv. Callers must not change it."""
    # "NA" and the like are names here, not absent numbers
    return pd.read_csv(CONFIG / "papers" / f"{name}.csv", keep_default_na=False, na_values=[""])


@functools.cache
def printed_column(paper: str, table: str, column: str) -> Mapping[str, float | None]:
    """A column of a printed table by matrix; None for what is no number there (OOM)."""
    rows = printed_table(table)
    numbers = pd.to_numeric(rows[column], errors="coerce")
    pairs = zip(matrices_of(paper, rows), numbers, strict=True)
    return {name: None if pd.isna(value) else float(value) for name, value in pairs}


def matrices_of(paper: str, rows: pd.DataFrame) -> list[str]:
    """Return what the matrices of a printed table are called in the paper's list of them."""
    names: Mapping[str, str] = claims_file(paper).get("names", {})
    called = {str(short): str(name) for name, short in names.items()}
    return [called.get(str(name), str(name)) for name in rows["abbr" if "abbr" in rows else "matrix"]]


@functools.cache
def claims_file(paper: str) -> Mapping[str, Any]:
    """config/claims/<paper>.yaml: subjects by id, and what the paper's own names mean; empty for a paper
    without one. Raises ConfigError where it contradicts config/schemas/claims.json."""
    path = CONFIG / "claims" / f"{paper}.yaml"
    data: Mapping[str, Any] = load(path, f"claims/{path.name}", "claims") if path.is_file() else {}
    return data


@functools.cache
def abbreviations(paper: str) -> Mapping[str, str]:
    """The paper's abbreviation of each matrix that its table lists, in its order, by the collection's name
    without the group, or our name where it is generated; the printed name where the paper abbreviates none.
    Nothing for no paper, an empty name.
    """
    generated = papers()[paper].generated if paper else {}
    bare = {name.rpartition("/")[2]: short for name, short in _listed(paper).items()}
    return {generated.get(name, name): short for name, short in bare.items()}


def abbreviation(entry: MatrixEntry | None, paper: str) -> str | None:
    """The paper's abbreviation of a matrix that its table lists, None for any other; never of a stand-in."""
    if entry is None or not paper:
        return None
    if entry.name in papers()[paper].generated.values():
        return abbreviations(paper)[entry.name]
    listed = _listed(paper)
    # A table without groups says only what it is called: the catalogue knows whose it is.
    name = entry.name if entry.name in listed and paper in entry.papers else f"{entry.group}/{entry.name}"
    return listed.get(name) if entry.group else None


@functools.cache
def _listed(paper: str) -> Mapping[str, str]:
    """The abbreviations by what the table that lists a paper's matrices calls them; nothing without one."""
    table, _, column = papers()[paper].matrices.partition(".") if paper else ("", "", "")
    if not table:
        return {}
    rows = printed_table(table)
    names = rows[column].astype(str)
    shorts = rows["abbr"].astype(str) if "abbr" in rows else names.str.rpartition("/")[2]
    return dict(zip(names, shorts, strict=True))
