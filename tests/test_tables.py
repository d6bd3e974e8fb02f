"""Tables: their cells as a picture and as text, print and measured in one row. All numbers are made up."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reports.shapes import style
from reports.shapes.cells import Cells, Heading, read_cells
from reports.shapes.sheet import COUNT, Column, Sheet
from tests.reports_fakes import RECORDS, rows_of, site

__all__ = ["site"]
STAMP = style.Stamp.of(rows_of(RECORDS, []))
TABLE = Sheet(
    [
        Column("here", "levels", COUNT, "levels", "status"),
        Column("over\nall", "ratio", "{:.2f}x".format),
    ]
)
ROWS = pd.DataFrame(
    {
        "label": ["a", "b"], "machine": "m", "stand_in_for": [None, "a"], "status": ["ok", "out_of_memory"],
        "paper_levels": [1234.0, None], "levels": [1200.0, None], "ratio": [1.5, None],
    }
)  # fmt: skip


def texts(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_the_picture_has_the_cells_and_the_shading() -> None:
    drawn = TABLE(ROWS, "t")
    first, second = drawn.cells.lines
    assert (first.cells, first.below, first.shaded) == (
        ["a", "1,200", "1.50x"],
        ["printed", "1,234", ""],
        False,
    )
    assert (second.cells, second.below, second.shaded) == (
        ["b", "out of memory", "-"], ["stand-in: a", "", ""], True
    )  # fmt: skip
    assert texts(drawn)[-6:] == [*second.cells, *second.below]
    assert len(drawn.axes[0].patches) == 1, "one grey row"


def test_a_group_spans_its_neighbours_alone() -> None:
    cells = Cells([Heading("m", left=True), *(Heading(name, name[0]) for name in ("a1", "a2", "b1"))], [])
    assert cells.groups == [("", 1), ("a", 2), ("b", 1)]


def test_no_text_runs_into_the_next_column() -> None:
    long = ROWS.assign(status="cannot_be_tested_on_any_machine_of_these", levels=None)
    figure = TABLE(long, "t")
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts[-6:-3]]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))


@pytest.mark.parametrize(
    ("stood_for", "below"),
    [("b", "stand-in: b"), ("b, c", "stand-in: b, c"), ("b, c, d", "stand-in: b and 2 more")],
)
def test_a_matrix_names_what_it_stands_in_for_in_few_words(stood_for: str, below: str) -> None:
    row = {"label": "a", "stand_in_for": stood_for, "preparation": "amd", "value": 1.0}
    (line,) = Sheet([Column("value", "value")])(pd.DataFrame([row]), "t").cells.lines
    assert line.cells == ["a", "1"] and line.below == [below, ""] and line.shaded
    (twin,) = Sheet([Column("value", "value")])(pd.DataFrame([row | {"label": "twin of b"}]), "t").cells.lines
    assert not twin.below and twin.shaded


def solutions(frame: pd.DataFrame) -> Any:
    """The table of these seconds, beside what is printed of the first column."""
    return Sheet([Column("total", "total", group="ours"), Column("SpSV", "spsv", group="ours")])(frame, "t")


def test_the_print_stands_in_the_row_of_what_was_measured() -> None:
    frame = pd.DataFrame(
        {
            "label": ["a", "a", "b"], "machine": "m", "stand_in_for": [None, None, "a"],
            "preparation": ["nnz", "amd", "nnz"], "total": [2.0, 3.0, 4.0], "spsv": [5.0, None, 6.0],
            "paper_total": [1.25, 1.25, None],
        }
    )  # fmt: skip
    own, again, other = solutions(frame).cells.lines
    assert own.cells == ["a, nnz", "2", "5"] and own.below == ["printed", "1.25", ""]
    assert again.cells == ["a, amd", "3", "-"] and not again.below, "printed of the matrix once"
    assert other.cells == ["b, nnz", "4", "6"] and other.below == ["stand-in: a", "", ""] and other.shaded
    assert {"printed", "1.25"} <= set(texts(solutions(frame)))


def test_cells_are_kept_beside_the_picture_and_read_again(site: Path) -> None:
    figure = solutions(ROWS.assign(preparation="nnz", total=2.0, spsv=1.0, paper_total=1.5))
    style.save(figure, ROWS, "p_table", STAMP)
    path = style.figure_path("p_table", style.TABLE)
    assert read_cells(path) == figure.cells
    first = path.read_bytes()
    style.save(figure, ROWS, "p_table", STAMP)
    assert path.read_bytes() == first


def test_another_picture_leaves_no_cells_of_a_table_that_it_replaces(site: Path) -> None:
    style.save(TABLE(ROWS, "t"), ROWS, "p_fig", STAMP)
    assert style.figure_path("p_fig", style.TABLE).is_file()
    figure = style.new_figure(4.0, 3.0)
    figure.subplots()
    style.save(figure, ROWS, "p_fig", STAMP)
    assert not style.figure_path("p_fig", style.TABLE).exists()


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
