"""Which cases a run consists of: config/experiments.yaml x the matrices of a size class."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jsonschema
import yaml

from fetch import catalogue
from fillpath import registry
from fillpath.case import Case, Preparation
from fillpath.errors import ConfigError
from fillpath.papers import paper
from fillpath.paths import CONFIG
from fillpath.settings import SUITES, Settings
from fillpath.stages import STAGES, stage_of


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
    seeds : one case per seed
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
    seeds: tuple[int, ...] = (0,)


@functools.cache
def experiments() -> tuple[Experiment, ...]:
    """All experiments. Raises ConfigError where the file contradicts its schema or the registry."""
    loaded = yaml.safe_load((CONFIG / "experiments.yaml").read_text())
    schema = json.loads((CONFIG / "schemas" / "experiments.json").read_text())
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(loaded))
    if error is not None:
        raise ConfigError(f"config/experiments.yaml: {error.json_path}: {error.message}")
    registry.load_all()
    return tuple(_experiment(entry) for entry in loaded)


def suite_experiments(settings: Settings) -> list[Experiment]:
    """The experiments of the chosen paper, or all."""
    return [e for e in experiments() if settings.paper in ("", e.paper)]


def experiment_cases(experiment: Experiment, settings: Settings) -> list[Case]:
    """An experiment's cases in the size class, cheapest first."""
    names = experiment.implementations or [entry.name for entry in _all_of(experiment.stage)]
    variants = [_variant(experiment.stage, name) for name in names]
    # A GPU's work is the same however many threads the figure's baseline on the CPU uses.
    threads = {"cpu": experiment.threads, "gpu": 0}
    return [
        Case(
            experiment.stage,
            implementation.name,
            entry.id,
            experiment.preparation,
            options,
            seed=seed,
            threads=threads[implementation.device],
            gpus=gpus,
        )
        for entry in _matrices(experiment, settings.suite)
        for implementation, options, gpus in variants
        if settings.device in ("", implementation.device)
        for seed in experiment.seeds
    ]


def suite_cases(settings: Settings, stage: str | None = None) -> list[Case]:
    """Every case of a run (of one stage), cheapest first, each once."""
    cost = {entry.id: _cost(entry) for entry in catalogue.entries()}
    cases = {
        case: None
        for experiment in suite_experiments(settings)
        if stage in (None, experiment.stage)
        for case in experiment_cases(experiment, settings)
    }
    return sorted(cases, key=lambda case: cost[case.matrix])


def suite_stages(settings: Settings) -> list[str]:
    """The stages with a case in this run, in the order of the corridor."""
    present = {case.stage for case in suite_cases(settings)}
    return [stage for stage in STAGES if stage in present]


def suite_inputs(settings: Settings) -> list[str]:
    """`matrix.preparation` of every prepared matrix that the run needs, cheapest first."""
    return list(dict.fromkeys(f"{c.matrix}.{c.preparation.name}" for c in suite_cases(settings)))


def suite_figures(settings: Settings) -> list[tuple[str, str]]:
    """(paper, figure) of everything that the run draws."""
    return list(dict.fromkeys((e.paper, e.figure) for e in suite_experiments(settings)))


def drawn_cases(paper: str, figure: str, settings: Settings, elsewhere: Collection[str]) -> list[Case]:
    """The cases behind one figure, and those of its other suites and devices that were measured elsewhere.

    elsewhere : names of cases that other machines have records of.
    """
    wider = [replace(settings, suite=suite, device="") for suite in SUITES]
    others = [case for each in wider for case in figure_cases(paper, figure, each) if case.name in elsewhere]
    return list(dict.fromkeys([*figure_cases(paper, figure, settings), *others]))


def figure_cases(paper: str, figure: str, settings: Settings) -> list[Case]:
    """The cases behind one figure, each once."""
    cases = {
        case: None
        for experiment in experiments()
        if (experiment.paper, experiment.figure) == (paper, figure)
        for case in experiment_cases(experiment, settings)
    }
    return list(cases)


def _experiment(entry: Mapping[str, Any]) -> Experiment:
    preparation = entry["preparation"]
    for name in entry.get("implementations", ()):
        _variant(entry["stage"], name)
    paper(entry["paper"])
    matrices = entry["matrices"]
    if isinstance(matrices, str):
        paper(matrices)
    else:
        matrices = tuple(catalogue.lookup(matrix).id for matrix in matrices)
    for matrix in entry.get("only", ()):
        if entry["matrices"] not in catalogue.lookup(matrix).papers:
            raise ConfigError(
                f"config/experiments.yaml: {entry['id']}: {matrix} is none of {entry['matrices']}'s matrices"
            )
    return Experiment(
        id=entry["id"],
        paper=entry["paper"],
        figure=entry["figure"],
        stage=stage_of(entry["stage"]).name,
        implementations=tuple(entry.get("implementations", ())),
        matrices=matrices,
        preparation=Preparation(
            preparation["matching"],
            preparation["ordering"],
            preparation["explicit_zeros"] == "keep",
            preparation.get("diagonal", 0),
        ),
        only=tuple(entry.get("only", ())),
        threads=entry.get("threads", 0),
        seeds=_seeds(entry.get("seeds", 1)),
    )


def _seeds(seeds: int | Sequence[int]) -> tuple[int, ...]:
    """The seeds of a list, or so many from 0 on."""
    return tuple(range(seeds) if isinstance(seeds, int) else seeds)


def _variant(stage: str, text: str) -> tuple[registry.Implementation, tuple[tuple[str, str], ...], int]:
    """The implementation, the options and the GPUs that `name[.option=value]...` stands for. Raises
    ConfigError unless it is written as a case writes it, UnknownNameError for what is not registered."""
    written = Case.parse(f"{stage}.{text}@any.natural")
    implementation = registry.lookup(stage, written.implementation)
    options = implementation.canonical(dict(written.options))
    case = Case(stage, implementation.name, "any", options=options, gpus=written.gpus)
    if case != written:
        canonical = case.name.removeprefix(f"{stage}.").partition("@")[0]
        raise ConfigError(f"config/experiments.yaml: implementation {text}: write {canonical}")
    if written.gpus:
        implementation.option("gpus")
    return implementation, options, written.gpus


def _all_of(stage: str) -> Iterable[registry.Implementation]:
    """What lies under impl/ and is no peer: fakes that tests register are no part of a run."""
    return [e for e in registry.registered(stage) if e.module.startswith("impl.") and not e.peer]


def _matrices(experiment: Experiment, suite: str) -> list[catalogue.Entry]:
    """The experiment's matrices and their stand-ins in the size class, cheapest first."""
    within = [entry for entry in catalogue.entries() if entry.suite in SUITES[suite]]
    if not isinstance(experiment.matrices, str):
        return sorted((entry for entry in within if entry.id in experiment.matrices), key=_cost)
    whole = {entry.id for entry in catalogue.entries() if experiment.matrices in entry.papers}
    ids = set(experiment.only) or whole
    entries = [entry for entry in within if entry.id in ids or ids.intersection(entry.stands_for)]
    return sorted(entries, key=_cost)


def _cost(entry: catalogue.Entry) -> int:
    """A rank only: entries of the matrix."""
    return entry.nnz_with_zeros or entry.nnz or 0
