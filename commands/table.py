"""Write a machine's results as one table, a row per case, for anybody's pandas.

docs/table.md explains each column."""

import sys
from pathlib import Path

from commands._parser import Arguments, Parser
from commands._records import machine_holdings
from fetch import catalogue
from fillpath import LOG
from fillpath.case import Case
from fillpath.papers import paper_names
from fillpath.paths import write_text
from reports.facts.records import Records
from reports.shapes.files import bare_text
from reports.table import OBJECTS, case_table


def add_arguments(parser: Parser) -> None:
    parser.add_argument("machine", help="a folder of results/")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="default: standard output")
    parser.add_choice("--paper", tuple(paper_names()), help="call matrices as its figures do")


def run(arguments: Arguments) -> None:
    LOG.info("%s", machine_holdings(arguments.machine))
    records = Records.load(arguments.machine)
    cases = [Case.parse(record.case) for record in records.rows]
    rows = case_table(records, cases, catalogue.entries(), arguments.paper or "")
    text = bare_text(rows.drop(columns=list(OBJECTS)))
    if arguments.csv is None:
        sys.stdout.write(text)
    else:
        write_text(arguments.csv, text)
        print(f"wrote {len(rows)} cases of {arguments.machine} to {arguments.csv}")
