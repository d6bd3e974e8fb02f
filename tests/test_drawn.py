"""A figure is drawn when what it was drawn from changed, or what was written, and only then."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reports.facts.records import Records
from reports.shapes import drawn, style
from tests import reports_fakes as fakes
from tests.reports_fakes import CASES, RECORDS, site

__all__ = ["site"]
NAME = "gsofa_table1"


def draw(records: Records = RECORDS) -> dict[str, int]:
    """When each file of the figure was written, by its name."""
    paths = fakes.draw("gsofa", "table1", CASES[:2], records)
    assert [path.suffix for path in paths] == [".svg", ".csv"]
    return {path.name: path.stat().st_mtime_ns for path in paths[0].parent.iterdir()}


def note() -> Path:
    return style.figure_path(NAME, style.DRAWN)


def test_what_stands_is_not_drawn_again(site: Path) -> None:
    first = draw()
    assert set(first) == {f"{NAME}.{kind}" for kind in ("svg", "csv", "page.svg", "table.json", "drawn")}
    assert draw() == first


def test_another_record_is_drawn(site: Path) -> None:
    first = draw()
    changed = [
        replace(r, work={**(r.work or {}), "fills": 77}) if r.case == CASES[0].name else r
        for r in RECORDS.rows
    ]
    again = draw(replace(RECORDS, rows=tuple(changed)))
    assert all(again[name] > first[name] for name in first)


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_text("edited")])
def test_an_edited_or_removed_file_is_drawn_again(site: Path, harm: Callable[[Path], object]) -> None:
    draw()
    for kind in ("svg", "csv", "page.svg", "table.json"):
        path = style.figure_path(NAME, kind)
        whole = path.read_bytes()
        harm(path)
        draw()
        assert path.read_bytes() == whole, kind


def other_hash(text: str) -> str:
    return json.dumps(json.loads(text) | {"made_of": "0" * 64}, sort_keys=True)


def no_files(text: str) -> str:
    return json.dumps(json.loads(text) | {"files": {}}, sort_keys=True)


def test_a_damaged_note_is_believed_in_nothing(site: Path) -> None:
    drawn_at = draw()[f"{NAME}.svg"]
    whole = note().read_text()
    for damaged in (other_hash(whole), no_files(whole), whole[:-9], "[]", '{"files": 3}'):
        note().write_text(damaged)
        before, drawn_at = drawn_at, draw()[f"{NAME}.svg"]
        assert drawn_at > before and note().read_text() == whole, damaged


def test_other_code_draws_again(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = draw()
    monkeypatch.setattr(drawn, "code", lambda paper: "other sources")
    assert draw()[f"{NAME}.svg"] > first[f"{NAME}.svg"]


def test_a_large_picture_is_shown_as_png_and_a_small_one_as_svg(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw()
    small, large = (style.figure_path(NAME, kind) for kind in style.PICTURES)
    assert style.page_picture(NAME) == small and not large.exists()
    note().unlink()
    monkeypatch.setattr(style, "LARGEST", 1000)
    draw()
    assert style.page_picture(NAME) == large and not small.exists()
