"""`fillpath plan`: what a run will take, before it begins. No matrix is downloaded for it."""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass

from benchmarks.engine.limits import Limits
from benchmarks.runs import costs
from benchmarks.runs.cases import suite_cases
from benchmarks.runs.plan_line import Facts, Line, Matrix, fits, is_here, line_of
from benchmarks.runs.rates import rates
from fetch import catalogue
from fetch.sizes import archive_sizes
from fillpath import host, registry
from fillpath.case import Case, Preparation
from fillpath.paths import RESERVE, cache
from fillpath.processes import standing_records
from fillpath.settings import Settings

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Plan:
    """What a run takes and what there is: free_disk and limits.memory in bytes."""

    settings: Settings
    lines: tuple[Line, ...]
    limits: Limits
    free_disk: int

    @property
    def disk(self) -> int:
        """Bytes to be written; the largest archive lies there while it is unpacked."""
        return sum(line.disk for line in self.lines) + max((line.download for line in self.lines), default=0)

    @property
    def disk_fits(self) -> bool:
        return self.disk + RESERVE <= self.free_disk

    @property
    def fits(self) -> bool:
        """Whether there is disk for all matrices and memory for each."""
        return self.disk_fits and all(fits(line.memory, self.limits) for line in self.lines)


def plan(settings: Settings) -> Plan:
    """Plan the run of these settings. Raises ConfigError where config/ contradicts its schemas."""
    limits = Limits(memory=Limits().memory_limit())
    inputs = _inputs(settings)
    absent = [i.entry for i in inputs if i.entry.obtainable and not is_here(i.entry)]
    sizes = archive_sizes((entry.group, entry.name) for entry in absent)
    known_rates = rates(standing_records(host.machine_name()))
    facts = Facts(sizes, known_rates, limits, settings.fresh, settings.rounds)
    costs.warm_up()
    _log.info("preparing and sampling what is here; the run reuses it")
    first = {matrix.entry.id: matrix for matrix in reversed(inputs)}
    lines = tuple(line_of(matrix, facts, first[matrix.entry.id] is matrix) for matrix in inputs)
    folder = cache().absolute()
    present = next(place for place in (folder, *folder.parents) if place.exists())
    return Plan(settings, lines, limits, shutil.disk_usage(present).free)


def _inputs(settings: Settings) -> list[Matrix]:
    grouped: dict[tuple[str, Preparation], list[Case]] = {}
    for case in suite_cases(settings):
        cases = grouped.setdefault((case.matrix, case.preparation), [])
        if registry.lookup(case.stage, case.implementation).available()[0]:
            cases.append(case)
    return [Matrix(catalogue.lookup(key[0]), key[1], tuple(cases)) for key, cases in grouped.items()]
