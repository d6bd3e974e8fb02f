"""The machine whose run is planned: this host, or another that `FILLPATH_MACHINE` names, by its facts and
records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.engine import machine, standing
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import ranks_of
from fillpath import holdings, host
from fillpath.case import Case
from fillpath.paths import results
from fillpath.processes import of_run
from fillpath.record import Record, Status
from fillpath.registry import Device, lookup
from impl.cuda import kernels
from impl.cuda.peers import device_count


@dataclass(frozen=True)
class Site:
    """A machine.

    name : of its folder in results/
    here : whether it is this host
    cores, gpus : that a run may use
    memory : bytes that a measurement may use, None if not known
    card : bytes of a GPU's memory, None without one or if not known
    refused : implementations that its records call unavailable, where it is another host
    stored : records by case, the standing one last, where it is another host
    """

    name: str
    here: bool
    cores: int
    gpus: int
    memory: int | None
    card: int | None
    refused: frozenset[tuple[str, str]] = frozenset()
    stored: Mapping[str, Sequence[Record]] = field(default_factory=dict)

    def can_run(self, case: Case) -> bool:
        """Whether it has what the case needs. Of another host: unless its records say that it has not."""
        implementation = lookup(case.stage, case.implementation)
        ranks = ranks_of(case, implementation)
        if max(case.threads, ranks) > self.cores:
            return False
        if implementation.device == "gpu" and ranks * max(1, case.gpus) > self.gpus:
            return False
        if self.here:
            return implementation.available()[0]
        return (case.stage, case.implementation) not in self.refused

    def room(self, device: Device) -> float:
        """Bytes that a case's arrays can lie in, on the device and the host together."""
        host_memory = float("inf") if self.memory is None else self.memory
        return host_memory + (self.card or 0 if device == "gpu" else 0)

    def has(self, case: Case, limits: Limits, processes: int, prepared_hash: str | None) -> bool:
        """Whether records of today's code stand for the case, so that a run measures it no more.

        prepared_hash : of its input; None where that is not here: it is taken to be what it was.
        """
        if self.here:
            return (
                prepared_hash is not None
                and standing.settling_record(case, prepared_hash, limits, processes) is not None
            )
        records = self.stored.get(case.name)
        return records is not None and self._stands(case, records, limits, processes)

    def _stands(self, case: Case, records: Sequence[Record], limits: Limits, processes: int) -> bool:
        pool = of_run(records)
        last = pool[-1]
        if last.key != standing.key_of(case, (last.prepared or {}).get("hash", "")) or not last.conclusive:
            return False
        if last.verified is not None and last.verified.by_norms:
            return False
        if last.status is Status.TIMEOUT:
            return limits.seconds <= (last.limit_seconds or 0.0)
        return last.status is not Status.OK or len(pool) >= processes


def site(stored: Iterable[Sequence[Record]]) -> Site:
    """Return the machine that this process plans for. Raises InputError where its facts are damaged.

    stored : its records of each case, the standing one last
    """
    name = host.machine_name()
    facts = holdings.read_facts(results() / name)
    if host.is_here(name):
        card = (machine.accelerator("gpu")["gpu"] or {}).get("memory")
        gpus = device_count() if kernels.available()[0] else 0
        return Site(name, True, machine.machine().cores, gpus, Limits().memory_limit(), card)
    whole = facts.get("memory")
    by_case = {records[-1].case: records for records in stored}
    counts, card, refused = _by_records(by_case.values())
    return Site(
        name,
        False,
        int(facts.get("cores") or 1),
        counts if facts.get("gpus") else 0,
        None if whole is None else int(whole) * 9 // 10,
        card,
        refused,
        by_case,
    )


def _by_records(stored: Iterable[Sequence[Record]]) -> tuple[int, int | None, frozenset[tuple[str, str]]]:
    """GPUs that a case of it was measured on at most, bytes of one, and what is unavailable there."""
    gpus, card = 1, None
    known: Mapping[tuple[str, str], set[bool]] = defaultdict(set)
    for records in stored:
        last, case = records[-1], Case.parse(records[-1].case)
        known[case.stage, case.implementation].add(last.status is Status.UNAVAILABLE)
        if last.status is Status.OK and last.device:
            gpus, card = max(gpus, case.gpus), (last.gpu or {}).get("memory", card)
    return gpus, card, frozenset(key for key, words in known.items() if words == {True})
