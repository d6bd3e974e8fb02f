"""Print the outcome of every claim of the papers, by the records here."""

import json
from collections.abc import Collection

from benchmarks.engine.follow import adopt, begin_part
from commands._parser import Arguments, Parser
from commands._records import figure_cases, load_records
from fetch import catalogue
from fillpath.errors import InputError
from fillpath.papers import paper_names
from reports.claims.verdict import Standing
from reports.facts.claims import find_claim
from reports.facts.records import Records
from reports.pages import drawing
from reports.pages.ledger.document import to_json
from reports.pages.ledger.text import everything, table


def add_arguments(parser: Parser) -> None:
    parser.add_argument("claim", nargs="?", help="everything about this one (default: a line per claim)")
    parser.add_argument("--machine", help="only that one's records (default: every machine in results/)")
    parser.add_choice("--paper", tuple(paper_names()), help="only that one's claims")
    parser.add_argument("--json", action="store_true", help="as config/schemas/ledger.json describes it")


def run(arguments: Arguments) -> int:
    records = load_records(arguments.machine)
    one = None if arguments.claim is None else find_claim(arguments.claim)
    if one and arguments.paper not in (None, one.paper):
        raise InputError(f"{one.id} is a claim of {one.paper}, not of {arguments.paper}")
    if not records.rows:
        raise InputError("no machine has a record: `make figures` measures")
    paper = one.paper if one else arguments.paper
    found = judged(records, [paper] if paper else None)
    if one:
        found = [standing for standing in found if standing.claim.id == one.id]
    if arguments.json:
        print(json.dumps(to_json(records.machines(), found), indent=1))
    else:
        print("\n".join(map(everything, found)) if one else table(found))
    return 0


def judged(records: Records, papers: Collection[str] | None = None) -> list[Standing]:
    """Judge the claims of these papers on each machine, with a warning per figure that failed."""
    adopt()
    sources = drawing.Sources(records, figure_cases(records), catalogue.entries())
    return list(drawing.make(sources, begin_part, papers=papers).standings)
