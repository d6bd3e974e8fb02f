"""Tables, where values of marks are written, and when a figure is drawn again. All numbers are made up."""

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.text import Annotation

from reports.facts.records import Records
from reports.shapes import files, style
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.shapes.sheet import Cells, Column, Heading, Sheet, TablePicture, plain, read_cells
from tests import reports_fakes as fakes
from tests.reports_fakes import CASES, RECORDS

SHEET = Sheet(
    [Column("here", "levels", plain, "levels", "status"), Column("over\nall", "ratio", "{:.2f}x".format)]
)


def row(label: str = "a", **values: Any) -> dict[str, Any]:
    """What was measured of a matrix."""
    made = {"stand_in_for": None, "preparation": "nnz", "machine": "here", "device": None, "ratio": None}
    return {"label": label, "status": "ok", "levels": None, "paper_levels": None, **made, **values}


ROWS = (
    row(levels=1200.0, ratio=1.5, paper_levels=1234.0),
    row(levels=4.0, paper_levels=1234.0, preparation="amd"),
    row("b", stand_in_for="a", status="out_of_memory"),
    row("c", levels="as it is", status=None),
    row("c", status=None, preparation="amd"),
    row("d"),
)


def table(*rows: dict[str, Any]) -> TablePicture:
    return SHEET(pd.DataFrame(rows or ROWS), "t")


def test_the_picture_has_the_cells_the_shading_and_once_what_is_printed() -> None:
    picture = table()
    assert picture.cells.lines == [
        (["a, nnz", "1,200", "1.50x"], ["printed", "1,234", ""], False),
        (["a, amd", "4", "-"], [], False),
        (["b, nnz", "out of memory", "-"], ["stand-in: a", "", ""], True),
        (["c, nnz", "as it is", "-"], [], False),
        (["c, amd", "-", "-"], [], False),
        (["d, nnz", "-", "-"], [], False),
    ]
    third = picture.cells.lines[2]
    assert [text.get_text() for text in picture.axes[0].texts][-15:-9] == [*third.cells, *third.below]
    assert len(picture.axes[0].patches) == 1, "one grey row"


def test_a_group_spans_its_neighbours_and_no_text_runs_into_the_next_column() -> None:
    cells = Cells([Heading("m", left=True), *(Heading(name, name[0]) for name in ("a1", "a2", "b1"))], [])
    assert cells.groups == [("", 1), ("a", 2), ("b", 1)]
    figure = table(row(status="cannot_be_tested_on_any_machine_of_these", ratio=1.0))
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts[-3:]]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))


def test_a_table_is_as_wide_as_its_words_and_says_that_it_is_empty() -> None:
    narrow, wide = (table(row(label)) for label in ("a", 40 * "a"))
    assert wide.get_figwidth() > 40 * 0.1 > narrow.get_figwidth()
    (axes,) = SHEET(pd.DataFrame(ROWS)[:0], "t").axes
    assert "nothing was measured" in [text.get_text() for text in axes.texts]


def test_a_matrix_names_what_it_stands_in_for_in_few_words() -> None:
    """The name of a twin says it already."""
    others = {"b, c": ["stand-in: b, c", "", ""], "b, c, d": ["stand-in: b and 2 more", "", ""]}
    for label, stood_for, below in (*(("a", *item) for item in others.items()), ("twin of b", "b", [])):
        (line,) = table(row(label, stand_in_for=stood_for, levels=1.0)).cells.lines
        assert line == ([label, "1", "-"], below, True)


def test_cells_are_kept_beside_the_picture_and_go_with_it(site: Path) -> None:
    path, stamp = style.figure_path("p_table", style.TABLE), {"n": "1"}
    written = []
    for _ in range(2):
        style.save(table(), pd.DataFrame(ROWS), "p_table", stamp)
        written.append(path.read_bytes())
    assert read_cells(path) == table().cells and written[0] == written[1]
    style.save(style.new_figure(4.0, 3.0, "t"), pd.DataFrame(ROWS), "p_table", stamp)
    assert not path.exists()


OTHER_LENGTHS = ('[[], [[["a"]]]]', '[[["a"]], [[["a"], ["b", "c"]]]]')


@pytest.mark.parametrize("text", ["{torn", "[]", '[[["a", "", 0, "b"]], []]', "[3, []]", *OTHER_LENGTHS])
def test_a_damaged_file_of_cells_is_said_to_be(tmp_path: Path, text: str) -> None:
    (tmp_path / "torn.json").write_text(text)
    with pytest.raises(ValueError):
        read_cells(tmp_path / "torn.json")


def test_a_print_under_a_name_that_is_no_step_is_refused() -> None:
    row = PanelRow("gain", [Step("gain", "gain")], {"gian": {"BB": 5.5}})
    with pytest.raises(ValueError, match="printed numbers of gian, which is none of gain"):
        row.prints(["BB"])


@pytest.mark.parametrize("points", [False, True])
@pytest.mark.parametrize("value", [0.5, 0.97, 1.5])
def test_a_value_is_beside_its_point_or_above_its_bar_on_a_ground_of_its_own(
    points: bool, value: float
) -> None:
    """Whatever it crosses, a whisker or the line of no effect, is below its ground."""
    steps = [Step("a", "value", {"step": "a"}), Step("b", "value", {"step": "b"})]
    shape = BesidePrint([PanelRow("seconds", steps, {"a": {"m": 2.0}}, points=points)], "printed")
    ends = {"value": [value, 2.0], "value_low": [value / 2, 1.9], "value_high": [1.9, 2.1]}
    figure = shape(pd.DataFrame([row(step="a"), row(step="b")]).assign(group=0, pair="ok", **ends), "t")
    figure.draw_without_rendering()
    axes = figure.axes[1]
    texts = [text for text in axes.texts if isinstance(text, Annotation)]
    for text, mark, high in zip(texts, ends["value"], ends["value_high"], strict=True):
        box = axes.transData.inverted().transform(text.get_window_extent())
        assert box[0, 1] < mark < box[1, 1] if points else mark < box[0, 1] < max(1.1 * mark, high + 0.1)
        assert text.get_bbox_patch() and all(text.zorder > line.zorder for line in axes.lines)


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


def test_a_harmed_file_is_drawn_again_and_a_damaged_note_believed_in_nothing(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost picture is drawn to the same bytes. Elsewhere a fake writes them, which saves seconds."""
    draw()
    note = style.figure_path(NAME, style.DRAWN)
    text = note.read_text()
    none = json.dumps(json.loads(text) | {"files": {}}, sort_keys=True)
    damaged = (text.replace('"made_of": "', '"made_of": "0'), none, text[:-9], "[]", '{"files": 3}')
    kept = {path: path.read_bytes() for path in (style.figure_path(NAME, kind) for kind in KINDS)}
    for path, harm in [*itertools.product(kept, (None, "edited")), *((note, each) for each in damaged)]:
        path.unlink() if harm is None else path.write_text(harm)
        harmed = note.stat().st_mtime_ns
        with monkeypatch.context() as patch:
            if harm is not None:
                patch.setattr(
                    style, "write_picture", lambda figure, path, box=None: path.write_bytes(kept[path])
                )
            assert draw()[note.name] > harmed, (path.name, harm)
        assert note.read_text() == text and all(each.read_bytes() == kept[each] for each in kept)


def test_a_picture_has_at_most_three_lines_of_verdicts_none_longer_than_itself() -> None:
    many = [(f"paper.{name}", f"seconds {'long ' * 30}", "open on 1 of 13: 2x") for name in "abcd"]
    told = "verdict paper.c: open on 1 of 13: 2x (seconds long "
    for count, last in ((0, ""), (3, told), (4, "and 2 more verdicts, on the page")):
        lines = style.in_brief(many[:count], 90).split("\n")
        assert len(lines) <= 3 and max(map(len, lines)) <= 90 and lines[-1].startswith(last)
