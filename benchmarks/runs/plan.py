"""A plan: the disk, the memory and the hours that a run will take. It downloads and measures nothing.

The run is one of this host, or of another machine of results/ that FILLPATH_MACHINE names.

    needs = plan(Settings(suite="small"))
    needs.disk, needs.fits, needs.inputs["time"].sum()    # bytes, whether it can be measured here, seconds
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.engine import current, machine
from benchmarks.engine.measure import least_bytes, ranks_of
from benchmarks.runs.cases import limits_of, processes_of, suite_cases
from benchmarks.runs.predictions import Predictions
from fetch import catalogue, published, suitesparse
from fetch.transfer import is_remote
from fillpath import holdings, host
from fillpath.case import Case
from fillpath.entry import Entry
from fillpath.errors import TransferError
from fillpath.paths import RESERVE, cache, free_space, results
from fillpath.processes import of_run, representative
from fillpath.record import Record, Status, stored_records
from fillpath.registry import Device, lookup
from fillpath.settings import Settings
from impl.cuda import kernels
from impl.cuda.peers import device_count

# Seconds of a process without its calls: its start, per entry and row to load the matrix, and per entry of
# L + U to verify. From 1926 pairs of processes on an H200's host, within 2.2 times.
_START, _LOAD_ENTRY, _LOAD_ROW, _VERIFY = 2.0, 2e-7, 3e-6, 2e-9
# Seconds per entry to read and order a matrix, by METIS and by anything else: within 3 times.
_METIS, _ORDER = 4e-6, 2e-6
# Bytes of an archive per entry, and of the matrix per byte of its archive: medians, within 4 times.
_ARCHIVE, _MATRIX = 2.3, 3.6
# Bytes of a process: its own, per entry and row of the matrix to hold it, and per entry of L + U, or of a
# graph, to check a result. On six inputs 36 % less to 6 % more was measured.
_OWN, _HELD_ENTRY, _HELD_ROW, _CHECKED_OF_GRAPH = 190e6, 50, 60, 100
_CHECKED = {"symbolic": 10, "supernodes": 10, "levels": 17, "solve": 33, "numeric": 51}
# An assumed L + U is off by less in nine of ten inputs.
_DOUBT = 3.2
_CASES = (
    "case", "input", "matrix", "implementation", "order", "entries", "size", "fill", "lender", "call",
    "seconds", "memory", "limit", "processes", "foreseen", "stored",
)  # fmt: skip


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
        if settings.fresh or not pool or not current.is_reusable(pool[-1], limits_of(case, settings)):
            return False
        versions = None if self.here else pool[-1].versions
        is_current = pool[-1].key == current.key_of(case, (pool[-1].prepared or {}).get("hash", ""), versions)
        return is_current and (pool[-1].status is not Status.OK or len(pool) >= processes_of(case, settings))


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
        return Site(name, True, machine.cores(), gpus, machine.memory_limit(), card, own)
    gpus = max([1, *(Case.parse(case).gpus for case in own)]) if facts.get("gpus") else 0
    memory = 0.9 * facts["memory"] if facts.get("memory") else math.inf
    cards = [(records[-1].gpu or {}).get("memory") or 0 for records in own.values()]
    return Site(name, False, int(facts.get("cores") or 1), gpus, memory, max(cards, default=0), own)


@dataclass(frozen=True)
class Plan:
    """The needs of a run, and what the machine has.

    cases : to be measured: seconds of a `call` and of all processes, bytes of one, and what predicts them
    inputs : by prepared matrix: bytes to download and to write, seconds to prepare it and of all (`time`)
    checks : as `Predictions.checks` returns them
    disk : bytes to be written
    free_disk : bytes, infinite if not known
    elsewhere : cases that the machine cannot run
    """

    site: Site
    cases: pd.DataFrame
    inputs: pd.DataFrame
    checks: pd.DataFrame
    disk: int
    free_disk: float
    elsewhere: int

    @property
    def disk_fits(self) -> bool:
        """Return whether the disk has room for all matrices."""
        return self.disk + RESERVE <= self.free_disk

    @property
    def fits(self) -> bool:
        """Return whether there is disk for all matrices and memory for each."""
        return self.disk_fits and "out_of_memory" not in set(self.cases["foreseen"])


def plan(settings: Settings) -> Plan:
    """Plan the run of these settings on the machine that they name.

    Raises ConfigError where config/ contradicts its schemas, InputError where a machine's facts are damaged.
    """
    stored = list(stored_records())
    where = site(stored)
    known = Predictions((representative(of_run(each)) for each in stored), where.name)
    wanted = suite_cases(settings)
    able = [case for case in wanted if where.can_run(case)]
    every = pd.DataFrame([_forecast(case, known, where, settings) for case in able], columns=_CASES)
    left = every[~every["stored"].astype(bool)]
    archives = _archives(left["matrix"].unique(), where)
    cases = left.loc[[not isinstance(archives[matrix], TransferError) for matrix in left["matrix"]]]
    inputs = _inputs(every, cases, archives)
    # The largest archive is on disk while it is unpacked.
    disk = int(inputs["disk"].sum() + max(inputs["download"], default=0))
    free = free_space(cache()) if where.here else np.inf
    return Plan(where, cases, inputs, known.checks(), disk, free, len(wanted) - len(able))


def _archives(matrices: Iterable[str], where: Site) -> dict[str, float | TransferError]:
    """Return the bytes to download of each matrix, NaN where a server has it, or why there is none."""
    entries = [catalogue.lookup(matrix) for matrix in matrices]
    there = [e for e in entries if e.group and where.here and suitesparse.cached(e.group, e.name, e.sha256)]
    sizes = {e.id: _size(e) if e.group and e not in there else 0.0 for e in entries}
    return sizes | {e.id: TransferError(e.kind) for e in entries if not catalogue.obtainable(e)}


def _size(entry: Entry) -> float | TransferError:
    """Return the bytes of an archive in the folder of FILLPATH_MIRROR, NaN where a server has it."""
    archive = suitesparse.wanted_archive(entry.group, entry.name)
    location = archive.location.replace(published.NAME, published.FILES[-1])
    try:
        return np.nan if is_remote(location) else Path(location).stat().st_size
    except OSError as problem:
        return TransferError(f"{location}: {problem.strerror}")


def _forecast(case: Case, known: Predictions, where: Site, settings: Settings) -> tuple[Any, ...]:
    """Return the row of a case. The seconds that no record predicts are NaN."""
    entry, limits = catalogue.lookup(case.matrix), limits_of(case, settings)
    order, entries = entry.order or 1, entry.nnz_with_zeros or 1
    implementation = lookup(case.stage, case.implementation)
    size, fill = known.size(case, order, entries)
    call, growth, lender = known.call(case, implementation.device, size)
    calls = 1 + np.minimum(limits.sampling.most, np.ceil(limits.sampling.seconds / call))
    each = _START + _LOAD_ENTRY * entries + _LOAD_ROW * order + _VERIFY * size + calls * call
    held = _OWN + _HELD_ENTRY * entries + _HELD_ROW * order
    checked = max(growth, size * _CHECKED.get(case.stage, _CHECKED_OF_GRAPH))
    memory = int(max(held + checked, 120e6 + 100 * entries + 250 * order))
    least = least_bytes(case, implementation, size / _DOUBT if fill == "assumed" else size)
    refused, late = least > where.room(implementation.device), each > limits.seconds
    foreseen = "out_of_memory" if refused else "timeout" if late else ""
    processes = 1 if foreseen else processes_of(case, settings)
    seconds = 0.0 if refused else processes * np.minimum(each, limits.seconds)
    named = (case.name, f"{case.matrix}.{case.preparation.name}", case.matrix, case.implementation)
    taken = (call, seconds, memory, limits.seconds, processes, foreseen)
    return *named, order, entries, size, fill, lender, *taken, where.has(case, settings)


def _inputs(every: pd.DataFrame, cases: pd.DataFrame, archives: Mapping[str, Any]) -> pd.DataFrame:
    """Return what each prepared matrix takes. The first one of a matrix has its download.

    every : cases that the machine can run, the stored ones too
    """
    inputs = every.groupby("input", sort=False)[["matrix", "order", "entries"]].first()
    grouped, needed = cases.groupby("input"), inputs.index.isin(cases["input"])
    fetched = inputs["matrix"].where(needed)
    archive = inputs["matrix"].map(archives).where(needed, 0.0).mask(fetched.duplicated(), 0.0).astype(float)
    download = archive.fillna(_ARCHIVE * inputs["entries"])
    ordering = [_METIS if "metis" in name else _ORDER for name in inputs.index]
    preparing = needed * (_START + inputs["entries"] * ordering)
    failing = (cases["implementation"] + ": " + cases["foreseen"])[cases["foreseen"] != ""]
    by_input = failing.groupby(cases["input"]).agg(lambda words: ", ".join(words.unique())).to_dict()
    lost = {m: f"not obtainable: {why}" for m, why in archives.items() if isinstance(why, TransferError)}
    return inputs.assign(
        download=download,
        guessed=archive.isna(),
        disk=_MATRIX * download + needed * (12 * inputs["entries"] + 68 * inputs["order"]),
        memory=grouped["memory"].max(),
        preparing=preparing,
        time=grouped["seconds"].sum() + preparing,
        stored=every.groupby("input")["stored"].sum(),
        remarks=[lost.get(matrix) or by_input.get(name, "") for name, matrix in inputs["matrix"].items()],
    )
