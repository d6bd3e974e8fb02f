"""The machine whose run is planned: this host, or another that FILLPATH_MACHINE names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.engine import machine, standing
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import ranks_of
from benchmarks.runs.layout import limits_of, processes_of
from fillpath import holdings, host
from fillpath.case import Case
from fillpath.paths import results
from fillpath.processes import of_run
from fillpath.record import Record, Status
from fillpath.registry import Device, lookup
from fillpath.settings import Settings
from impl.cuda import kernels
from impl.cuda.peers import device_count


@dataclass(frozen=True)
class Site:
    """A machine.

    name : of its folder in results/
    here : whether it is this host
    cores, gpus : that a run may use
    memory : bytes of the host that a process may use, infinite if not known
    card : bytes of a GPU's memory, 0 without a GPU or if not known
    stored : its records by case, the current one last
    """

    name: str
    here: bool
    cores: int
    gpus: int
    memory: float
    card: int
    stored: Mapping[str, Sequence[Record]]

    def room(self, device: Device) -> float:
        """Return the bytes in which a case's arrays can lie, on the host and the device together."""
        return self.memory + (self.card if device == "gpu" else 0)

    def can_run(self, case: Case) -> bool:
        """Return whether the machine has what the case needs. Another host is taken to have all libraries."""
        implementation = lookup(case.stage, case.implementation)
        ranks = ranks_of(case, implementation)
        gpus = ranks * max(1, case.gpus) if implementation.device == "gpu" else 0
        large = max(case.threads, ranks) > self.cores or gpus > self.gpus
        return not large and (not self.here or implementation.available()[0])

    def has(self, case: Case, settings: Settings) -> bool:
        """Return whether a run reuses the case's records, if its input is what it was."""
        pool = of_run(self.stored[case.name]) if case.name in self.stored else ()
        if settings.fresh or not pool or not standing.is_reusable(pool[-1], limits_of(case, settings)):
            return False
        current = pool[-1].key == standing.key_of(case, (pool[-1].prepared or {}).get("hash", ""))
        return current and (pool[-1].status is not Status.OK or len(pool) >= processes_of(case, settings))


def site(stored: Iterable[Sequence[Record]]) -> Site:
    """Return the machine that this process plans for. Raises InputError where its facts are damaged.

    stored : the records of each case, of all machines
    """
    name = host.machine_name()
    facts = holdings.read_facts(results() / name)
    own = {records[-1].case: records for records in stored if records[-1].machine == name}
    if host.is_here(name):
        gpus = device_count() if kernels.available()[0] else 0
        card = (machine.accelerator("gpu")["gpu"] or {}).get("memory") or 0
        return Site(name, True, machine.machine().cores, gpus, Limits().memory_limit(), card, own)
    gpus = max([1, *(Case.parse(case).gpus for case in own)]) if facts.get("gpus") else 0
    memory = 0.9 * facts["memory"] if facts.get("memory") else math.inf
    cards = [(records[-1].gpu or {}).get("memory") or 0 for records in own.values()]
    return Site(name, False, int(facts.get("cores") or 1), gpus, memory, max(cards, default=0), own)
