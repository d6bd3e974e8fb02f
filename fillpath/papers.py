"""What a paper is: config/papers/<id>.yaml, which is all that a new one takes beside its folder of figures.

config/schemas/papers.json checks the file. What the paper reports stands in config/claims.yaml, its printed
tables in config/papers/*.csv.
"""

from __future__ import annotations

import csv
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.paths import CONFIG

FOLDER = CONFIG / "papers"


@dataclass(frozen=True)
class Paper:
    """A paper whose figures are drawn.

    id : the name of its file, and of its folder of figures below reports/.
    name : as pages print it.
    place : its rank among the papers.
    matrices : the printed table that lists its matrices, and the column of their names: `table.column`;
        their abbreviations stand in the column `abbr`. Empty where it lists none.
    fill : the printed table and its column of fill-ins over entries, `table.column`; empty for none.
    symmetry : the same of the share of the entries whose mirror is one too.
    preparation : how it prepared its matrices, as the end of a sentence; empty where no caption says so.
    generated : our name of each matrix of its table that is generated.
    method : what the paper calls its own method, on the upper side of its ratios.
    baselines : the subjects of claims.yaml that hold those ratios, by the implementation (`stage.name`) on
        the lower side.
    """

    id: str
    name: str
    place: int
    matrices: str = ""
    fill: str = ""
    symmetry: str = ""
    preparation: str = ""
    generated: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    baselines: Mapping[str, str] = field(default_factory=dict)


# Fields that name a column of a printed table.
_COLUMNS = ("matrices", "fill", "symmetry")


@functools.cache
def papers() -> Mapping[str, Paper]:
    """Every paper by its id, in their order. Raises ConfigError for a damaged file, or one that contradicts
    config/schemas/papers.json."""
    read = [_read(path.stem, path.read_bytes()) for path in FOLDER.glob("*.yaml")]
    return {paper.id: paper for paper in sorted(read, key=lambda paper: (paper.place, paper.id))}


def paper_names() -> Mapping[str, str]:
    """The name of every paper by its id, in their order."""
    return {id: paper.name for id, paper in papers().items()}


def paper(id: str) -> Paper:
    """The paper of that id. Raises UnknownNameError with suggestions."""
    known = papers()
    if id not in known:
        hint = suggest(id, known) or f"; one of {', '.join(known)}"
        raise UnknownNameError(f"paper {id!r} is unknown{hint}")
    return known[id]


def _read(id: str, text: bytes) -> Paper:
    where = f"config/papers/{id}.yaml"
    try:
        loaded = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{where}: {' '.join(str(error).split())}") from None
    problem = _problem(loaded)
    if problem:
        raise ConfigError(f"{where}: {problem}")
    return Paper(id, **loaded)


def _problem(loaded: Any) -> str:
    """What is wrong with the content of a paper's file, and where in it; empty for nothing."""
    # Whoever only asks for help or for a record need not wait for it.
    import jsonschema

    schema = json.loads((CONFIG / "schemas" / "papers.json").read_text())
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(loaded))
    if error is not None:
        return f"{error.json_path}: {error.message}; fillpath/papers.py lists the fields of a paper"
    problems = [_table_problem(name, loaded[name]) for name in _COLUMNS if name in loaded]
    return next(filter(None, problems), "")


def _table_problem(name: str, source: str) -> str:
    """What is wrong with a field that names `table.column`; empty where a printed table has that column."""
    table, _, column = source.partition(".")
    tables = {path.stem: path for path in FOLDER.glob("*.csv")}
    if table not in tables:
        return f"$.{name}: no table config/papers/{table}.csv{suggest(table, tables)}"
    with tables[table].open(newline="") as handle:
        columns = next(csv.reader(handle), [])
    return "" if column in columns else f"$.{name}: {table}.csv has no {column}{suggest(column, columns)}"
