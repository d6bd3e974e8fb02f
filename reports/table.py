"""The one table that figures, claims and pages are made of: a row per case of one machine.

docs/table.md explains each column. A case that was not run is a row too. A record's count is a column of its
own name; a count with the name of another column is `counted_<name>`.

    rows = case_table(Records.load("h200"), [Case.parse("symbolic.gsofa@bcsstk18.metis")], (), "gsofa")
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.paths import results
from fillpath.processes import Rounds, Samples
from fillpath.record import Record, Status
from reports.facts.naming import NAMES, names_of
from reports.facts.printed import Entries
from reports.facts.records import Records
from reports.series import probes

SECONDS = ("median", "low", "high")
NOT_MEASURED = "not_measured"
# The reason of an ok record that today's gate has not held.
HELD_BY_NORMS = "held by the old gate"
# Bytes per second that the device's memory can move at most.
DRAM_PEAK = "dram_peak_bytes_per_s"

_PREPARED = ("n", "nnz", "entries", "explicit_zeros", "structural_symmetry", "diagonal_added")
_WORK = ("edges", "fills", "bytes")
_RECORD = ("key", "run_id", "started_at", "commit", "dirty", "host", "host_cpu", "device", "suspect")
_NUMBERS = (
    *_PREPARED, *_WORK, "threads_used", "peak_memory", "transfers", "card", DRAM_PEAK, "samples",
    "verified_value", "verified_bound",
)  # fmt: skip
# Columns of samples and records, which no file has.
OBJECTS = ("rounds", "runs")
COLUMNS = (
    "case", "stage", "implementation", "options", "variant", "series", "threads", "gpus", "matrix",
    "preparation", "matching", "ordering", "zeros_kept", *NAMES, "status", "reason", "machine", "versions",
    "series_file", "verified_by", "verified_method", *_RECORD, "current", *_NUMBERS, *SECONDS, "processes",
    *OBJECTS,
)  # fmt: skip
_TEXTS = [name for name in COLUMNS if name not in (*NAMES, *_NUMBERS, "low")]


def case_table(records: Records, cases: Iterable[Case], entries: Entries, paper: str) -> pd.DataFrame:
    """Return one row per case, in their order, with COLUMNS and what the records counted.

    records : of one machine. Raises ValueError for several.
    paper : whose figures name the matrices; empty for the catalogue's names alone
    """
    if len(machines := records.machines()) > 1:
        raise ValueError(f"records of {', '.join(machines)}: a table is of one machine")
    machine = next(iter(machines), None)
    rows = [{"machine": machine, **_row(case, records)} for case in dict.fromkeys(cases)]
    facts = pd.DataFrame([row.pop("facts") for row in rows], range(len(rows)), dtype="float64")
    facts = facts.sort_index(axis=1).rename(columns={name: f"counted_{name}" for name in COLUMNS})
    said, numbers = (
        pd.DataFrame([[row.get(name) for name in names] for row in rows], facts.index, names, dtype=kind)
        for names, kind in ((_TEXTS, "object"), ([*_NUMBERS, "low"], "float64"))
    )
    whole = with_rounds(said.join(numbers), map(Rounds.of, said["runs"]))
    whole["low"] = whole["low"].fillna(numbers["low"])
    whole = pd.concat([whole, names_of(whole, entries, paper), facts], axis=1)
    # One block of each type: pandas copies many slowly.
    return whole[[*COLUMNS, *facts]].copy()


def all_rows(records: Records, cases: Sequence[Case], entries: Entries) -> pd.DataFrame:
    """Return the rows of `case_table` of every machine that has tried a case, in the order of the cases.

    A machine that cannot run a case (`unavailable`) has a row only if no other machine has tried; a case
    without a record has one row of no machine.
    """
    own = [records.of_machine(machine) for machine in records.machines()]
    tried = [(each, [case for case in cases if each.of(case.name)]) for each in own]
    absent = [case for case in cases if not records.of(case.name)]
    tables = [case_table(*each, entries, "") for each in (*tried, (Records(), absent))]
    rows = pd.concat(tables, ignore_index=True)
    places = {case.name: place for place, case in reversed(list(enumerate(cases)))}
    untried = rows["status"] == "unavailable"
    rows = rows[~untried | untried.groupby(rows["case"]).transform("all")]
    return rows.sort_values("case", key=lambda names: names.map(places), kind="stable", ignore_index=True)


def _row(case: Case, records: Records) -> dict[str, Any]:
    preparation, record = case.preparation, next(iter(records.of(case.name)), None)
    options = [f"{name}={value}" for name, value in case.options]
    threads = [f"threads={case.threads}"] if case.threads else []
    row = {
        **{name: getattr(case, name) for name in ("stage", "implementation", "threads", "gpus", "matrix")},
        "case": case.name,
        "options": " ".join(options),
        "variant": ".".join([case.implementation, *options]),
        "series": " ".join([case.implementation, *options, *threads]),
        "preparation": preparation.name,
        "matching": preparation.matching,
        "ordering": preparation.ordering,
        "zeros_kept": preparation.explicit_zeros,
        "status": str(Status.NOT_RUN),
        "reason": "no record yet",
        "suspect": False,
        "runs": (),
        "samples": 0,
        "facts": {},
    }
    return row if record is None else row | _of_record(record, records)


def _of_record(record: Record, records: Records) -> dict[str, Any]:
    """Return the columns of a record, with numbers of its result only where that is right."""
    prepared, gpu, verified = record.prepared or {}, record.gpu or {}, record.verified
    said = {
        **{name: getattr(record, name) for name in (*_RECORD, "machine", "reason", "threads_used")},
        **{name: prepared.get(name) for name in _PREPARED},
        **{f"verified_{name}": getattr(verified, name, None) for name in ("by", "method", "value", "bound")},
        "status": str(record.status),
        "low": record.longer_than if record.status is Status.TIMEOUT else None,
        "versions": json.dumps(record.versions, sort_keys=True),
        "current": records.current.get(record.key),
        "card": gpu.get("memory"),
        DRAM_PEAK: gpu.get("peak_bytes_per_second"),
    }
    if record.status is not Status.OK:
        return said
    work = record.work or {}
    return said | {
        "reason": record.reason or (HELD_BY_NORMS if verified and verified.by_norms else ""),
        "runs": records.pool(record),
        "samples": len(record.seconds),
        "transfers": transfers_of(record),
        "peak_memory": record.peak_memory,
        "series_file": record.series,
        "facts": work.get("facts") or {},
        **{name: work.get(name) for name in _WORK},
    }


def transfers_of(record: Record) -> float | None:
    """Return the seconds of the transfers to the GPU and back: 0 on the host, None of a silent record."""
    if record.device is None:
        return 0.0
    parts = [record.phases.get(name) for name in ("to_device", "to_host")]
    return sum(median(samples) for samples in parts if samples) if all(parts) else None


def timed(rows: pd.DataFrame, samples: Samples | Mapping[str, Samples]) -> pd.DataFrame:
    """Return the rows with other seconds of their records, `not_measured` where an ok record has none.

    samples : what of a record, or by implementation; the rows of other implementations stay as they are
    """
    codes: Iterable[str] = rows["implementation"]
    chosen = [samples.get(code) if isinstance(samples, Mapping) else samples for code in codes]
    every = zip(chosen, rows["runs"], rows["rounds"], strict=True)
    whole = with_rounds(rows, [Rounds.of(runs, each) if each else own for each, runs, own in every])
    # A time limit bounds the seconds of the whole call alone.
    return whole.assign(low=np.where([each is None for each in chosen], rows["low"], whole["low"]))


def with_rounds(rows: pd.DataFrame, found: Iterable[Rounds | None]) -> pd.DataFrame:
    """Return the rows with the seconds of these rounds alone, `not_measured` where none is surely above 0."""
    ok = rows["status"] == "ok"
    known = [
        each if is_ok and each and each.numbers and each.interval[0] > 0 else None
        for each, is_ok in zip(found, ok, strict=True)
    ]
    ends = [(each.median, *each.interval) if each else [np.nan] * 3 for each in known]
    rounds = pd.Series(known, rows.index, dtype="object")
    return rows.assign(
        **dict(zip(SECONDS, np.reshape(ends, (-1, 3)).T, strict=True)),
        status=rows["status"].mask(ok & rounds.isna(), NOT_MEASURED),
        processes=np.array([len(each.numbers) if each else 0 for each in known], dtype=int),
        rounds=rounds,
    )


def phases(*names: str, less: Sequence[str] = (), some: bool = False) -> Samples:
    """Return what gives the sum of these phases of each sample of a record, less others.

    some : phases that a record lacks are 0; else it has no samples then
    """
    signs = dict.fromkeys(names, 1.0) | dict.fromkeys(less, -1.0)

    def samples(record: Record) -> list[float]:
        parts = [sign * np.array(part) for name, sign in signs.items() if (part := record.phases.get(name))]
        whole: list[float] = sum(parts, np.zeros(1)).tolist()
        return whole if parts and (some or len(parts) == len(signs)) else []

    return samples


def with_kernel_seconds(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the seconds of their kernels alone, which `fillpath durations` collected."""
    read = probes("durations", rows)
    kernels = [[call["kernels"].values() for call in each.get("calls", ())] for each in read]
    sums = [tuple(math.fsum(kernel["seconds"] for kernel in call) for call in calls) for calls in kernels]
    host = pd.Series([each.get("host") for each in read], rows.index, dtype="object")
    rounds = [Rounds((1,), (each,)) if each else None for each in sums]
    return with_rounds(rows, rounds).assign(run_id="durations", host=host)


def cores_of(machine: str) -> float:
    """Return the cores of a machine, nan where they are not known."""
    try:
        return float(json.loads((results() / machine / "machine.json").read_text())["cores"])
    except (OSError, ValueError, KeyError, TypeError):
        return np.nan
