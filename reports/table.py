"""The one table that figures, claims and pages are made of: a row per case of one machine.

docs/table.md says what each column means. A case that was not run is a row, too. What a record counted stands
under its own name; a count that is called as a column of the table, under `counted_<name>`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.paths import results
from fillpath.processes import Rounds, Samples, representative
from fillpath.record import Record, Status
from reports.facts.entries import Entries, by_matrix
from reports.facts.naming import add_names
from reports.facts.probes import read_kernel_seconds
from reports.facts.record_rows import HELD_BY_NORMS, transfers_of
from reports.facts.records import DRAM_PEAK, Records

# A case's input. Verbs pair rows by these columns.
KEY = ["matrix", "preparation"]
SECONDS = ("median", "low", "high")
NOT_MEASURED = "not_measured"

_CASE = (
    "case", "stage", "implementation", "options", "variant", "series", "threads", "gpus", "matrix",
    "preparation", "matching", "ordering", "zeros_kept",
)  # fmt: skip
_NAMES = ("label", "abbr", "stand_in_for", "near", "distance", "stands_for", "kind", "collection", "lower_in")
_PREPARED = ("n", "nnz", "entries", "explicit_zeros", "structural_symmetry", "diagonal_added")
_WORK = ("edges", "fills", "bytes")
_RECORD = (
    "key", "run_id", "started_at", "commit", "dirty", "host", "host_cpu", "device", "suspect",
)  # fmt: skip
_NUMBERS = (
    *_PREPARED, *_WORK, "threads_used", "peak_memory", "transfers", "card", DRAM_PEAK, "samples",
    "verified_value", "verified_bound",
)  # fmt: skip
_TEXTS = ("status", "reason", "machine", "versions", "series_file", "verified_by", "verified_method")
# Columns of samples and records, which no file has.
OBJECTS = ("rounds", "runs")
COLUMNS = (
    *_CASE, *_NAMES, *_TEXTS, *_RECORD, "current", *_NUMBERS, *SECONDS, "processes", *OBJECTS,
)  # fmt: skip


def case_table(records: Records, cases: Sequence[Case], entries: Entries, paper: str) -> pd.DataFrame:
    """Return one row per case, in the order of the cases, with COLUMNS and what the records counted.

    records : of one machine, which cases without a record are of, too
    entries : the catalogue's
    paper : whose figures name the matrices; empty for the catalogue's names alone

    Raises ValueError for records of several machines.
    """
    if len(machines := records.machines()) > 1:
        raise ValueError(f"records of {', '.join(machines)}: a table is of one machine")
    rows = [_row(case, records) for case in dict.fromkeys(cases)]
    counted = sorted({name for row in rows for name in row["facts"]})
    frame = pd.DataFrame({name: [row.get(name) for row in rows] for name in COLUMNS}, dtype="object")
    frame = frame.astype(dict.fromkeys(_NUMBERS, "float64"))
    facts = pd.DataFrame([row["facts"] for row in rows], frame.index, columns=counted, dtype="float64")
    names = {name: f"counted_{name}" for name in counted if name in COLUMNS}
    _add_matrices(frame, entries, paper)
    rounds = [Rounds.of(runs) if runs else None for runs in frame["runs"]]
    return with_rounds(pd.concat([frame, facts.rename(columns=names)], axis=1), rounds).copy()


def _row(case: Case, records: Records) -> dict[str, Any]:
    """Return what is known of a case, with what its record counted as `facts`."""
    record = next(iter(records.of(case.name)), None)
    row = _of_case(case) | {"machine": records.machine, "runs": (), "samples": 0, "facts": {}}
    if record is None:
        return row | {"status": str(Status.NOT_RUN), "reason": "no record yet", "suspect": False}
    gpu, verified = record.gpu or {}, record.verified
    row |= {name: getattr(record, name) for name in _RECORD}
    row |= {name: (record.prepared or {}).get(name) for name in _PREPARED}
    row |= {
        "status": str(record.status),
        "reason": record.reason,
        "low": record.longer_than if record.status is Status.TIMEOUT else None,
        "versions": json.dumps(record.versions, sort_keys=True),
        "verified_by": verified.by if verified else None,
        "verified_method": verified.method if verified else None,
        "verified_value": verified.value if verified else None,
        "verified_bound": verified.bound if verified else None,
        "current": records.current.get(record.key),
        "threads_used": record.threads_used,
        "card": gpu.get("memory"),
        DRAM_PEAK: gpu.get("peak_bytes_per_second"),
    }
    return row | (_of_result(record, records) if record.status is Status.OK else {})


def _of_case(case: Case) -> dict[str, Any]:
    preparation = case.preparation
    options = [f"{name}={value}" for name, value in case.options]
    threads = [f"threads={case.threads}"] if case.threads else []
    return {
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
    }


def _of_result(record: Record, records: Records) -> dict[str, Any]:
    """Return what an ok record says beside its seconds."""
    work = record.work or {}
    return {
        "reason": record.reason or (HELD_BY_NORMS if record.verified and record.verified.by_norms else ""),
        "runs": records.pool(record),
        "samples": len(record.seconds),
        "transfers": transfers_of(record),
        "peak_memory": record.peak_memory,
        "series_file": record.series,
        "facts": work.get("facts") or {},
        **{name: work.get(name) for name in _WORK},
    }


def _add_matrices(frame: pd.DataFrame, entries: Entries, paper: str) -> None:
    """Add what the paper's figures call each matrix, and what the catalogue says of it."""
    add_names(frame, entries, paper)
    known = by_matrix(entries)
    found = [known.get(matrix) for matrix in frame["matrix"]]
    frame["stands_for"] = [", ".join(entry.stands_for) if entry else None for entry in found]
    frame["lower_in"] = [", ".join(entry.lower_in) if entry else None for entry in found]
    frame["kind"] = [entry.kind if entry else None for entry in found]
    frame["collection"] = [(entry.group or None) if entry else None for entry in found]


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
    ok = rows["status"] == "ok"
    asked = zip(rows["machine"], rows["case"], rows["key"], ok, strict=True)
    read = [read_kernel_seconds(*about) if is_ok else None for *about, is_ok in asked]
    rounds = [None if each is None else Rounds((1,), (each.seconds,)) for each in read]
    hosts = [None if each is None else each.host for each in read]
    host = pd.Series(hosts, rows.index, dtype="object")
    called: dict[str, pd.Series[Any]] = {name: rows[name].where(ok) for name in SECONDS}
    return with_rounds(rows.assign(**called), rounds).assign(run_id="durations", host=host)


def cores_of(machine: str) -> float:
    """Return the cores of a machine, nan where it does not say."""
    try:
        return float(json.loads((results() / machine / "machine.json").read_text())["cores"])
    except (OSError, ValueError, KeyError, TypeError):
        return np.nan
