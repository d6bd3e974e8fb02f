"""The page: every claim and case on it, every link of it to something. All numbers are made up."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

import reports
from fillpath import paths
from fillpath.paths import ROOT
from fillpath.record import record_path, write_records
from reports import artifact
from reports.claims import claims
from reports.compare import compare
from reports.hardware import draw_comparison
from reports.ledger import ledger
from reports.records import Records
from reports.standings import Outcome, Standing
from reports.webpage.comparison import comparison_folder
from reports.webpage.scoreboard import MARKS, machines_of
from tests.test_reports import CASES, ENTRIES, ON_GPU, RECORDS, site

__all__ = ["site"]
SIZE = 3_000_000


@pytest.fixture(scope="module")
def standings() -> list[Standing]:
    return ledger("made-up", RECORDS, ENTRIES, lambda paper, figure: [*CASES, *ON_GPU])


def linked(page: Path) -> list[str]:
    return [unquote(link) for link in re.findall(r'(?:href|src)="([^"]+)"', page.read_text())]


def test_every_claim_has_a_word_and_a_symbol_and_leads_to_its_numbers(
    site: Path, standings: list[Standing]
) -> None:
    page = reports.page(standings, CASES, RECORDS, ENTRIES)
    text = page.read_text()
    matrix = text.partition('<table id="claims"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", matrix.partition("<tbody>")[2], re.DOTALL)
    assert len(rows) == len(claims()) == len(standings)
    for row, standing in zip(rows, standings, strict=True):
        assert standing.told in row and MARKS[standing.outcome].symbol in row
        assert f'href="#{standing.claim.id}.made-up"' in row
    assert len(text.encode()) < SIZE


def test_every_link_leads_to_something(site: Path, standings: list[Standing]) -> None:
    for pair in reports.available_figures()[::16]:
        reports.draw(*pair, CASES, RECORDS, ENTRIES)
    page = reports.page(standings, CASES, RECORDS, ENTRIES)
    ids = re.findall(r' id="([^"]+)"', page.read_text())
    assert len(ids) == len(set(ids))
    shown = [link for link in linked(page) if not link.startswith("data:")]
    # Records are made up and lie nowhere.
    files = [link for link in shown if not link.startswith("#") and ".jsonl" not in link]
    assert all((page.parent / link).is_file() for link in files), files
    assert {link[1:] for link in shown if link.startswith("#")} <= set(ids)


def test_every_case_is_on_the_page_and_text_is_escaped(site: Path) -> None:
    text = reports.page([], CASES, RECORDS, ENTRIES).read_text()
    assert all(case.name in text for case in CASES)
    assert "3 rows differ &lt;first: 7 &amp; 9&gt;" in text and "<first" not in text


def test_the_page_stands_before_anything_is_measured_or_drawn(site: Path) -> None:
    text = reports.page([], CASES, Records(), ENTRIES).read_text()
    assert "No machine has a record yet" in text and "Not drawn" in text


def test_asvs_pages_are_linked_where_they_are(site: Path) -> None:
    assert "asv/index.html" not in reports.page([], CASES, RECORDS, ENTRIES).read_text()
    (site / "asv").mkdir(parents=True)
    (site / "asv" / "index.html").touch()
    assert "asv/index.html" in reports.page([], CASES, RECORDS, ENTRIES).read_text()


def test_two_machines_are_compared(site: Path) -> None:
    both = Records((*RECORDS.rows, *(replace(record, machine="other") for record in RECORDS.rows[:9])))
    comparison = compare(["made-up", "other"], both)
    draw_comparison(comparison, both, comparison_folder(comparison))
    page = reports.page([], CASES, both, ENTRIES, comparison)
    assert "Geometric means" in page.read_text()
    assert {"site/compare/made-up_other/ratios.csv", "site/compare/made-up_other/profiles.png"} <= set(
        linked(page)
    )
    assert all((paths.PAGE.parent / link).is_file() for link in linked(page) if link.startswith("site/"))


def test_the_appendix_holds_every_claim_and_sums_that_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, standings: list[Standing]
) -> None:
    monkeypatch.setattr(artifact, "FOLDER", ROOT / "reports" / "artifact")
    monkeypatch.setattr(artifact, "write_text", lambda path, text: (tmp_path / path.name).write_text(text))
    monkeypatch.setattr(artifact, "digest_of", lambda path: "0" * 64)
    for record in RECORDS.rows:
        write_records(record_path(record.machine, record.case), [record])
    artifact.write(standings, {("gsofa", "fig14"): ON_GPU}, RECORDS)
    text = (tmp_path / "appendix.md").read_text()
    assert all(f"`{id}`" in text for id in claims())
    assert "remeasure gsofa.fig14_maxid_ranges" in text
    lines = (tmp_path / "SHA256SUMS").read_text().splitlines()
    assert len(lines) == len({record.case for record in RECORDS.rows})


def test_the_first_machine_is_that_with_the_most_judged_claims(standings: list[Standing]) -> None:
    idle = [replace(s, machine="a", outcome=Outcome.NOT_RUN) for s in standings]
    assert machines_of([*idle, *standings]) == ["made-up", "a"]
