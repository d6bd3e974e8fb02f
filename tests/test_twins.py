"""Twins: what config/twins.csv says of them is so, and a search names none where there is none."""

from __future__ import annotations

import argparse
import csv
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy.sparse import csr_array

from benchmarks.runs import twin_candidates, twin_search
from benchmarks.runs.twin_candidates import Search, searches
from benchmarks.runs.twin_search import Target, fill_ins, fingerprint, nearest
from commands import main
from commands.maintain import twins as command
from fetch import catalogue, names, prepare
from fetch.generate import generate
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import ConfigError, UnknownNameError
from fillpath.nouns import Pattern
from fillpath.paths import CONFIG, ROOT
from fillpath.twins import FILE, ORDER, Nearest, distance, read_twins, twins, twins_of, write_twins

KNOWN = {row.matrix: row for row in twins()}
LARGEST = 3_000_000
SMALL = [row for row in twins() if row.nearest and (catalogue.lookup(row.matrix).nnz or 0) < LARGEST]
GRID = Search("epb2", 1.0, "metis", ("grid2d,12", "grid2d,13"), note="a note")


def printed(name: str, matrix: str, column: str) -> float:
    """A cell of a table of config/, by the end of its first cell or of its last."""
    with (CONFIG / f"{name}.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    (row,) = (
        row for row in rows if matrix in (row.get("id"), str(row.get("collection_name")).split("/")[-1])
    )
    return float(row[column] or 0)


@pytest.mark.parametrize("row", SMALL, ids=lambda row: row.matrix)
def test_a_small_twin_has_the_order_entries_and_symmetry_that_are_said(row: Nearest) -> None:
    assert names.is_generated(row.nearest)
    pattern = generate(names.parse(row.nearest)).astype(bool).astype(np.int64)
    n, entries = pattern.shape[0], pattern.nnz
    order = printed("matrices", row.matrix, "order")
    with_zeros = printed("matrices", row.matrix, "nnz_with_zeros")
    mirrored = (pattern.multiply(csr_array(pattern.T)).nnz - n) / (entries - n)
    assert row.order == pytest.approx(n / order, rel=1e-3)
    assert row.density == pytest.approx(entries / n / (with_zeros / order), rel=1e-3)
    (search,) = (each for each in searches() if each.matrix == row.matrix)
    assert row.symmetry == pytest.approx(mirrored - search.symmetry, abs=1e-3)


@pytest.mark.parametrize("matrix", ["epb2", "mark3jac140"])
def test_a_small_twin_has_the_fill_that_is_said(matrix: str) -> None:
    """By another code than the search's."""
    pattern = prepare.prepare(KNOWN[matrix].nearest, Preparation.parse(KNOWN[matrix].preparation)).pattern
    counts, _ = registry.lookup("symbolic", "fill1_pruned").function(pattern, output="counts")
    fill = (counts.nnz - pattern.nnz) / pattern.nnz
    assert KNOWN[matrix].fill == pytest.approx(
        fill / printed("papers/gsofa_table1_matrices", matrix, "fillins_per_nnz"), rel=1e-3
    )


def test_fill_ins_are_those_of_elimination() -> None:
    cycle = np.eye(6) + np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    skew = np.eye(5)
    skew[4, 0] = skew[0, 3] = skew[3, 1] = 1
    for dense in (cycle, skew):
        filled = dense != 0
        for k in range(len(dense)):
            below = np.flatnonzero(filled[k + 1 :, k]) + k + 1
            filled[np.ix_(below, np.arange(k + 1, len(dense)))] |= filled[k, k + 1 :]
        ones = csr_array(dense != 0)
        pattern = Pattern(ones.indptr.astype(np.int64), ones.indices.astype(np.int32))
        assert fill_ins(pattern) == filled.sum() - (dense != 0).sum()


def test_every_twin_of_gsofas_matrices_stands_for_it_in_the_papers_suite() -> None:
    of_gsofa = [entry for entry in catalogue.entries() if "gsofa" in entry.papers and entry.suite == "papers"]
    assert len(of_gsofa) == 12 and all(entry.id in KNOWN for entry in of_gsofa)
    for entry in of_gsofa:
        twin = catalogue.lookup(KNOWN[entry.id].nearest)
        made = names.parse(twin.name)
        assert twin.stands_for == (entry.id,) and (twin.suite, twin.kind) == ("papers", entry.kind)
        assert twin.order == made.order and made.nnz in (None, twin.nnz)
        assert [row.matrix for row in twins_of(twin.id)] == [entry.id]
    for row in SMALL:
        stated = catalogue.find(row.nearest)
        assert stated is None or stated.nnz == generate(names.parse(row.nearest)).nnz


def test_what_is_sought_is_what_stands() -> None:
    """Each row is of today's config/twins.yaml, catalogue and printed tables; the page is of these rows."""
    assert [row.matrix for row in twins()] == [search.matrix for search in searches()]
    for search in searches():
        assert KNOWN[search.matrix].search == fingerprint(search, command.target_of(search)), search.matrix
        assert KNOWN[search.matrix].note == search.note
    assert main(["maintain", "twins", "--check"]) == 0


def test_symmetries_are_those_that_gsofa_prints() -> None:
    for search in searches():
        if "gsofa" in catalogue.lookup(search.matrix).papers:
            share = printed("papers/gsofa_table1_matrices", search.matrix, "structural_symmetry")
            assert abs(share - search.symmetry) < 0.01, search.matrix


def test_a_paper_prints_fill_of_just_these() -> None:
    without = {row.matrix for row in twins() if row.nearest and row.fill is None}
    papers = {name: set(catalogue.lookup(name).papers) for name in KNOWN}
    assert without and not any("gsofa" in papers[name] for name in without)
    assert all(command.target_of(search).fill for search in searches() if "gsofa" in papers[search.matrix])
    assert all("not printed" in line for line in table() if line.split(" | ")[0].strip("| ") in without)


def test_ecology1_is_a_grid_in_all_that_is_known_of_it() -> None:
    row = KNOWN["ecology1"]
    assert (row.nearest, row.order, row.density, row.symmetry) == ("grid2d,1000,laplacian", 1, 1, 0)
    assert row.within and row.distance == 0 and row.fill is None


def table() -> list[str]:
    return command.twins_table(twins()).splitlines()[4:]


def test_a_search_whose_limits_no_candidate_meets_says_none() -> None:
    found = nearest(GRID, Target(10**6, 5.0, 1.0))
    assert not found.within and found.nearest == "grid2d,13" and found.tried == 1
    assert found.order == pytest.approx(169e-6) and found.note == "a note"
    assert "none; nearest `grid2d:13`" in command.twins_table((found,))
    assert command.twins_table((found,)).startswith("0 of 1 have a twin; 0 were not sought.")


def test_a_search_ends_with_the_first_that_is_near_enough_in_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    fills = {"grid2d,12": 1.9, "grid2d,13": 1.2, "grid2d,12,laplacian": 1.0, "grid2d,99": 1.0}

    def planted(name: str, search: Search, target: Target) -> Nearest:
        return Nearest("epb2", "metis", name, 1.0, 1.0, 0.0, fills[name], 0, "", "")

    monkeypatch.setattr(twin_search, "_measured", planted)
    found = nearest(replace(GRID, known=tuple(fills)), Target(156, 4.7, 1.0))
    assert (found.nearest, found.tried, found.within) == ("grid2d,13", 2, True)
    fills |= {"grid2d,13": 2.5, "grid2d,12,laplacian": 2.2}
    found = nearest(replace(GRID, known=tuple(fills)), Target(156, 4.7, 1.0))
    assert (found.nearest, found.tried) == ("grid2d,12", 3), "all of that size, and not the one far from it"
    fills |= {"grid2d,12": 3.0}
    found = nearest(replace(GRID, known=tuple(fills)), Target(156, 4.7, 1.0))
    assert (found.nearest, found.within) == ("grid2d,12,laplacian", False)


def test_a_search_of_nothing_tries_nothing() -> None:
    found = nearest(Search("epb2", 1.0, "metis", note="not sought: why"), Target(100, 5.0, 1.0))
    assert (found.nearest, found.tried, found.within) == ("", 0, False)
    assert "| epb2 | none | - | - | - | - | metis | 0 | not sought: why |" in command.twins_table((found,))


def test_a_candidate_has_the_order_that_is_asked_for() -> None:
    for search in searches():
        target = command.target_of(search)
        for name in search.candidates(target.order) if search.grids else ():
            order = names.parse(name).order if names.is_generated(name) else target.order
            assert distance(order / target.order, 1, None, None) <= 1, (search.matrix, name)


@pytest.mark.parametrize(
    ("pairs", "far"),
    [
        ((1, 1, 0, 1), 0),
        ((ORDER, 1, 0, 1), 1),
        ((1 / ORDER, 1, 0, None), 1),
        ((1, 1.5, 0, 1), 1),
        ((1, 1, -0.1, 1), 1),
        ((1, 1, 0, 2), 1),
        ((1, 1, 0, 4), 2),
        ((0, 1, 0, 1), np.inf),
        ((1, 1, 0, 0), np.inf),
    ],
)
def test_a_distance_is_the_largest_over_its_limit(pairs: tuple[float, ...], far: float) -> None:
    assert distance(*pairs) == pytest.approx(far)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_twins(tmp_path / "twins.csv", twins())
    assert read_twins(tmp_path / "twins.csv") == twins()
    assert (tmp_path / "twins.csv").read_text() == FILE.read_text()
    assert read_twins(tmp_path / "none.csv") == ()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("bbmat,metis", "bbmat", r":2: expected the columns"),
        ("bbmat,metis", "bbmat,metis,more", r":2: expected the columns"),
        ("matrix,preparation", "matrix,prepared", r":2: expected the columns"),
        ("unknowns=5\",1.004", "unknowns=5\",near", r":2: could not convert .*seek it again"),
        ("1.105,1,", "1.105,one,", r":2: invalid literal .*seek it again"),
        ("1.105,1,17795e57e8da,,true", "1.105,1,17795e57e8da,,false", ":2: within is 'false', which"),
        ("unknowns=5\",1.004", "unknowns=5\",1.3", ":2: within is 'true', which its distances contradict"),
        ("\nepb2,", "\nbbmat,", "bbmat stands on several lines"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_with_where(tmp_path: Path, before: str, after: str, message: str) -> None:
    path, text = tmp_path / "twins.csv", FILE.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))
    with pytest.raises(ConfigError, match=message):
        read_twins(path)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"matrix": "epb2"}, r"twins.yaml: \$\[0\]"),
        ({"matrix": "epb2", "known": ["grid2d,9"], "symmetry": 2}, "symmetry"),
        ({"matrix": "epb2", "grids": [{"generator": "mesh", "layers": 1}]}, "twins.yaml"),
        ({"matrix": "epb2", "grids": [{"generator": "netlist", "power": 2, "wires": 3, "more": 1}]}, "twins"),
    ],
)
def test_a_damaged_search_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: dict[str, object], message: str
) -> None:
    (tmp_path / "twins.yaml").write_text(yaml.safe_dump([entry]))
    shutil.copytree(CONFIG / "schemas", tmp_path / "schemas")
    monkeypatch.setattr(twin_candidates, "CONFIG", tmp_path)
    with pytest.raises(ConfigError, match=message):
        searches.__wrapped__()


def test_a_search_of_no_matrix_is_refused_with_the_nearest_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnknownNameError, match=r"has no 'rma11'; did you mean rma10"):
        command._asked(["rma11"])
    (tmp_path / "twins.yaml").write_text("- {matrix: nonesuch, note: none}\n")
    shutil.copytree(CONFIG / "schemas", tmp_path / "schemas")
    monkeypatch.setattr(twin_candidates, "CONFIG", tmp_path)
    with pytest.raises(UnknownNameError, match="nonesuch"):
        searches.__wrapped__()


@pytest.fixture
def own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what the command writes, and one search of grids."""
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "twins.md", tmp_path / "docs")
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "FILE", tmp_path / "twins.csv")
    monkeypatch.setattr(command, "searches", lambda: (GRID,))
    monkeypatch.setattr(command, "target_of", lambda search: Target(156, 4.7, 1.0))
    return tmp_path


def test_a_search_is_written_as_it_comes_and_not_done_again(
    own_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = argparse.Namespace(matrices=[], check=False)
    assert command.run(asked) == 0
    (row,) = read_twins(own_files / "twins.csv")
    assert row.matrix == "epb2" and row.tried == 2 and row.nearest in GRID.known
    assert f"`{row.nearest.replace(',', ':')}`" in (own_files / "docs" / "twins.md").read_text()
    monkeypatch.setattr(command, "nearest", lambda *_: pytest.fail("it stands"))
    assert command.run(asked) == 0


def test_another_target_makes_a_row_out_of_date(own_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command.run(argparse.Namespace(matrices=["epb2"], check=False))
    (before,) = read_twins(own_files / "twins.csv")
    monkeypatch.setattr(command, "target_of", lambda search: Target(10**6, 4.7, 1.0))
    command.run(argparse.Namespace(matrices=[], check=False))
    (after,) = read_twins(own_files / "twins.csv")
    assert before.search != after.search and not after.within


def test_a_check_seeks_nothing(own_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "nearest", lambda *_: pytest.fail("a check"))
    assert command.run(argparse.Namespace(matrices=[], check=True)) == 1, "the page is of other rows"
    assert not (own_files / "twins.csv").exists()


def test_a_candidate_leaves_nothing_in_the_cache() -> None:
    found = nearest(replace(GRID, known=("grid2d,12",)), Target(144, 4.7, 1.0))
    assert found.tried == 1
    assert not prepare.prepared_path("grid2d,12", Preparation.parse("metis")).is_file()
    assert twin_search.fingerprint(GRID, Target(144, 4.7, 1.0)) != found.search
