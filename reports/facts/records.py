"""The records as they stand: of each case and machine one, and what it is one with."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import pandas as pd

from fillpath import holdings, regated
from fillpath.case import Case
from fillpath.errors import InputError
from fillpath.host import machine_name
from fillpath.paths import results
from fillpath.processes import Rounds, Samples, of_run, representative
from fillpath.record import Record, Status, stored_records
from reports.facts.one_run import records_of_one_run
from reports.facts.record_rows import record_table, row_of
from reports.facts.todays_keys import TodaysKeys

# A fact: bytes per second that the device's memory can move at most.
DRAM_PEAK = "dram_peak_bytes_per_s"


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
    def load(cls, machine: str | None = None) -> Records:
        """From results/: of one machine, or of all. A folder of another machine is taken whole or refused; in
        this machine's own folder a damaged line hides no other case."""
        stored: list[list[Record]] = []
        refused: dict[str, str] = {}
        for name in [machine] if machine else holdings.machines():
            if name == (machine or machine_name()):
                stored += _held_anew(name, stored_records(name))
                continue
            try:
                stored += _held_anew(name, holdings.read(results() / name)[1])
            except InputError as error:
                refused[name] = str(error)
        rows = tuple(representative(of_run(lines)) for lines in stored)
        standing = set(map(id, rows))
        earlier = tuple(record for lines in stored for record in lines if id(record) not in standing)
        today = TodaysKeys()
        known = {record.key: today.made(record) for record in (*earlier, *rows)}
        current = {key: made for key, made in known.items() if made is not None}
        return cls(rows, earlier, refused, current)

    def of_one_run(self, cases: Sequence[Case]) -> Records:
        """For figures of ratios: the records of one run of each matrix and machine, as `records_of_one_run`
        chooses it. What that run lacks stays as it is, and so does what has not been ok since."""
        every = (*self.earlier, *self.rows)
        chosen = {
            key: representative(self.pool(record))
            for key, record in records_of_one_run(every, cases, self.pool).items()
        }
        rows = tuple(
            chosen.get((record.case, record.machine), record) if record.status is Status.OK else record
            for record in self.rows
        )
        return replace(self, rows=rows, earlier=every, refused={})

    def rounds(self, record: Record, samples: Samples = attrgetter("samples")) -> Rounds:
        """What the processes of the record's run say of its case. samples : what of a record."""
        return Rounds.of(self.pool(record), samples)

    def pool(self, record: Record) -> tuple[Record, ...]:
        """Return the records of all processes of a record's run."""
        return of_run([*self._by_case.get((record.case, record.machine), ()), record])

    @functools.cached_property
    def _by_case(self) -> Mapping[tuple[str, str], Sequence[Record]]:
        by_case: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for record in (*self.earlier, *self.rows):
            by_case[record.case, record.machine].append(record)
        return by_case

    def of_machine(self, machine: str) -> Records:
        """Those of one machine."""
        rows, earlier = (
            tuple(record for record in records if record.machine == machine)
            for records in (self.rows, self.earlier)
        )
        return replace(self, rows=rows, earlier=earlier, refused={})

    @functools.cached_property
    def machine(self) -> str | None:
        """The machine that all records are of, None where there are several or none."""
        machines = self.machines()
        return machines[0] if len(machines) == 1 else None

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
        return dict(by_case)

    def result(self, case: str, machine: str) -> Record | None:
        """The record of a verified result of that case there, None without one."""
        records = (record for record in self.of(case) if record.machine == machine)
        return next((record for record in records if record.status is Status.OK), None)

    def facts(self, case: str, machine: str) -> Mapping[str, float]:
        """What the implementation counted of its device, of a verified result, and as `dram_peak_bytes_per_s`
        what the device's memory can move at most; empty where nothing is known."""
        record = self.result(case, machine)
        if record is None:
            return {}
        peak = (record.gpu or {}).get("peak_bytes_per_second")
        counted: Mapping[str, float] = (record.work or {}).get("facts") or {}
        return counted if peak is None else {DRAM_PEAK: float(peak), **counted}

    def gpu(self, case: str, machine: str) -> Mapping[str, Any]:
        """What is known of the GPU that the case met there, whatever came of it; empty for none."""
        return next((record.gpu or {} for record in self.of(case) if record.machine == machine), {})

    def frame(self, cases: Sequence[Case]) -> pd.DataFrame:
        """One row per case and machine, in the order of the cases; a case without a record is `not_run`.
        Where a machine cannot run a case (`unavailable`), it has a row only if no other machine has tried."""
        return record_table(self.table(cases))

    def table(self, cases: Sequence[Case]) -> list[dict[str, Any]]:
        """The rows of `frame`."""
        return [
            self._row(case, record)
            for case in dict.fromkeys(cases)
            for record in _tried(self.of(case.name)) or self.of(case.name) or (None,)
        ]

    def _row(self, case: Case, record: Record | None) -> dict[str, Any]:
        if record is None:
            return {**row_of(case, None), "machine": self.machine}
        rounds = self.rounds(record) if record.status is Status.OK else None
        return row_of(case, record, rounds, self.current.get(record.key))


def _held_anew(machine: str, stored: Iterable[list[Record]]) -> list[list[Record]]:
    """The machine's records with the verdicts of its gate.csv. Raises InputError where that is damaged."""
    rows = regated.read(results() / machine / regated.NAME)
    return [[regated.applied(record, rows) for record in records] for records in stored]


def _tried(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record.status is not Status.UNAVAILABLE]
