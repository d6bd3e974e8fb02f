"""docs/work.md: its formulas hold, its numbers are those of its CSV, and the survey counts what it says."""

from __future__ import annotations

import shutil
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csr_array

from benchmarks.probes import survey
from commands import main
from fillpath import registry
from fillpath.errors import ConfigError, FillpathError
from fillpath.nouns import Array, Pattern
from fillpath.paths import ROOT
from impl.symbolic.forecast import _elimination_tree, sample_sources
from reports.pages import work_page
from tests.patterns import from_dense, patterns, to_dense


def edges(name: str, pattern: Pattern) -> int:
    count: int = registry.lookup("symbolic", name).function(pattern)[1].edges
    return count


def depths(parent: Array) -> list[int]:
    """How many ancestors each vertex has."""
    depth = [0] * len(parent)
    for vertex in reversed(range(len(parent))):
        if parent[vertex] >= 0:
            depth[vertex] = depth[parent[vertex]] + 1
    return depth


@settings(max_examples=40)
@given(patterns())
def test_the_formulas_of_the_page(pattern: Pattern) -> None:
    filled, _ = registry.lookup("symbolic", "fill1").function(pattern)
    dense = to_dense(filled)
    lower, upper = np.tril(dense, -1).sum(axis=0), np.triu(dense).sum(axis=1)
    assert edges("fill1", pattern) == lower @ upper
    assert edges("gilbert_peierls", pattern) == lower @ (upper - 1)
    assert edges("gsofa_cpu", pattern) >= edges("fill2_cpu", pattern)


@settings(max_examples=40)
@given(patterns())
def test_the_formulas_of_symmetric_patterns(pattern: Pattern) -> None:
    dense = csr_array((np.ones(pattern.nnz, bool), pattern.indices, pattern.indptr)).toarray()
    symmetric = from_dense(dense | dense.T)
    filled, _ = registry.lookup("symbolic", "fill1").function(symmetric)
    parent = _elimination_tree(symmetric.indptr, symmetric.indices)
    trees = int(np.count_nonzero(parent == -1))
    assert edges("fill1_pruned", symmetric) == filled.pattern.nnz - 2 * symmetric.n + trees
    assert edges("fill2_cpu", symmetric) == np.diff(symmetric.indptr) @ np.array(depths(parent), np.int64)
    assert edges("fill2_cpu", symmetric) >= edges("fill1_pruned", symmetric)


def test_the_page_shows_what_its_csv_holds() -> None:
    assert main(["maintain", "work", "--check"]) == 0
    assert (ROOT / "docs" / "work.svg").stat().st_size < 300_000


def test_a_refused_matrix_and_an_estimate_are_shown_as_such(tmp_path: Path) -> None:
    rows = [
        survey.Surveyed("G/a", 9, 30, 1.0, 40, "counted", "counted", dict.fromkeys(survey.ALGORITHMS, 80)),
        survey.Surveyed("G/b", 9, 30, 0.5, 40, "estimate", "estimate", {"fill2_cpu": 400}),
        survey.Surveyed("G/c", reason="rectangular"),
    ]
    (tmp_path / "work.csv").write_text(survey.csv_text(rows, {"preparation": "metis"}))
    (tmp_path / "work.md").write_text(f"{work_page.PART.begin}\n{work_page.PART.end}\n")
    frame = work_page.work_frame(tmp_path / "work.csv")
    table = work_page.work_tables(frame)
    assert not work_page.PART.is_current(tmp_path / "work.md", table)
    work_page.PART.write(tmp_path / "work.md", table)
    work_page.draw(frame, tmp_path / "work.svg")
    assert work_page.PART.is_current(tmp_path / "work.md", table)
    page = (tmp_path / "work.md").read_text()
    assert "| G/b | 9 | 30 | 0.50 | 40 | 400 | 10.0 | estimated |" in page and "rectangular" in page
    assert "On the 1 matrices" in page and (tmp_path / "work.svg").is_file()
    caption = work_page.work_caption(frame)
    assert "2 of 3 real matrices" in caption and "1 counted" in caption and "1 estimated" in caption


def test_the_survey_counts_a_real_matrix(
    suitesparse: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba, "set_num_threads", lambda threads: None)
    archive = Path("MM") / "HB" / "west0067.tar.gz"
    (tmp_path / archive).parent.mkdir(parents=True)
    shutil.copy(suitesparse / archive, tmp_path / archive)
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path))
    assert main(["survey", "--to", str(tmp_path / "work.csv")]) == 0
    here = work_page.work_frame(tmp_path / "work.csv").iloc[0]
    committed = work_page.work_frame(ROOT / "docs" / "work.csv").set_index("matrix").loc["HB/west0067"]
    assert here["matrix"] == "HB/west0067" and here["fill2_how"] == "counted"
    assert here["fill2_cpu"] == committed["fill2_cpu"] and here["filled"] == committed["filled"]
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="FILLPATH_MIRROR"):
        survey.at_hand()
    # `MM/` of the current folder is no mirror.
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FILLPATH_MIRROR")
    with pytest.raises(ConfigError, match="FILLPATH_MIRROR is not set"):
        survey.at_hand()


def test_the_survey_counts_nothing_that_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = from_dense(np.triu(np.tril(np.ones((40, 40), bool), 1), -1))
    everything = survey._affordable(sample_sources(pattern))
    assert set(everything) == set(survey.ALGORITHMS)
    monkeypatch.setattr(survey, "MOST_EDGES_OF_GSOFA", 10)
    assert "gsofa_cpu" not in survey._affordable(sample_sources(pattern))
    monkeypatch.setattr(survey, "MOST_FILLED", 10)
    assert survey._affordable(sample_sources(pattern)) == []
    assert survey._count(pattern, []) == ({}, None)


def test_the_survey_refuses_algorithms_that_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, other = (from_dense(np.tril(np.ones((5, 5), bool), below)) for below in (0, 1))
    entry = registry.lookup("symbolic", "fill1")
    found = iter([entry.function(p, output="counts") for p in (pattern, other)])
    monkeypatch.setattr(survey, "_run", lambda name, pattern: next(found))
    with pytest.raises(FillpathError, match="disagree"):
        survey._count(pattern, ["fill1", "fill1_pruned"])
