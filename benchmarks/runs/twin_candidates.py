"""Which matrices may be twins of a paper's matrix: the grid of a generator's parameters in config/twins.yaml,
made into names of that matrix's order and structural symmetry."""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jsonschema
import yaml

from fetch import catalogue, names
from fillpath.case import Preparation
from fillpath.errors import ConfigError
from fillpath.paths import CONFIG

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Search:
    """What is tried for one matrix, an entry of config/twins.yaml.

    matrix : its id in the catalogue
    symmetry : its structural symmetry, as the collection's index has it
    preparation : that the fill is of, as in a case's name
    known : ids and names that are tried as they are
    grids : generators, each with its lists of parameters
    note : what has to be known of it; the reason where nothing is tried
    """

    matrix: str
    symmetry: float
    preparation: str
    known: tuple[str, ...] = ()
    grids: tuple[Values, ...] = field(default=())
    note: str = ""

    def candidates(self, order: int) -> list[str]:
        """Ids, as in a case's name: those that are known, then the grids in their order. order : of the
        matrix."""
        made = [_NAMES[grid["generator"]](point, order) for grid in self.grids for point in _points(grid)]
        own = [name + _symmetry(name, self.symmetry) for name in made]
        every = [*self.known, *(names.canonical(name).replace(":", ",") for name in own)]
        return list(dict.fromkeys(every))


@functools.cache
def searches() -> tuple[Search, ...]:
    """All of config/twins.yaml. Raises ConfigError where it contradicts config/schemas/twins.json, or names a
    matrix that the catalogue does not hold."""
    loaded = yaml.safe_load((CONFIG / "twins.yaml").read_text())
    schema = json.loads((CONFIG / "schemas" / "twins.json").read_text())
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(loaded))
    if error is not None:
        raise ConfigError(f"config/twins.yaml: {error.json_path}: {error.message}")
    return tuple(_search(entry) for entry in loaded)


def _search(entry: Values) -> Search:
    matrix, preparation = catalogue.lookup(entry["matrix"]).id, entry.get("preparation", "metis")
    Preparation.parse(preparation)
    known, grids = tuple(entry.get("known", ())), tuple(entry.get("grids", ()))
    return Search(matrix, entry.get("symmetry", 1.0), preparation, known, grids, entry.get("note", ""))


def _points(grid: Values) -> list[Values]:
    """Every combination of the grid's values."""
    lists = {key: value if isinstance(value, list) else [value] for key, value in grid.items()}
    return [dict(zip(lists, point, strict=True)) for point in itertools.product(*lists.values())]


def _symmetry(name: str, symmetry: float) -> str:
    return f":symmetry={symmetry:g}" if "symmetry" in names.KEYS.get(name.partition(":")[0], {}) else ""


def _box(nodes: float, point: Values) -> str:
    """About that many nodes in so many layers, a layer `aspect` times as long as wide."""
    layers = point["layers"]
    width = max(round(math.sqrt(nodes / (layers * point["aspect"]))), 1)
    return f"{max(round(nodes / (width * layers)), 1)}x{width}x{layers}"


def _mesh(point: Values, order: int) -> str:
    unknowns = point["unknowns"]
    return f"mesh:{_box(order / unknowns, point)}:{point['stencil']}:unknowns={unknowns}"


def _edges(point: Values, order: int) -> str:
    return f"edges:{_box(order / 3, point)}"


def _netlist(point: Values, order: int) -> str:
    return f"netlist:{order}:power={point['power']}:wires={point['wires']}"


def _harmonic(point: Values, order: int) -> str:
    nodes = max(round(order / (2 * point["harmonics"] + 1)), 1)
    keys = ("harmonics", "nonlinear", "power", "wires")
    return ":".join([f"harmonic:{nodes}", *(f"{key}={point[key]}" for key in keys)])


def _staged(point: Values, order: int) -> str:
    variables = max(round(order / point["stages"]), 1)
    keys = ("power", "states", "wires")
    return ":".join(
        [f"staged:{point['stages']}:variables={variables}", *(f"{key}={point[key]}" for key in keys)]
    )


_NAMES: Mapping[str, Callable[[Values, int], str]] = {
    "mesh": _mesh,
    "edges": _edges,
    "netlist": _netlist,
    "harmonic": _harmonic,
    "staged": _staged,
    "road": lambda point, order: f"road:{order}",
    "delaunay": lambda point, order: f"delaunay:{order}",
}
