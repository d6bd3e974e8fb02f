"""The grammar of a figure: one module is all that a figure takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import reports.gsofa
from benchmarks.runs.experiments import figure_cases
from fetch import catalogue
from fillpath.errors import UnknownNameError
from fillpath.settings import Settings
from reports import figures
from reports.exhibit import Column, Exhibit, Held
from reports.facts.records import Records
from reports.shapes import style
from tests.test_reports import ENTRIES, ON_GPU, RECORDS, site

__all__ = ["site"]
MODULE = '''
"""Figure 99: seconds of everything."""

from reports.frames.device import columns_of
from reports.exhibit import Exhibit, Held, Panels
from reports.shapes.seconds import seconds_panel
from reports.frames.timed import timed_frame


def frame(records, entries, cases):
    """One row per case and machine."""
    return columns_of(timed_frame(records, entries, cases), "median", "low", "high").assign(ratio=1.14)


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 99",
    "seconds of everything",
    frame,
    Panels([seconds_panel], 6.0),
    """A sham with {count} rows: {braces}.""",
    lambda frame: {"count": len(frame), "braces": "{kept}"},
    held=(Held("fig14_maxid_ranges", "ratio", ("mean",)),),
)
'''


@pytest.fixture
def sham(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "sham").mkdir()
    (tmp_path / "sham" / "fig99.py").write_text(MODULE)
    monkeypatch.setattr(reports.gsofa, "__path__", [*reports.gsofa.__path__, str(tmp_path / "sham")])
    figures.exhibits.cache_clear()
    yield
    figures.exhibits.cache_clear()


def test_one_file_is_a_figure(sham: None, site: Path) -> None:
    assert ("gsofa", "fig99") in figures.available_figures()
    assert figures.exhibit("gsofa", "fig99").heading == "Figure 99: seconds of everything"
    paths = figures.draw("gsofa", "fig99", ON_GPU, RECORDS, ENTRIES)
    assert all(path.is_file() and path.stat().st_size for path in paths)
    comments, frame = style.read_csv(paths[2])
    assert comments["caption"] == f"A sham with {len(frame)} rows: {{kept}}." and len(frame) >= len(ON_GPU)
    assert any(key.startswith("verdict gsofa.fig14_maxid_ranges.mean") for key in comments)
    # Of two figures that speak to a subject the first decides, here as for `fillpath remeasure`.
    assert figures.figure_of("gsofa", "fig14_maxid_ranges") == "fig14"


def test_without_it_there_is_none() -> None:
    with pytest.raises(UnknownNameError, match="no figure 'fig99'"):
        figures.exhibit("gsofa", "fig99")


def test_figures_stand_in_the_papers_order() -> None:
    for paper in ("gsofa", "ooclu", "glu3", "parac"):
        names = list(figures.exhibits(paper))
        numbers = [int(name.removeprefix("table")) for name in names if name.startswith("table")]
        numbers += [100 + int(name.removeprefix("fig")) for name in names if name.startswith("fig")]
        assert numbers == sorted(numbers) and names[: len(numbers)] == [
            *(name for name in names if name.startswith("table")), *(n for n in names if n.startswith("fig")),
        ]  # fmt: skip
        headings = [exhibit.heading for exhibit in figures.exhibits(paper).values()]
        assert all(heading[0].upper() == heading[0] for heading in headings)
    assert figures.exhibit("ooclu", "kahn").heading.startswith("Who launches")
    assert figures.exhibit("ooclu", "faults").heading.startswith("Beyond the paper: ")


@pytest.mark.parametrize("pair", figures.available_figures(), ids=".".join)
def test_a_frame_takes_all_cases_of_its_experiments(pair: tuple[str, str]) -> None:
    """No figure picks among them: what an experiment says is what its figure is given."""
    cases = figure_cases(*pair, Settings(suite="papers"))
    frame = figures.exhibit(*pair).frame(Records(), catalogue.entries(), cases)
    assert cases and len(frame)


@pytest.mark.parametrize(
    ("value", "status", "machine", "text"),
    [
        (3.0, "ok", "m", "3.0 s"), (None, "out_of_memory", "m", "out of memory"),
        (None, "timeout", None, "-"), ("as it is", "ok", "m", "as it is"),
    ],
)  # fmt: skip
def test_a_cell_says_its_number_or_why_there_is_none(
    value: float | str | None, status: str, machine: str | None, text: str
) -> None:
    column = Column("seconds", 1.0, "", "median", "{:.1f} s".format, "status")
    assert column.text({"median": value, "status": status, "machine": machine}) == text


def test_a_column_is_held_against_claims_row_by_row() -> None:
    rows = pd.DataFrame(
        {
            "machine": "m", "label": ["RM", "BC"], "abbr": ["RM", "BC"], "status": "ok", "stand_in_for": None,
            "way": ["a", "b"], "ratio": [1.2, 9.0], "edges": 10**10,
        }
    )  # fmt: skip
    held = Held("fig14_maxid_ranges", "ratio", ("mean", "largest"), only={"way": "a"})
    verdicts = held.verdicts(rows, "gsofa", edges=True)
    assert [v.claim.rpartition(".")[2] for v in verdicts] == ["mean", "largest"]
    assert verdicts[0].measured is not None and verdicts[0].measured.value == 1.2
    few = held.verdicts(rows.assign(edges=10), "gsofa", edges=True)
    assert verdicts[0].firm and not few[0].firm
    assert held.verdicts(rows.assign(edges=10), "gsofa", edges=False)[0].firm
    remark = Held("fig14_maxid_ranges", "ratio", remark=lambda own: f"{len(own)} rows", basis="ratios")
    assert [v.numbers for v in remark.verdicts(rows, "gsofa", edges=True)] == ["2 rows"]


def test_what_it_speaks_to_is_what_it_is_held_against() -> None:
    held = (Held("a", "x"), Held("b", "x"), Held("a", "y"), lambda frame: [])
    known = figures.exhibit("gsofa", "fig14")
    exhibit = Exhibit("gsofa", "N", "t", known.frame, known.draw, "", held=held, claims=("c",))
    assert exhibit.subjects == ("a", "b", "c")
