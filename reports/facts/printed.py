"""The papers' printed tables (config/papers/*.csv), claims, and names of matrices."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from fillpath.case import matrix_id
from fillpath.config import load
from fillpath.entry import Entry
from fillpath.errors import ConfigError
from fillpath.papers import papers
from fillpath.paths import CONFIG

Entries = Sequence[Entry]


def by_matrix(entries: Iterable[Entry]) -> Mapping[str, Entry]:
    """Return the catalogue's entries, the first of several, by id and by group/name, as cases name them."""
    named = [(name, entry) for entry in entries for name in (entry.id, f"{entry.group}/{entry.name}")]
    return {matrix_id(name): entry for name, entry in reversed(named)}


@functools.cache
def printed_table(name: str) -> pd.DataFrame:
    """Return a table as a paper prints it, config/papers/<name>.csv. Callers must not change it."""
    # "NA" and the like are names here, not absent numbers
    return pd.read_csv(CONFIG / "papers" / f"{name}.csv", keep_default_na=False, na_values=[""])


@functools.cache
def printed_column(paper: str, table: str, column: str) -> Mapping[str, float | None]:
    """Return a column of a printed table by matrix; None for what is no number there (OOM)."""
    rows = printed_table(table)
    numbers = pd.to_numeric(rows[column], errors="coerce").astype(object)
    # The paper's list of its matrices may have other names than its table.
    listed = {str(short): str(name) for name, short in claims_file(paper).get("names", {}).items()}
    names = rows["abbr" if "abbr" in rows else "matrix"].astype(str).replace(listed)
    return dict(zip(names, numbers.where(numbers.notna(), None), strict=True))


def printed_sums(paper: str, columns: Mapping[str, Any], where: str) -> Mapping[str, float]:
    """Return the sum of columns of a printed table, over that of others, by the matrix's abbreviation.

    columns : mapping, the name of the `table`, the columns to `sum`, and those to divide by, `over`
    where : str, the place in config/claims/, for errors. Raises ConfigError for an unknown column.
    """
    table, names, under = columns["table"], columns["sum"], columns.get("over", [])
    if missing := {*names, *under} - set(printed_table(table)):
        raise ConfigError(f"{where}: {table}.csv has no {', '.join(missing)}")
    columns_of = [printed_column(paper, table, name) for name in (*names, *under)]
    found: dict[str, float] = {}
    for matrix in columns_of[0]:
        numbers: list[Any] = [column[matrix] for column in columns_of]
        if None not in numbers:
            found[matrix] = float(sum(numbers[: len(names)])) / (sum(numbers[len(names) :]) if under else 1.0)
    return found


@functools.cache
def claims_file(paper: str) -> Mapping[str, Any]:
    """Return config/claims/<paper>.yaml: subjects by id, and what the paper's own names mean.

    Empty without the file. Raises ConfigError where it contradicts config/schemas/claims.json.
    """
    path = CONFIG / "claims" / f"{paper}.yaml"
    data: Mapping[str, Any] = load(path, "claims") if path.is_file() else {}
    return data


@functools.cache
def abbreviations(paper: str) -> Mapping[str, str]:
    """Return the abbreviations, or printed names, of the matrices that the paper's table lists, in its order.

    Keys are the collection's names without the group, or our names of generated matrices. None of no paper.
    """
    bare = {name.rpartition("/")[2]: short for name, short in _listed(paper).items()}
    return {papers()[paper].renamed.get(name, name): short for name, short in bare.items()}


def abbreviation(entry: Entry | None, paper: str) -> str | None:
    """Return the paper's abbreviation of a matrix that its table lists, None of any other."""
    if entry is None or not paper:
        return None
    if entry.name in papers()[paper].renamed.values():
        return abbreviations(paper)[entry.name]
    listed = _listed(paper)
    # A table without groups has bare names: the catalogue knows the group.
    name = entry.name if entry.name in listed and paper in entry.papers else f"{entry.group}/{entry.name}"
    return listed.get(name) if entry.group else None


@functools.cache
def _listed(paper: str) -> Mapping[str, str]:
    """Return abbreviations by the names in the table of the paper's matrices; nothing without a table."""
    table, _, column = papers()[paper].matrices.partition(".") if paper else ("", "", "")
    if not table:
        return {}
    rows = printed_table(table)
    names = rows[column].astype(str)
    shorts = rows["abbr"].astype(str) if "abbr" in rows else names.str.rpartition("/")[2]
    return dict(zip(names, shorts, strict=True))
