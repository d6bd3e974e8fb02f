"""config/matrices.csv: the matrices of the papers, and stand-ins for those that cannot be obtained."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fetch import collection, names
from fillpath.config import validator
from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.papers import papers
from fillpath.paths import CONFIG


@dataclass(frozen=True)
class Entry:
    """A row of the catalogue.

    id : as in a case's name
    group, name : in the collection; group is empty for other matrices
    order : rows
    nnz : entries without explicit zeros; symmetric entries count twice
    nnz_with_zeros : entries with explicit zeros; symmetric entries count twice
    kind : what the matrix describes, or why it cannot be obtained
    papers : those that print it
    lower_in : those that print only its lower triangle
    stands_for : ids of paper matrices of the same kind
    suite : embedded, small or papers
    sha256 : of the collection's archive, empty if not recorded
    """

    id: str
    group: str
    name: str
    order: int | None
    nnz: int | None
    nnz_with_zeros: int | None
    kind: str
    papers: tuple[str, ...]
    lower_in: tuple[str, ...]
    stands_for: tuple[str, ...]
    suite: str
    sha256: str

    @property
    def obtainable(self) -> bool:
        """Whether the matrix can be downloaded or generated."""
        return bool(self.group) or names.is_generated(self.name)


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Return the catalogue, in the file's order. Raises ConfigError naming the line."""
    return read_entries(CONFIG / "matrices.csv")


def read_entries(path: Path) -> tuple[Entry, ...]:
    """Return the rows of a catalogue file, each valid under config/schemas/matrices.json.

    Raises ConfigError naming the file and line if it is unreadable, a row is invalid, an id occurs twice, or
    a stand-in names an id that no row has.
    """
    numbered = list(_rows(path))
    lines: dict[str, int] = {}
    for line, entry in numbered:
        if entry.id in lines:
            raise ConfigError(f"{path}:{line}: id {entry.id!r} stands on line {lines[entry.id]} already")
        lines[entry.id] = line
    for line, entry in numbered:
        unknown = [word for word in entry.stands_for if word not in lines]
        if unknown:
            hint = suggest(unknown[0], lines)
            raise ConfigError(f"{path}:{line}: stands_for {unknown[0]!r} is no id{hint}")
    return tuple(entry for _, entry in numbered)


def find(text: str) -> Entry | None:
    """Return the entry of that id, name or Group/Name; None for a matrix outside the catalogue."""
    entry = _index().get(text)
    if entry is None and names.is_generated(text):
        return _index().get(names.canonical(text))
    return entry


def lookup(text: str) -> Entry:
    """As `find`, but raises UnknownNameError with suggestions."""
    entry = find(text)
    if entry is None:
        raise UnknownNameError(f"matrix {text!r} is not in the catalogue{suggestion(text)}")
    return entry


def suggestion(text: str) -> str:
    """`; did you mean ...?` for a name that neither the catalogue nor the local index has; empty for none."""
    labels = [word for word in _index() if "+" not in word]
    labels += [f"{listed.group}/{listed.name}" for listed in collection.local_index()]
    same = [word for word in labels if text.lower() in (word.lower(), word.lower().partition("/")[2])]
    return f"; did you mean {same[0]}?" if same else suggest(text, labels)


def _rows(path: Path) -> Iterator[tuple[int, Entry]]:
    try:
        with path.open(newline="") as handle:
            reader = csv.DictReader(handle, restkey="surplus")
            for row in reader:
                yield reader.line_num, _entry(row, f"{path}:{reader.line_num}")
    except OSError as problem:
        raise ConfigError(f"{path}: {problem.strerror}") from None


def _entry(row: dict[str, Any], where: str) -> Entry:
    typed: dict[str, Any] = {key: _typed(key, text) for key, text in row.items()}
    problem = next(iter(sorted(validator("matrices").iter_errors(typed), key=str)), None)
    if problem is not None:
        column = "/".join(str(part) for part in problem.absolute_path)
        raise ConfigError(f"{where}: {column + ': ' if column else ''}{problem.message}")
    for column in ("papers", "lower_in"):
        for place, paper in enumerate(typed[column]):
            if paper not in papers():
                hint = suggest(paper, papers()) or f"; one of {', '.join(papers())}"
                raise ConfigError(f"{where}: {column}/{place}: paper {paper!r} is unknown{hint}")
    typed |= {key: tuple(typed[key]) for key in ("papers", "lower_in", "stands_for")}
    return Entry(**typed)


def _typed(key: str, text: Any) -> Any:
    if key in ("papers", "lower_in", "stands_for") and isinstance(text, str):
        return [word for word in text.split(";") if word]
    if key in ("order", "nnz", "nnz_with_zeros") and isinstance(text, str):
        return int(text) if re.fullmatch(r"[0-9]+", text) else (text or None)
    return text


@functools.cache
def _index() -> dict[str, Entry]:
    spellings: dict[str, Entry] = {}
    for entry in entries():
        spellings[entry.name] = entry
        if entry.group:
            spellings[f"{entry.group}/{entry.name}"] = entry
            spellings[f"{entry.group}+{entry.name}"] = entry
    return {**spellings, **{entry.id: entry for entry in entries()}}
