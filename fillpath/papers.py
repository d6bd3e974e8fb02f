"""Papers: config/papers/<id>.yaml, which with a folder of figures is all that a new paper takes.

config/schemas/papers.json checks the file. config/claims/ has what the paper reports, config/papers/*.csv its
printed tables.
"""

import csv
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fillpath.config import load
from fillpath.errors import ConfigError, find, suggest
from fillpath.paths import CONFIG

FOLDER = CONFIG / "papers"


@dataclass(frozen=True)
class Paper:
    """A paper whose figures are drawn.

    id : str, the name of its file, and of its folder of figures below reports/
    name : str, as pages print it
    place : int, its rank among the papers
    matrices : str, `table.column`, the printed table that lists its matrices, and the column of their names.
        The column `abbr` has their abbreviations. Empty where the paper lists none
    fill : str, `table.column` of fill-ins over entries; empty for none
    symmetry : str, `table.column` of the share of the entries whose mirror is an entry too
    preparation : str, of its matrices, as the end of a sentence; empty where no caption needs one
    generated : mapping, our name by the matrix of its table that is generated
    """

    id: str
    name: str
    place: int
    matrices: str = ""
    fill: str = ""
    symmetry: str = ""
    preparation: str = ""
    generated: Mapping[str, str] = field(default_factory=dict)


# Fields that name a column of a printed table.
_COLUMNS = ("matrices", "fill", "symmetry")


@functools.cache
def papers() -> Mapping[str, Paper]:
    """Return every paper by its id, in their order.

    Raises ConfigError for a damaged file, or one that contradicts config/schemas/papers.json.
    """
    read = [_read(path) for path in FOLDER.glob("*.yaml")]
    return {paper.id: paper for paper in sorted(read, key=lambda paper: (paper.place, paper.id))}


def paper_names() -> Mapping[str, str]:
    """Return the name of every paper by its id, in their order."""
    return {id: paper.name for id, paper in papers().items()}


def paper(id: str) -> Paper:
    """Return the paper of that id. Raises UnknownNameError with suggestions."""
    return find(id, papers(), "no paper")


def _read(path: Path) -> Paper:
    loaded = load(path, "papers", "; fillpath/papers.py lists the fields of a paper")
    for mistake in filter(None, (_table_mistake(each, loaded[each]) for each in _COLUMNS if each in loaded)):
        raise ConfigError(f"{path}: {mistake}")
    return Paper(path.stem, **loaded)


def _table_mistake(name: str, source: str) -> str:
    """Return the mistake of a field `table.column`, empty where a printed table has that column."""
    table, _, column = source.partition(".")
    tables = {path.stem: path for path in FOLDER.glob("*.csv")}
    if table not in tables:
        return f"$.{name}: no table config/papers/{table}.csv{suggest(table, tables)}"
    with tables[table].open(newline="") as handle:
        columns = next(csv.reader(handle), [])
    return "" if column in columns else f"$.{name}: {table}.csv has no {column}{suggest(column, columns)}"
