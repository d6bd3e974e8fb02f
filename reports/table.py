"""The one table that figures, claims and pages are made of: a row per case of one machine.

docs/table.md says what each column means. A case that was not run is a row, too. What a record counted stands
under its own name; a count that is called as a column of the table, under `counted_<name>`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.paths import results
from fillpath.processes import Rounds, Samples, representative
from fillpath.record import Record, Status
from reports.facts.naming import NAMES, names_of
from reports.facts.printed import Entries
from reports.facts.records import Records
from reports.series import probes

# A case's input. Verbs pair rows by these columns.
KEY = ["matrix", "preparation"]
SECONDS = ("median", "low", "high")
NOT_MEASURED = "not_measured"
# Phases of a record that bring the input to the GPU and the result back, beside its seconds.
TRANSFERS = ("to_device", "to_host")
# The reason of an ok record that today's gate has not held.
HELD_BY_NORMS = "held by the old gate"
# Bytes per second that the device's memory can move at most.
DRAM_PEAK = "dram_peak_bytes_per_s"

_CASE = (
    "case", "stage", "implementation", "options", "variant", "series", "threads", "gpus", "matrix",
    "preparation", "matching", "ordering", "zeros_kept",
)  # fmt: skip
_PREPARED = ("n", "nnz", "entries", "explicit_zeros", "structural_symmetry", "diagonal_added")
_WORK = ("edges", "fills", "bytes")
_RECORD = (
    "key", "run_id", "started_at", "commit", "dirty", "host", "host_cpu", "device", "suspect",
)  # fmt: skip
_VERIFIED = ("by", "method", "value", "bound")
_NUMBERS = (
    *_PREPARED, *_WORK, "threads_used", "peak_memory", "transfers", "card", DRAM_PEAK, "samples",
    "verified_value", "verified_bound",
)  # fmt: skip
_TEXTS = ("status", "reason", "machine", "versions", "series_file", "verified_by", "verified_method")
# Columns of samples and records, which no file has.
OBJECTS = ("rounds", "runs")
COLUMNS = (
    *_CASE, *NAMES, *_TEXTS, *_RECORD, "current", *_NUMBERS, *SECONDS, "processes", *OBJECTS,
)  # fmt: skip


def case_table(records: Records, cases: Iterable[Case], entries: Entries, paper: str) -> pd.DataFrame:
    """Return one row per case, in the order of the cases, with COLUMNS and what the records counted.

    records : of one machine, which cases without a record are of, too
    entries : the catalogue's
    paper : whose figures name the matrices; empty for the catalogue's names alone

    Raises ValueError for records of several machines.
    """
    if len(machines := records.machines()) > 1:
        raise ValueError(f"records of {', '.join(machines)}: a table is of one machine")
    machine = next(iter(machines), None)
    rows = [{"machine": machine, **_row(case, records)} for case in dict.fromkeys(cases)]
    texts = [name for name in COLUMNS if name not in (*_NUMBERS, *NAMES)]
    known = {name: [row.get(name) for row in rows] for name in (*texts, *_NUMBERS)}
    parts = [
        pd.DataFrame({name: known[name] for name in texts}, dtype="object"),
        pd.DataFrame({name: known[name] for name in _NUMBERS}, dtype="float64"),
    ]
    counted = sorted({name for row in rows for name in row["facts"]})
    facts = pd.DataFrame([row["facts"] for row in rows], parts[0].index, columns=counted, dtype="float64")
    facts.columns = [f"counted_{name}" if name in COLUMNS else name for name in counted]
    parts.append(names_of(pd.concat(parts, axis=1), entries, paper))
    rounds = [Rounds.of(runs) if runs else None for runs in known["runs"]]
    whole = with_rounds(pd.concat([*parts, facts], axis=1), rounds)
    return whole.reindex(columns=[*COLUMNS, *facts])


def all_rows(records: Records, cases: Sequence[Case], entries: Entries) -> pd.DataFrame:
    """Return the rows of `case_table` of every machine that has tried a case, in the order of the cases.

    Where a machine cannot run a case (`unavailable`), it has a row only if no other has tried; a case without
    a record has one row of no machine.
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
    """Return what is known of a case, with what its record counted as `facts`."""
    preparation, record = case.preparation, next(iter(records.of(case.name)), None)
    options = [f"{name}={value}" for name, value in case.options]
    threads = [f"threads={case.threads}"] if case.threads else []
    row = {
        "case": case.name,
        "stage": case.stage,
        "implementation": case.implementation,
        "options": " ".join(options),
        "variant": ".".join([case.implementation, *options]),
        "series": " ".join([case.implementation, *options, *threads]),
        "threads": case.threads,
        "gpus": case.gpus,
        "matrix": case.matrix,
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
    """Return what a record says; numbers of a result only where it was verified."""
    prepared, gpu, verified = record.prepared or {}, record.gpu or {}, record.verified
    said = {
        **{name: getattr(record, name) for name in (*_RECORD, "machine", "reason", "threads_used")},
        **{name: prepared.get(name) for name in _PREPARED},
        **{f"verified_{name}": getattr(verified, name, None) for name in _VERIFIED},
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
    """Return the seconds of TRANSFERS, which are in no other; 0 on the host, None of a record that does not
    say."""
    if record.device is None:
        return 0.0
    parts = [record.phases.get(name) for name in TRANSFERS]
    return sum(median(samples) for samples in parts if samples) if all(parts) else None


def timed(rows: pd.DataFrame, samples: Samples | Mapping[str, Samples]) -> pd.DataFrame:
    """Return the rows with other seconds of their records, `not_measured` where an ok record has none.

    A stopped call says nothing of them. Transfers are of the whole record.

    samples : what of a record, or by implementation; the rows of other implementations stay as they are
    """
    codes: Iterable[str] = rows["implementation"]
    chosen = [samples.get(code) if isinstance(samples, Mapping) else samples for code in codes]
    swapped = pd.Series([each is not None for each in chosen], rows.index, dtype=bool)
    found = [
        Rounds.of(runs, each) if each and runs else None
        for each, runs in zip(chosen, rows["runs"], strict=True)
    ]
    stopped = swapped & (rows["status"] != "ok")
    unknown: dict[str, pd.Series[Any]] = {name: rows[name].mask(stopped) for name in SECONDS}
    return with_rounds(rows.assign(**unknown), found, swapped)


def with_rounds(
    rows: pd.DataFrame, found: Sequence[Rounds | None], swapped: pd.Series[bool] | None = None
) -> pd.DataFrame:
    """Return the rows with the seconds of these rounds, `not_measured` where an ok row has none.

    swapped : the rows that get them, None for all
    """
    known = [each if each is not None and each.numbers and each.median > 0 else None for each in found]
    every = [(r.median, *r.interval, len(r.numbers)) if r else (np.nan, np.nan, np.nan, 0) for r in known]
    ok = (rows["status"] == "ok") & (True if swapped is None else swapped)
    parts = pd.DataFrame(every, rows.index, columns=[*SECONDS, "processes"])
    parts["rounds"] = pd.Series(known, rows.index, dtype="object")
    swaps = {str(name): parts[name].where(ok, rows[name]) for name in parts}
    lost = ok & parts["rounds"].isna()
    swaps |= {name: swaps[name].astype("float64") for name in SECONDS}
    swaps["processes"] = swaps["processes"].fillna(0).astype(int)
    return rows.assign(**swaps).assign(status=rows["status"].mask(lost, NOT_MEASURED))


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


def phase_medians(rows: pd.DataFrame, spans: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return the seconds of each span, the sum of its phases' medians in the record that stands for a case;
    0 for a phase that a record lacks, unknown of a row that is not ok."""
    standing = [representative(runs) if runs else None for runs in rows["runs"]]
    sums = [
        {
            span: sum(float(np.median(record.phases[name])) for name in names if record.phases.get(name))
            for span, names in spans.items()
        }
        if record is not None
        else {}
        for record in standing
    ]
    return pd.DataFrame(sums, rows.index, columns=list(spans), dtype="float64")


def with_kernel_seconds(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the seconds of their kernels alone, which `fillpath durations` collected in a run
    apart. They make a ratio where they are of one host. A stopped call says nothing of them."""
    read = probes("durations", rows)
    rounds = [Rounds((1,), (_of_kernels(each),)) if each else None for each in read]
    host = pd.Series([each.get("host") for each in read], rows.index, dtype="object")
    called: dict[str, pd.Series[Any]] = {name: rows[name].where(rows["status"] == "ok") for name in SECONDS}
    return with_rounds(rows.assign(**called), rounds).assign(run_id="durations", host=host)


def _of_kernels(durations: Mapping[str, Any]) -> tuple[float, ...]:
    """Return of each timed call the sum of the durations of all its kernels."""
    calls = [call["kernels"].values() for call in durations["calls"]]
    return tuple(math.fsum(kernel["seconds"] for kernel in kernels) for kernels in calls)


def cores_of(machine: str) -> float:
    """Return the cores of a machine, nan where it does not say."""
    try:
        return float(json.loads((results() / machine / "machine.json").read_text())["cores"])
    except (OSError, ValueError, KeyError, TypeError):
        return np.nan
