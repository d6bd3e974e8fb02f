"""Contract of the stage `symbolic`, over every registered implementation."""

import dataclasses
import functools
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from benchmarks.checks.rows import digest, verify_symbolic
from benchmarks.engine.reference import make_reference
from fillpath import registry
from fillpath.errors import UnsupportedError
from fillpath.nouns import Counts, Filled, Pattern, Work
from tests.devices import hosted
from tests.every_matrix import bounds, compare
from tests.patterns import assert_same, eliminated, from_dense, mirrored, patterns, random_pattern, to_dense
from tests.thorough import daily

ALL = [
    pytest.param(entry, id=entry.name, marks=[pytest.mark.gpu] if entry.device == "gpu" else [])
    for entry in registry.registered("symbolic")
    if entry.module.startswith("impl.") and not entry.peer
]
# What these take is structurally symmetric.
SYMMETRIC = ("etree_cpu",)
UNSYMMETRIC = [parameter for parameter in ALL if parameter.values[0].name not in SYMMETRIC]
FILL1 = registry.lookup("symbolic", "fill1")


def run(entry: registry.Implementation, pattern: Pattern) -> tuple[Filled, Any]:
    filled, work = hosted(entry)(pattern)
    return filled, work


@given(patterns())
def test_fill1_is_gaussian_elimination(pattern: Pattern) -> None:
    filled, work = FILL1.function(pattern)
    dense = eliminated(pattern)
    assert np.array_equal(to_dense(filled), dense)
    assert work.fills == dense.sum() - pattern.nnz


@functools.cache
def drawn(part: int, symmetric: bool) -> tuple[tuple[Pattern, Filled], ...]:
    """200 random patterns of order 0 to 200 and what fill1 makes of them; sparse ones too."""
    rng = np.random.default_rng([20260101, part])
    pairs = []
    for _ in range(200):
        n = int(rng.integers(0, 201))
        density = float(rng.choice([0.5, 2.0, 6.0, 0.2 * max(n, 1)])) / max(n, 1) * float(rng.random())
        pattern = random_pattern(n, min(density, 1.0), int(rng.integers(2**32)))
        pattern = mirrored(pattern) if symmetric else pattern
        pairs.append((pattern, FILL1.function(pattern)[0]))
    return tuple(pairs)


@pytest.mark.parametrize("part", daily(range(10), 0))
@pytest.mark.parametrize("entry", ALL)
def test_equals_fill1_on_200_random_patterns(entry: registry.Implementation, part: int) -> None:
    """Unsymmetric ones, but for what takes no others than symmetric ones."""
    for number, (pattern, expected) in enumerate(drawn(part, entry.name in SYMMETRIC)):
        filled, work = run(entry, pattern)
        if pattern.n > 0:
            filled.pattern.validate()
        assert_same(filled, expected)
        assert work.fills == filled.pattern.nnz - pattern.nnz, number


@pytest.mark.parametrize("part", daily(range(3), 0))
@pytest.mark.parametrize("entry", [e for e in ALL if "output" in {o.name for o in e.values[0].options}])
def test_counts_are_those_of_the_pattern(entry: registry.Implementation, part: int) -> None:
    for number, (pattern, expected) in enumerate(drawn(part, entry.name in SYMMETRIC)):
        counts, work = hosted(entry)(pattern, output="counts")
        assert isinstance(counts, Counts)
        assert np.array_equal(counts.lower, expected.counts().lower), number
        assert np.array_equal(counts.upper, expected.counts().upper), number
        assert (counts.lower.dtype, counts.upper.dtype) == (np.int64, np.int64)
        assert work.fills == counts.nnz - pattern.nnz


@pytest.mark.parametrize("entry", UNSYMMETRIC)
@pytest.mark.parametrize("n", [1, 63, 64, 65, 4096, 4097, 8200])
def test_a_path_that_fills_one_long_row_crosses_every_word(entry: registry.Implementation, n: int) -> None:
    """Arrow towards the first row: eliminating vertex 0 joins the last row to every column."""
    rows = np.r_[np.zeros(n, int), np.arange(n), n - 1]
    columns = np.r_[np.arange(n), np.arange(n), 0]
    order = np.unique(rows * n + columns)
    indptr = np.searchsorted(order // n, np.arange(n + 1)).astype(np.int64)
    pattern = Pattern(indptr, (order % n).astype(np.int32))
    pattern.validate()
    filled, _ = run(entry, pattern)
    last = filled.pattern.indices[filled.pattern.indptr[n - 1] :]
    assert np.array_equal(last, np.arange(n))


@pytest.mark.parametrize("entry", [e for e in ALL if e.values[0].name in SYMMETRIC])
def test_an_entry_without_its_mirror_is_unsupported(entry: registry.Implementation) -> None:
    for lost in ((3, 0), (0, 3), (2, 3), (3, 2)):
        dense = np.ones((4, 4), dtype=bool)
        dense[lost] = False
        with pytest.raises(UnsupportedError, match="not structurally symmetric"):
            run(entry, from_dense(dense))


@pytest.mark.parametrize("entry", UNSYMMETRIC)
def test_a_worked_example(entry: registry.Implementation) -> None:
    """Six vertices by hand: 3 -> 0 -> 4 fills (3,4); 5 -> 1 -> 2 fills (5,2); going on, 5 -> .. -> 3 fills
    (5,3); 5 -> .. -> 3 -> 0 -> 4 fills (5,4) but not (5,0), whose path passes vertices larger than 0."""
    edges = [(0, 4), (1, 2), (2, 3), (3, 0), (5, 1)]
    dense = np.zeros((6, 6), dtype=bool)
    dense[tuple(zip(*edges, strict=True))] = True
    filled, work = run(entry, from_dense(dense))
    fills = set(zip(*np.nonzero(to_dense(filled) & ~dense & ~np.eye(6, dtype=bool)), strict=True))
    assert fills == {(3, 4), (5, 2), (5, 3), (5, 4)}
    assert work.fills == 4


@pytest.mark.parametrize("entry", UNSYMMETRIC)
def test_the_example_of_the_gsofa_paper(entry: registry.Implementation) -> None:
    """GSoFA, Section 4, Figure 7: what source 8 reaches, as far as the text names the edges."""
    adjacency = {8: [1, 2, 7, 9], 1: [0], 2: [3, 5, 7], 7: [2, 4], 0: [5], 3: [4], 5: [3]}
    dense = np.zeros((10, 10), dtype=bool)
    for vertex, neighbours in adjacency.items():
        dense[vertex, neighbours] = True
    filled, _ = run(entry, from_dense(dense))
    assert set(np.flatnonzero(to_dense(filled)[8])) - {1, 2, 7, 8, 9} == {3, 4, 5}


@pytest.mark.parametrize("entry", ALL)
def test_the_input_is_left_alone_and_the_answer_repeats(entry: registry.Implementation) -> None:
    pattern = random_pattern(200, 0.02, 7)
    pattern = mirrored(pattern) if entry.name in SYMMETRIC else pattern
    before = pattern.indptr.copy(), pattern.indices.copy()
    first, work = run(entry, pattern)
    second, again = run(entry, pattern)
    assert_same(first, second)
    # The edges of a traversal on many threads depend on their scheduling.
    assert work.fills == again.fills
    assert work == again or (entry.device == "gpu" and entry.name != "fill2_gpu")
    assert np.array_equal(before[0], pattern.indptr)
    assert np.array_equal(before[1], pattern.indices)


def symmetric(n: int, density: float, seed: int) -> Pattern:
    dense = np.random.default_rng(seed).random((n, n)) < density
    return from_dense(dense | dense.T)


@pytest.mark.parametrize("seed", range(8))
def test_symmetric_patterns_fill_where_superlus_factor_does(seed: int) -> None:
    """Entry by entry, with the L of SciPy's SuperLU, which shares nothing with this project, under the
    permutation that SuperLU chose. Of an M-matrix, in whose factors nothing cancels."""
    pattern = symmetric(40 + 60 * seed, 0.5 / (4 + 6 * seed), seed)
    n, rows, columns = pattern.n, pattern.rows(), pattern.indices
    values = np.where(rows == columns, np.diff(pattern.indptr)[rows], -1.0)
    matrix = csr_array((values, columns, pattern.indptr), shape=(n, n)).tocsc()
    symmetric_mode = {"SymmetricMode": True}
    factors = splu(
        matrix, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, relax=1, panel_size=1, options=symmetric_mode
    )
    assert np.array_equal(factors.perm_r, factors.perm_c)
    order = np.argsort(factors.perm_c)
    dense = matrix.toarray() != 0
    filled, _ = registry.lookup("symbolic", "fill1_pruned").function(from_dense(dense[order][:, order]))
    lower = factors.L.toarray() != 0
    assert np.array_equal(to_dense(filled), lower | lower.T)


@pytest.mark.parametrize("seed", range(8))
def test_fills_as_much_as_superlu_stores(seed: int) -> None:
    """SciPy's SuperLU without relaxed supernodes and pivoting on the diagonal: unsymmetric patterns too."""
    pattern = random_pattern(30 + 20 * seed, 0.06, seed)
    n = pattern.n
    values = np.where(
        pattern.rows() == pattern.indices, float(n), -np.random.default_rng(seed).random(pattern.nnz)
    )
    matrix = csr_array((values, pattern.indices, pattern.indptr), shape=(n, n)).tocsc()
    symmetric_mode = {"SymmetricMode": True}
    factors = splu(matrix, "NATURAL", diag_pivot_thresh=0.0, relax=1, panel_size=1, options=symmetric_mode)
    filled, _ = registry.lookup("symbolic", "fill1_pruned").function(pattern)
    stored = np.count_nonzero(factors.L.data) + np.count_nonzero(factors.U.data)
    assert filled.pattern.nnz == stored - n


@given(st.integers(1, 60), st.floats(0, 0.3), st.integers(0, 2**32 - 1))
def test_symmetric_patterns_take_what_their_elimination_tree_says(n: int, density: float, seed: int) -> None:
    pattern = symmetric(n, density, seed)
    filled, work = registry.lookup("symbolic", "fill2_cpu").function(pattern)
    assert bounds(pattern)[:2] == (filled.pattern.nnz, work.edges)


def test_fill2_counts_the_edges_of_its_definition() -> None:
    pattern = random_pattern(50, 0.06, 3)
    _, work = registry.lookup("symbolic", "fill2_cpu").function(pattern)
    assert work.edges == sum(_fill2_edges(pattern, source) for source in range(pattern.n))


def _fill2_edges(pattern: Pattern, source: int) -> int:
    """Figure 3(b) as printed: thresholds in ascending order, a scan over all of them."""
    rows = [pattern.indices[pattern.indptr[r] : pattern.indptr[r + 1]].tolist() for r in range(pattern.n)]
    visited, edges = set(rows[source]), 0
    for threshold in range(source):
        if threshold not in visited:
            continue
        frontier = [threshold]
        while frontier:
            vertex = frontier.pop()
            edges += len(rows[vertex])
            fresh = [v for v in rows[vertex] if v not in visited]
            visited.update(fresh)
            frontier += [v for v in fresh if v < threshold]
    return edges


@given(patterns())
def test_the_gate_sees_one_wrong_entry(pattern: Pattern) -> None:
    reference = make_reference(pattern)
    filled, _ = FILL1.function(pattern)
    assert verify_symbolic(filled, reference).value == 0
    if pattern.n < 2:
        return
    dense = to_dense(filled)
    dense[0, 1] ^= True
    flipped = from_dense(dense)
    wrong = Filled(flipped, flipped.indptr[:-1] + np.tril(dense, -1).sum(axis=1))
    assert verify_symbolic(wrong, reference).value == 1


@pytest.mark.parametrize("ordering", ["natural", "metis"])
def test_the_comparison_over_every_matrix_compares_all_but_its_measure(ordering: str) -> None:
    """tests/every_matrix.py, which is run by hand, on a generated matrix."""
    chosen = [e.values[0] for e in ALL if e.values[0].device == "cpu"]
    assert compare("grid2d:9", ordering, chosen, 1e9, 1e9) == ["same"] * len(chosen)
    chosen = [e for e in chosen if e.name not in SYMMETRIC]
    assert compare("circuit:300", ordering, chosen, 1e9, 1e9) == ["same"] * len(chosen)
    assert compare("circuit:300", ordering, chosen, 1e9, 1.0)[0].startswith("left out")
    etree = registry.lookup("symbolic", "etree_cpu")
    assert compare("circuit:300", ordering, [etree], 1e9, 1e9)[0].startswith("unsymmetric")


def test_a_refusal_is_believed_of_unsymmetric_patterns_alone() -> None:
    def refuse(pattern: Pattern) -> tuple[Filled, Work]:
        raise UnsupportedError("symmetric patterns alone")

    refusing = dataclasses.replace(registry.lookup("symbolic", "etree_cpu"), function=refuse)
    assert compare("circuit:300", "natural", [refusing], 1e9, 1e9) == ["unsymmetric: etree_cpu"]
    assert compare("grid2d:9", "natural", [refusing], 1e9, 1e9)[0].startswith("differs: etree_cpu refuses")


def test_fronts_are_compared_too_where_a_pattern_is_symmetric() -> None:
    options: list[str] = []

    def fronts(pattern: Pattern, *, path: str = "auto") -> tuple[Any, Any]:
        options.append(path)
        return FILL1.function(pattern)

    entry = dataclasses.replace(FILL1, name="bitfronts_gpu", function=fronts)
    assert compare("grid2d:9", "natural", [entry], 1e9, 1e9) == ["same", "same"]
    assert compare("circuit:300", "natural", [entry], 1e9, 1e9) == ["same"]
    assert options == ["auto", "fronts", "auto"]


@pytest.mark.parametrize(("name", "n"), [("fill2_cpu", 300), ("fill2_multi", 1100)])
def test_fill2_and_the_digest_are_the_same_on_two_threads(two_threads: None, name: str, n: int) -> None:
    pattern = random_pattern(n, 3 / n, 11)
    filled, _ = registry.lookup("symbolic", name).function(pattern)
    assert_same(filled, FILL1.function(pattern)[0])
    hashes = digest(filled).hashes
    numba.set_num_threads(1)
    assert np.array_equal(hashes, digest(filled).hashes)
