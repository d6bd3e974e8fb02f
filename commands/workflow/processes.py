"""Measure processes of cases as standard input asks, in a run of that id, each afresh.

First a line with the names of the cases that the settings choose and this machine can run, a list in JSON.
Then, for each line `PROCESS CASE`, that process's record as a line of JSON, or {"error": TEXT}. A night keeps
such a command waiting in each of its checkouts, so that it can measure them in turn."""

import json
import sys
import time

from benchmarks.engine.follow import adopt, die_with_parent
from benchmarks.engine.machine import introduce
from benchmarks.engine.measure import measure
from benchmarks.engine.run import Run
from benchmarks.runs.rounds import case_names
from commands._parser import Arguments, Parser
from fillpath.errors import ConfigError, UnknownNameError
from fillpath.processes import number
from fillpath.record import Status
from fillpath.settings import settings


def add_arguments(parser: Parser) -> None:
    parser.add_argument("run", help="its id; a process that it has is not measured again")


def run(arguments: Arguments) -> None:
    die_with_parent()
    adopt()
    introduce()
    limit = settings().limit
    within = Run(arguments.run, None if limit is None else time.time() + limit, settings().text())
    # Standard output is for answers alone.
    answers, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps(case_names()), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(_answer(line, within), allow_nan=False), file=answers, flush=True)


def _answer(line: str, within: Run) -> dict[str, object]:
    process, _, case = line.strip().partition(" ")
    if not process.isdigit() or not case:
        raise ConfigError(f"{line.strip()!r}: expected PROCESS CASE")
    try:
        record = measure(case, fresh=True, within=within, process=int(process))
    except UnknownNameError as error:
        return {"error": str(error)}
    if record.run_id != within.id or (record.status is Status.OK and number(record) != int(process)):
        # Past the limit `measure` returns the current record, of another commit or an earlier process.
        return {"error": f"{case} was not measured: the time of this run is up"}
    return record.to_json()
