"""Repeat on this CPU what only the old gate passed, and write today's verdicts to results/MACHINE/gate.csv.

Two uses read old records: hardware against hardware, and the papers' figures. The file tells them which old
verdicts hold. Times stay those of the machine. New code needs no such file, for it is measured anew.

A result is repeated where the code is today's and the prepared matrix the same, on the threads of this
machine. A key with a row is not repeated: remove the file to gate all anew."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchmarks.engine import run as runs
from benchmarks.engine.inputs import make_ready
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import job_of, require
from benchmarks.engine.outcome import Outcome
from benchmarks.engine.process import run_worker
from commands._parser import Parser, positive
from commands._records import machine_holdings
from fillpath import host, regated, registry, surroundings
from fillpath.case import Case
from fillpath.errors import FillpathError, UnavailableError
from fillpath.lock import exclusive
from fillpath.paths import results
from fillpath.record import Record, Status, stored_records
from fillpath.regated import Row
from reports.facts.records import made_today


def add_arguments(parser: Parser) -> None:
    parser.add_argument("machine", help="a folder of results/")
    parser.add_argument(
        "--seconds", type=positive, default=300, metavar="N", help="of one repetition (default: 300)"
    )


def run(arguments: argparse.Namespace) -> int:
    machine_holdings(arguments.machine)
    surroundings.require_own()
    registry.load_all()
    limits = Limits(seconds=arguments.seconds, forked=True)
    path = results() / arguments.machine / regated.NAME
    rows, left = dict(regated.read(path)), 0
    for record in _due(arguments.machine, rows):
        try:
            row, said = _repeated(record, limits)
        except FillpathError as error:
            print(f"{record.case}: not repeated: {error}")
            left += 1
            continue
        rows[row.key] = row
        regated.write(path, rows.values())
        print(f"{record.case}: {said}", flush=True)
    statuses = [row.status for row in rows.values()]
    counts = ", ".join(f"{statuses.count(status)} {status}" for status in regated.STATUSES)
    print(f"{arguments.machine}: {counts}, {left} not repeated")
    return 0


def _due(machine: str, rows: regated.Rows) -> Iterator[Record]:
    """Yield one record per key that has no row, those of one matrix together."""
    old = {r.key: r for records in stored_records(machine) for r in records if regated.is_of_old_gate(r)}
    today = made_today(old.values())
    on_cpu = {(e.stage, e.name) for e in registry.registered() if e.device == "cpu"}
    due = {key: Case.parse(record.case) for key, record in old.items() if key not in rows}
    for key, case in sorted(due.items(), key=lambda each: (each[1].matrix, each[1].preparation.name)):
        if (case.stage, case.implementation) in on_cpu and today.get(key):
            yield old[key]


def _repeated(record: Record, limits: Limits) -> tuple[Row, str]:
    """Return the verdict on one call, and a line on it. Raises FillpathError where none can be had."""
    case = Case.parse(record.case)
    entry = registry.lookup(case.stage, case.implementation)
    require(case, entry)
    if entry.source_hash() != entry.source_hash(record.versions):
        raise UnavailableError("another version of its library is here")
    prepared = make_ready(case, limits, runs.alone())
    if prepared.hash != (record.prepared or {})["hash"]:
        raise UnavailableError("its prepared matrix is another one here")
    job = {**job_of(case, entry, prepared, limits), "sampling": None}
    with exclusive(host.node_lock("measurement")):
        outcome = run_worker(job, limits.seconds, limits.memory_limit(), "forked")
    if outcome.status not in regated.STATUSES or not outcome.conclusive:
        raise UnavailableError(f"{outcome.status}: {outcome.reason}")
    return _row(record, outcome), _said(outcome)


def _row(record: Record, outcome: Outcome) -> Row:
    value, bound, method = (
        (None, None, "")
        if outcome.verified is None
        else (outcome.verified.value, outcome.verified.bound, outcome.verified.method)
    )
    return Row(record.case, record.key, outcome.status, value, bound, method, outcome.reason)


def _said(outcome: Outcome) -> str:
    if outcome.status is Status.OK and outcome.verified:
        return f"ok: {outcome.verified.value:.2g} where at most {outcome.verified.bound:.2g} is right"
    forward = outcome.held.get("forward_error")
    return f"{outcome.status}: {outcome.reason}" + (f"; forward error {forward:.2g}" if forward else "")
