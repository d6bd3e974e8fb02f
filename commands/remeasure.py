"""Measure anew what decides a claim, in one run.

The cases behind the claim's figure that this machine has records of, whatever is stored; without any, those
of the suite. Each in five processes, or FILLPATH_PROCESSES, in turn with the others of its matrix."""

from benchmarks.engine import run as runs
from benchmarks.engine.machine import introduce
from benchmarks.runs import cases
from benchmarks.runs.rounds import by_matrix, measure_rounds
from commands._parser import Arguments, Parser
from commands._records import figure_cases, record_text, with_records
from fillpath import host
from fillpath.record import Status
from fillpath.settings import PROCESSES, settings
from reports.facts.claims import find_claim
from reports.facts.records import Records
from reports.figures import figure_of


def add_arguments(parser: Parser) -> None:
    parser.add_argument("claim", help="its id, as `fillpath claims` prints it")


def run(arguments: Arguments) -> int:
    introduce()
    claim = find_claim(arguments.claim)
    figure = figure_of(claim.paper, claim.subject)
    here = Records.load(host.machine_name())
    stored = with_records(figure_cases(here)(claim.paper, figure), here)
    chosen = stored or cases.figure_cases(claim.paper, figure, settings())
    # With fewer processes than the records have, a claim would become open.
    within, count, failed = runs.alone(), settings().processes or PROCESSES, 0
    for of_matrix in by_matrix(chosen):
        for record in measure_rounds(of_matrix, count, True, within):
            print(record_text(record), flush=True)
            failed += record.status is not Status.OK
    return int(bool(failed))
