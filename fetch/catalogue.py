"""config/matrices.csv: the matrices of the papers, and stand-ins for matrices that cannot be obtained."""

import csv
import functools
import re
from pathlib import Path
from typing import Any

from fetch import collection, names
from fillpath import errors
from fillpath.config import violation
from fillpath.entry import Entry
from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.papers import papers
from fillpath.paths import CONFIG

_LISTS, _COUNTS = ("papers", "lower_in", "stands_for"), ("order", "nnz", "nnz_with_zeros")


def obtainable(entry: Entry) -> bool:
    """Tell whether a matrix can be downloaded or generated."""
    return bool(entry.group) or names.is_generated(entry.name)


@functools.cache
def entries(path: Path = CONFIG / "matrices.csv") -> tuple[Entry, ...]:
    """Return the catalogue in the file's order, each row valid under config/schemas/matrices.json.

    Each error names file and line. Raises ConfigError for an invalid row, an id that occurs twice, or a
    stand-in for an unknown id; UnknownNameError for an unknown paper.
    """
    with path.open(newline="") as handle:
        reader = csv.DictReader(handle, restkey="surplus")
        numbered = [(reader.line_num, _entry(row, f"{path}:{reader.line_num}")) for row in reader]
    lines: dict[str, int] = {}
    for line, entry in numbered:
        if lines.setdefault(entry.id, line) != line:
            raise ConfigError(f"{path}:{line}: id {entry.id!r} is on line {lines[entry.id]} already")
    for line, entry in numbered:
        for unknown in sorted(set(entry.stands_for) - {*lines}):
            raise ConfigError(f"{path}:{line}: stands_for {unknown!r} is no id{suggest(unknown, lines)}")
    return tuple(entry for _, entry in numbered)


def find(text: str) -> Entry | None:
    """Find the entry of an id, name or Group/Name; None for a matrix that the catalogue does not hold."""
    return _index().get(names.parse(text).name if names.is_generated(text) else text)


def lookup(text: str) -> Entry:
    """Find an entry as `find` does. Raises UnknownNameError with suggestions."""
    entry = find(text)
    if entry is None:
        raise UnknownNameError(f"matrix {text!r} is not in the catalogue{suggestion(text)}")
    return entry


def suggestion(text: str) -> str:
    """Return `; did you mean ...?` for a name that catalogue and local index lack; empty for none."""
    labels = [word for word in _index() if "+" not in word]
    return suggest(text, labels + [listed.label for listed in collection.local_index()])


def _entry(row: dict[str, Any], where: str) -> Entry:
    typed = {key: _typed(key, text) for key, text in row.items()}
    if mistake := violation(typed, "matrices"):
        raise ConfigError(f"{where}: {mistake}")
    for paper in sorted({*typed["papers"], *typed["lower_in"]} - {*papers()}):
        errors.find(paper, papers(), f"{where}: no paper")
    return Entry(**typed | {key: tuple(typed[key]) for key in _LISTS})


def _typed(key: str, text: Any) -> Any:
    if key in _LISTS and isinstance(text, str):
        return [word for word in text.split(";") if word]
    if key in _COUNTS and isinstance(text, str):
        return int(text) if re.fullmatch(r"[0-9]+", text) else (text or None)
    return text


@functools.cache
def _index() -> dict[str, Entry]:
    every = entries()
    labels = {f"{e.group}{sign}{e.name}": e for e in every if e.group for sign in "/+"}
    return {**{e.name: e for e in every}, **labels, **{e.id: e for e in every}}
