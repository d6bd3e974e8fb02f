"""Tables, where values of marks are written, and when a figure is drawn again. All numbers are made up."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.text import Annotation

from reports.facts.records import Records
from reports.shapes import files, style
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.shapes.sheet import COUNT, Cells, Column, Heading, Sheet, TablePicture, read_cells
from tests import reports_fakes as fakes
from tests.reports_fakes import CASES, RECORDS, site

__all__ = ["site"]


def row(label: str = "a", **values: Any) -> dict[str, Any]:
    """What was measured of a matrix."""
    made = {"stand_in_for": None, "preparation": "nnz", "machine": "here", "device": None, "ratio": None}
    return {"label": label, "status": "ok", "levels": None, "paper_levels": None, **made, **values}


# ---- tables


SHEET = Sheet(
    [Column("here", "levels", COUNT, "levels", "status"), Column("over\nall", "ratio", "{:.2f}x".format)]
)
ROWS = (
    row(levels=1200.0, ratio=1.5, paper_levels=1234.0),
    row(levels=4.0, paper_levels=1234.0, preparation="amd"),
    row("b", stand_in_for="a", status="out_of_memory"),
)


def table(*rows: dict[str, Any]) -> TablePicture:
    return SHEET(pd.DataFrame(rows or ROWS), "t")


def test_the_picture_has_the_cells_the_shading_and_once_what_is_printed() -> None:
    picture = table()
    assert [(line.cells, line.below, line.shaded) for line in picture.cells.lines] == [
        (["a, nnz", "1,200", "1.50x"], ["printed", "1,234", ""], False),
        (["a, amd", "4", "-"], [], False),
        (["b, nnz", "out of memory", "-"], ["stand-in: a", "", ""], True),
    ]
    last = picture.cells.lines[-1]
    assert [text.get_text() for text in picture.axes[0].texts][-6:] == [*last.cells, *last.below]
    assert len(picture.axes[0].patches) == 1, "one grey row"


def test_a_group_spans_its_neighbours_alone() -> None:
    cells = Cells([Heading("m", left=True), *(Heading(name, name[0]) for name in ("a1", "a2", "b1"))], [])
    assert cells.groups == [("", 1), ("a", 2), ("b", 1)]


def test_no_text_runs_into_the_next_column() -> None:
    figure = table(row(status="cannot_be_tested_on_any_machine_of_these", ratio=1.0))
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts[-3:]]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))


@pytest.mark.parametrize(
    ("label", "stood_for", "below"),
    [
        pytest.param("a", "b", ["stand-in: b", "", ""], id="one"),
        pytest.param("a", "b, c", ["stand-in: b, c", "", ""], id="two"),
        pytest.param("a", "b, c, d", ["stand-in: b and 2 more", "", ""], id="three"),
        pytest.param("twin of b", "b, c, d", [], id="a twin, whose name says it"),
    ],
)
def test_a_matrix_names_what_it_stands_in_for_in_few_words(label: str, stood_for: str, below: Any) -> None:
    (line,) = table(row(label, stand_in_for=stood_for, levels=1.0)).cells.lines
    assert line.cells == [label, "1", "-"] and line.below == below and line.shaded


def test_cells_are_kept_beside_the_picture_and_go_with_it(site: Path) -> None:
    path, stamp = style.figure_path("p_table", style.TABLE), style.Stamp({}, {}, [])
    written = []
    for _ in range(2):
        style.save(table(), pd.DataFrame(ROWS), "p_table", stamp)
        written.append(path.read_bytes())
    assert read_cells(path) == table().cells and written[0] == written[1]
    style.save(style.new_figure(4.0, 3.0, "t"), pd.DataFrame(ROWS), "p_table", stamp)
    assert not path.exists()


ROWS_OF_OTHER_LENGTHS = (
    '{"headings": [], "lines": [{"cells": ["a"]}]}',
    '{"headings": [{"text": "a"}], "lines": [{"cells": ["a"], "below": ["b", "c"]}]}',
)


@pytest.mark.parametrize(
    "text", ["{torn", "[]", '{"headings": [{"word": "a"}], "lines": []}', *ROWS_OF_OTHER_LENGTHS]
)
def test_a_damaged_file_of_cells_is_said_to_be(tmp_path: Path, text: str) -> None:
    (tmp_path / "torn.json").write_text(text)
    with pytest.raises(ValueError):
        read_cells(tmp_path / "torn.json")


# ---- values beside marks


def spans(points: bool, value: float, low: float, high: float) -> list[tuple[float, float]]:
    """What the value takes of the vertical axis, in its numbers; and 2 within 1.9 to 2.1 beside it."""
    steps = [Step("a", "value", {"step": "a"}), Step("b", "value", {"step": "b"})]
    shape = BesidePrint([PanelRow("seconds", steps, {"m": {"a": 2.0}}, points=points)], "printed")
    ends = {"value": [value, 2.0], "value_low": [low, 1.9], "value_high": [high, 2.1]}
    figure = shape(pd.DataFrame([row(step="a"), row(step="b")]).assign(group=0, pair="ok", **ends), "t")
    figure.draw_without_rendering()
    axes = figure.axes[1]
    boxes = [text.get_window_extent() for text in axes.texts if isinstance(text, Annotation)]
    return [tuple(axes.transData.inverted().transform(box)[:, 1].tolist()) for box in boxes]


@pytest.mark.parametrize("points", [False, True])
@pytest.mark.parametrize("value", [0.3, 0.8, 0.9, 0.97, 1.02, 1.5])
def test_no_value_is_written_across_the_line_of_no_effect(points: bool, value: float) -> None:
    assert all(low >= 1 or high <= 1 for low, high in spans(points, value, value - 0.05, value + 0.05))


def test_a_value_is_beside_its_point_and_not_at_the_far_end_of_a_bars_whisker() -> None:
    (low, high), (other_low, other_high) = spans(True, 1.5, 1.1, 1.9)
    assert low < 1.5 < high and other_low < 2.0 < other_high
    long, short = spans(False, 0.5, 0.4, 1.9)
    assert long[1] < 0.4 and short[0] > 2.1


# ---- drawing again


NAME, KINDS = "gsofa_table1", ("svg", "csv", "pdf", "page.svg", "table.json")


def draw(records: Records = RECORDS) -> dict[str, int]:
    """When each file of the figure was written, by its name."""
    paths = fakes.draw("gsofa", "table1", CASES[:2], records)
    assert [path.suffix for path in paths] == [".svg", ".csv"]
    return {path.name: path.stat().st_mtime_ns for path in paths[0].parent.iterdir()}


def test_what_changes_is_drawn_again_and_nothing_else(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = draw()
    assert set(first) == {f"{NAME}.{kind}" for kind in (*KINDS, "drawn")} and draw() == first
    changed = Records(tuple(replace(r, work={**(r.work or {}), "fills": 77}) for r in RECORDS.rows))
    again = draw(changed)
    assert all(again[name] > first[name] for name in first)
    monkeypatch.setattr(files, "code", lambda paper: "other sources")
    assert draw(changed)[f"{NAME}.svg"] > again[f"{NAME}.svg"]


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
    none = json.dumps(json.loads(whole) | {"files": {}}, sort_keys=True)
    for damaged in (whole.replace('"made_of": "', '"made_of": "0'), none, whole[:-9], "[]", '{"files": 3}'):
        note.write_text(damaged)
        before, drawn_at = drawn_at, draw()[f"{NAME}.svg"]
        assert drawn_at > before and note.read_text() == whole, damaged


def test_a_large_picture_is_shown_as_png(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = (style.figure_path(NAME, kind) for kind in style.PICTURES)
    draw()
    assert style.page_picture(NAME) == small and not large.exists()
    style.figure_path(NAME, style.DRAWN).unlink()
    monkeypatch.setattr(style, "LARGEST", 1000)
    draw()
    assert style.page_picture(NAME) == large and not small.exists()
