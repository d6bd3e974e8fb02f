"""Twins: what config/twins.csv says of them is so."""

import csv
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from fetch import catalogue, names, prepare
from fetch.generate import generate
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import ConfigError
from fillpath.paths import CONFIG, ROOT
from fillpath.twins import FILE, originals
from tests.thorough import daily

ROWS = [
    SimpleNamespace(**row)
    for row in pd.read_csv(FILE).astype(object).where(lambda cells: cells.notna(), None).to_dict("records")
]
KNOWN = {row.matrix: row for row in ROWS}
# Entries of what is generated every day, and in the thorough tests.
SMALL, LARGE = 600_000, 3_000_000
GENERATED = [row for row in ROWS if row.nearest and (catalogue.lookup(row.matrix).nnz or 0) < LARGE]
PAGE = (ROOT / "docs" / "twins.md").read_text()


def printed(name: str, matrix: str, column: str) -> float:
    """A cell of a table of config/, by the end of its first cell or of its last."""
    with (CONFIG / f"{name}.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    (row,) = (
        row for row in rows if matrix in (row.get("id"), str(row.get("collection_name")).split("/")[-1])
    )
    return float(row[column] or 0)


def is_small(row: SimpleNamespace) -> bool:
    return (catalogue.lookup(row.matrix).nnz or 0) < SMALL


def symmetry_of(row: SimpleNamespace) -> float:
    """The symmetry of the paper's matrix, which the name of the generated one asks for."""
    return float(dict(names.parse(row.nearest).keys).get("symmetry", 1.0))


@pytest.mark.parametrize("row", daily(GENERATED, *filter(is_small, GENERATED)), ids=lambda row: row.matrix)
def test_a_twin_has_the_order_entries_and_symmetry_that_are_said(row: SimpleNamespace) -> None:
    assert names.is_generated(row.nearest)
    pattern = generate(names.parse(row.nearest)).astype(bool).astype(np.int64)
    stated = catalogue.find(row.nearest)
    assert stated is None or stated.nnz == pattern.nnz
    n, entries = pattern.shape[0], pattern.nnz
    order = printed("matrices", row.matrix, "order")
    with_zeros = printed("matrices", row.matrix, "nnz_with_zeros")
    mirrored = (pattern.multiply(csr_array(pattern.T)).nnz - n) / (entries - n)
    assert row.order == pytest.approx(n / order, rel=1e-3)
    assert row.density == pytest.approx(entries / n / (with_zeros / order), rel=1e-3)
    assert row.symmetry == pytest.approx(mirrored - symmetry_of(row), abs=1e-3)


@pytest.mark.parametrize("matrix", daily(["epb2", "mark3jac140"], "epb2"))
def test_a_small_twin_has_the_fill_that_is_said(matrix: str) -> None:
    pattern = prepare.prepare(KNOWN[matrix].nearest, Preparation.parse(KNOWN[matrix].preparation)).pattern
    counts, _ = registry.lookup("symbolic", "fill1_pruned").function(pattern, output="counts")
    fill = (counts.nnz - pattern.nnz) / pattern.nnz
    assert KNOWN[matrix].fill == pytest.approx(
        fill / printed("papers/gsofa_table1_matrices", matrix, "fillins_per_nnz"), rel=1e-3
    )


def test_every_twin_of_gsofas_matrices_stands_for_it_in_the_papers_suite() -> None:
    of_gsofa = [entry for entry in catalogue.entries() if "gsofa" in entry.papers and entry.suite == "papers"]
    assert len(of_gsofa) == 12 and all(entry.id in KNOWN for entry in of_gsofa)
    for entry in of_gsofa:
        twin = catalogue.lookup(KNOWN[entry.id].nearest)
        made = names.parse(twin.name)
        assert twin.stands_for == (entry.id,) and (twin.suite, twin.kind) == ("papers", entry.kind)
        assert twin.order == made.order and made.nnz in (None, twin.nnz)
        assert originals()[twin.id] == [entry.id]


def test_every_row_is_of_the_catalogue_and_stands_on_the_page() -> None:
    lines = {line.split(" | ")[0].removeprefix("| "): line for line in PAGE.splitlines() if line[:2] == "| "}
    for row in ROWS:
        if not row.nearest:
            assert row.note.startswith("not sought: ") and row.note in lines[row.matrix]
            continue
        order = names.parse(row.nearest).order / (catalogue.lookup(row.matrix).order or 0)
        assert row.within and row.order == pytest.approx(order, rel=1e-3), row.matrix
        assert f"| `{row.nearest.replace(',', ':')}` |" in lines[row.matrix]


def test_symmetries_are_those_that_gsofa_prints() -> None:
    for row in ROWS:
        if "gsofa" in catalogue.lookup(row.matrix).papers:
            share = printed("papers/gsofa_table1_matrices", row.matrix, "structural_symmetry")
            assert abs(share - symmetry_of(row)) < 0.01, row.matrix


def test_a_paper_prints_fill_of_just_these() -> None:
    without = {row.matrix for row in ROWS if row.nearest and row.fill is None}
    assert without and not any("gsofa" in catalogue.lookup(name).papers for name in without)
    lines = [line for line in PAGE.splitlines() if "not printed |" in line]
    assert {line.split(" | ")[0].removeprefix("| ") for line in lines} == without


def test_ecology1_is_a_grid_in_all_that_is_known_of_it() -> None:
    row = KNOWN["ecology1"]
    assert (row.nearest, row.order, row.density, row.symmetry) == ("grid2d,1000,laplacian", 1, 1, 0)
    assert row.within and row.fill is None


def test_each_matrix_has_one_row_and_a_twin_is_within_the_limits() -> None:
    assert len(KNOWN) == len(ROWS) > 40
    assert originals() == {
        near: [row.matrix for row in ROWS if row.nearest == near and row.within]
        for near in {row.nearest for row in ROWS if row.within}
    }


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("matrix,preparation", "name,preparation", r":2: expected `matrix`, `nearest`"),
        ("bbmat,metis", "bbmat", r":2: expected `matrix`, `nearest`"),
        ("fill,note,within", "fill,note", r":2: expected `matrix`, `nearest`"),
        ("1.105,,true", "1.105,,yes", r":2: expected `matrix`, `nearest`"),
    ],
)
def test_a_damaged_file_is_refused_with_where(tmp_path: Path, before: str, after: str, message: str) -> None:
    path, text = tmp_path / "twins.csv", FILE.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))
    with pytest.raises(ConfigError, match=message):
        originals(path)
