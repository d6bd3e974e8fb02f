"""`fillpath plan`: what a run will take, before it begins. No matrix is downloaded for it."""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from itertools import chain

from benchmarks.runs import costs
from benchmarks.runs.amounts import Catalogued
from benchmarks.runs.cases import suite_cases
from benchmarks.runs.plan_line import Facts, Line, Matrix, fits, is_here, line_of
from benchmarks.runs.plan_site import Site, site
from benchmarks.runs.rates import Check, checks, rates
from fetch import catalogue
from fetch.sizes import archive_sizes
from fillpath import holdings, host
from fillpath.case import Case, Preparation
from fillpath.paths import RESERVE, cache
from fillpath.processes import of_run, representative
from fillpath.record import stored_records
from fillpath.settings import Settings

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Plan:
    """What a run takes and what there is.

    free_disk : bytes, None of a machine that is not this host
    checks : each measured call of the machine beside what its other records predict
    elsewhere : cases that it cannot run
    """

    settings: Settings
    lines: tuple[Line, ...]
    site: Site
    free_disk: int | None
    checks: tuple[Check, ...] = ()
    elsewhere: int = 0

    @property
    def disk(self) -> int:
        """Bytes to be written; the largest archive lies there while it is unpacked."""
        return sum(line.disk for line in self.lines) + max((line.download for line in self.lines), default=0)

    @property
    def disk_fits(self) -> bool:
        return self.free_disk is None or self.disk + RESERVE <= self.free_disk

    @property
    def fits(self) -> bool:
        """Whether there is disk for all matrices and memory for each."""
        return self.disk_fits and all(fits(line.memory, self.site) for line in self.lines)


def plan(settings: Settings) -> Plan:
    """Plan the run of these settings on the machine that they name. Raises ConfigError where config/
    contradicts its schemas, InputError where the machine's facts are damaged."""
    stored = {name: list(stored_records(name)) for name in holdings.machines()}
    where = site(stored.get(host.machine_name(), ()))
    wanted = suite_cases(settings)
    inputs = _inputs(wanted, where)
    absent = [
        i.entry
        for i in inputs
        if i.entry.obtainable and i.entry.group and not (where.here and is_here(i.entry))
    ]
    sizes = archive_sizes((entry.group, entry.name) for entry in absent)
    standing = {name: [representative(of_run(r)) for r in each] for name, each in stored.items()}
    own = standing.get(where.name, [])
    catalogued = Catalogued(
        chain.from_iterable(standing.values()), {entry.id: entry.kind for entry in catalogue.entries()}
    )
    facts = Facts(sizes, rates(own), catalogued, where, settings)
    if where.here:
        costs.warm_up()
        _log.info("preparing and sampling what is here; the run reuses it")
    first = {matrix.entry.id: matrix for matrix in reversed(inputs)}
    lines = tuple(line_of(matrix, facts, first[matrix.entry.id] is matrix) for matrix in inputs)
    able = sum(len(matrix.cases) for matrix in inputs)
    return Plan(settings, lines, where, _free_disk(where), tuple(checks(own)), len(wanted) - able)


def _free_disk(where: Site) -> int | None:
    folder = cache().absolute()
    present = next(place for place in (folder, *folder.parents) if place.exists())
    return shutil.disk_usage(present).free if where.here else None


def _inputs(wanted: list[Case], where: Site) -> list[Matrix]:
    grouped: dict[tuple[str, Preparation], list[Case]] = {}
    for case in wanted:
        cases = grouped.setdefault((case.matrix, case.preparation), [])
        if where.can_run(case):
            cases.append(case)
    return [Matrix(catalogue.lookup(key[0]), key[1], tuple(cases)) for key, cases in grouped.items()]
