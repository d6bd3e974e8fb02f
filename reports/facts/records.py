"""The records as one table: a row for each case of the suite, whatever became of it."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from fillpath import holdings
from fillpath.case import Case, matrix_id
from fillpath.errors import InputError, UnknownNameError
from fillpath.host import machine_name
from fillpath.paths import results
from fillpath.record import Record, Status, interval, record_key, stored_records
from fillpath.registry import lookup

COLUMNS = (
    "case", "stage", "implementation", "options", "threads", "matrix", "preparation", "matching", "ordering",
    "status", "reason", "median", "low", "high", "samples", "suspect", "edges", "fills", "n", "nnz",
    "entries", "explicit_zeros", "structural_symmetry", "diagonal_added", "zeros_kept", "verified_by",
    "verified_method", "key", "run_id", "started_at", "machine", "commit", "dirty", "host_cpu", "device",
    "versions", "series_file", "bytes", "peak_memory", "current",
)  # fmt: skip

_DTYPES = {
    **dict.fromkeys(("threads", "samples", "edges", "fills", "n", "nnz"), "Int64"),
    **dict.fromkeys(("entries", "explicit_zeros", "diagonal_added", "bytes", "peak_memory"), "Int64"),
    **dict.fromkeys(("median", "low", "high", "structural_symmetry"), "float64"),
    **dict.fromkeys(("suspect", "zeros_kept", "dirty", "current"), "boolean"),
}
_PREPARED = ("n", "nnz", "entries", "explicit_zeros", "structural_symmetry", "diagonal_added")
_PROVENANCE = ("key", "run_id", "started_at", "machine", "commit", "dirty", "host_cpu", "device")


# A fact: bytes a second that the device's memory can move at most.
DRAM_PEAK = "dram_peak_bytes_per_s"


class MatrixEntry(Protocol):
    """What the reports need of a catalogue entry. name : as printed. stands_for : ids of the matrices it
    stands in for. papers : that use it. lower_in : of these, that print its lower triangle only."""

    @property
    def id(self) -> str: ...
    @property
    def group(self) -> str | None: ...
    @property
    def name(self) -> str: ...
    @property
    def stands_for(self) -> tuple[str, ...]: ...
    @property
    def papers(self) -> tuple[str, ...]: ...
    @property
    def lower_in(self) -> tuple[str, ...]: ...


Entries = Sequence[MatrixEntry]


@dataclass(frozen=True)
class Records:
    """The record that stands for each case and machine. earlier : those that they have superseded. refused :
    why the folder of another machine is in neither, by its name."""

    rows: tuple[Record, ...] = ()
    earlier: tuple[Record, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, machine: str | None = None) -> Records:
        """From results/: of one machine, or of all. A folder that another machine left is taken whole, or
        refused; of this machine's own a damaged line hides no other case."""
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
        earlier = tuple(record for found in stored for record in found[:-1])
        return cls(tuple(found[-1] for found in stored), earlier, refused)

    def of_one_run(self, cases: Sequence[Case]) -> Records:
        """For figures of ratios, which are of one run: of the cases of each input and machine the records of
        the run in which most of them were ok, the newest of several. What that run lacks stays as it is, and
        so does what has not been ok since."""
        inputs = {case.name: (case.matrix, case.preparation.name) for case in cases}
        ok: dict[tuple[Any, ...], dict[str, dict[str, Record]]] = defaultdict(lambda: defaultdict(dict))
        for record in (*self.earlier, *self.rows):
            if record.case in inputs and record.status is Status.OK:
                ok[*inputs[record.case], record.machine][record.run_id][record.case] = record
        chosen = {
            (record.case, record.machine): record
            for runs in ok.values()
            for record in max(runs.values(), key=_most_and_newest).values()
        }
        return Records(
            tuple(
                chosen.get((record.case, record.machine), record) if record.status is Status.OK else record
                for record in self.rows
            )
        )

    def of_machine(self, machine: str) -> Records:
        """Those of one machine."""
        rows, earlier = (tuple(r for r in own if r.machine == machine) for own in (self.rows, self.earlier))
        return Records(rows, earlier)

    def machines(self) -> list[str]:
        """Every machine that has a record."""
        return sorted({record.machine for record in self.rows})

    def of(self, case: str) -> list[Record]:
        """The records of a case, one a machine."""
        return [record for record in self.rows if record.case == case]

    def cases_elsewhere(self, here: Collection[str]) -> frozenset[str]:
        """Names of the cases that machines other than these have tried."""
        return frozenset(record.case for record in self.rows if record.machine not in here and _tried(record))

    def result(self, case: str, machine: str) -> Record | None:
        """The record of a verified result of that case there, None without one."""
        own = (record for record in self.of(case) if record.machine == machine)
        return next((record for record in own if record.status is Status.OK), None)

    def facts(self, case: str, machine: str) -> Mapping[str, float]:
        """What the implementation counted of its device, of a verified result, and as `dram_peak_bytes_per_s`
        what the device's memory can move at most; empty where nothing is known."""
        found = self.result(case, machine)
        if found is None:
            return {}
        peak = (found.gpu or {}).get("peak_bytes_per_second")
        counted: Mapping[str, float] = (found.work or {}).get("facts") or {}
        return counted if peak is None else {DRAM_PEAK: float(peak), **counted}

    def gpu(self, case: str, machine: str) -> Mapping[str, Any]:
        """What is known of the GPU that the case met there, whatever came of it; empty for none."""
        return next((found.gpu or {} for found in self.of(case) if found.machine == machine), {})

    def frame(self, cases: Sequence[Case]) -> pd.DataFrame:
        """One row a case and machine, in the order of the cases; a case without a record is `not_run`. Where
        a machine cannot run a case (`unavailable`), it has a row only if no other machine has tried."""
        sources = _Sources()
        by_case: dict[str, list[Record | None]] = defaultdict(list)
        for record in self.rows:
            by_case[record.case].append(record)
        rows = [
            {**_parts(case), **(_measured(record, sources) if record else _not_run())}
            for case in dict.fromkeys(cases)
            for record in [r for r in by_case[case.name] if r and _tried(r)] or by_case[case.name] or [None]
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(_DTYPES)


def read_series(machine: str, name: str) -> pd.DataFrame | None:
    """The series file that a record of that machine names: a row a bin, its sources from `first` to `last`,
    `<series>_mean`, `_min` and `_max` over them. None, with a warning, for one that cannot be read."""
    path = results() / machine / "series" / Path(name).name
    try:
        with np.load(path) as arrays:
            bins = pd.DataFrame({key: arrays[key] for key in arrays.files if arrays[key].ndim})
            n = int(arrays["n"])
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        logging.getLogger("fillpath").warning("%s: no series: %s", path, error)
        return None
    if "first" not in bins:
        return None
    bins.insert(1, "last", [*(bins["first"].iloc[1:] - 1), n - 1])
    return bins


def series_bins(row: Mapping[Any, Any], names: Sequence[str], what: str) -> tuple[pd.DataFrame, str]:
    """These columns of a case's series, of its row in the records' frame; or one bin without numbers, and the
    reason. what : they are called there."""
    nothing = pd.DataFrame([dict.fromkeys(names, None)])
    if row["status"] != "ok":
        return nothing, row["reason"]
    if pd.isna(row["series_file"]):
        return nothing, "its record names no series"
    bins = read_series(row["machine"], row["series_file"])
    if bins is None or not set(names) <= set(bins):
        return nothing, f"no {what} in {row['series_file']}"
    return bins[list(names)], ""


def read_counters(machine: str, case: str, key: str) -> Mapping[str, float] | None:
    """What `fillpath counters` read of that case; None where it was not run, or for an input, a
    source or a machine other than the record's of that key."""
    return _read_facts("counters", machine, case, key)


def read_faults(machine: str, case: str, key: str) -> Mapping[str, float] | None:
    """What `fillpath faults` counted of that case; None as of `read_counters`."""
    return _read_facts("faults", machine, case, key)


def read_fault_repeats(machine: str, case: str, key: str) -> Sequence[Mapping[str, float]]:
    """What each counted call of that case had; none where `read_faults` has nothing."""
    found = _read_beside("faults", machine, case, key)
    repeats: Sequence[Mapping[str, float]] = (found or {}).get("repeats", ())
    return repeats


def _read_facts(kind: str, machine: str, case: str, key: str) -> Mapping[str, float] | None:
    found = _read_beside(kind, machine, case, key)
    facts: Mapping[str, float] | None = None if found is None else found["facts"]
    return facts


def _read_beside(kind: str, machine: str, case: str, key: str) -> Mapping[str, Any] | None:
    """results/<machine>/<kind>/<case>.json, which has facts; None without it, with a warning for a file that
    cannot be read, and for one of another key."""
    path = results() / machine / kind / f"{case}.json"
    try:
        found: Mapping[str, Any] = json.loads(path.read_text())
        found["facts"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        logging.getLogger("fillpath").warning("%s: no %s: %s", path, kind, error)
        return None
    return found if found.get("key") == key else None


def find_entry(matrix: str, entries: Iterable[MatrixEntry]) -> MatrixEntry | None:
    """The catalogue's entry of a case's matrix, named by id or by group/name."""
    for entry in entries:
        if matrix in (matrix_id(entry.id), matrix_id(f"{entry.group}/{entry.name}")):
            return entry
    return None


def printed_name(matrix: str) -> str:
    """A case's matrix as people write it: `poisson3d,40,uniform` is `poisson3d:40:uniform`."""
    return matrix.replace(",", ":").replace("+", "/")


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
    return {"status": str(Status.NOT_RUN), "reason": "no record yet", "samples": 0, "suspect": False}


def _measured(record: Record, sources: _Sources) -> dict[str, Any]:
    """What a record says. Numbers of a result stand only where it was verified."""
    ok = record.status is Status.OK
    low, high = interval(record.seconds) if ok else (None, None)
    work = record.work if ok and record.work else {}
    prepared = record.prepared or {}
    verified = record.verified
    return {
        "status": str(record.status),
        "reason": record.reason,
        "median": record.median,
        "low": low,
        "high": high,
        "samples": len(record.seconds) if ok else 0,
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
        "current": sources.made(record),
        "series_file": record.series if ok else None,
    }


class _Sources:
    """Today's sources of implementations, each hashed once for each version of a peer's library."""

    def __init__(self) -> None:
        self._hashes: dict[tuple[str, ...], str] = {}

    def made(self, record: Record) -> bool | None:
        """Whether the record is theirs; None of an implementation that is no more."""
        case = Case.parse(record.case)
        try:
            implementation = lookup(case.stage, case.implementation)
        except UnknownNameError:
            return None
        library = [record.versions.get(name, "") for name in implementation.peer]
        name = case.stage, case.implementation, *library
        if name not in self._hashes:
            self._hashes[name] = implementation.source_hash(record.versions)
        source_hash = self._hashes[name]
        prepared_hash = (record.prepared or {}).get("hash", "")
        return record_key(record.case, prepared_hash, source_hash, record.machine) == record.key
