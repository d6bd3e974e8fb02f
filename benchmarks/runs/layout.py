"""The layout of a suite over a night: processes of each case, and their limits."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchmarks.engine.limits import SHORT, USUAL, Limits
from benchmarks.runs.cases import experiment_cases
from benchmarks.runs.experiments import experiments
from fetch import catalogue
from fillpath.case import Case
from fillpath.config import load
from fillpath.paths import CONFIG
from fillpath.settings import Settings
from fillpath.twins import twins_of

# The suite that is too large to be measured whole.
_LAID_OUT = "papers"


def limits_of(case: Case, settings: Settings) -> Limits:
    """Return the limits of a process of the case in the suite of these settings."""
    embedded, name = settings.suite == "embedded", _class(case, settings)
    limits = Limits(usual=SHORT if embedded else USUAL, forked=embedded)
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
    return min(most, _untimed().get(case) or most)


def _class(case: Case, settings: Settings) -> str | None:
    """Return the class of the case's matrix, None outside the catalogue or the suite of the papers."""
    entry = catalogue.find(case.matrix) if settings.suite == _LAID_OUT else None
    if entry is None:
        return None
    name = "twins" if twins_of(case.matrix) else entry.suite
    return name if name in layout()["limits"] else None


@functools.cache
def layout() -> Mapping[str, Any]:
    """Return config/layout.yaml. Raises ConfigError where it breaks its schema."""
    loaded: Mapping[str, Any] = load(CONFIG / "layout.yaml", "layout.yaml", "layout")
    return loaded


@functools.cache
def _untimed() -> Mapping[Case, int | None]:
    """Return the processes that experiments ask for, per case the most; None where any asks for the usual."""
    asked: dict[Case, int | None] = {}
    for experiment in experiments():
        for case in experiment_cases(experiment, Settings(suite=_LAID_OUT)):
            before = asked.get(case, experiment.processes)
            both = before is not None and experiment.processes is not None
            asked[case] = max(before or 0, experiment.processes or 0) if both else None
    return asked
