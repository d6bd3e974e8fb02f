"""The page that shows everything: one HTML file with its style and script in it, which opens from disk.

Each other module here gathers the content of one part. templates/ has all markup, assets/ the style and the
script.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from fillpath import paths
from fillpath.case import Case
from fillpath.papers import paper_names
from fillpath.paths import ROOT, write_text
from reports.claims.verdict import JUDGED, Standing
from reports.facts.printed import Entries
from reports.facts.records import Records
from reports.hardware import text as hardware
from reports.hardware.comparison import Comparison, by_input, plain
from reports.hardware.pictures import comparison_folder
from reports.hardware.roofline import roofs
from reports.pages.ledger.text import HARDWARE_DIFFERS, value_text
from reports.pages.webpage.cards import all_cards
from reports.pages.webpage.exhibits import claim_rows, machines_of, paper_part
from reports.pages.webpage.machines import machine_facts
from reports.shapes.bars import seconds, times
from reports.table import COLUMNS, all_rows

HERE = Path(__file__).parent


def page(
    standings: Sequence[Standing],
    cases: Sequence[Case],
    records: Records,
    entries: Entries,
    comparison: Comparison | None = None,
    undrawn: Mapping[tuple[str, str], str] | None = None,
) -> Path:
    """Write the page: cards, each paper's figures as far as they are drawn, machines, claims, cases.

    cases : all that the page lists
    comparison : of the machines; None leaves that part out
    undrawn : by (paper, figure) of measured figures, why there may be no picture
    """
    machines = machines_of(standings)
    rows = all_rows(records, cases, entries)[list(COLUMNS)].sort_values("case", kind="stable")
    asv, listing = paths.SITE / "asv" / "index.html", paths.WORK / "asv" / "benchmarks.json"
    series = sorted(json.loads(listing.read_text())) if listing.is_file() else []
    papers = [paper_part(paper, standings, machines, undrawn or {}) for paper in paper_names()]
    text = _ENVIRONMENT.get_template("page.html").render(
        cards=all_cards(standings, records, comparison, papers),
        judging=machines_of([standing for standing in standings if standing.outcome in JUDGED]),
        claims=claim_rows(standings, machines),
        papers=papers,
        comparison=comparison,
        rooflines=comparison is not None and any(map(roofs, comparison.machines)),
        cases=plain(rows),
        machines={name: machine_facts(name, rows, records) for name in machines},
        refused=records.refused,
        docs=ROOT / "docs",
        assets={path.name: path.read_text() for path in (HERE / "assets").iterdir()},
        timings=asv if asv.is_file() else None,
        # Series of seconds alone: a stage has one series for each count as well.
        series=[name for name in series if name.endswith(".track_seconds")],
    )
    write_text(paths.PAGE, re.sub(r"\s*\n\s*", "\n", text))
    return paths.PAGE


def address(path: Path) -> str:
    """Return a file as the page links to it."""
    return quote(Path(os.path.relpath(path, paths.PAGE.parent)).as_posix())


# Values are escaped, and an unknown name is an error.
_ENVIRONMENT = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_ENVIRONMENT.filters |= {each.__name__: each for each in (address, plain, seconds, times, value_text)}
_ENVIRONMENT.tests["judged"] = lambda row: any(s and s.outcome in JUDGED for s in row)
_ENVIRONMENT.globals |= {"HARDWARE_DIFFERS": HARDWARE_DIFFERS, "hardware": hardware, "by_input": by_input}
_ENVIRONMENT.globals |= {"comparison_folder": comparison_folder, "paper_names": paper_names}
