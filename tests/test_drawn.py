"""A figure is drawn when what it was drawn from changed, or what was written, and only then."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reports import figures
from reports.facts.records import Records
from reports.shapes import drawn, style
from tests.reports_fakes import CASES, ENTRIES, RECORDS, site

__all__ = ["site"]
NAME = "gsofa_table1"
KINDS = ("svg", "csv", "page.svg", "table.json")


def draw(records: Records = RECORDS) -> dict[str, int]:
    """When each file of the figure was written, by its name."""
    paths = figures.draw("gsofa", "table1", CASES[:2], records, ENTRIES)
    assert [path.suffix for path in paths] == [".svg", ".csv"]
    return {path.name: path.stat().st_mtime_ns for path in paths[0].parent.iterdir()}


def test_what_stands_is_not_drawn_again_and_other_records_or_code_are(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = draw()
    assert set(first) == {f"{NAME}.{kind}" for kind in (*KINDS, "drawn")} and draw() == first
    changed = tuple(replace(r, work={**(r.work or {}), "fills": 77}) for r in RECORDS.rows)
    again = draw(replace(RECORDS, rows=changed))
    assert all(again[name] > first[name] for name in first)
    monkeypatch.setattr(drawn, "code", lambda paper: "other sources")
    assert draw(replace(RECORDS, rows=changed))[f"{NAME}.svg"] > again[f"{NAME}.svg"]


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_text("edited")])
def test_an_edited_or_removed_file_is_drawn_again(site: Path, harm: Callable[[Path], object]) -> None:
    draw()
    for path in (style.figure_path(NAME, kind) for kind in KINDS):
        whole = path.read_bytes()
        harm(path)
        draw()
        assert path.read_bytes() == whole, path.name


def test_a_damaged_note_is_believed_in_nothing(site: Path) -> None:
    drawn_at, note = draw()[f"{NAME}.svg"], style.figure_path(NAME, style.DRAWN)
    whole = note.read_text()
    others = (
        json.dumps(json.loads(whole) | own, sort_keys=True) for own in ({"made_of": "0" * 64}, {"files": {}})
    )
    for damaged in (*others, whole[:-9], "[]", '{"files": 3}'):
        note.write_text(damaged)
        before, drawn_at = drawn_at, draw()[f"{NAME}.svg"]
        assert drawn_at > before and note.read_text() == whole, damaged


def test_a_large_picture_is_shown_as_png_and_a_small_one_as_svg(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw()
    small, large = (style.figure_path(NAME, kind) for kind in style.PICTURES)
    assert style.page_picture(NAME) == small and not large.exists()
    style.figure_path(NAME, style.DRAWN).unlink()
    monkeypatch.setattr(style, "LARGEST", 1000)
    draw()
    assert style.page_picture(NAME) == large and not small.exists()
