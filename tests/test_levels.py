"""Contract of the stage `levels`: each rule by its definition, and a gate that knows the exact one."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.checks.partitions import verify_levels
from benchmarks.levels import Levels as Benchmark
from fillpath import registry
from fillpath.nouns import Array, Filled, Levels, Pattern, TwoWay
from impl.levels.two_way import by_both
from impl.symbolic.fill1 import fill1
from tests.dependencies import depends, longest_paths
from tests.devices import hosted
from tests.patterns import from_dense, patterns, random_pattern, to_dense

ALL = [
    pytest.param(entry, id=entry.name, marks=[pytest.mark.gpu] if entry.device == "gpu" else [])
    for entry in registry.registered("levels")
    if entry.module.startswith("impl.") and not entry.peer
]
# What is not named here is GLU3.0's.
RULES = {"glu1": "upper", "glu2": "exact"}
# The slides: columns 1 and 2 share a level of GLU1.0, and column 2 reads U[2,3], which column 1 writes.
SLIDES = from_dense(np.array([[1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=bool))


def two_way_of(pattern: Pattern) -> TwoWay:
    filled: Any = fill1(pattern)[0]
    return by_both(filled)


def grouped(level: Array) -> Levels:
    order = np.argsort(level, kind="stable").astype(np.int32)
    return Levels(np.searchsorted(level[order], np.arange(level.max() + 2)).astype(np.int64), order)


def level_of(levels: Levels) -> Array:
    level = np.empty(len(levels.columns), int)
    level[levels.columns] = np.repeat(np.arange(len(levels.pointers) - 1), np.diff(levels.pointers))
    return level


def eliminated(values: Array, order: Any) -> Array:
    """L + U - I by right-looking columns in that order, each reading what is there in its turn."""
    a = values.copy()
    n = len(a)
    for j in order:
        below = np.flatnonzero(a[j + 1 :, j]) + j + 1
        a[below, j] /= a[j, j]
        for k in range(j + 1, n):
            if a[j, k] != 0:
                a[below, k] -= a[below, j] * a[j, k]
    return a


def run(entry: registry.Implementation, both: TwoWay, **options: Any) -> tuple[Levels, Any]:
    levels, work = hosted(entry)(both, **options)
    assert (levels.pointers.dtype, levels.columns.dtype) == (np.int64, np.int32)
    return levels, work


@pytest.mark.parametrize("entry", ALL)
@given(pattern=patterns())
def test_is_its_definition(entry: registry.Implementation, pattern: Pattern) -> None:
    both = two_way_of(pattern)
    found = depends(to_dense(both.filled), RULES.get(entry.name, "relaxed"))
    expected = grouped(longest_paths(found))
    levels, work = run(entry, both)
    assert np.array_equal(levels.pointers, expected.pointers)
    assert np.array_equal(levels.columns, expected.columns), "columns ascend in each level"
    assert work.facts["levels"] == len(levels.pointers) - 1
    assert work.facts["widest"] == np.diff(levels.pointers).max()
    if "dependencies" in work.facts:
        dense = to_dense(both.filled)
        twice = np.count_nonzero(found & dense & dense.T)
        assert found.sum() <= work.facts["dependencies"] <= found.sum() + twice


@given(patterns())
def test_the_exact_search_in_two_loops_finds_what_three_find(pattern: Pattern) -> None:
    both = two_way_of(pattern)
    (one, work), (other, same) = (
        run(registry.lookup("levels", "glu2"), both, search=how) for how in ("loops", "closed")
    )
    assert np.array_equal(one.pointers, other.pointers) and np.array_equal(one.columns, other.columns)
    for fact in ("dependencies", "double_u"):
        assert work.facts[fact] == same.facts[fact]
    assert same.facts["searched"] == 0


@given(patterns())
def test_a_series_tells_what_each_level_holds(pattern: Pattern) -> None:
    both = two_way_of(pattern)
    entry = registry.lookup("levels", "glu3_relaxed")
    (levels, work), (plain, without) = run(entry, both, series=True), run(entry, both)
    assert np.array_equal(levels.columns, plain.columns) and without.series is None
    assert work.facts == without.facts and work.facts["filled"] == both.filled.pattern.nnz
    dense = np.triu(to_dense(both.filled), 1)
    parts = np.split(levels.columns, levels.pointers[1:-1])
    assert work.series.columns.tolist() == [len(part) for part in parts]
    assert work.series.subcolumns.tolist() == [dense[part].sum(axis=1).max() for part in parts]


@given(patterns())
def test_each_rule_finds_more_than_the_one_before(pattern: Pattern) -> None:
    both = two_way_of(pattern)
    one, two, three = (
        level_of(run(registry.lookup("levels", name), both)[0]) for name in ("glu1", "glu2", "glu3_relaxed")
    )
    assert np.all(one <= two) and np.all(two <= three)


def test_the_example_of_the_slides() -> None:
    """GLU1.0 has columns 1 and 2 in one level and 3 in the next; the double-U dependency makes it three."""
    both = two_way_of(SLIDES)
    assert level_of(run(registry.lookup("levels", "glu1"), both)[0]).tolist() == [0, 0, 1]
    for name in ("glu2", "glu3_relaxed"):
        assert level_of(run(registry.lookup("levels", name), both)[0]).tolist() == [0, 1, 2]


def test_the_example_of_the_slides_in_numbers() -> None:
    """Column 1 before 2 gives their L and U; 2 before 1, which GLU1.0 allows, their wrong last pivot, 0."""
    values = np.array([[1.0, 0, 1], [1, 1, 1], [0, 1, 1]])
    assert eliminated(values, [0, 1, 2]).tolist() == [[1, 0, 1], [1, 1, 0], [0, 1, 1]]
    assert eliminated(values, [1, 0, 2]).tolist() == [[1, 0, 1], [1, 1, 0], [0, 1, 0]]


def test_the_gate_catches_glu1_in_the_example_of_the_slides() -> None:
    both = two_way_of(SLIDES)
    levels, _ = run(registry.lookup("levels", "glu1"), both)
    assert verify_levels(levels, both.filled).value == 1


def test_relaxed_levels_may_be_more_than_exact_ones() -> None:
    """L[1,0] with nothing right of it in row 0 orders two columns of which neither reads the other."""
    both = two_way_of(from_dense(np.array([[1, 0], [1, 1]], dtype=bool)))
    assert level_of(run(registry.lookup("levels", "glu2"), both)[0]).tolist() == [0, 0]
    assert level_of(run(registry.lookup("levels", "glu3_relaxed"), both)[0]).tolist() == [0, 1]


def test_a_column_that_reads_nothing_waits_for_nobody() -> None:
    """As printed, j from t on, column 1 would wait for 0: U[0,2] and L[1,0] are there, L[:,1] is empty."""
    both = two_way_of(from_dense(np.array([[1, 0, 1], [1, 1, 1], [0, 0, 1]], dtype=bool)))
    assert level_of(run(registry.lookup("levels", "glu2"), both)[0]).tolist() == [0, 0, 1]


@pytest.mark.parametrize("entry", [e for e in ALL if e.values[0].name != "glu1"])
@pytest.mark.parametrize("seed", range(5))
def test_any_order_within_a_level_gives_the_same_factor(entry: registry.Implementation, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pattern = random_pattern(40, 0.06, seed)
    both = two_way_of(pattern)
    values = np.zeros((40, 40))
    values[pattern.rows(), pattern.indices] = rng.uniform(0.5, 1.0, pattern.nnz)
    values += 40 * np.eye(40)
    levels, _ = run(entry, both)
    expected = eliminated(values, range(40))
    for _ in range(5):
        parts = np.split(levels.columns, levels.pointers[1:-1])
        order = np.concatenate([rng.permutation(part) for part in parts])
        assert np.allclose(eliminated(values, order), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("entry", ALL)
@given(pattern=patterns())
def test_passes_the_gate_unless_it_is_glu1(entry: registry.Implementation, pattern: Pattern) -> None:
    both = two_way_of(pattern)
    verdict = verify_levels(run(entry, both)[0], both.filled)
    assert verdict.bound == 0
    assert verdict.value == 0 or entry.name == "glu1"


@given(patterns(), st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_the_gate_counts_the_exact_dependencies_that_do_not_go_up(
    pattern: Pattern, seed: int, depth: int
) -> None:
    both = two_way_of(pattern)
    drawn = np.random.default_rng(seed).integers(0, depth, pattern.n)
    level = np.unique(drawn, return_inverse=True)[1]
    found = depends(to_dense(both.filled), "exact")
    broken = np.count_nonzero(found & (level[:, None] <= level[None, :]))
    # One found both ways counts twice.
    counted = verify_levels(grouped(level), both.filled).value
    assert broken <= counted <= 2 * broken


def by_hand(pointers: Any, columns: Any) -> Any:
    return Levels(np.array(pointers), np.array(columns, np.int32))


@pytest.mark.parametrize(
    ("levels", "wrong"),
    [
        (by_hand([0, 1, 2, 3], [0, 1, 2]), 0),
        (by_hand([0, 1, 2, 3], [0, 1, 1]), 1),
        (by_hand([0, 1, 2, 3], [2, 1, 0]), 3),
        *(
            (by_hand(pointers, [0, 1, 2]), 3)
            for pointers in ([0], [], [0, 3, 2, 3], [0, 0, 3], [1, 3], [0, 2])
        ),
        *((by_hand([0, 1, 2, 3], columns), 3) for columns in ([0, 1], [0, 1, 3], [-1, 1, 2], [[0, 1, 2]])),
        (Levels(np.array([0.0, 3.0]), np.arange(3, dtype=np.int32)), 3),
        (Levels([0, 3], [0, 1, 2]), 3),  # type: ignore[arg-type]
        (None, 3),
    ],
)
def test_levels_that_cannot_be_are_wrong(levels: Any, wrong: int) -> None:
    """Of the slides' example, whose columns have to follow each other."""
    filled = two_way_of(SLIDES).filled
    assert bool(verify_levels(levels, filled).value) is bool(wrong)
    assert verify_levels(levels, filled).value >= wrong


@given(patterns())
def test_both_ways_are_one_pattern(pattern: Pattern) -> None:
    both = two_way_of(pattern)
    filled, columns = both.filled.pattern, both.columns
    columns.validate()
    assert np.array_equal(to_dense(Filled(columns, both.lower_start)).T, to_dense(both.filled))
    assert np.array_equal(columns.indices[both.to_column], filled.rows())
    assert np.array_equal(columns.rows()[both.to_column], filled.indices)
    assert np.array_equal(columns.indices[both.lower_start - 1], np.arange(pattern.n)), "the diagonal"


@pytest.mark.parametrize("entry", ALL)
def test_the_input_is_left_alone(entry: registry.Implementation) -> None:
    both = two_way_of(random_pattern(100, 0.03, 5))
    arrays = both.columns.indptr, both.columns.indices, both.lower_start, both.filled.pattern.indices
    before = [array.copy() for array in arrays]
    assert np.array_equal(run(entry, both)[0].columns, run(entry, both)[0].columns)
    assert all(np.array_equal(one, other) for one, other in zip(before, arrays, strict=True))


def test_asv_asks_for_the_cases_of_this_stage() -> None:
    (names,) = Benchmark().params
    assert all(name.startswith("levels.") for name in names)
