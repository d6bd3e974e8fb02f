"""`fill1_supernodal` against fill1 and fill1_pruned, with which it shares no code but the set of columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetch.prepare import prepare
from fillpath.case import Preparation
from fillpath.nouns import Array, Counts, Filled, Pattern
from impl.symbolic.fill1 import fill1
from impl.symbolic.fill1_pruned import fill1_pruned
from impl.symbolic.fill1_supernodal import fill1_supernodal
from impl.symbolic.supernodal_factor_cpu import Supernodes, lower_columns, supernodal_factor
from tests.patterns import FAMILIES, from_dense, from_entries, mirrored, patterns, random_pattern, to_dense


def assert_same(pattern: Pattern, expected: Filled) -> None:
    """The filled pattern and the counts of both outputs."""
    filled, work = fill1_supernodal(pattern)
    counts, counted = fill1_supernodal(pattern, output="counts")
    assert isinstance(filled, Filled) and isinstance(counts, Counts)
    assert np.array_equal(filled.pattern.indptr, expected.pattern.indptr)
    assert np.array_equal(filled.pattern.indices, expected.pattern.indices)
    assert np.array_equal(filled.upper_start, expected.upper_start)
    assert np.array_equal(counts.lower, expected.counts().lower)
    assert np.array_equal(counts.upper, expected.counts().upper)
    assert work == counted and work.fills == expected.pattern.nnz - pattern.nnz


def by_fill1(pattern: Pattern) -> Filled:
    filled, _ = fill1(pattern)
    assert isinstance(filled, Filled)
    return filled


def triangular_blocks(n: int, seed: int) -> Pattern:
    """Dense-ish blocks on the diagonal, and entries right of them, few of which have a mirror."""
    rng = np.random.default_rng(seed)
    inside, right = rng.integers(0, n, (2, 4 * n)), np.sort(rng.integers(0, n, (2, n)), axis=0)
    kept = inside[:, inside[0] // 12 == inside[1] // 12]
    return from_entries(n, *np.concatenate([kept, right], axis=1))


def half_dropped(side: int, seed: int) -> Pattern:
    """A square grid of which half of the edges have one direction only."""
    place = np.arange(side * side).reshape(side, side)
    rows = np.r_[place[:, 1:].ravel(), place[1:].ravel()]
    columns = np.r_[place[:, :-1].ravel(), place[:-1].ravel()]
    turn = np.random.default_rng(seed).integers(0, 4, len(rows))
    forth, back = turn != 0, turn != 1
    order = np.random.default_rng(seed + 1).permutation(side * side)
    return from_entries(
        side * side,
        order[np.r_[rows[forth], columns[back]]],
        order[np.r_[columns[forth], rows[back]]],
    )


@given(st.integers(0, 80), st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_equals_fill1_at_any_density_and_symmetry(n: int, degree: float, share: float, seed: int) -> None:
    """From no entries to half of all, from no mirrored entry to all."""
    rng = np.random.default_rng(seed)
    dense = rng.random((n, n)) < 0.5 * degree**4
    pattern = from_dense(dense | (dense.T & (rng.random((n, n)) < share)))
    assert_same(pattern, by_fill1(pattern))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 64, 65, 300])
@pytest.mark.parametrize("family", FAMILIES)
def test_equals_fill1_on_each_family(family: str, n: int) -> None:
    if n < 2 and family not in ("diagonal", "path"):
        n = 2
    pattern = FAMILIES[family](n)
    assert_same(pattern, by_fill1(pattern))


@pytest.mark.parametrize("seed", range(6))
def test_equals_fill1_on_triangular_blocks_and_half_dropped_grids(seed: int) -> None:
    for pattern in (triangular_blocks(200, seed), half_dropped(14, seed)):
        lower = np.count_nonzero(pattern.rows() > pattern.indices)
        assert lower not in (0, (pattern.nnz - pattern.n) // 2), "unsymmetric, both ways"
        assert_same(pattern, by_fill1(pattern))


def test_equals_fill1_pruned_on_300_patterns_to_order_1500() -> None:
    rng = np.random.default_rng(20261123)
    for number in range(300):
        n = int(rng.integers(200, 1500))
        entries = rng.integers(0, n, (2, int(n * rng.choice([0.5, 1.0, 1.5, 2.0]))))
        pattern = from_entries(n, *entries)
        pattern = mirrored(pattern) if number % 5 == 0 else pattern
        expected, _ = fill1_pruned(pattern)
        assert isinstance(expected, Filled)
        assert_same(pattern, expected)


@pytest.mark.parametrize("n", [4095, 4096, 4097, 8191, 262_144, 262_145, 700_000])
def test_a_full_row_and_column_cross_every_word_of_the_set(n: int) -> None:
    """The last vertex has all entries, and vertices far apart are joined: parts of the summary of one word,
    and, from 262,145 on, of several."""
    far = np.arange(0, n, 977)
    last = np.full(len(far), n - 1)
    rows, columns = np.r_[last, far[:-1], 0], np.r_[far, far[1:], n - 1]
    pattern = from_entries(n, rows, columns)
    expected, _ = fill1_pruned(pattern)
    assert isinstance(expected, Filled)
    assert_same(pattern, expected)


@pytest.mark.parametrize("n", [4097, 8192, 262_145, 700_000])
def test_a_fill_far_from_all_entries_of_its_row_is_kept(n: int) -> None:
    """5 -> 0 -> n - 1 fills row 5, and n - 1 -> 1 -> 6 column 6, whose entries in A are all near."""
    pattern = from_entries(n, np.array([0, 5, n - 1, 1]), np.array([n - 1, 0, 1, 6]))
    expected, _ = fill1_pruned(pattern)
    assert isinstance(expected, Filled) and expected.pattern.nnz == pattern.nnz + 2
    assert_same(pattern, expected)


def factor(pattern: Pattern) -> tuple[Array, Supernodes, Supernodes, int]:
    indptr, indices = pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32)
    lists, upper, lower, edges = supernodal_factor(indptr, indices, *lower_columns(indptr, indices))
    return lists, upper, lower, int(edges)


def test_one_list_per_supernode_where_all_vertices_are_joined() -> None:
    """A full matrix is one supernode on each side, whose lists have n entries, and are never examined."""
    lists, upper, lower, edges = factor(from_dense(np.ones((50, 50), dtype=bool)))
    assert len(lists) == 100 and edges == 0
    for side in (upper, lower):
        assert np.array_equal(side.first, [0, 50]) and side.end[0] - side.start[0] == 50


@given(patterns())
def test_a_supernode_is_as_large_as_its_definition_allows(pattern: Pattern) -> None:
    """A vertex joins the one before it where both entries between them are in F, and the row of U, or the
    column of L, is the one before it less that vertex."""
    dense = to_dense(by_fill1(pattern))
    _, upper, lower, _ = factor(pattern)
    for side, rows in ((upper, np.triu(dense)), (lower, np.triu(dense.T))):
        joins = [
            dense[v, v - 1] and dense[v - 1, v] and np.array_equal(rows[v - 1, v:], rows[v, v:])
            for v in range(1, pattern.n)
        ]
        first = np.flatnonzero(~np.r_[False, np.array(joins, dtype=bool)])
        assert np.array_equal(side.first, np.r_[first, pattern.n])


@pytest.mark.usefixtures("shared_cache")
def test_examines_fewer_entries_than_fill1_pruned() -> None:
    for matrix in ("poisson3d,12", "circuit,3000"):
        pattern = prepare(matrix, Preparation("none", "metis")).pattern
        _, work = fill1_supernodal(pattern, output="counts")
        _, other = fill1_pruned(pattern, output="counts")
        assert work.edges is not None and other.edges is not None and work.fills == other.fills
        assert 0 < 2 * work.edges < other.edges


@given(patterns())
def test_edges_of_a_symmetric_pattern_are_those_that_its_tree_says(pattern: Pattern) -> None:
    """docs/notes/work.md: where the parent is not the next vertex, it reads all but itself, on each side."""
    pattern = mirrored(pattern)
    below = [np.flatnonzero(column) for column in np.tril(to_dense(by_fill1(pattern)), -1).T]
    edges = sum(2 * (len(rows) - 1) for k, rows in enumerate(below) if len(rows) and rows[0] != k + 1)
    assert fill1_supernodal(pattern)[1].edges == edges


def test_lists_that_outgrow_their_buffer_are_kept() -> None:
    pattern = random_pattern(600, 0.004, 3)
    lists, *_ = factor(pattern)
    assert len(lists) > 4 * pattern.nnz, "twice what it begins with"
    assert_same(pattern, by_fill1(pattern))
