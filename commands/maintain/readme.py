"""Write the README's part on what is reproduced, from the records of one machine."""

from __future__ import annotations

import argparse

from commands._parser import Parser
from commands._records import figure_cases, load_records
from commands.maintain._part import add_check, update
from fetch import catalogue
from fillpath.paths import ROOT
from reports.pages import ledger
from reports.pages.readme_table import PART, state


def add_arguments(parser: Parser) -> None:
    parser.add_argument("machine", help="whose records: a folder of results/")
    add_check(parser)


def run(arguments: argparse.Namespace) -> int:
    records = load_records()
    standings = ledger.ledger(arguments.machine, records, catalogue.entries(), figure_cases(records))
    return update(PART, ROOT / "README.md", state(arguments.machine, standings), arguments)
