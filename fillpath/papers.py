"""What a paper is: config/papers/<id>.yaml, which is all that a new one takes beside its folder of figures.

What it reports stands in config/claims.yaml, its printed tables in config/papers/*.csv.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

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
    preparation: str = ""
    generated: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    baselines: Mapping[str, str] = field(default_factory=dict)


@functools.cache
def papers() -> Mapping[str, Paper]:
    """Every paper by its id, in their order. Raises ConfigError for a damaged file."""
    read = [_read(path.stem, path.read_text()) for path in FOLDER.glob("*.yaml")]
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


def _read(id: str, text: str) -> Paper:
    where = f"config/papers/{id}.yaml"
    try:
        return Paper(id, **yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise ConfigError(f"{where}: {' '.join(str(error).split())}") from None
    except TypeError as error:
        reason = str(error).removeprefix("Paper.__init__() ")
        raise ConfigError(f"{where}: {reason}: fillpath/papers.py lists the fields of a paper") from None
