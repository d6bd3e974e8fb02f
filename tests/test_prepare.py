"""Preparation: P_r D_r A D_c P_c, its diagonal complete, the same each time, kept and mended."""

import csv
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from fetch import catalogue, matrixmarket, prepare
from fetch.matrix_id import LocalFile, parse, resolve
from fetch.source import Loaded, load
from fillpath.case import MATCHINGS, ORDERINGS, Preparation
from fillpath.errors import InputError
from fillpath.nouns import Prepared
from fillpath.paths import ROOT

HELD = Path(os.environ.get("FILLPATH_MIRROR") or ROOT.parent / "shared" / "suitesparse")
needs_mirror = pytest.mark.skipif(
    not (HELD / "MM").is_dir(), reason="no mirror: set FILLPATH_MIRROR to a folder"
)
# Those that any matrix has.
COMMON = [o for o in ORDERINGS if o != "geometric"]


@pytest.fixture(autouse=True)
def mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", str(HELD))


def loaded(matrix: csr_array, field: str = "real") -> Loaded:
    return Loaded(matrix, field, "test", "0" * 64)


def make(matrix: csr_array, preparation: str, seed: int = 0, field: str = "real") -> Prepared:
    return prepare._make(LocalFile("test"), loaded(matrix, field), Preparation.parse(preparation), seed)


def dense(prepared: Prepared) -> np.ndarray:
    pattern = prepared.pattern
    arrays = (prepared.values, pattern.indices, pattern.indptr)
    return csr_array(arrays, shape=(pattern.n, pattern.n)).toarray()


def write(tmp_path: Path, header: str, body: str) -> str:
    path = tmp_path / "m.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate {header}\n{body}")
    return resolve(str(path)).text


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


@given(matrices(), st.sampled_from(COMMON), st.booleans(), st.integers(0, 3))
@settings(max_examples=75, deadline=None)
def test_prepared_values_are_the_permuted_scaled_original(
    matrix: csr_array, ordering: str, zeros: bool, seed: int
) -> None:
    n = matrix.shape[0]
    for matching in MATCHINGS:
        preparation = Preparation(matching, ordering, zeros)
        try:
            prepared = prepare._make(LocalFile("test"), loaded(matrix), preparation, seed)
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


@given(matrices(), st.sampled_from(COMMON), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_the_same_request_gives_the_same_content(matrix: csr_array, ordering: str, seed: int) -> None:
    first, again = make(matrix, ordering, seed), make(matrix, ordering, seed)
    assert first.hash == again.hash
    assert np.array_equal(first.row_permutation, again.row_permutation)


@given(matrices(), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_a_pattern_gets_dominant_values_that_no_ordering_changes(matrix: csr_array, seed: int) -> None:
    matrix.data[:] = 1
    natural = make(matrix, "natural", seed, field="pattern")
    values = dense(natural)
    assert natural.provenance.synthetic_values
    assert np.all(2 * np.diag(values) > np.abs(values).sum(axis=1))
    both = (values != 0) & (values.T != 0)
    assert np.array_equal(values[both], values.T[both])
    metis = make(matrix, "metis", seed, field="pattern")
    order = metis.row_permutation
    assert np.array_equal(dense(metis), values[order][:, order])


@pytest.mark.parametrize(
    ("rows", "field", "method"),
    [
        ([[2, 1], [1, 2]], "real", "none"),
        ([[2, 1], [3, 2]], "real", "mc64"),
        ([[2, 1], [1, 0]], "real", "mc64"),
        ([[1, 1], [0, 1]], "pattern", "none"),
        ([[1, 1], [1, 0]], "pattern", "mc64"),
    ],
)
def test_auto_matches_only_where_it_must(rows: list[list[float]], field: str, method: str) -> None:
    prepared = make(csr_array(np.array(rows, float)), "auto+natural", field=field)
    assert prepared.provenance.matching == method


def test_auto_compares_no_zero_that_is_stored_on_one_side_alone() -> None:
    rows, columns = [0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 0, 2]
    matrix = csr_array(([1.0, 2, 1, -1, -1, 0], (rows, columns)), shape=(3, 3))
    prepared = make(matrix, "auto+natural")
    assert (prepared.provenance.matching, prepared.pattern.nnz) == ("none", 6)


@pytest.mark.parametrize("ordering", COMMON)
def test_matrices_that_trouble_orderings_are_permuted_whole(ordering: str) -> None:
    """Vertices without neighbours, and no edge or few."""
    for n, links in ((1, []), (5, []), (5, [(0, 3)]), (6, [(1, 2), (4, 5)])):
        entries = np.array([*links, *[(i, i) for i in range(n)]]).T
        matrix = csr_array(coo_array((np.arange(1.0, entries.shape[1] + 1), tuple(entries)), shape=(n, n)))
        prepared = make(matrix, ordering)
        prepared.pattern.validate()
        order = prepared.row_permutation
        assert sorted(order) == list(range(n))
        assert np.array_equal(dense(prepared), matrix.toarray()[order][:, order])


def test_metis_fills_less_than_the_natural_order_and_than_its_inverse() -> None:
    def fill(order: np.ndarray) -> int:
        filled = csr_array(grid)[order][:, order].toarray() != 0
        for k in range(len(order)):
            below = np.flatnonzero(filled[k + 1 :, k]) + k + 1
            filled[np.ix_(below, below)] = True
        return int(filled.sum())

    grid = load(parse("grid2d,20")).matrix
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
    refused = 0
    rng = np.random.default_rng(0)
    for at, flip in zip(rng.integers(0, len(whole), 200), rng.integers(1, 256, 200), strict=True):
        damaged = bytearray(whole)
        damaged[at] ^= flip
        path.write_bytes(damaged)
        try:
            stored = prepare.load_prepared(path)
        except InputError:
            refused += 1
            continue
        assert stored.provenance == first.provenance
        assert np.array_equal(stored.values, first.values)
        assert np.array_equal(stored.pattern.indices, first.pattern.indices)
    assert refused > 100


def test_the_artefacts_name_follows_what_decides_its_content() -> None:
    natural, metis = Preparation("none", "natural"), Preparation("none", "metis")
    path = prepare.prepared_path
    assert path("grid2d,5", natural, 0) == path("grid2d,5", natural, 7)
    different = [path("grid2d,5", metis, 0), path("grid2d,5", metis, 7), path("grid2d,6", metis, 0)]
    assert len({*different, path("grid2d,5", natural, 0)}) == 4


def test_the_artefacts_name_follows_the_code_of_its_makers_and_no_comment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = tmp_path / "maker.py"
    monkeypatch.setattr(prepare, "_MAKERS", (SimpleNamespace(__file__=str(maker)),))
    paths = []
    for code in ("x = 1\n", '"""Text."""\n# A comment.\nx = 1  # and another\n', "x = 2\n"):
        maker.write_text(code)
        paths.append(prepare.prepared_path("grid2d,5", Preparation()))
    assert paths[0] == paths[1] != paths[2]


def test_what_an_earlier_reader_let_through_is_read_anew() -> None:
    reader = {getattr(each, "__module__", "") for each in vars(matrixmarket).values()}
    # Whether there is room decides no content.
    reader = {name for name in reader if name.startswith("fetch.")} - {"fetch.room"}
    assert reader == {"fetch.lines", "fetch.matrixmarket"} <= {each.__name__ for each in prepare._MAKERS}


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


def test_a_value_takes_the_place_of_a_zero_diagonal(tmp_path: Path) -> None:
    name = write(tmp_path, "real general", "3 3 5\n1 1 0\n2 2 7\n1 2 4\n2 3 5\n3 1 -6\n")
    prepared = prepare.prepare(name, Preparation("none", "natural", diagonal=1000))
    assert dense(prepared).tolist() == [[1000, 4, 0], [0, 7, 5], [-6, 0, 1000]]
    assert (prepared.provenance.diagonal, prepared.provenance.diagonal_added) == (1000, 1)
    plain = prepare.prepare(name, Preparation())
    assert dense(plain).tolist() == [[0, 4, 0], [0, 7, 5], [-6, 0, 0]] and plain.provenance.diagonal == 0


def test_a_value_takes_the_place_of_a_patterns_missing_diagonal(tmp_path: Path) -> None:
    name = write(tmp_path, "pattern symmetric", "3 3 3\n1 1\n2 1\n3 2\n")
    prepared = prepare.prepare(name, Preparation("none", "natural", diagonal=1000))
    diagonal = np.diag(dense(prepared))
    assert diagonal[1:].tolist() == [1000, 1000] and diagonal[0] < 3
    assert prepared.provenance.synthetic_values


def test_complex_values_are_prepared_by_their_moduli(tmp_path: Path) -> None:
    name = write(tmp_path, "complex general", "2 2 3\n1 1 3 4\n1 2 0 10\n2 1 1 0\n")
    prepared = prepare.prepare(name, Preparation())
    assert dense(prepared).tolist() == [[5, 10], [1, 0]] and prepared.provenance.field == "complex"
    matched = prepare.prepare(name, Preparation("mc64"))
    assert np.abs(np.diag(dense(matched))) == pytest.approx(1)


def test_a_matrix_of_order_one_is_prepared(tmp_path: Path) -> None:
    name = write(tmp_path, "real general", "1 1 1\n1 1 -4\n")
    for ordering in COMMON:
        assert dense(prepare.prepare(name, Preparation("mc64", ordering))).tolist() == [[-1]]


@given(matrices())
@settings(max_examples=60, deadline=None)
def test_structural_symmetry_is_the_share_of_mirrored_entries(matrix: csr_array) -> None:
    present = np.zeros(matrix.shape, bool)
    present[matrix.nonzero()] = True
    coordinates = coo_array(matrix)
    present[coordinates.coords] = True
    np.fill_diagonal(present, False)
    share = (present & present.T).sum() / present.sum() if present.any() else 1.0
    assert make(matrix, "natural").provenance.structural_symmetry == pytest.approx(share)


@needs_mirror
def test_structural_symmetry_is_that_of_the_collections_index() -> None:
    with (HELD / "files" / "ssstats.csv").open(newline="") as handle:
        listed = {(row[0], row[1]): float(row[9]) for row in csv.reader(handle) if len(row) == 13}
    for name in ("add32", "memplus", "west2021", "onetone2", "orani678", "cage10", "ex40", "bcsstk18"):
        stored = load(parse(name))
        entry = catalogue.lookup(name)
        symmetry = prepare._structural_symmetry(stored.matrix)
        assert symmetry == pytest.approx(listed[entry.group, entry.name], abs=5e-4), name


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
