"""The current records, one per case and machine, and the runs that they are of.

records = Records.load("h200")
records.of("symbolic.gsofa@bcsstk18.metis")   # the current record of each machine
"""

import functools
import gc
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fillpath import gate_verdicts, holdings, registry, source_hashes
from fillpath.case import Case
from fillpath.errors import InputError, UnknownNameError
from fillpath.host import machine_name
from fillpath.paths import results
from fillpath.processes import of_run, representative
from fillpath.record import UNTRIED, Record, Status, record_key, stored_records
from fillpath.settings import PROCESSES


@dataclass(frozen=True)
class Records:
    """The current record of each case and machine: of several processes the record of the middle median.

    earlier : all other records: of the same run, and superseded ones.
    refused : why the folder of another machine is in neither, by its name.
    current : by key, whether a record was made with today's sources; a key that is absent is not known.
    """

    rows: tuple[Record, ...] = ()
    earlier: tuple[Record, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    current: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def load(cls, machine: str | None = None, strict: bool = False) -> "Records":
        """Read results/ of one machine, or of all.

        Another machine's folder is read whole or refused. In this machine's own, and in that of `machine`
        unless `strict`, a damaged line hides no other case.
        """
        # Records make a million objects that live until the end: collect garbage seldom, and not among them.
        gc.set_threshold(100_000, 50, 50)
        stored: list[list[Record]] = []
        refused: dict[str, str] = {}
        for name in [machine] if machine else holdings.machines():
            own = name == (machine or machine_name()) and not strict
            try:
                lines = stored_records(name) if own else holdings.read(results() / name)[1]
                gate = gate_verdicts.read(results() / name / gate_verdicts.NAME)
                stored += [[gate_verdicts.applied(record, gate) for record in records] for records in lines]
            except InputError as error:
                if own:
                    raise
                refused[name] = str(error)
        rows = tuple(representative(of_run(lines)) for lines in stored)
        current = set(map(id, rows))
        earlier = tuple(record for lines in stored for record in lines if id(record) not in current)
        found = cls(rows, earlier, refused, made_today((*earlier, *rows)))
        gc.freeze()
        return found

    def of_one_run(self, cases: Sequence[Case]) -> "Records":
        """Return the records for a figure of ratios: the cases of each matrix and machine from one run.

        The chosen run has the most ok cases and is the newest of several. Among runs of the same keys, such
        as a figure's and a night's, the run with more processes wins. Other and failed cases stay.
        """
        inputs = {case.name: case.matrix for case in cases}
        runs: dict[tuple[str, str], dict[str, dict[str, Record]]] = defaultdict(lambda: defaultdict(dict))
        for record in (*self.earlier, *self.rows):
            if record.case in inputs and record.status is Status.OK:
                runs[inputs[record.case], record.machine][record.run_id][record.case] = record
        chosen = {
            (record.case, record.machine): representative(self.pool(record))
            for by_id in runs.values()
            for record in self._chosen([[*run.values()] for run in by_id.values()])
        }
        ok = ((row, row.status is Status.OK) for row in self.rows)
        rows = (chosen.get((row.case, row.machine), row) if is_ok else row for row, is_ok in ok)
        found = replace(self, rows=tuple(rows), earlier=(*self.earlier, *self.rows))
        # The records are the same, and so are their pools.
        vars(found)["_by_case"] = self._by_case
        return found

    def _chosen(self, runs: Sequence[Sequence[Record]]) -> Sequence[Record]:
        """Return the run that `of_one_run` describes. runs : ok records, one of each case."""

        def most_and_newest(run: Sequence[Record]) -> tuple[int, str]:
            return len(run), max(str(record.started_at) for record in run)

        def processes(run: Sequence[Record]) -> int:
            return min(PROCESSES, *(len(self.pool(record)) for record in run))

        keys = {record.key for record in max(runs, key=most_and_newest)}
        alike = [run for run in runs if {record.key for record in run} == keys]
        return max(alike, key=lambda run: (processes(run), most_and_newest(run)))

    def pool(self, record: Record) -> tuple[Record, ...]:
        """Return the records of all processes of a record's run."""
        return of_run([*self._by_case.get((record.case, record.machine), ()), record])

    @functools.cached_property
    def _by_case(self) -> Mapping[tuple[str, str], Sequence[Record]]:
        by_case: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for record in (*self.earlier, *self.rows):
            by_case[record.case, record.machine].append(record)
        return by_case

    def of_machine(self, machine: str | None) -> "Records":
        """Return the records of one machine."""
        both = self.rows, self.earlier
        rows, earlier = (tuple(row for row in records if row.machine == machine) for records in both)
        return replace(self, rows=rows, earlier=earlier)

    def machines(self) -> list[str]:
        """Return every machine that has a record."""
        return sorted({record.machine for record in self.rows})

    def of(self, case: str) -> list[Record]:
        """Return the current records of a case, one per machine."""
        return self._current.get(case, [])

    @functools.cached_property
    def _current(self) -> Mapping[str, list[Record]]:
        by_case: dict[str, list[Record]] = defaultdict(list)
        for record in self.rows:
            by_case[record.case].append(record)
        return by_case

    def hosts_text(self) -> str:
        """Return `2 of its 7 records do not say of which host they are, the others are of 1`.

        Empty where all measured records, superseded ones too, are of one host.
        """
        measured = [record for record in (*self.rows, *self.earlier) if record.status not in UNTRIED]
        with_host = [record for record in measured if record.host]
        # Before records had facts of their host, they named it in another way.
        named = [record for record in with_host if record.host_facts is not None] or with_host
        hosts, unnamed = {record.host for record in named}, len(measured) - len(named)
        if not unnamed:
            return f"its records are of {len(hosts)} hosts" if len(hosts) > 1 else ""
        of = f"{unnamed:,} of its {len(measured):,} records do not say of which host they are"
        return f"{of}, the others are of {len(hosts)}" if hosts else of


def made_today(records: Iterable[Record]) -> Mapping[str, bool]:
    """Return by key whether records were made with today's sources; no key of a deleted implementation."""
    hashes: dict[tuple[str, ...], str] = {}
    made: dict[str, bool] = {}
    for record in records:
        case = Case.parse(record.case)
        try:
            implementation = registry.lookup(case.stage, case.implementation)
        except UnknownNameError:
            continue
        # Sources are hashed once per version of a peer's library.
        name = case.stage, case.implementation, *source_hashes.versions(implementation.peer, record.versions)
        if name not in hashes:
            hashes[name] = implementation.source_hash(record.versions)
        prepared = (record.prepared or {}).get("hash", "")
        made[record.key] = record.key == record_key(record.case, prepared, hashes[name], record.machine)
    return made
