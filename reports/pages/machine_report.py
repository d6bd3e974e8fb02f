"""A machine's report: what its records say, as files for a colleague who has nothing else of them.

Its words are in templates/machine_report.html. No time of day is in it: same records, same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from fillpath import __version__
from fillpath.case import Case
from fillpath.dicts import dicts
from fillpath.papers import paper_names
from fillpath.record import Status
from reports.claims.verdict import JUDGED
from reports.facts.records import Records
from reports.facts.standings import Standing
from reports.figures import exhibits, stem
from reports.frames.roofline import roofs
from reports.pages import ledger
from reports.pages.environment import environment
from reports.pages.hardware import draw_rooflines
from reports.pages.ledger.headline import headline
from reports.pages.ledger.order import counts
from reports.pages.ledger.text import HARDWARE_DIFFERS, measured_text
from reports.pages.webpage.machines import machine_parts
from reports.shapes import style
from reports.shapes.bars import seconds

# What is read first.
SUMMARY = "summary.html"
# The slowest cases that it names.
SLOWEST = 10
# Of each figure: what a browser shows, and the numbers.
KINDS = ("svg", "csv")


@dataclass(frozen=True)
class Figure:
    """A figure in the summary.

    name : of its files, without their endings; empty where it could not be drawn
    failure : why it could not be judged or drawn, empty where it could
    """

    paper: str
    heading: str
    name: str
    failure: str


def files(
    machine: str,
    records: Records,
    standings: Sequence[Standing],
    drawn: Collection[tuple[str, str]],
    failed: Mapping[tuple[str, str], str],
    site: Path,
) -> dict[str, bytes]:
    """The files of a report, by their paths in it: the summary, the ledger, the figures and their numbers.

    records, standings : of that machine alone
    drawn : (paper, figure) of each figure that has a record
    failed : why one of them could not be judged or drawn
    site : where they are drawn, and where the rooflines will be

    Raises InputError for damaged ceilings.
    """
    if has_ceilings := bool(roofs(machine)):
        draw_rooflines([machine], records, site / "figures")
    paths = [style.figure_path(stem(*pair), kind, site) for pair in drawn for kind in KINDS]
    pictures = [path for path in [*paths, site / "figures" / "rooflines.svg"] if path.is_file()]
    figures = [_figure(pair, failed.get(pair, ""), site) for pair in drawn]
    document = ledger.to_json([machine], standings)
    return {
        SUMMARY: _summary(machine, records, standings, figures, has_ceilings).encode(),
        "claims.json": f"{json.dumps(document, indent=1, sort_keys=True)}\n".encode(),
        **{f"figures/{path.name}": path.read_bytes() for path in pictures},
    }


def _figure(pair: tuple[str, str], failure: str, site: Path) -> Figure:
    paper, figure = pair
    is_drawn = style.figure_path(stem(*pair), "svg", site).is_file()
    return Figure(paper, exhibits(paper)[figure].heading, stem(*pair) if is_drawn else "", failure)


def _summary(
    machine: str,
    records: Records,
    standings: Sequence[Standing],
    figures: Sequence[Figure],
    has_ceilings: bool,
) -> str:
    rows = records.frame([Case.parse(record.case) for record in records.rows])
    (part,) = machine_parts([machine], rows)
    template = environment(Path(__file__).parent / "templates").get_template("machine_report.html")
    return template.render(
        version=__version__,
        machine=machine,
        facts=[*part.facts, *_provenance(records)],
        headline=headline(machine, standings),
        hardware_differs=HARDWARE_DIFFERS,
        statuses=sorted(Counter(rows["status"]).items()),
        superseded=len(records.earlier),
        counts=[(label, count) for _, label, count in counts(standings)],
        claims=[_claim_cells(standing) for standing in standings if standing.outcome in JUDGED],
        failures=_failures(rows),
        slowest=_slowest(rows),
        figures=figures,
        papers=paper_names(),
        has_ceilings=has_ceilings,
    )


def _provenance(records: Records) -> list[tuple[str, str]]:
    """Where the records come from: commits, runs, hosts, drivers."""
    every = (*records.earlier, *records.rows)
    commits = Counter(f"{(r.commit or 'unknown')[:12]}{'+dirty' if r.dirty else ''}" for r in records.rows)
    days = sorted(record.started_at[:10] for record in every)
    hosts = sorted({record.host for record in every if record.host})
    drivers = sorted({f"{r.driver} with CUDA {r.cuda}" for r in every if r.driver})
    listed = {
        "commits": ", ".join(f"{commit} ({count} cases)" for commit, count in commits.most_common()),
        "runs": f"{len({record.run_id for record in every})}, {days[0]} to {days[-1]}",
        "hosts": ", ".join(hosts) or "not recorded",
        "drivers": ", ".join(drivers),
    }
    return [(name, text) for name, text in listed.items() if text]


def _claim_cells(standing: Standing) -> tuple[str, ...]:
    """The row of a judged claim: id, print, measured, how it stands."""
    measured = measured_text(standing.claim, standing.verdict) if standing.verdict else ""
    return standing.claim.id, standing.claim.printed, measured, standing.label


def _failures(rows: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Case, status and reason of what was tried and is not ok."""
    failed = rows[~rows["status"].isin([str(Status.OK), str(Status.UNAVAILABLE)])]
    return [(row["case"], row["status"], row["reason"]) for row in dicts(failed)]


def _slowest(rows: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Case, median and interval of those that take longest."""
    ordered = rows[rows["status"] == str(Status.OK)].sort_values("median", ascending=False, kind="stable")
    return [
        (row["case"], seconds(row["median"]), f"{seconds(row['low'])} to {seconds(row['high'])}")
        for row in dicts(ordered.head(SLOWEST))
    ]
