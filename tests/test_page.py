"""The page: every claim and case on it, every link of it to something. All numbers are made up."""

from __future__ import annotations

import html
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest

from benchmarks.runs import airspeed
from commands import main
from fillpath import paths
from fillpath.paths import results
from fillpath.record import record_path, write_records
from reports import figures
from reports.claims.standing import Missing, Standing
from reports.claims.verdict import Outcome, outcome_label
from reports.exhibit import Exhibit
from reports.facts.claims import claims
from reports.facts.records import Records
from reports.figures import exhibits
from reports.hardware.comparison import compare
from reports.hardware.pictures import draw_comparison
from reports.pages import drawing, webpage
from reports.pages.ledger import ledger
from reports.pages.ledger import standing as judging
from reports.pages.ledger import view as viewing
from reports.pages.ledger.order import machines_of
from reports.pages.webpage.scoreboard import MARKS
from reports.shapes import files, style
from reports.shapes.sheet import Cells, Heading, Line, read_cells
from tests.reports_fakes import (
    CASES,
    ENTRIES,
    ON_FILLED,
    ON_GPU,
    ON_GRAPHS,
    RECORDS,
    made_cases,
    own_cases,
    site,
    standings,
)
from tests.serial import Serial

__all__ = ["site", "standings"]
SIZE = 3_000_000
# Closes tags and attributes where it is not escaped, and is a character of HTML where it is escaped twice.
HOSTILE = """</td><evil a="b" c='d'>&lt;"""


def linked(page: Path) -> list[str]:
    return [unquote(link) for link in re.findall(r'(?:href|src)="([^"]+)"', page.read_text())]


def test_every_claim_has_a_word_and_a_symbol_and_leads_to_its_numbers(
    site: Path, standings: list[Standing]
) -> None:
    page = webpage.page(standings, CASES, RECORDS, ENTRIES)
    text = page.read_text()
    matrix = text.partition('<table id="claims"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", matrix.partition("<tbody>")[2], re.DOTALL)
    assert len(rows) == len(claims()) == len(standings)
    for row, standing in zip(rows, standings, strict=True):
        label = outcome_label(standing.outcome, standing.indicative)
        assert label in row and MARKS[standing.outcome].symbol in row
        assert f'href="#{standing.claim.id}.made-up"' in row
        assert all(verdict.coverage in row for verdict in standing.judged)
    assert len(text.encode()) < SIZE


def test_every_link_leads_to_something(site: Path, standings: list[Standing]) -> None:
    for pair in figures.available_figures()[::16]:
        figures.draw(*pair, own_cases(*pair, CASES), RECORDS, ENTRIES)
    page = webpage.page(standings, CASES, RECORDS, ENTRIES)
    ids = re.findall(r' id="([^"]+)"', page.read_text())
    assert len(ids) == len(set(ids))
    shown = [link for link in linked(page) if not link.startswith("data:")]
    # Records are made up and lie nowhere.
    files = [link for link in shown if not link.startswith("#") and ".jsonl" not in link]
    assert all((page.parent / link).is_file() for link in files), files
    assert {link[1:] for link in shown if link.startswith("#")} <= set(ids)


def test_every_case_is_on_the_page_and_text_is_escaped(site: Path) -> None:
    text = webpage.page([], CASES, RECORDS, ENTRIES).read_text()
    assert all(case.name in text for case in CASES)
    assert "3 rows differ &lt;first: 7 &amp; 9&gt;" in text and "<first" not in text


class Pieces(HTMLParser):
    """The tags, texts and attributes' values of a page, unescaped."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.values: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.values |= {value for _, value in attrs if value}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def hostile(standing: Standing) -> Standing:
    """A standing whose machine, matrices and reasons are all called HOSTILE."""
    verdict = standing.verdict and replace(standing.verdict, left_out=((HOSTILE, HOSTILE),))
    return replace(
        standing, machine=HOSTILE, verdict=verdict, why=f"why {HOSTILE}", command=f"again {HOSTILE}",
        missing=(Missing("matrix", (f"lack {HOSTILE}",)),), records=(f"{HOSTILE}/records/a.jsonl",),
    )  # fmt: skip


def test_names_and_reasons_are_text_whatever_characters_they_hold(
    site: Path, standings: list[Standing]
) -> None:
    elsewhere = tuple(replace(record, machine=HOSTILE, device=HOSTILE) for record in RECORDS.rows)
    both = replace(RECORDS, rows=(*RECORDS.rows, *elsewhere), refused={f"far{HOSTILE}": f"torn {HOSTILE}"})
    shown = [*standings, *map(hostile, standings)]
    text = webpage.page(shown, CASES, both, ENTRIES, compare(["made-up", HOSTILE], both)).read_text()
    pieces = Pieces(text)
    assert "evil" not in pieces.tags
    assert {HOSTILE, f"machine-{HOSTILE}", f"verdict on {HOSTILE}"} <= pieces.values
    texts = {" ".join(piece.split()) for piece in pieces.texts}
    wanted = [HOSTILE, f"why {HOSTILE}", f"again {HOSTILE}", f"lack {HOSTILE}", f": torn {HOSTILE}"]
    assert set(wanted) <= texts
    assert f"made-up and {HOSTILE}" in texts and f"{HOSTILE}: {HOSTILE}" in texts


def test_the_page_stands_before_anything_is_measured_or_drawn(site: Path) -> None:
    text = webpage.page([], CASES, Records(), ENTRIES).read_text()
    assert "No machine has a record yet" in text and "Not drawn" in text


def test_asvs_pages_are_linked_where_they_are(site: Path) -> None:
    assert "asv/index.html" not in webpage.page([], CASES, RECORDS, ENTRIES).read_text()
    (site / "asv").mkdir(parents=True)
    (site / "asv" / "index.html").touch()
    assert "asv/index.html" in webpage.page([], CASES, RECORDS, ENTRIES).read_text()


def test_all_machines_are_compared_in_one_table(site: Path) -> None:
    """`third` has solved fewer inputs: a gap."""
    own = [
        replace(record, prepared={**(record.prepared or {}), "hash": record.parts["matrix"]})
        for record in RECORDS.rows
    ]
    counts = {"made-up": len(own), "other": 9, "third": 3}
    every = Records(tuple(replace(r, machine=name) for name, n in counts.items() for r in own[:n]))
    comparison = compare(["made-up", "other", "third"], every)
    draw_comparison(comparison, every)
    page = webpage.page([], CASES, every, ENTRIES, comparison)
    assert "Geometric means" in page.read_text()
    assert "whoever implements it" in page.read_text()
    head, *rows = rows_of(page.read_text(), "compare-best")
    assert head == [
        "problem", "input", "made-up", "other", "third", "made-up over other", "made-up over third"
    ]  # fmt: skip
    (whole,) = [row for row in rows if row[4] != "-"]
    assert whole[1] == "poisson3d,16.metis" and whole[5].startswith("1x ")
    assert [row[6] for row in rows].count("-") == len(rows) - 1 == 3
    folder = "site/compare/made-up_other_third"
    assert {f"{folder}/{name}" for name in ("ratios.csv", "best.csv", "best.svg")} <= set(linked(page))
    assert all((paths.PAGE.parent / link).is_file() for link in linked(page) if link.startswith("site/"))


def test_a_folder_that_was_refused_is_named_with_the_reason(site: Path, standings: list[Standing]) -> None:
    torn = replace(RECORDS, refused={"far": "records/a.jsonl:1: corrupted: <torn>"})
    text = webpage.page(standings, CASES, torn, ENTRIES).read_text()
    assert "Left out: far" in text and "corrupted: &lt;torn&gt;" in text


def put_machines(count: int) -> list[str]:
    """Folders of so many machines: this one, which has measured nothing, one that is torn from three on, and
    others that have records of ParAC's Table 2 and of some other cases. Returns those with records."""
    (results() / "test-machine").mkdir(parents=True)
    names = [f"machine-{number}" for number in range(1, count)]
    for name in names:
        for record in RECORDS.rows[::6] + RECORDS.rows[-len(ON_GRAPHS) :]:
            moved = replace(record, machine=name)
            write_records(record_path(name, record.case), [moved])
    if count < 3:
        return names
    next((results() / names[-1] / "records").iterdir()).write_text("{torn")
    return names[:-1]


@pytest.mark.parametrize(
    "count", [1, 3, *(pytest.param(count, marks=pytest.mark.thorough) for count in (2, 5))]
)
def test_the_page_is_drawn_from_any_number_of_machines(site: Path, count: int) -> None:
    names = put_machines(count)
    records = Records.load()
    assert records.machines() == names
    assert set(records.refused) == ({f"machine-{count - 1}"} if count > 2 else set())
    cases = [case for case in ON_GRAPHS if case.stage == "laplacian"]
    standings = [s for name in names for s in ledger(name, records, ENTRIES, lambda *_: cases, ["parac"])]
    csv = figures.draw("parac", "table2", cases, records, ENTRIES)[1]
    below = [line for line in csv.read_text().splitlines() if line.startswith("# verdict ")]
    comments, frame = files.read_csv(csv)
    verdicts = [key for key in comments if key.startswith("verdict ")]
    assert len(verdicts) == len(below) and {"matrix", "label"} <= set(frame)
    judged = {name for name in names for key in verdicts if name in key and "below_hypre" in key}
    assert judged == set(names[:1]), "of machines that say as much the first"
    comparison = compare(names, records) if len(names) > 1 else None
    text = webpage.page(standings, cases, records, ENTRIES, comparison).read_text()
    assert names or "No machine has a record yet" in text
    assert all(f'id="machine-{name}"' in text for name in names)
    assert all(f"Left out: {name}" in text for name in records.refused)
    assert text.count("<li>verdict parac.table2_cpu") == len(below)


def test_a_figure_whose_files_cannot_be_read_stops_no_page(site: Path, standings: list[Standing]) -> None:
    for figure in ("table1", "fig14"):
        figures.draw("gsofa", figure, CASES[:3] if figure == "table1" else ON_GPU[:4], RECORDS, ENTRIES)
    for kind in ("csv", "page.svg", "table.json"):
        path = style.figure_path("gsofa_table1", kind)
        whole = path.read_bytes()
        path.write_bytes(b"\xff\xfe")
        text = webpage.page(standings, CASES, RECORDS, ENTRIES).read_text()
        path.write_bytes(whole)
        assert text.count("Not shown: its files cannot be read") == 1, kind
        assert "site/figures/gsofa_fig14.page.svg" in text and "gsofa_table1-table" not in text


def rows_of(page: str, table: str) -> list[list[str]]:
    """The texts of a table's cells, row by row, its head first."""
    markup = page.partition(f'<table id="{table}"')[2].partition("</table>")[0]
    rows = [re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in markup.split("<tr")[1:]]
    return [[html.unescape(re.sub(r"<[^>]+>", "", cell)) for cell in row] for row in rows]


def joined(text: str, below: str) -> str:
    """A cell of the first column, or without a print, as the page has it."""
    return f"{text}  {below}" if below else text


def test_a_table_stands_on_the_page_as_text_with_the_cells_of_its_picture(
    site: Path, standings: list[Standing]
) -> None:
    figures.draw("glu3", "table2", own_cases("glu3", "table2", ON_FILLED), RECORDS, ENTRIES)
    cells = read_cells(style.figure_path("glu3_table2", style.TABLE))
    text = webpage.page(standings, CASES, RECORDS, ENTRIES).read_text()
    groups, head, *rows = rows_of(text, "glu3_table2-table")
    assert groups == [group for group, _ in cells.groups]
    assert head == [heading.text or "note" for heading in cells.headings]
    assert rows == [list(map(joined, line.cells, line.below or [""] * len(head))) for line in cells.lines]
    assert "glu3_table2.page.svg" not in text and "site/figures/glu3_table2.svg" in text
    markup = text.partition('<table id="glu3_table2-table"')[2].partition("</table>")[0]
    assert markup.count('class="shaded"') == sum(line.shaded for line in cells.lines) > 0
    assert markup.count('scope="row"') == len(rows) and markup.count('scope="col"') == len(head)


def test_a_table_drawn_before_its_cells_were_kept_is_its_picture(
    site: Path, standings: list[Standing]
) -> None:
    figures.draw("gsofa", "table1", CASES, RECORDS, ENTRIES)
    style.figure_path("gsofa_table1", style.TABLE).unlink()
    text = webpage.page(standings, CASES, RECORDS, ENTRIES).read_text()
    assert "site/figures/gsofa_table1.page.svg" in text and "gsofa_table1-table" not in text


def test_what_is_printed_stands_in_the_cell_of_what_was_measured(site: Path) -> None:
    headings = [Heading("matrix", left=True), Heading("total", "ours"), Heading("ratio", "ours")]
    lines = [Line(["a", HOSTILE, "1,234.5x"], ["printed", "7", HOSTILE], shaded=True)]
    figures.draw("gsofa", "table1", CASES, RECORDS, ENTRIES)
    Cells(headings, lines).write(style.figure_path("gsofa_table1", style.TABLE))
    text = webpage.page([], CASES, RECORDS, ENTRIES).read_text()
    assert rows_of(text, "gsofa_table1-table")[-1] == [
        "a  printed", f"{HOSTILE} printed 7", f"1,234.5x printed {HOSTILE}"
    ]  # fmt: skip
    assert "evil" not in Pieces(text).tags and 'data-order="1234.5"' in text


@pytest.fixture
def two_figures(monkeypatch: pytest.MonkeyPatch) -> dict[str, Exhibit]:
    """Claims are judged by two figures of GSoFA alone."""
    shown = {name: exhibits("gsofa")[name] for name in ("fig10", "fig14")}
    monkeypatch.setattr(judging, "exhibits", lambda paper: shown)
    monkeypatch.setattr(viewing, "exhibits", lambda paper: shown)
    return shown


def torn(*arguments: object) -> pd.DataFrame:
    return pd.read_csv(io.StringIO("a,b\n1,2,3\n4,5\n1,2,3,4"))


def test_a_figure_that_cannot_be_judged_costs_its_own_claims_alone(
    two_figures: dict[str, Exhibit], standings: list[Standing]
) -> None:
    before = {s.claim.id: s for s in standings if s.claim.paper == "gsofa" and s.figure in two_figures}
    two_figures["fig14"] = replace(two_figures["fig14"], rows=torn)
    found = {s.claim.id: s for s in ledger("made-up", RECORDS, ENTRIES, made_cases, ["gsofa"]) if s.figure}
    lost = {id for id, s in found.items() if "could not be judged: ParserError" in s.why}
    assert lost == {id for id, s in before.items() if s.figure == "fig14" and not s.claim.needs}
    kept = before.keys() - lost
    assert kept and all(found[id] == before[id] for id in kept)


@pytest.mark.parametrize("status", [0, 1])
def test_a_figure_that_cannot_be_judged_makes_the_exit_status_one(
    site: Path, two_figures: dict[str, Exhibit], monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture, status: int,
) -> None:  # fmt: skip
    for record in RECORDS.rows[:9]:
        write_records(record_path(record.machine, record.case), [record])
    monkeypatch.setattr(airspeed, "publish", lambda: None)
    monkeypatch.setattr("commands.page.adopt", lambda: None)
    monkeypatch.setattr("commands.page.begin_part", lambda: None)
    monkeypatch.setattr(drawing, "workers", Serial)
    if status:
        two_figures["fig14"] = replace(two_figures["fig14"], rows=torn)
    # The claims of that figure's paper.
    monkeypatch.setattr(drawing, "paper_names", lambda: ["gsofa"])
    assert main(["page"]) == status
    assert ("gsofa.fig14 not judged on made-up: ParserError" in caplog.text) == bool(status)
    assert ("could not be judged: ParserError" in paths.PAGE.read_text()) == bool(status)


def test_the_first_machine_is_that_with_the_most_judged_claims(standings: list[Standing]) -> None:
    idle = [replace(s, machine="a", outcome=Outcome.NOT_RUN) for s in standings]
    assert machines_of([*idle, *standings]) == ["made-up", "a"]


def test_the_page_links_one_of_asvs_series_by_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "SITE", tmp_path / "site")
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "results"))
    for path in (tmp_path / "site" / "asv" / "index.html", tmp_path / "results" / "asv" / "benchmarks.json"):
        path.parent.mkdir(parents=True)
        path.write_text(
            json.dumps({"levels.Levels.track_seconds": {}, "levels.Levels.track_edges": {}, "version": 2})
        )
    timings = webpage._timings()
    assert timings and timings.benchmarks == ["levels.Levels.track_seconds"]
