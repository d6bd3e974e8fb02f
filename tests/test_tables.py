"""Tables: their cells as a picture and as text, print and measured in one row. All numbers are made up."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reports.shapes import style
from reports.shapes.sheet import COUNT, Cells, Column, Heading, Sheet, TablePicture, read_cells
from tests.reports_fakes import RECORDS, site

__all__ = ["site"]
SHEET = Sheet(
    [Column("here", "levels", COUNT, "levels", "status"), Column("over\nall", "ratio", "{:.2f}x".format)]
)


def row(label: str = "a", **values: Any) -> dict[str, Any]:
    made = {"stand_in_for": None, "preparation": "nnz", "status": "ok", "paper_levels": None, "levels": None}
    return {"label": label, "ratio": None, **made, **values}


ROWS = row(levels=1200.0, ratio=1.5, paper_levels=1234.0), row("b", stand_in_for="a", status="out_of_memory")


def table(*rows: dict[str, Any]) -> TablePicture:
    return SHEET(pd.DataFrame(rows or ROWS), "t")


def test_the_picture_has_the_cells_and_the_shading() -> None:
    drawn = table()
    first, second = drawn.cells.lines
    assert first.cells == ["a", "1,200", "1.50x"] and first.below == ["printed", "1,234", ""]
    assert second.cells == ["b", "out of memory", "-"] and second.below == ["stand-in: a", "", ""]
    assert second.shaded and not first.shaded and len(drawn.axes[0].patches) == 1, "one grey row"
    assert [text.get_text() for text in drawn.axes[0].texts][-6:] == [*second.cells, *second.below]


def test_a_group_spans_its_neighbours_alone() -> None:
    cells = Cells([Heading("m", left=True), *(Heading(name, name[0]) for name in ("a1", "a2", "b1"))], [])
    assert cells.groups == [("", 1), ("a", 2), ("b", 1)]


def test_no_text_runs_into_the_next_column() -> None:
    figure = table(*(row(status="cannot_be_tested_on_any_machine_of_these", ratio=1.0) for _ in range(2)))
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


def test_the_print_stands_in_the_first_row_of_its_matrix() -> None:
    rows = [row(levels=2.0, paper_levels=3.0), row(levels=4.0, paper_levels=3.0, preparation="amd")]
    own, again = table(*rows).cells.lines
    assert (own.cells[:2], own.below) == (["a, nnz", "2"], ["printed", "3", ""])
    assert (again.cells[:2], again.below) == (["a, amd", "4"], [])


def test_cells_are_kept_beside_the_picture_and_go_with_it(site: Path) -> None:
    path, stamp = style.figure_path("p_table", style.TABLE), style.Stamp.of(RECORDS.frame([]))
    bytes_of = []
    for _ in range(2):
        style.save(table(), pd.DataFrame(ROWS), "p_table", stamp)
        bytes_of.append(path.read_bytes())
    assert read_cells(path) == table().cells and len(set(bytes_of)) == 1
    other = style.new_figure(4.0, 3.0)
    other.subplots()
    style.save(other, pd.DataFrame(ROWS), "p_table", stamp)
    assert not path.exists()


@pytest.mark.parametrize(
    "text",
    [
        "{torn",
        "[]",
        '{"headings": [], "lines": [{"cells": ["a"]}]}',
        '{"headings": [{"word": "a"}], "lines": []}',
        '{"headings": [{"text": "a"}], "lines": [{"cells": ["a"], "below": ["b", "c"]}]}',
    ],
)
def test_a_damaged_file_of_cells_is_said_to_be(tmp_path: Path, text: str) -> None:
    path = tmp_path / "torn.table.json"
    path.write_text(text)
    with pytest.raises(ValueError):
        read_cells(path)
