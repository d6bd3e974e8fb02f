"""Levels and factors on the GPU against plain NumPy: every mode, storage and type; and what is planned."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from fillpath import registry
from fillpath.errors import InputError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import Array, Assembled, Factor, TwoWay
from impl.cuda import device
from impl.cuda.transfer import on_device, on_host
from impl.numeric import right_looking
from impl.numeric.pivots import small_pivot
from impl.numeric.right_looking import AUTHORS, FIXED, WARPS, auto, modes, plan, scratch_columns
from tests.assembly import (
    assembled,
    blocks,
    dominant,
    eliminated,
    pattern_of,
    relaxed_levels,
    residual,
    two_way_of,
)
from tests.devices import hosted
from tests.patterns import random_pattern

DTYPES = ("float32", "float64")
STORAGES = ("auto", "dense_column", "csc_search")
# Batched, the thresholds decide of the widest levels alone.
GLU3 = [
    {"thresholds": thresholds, "batched": batched}
    for thresholds, batched in (("authors", False), ("auto", False), ("authors", True))
]
# Of a value against the largest of the factor.
BOUND = {"float32": 1e-4, "float64": 1e-12}


def function(stage: str, name: str) -> Callable[..., Any]:
    return hosted(registry.lookup(stage, name))


@functools.cache
def drawn(count: int, seed: int) -> tuple[sp.csr_array, Assembled, Array]:
    """So many diagonally dominant matrices of order 1 to 200 in one, and the values of their factor on F."""
    rng = np.random.default_rng(seed)
    matrices = []
    for _ in range(count):
        n = int(rng.integers(1, 201))
        density = float(rng.choice([0.5, 2.0, 6.0, 0.2 * n])) / n * float(rng.random())
        pattern = random_pattern(n, min(density, 1.0), int(rng.integers(2**32)))
        matrices.append(dominant(pattern, int(rng.integers(2**32))))
    matrix = blocks(matrices)
    start = assembled(matrix)
    columns = start.two_way.columns
    of_entry = np.repeat(np.arange(columns.n), np.diff(columns.indptr))
    expected, first = np.empty(columns.nnz), 0
    for part in matrices:
        last = first + part.shape[0]
        entries = slice(columns.indptr[first], columns.indptr[last])
        expected[entries] = eliminated(part)[columns.indices[entries] - first, of_entry[entries] - first]
        first = last
    return matrix, start, expected


def assert_near(factor: Factor, expected: Array, dtype: str) -> None:
    assert factor.values.dtype == np.dtype(dtype)
    assert np.abs(factor.values - expected).max() <= BOUND[dtype] * np.abs(expected).max()


def tridiagonal(n: int) -> sp.csr_array:
    return sp.csr_array(sp.diags_array([np.ones(n - 1), np.full(n, 4.0), np.ones(n - 1)], offsets=[-1, 0, 1]))


def arrow(n: int) -> sp.csr_array:
    """The last row and column are full."""
    matrix = sp.lil_array((n, n))
    matrix[n - 1, :] = 1.0
    matrix[:, n - 1] = 1.0
    matrix.setdiag(2.0 * n)
    return sp.csr_array(matrix)


def grid(side: int) -> sp.csr_array:
    """A five-point grid with an unsymmetric part, in its natural order: a band that fills."""
    line = sp.diags_array(
        [-np.ones(side - 1), np.full(side, 2.1), -0.5 * np.ones(side - 1)], offsets=[-1, 0, 1]
    )
    return sp.csr_array(sp.kron(line, sp.eye_array(side)) + sp.kron(sp.eye_array(side), line))


SHAPES = {
    "one": sp.csr_array(np.array([[2.0]])),
    "diagonal": sp.csr_array(3.0 * sp.eye_array(5000)),
    "chain": tridiagonal(5000),
    "arrow": arrow(3000),
    "full": dominant(random_pattern(700, 1.0, 1), 1),
    "grid": grid(50),
    "two_chains_and_a_crowd": blocks([tridiagonal(100), sp.csr_array(2.0 * sp.eye_array(2000)), arrow(300)]),
}


@functools.cache
def shape(name: str) -> Assembled:
    return assembled(SHAPES[name])


def assert_relaxed(two_way: TwoWay, driver: str) -> dict[str, float]:
    expected = relaxed_levels(two_way)
    try:
        levels, work = function("levels", "kahn_gpu")(two_way, driver=driver)
    except UnavailableError as error:
        pytest.skip(str(error))
    assert levels.pointers.dtype == np.int64
    assert levels.columns.dtype == np.int32
    assert np.array_equal(levels.pointers, expected.pointers)
    assert np.array_equal(levels.columns, expected.columns)
    assert work.facts["levels"] == len(expected.pointers) - 1
    assert work.facts["widest"] == np.diff(expected.pointers).max()
    return dict(work.facts)


@pytest.mark.gpu
@pytest.mark.parametrize("driver", ["cooperative", "tail_launch", "host"])
@pytest.mark.parametrize("name", SHAPES)
def test_kahn_finds_longest_paths_in_extreme_shapes(name: str, driver: str) -> None:
    assert_relaxed(shape(name).two_way, driver)


@pytest.mark.gpu
@pytest.mark.parametrize("driver", ["cooperative", "tail_launch", "host"])
@pytest.mark.parametrize("seed", [1, 2])
def test_kahn_finds_longest_paths_in_500_matrices_at_once(seed: int, driver: str) -> None:
    facts = assert_relaxed(drawn(500, seed)[1].two_way, driver)
    assert facts["rounds"] > 1


@pytest.mark.gpu
def test_kahn_counts_the_same_ten_times() -> None:
    """A race between rounds shows as levels that move."""
    for _ in range(10):
        assert_relaxed(drawn(100, 3)[1].two_way, "cooperative")


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("storage", STORAGES)
def test_glu2_factorises_500_matrices_at_once(storage: str, dtype: str) -> None:
    _, start, expected = drawn(500, 1)
    factor, work = function("numeric", "glu2")(start, dtype=dtype, storage=storage)
    assert_near(factor, expected, dtype)
    assert work.facts["launches"] == work.facts["levels"] == work.facts["levels_b"]


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("options", GLU3, ids=lambda options: "-".join(map(str, options.values())))
def test_glu3_factorises_500_matrices_at_once(options: dict[str, Any], storage: str, dtype: str) -> None:
    _, start, expected = drawn(500, 1)
    factor, work = function("numeric", "glu3")(start, dtype=dtype, storage=storage, **options)
    assert_near(factor, expected, dtype)
    assert factor.small_pivots == 0
    assert (work.facts["levels_batched"] > 0) == options["batched"]
    assert (work.facts["scratch_columns"] > 0) == (storage != "csc_search")
    if options == {"thresholds": "authors", "batched": False}:
        assert all(work.facts[f"levels_{mode}"] > 0 for mode in "abc")


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
def test_few_blocks_take_many_wide_tiles(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many updates a warp as a level has on a whole card only where it is far larger."""
    monkeypatch.setattr(device, "multiprocessors", lambda: 1)
    _, start, expected = drawn(500, 1)
    factor, _ = function("numeric", "glu3")(start, dtype=dtype, batched=True)
    assert_near(factor, expected, dtype)
    for name, matrix in SHAPES.items():
        factor, _ = function("numeric", "glu3")(shape(name), dtype=dtype, batched=True)
        assert residual(matrix, factor) <= BOUND[dtype], name


@pytest.mark.gpu
@pytest.mark.parametrize("options", GLU3, ids=lambda options: "-".join(map(str, options.values())))
@pytest.mark.parametrize("count", [1, 2, 7])
def test_few_dense_columns_suffice(count: int, options: dict[str, Any]) -> None:
    _, start, expected = drawn(100, 3)
    budget = 8 * start.two_way.columns.n * count + 7
    factor, work = function("numeric", "glu3")(
        start, dtype="float64", storage="dense_column", memory_budget=budget, **options
    )
    assert_near(factor, expected, "float64")
    assert work.facts["scratch_columns"] == count


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("storage", ["dense_column", "csc_search"])
@pytest.mark.parametrize("name", SHAPES)
def test_extreme_shapes_have_small_residuals(name: str, storage: str, dtype: str) -> None:
    for run, options in [("glu2", {}), *(("glu3", options) for options in GLU3)]:
        factor, _ = function("numeric", run)(shape(name), dtype=dtype, storage=storage, **options)
        assert residual(SHAPES[name], factor) <= BOUND[dtype], (run, options)


@pytest.mark.gpu
@pytest.mark.parametrize("batched", [False, True])
def test_levels_of_kahn_serve_as_those_of_the_reference(batched: bool) -> None:
    _, start, expected = drawn(100, 3)
    levels, _ = function("levels", "kahn_gpu")(start.two_way)
    factor, _ = function("numeric", "glu3")(replace(start, levels=levels), dtype="float64", batched=batched)
    assert_near(factor, expected, "float64")


@pytest.mark.gpu
@pytest.mark.parametrize("storage", ["dense_column", "csc_search"])
def test_ten_runs_differ_by_rounding_alone(storage: str) -> None:
    _, start, expected = drawn(100, 3)
    for _ in range(10):
        factor, _ = function("numeric", "glu3")(start, dtype="float64", storage=storage, batched=True)
        assert_near(factor, expected, "float64")


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (40, 0.0, "column 40: the pivot is zero"),
        (41, np.nan, "column 41: a value is infinite or not a number in float32"),
        (42, -np.inf, "column 42: a value is infinite or not a number in float32"),
        (43, 1e300, "column 43: a value is infinite or not a number in float32"),
    ],
)
@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("storage", ["dense_column", "csc_search"])
def test_what_has_no_factor_is_an_error_naming_the_first_column(
    storage: str, batched: bool, column: int, value: float, said: str
) -> None:
    start = assembled(dominant(random_pattern(200, 0.02, 5), 5))
    values, indptr = start.values.copy(), start.two_way.columns.indptr
    values[indptr[column] : indptr[column + 1]] = value
    with pytest.raises(UnsupportedError, match=said):
        function("numeric", "glu3")(replace(start, values=values), storage=storage, batched=batched)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["glu2", "glu3"])
def test_small_pivots_are_replaced_with_their_sign_and_counted(name: str, dtype: str) -> None:
    start = assembled(sp.csr_array(sp.eye_array(6)))
    least = 2 * small_pivot(dtype)
    values = np.array([1.0, 0.1 * least, -0.1 * least, 0.0, -2.0, 1.01 * least])
    factor, _ = function("numeric", name)(replace(start, values=values), static_pivoting=True, dtype=dtype)
    assert factor.small_pivots == 3
    assert np.allclose(factor.values, [1.0, least, -least, least, -2.0, 1.01 * least], rtol=1e-6)


@pytest.mark.gpu
def test_static_pivoting_goes_on_where_elimination_meets_a_zero() -> None:
    matrix = sp.csr_array(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]]))
    with pytest.raises(UnsupportedError, match="column 1: the pivot is zero"):
        function("numeric", "glu3")(assembled(matrix), dtype="float64")
    factor, _ = function("numeric", "glu3")(assembled(matrix), dtype="float64", static_pivoting=True)
    assert factor.small_pivots == 1
    assert np.all(np.isfinite(factor.values))
    assert residual(matrix, factor) <= 3 * small_pivot("float64")


@pytest.mark.gpu
def test_a_budget_below_one_dense_column_is_refused() -> None:
    start = shape("grid")
    with pytest.raises(MemoryBudgetError, match="storage=csc_search"):
        function("numeric", "glu3")(start, storage="dense_column", memory_budget=4 * 2500 - 1)
    assert function("numeric", "glu3")(start, memory_budget=0)[1].facts["scratch_columns"] == 0


# Captured graphs.

GRAPHS = [("glu2", {}), ("glu3", {"thresholds": "authors"}), ("glu3", {"thresholds": "auto"})]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """No graph is kept yet, and none afterwards."""
    graphs: list[Any] = []
    monkeypatch.setattr(right_looking, "_kept", graphs)
    return graphs


def on_card(start: Assembled) -> tuple[Callable[..., Any], Assembled]:
    """glu3 with a graph, from the device to the host, and the matrix on the device."""
    entry = registry.lookup("numeric", "glu3")
    available, why_not = entry.available()
    if not available:
        pytest.skip(why_not)

    def by_graph(noun: Assembled, **options: Any) -> tuple[Factor, float]:
        factor, work = entry.function(noun, graph=True, **options)
        return factor, work.facts["captured"]

    moved: Assembled = on_device(start)
    return by_graph, moved


@pytest.mark.gpu
@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize(("name", "options"), GRAPHS, ids=["glu2", "authors", "auto"])
def test_a_graph_factorises_500_matrices_at_once(
    name: str, options: dict[str, Any], storage: str, dtype: str
) -> None:
    _, start, expected = drawn(500, 1)
    launched, plain = function("numeric", name)(start, dtype=dtype, storage=storage, **options)
    factor, work = function("numeric", name)(start, dtype=dtype, storage=storage, graph=True, **options)
    assert_near(factor, expected, dtype)
    assert np.abs(factor.values - launched.values).max() <= BOUND[dtype] * np.abs(expected).max()
    assert work.facts == {**plain.facts, "captured": 1.0}


@pytest.mark.gpu
@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("name", SHAPES)
def test_graphs_of_extreme_shapes_have_small_residuals(name: str) -> None:
    for run in ("glu2", "glu3"):
        factor, _ = function("numeric", run)(shape(name), dtype="float64", graph=True)
        assert residual(SHAPES[name], factor) <= BOUND["float64"], run


@pytest.mark.gpu
@pytest.mark.parametrize("storage", ["dense_column", "csc_search"])
def test_a_kept_graph_takes_new_values_and_leaves_earlier_factors_alone(
    storage: str, kept: list[Any]
) -> None:
    _, start, expected = drawn(100, 3)
    glu3, moved = on_card(start)
    factors = []
    for turn, scale in enumerate([1.0, 3.0, -0.25]):
        factor, captured = glu3(replace(moved, values=scale * moved.values), dtype="float64", storage=storage)
        assert captured == (turn == 0) and len(kept) == 1
        factors.append((scale, factor))
    # U of a multiple is that multiple of U, and L is the same.
    below = np.concatenate(
        [
            np.arange(start.two_way.columns.indptr[j], start.two_way.columns.indptr[j + 1])
            >= start.two_way.lower_start[j]
            for j in range(start.two_way.columns.n)
        ]
    )
    for scale, factor in factors:
        assert_near(on_host(factor), np.where(below, expected, scale * expected), "float64")


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_kept_graph_replaces_pivots_by_the_norm_of_its_values(dtype: str, kept: list[Any]) -> None:
    glu3, moved = on_card(assembled(sp.csr_array(sp.eye_array(6))))
    least = small_pivot(dtype)
    values = np.array([1.0, 0.1 * least, -0.1 * least, 0.0, -0.5, 2.0 * least])
    for scale in (1.0, 1e3, 1e-3):
        there = replace(moved, values=on_device(scale * values))
        factor, _ = glu3(there, static_pivoting=True, dtype=dtype)
        assert factor.small_pivots == 3
        expected = scale * np.array([1.0, least, -least, least, -0.5, 2.0 * least])
        assert np.allclose(on_host(factor).values, expected, rtol=1e-6, atol=0.0)
    assert len(kept) == 1


@pytest.mark.gpu
def test_another_pattern_or_option_has_another_graph(kept: list[Any]) -> None:
    _, start, expected = drawn(100, 3)
    glu3, moved = on_card(start)
    _, other = on_card(shape("grid"))
    counts = []
    turns = [
        (moved, "float64"),
        (moved, "float64"),
        (moved, "float32"),
        (other, "float32"),
        (moved, "float32"),
    ]
    for noun, dtype in turns:
        factor, captured = glu3(noun, dtype=dtype)
        counts.append(captured)
        assert len(kept) == 1
        if noun is moved:
            assert_near(on_host(factor), expected, dtype)
        else:
            assert residual(SHAPES["grid"], on_host(factor)) <= BOUND[dtype]
    assert counts == [1, 0, 1, 1, 1]


@pytest.mark.gpu
@pytest.mark.usefixtures("kept")
def test_a_kept_graph_recovers_from_values_without_a_factor() -> None:
    _, start, expected = drawn(100, 3)
    glu3, moved = on_card(start)
    for value, reason in ((0.0, "the pivot is zero"), (np.nan, "a value is infinite or not a number")):
        values = start.values.copy()
        values[: start.two_way.columns.indptr[1]] = value
        with pytest.raises(UnsupportedError, match=f"column 0: {reason}"):
            glu3(replace(moved, values=on_device(values)), dtype="float64")
        factor, captured = glu3(moved, dtype="float64")
        assert_near(on_host(factor), expected, "float64")
        assert not captured


def test_batched_levels_are_not_captured() -> None:
    _, start, _ = drawn(1, 1)
    with pytest.raises(InputError, match="graph=true: expected batched=false"):
        registry.lookup("numeric", "glu3").function(start, graph=True, batched=True)


# What is planned, without a GPU.


@pytest.mark.parametrize("shapes", [AUTHORS, FIXED, auto(132), auto(1)])
@pytest.mark.parametrize("batched", [False, True])
def test_launches_cover_every_level_once_in_order(shapes: right_looking.Shapes, batched: bool) -> None:
    rng = np.random.default_rng(1)
    for depth in (1, 2, 100):
        columns = rng.choice([1, 2, 16, 17, 448, 449, 896, 897, 10**6], depth)
        launches = list(plan(columns, shapes, batched=batched))
        assert [level for launch in launches for level in range(launch.first, launch.last)] == [*range(depth)]
        for launch in launches:
            assert launch.columns == columns[launch.first]
            assert launch.batched == (launch.last - launch.first > 1)
            assert batched or not launch.batched


def test_the_authors_thresholds_give_their_shapes() -> None:
    columns = np.array([897, 896, 449, 448, 17, 16, 1])
    launches = plan(columns, AUTHORS, batched=False)
    assert [launch.warps for launch in launches] == [2, 4, 4, WARPS, WARPS, 0, 0]
    assert modes(columns, AUTHORS) == {"a": 3, "b": 2, "c": 2}
    assert modes(columns, FIXED) == {"a": 0, "b": 7, "c": 0}


def test_only_levels_that_are_not_wide_go_together() -> None:
    columns = np.array([10**4, 20, 3, 1, 2049, 5, 2049, 2048, 1])
    launches = plan(columns, AUTHORS, batched=True)
    assert [(launch.first, launch.last) for launch in launches] == [
        (0, 1), (1, 4), (4, 5), (5, 6), (6, 7), (7, 9)
    ]  # fmt: skip


@pytest.mark.parametrize("multiprocessors", [1, 2, 4, 16, 132])
def test_blocks_grow_as_columns_become_fewer(multiprocessors: int) -> None:
    shapes = auto(multiprocessors)
    above, warps = zip(*shapes, strict=True)
    assert list(above) == sorted(above, reverse=True) and list(warps) == sorted(warps)
    assert shapes[-1] == AUTHORS[-1]


@pytest.mark.parametrize(
    ("storage", "budget", "expected"),
    [
        ("auto", 160 * 400, 160),
        ("auto", 160 * 400 - 1, 0),
        ("dense_column", 160 * 400 - 1, 159),
        ("csc_search", 10**9, 0),
    ],
)
def test_dense_columns_stop_where_the_papers_rule_says(storage: str, budget: int, expected: int) -> None:
    assert scratch_columns(100, 4, storage, 160, budget) == expected


def test_the_plain_factor_agrees_with_elimination() -> None:
    """Of the tests' own assembly: F holds all that elimination makes."""
    matrix = dominant(random_pattern(60, 0.05, 3), 3)
    start, expected = assembled(matrix), eliminated(matrix)
    columns = start.two_way.columns
    dense = np.zeros_like(expected)
    dense[columns.indices, np.repeat(np.arange(60), np.diff(columns.indptr))] = 1.0
    assert not np.any(expected[dense == 0.0])
    assert np.array_equal(pattern_of(matrix).indptr, matrix.indptr)
    assert np.array_equal(two_way_of(pattern_of(matrix)).to_column, start.two_way.to_column)
