"""Provenance of a record: its case and input, where and when it was measured, and by which code."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from benchmarks.engine import machine
from benchmarks.engine.run import Run
from benchmarks.engine.standing import key_of
from fillpath import host
from fillpath.case import Case
from fillpath.hardware import host_facts, identity
from fillpath.nouns import Prepared
from fillpath.record import Record, Status


def blank_record(
    case: Case, within: Run, process: int = 0, git_state: tuple[str | None, bool | None] | None = None
) -> Record:
    """Return the record of a process of the case before anything is known of its input.

    git_state : of `machine.git_state`, None to ask now
    """
    commit, dirty = git_state or machine.git_state()
    return Record(
        case=case.name,
        parts={
            **{k: v for k, v in asdict(case).items() if k != "options"},
            "options": dict(case.options),
            "preparation": case.preparation.name,
        },
        key=key_of(case, ""),
        status=Status.ERROR,
        reason="",
        run_id=within.id,
        process=process,
        started_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}Z",
        machine=host.machine_name(),
        host=identity(),
        host_facts=host_facts(),
        host_cpu=machine.machine().cpu,
        versions=machine.versions(),
        commit=commit,
        dirty=dirty,
    )


def prepared_facts(prepared: Prepared) -> dict[str, Any]:
    """Return a record's facts of its input."""
    provenance = asdict(prepared.provenance)
    return {"hash": prepared.hash, "n": prepared.pattern.n, "nnz": prepared.pattern.nnz, **provenance}
