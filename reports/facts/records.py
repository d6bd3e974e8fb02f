"""The records as they stand: of each case and machine one, and what it is one with."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fillpath import holdings, regated, registry, source
from fillpath.case import Case
from fillpath.errors import InputError, UnknownNameError
from fillpath.host import machine_name
from fillpath.paths import results
from fillpath.processes import of_run, representative
from fillpath.record import Record, Status, record_key, stored_records
from fillpath.settings import PROCESSES


@dataclass(frozen=True)
class Records:
    """The record that stands for each case and machine: of several processes that whose median is the median.

    earlier : all others: of the same processes, and those that these have superseded.
    refused : why the folder of another machine is in neither, by its name.
    current : whether a record of that key was made with today's sources; without the key, it is not known.
    """

    rows: tuple[Record, ...] = ()
    earlier: tuple[Record, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    current: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def load(cls, machine: str | None = None, strict: bool = False) -> Records:
        """Read results/: of one machine, or of all. A folder of another machine is taken whole or refused; in
        this machine's own folder, or that of the one unless `strict`, a damaged line hides no other case."""
        stored: list[list[Record]] = []
        refused: dict[str, str] = {}
        for name in [machine] if machine else holdings.machines():
            if name == (machine or machine_name()) and not strict:
                stored += _held_anew(name, stored_records(name))
                continue
            try:
                stored += _held_anew(name, holdings.read(results() / name)[1])
            except InputError as error:
                refused[name] = str(error)
        rows = tuple(representative(of_run(lines)) for lines in stored)
        standing = set(map(id, rows))
        earlier = tuple(record for lines in stored for record in lines if id(record) not in standing)
        return cls(rows, earlier, refused, made_today((*earlier, *rows)))

    def of_one_run(self, cases: Sequence[Case]) -> Records:
        """For figures of ratios: of the cases of each matrix and machine the records of the run in which most
        of them were ok, the newest of several; of runs of the same keys, such as a night's after a figure's,
        the one with more processes. What that run lacks stays as it is, and so does what has not been ok
        since."""
        every = (*self.earlier, *self.rows)
        inputs = {case.name: case.matrix for case in cases}
        runs: dict[tuple[str, str], dict[str, dict[str, Record]]] = defaultdict(lambda: defaultdict(dict))
        for record in every:
            if record.case in inputs and record.status is Status.OK:
                runs[inputs[record.case], record.machine][record.run_id][record.case] = record
        chosen = {
            (record.case, record.machine): representative(self.pool(record))
            for by_id in runs.values()
            for record in self._chosen([list(run.values()) for run in by_id.values()])
        }
        rows = tuple(
            chosen.get((record.case, record.machine), record) if record.status is Status.OK else record
            for record in self.rows
        )
        found = replace(self, rows=rows, earlier=every, refused={})
        # The records are the same, and so are their pools.
        vars(found)["_by_case"] = self._by_case
        return found

    def _chosen(self, runs: Sequence[Sequence[Record]]) -> Sequence[Record]:
        """Return the run that stands: `of_one_run` says how. runs : ok records, one of each case."""

        def most_and_newest(run: Sequence[Record]) -> tuple[int, str]:
            return len(run), max(str(record.started_at) for record in run)

        keys = {record.key for record in max(runs, key=most_and_newest)}
        alike = [run for run in runs if {record.key for record in run} == keys]
        # Of processes up to what a claim of a time needs.
        least = [min(PROCESSES, *(len(self.pool(record)) for record in run)) for run in alike]
        return max(zip(least, alike, strict=True), key=lambda each: (each[0], most_and_newest(each[1])))[1]

    def pool(self, record: Record) -> tuple[Record, ...]:
        """Return the records of all processes of a record's run."""
        return of_run([*self._by_case.get((record.case, record.machine), ()), record])

    @functools.cached_property
    def _by_case(self) -> Mapping[tuple[str, str], Sequence[Record]]:
        by_case: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for record in (*self.earlier, *self.rows):
            by_case[record.case, record.machine].append(record)
        return by_case

    def of_machine(self, machine: str | None) -> Records:
        """Those of one machine."""
        rows, earlier = (
            tuple(record for record in records if record.machine == machine)
            for records in (self.rows, self.earlier)
        )
        return replace(self, rows=rows, earlier=earlier, refused={})

    def machines(self) -> list[str]:
        """Every machine that has a record."""
        return sorted({record.machine for record in self.rows})

    def of(self, case: str) -> list[Record]:
        """The records of a case, one per machine."""
        return self._standing.get(case, [])

    @functools.cached_property
    def _standing(self) -> Mapping[str, list[Record]]:
        by_case: dict[str, list[Record]] = defaultdict(list)
        for record in self.rows:
            by_case[record.case].append(record)
        return by_case

    def hosts_text(self) -> str:
        """`2 of its 7 records do not say of which host they are, the others are of 1`; empty where all are of
        one host. Of one machine, superseded ones too; those that measured nothing are of no host."""
        untried = (Status.NOT_RUN, Status.UNAVAILABLE)
        measured = [record for record in (*self.rows, *self.earlier) if record.status not in untried]
        # Before records had facts of their host, they named it in another way.
        named = [r for r in measured if r.host and r.host_facts is not None] or [
            r for r in measured if r.host
        ]
        hosts, unnamed = {record.host for record in named}, len(measured) - len(named)
        if not unnamed:
            return f"its records are of {len(hosts)} hosts" if len(hosts) > 1 else ""
        of = f"{unnamed:,} of its {len(measured):,} records do not say of which host they are"
        return f"{of}, the others are of {len(hosts)}" if hosts else of


def made_today(records: Iterable[Record]) -> Mapping[str, bool]:
    """Return by key whether records were made with today's sources; no key of an implementation that is no
    more. Sources are hashed once per version of a peer's library."""
    registry.load_all()
    hashes: dict[tuple[str, ...], str] = {}
    made: dict[str, bool] = {}
    for record in records:
        case = Case.parse(record.case)
        try:
            implementation = registry.lookup(case.stage, case.implementation)
        except UnknownNameError:
            continue
        name = case.stage, case.implementation, *source.versions(implementation.peer, record.versions)
        if name not in hashes:
            hashes[name] = implementation.source_hash(record.versions)
        prepared = (record.prepared or {}).get("hash", "")
        made[record.key] = record.key == record_key(record.case, prepared, hashes[name], record.machine)
    return made


def _held_anew(machine: str, stored: Iterable[list[Record]]) -> list[list[Record]]:
    """The machine's records with the verdicts of its gate.csv. Raises InputError where that is damaged."""
    rows = regated.read(results() / machine / regated.NAME)
    return [[regated.applied(record, rows) for record in records] for records in stored]
