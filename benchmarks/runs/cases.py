"""The cases of a run, and the processes and limits of each.

Cases are the experiments x the matrices of a size class.

    for case in suite_cases(settings(), "levels"):    # cheapest first
        processes_of(case, settings()), limits_of(case, settings()).seconds    # 5, 600.0
"""

import functools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from benchmarks.engine.limits import Limits
from benchmarks.runs.experiments import Experiment, experiments, variant
from fetch import catalogue
from fetch.names import is_generated
from fillpath import registry
from fillpath.case import Case, Preparation
from fillpath.config import load
from fillpath.entry import Entry
from fillpath.paths import CONFIG
from fillpath.settings import SUITES, Settings
from fillpath.stages import STAGES
from fillpath.twins import originals

# The suite that is too large to be measured whole.
_LAID_OUT = "papers"


def suite_experiments(settings: Settings) -> list[Experiment]:
    """Return the experiments of the chosen paper or figure, or all."""
    return [e for e in experiments() if settings.covers(e.paper, e.figure)]


def experiment_cases(experiment: Experiment, settings: Settings) -> list[Case]:
    """Return an experiment's cases in the size class, cheapest first."""
    # Fakes that tests register are no part of a run.
    ours = [e for e in registry.registered(experiment.stage) if e.module.startswith("impl.") and not e.peer]
    names = experiment.implementations or [entry.name for entry in ours]
    variants = [variant(experiment.stage, name) for name in names]
    # A GPU's work is the same however many threads the figure's baseline on the CPU uses.
    threads = {"cpu": experiment.threads, "gpu": 0}
    return [
        replace(case, matrix=entry.id, preparation=prepared, seed=seed, threads=threads[device])
        for entry in _matrices(experiment, settings.suite)
        for prepared in [_preparation(experiment, entry)]
        for case, device in variants
        if settings.device in ("", device)
        for seed in range(experiment.seeds)
    ]


def suite_cases(settings: Settings, stage: str | None = None) -> list[Case]:
    """Return every case of a run (of one stage), cheapest first, each once."""
    cost = {entry.id: _cost(entry) for entry in catalogue.entries()}
    chosen = [e for e in suite_experiments(settings) if stage in (None, e.stage)]
    return sorted(_cases_of(chosen, settings), key=lambda case: cost[case.matrix])


def suite_stages(settings: Settings) -> list[str]:
    """Return the stages with a case in this run, in the order of a factorisation."""
    present = {case.stage for case in suite_cases(settings)}
    return [stage for stage in STAGES if stage in present]


def suite_inputs(settings: Settings) -> list[str]:
    """Return `matrix.preparation` of every prepared matrix that the run needs, cheapest first."""
    return list(dict.fromkeys(f"{c.matrix}.{c.preparation.name}" for c in suite_cases(settings)))


def generated_inputs(settings: Settings) -> list[str]:
    """Return the generated inputs of the embedded suite, which take seconds to prepare."""
    embedded = suite_inputs(settings) if settings.suite == "embedded" else []
    return [name for name in embedded if is_generated(name.rpartition(".")[0])]


def suite_figures(settings: Settings) -> list[tuple[str, str]]:
    """Return (paper, figure) of everything that the run draws."""
    return list(dict.fromkeys((e.paper, e.figure) for e in suite_experiments(settings)))


def drawn_cases(paper: str, figure: str, recorded: Collection[str]) -> list[Case]:
    """Return the papers' cases behind one figure, and recorded cases of the embedded suite and other seeds.

    recorded : names of cases that any machine has a record of
    """
    own, embedded = (figure_cases(paper, figure, Settings(suite=suite)) for suite in (_LAID_OUT, "embedded"))
    cases = list(dict.fromkeys([*own, *(case for case in embedded if case.name in recorded)]))
    seeded = {replace(case, seed=0) for case in cases if case.seed}
    named = [Case.parse(name) for name in recorded if seeded and ".seed=" in name]
    other_seeds = sorted(case for case in named if replace(case, seed=0) in seeded)
    return list(dict.fromkeys([*cases, *other_seeds]))


def figure_cases(paper: str, figure: str, settings: Settings) -> list[Case]:
    """Return the cases behind one figure, each once."""
    return _cases_of([e for e in experiments() if (e.paper, e.figure) == (paper, figure)], settings)


def _cases_of(chosen: Iterable[Experiment], settings: Settings) -> list[Case]:
    return list(dict.fromkeys(case for each in chosen for case in experiment_cases(each, settings)))


def _matrices(experiment: Experiment, suite: str) -> list[Entry]:
    """Return the experiment's matrices and their stand-ins in the size class, cheapest first."""
    within = sorted((entry for entry in catalogue.entries() if entry.suite in SUITES[suite]), key=_cost)
    if not isinstance(experiment.matrices, str):
        return [entry for entry in within if entry.id in experiment.matrices]
    whole = {entry.id for entry in catalogue.entries() if experiment.matrices in entry.papers}
    ids = set(experiment.only) or whole
    return [entry for entry in within if entry.id in ids or ids.intersection(entry.stands_for)]


def _preparation(experiment: Experiment, entry: Entry) -> Preparation:
    """Return the preparation of the matrix: its authors' files are in the order in which they ran it."""
    own = experiment.preparation
    return replace(own, matching="none", ordering="natural") if entry.address else own


def _cost(entry: Entry) -> int:
    """Return the entries of the matrix, for a rank only."""
    return entry.nnz_with_zeros or entry.nnz or 0


def limits_of(case: Case, settings: Settings) -> Limits:
    """Return the limits of a process of the case in the suite of these settings."""
    limits, name = Limits(forked=settings.suite == "embedded"), _class(case, settings)
    if name is None:
        return limits
    role = "own" if case.implementation in layout()["own"] else "baselines"
    return replace(limits, seconds=float(layout()["limits"][name][role]))


def processes_of(case: Case, settings: Settings) -> int:
    """Return the worker processes per case: 1 where no figure shows its seconds.

    A number in the settings holds for all cases.
    """
    if settings.processes is not None:
        return settings.processes
    entry, most = catalogue.find(case.matrix), settings.rounds
    if entry is not None and _class(case, settings) is not None:
        most = int(layout()["processes"]["papers" if entry.papers else "others"])
    return 1 if case in _of_one_process() else most


def _class(case: Case, settings: Settings) -> str | None:
    """Return the class of the case's matrix, None outside the catalogue or the suite of the papers."""
    entry = catalogue.find(case.matrix) if settings.suite == _LAID_OUT else None
    if entry is None:
        return None
    name = "twins" if case.matrix in originals() else entry.suite
    return name if name in layout()["limits"] else None


@functools.cache
def layout() -> Mapping[str, Any]:
    """Return config/layout.yaml. Raises ConfigError where it breaks its schema."""
    loaded: Mapping[str, Any] = load(CONFIG / "layout.yaml", "layout")
    return loaded


@functools.cache
def _of_one_process() -> Collection[Case]:
    """Return the cases that only experiments of one process have."""
    several, one = set[Case](), set[Case]()
    for experiment in experiments():
        cases = one if experiment.processes else several
        cases.update(experiment_cases(experiment, Settings(suite=_LAID_OUT)))
    return one - several
