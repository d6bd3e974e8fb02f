"""A record as the row of a table: what is known of its case, and what was measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.processes import Rounds
from fillpath.record import Record, Status

COLUMNS = (
    "case", "stage", "implementation", "options", "threads", "matrix", "preparation", "matching", "ordering",
    "status", "reason", "median", "low", "high", "samples", "suspect", "edges", "fills", "n", "nnz",
    "entries", "explicit_zeros", "structural_symmetry", "diagonal_added", "zeros_kept", "verified_by",
    "verified_method", "key", "run_id", "started_at", "machine", "commit", "dirty", "host_cpu", "device",
    "versions", "series_file", "bytes", "peak_memory", "current", "processes", "host", "transfers",
    "rounds",
)  # fmt: skip

_DTYPES: dict[str, Any] = {
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
# The reason of an ok record that today's gate has not held.
HELD_BY_NORMS = "held by the old gate"


def record_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows as one table."""
    return pd.DataFrame(
        {name: pd.array([row.get(name) for row in rows], dtype=_DTYPES[name]) for name in COLUMNS}
    )


def row_of(
    case: Case, record: Record | None, rounds: Rounds | None = None, current: bool | None = None
) -> dict[str, Any]:
    """The row of a case.

    record : None for a case that is not run.
    rounds : of its run, None where it is not ok.
    current : whether the record was made with today's sources, None where it is not known.
    """
    if record is None:
        return {**_parts(case), **_not_run()}
    return {**_parts(case), **_measured(record, rounds), "current": current}


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
    # A call that a limit of time ended took at least so long.
    stopped = record.longer_than if record.status is Status.TIMEOUT else None
    low, high = rounds.interval if rounds else (stopped, None)
    work = record.work if ok and record.work else {}
    prepared = record.prepared or {}
    verified = record.verified
    return {
        "status": str(record.status),
        "reason": record.reason or (HELD_BY_NORMS if ok and verified and verified.by_norms else ""),
        "median": rounds.median if rounds else None,
        "low": low,
        "high": high,
        "samples": len(record.seconds) if ok else 0,
        "processes": len(rounds.numbers) if rounds else 0,
        "rounds": rounds,
        "transfers": transfers_of(record) if ok else None,
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


def transfers_of(record: Record) -> float | None:
    """Seconds of bringing the input to the GPU and the result back, which are in no other; 0 on the host,
    None of a record that does not say."""
    if record.device is None:
        return 0.0
    phases = [record.phases.get(name) for name in TRANSFERS]
    return sum(float(np.median(samples)) for samples in phases if samples) if all(phases) else None
