"""Measure anew what decides a claim, in one run.

The cases behind the claim's figure that this machine has records of, whatever is stored; without any, those
of the suite."""

from __future__ import annotations

import argparse

from benchmarks.engine import run as runs
from benchmarks.engine.machine import introduce
from benchmarks.runs import cases
from benchmarks.runs.rounds import measure_rounds
from commands._parser import Parser
from commands._records import figure_cases, record_text, with_records
from fillpath import host
from fillpath.record import Status
from fillpath.settings import settings
from reports.facts.claims import find_claim
from reports.facts.records import Records
from reports.figures import figure_of


def add_arguments(parser: Parser) -> None:
    parser.add_argument("claim", help="its id, as `fillpath claims` prints it")


def run(arguments: argparse.Namespace) -> int:
    introduce()
    claim = find_claim(arguments.claim)
    figure = figure_of(claim.paper, claim.subject)
    here = Records.load(host.machine_name())
    stored = with_records(figure_cases(here)(claim.paper, figure), here)
    chosen = stored or cases.figure_cases(claim.paper, figure, settings())
    within, failed = runs.alone(), 0
    for record in measure_rounds(chosen, settings().rounds, True, within):
        print(record_text(record), flush=True)
        failed += record.status is not Status.OK
    return int(bool(failed))
