"""The page: every claim and case on it, every link of it to something. All numbers are made up."""

import html
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pandas as pd
import pytest

from benchmarks.runs import airspeed
from commands import main
from fillpath import paths
from fillpath.case import Case
from fillpath.paths import results
from fillpath.record import Status, record_path, write_records
from reports import figures
from reports.claims.judge import judge_numbers
from reports.claims.verdict import JUDGED, Missing, Outcome, Reason, Standing
from reports.facts.claims import Kind, claims, find_claim
from reports.facts.records import Records
from reports.figures import exhibits
from reports.hardware.comparison import compare
from reports.hardware.pictures import draw_comparison
from reports.pages import drawing, webpage
from reports.pages.webpage import cards
from reports.shapes import style
from reports.shapes.sheet import Cells, Heading, Line, read_cells
from tests import reports_fakes as fakes
from tests.reports_fakes import CASES, ENTRIES, ON_GPU, OTHERS, RECORDS, draw, ledger, made_cases
from tests.serial import Serial

pytestmark = pytest.mark.usefixtures("site")
SIZE = 800_000
# Keeps the line of an empty cell above what stands below.
NO_BREAK = "\u00a0"
NOT_DRAWN = {
    "gsofa_fig14": "not drawn yet. Draw it from its records: <code>.venv/bin/fillpath page --draw</code>",
    "glu3_raw": "Measured, but not drawn: ValueError: no &lt;axes&gt;",
    "gsofa_fig15": "Not drawn: no machine has a record of the figure.",
}
# Closes tags and attributes where it is not escaped, and is a character of HTML where it is escaped twice.
HOSTILE = """</td><evil a="b" c='d'>&lt;"""


def page(standings: Sequence[Standing] = (), records: Records = RECORDS, *more: Any) -> str:
    return webpage.page(standings, CASES, records, ENTRIES, *more).read_text()


def linked(text: str) -> list[str]:
    return [unquote(link) for link in re.findall(r'(?:href|src)="([^"]+)"', text)]


def rows_of(text: str, table: str, clean: bool = True) -> list[list[str]]:
    """The texts, or the markup, of a table's cells, row by row, its head first."""
    markup = text.partition(f'<table id="{table}"')[2].partition("</table>")[0]
    rows = [re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in markup.split("<tr")[1:]]
    return [[html.unescape(re.sub(r"<[^>]+>", "", cell)) if clean else cell for cell in row] for row in rows]


def case_lines(text: str) -> list[list[str]]:
    """The cases of a page, a list of texts each."""
    lines = text.partition('aria-label="all cases">')[2].partition("</pre>")[0].strip("\n").splitlines()
    rows = [[*html.unescape(line).split("\t"), "", ""][:7] for line in lines[1:]]
    cases = accumulate((row[5] for row in rows), case_below)
    return [[*row[:5], case, *row[6:]] for row, case in zip(rows, cases, strict=True)]


def case_below(above: str, text: str) -> str:
    """The case of a line, from the case of the line above."""
    return above.partition("@")[0] + text if text.startswith("@") else text or above


class Pieces(HTMLParser):
    """The `<tags>`, texts and attributes' values of a page, unescaped."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.all: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all |= {f"<{tag}>", *(value for _, value in attrs if value)}

    def handle_data(self, data: str) -> None:
        self.all.add(" ".join(data.split()))


def test_every_claim_has_a_word_a_symbol_and_its_numbers(standings: list[Standing]) -> None:
    """Claims that are judged come first, those that were not reproduced before all."""
    text = page(standings)
    symbols = set(
        re.findall(
            r"\.([a-z-]+)::before { content: \"(.)\"; }", (webpage.HERE / "assets" / "page.css").read_text()
        )
    )
    assert {outcome.replace(" ", "-") for outcome in Outcome} == dict(symbols).keys()
    assert len({symbol for _, symbol in symbols}) == len(Outcome)
    judged, rest = (rows_of(text, table, clean=False)[1:] for table in ("claims", "claims-rest"))
    order = ["not reproduced", "other size", "reproduced", "open", "not judged"]
    assert len(judged) == sum(s.outcome in JUDGED for s in standings) and len(judged + rest) == len(claims())
    ordered = sorted(standings, key=lambda s: order.index(s.outcome))
    for row, standing in zip(map("".join, judged + rest), ordered, strict=True):
        assert f'href="#{standing.claim.id}"' in row and f">{standing.outcome}</span>" in row
        assert standing.verdict is None or standing.verdict.coverage in row
        assert text.count(f'<tr id="{standing.claim.id}">') == 1


def test_a_page_of_four_machines_and_as_many_cases_as_results_has_weighs_less_than_the_bound(
    standings: list[Standing],
) -> None:
    every = [replace(s, machine=f"machine-{i}") for i in range(4) for s in standings]
    rows = tuple(replace(r, machine=f"machine-{i}") for i in range(12) for r in RECORDS.rows)
    cases = [Case.parse(name) for name in {record.case for record in rows}]
    text = webpage.page(every, cases, Records(rows), ENTRIES).read_text()
    assert len(case_lines(text)) > 1000 and len(text.encode()) < SIZE


def test_a_card_says_what_was_measured_and_what_the_paper_prints(standings: list[Standing]) -> None:
    """Of a GPU's record its name, of no record what is missing, in five words."""
    claim = find_claim("gsofa.fig10_vs_fill2_gpu.mean")
    (standing,) = [s for s in standings if s.claim == claim]
    verdict = judge_numbers(claim, {"BC": 26.0})
    known = replace(standing, verdict=verdict, records=("a",), outcome=verdict.outcome, reason=None)
    text, below, _ = cards.sentence(known, {"a": "NVIDIA H100 80GB HBM3"})
    assert text == f"On an NVIDIA H100, {claim.card.format(measured='26 times')}, on BC."
    assert below == f"The paper prints 13.01x on average over 13 matrices. Open: {verdict.why}."
    same = replace(verdict, printed=9.0)
    assert "13 matrices, 9x on the same 1." in cards.sentence(replace(known, verdict=same), {})[1]
    part = replace(known, verdict=judge_numbers(claim, {"BC": 26.0, "RM": 26.0}))
    assert cards.sentence(part, {})[0].endswith("GPU, averaged over 2 of 13 matrices.")
    missing = Missing("matrix", ("onetone1 (O1)", "bbmat", "c"))
    lacking = replace(known, verdict=None, beside=(), missing=(missing,))
    assert cards.sentence(lacking, {})[:2] == (
        f"The paper says: {claim.card.format(measured='13.01 times')}.", "Not measured yet: onetone1, bbmat.",
    )  # fmt: skip
    for each in (claim for claim in claims().values() if claim.card):
        rest = "" if each.aggregate == "count" else ", averaged over 3 of 13 matrices"
        words = f"On an NVIDIA H100, {each.card.format(measured='13 times')}{rest}".split()
        assert "{measured}" in each.card and len(words) <= 25, each.id


def test_records_of_no_problem_have_a_card_too() -> None:
    only = Records((fakes.measured("fill2_cpu", 1.0, case="levels.glu2@bcsstk18.metis"),))
    assert cards.all_cards((), only, None, ())[-2]["lines"] == [
        ("Not measured yet: three common inputs.", "", None)
    ]


def card_of(text: str, title: str) -> str:
    (card,) = [each for each in text.split('<article class="card">')[1:] if f">{title}<" in each]
    return card.partition("</article>")[0]


def test_the_picture_of_a_card_is_of_the_machine_of_its_sentences(standings: list[Standing]) -> None:
    """A paper's first chart is of another machine: the next that is of the card's machine stands there."""
    draw("gsofa", "fig14", ON_GPU[:4], RECORDS, ENTRIES)
    assert "gsofa_fig14.page.svg" in card_of(page(standings), "GSoFA (TPDS 2021)")
    elsewhere = replace(RECORDS, rows=tuple(replace(record, machine="other") for record in RECORDS.rows))
    moved = [replace(standing, machine="other") for standing in standings]
    text = page(moved, elsewhere)
    assert "<img" not in card_of(text, "GSoFA (TPDS 2021)") and "gsofa_fig14.page.svg" in text
    draw("gsofa", "fig20", ON_GPU[:4], elsewhere, ENTRIES)
    card = card_of(page(moved, elsewhere), "GSoFA (TPDS 2021)")
    assert "gsofa_fig20.page.svg" in card and "Picture: other<" in card


def test_every_link_leads_to_something_and_every_case_is_there(standings: list[Standing]) -> None:
    for pair in figures.available_figures()[::16]:
        draw(*pair, fakes.own_cases(*pair, CASES), RECORDS, ENTRIES)
    text = page(standings)
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    shown = [link for link in linked(text) if not link.startswith("data:")]
    # Records are made up and lie nowhere.
    files = [link for link in shown if not link.startswith("#") and ".jsonl" not in link]
    assert all((paths.PAGE.parent / link).is_file() for link in files), files
    assert {link[1:] for link in shown if link.startswith("#")} <= set(ids)
    assert {case.name for case in CASES} <= {row[5] for row in case_lines(text)}


def hostile(standing: Standing) -> Standing:
    """A standing whose machine, matrices and reasons are all called HOSTILE."""
    verdict = standing.verdict and replace(standing.verdict, left_out=((HOSTILE, HOSTILE),))
    return replace(
        standing, machine=HOSTILE, verdict=verdict, why=f"why {HOSTILE}", command=f"again {HOSTILE}",
        missing=(Missing("matrix", (f"lack {HOSTILE}",)),), records=(f"{HOSTILE}/records/a.jsonl",),
    )  # fmt: skip


def test_names_and_reasons_are_text_whatever_characters_they_hold(standings: list[Standing]) -> None:
    """A machine without a judged claim has no column; a folder that was refused is named with the reason."""
    idle = [replace(s, outcome=Outcome.NOT_JUDGED, reason=Reason.NOT_RUN) for s in map(hostile, standings)]
    elsewhere = tuple(replace(record, machine=HOSTILE, device=HOSTILE) for record in RECORDS.rows)
    both = replace(RECORDS, rows=(*RECORDS.rows, *elsewhere), refused={f"far{HOSTILE}": f"torn {HOSTILE}"})
    text = page([*idle, *standings], both, compare(["made-up", HOSTILE], both))
    before = ("", "machine-", "why ", "Missing matrix: lack ", ": torn ")
    wanted = {f"Left out: far{HOSTILE} (", *(words + HOSTILE for words in before)}
    found = {piece.rstrip(".") for piece in Pieces(text).all}
    assert wanted <= found and "<evil>" not in found
    assert rows_of(text, "claims")[0][-1] == "made-up"
    assert any(piece.startswith(f"made-up and {HOSTILE}: the best") for piece in found)
    reasons = {row[-1] for row in case_lines(text)}
    assert {"3 rows differ <first: 7 & 9>", "killed at 6 GB, while assembling # rows"} <= reasons


def test_a_call_that_was_ended_took_longer_than_its_seconds(standings: list[Standing]) -> None:
    ended = replace(RECORDS.rows[0], status=Status.TIMEOUT, seconds=[], longer_than=30.4)
    text = page(standings, replace(RECORDS, rows=(ended, *RECORDS.rows[1:])))
    assert ["timeout", "-", "over 30.4 s", "0", ended.case] in [row[1:6] for row in case_lines(text)]


def test_asvs_pages_are_linked_where_they_are_one_of_its_series_by_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "WORK", tmp_path / "work")
    assert "asv/index.html" not in page()
    index, listing = paths.SITE / "asv" / "index.html", paths.WORK / "asv" / "benchmarks.json"
    for path, content in ((index, {}), (listing, {"levels.A.track_seconds": {}, "levels.A.track_edges": {}})):
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content))
    links = [link for link in linked(page()) if "asv/index.html" in link]
    assert links == ["site/asv/index.html", "site/asv/index.html#levels.A.track_seconds"]


def test_all_machines_are_compared_in_one_table() -> None:
    """`third` has solved fewer inputs: a gap."""
    own = [replace(r, prepared={**(r.prepared or {}), "hash": r.parts["matrix"]}) for r in RECORDS.rows]
    counts = {"made-up": len(own), "other": 9, "third": 3}
    every = Records(tuple(replace(r, machine=name) for name, n in counts.items() for r in own[:n]))
    comparison = compare(["made-up", "other", "third"], every)
    draw_comparison(comparison, every)
    text = page((), every, comparison)
    assert "Geometric means" in text and "by any implementation" in text
    head, *rows = rows_of(text, "compare-best")
    assert head == ["problem", "input", "made-up", "other", "third"]
    (whole,) = [row for row in rows if row[4] != "-"]
    assert whole[1] == "poisson3d,16.metis" and " 1x (" in whole[4]
    assert [row[4] for row in rows].count("-") == len(rows) - 1 == 3
    folder = "site/compare/made-up_other_third"
    assert {f"{folder}/{name}" for name in ("ratios.csv", "best.csv", "best.svg")} <= set(linked(text))
    assert all((paths.PAGE.parent / link).is_file() for link in linked(text) if link.startswith("site/"))


def test_the_card_of_machines_says_on_how_many_claims_two_of_them_agree() -> None:
    """Facts of inputs are the same anywhere; what one machine leaves open is not decided by both."""
    other = Records(tuple(replace(record, machine="other") for record in RECORDS.rows))
    comparison = compare(["made-up", "other"], Records((*RECORDS.rows, *other.rows)))
    rest = {"why": "", "verdict": None, "beside": (), "missing": (), "figure": "", "records": (), "older": 0}

    def last_line(kind: Kind, here: Sequence[Outcome], there: Sequence[Outcome]) -> str:
        of_kind = [claim for claim in claims().values() if claim.kind is kind]
        told = [
            Standing(claim=claim, machine=name, outcome=outcome, reason=None, command="", **rest)
            for name, outcomes in (("made-up", here), ("other", there), ("third", here))
            for claim, outcome in zip(of_kind, outcomes, strict=False)
        ]
        return str(cards.all_cards(told, RECORDS, comparison, ())[-1]["lines"][-1][0])

    yes, no, none = Outcome.REPRODUCED, Outcome.NOT_REPRODUCED, Outcome.NOT_JUDGED
    for kind in Kind:
        said = last_line(kind, [yes, yes, no, Outcome.OPEN, none], [yes, no, no, Outcome.OPEN, none])
        counts = kind in (Kind.PERFORMANCE, Kind.WORDS)
        agreed = "made-up and other agree on 2 of 3 claims of performance and of words that both decide."
        assert said == agreed if counts else "claims" not in said
    assert "claims" not in last_line(Kind.WORDS, [yes], [Outcome.OPEN])


def put_machines(count: int) -> list[str]:
    """Folders of so many machines: this one, which has measured nothing, one that is torn from three on, and
    others that have records of ParAC's Table 2 and of some other cases. Returns those with records."""
    (results() / "test-machine").mkdir(parents=True)
    names = [f"machine-{number}" for number in range(1, count)]
    for name in names:
        for record in RECORDS.rows[::6] + tuple(r for r in RECORDS.rows if r.case.startswith("laplacian")):
            write_records(record_path(name, record.case), [replace(record, machine=name)])
    if count < 3:
        return names
    next((results() / names[-1] / "records").iterdir()).write_text("{torn")
    return names[:-1]


@pytest.mark.parametrize(
    "count", [1, 3, *(pytest.param(count, marks=pytest.mark.thorough) for count in (2, 5))]
)
def test_the_page_is_drawn_from_any_number_of_machines(count: int) -> None:
    names = put_machines(count)
    records = Records.load()
    assert records.machines() == names
    assert set(records.refused) == ({f"machine-{count - 1}"} if count > 2 else set())
    cases = [case for case in OTHERS if case.stage == "laplacian"]
    standings = [s for name in names for s in ledger(name, records, ENTRIES, lambda *_: cases, ["parac"])]
    comments, frame = fakes.read_csv(draw("parac", "table2", cases, records, ENTRIES)[1])
    assert {"matrix", "label"} <= set(frame) and any("below_hypre" in key for key in comments)
    assert comments["machine"] == next(iter(names), "none"), "of machines that say as much the first"
    text = page(standings, records, compare(names, records) if len(names) > 1 else None)
    assert "Not drawn" in text and (names or "No machine has a record yet" in text)
    assert all(f'id="machine-{name}"' in text for name in names)
    assert all(f"Left out: {name}" in text for name in records.refused)


def test_a_figure_whose_files_cannot_be_read_stops_no_page() -> None:
    """A table that was drawn before its cells were kept is its picture."""
    draw("gsofa", "table1", CASES[:3], RECORDS, ENTRIES)
    draw("gsofa", "fig14", ON_GPU[:4], RECORDS, ENTRIES)
    for kind in ("csv", "page.svg", "table.json"):
        path = style.figure_path("gsofa_table1", kind)
        whole = path.read_bytes()
        path.write_bytes(b"\xff\xfe")
        text = page()
        path.write_bytes(whole)
        assert text.count("Not shown: its files cannot be read") == 1, kind
        assert "site/figures/gsofa_fig14.page.svg" in text and "gsofa_table1-table" not in text
    style.figure_path("gsofa_table1", style.TABLE).unlink()
    text = page()
    assert "site/figures/gsofa_table1.page.svg" in text and "gsofa_table1-table" not in text


def expected(cells: Cells) -> list[list[str]]:
    """The texts of a table with two groups of columns: what is printed stands below what was measured."""
    lines = [zip(line.cells, line.below or [""] * len(line.cells), strict=True) for line in cells.lines]
    rows = [
        [f"{cell or NO_BREAK} printed {below}" if below else cell for cell, below in line] for line in lines
    ]
    firsts = [row[0].replace(" printed ", "  ") for row in rows]
    heads = [[group for group, _ in cells.groups], [each.text or "note" for each in cells.headings]]
    return heads + [[first, *row[1:]] for first, row in zip(firsts, rows, strict=True)]


def test_a_table_stands_on_the_page_as_text_with_the_cells_of_its_picture() -> None:
    draw("glu3", "table2", fakes.own_cases("glu3", "table2", OTHERS), RECORDS, ENTRIES)
    path = style.figure_path("glu3_table2", style.TABLE)
    headings = [Heading("matrix", left=True), Heading("", "ours"), Heading("ratio", "ours")]
    lines = [Line(["a", HOSTILE, ""], ["in print", "7", HOSTILE], shaded=True), Line(["b", "", "2x"])]
    for cells in (read_cells(path), Cells(headings, lines)):
        cells.write(path)
        text = page()
        assert rows_of(text, "glu3_table2-table") == expected(cells)
        assert "glu3_table2.page.svg" not in text and "site/figures/glu3_table2.svg" in text
        markup = text.partition('<table id="glu3_table2-table"')[2].partition("</table>")[0]
        assert markup.count('class="shaded"') == sum(line.shaded for line in cells.lines) > 0
        assert markup.count('scope="row"') == len(cells.lines)
        assert markup.count('scope="col"') == len(cells.headings)
    assert "<evil>" not in Pieces(text).all


def test_single_figures_are_drawn_anew_of_stored_records_and_no_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("commands.page.begin_part", lambda: None)
    monkeypatch.setattr(drawing, "workers", Serial)
    for record in RECORDS.rows[:9]:
        write_records(record_path(record.machine, record.case), [record])
    assert main(["page", "--draw", "gsofa.fig10", "gsofa.fig14", "--machine", "made-up"]) == 0
    drawn = [style.figure_path(f"gsofa_{name}", "svg") for name in ("fig10", "fig14")]
    assert capsys.readouterr().out.split() == [str(path) for path in drawn]
    assert all(path.is_file() for path in drawn) and not paths.PAGE.exists()
    for words, why in (
        ("--draw gsofa.fig100", "no figure 'fig100'; did you mean fig10"),
        ("--draw gsoffa.fig10", "did you mean gsofa"),
        ("--machine made-up", "--draw FIGURE"),
    ):
        assert main(["page", *words.split()]) == 2 and why in capsys.readouterr().err


def test_a_measured_figure_that_is_not_drawn_says_what_draws_it(standings: list[Standing]) -> None:
    """A figure without claims is on the page as soon as it is measured."""
    undrawn = {("gsofa", "fig14"): "not drawn yet", ("glu3", "raw"): "not drawn: ValueError: no <axes>"}
    text = page(standings, RECORDS, None, undrawn)
    parts = {name: text.partition(f'id="{name}"')[2].partition("</article>")[0] for name in NOT_DRAWN}
    for name, words in NOT_DRAWN.items():
        assert words in parts[name] and "<figure>" not in parts[name], name
    assert "Measure anew" in parts["gsofa_fig14"] and "Measure it" in parts["gsofa_fig15"]
    assert 'id="glu3_raw"' not in page(standings)


def torn(*arguments: object) -> pd.DataFrame:
    return pd.read_csv(io.StringIO("a,b\n1,2,3\n4,5\n1,2,3,4"))


# As if it stood in the figure's file.
torn.__module__ = "reports.gsofa.fig14"


def test_a_figure_that_cannot_be_judged_costs_its_own_claims_alone_and_makes_the_exit_status_one(
    standings: list[Standing], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Claims are judged by two figures of GSoFA alone."""
    shown = {name: exhibits("gsofa")[name] for name in ("fig10", "fig14")}
    monkeypatch.setattr(figures, "exhibits", lambda paper: shown)
    monkeypatch.setattr(airspeed, "publish", lambda machines: None)
    monkeypatch.setattr("commands.page.adopt", lambda: None)
    monkeypatch.setattr("commands.page.begin_part", lambda: None)
    monkeypatch.setattr(drawing, "workers", Serial)
    monkeypatch.setattr(drawing, "paper_names", lambda: ["gsofa"])
    for record in RECORDS.rows[::9]:
        write_records(record_path(record.machine, record.case), [record])
    assert main(["page"]) == 0 and "not judged" not in caplog.text
    assert "Measured, but not drawn yet" in paths.PAGE.read_text()
    for record in RECORDS.rows[::9]:
        untried = replace(record, status=Status.UNAVAILABLE, seconds=[], reason="no GPU")
        write_records(record_path(record.machine, record.case), [untried])
    assert main(["page"]) == 0 and "Measured, but not drawn yet" not in paths.PAGE.read_text()
    shown["fig14"] = replace(shown["fig14"], rows=torn)
    assert main(["page"]) == 1 and "gsofa.fig14 not judged on made-up: ParserError" in caplog.text
    assert "could not be judged: ParserError" in paths.PAGE.read_text()
    found = {s.claim.id: s for s in ledger("made-up", RECORDS, ENTRIES, made_cases, ["gsofa"]) if s.figure}
    lost = {id for id, s in found.items() if "could not be judged: ParserError" in s.why}
    before = {s.claim.id: s for s in standings if s.claim.paper == "gsofa" and s.figure in shown}
    assert lost == {id for id, s in before.items() if s.figure == "fig14" and not s.claim.needs}
    kept = before.keys() - lost
    assert kept and all(found[id] == before[id] for id in kept)
