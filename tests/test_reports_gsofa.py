"""GSoFA's Table 1 and Figures 4 and 11, from made records and series files. All numbers are made up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.engine.series import series_path, write_series
from fillpath.case import Case
from fillpath.nouns import Series
from fillpath.record import Record, Status
from reports.facts.records import Records
from reports.facts.series import read_series
from reports.gsofa import fig4, fig11, table1
from tests.reports_fakes import ENTRIES, METIS, made_record

BC, STAND_IN, OTHER = (
    Case("symbolic", "gsofa_cpu", matrix, METIS, threads=1)
    for matrix in ("bcsstk18", "circuit,4000", "poisson3d,16,aniso")
)


def keep(case: Case, frontier: np.ndarray[Any, Any], **changes: Any) -> Record:
    """A record of that case whose series is on disk."""
    path = series_path("made-up", case.name)
    name = write_series(path, Series(frontier=frontier), len(frontier))
    return replace(made_record(case, 1), status=Status.OK, series=name, **changes)


def texts(axes: Any) -> str:
    return "\n".join([axes.get_title(loc="left"), *(text.get_text() for text in axes.texts)])


def test_growth_is_that_of_the_series_file() -> None:
    frontier = np.concatenate([np.zeros(500), np.linspace(2.0, 700.0, 4500)])
    frame = fig4.EXHIBIT.frame(Records((keep(BC, frontier),)), ENTRIES, [BC])
    assert len(frame) == 2000 and frame["first"].iloc[0] == 0 and frame["last"].iloc[-1] == 4999
    assert (frame["first"].iloc[1:].to_numpy() == frame["last"].iloc[:-1].to_numpy() + 1).all()
    assert (
        set(frame["smallest"]) == {2.0} and set(frame["largest"]) == {700.0} and set(frame["ratio"]) == {350}
    )
    assert set(frame["paper_matrix"]) == {"BC"} and set(frame["paper_ratio"]) == {1265}
    with np.load(series_path("made-up", BC.name)) as arrays:
        assert np.array_equal(frame["frontier_mean"], arrays["frontier_mean"])
    (axes, _) = fig4.EXHIBIT.picture(frame).axes
    assert "350x (700 / 2)" in texts(axes) and "on BC: 1,265x" in texts(axes)
    assert axes.get_yscale() == "log" and axes.get_ylim()[0] > 0


def test_panels_stand_in_the_papers_order_and_a_stand_in_keeps_its_name() -> None:
    records = Records(tuple(keep(case, np.arange(1.0, 90.0)) for case in (STAND_IN, BC)))
    first, second = fig4.EXHIBIT.picture(fig4.EXHIBIT.frame(records, ENTRIES, [STAND_IN, BC])).axes
    assert "bcsstk18 (BC)" in texts(first)
    assert "circuit:4000, stand-in: TT" in texts(second) and "(TT)" not in texts(second)
    assert "the paper, on TT: 6,230x" in texts(second)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"series": None}, "its record names no series"),
        ({"series": "series/gone.npz"}, "no frontier sizes in series/gone.npz"),
        ({"status": Status.TIMEOUT, "reason": "over the limit of 60 s"}, "timeout: over the limit of 60 s"),
        ({"status": Status.WRONG, "reason": "3 rows differ"}, "wrong: 3 rows differ"),
    ],
)
def test_a_case_without_a_series_is_a_panel_that_says_why(changes: dict[str, Any], said: str) -> None:
    record = replace(keep(BC, np.arange(1.0, 90.0)), **changes)
    frame = fig4.EXHIBIT.frame(Records((record,)), ENTRIES, [BC, OTHER])
    assert frame[["frontier_mean", "ratio"]].isna().all(axis=None) and len(frame) == 2
    shown, unknown = fig4.EXHIBIT.picture(frame).axes
    assert said in texts(shown).replace("\n", " ") and "no record yet" in texts(unknown)
    assert "indicative" in fig4.EXHIBIT.words(frame)


def test_sources_without_a_frontier_make_no_ratio() -> None:
    frame = fig4.EXHIBIT.frame(Records((keep(BC, np.zeros(40)),)), ENTRIES, [BC])
    assert frame["ratio"].isna().all()
    assert "no source has a frontier" in texts(fig4.EXHIBIT.picture(frame).axes[0])


def test_a_damaged_series_is_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = series_path("made-up", "x")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PK\x03\x04 no archive")
    assert read_series("made-up", "series/x.npz") is None and "no series" in caplog.text
    np.savez(path, n=np.array(3))
    assert read_series("made-up", "series/x.npz") is None
    assert read_series("made-up", "../../elsewhere/x.npz") is None


def sequential(name: str, matrix: str, seconds: float, **changes: Any) -> Record:
    case = Case("symbolic", name, matrix, METIS, threads=1)
    record = replace(made_record(case, 1), status=Status.OK, seconds=[seconds * f for f in (0.9, 1.0, 1.2)])
    return replace(record, **changes)


def pair(matrix: str, baseline: dict[str, Any], better: dict[str, Any]) -> tuple[Record, Record]:
    return (
        sequential("gilbert_peierls", matrix, 6.0, **baseline),
        sequential("fill1_pruned", matrix, 0.5, **better),
    )


def fig11_of(*records: Record) -> pd.DataFrame:
    return fig11.EXHIBIT.frame(Records(records), ENTRIES, [Case.parse(record.case) for record in records])


def test_the_line_the_paper_did_not_plot_is_a_ratio_of_medians() -> None:
    frame = fig11_of(*pair("bcsstk18", {}, {}), *pair("circuit,4000", {}, {})).set_index("case")
    row = frame.loc["symbolic.fill1_pruned.threads=1@bcsstk18.metis"]
    assert row["pair"] == "ok" and row["speedup"] == pytest.approx(12)
    assert row["speedup_low"] == pytest.approx(9) and row["speedup_high"] == pytest.approx(16)
    own = frame["paper_gsofa_over_this"].dropna()
    assert list(own.index) == ["symbolic.gilbert_peierls.threads=1@bcsstk18.metis"] and list(own) == [1.01]
    top, bottom = fig11.EXHIBIT.picture(frame.reset_index()).axes
    assert "12x" in texts(top) and "50.1x on average" in texts(top) and "171.1 (BB)" in texts(top)
    assert "circuit:4000\nstand-in: PR, TT" in [label.get_text() for label in bottom.get_xticklabels()]
    assert "GPU is not measured here" in fig11.EXHIBIT.words(frame)


@pytest.mark.parametrize(
    ("baseline", "better", "said"),
    [
        ({"status": Status.TIMEOUT}, {}, "baseline timeout"),
        ({}, {"status": Status.OUT_OF_MEMORY}, "out of memory"),
        ({}, {"run_id": "run-2"}, "two runs"),
        ({}, {"machine": "other"}, "baseline not run"),
    ],
)
def test_what_cannot_be_paired_is_a_marked_slot(
    baseline: dict[str, Any], better: dict[str, Any], said: str
) -> None:
    frame = fig11_of(*pair("bcsstk18", baseline, better))
    assert frame["speedup"].isna().all()
    assert said in [text.get_text() for text in fig11.EXHIBIT.picture(frame).axes[0].texts]


def test_table1_has_the_symmetry_that_was_measured_or_a_dash() -> None:
    cases = [Case("symbolic", "fill1_pruned", matrix, METIS) for matrix in ("bcsstk18", "circuit,4000")]
    new, old = (replace(made_record(case, 1), status=Status.OK) for case in cases)
    new = replace(new, prepared={**(new.prepared or {}), "structural_symmetry": 0.4951})
    frame = table1.EXHIBIT.frame(Records((new, old)), ENTRIES, cases)
    by_matrix = frame.set_index("matrix")["structural_symmetry"]
    assert by_matrix["BCSSTK18"] == 0.4951 and pd.isna(by_matrix["circuit:4000"])
    drawn = [text.get_text() for text in table1.EXHIBIT.picture(frame).axes[0].texts]
    assert "0.50" in drawn and drawn.count("struct.\nsymm.") == 2
    assert "not measured" not in table1.EXHIBIT.words(frame)
