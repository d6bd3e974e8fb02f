"""Preparation: P_r D_r A D_c P_c, its diagonal complete, the same each time, kept and mended."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from fetch import catalogue, prepare
from fillpath.case import MATCHINGS, ORDERINGS, Preparation
from fillpath.errors import InputError
from fillpath.nouns import Prepared
from fillpath.paths import ROOT

HELD = Path(os.environ.get("FILLPATH_MIRROR") or ROOT.parent / "shared" / "suitesparse")
needs_mirror = pytest.mark.skipif(
    not (HELD / "MM").is_dir(), reason="no mirror: set FILLPATH_MIRROR to a folder"
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FILLPATH_MIRROR", str(HELD))


def loaded(matrix: csr_array, pattern_only: bool = False) -> catalogue.Loaded:
    zeros = int(np.count_nonzero(matrix.data == 0))
    return catalogue.Loaded(matrix, pattern_only, zeros, matrix.nnz, "test", "0" * 64)


def make(matrix: csr_array, preparation: str, seed: int = 0, pattern_only: bool = False) -> Prepared:
    return prepare._make("test", loaded(matrix, pattern_only), Preparation.parse(preparation), seed)


def dense(prepared: Prepared) -> np.ndarray:
    pattern = prepared.pattern
    arrays = (prepared.values, pattern.indices, pattern.indptr)
    return csr_array(arrays, shape=(pattern.n, pattern.n)).toarray()


def write(tmp_path: Path, header: str, body: str) -> str:
    path = tmp_path / "m.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate {header}\n{body}")
    return catalogue.resolve(str(path))


@st.composite
def matrices(draw: st.DrawFn) -> csr_array:
    """Nonsingular in structure, with holes in the diagonal and explicit zeros. n x n float64."""
    n = draw(st.integers(1, 24))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    mask = rng.random((n, n)) < draw(st.floats(0, 0.4))
    mask[rng.permutation(n), np.arange(n)] = True
    rows, columns = np.nonzero(mask)
    values = rng.normal(size=len(rows)) * (rng.random(len(rows)) < 0.9)
    matching = rng.permutation(n)
    values[np.isin(rows * n + columns, matching * n + np.arange(n))] = 2.0
    return csr_array(coo_array((values, (rows, columns)), shape=(n, n)))


@given(matrices(), st.sampled_from(ORDERINGS), st.booleans(), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_prepared_values_are_the_permuted_scaled_original(
    matrix: csr_array, ordering: str, zeros: bool, seed: int
) -> None:
    n = matrix.shape[0]
    for matching in MATCHINGS:
        preparation = Preparation(matching, ordering, zeros)
        try:
            prepared = prepare._make("test", loaded(matrix), preparation, seed)
        except InputError as problem:
            assert "structurally singular" in str(problem)
            continue
        prepared.pattern.validate()
        rows, columns = prepared.row_permutation, prepared.column_permutation
        assert sorted(rows) == sorted(columns) == list(range(n))
        whole = prepared.row_scale[:, None] * matrix.toarray() * prepared.column_scale
        assert np.array_equal(dense(prepared), whole[rows][:, columns])
        kept = matrix.nnz if zeros else int(np.count_nonzero(matrix.data))
        assert prepared.pattern.nnz == kept + prepared.provenance.diagonal_added
        if prepared.provenance.matching == "mc64":
            assert np.abs(np.diag(dense(prepared))) == pytest.approx(1, abs=1e-12)
            assert np.abs(prepared.values).max() <= 1 + 1e-12
        else:
            assert np.array_equal(rows, columns)


@given(matrices(), st.sampled_from(ORDERINGS), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_the_same_request_gives_the_same_content(matrix: csr_array, ordering: str, seed: int) -> None:
    first, again = make(matrix, ordering, seed), make(matrix, ordering, seed)
    assert first.hash == again.hash
    assert np.array_equal(first.row_permutation, again.row_permutation)


@given(matrices(), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_a_pattern_gets_dominant_values_that_no_ordering_changes(matrix: csr_array, seed: int) -> None:
    matrix.data[:] = 1
    natural = make(matrix, "natural", seed, pattern_only=True)
    values = dense(natural)
    assert natural.provenance.synthetic_values
    assert np.all(2 * np.diag(values) > np.abs(values).sum(axis=1))
    both = (values != 0) & (values.T != 0)
    assert np.array_equal(values[both], values.T[both])
    metis = make(matrix, "metis", seed, pattern_only=True)
    order = metis.row_permutation
    assert np.array_equal(dense(metis), values[order][:, order])


@pytest.mark.parametrize(
    ("rows", "pattern_only", "method"),
    [
        ([[2, 1], [1, 2]], False, "none"),
        ([[2, 1], [3, 2]], False, "mc64"),
        ([[2, 1], [1, 0]], False, "mc64"),
        ([[1, 1], [0, 1]], True, "none"),
        ([[1, 1], [1, 0]], True, "mc64"),
    ],
)
def test_auto_matches_only_where_it_must(rows: list[list[float]], pattern_only: bool, method: str) -> None:
    prepared = make(csr_array(np.array(rows, float)), "auto+natural", pattern_only=pattern_only)
    assert prepared.provenance.matching == method


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_matrices_that_trouble_metis(ordering: str) -> None:
    for n, links in ((1, []), (5, []), (5, [(0, 3)]), (6, [(1, 2), (4, 5)])):
        entries = np.array([*links, *[(i, i) for i in range(n)]]).T
        matrix = csr_array(coo_array((np.ones(entries.shape[1]), tuple(entries)), shape=(n, n)))
        make(matrix, ordering).pattern.validate()


def test_metis_fills_less_than_the_natural_order_and_than_its_inverse() -> None:
    def fill(order: np.ndarray) -> int:
        filled = csr_array(grid)[order][:, order].toarray() != 0
        for k in range(len(order)):
            below = np.flatnonzero(filled[k + 1 :, k]) + k + 1
            filled[np.ix_(below, below)] = True
        return int(filled.sum())

    grid = catalogue.load("grid2d,20").matrix
    order = prepare.prepare("grid2d,20", Preparation("none", "metis")).row_permutation
    assert fill(order) < 0.6 * min(fill(np.arange(400)), fill(np.argsort(order)))


def test_a_stored_artefact_is_used_and_a_damaged_one_made_again() -> None:
    preparation = Preparation("mc64", "metis")
    first = prepare.prepare("circuit,300", preparation, 1)
    path = prepare.prepared_path("circuit,300", preparation, 1)
    stored = prepare.load_prepared(path)
    assert stored.provenance == first.provenance and stored.hash == first.hash
    for name in ("values", "row_permutation", "column_permutation", "row_scale", "column_scale"):
        assert np.array_equal(getattr(stored, name), getattr(first, name))
        assert getattr(stored, name).dtype == getattr(first, name).dtype
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 3] ^= 0xFF
    for damaged in (b"", whole[:100], whole[: len(whole) // 2], whole[:-10], bytes(flipped), b"text"):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="not a readable prepared matrix"):
            prepare.load_prepared(path)
        assert prepare.prepare("circuit,300", preparation, 1).hash == first.hash
        assert path.read_bytes() == whole


def test_no_flipped_byte_is_read_as_something_else() -> None:
    first = prepare.prepare("circuit,20", Preparation())
    path = prepare.prepared_path("circuit,20", Preparation())
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for at, flip in zip(rng.integers(0, len(whole), 600), rng.integers(1, 256, 600), strict=True):
        damaged = bytearray(whole)
        damaged[at] ^= flip
        path.write_bytes(damaged)
        try:
            stored = prepare.load_prepared(path)
        except InputError:
            continue
        assert stored.provenance == first.provenance
        assert np.array_equal(stored.values, first.values)
        assert np.array_equal(stored.pattern.indices, first.pattern.indices)


def test_the_artefacts_name_follows_what_decides_its_content() -> None:
    natural, metis = Preparation("none", "natural"), Preparation("none", "metis")
    path = prepare.prepared_path
    assert path("grid2d,5", natural, 0) == path("grid2d,5", natural, 7)
    different = [path("grid2d,5", metis, 0), path("grid2d,5", metis, 7), path("grid2d,6", metis, 0)]
    assert len({*different, path("grid2d,5", natural, 0)}) == 4


def test_a_matrix_without_a_diagonal_is_completed_or_matched(tmp_path: Path) -> None:
    name = write(tmp_path, "real general", "3 3 3\n1 2 4\n2 3 5\n3 1 -6\n")
    plain = prepare.prepare(name, Preparation())
    assert plain.provenance.diagonal_added == 3 and plain.pattern.nnz == 6
    matched = prepare.prepare(name, Preparation("auto"))
    assert matched.provenance.diagonal_added == 0
    assert np.abs(dense(matched)) == pytest.approx(np.eye(3))


def test_a_singular_matrix_names_itself_and_its_rank(tmp_path: Path) -> None:
    name = write(tmp_path, "real general", "3 3 3\n1 1 4\n1 2 5\n2 1 -6\n")
    with pytest.raises(InputError, match=r"local\+m-.*structural rank 2 of 3"):
        prepare.prepare(name, Preparation("mc64"))


def test_rectangular_and_empty_files_are_refused(tmp_path: Path) -> None:
    for body in ("2 3 1\n1 1 1\n", "2 2 0\n"):
        with pytest.raises(InputError, match=r"not square|empty"):
            prepare.prepare(write(tmp_path, "real general", body), Preparation())


@needs_mirror
def test_a_real_matrix_is_prepared_with_its_provenance() -> None:
    prepared = prepare.prepare("add32", Preparation("auto", "metis"), 5)
    about = prepared.provenance
    assert (about.matrix, about.source) == ("add32", "Hamm/add32")
    assert (about.matching, about.ordering) == ("mc64", "metis")
    assert (about.entries, about.explicit_zeros, about.seed) == (23884, 4036, 5)
    dropped = prepare.prepare("add32", Preparation("auto", "metis", explicit_zeros=False), 5)
    assert (dropped.pattern.nnz, dropped.provenance.explicit_zeros) == (19848, 4036)
    assert prepared.hash != dropped.hash and len(prepared.hash) == 64
