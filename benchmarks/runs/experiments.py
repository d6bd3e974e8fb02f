"""The measurements of each figure, as config/experiments.yaml has them. `cases` makes cases of them."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fetch import catalogue
from fillpath import registry
from fillpath.case import Case, Preparation
from fillpath.config import load
from fillpath.errors import ConfigError
from fillpath.papers import paper
from fillpath.paths import CONFIG
from fillpath.stages import stage_of

FILE = "config/experiments.yaml"


@dataclass(frozen=True)
class Experiment:
    """One figure's measurements.

    id, paper, figure, stage : names
    implementations : each as a case writes it, with options (`gsofa.fill_first=true`, `gsofa_multi.gpus=4`);
        empty for every one registered for the stage but peers, which an experiment has to name
    matrices : a paper, or ids of just these
    preparation : of every matrix
    only : ids of the paper's matrices, empty for all; their stand-ins follow
    threads : of implementations on the CPU, 0 for all cores
    seeds : number of them, from 0 on; one case per seed
    processes : 1 for counts and for times that decide no claim, else None
    """

    id: str
    paper: str
    figure: str
    stage: str
    implementations: tuple[str, ...]
    matrices: str | tuple[str, ...]
    preparation: Preparation
    only: tuple[str, ...] = ()
    threads: int = 0
    seeds: int = 1
    processes: int | None = None


@functools.cache
def experiments() -> tuple[Experiment, ...]:
    """Return all experiments. Raises ConfigError where the file contradicts its schema or the registry."""
    return tuple(map(_experiment, load(CONFIG / "experiments.yaml", "experiments")))


def _experiment(entry: Mapping[str, Any]) -> Experiment:
    zeros = entry["preparation"]["explicit_zeros"] == "keep"
    for name in entry.get("implementations", ()):
        variant(entry["stage"], name)
    paper(entry["paper"])
    matrices = entry["matrices"]
    if isinstance(matrices, str):
        paper(matrices)
    else:
        matrices = tuple(catalogue.lookup(matrix).id for matrix in matrices)
    for matrix in entry.get("only", ()):
        if entry["matrices"] not in catalogue.lookup(matrix).papers:
            raise ConfigError(f"{FILE}: {entry['id']}: {matrix} is none of {entry['matrices']}'s matrices")
    made = {
        "stage": stage_of(entry["stage"]).name,
        "implementations": tuple(entry.get("implementations", ())),
        "matrices": matrices,
        "preparation": Preparation(**{**entry["preparation"], "explicit_zeros": zeros}),
        "only": tuple(entry.get("only", ())),
    }
    return Experiment(**{**entry, **made})


def variant(stage: str, text: str) -> tuple[Case, registry.Device]:
    """Return the case of `name[.option=value]...` on any matrix, and the device of its implementation.

    Raises ConfigError unless it is written as a case writes it, UnknownNameError for an unregistered name.
    """
    written = Case.parse(f"{stage}.{text}@any.natural")
    implementation = registry.lookup(stage, written.implementation)
    case = replace(written, options=implementation.canonical(dict(written.options)), seed=0, threads=0)
    if case != written:
        canonical = case.name.removeprefix(f"{stage}.").partition("@")[0]
        raise ConfigError(f"{FILE}: implementation {text}: write {canonical}")
    if case.gpus:
        implementation.option("gpus")
    return case, implementation.device
