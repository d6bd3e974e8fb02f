"""Print how every claim of the papers stands, by the records here."""

from __future__ import annotations

import argparse
import json

from commands._parser import Parser
from commands._records import figure_cases, load_records
from fetch import catalogue
from fillpath.errors import InputError
from fillpath.papers import paper_names
from reports.pages import ledger


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--machine", help="only that one's records (default: every machine in results/)")
    parser.add_choice("--paper", tuple(paper_names()), help="only that one's claims")
    parser.add_argument("--json", action="store_true", help="as config/schemas/ledger.json describes it")


def run(arguments: argparse.Namespace) -> int:
    records = load_records()
    if arguments.machine in records.refused:
        raise InputError(records.refused[arguments.machine])
    machines = records.machines() if arguments.machine is None else [arguments.machine]
    papers = [arguments.paper] if arguments.paper else tuple(paper_names())
    entries, cases_of = catalogue.entries(), figure_cases(records)
    standings = [
        standing
        for machine in machines
        for standing in ledger.ledger(machine, records, entries, cases_of, papers)
    ]
    if arguments.json:
        print(json.dumps(ledger.to_json(machines, standings), indent=1))
    else:
        print(ledger.table(standings))
    return 0
