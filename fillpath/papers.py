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
from fillpath.errors import find
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
    renamed : mapping, our name of a matrix by the name in its table, for a generated or published matrix
    """

    id: str
    name: str
    place: int
    matrices: str = ""
    fill: str = ""
    symmetry: str = ""
    preparation: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)


@functools.cache
def papers() -> Mapping[str, Paper]:
    """Return every paper by its id, in their order.

    Raises ConfigError for a damaged file, or one that contradicts config/schemas/papers.json. Raises
    UnknownNameError for a printed table or a column that does not exist.
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
    tables = {path.stem: path for path in FOLDER.glob("*.csv")}
    # Fields that name a column of a printed table.
    for key in sorted(loaded.keys() & {"matrices", "fill", "symmetry"}):
        table, _, column = loaded[key].partition(".")
        with find(table, tables, f"{path}: $.{key}: no table").open(newline="") as handle:
            columns = dict.fromkeys(next(csv.reader(handle), []))
        find(column, columns, f"{path}: $.{key}: {table}.csv has no column")
    return Paper(path.stem, **loaded)
