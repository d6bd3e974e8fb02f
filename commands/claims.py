"""Print the outcome of every claim of the papers, by the records here."""

import json
from collections.abc import Collection

from benchmarks.engine.follow import adopt, begin_part
from commands._parser import Arguments, Parser
from commands._records import figure_cases, load_records
from fetch import catalogue
from fillpath.errors import InputError, find
from fillpath.papers import paper_names
from reports.claims.verdict import Standing
from reports.facts.claims import Claim, claims
from reports.facts.records import Records
from reports.figures import deciding
from reports.pages import drawing
from reports.pages.ledger.document import to_json
from reports.pages.ledger.text import everything, table


def add_arguments(parser: Parser) -> None:
    parser.add_argument("claim", nargs="?", help="all of a claim, or a line per claim of a figure or paper")
    parser.add_argument("--machine", help="only that one's records (default: every machine in results/)")
    parser.add_choice("--paper", tuple(paper_names()), help="only that one's claims")
    parser.add_argument("--json", action="store_true", help="as config/schemas/ledger.json describes it")


def run(arguments: Arguments) -> None:
    records, name, paper = load_records(arguments.machine), arguments.claim, arguments.paper
    chosen = [claim for claim in claims().values() if name in (None, *_names(claim))]
    if not chosen:
        known = dict.fromkeys(each for claim in claims().values() for each in _names(claim))
        find(name, known, "no claim", "; `fillpath claims` lists them")
    if paper and all(claim.paper != paper for claim in chosen):
        raise InputError(f"{name} has no claim of {paper}: leave --paper out")
    if not records.rows:
        raise InputError("no machine has a record: `make figures` measures")
    papers = [paper] if paper else {claim.paper for claim in chosen}
    found = [standing for standing in judged(records, papers) if standing.claim in chosen]
    if arguments.json:
        print(json.dumps(to_json(records.machines(), found), indent=1))
    else:
        print("\n".join(map(everything, found)) if name in claims() else table(found))


def _names(claim: Claim) -> tuple[str, ...]:
    """Return the names that choose a claim: its own, and those of its figure, subject and paper."""
    figure = deciding(claim.paper).get(claim.subject, claim.subject)
    return claim.id, f"{claim.paper}.{figure}", f"{claim.paper}.{claim.subject}", claim.paper


def judged(records: Records, papers: Collection[str] | None = None) -> list[Standing]:
    """Judge the claims of these papers on each machine, with a warning per figure that failed."""
    adopt()
    sources = drawing.Sources(records, figure_cases(records), catalogue.entries())
    return list(drawing.make(sources, begin_part, papers=papers).standings)
