"""The records as one table: a row for each case, whatever became of it."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from fillpath import holdings, registry
from fillpath.case import Case
from fillpath.errors import InputError, UnknownNameError
from fillpath.host import machine_name
from fillpath.paths import results
from fillpath.processes import Rounds, Samples, of_run, representative
from fillpath.record import Record, Status, record_key, stored_records
from fillpath.settings import PROCESSES

COLUMNS = (
    "case", "stage", "implementation", "options", "threads", "matrix", "preparation", "matching", "ordering",
    "status", "reason", "median", "low", "high", "samples", "suspect", "edges", "fills", "n", "nnz",
    "entries", "explicit_zeros", "structural_symmetry", "diagonal_added", "zeros_kept", "verified_by",
    "verified_method", "key", "run_id", "started_at", "machine", "commit", "dirty", "host_cpu", "device",
    "versions", "series_file", "bytes", "peak_memory", "current", "processes", "host", "transfers",
    "rounds",
)  # fmt: skip

_DTYPES = {
    **dict.fromkeys(("threads", "samples", "processes", "edges", "fills", "n", "nnz"), "Int64"),
    **dict.fromkeys(("entries", "explicit_zeros", "diagonal_added", "bytes", "peak_memory"), "Int64"),
    **dict.fromkeys(("median", "low", "high", "transfers", "structural_symmetry"), "float64"),
    **dict.fromkeys(("suspect", "zeros_kept", "dirty", "current"), "boolean"),
    "rounds": "object",
}
# Text, also where every row lacks it: pandas would take such a column for numbers, which join no text.
_DTYPES |= {name: "str" for name in COLUMNS if name not in _DTYPES}
_PREPARED = ("n", "nnz", "entries", "explicit_zeros", "structural_symmetry", "diagonal_added")
_PROVENANCE = ("key", "run_id", "started_at", "machine", "commit", "dirty", "host", "host_cpu", "device")


# Phases of a record, beside its seconds.
TRANSFERS = ("to_device", "to_host")
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
                stored += stored_records(name)
                continue
            try:
                stored += holdings.read(results() / name)[1]
            except InputError as error:
                refused[name] = str(error)
        rows = tuple(representative(of_run(lines)) for lines in stored)
        standing = set(map(id, rows))
        earlier = tuple(record for lines in stored for record in lines if id(record) not in standing)
        today = _TodaysKeys()
        known = {record.key: today.made(record) for record in (*earlier, *rows)}
        current = {key: made for key, made in known.items() if made is not None}
        return cls(rows, earlier, refused, current)

    def of_one_run(self, cases: Sequence[Case]) -> Records:
        """For figures of ratios, which are of one run: of the cases of each matrix and machine the records of
        the run in which most of them were ok, the newest of several; of runs of the same keys, such as a
        night's after a figure's, the one with more processes. What that run lacks stays as it is, and so does
        what has not been ok since."""
        inputs = {case.name: case.matrix for case in cases}
        ok: dict[tuple[Any, ...], dict[str, dict[str, Record]]] = defaultdict(lambda: defaultdict(dict))
        for record in (*self.earlier, *self.rows):
            if record.case in inputs and record.status is Status.OK:
                ok[inputs[record.case], record.machine][record.run_id][record.case] = record
        chosen = {
            (record.case, record.machine): representative(self._pool(record))
            for runs in ok.values()
            for record in self._chosen(list(runs.values())).values()
        }
        rows = tuple(
            chosen.get((record.case, record.machine), record) if record.status is Status.OK else record
            for record in self.rows
        )
        return replace(self, rows=rows, earlier=(*self.earlier, *self.rows), refused={})

    def _chosen(self, runs: Sequence[Mapping[str, Record]]) -> Mapping[str, Record]:
        """One of these runs, by case."""
        keys = _keys(max(runs, key=_most_and_newest))
        alike = [run for run in runs if _keys(run) == keys]
        return max(alike, key=lambda run: (self._processes(run), _most_and_newest(run)))

    def _processes(self, run: Mapping[str, Record]) -> int:
        """In which each case was measured at least, up to what a firm verdict needs."""
        return min(PROCESSES, *(len(self._pool(record)) for record in run.values()))

    def rounds(self, record: Record, samples: Samples = attrgetter("seconds")) -> Rounds:
        """What the processes of the record's run say of its case. samples : what of a record."""
        return Rounds.of(self._pool(record), samples)

    def _pool(self, record: Record) -> tuple[Record, ...]:
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

    def machines(self) -> list[str]:
        """Every machine that has a record."""
        return sorted({record.machine for record in self.rows})

    def of(self, case: str) -> list[Record]:
        """The records of a case, one per machine."""
        return [record for record in self.rows if record.case == case]

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
        by_case: dict[str, list[Record | None]] = defaultdict(list)
        for record in self.rows:
            by_case[record.case].append(record)
        rows = [
            {**_parts(case), **(self._measured(record) if record else _not_run())}
            for case in dict.fromkeys(cases)
            for record in [r for r in by_case[case.name] if r and _tried(r)] or by_case[case.name] or [None]
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(_DTYPES)

    def _measured(self, record: Record) -> dict[str, Any]:
        rounds = self.rounds(record) if record.status is Status.OK else None
        return {**_measured(record, rounds), "current": self.current.get(record.key)}


def _keys(run: Mapping[str, Record]) -> dict[str, str]:
    return {case: record.key for case, record in run.items()}


def _most_and_newest(run: Mapping[str, Record]) -> tuple[int, str]:
    return len(run), max(str(record.started_at) for record in run.values())


def _tried(record: Record) -> bool:
    return record.status is not Status.UNAVAILABLE


def _parts(case: Case) -> dict[str, Any]:
    return {
        "case": case.name,
        "stage": case.stage,
        "implementation": case.implementation,
        "options": " ".join(f"{key}={value}" for key, value in case.options),
        "threads": case.threads,
        "matrix": case.matrix,
        "preparation": case.preparation.name,
        "matching": case.preparation.matching,
        "ordering": case.preparation.ordering,
        "zeros_kept": case.preparation.explicit_zeros,
    }


def _not_run() -> dict[str, Any]:
    return {
        "status": str(Status.NOT_RUN),
        "reason": "no record yet",
        "samples": 0,
        "processes": 0,
        "suspect": False,
    }


def _measured(record: Record, rounds: Rounds | None) -> dict[str, Any]:
    """What a record says. Numbers of a result stand only where it was verified.

    rounds : of its run, None where it is not ok.
    """
    ok = rounds is not None
    low, high = rounds.interval if rounds else (None, None)
    work = record.work if ok and record.work else {}
    prepared = record.prepared or {}
    verified = record.verified
    return {
        "status": str(record.status),
        "reason": record.reason,
        "median": rounds.median if rounds else None,
        "low": low,
        "high": high,
        "samples": len(record.seconds) if ok else 0,
        "processes": len(rounds.numbers) if rounds else 0,
        "rounds": rounds,
        "transfers": _transfers(record) if ok else None,
        "suspect": record.suspect,
        "edges": work.get("edges"),
        "fills": work.get("fills"),
        "bytes": work.get("bytes"),
        "peak_memory": record.peak_memory if ok else None,
        **{key: prepared.get(key) for key in _PREPARED},
        "verified_by": verified.by if verified else None,
        "verified_method": verified.method if verified else None,
        **{name: getattr(record, name) for name in _PROVENANCE},
        "versions": json.dumps(record.versions, sort_keys=True),
        "series_file": record.series if ok else None,
    }


def _transfers(record: Record) -> float | None:
    """Seconds of bringing the input to the GPU and the result back, which are in no other; 0 on the host,
    None of a record that does not say."""
    if record.device is None:
        return 0.0
    phases = [record.phases.get(name) for name in TRANSFERS]
    return sum(float(np.median(samples)) for samples in phases if samples) if all(phases) else None


class _TodaysKeys:
    """The keys that records would have today. Sources are hashed once per version of a peer's library."""

    def __init__(self) -> None:
        registry.load_all()
        self._hashes: dict[tuple[str, ...], str] = {}

    def made(self, record: Record) -> bool | None:
        """Whether the record is theirs; None of an implementation that is no more."""
        case = Case.parse(record.case)
        try:
            implementation = registry.lookup(case.stage, case.implementation)
        except UnknownNameError:
            return None
        library = [record.versions.get(name, "") for name in implementation.peer]
        name = case.stage, case.implementation, *library
        if name not in self._hashes:
            self._hashes[name] = implementation.source_hash(record.versions)
        prepared_hash = (record.prepared or {}).get("hash", "")
        key = record_key(record.case, prepared_hash, self._hashes[name], record.machine)
        return key == record.key
