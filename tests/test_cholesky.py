"""ParAC's factor on the CPU: one factor a seed whoever makes it, L in expectation, and what is refused."""

import io
import itertools
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks import cholesky
from benchmarks.checks import laplacians
from benchmarks.checks.laplacians import column_hashes, verify_preconditioner
from benchmarks.engine import measure as measuring
from benchmarks.engine import operands, tasks
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.engine.outcome import Outcome
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError, InputError, UnsupportedError
from fillpath.nouns import Array, Laplacian, Pattern, Preconditioner, Prepared, Solution
from fillpath.paths import ROOT, cache
from fillpath.record import Status
from impl.cholesky import parac_cpu as parac
from impl.cholesky import store
from impl.cholesky.ac_sequential import ac_sequential
from impl.cholesky.graph import from_edges, laplacian
from impl.cholesky.parac_cpu import parac_cpu
from impl.laplacian.system import right_hand_side, system, to_unknowns, to_vertices
from tests import canonical, parac_graphs
from tests.parac_graphs import SHAPES, WEIGHTS, dense, drawn, random_graph, triangles
from tests.test_numeric import of_dense
from tests.test_parac_gpu import assert_same
from tests.thorough import daily
from tests.verdicts import verdict_on

MAKERS = (ac_sequential, parac_cpu)


def product(factor: Preconditioner) -> Array:
    """G D G^T, dense."""
    lower, diagonal = triangles(factor)
    result: Array = (lower * diagonal) @ lower.T
    return result


def graph_of(n: int, *edges: tuple[int, int, float]) -> Laplacian:
    rows, columns, weights = zip(*edges, strict=True) if edges else ((), (), ())
    ends = np.array(rows, np.int64), np.array(columns, np.int64)
    return from_edges(n, *ends, np.array(weights, np.float64))


# One factor a seed.


@pytest.mark.parametrize(("seed", "partner"), [(0, 3), (1, 3), (5, 2), (6, 2)])
def test_a_star_is_eliminated_as_by_hand(seed: int, partner: int) -> None:
    """Vertex 0 has 3 (weight 3), 2 (weight 2) and 1 (weight 1): in this order their scan is 3, 5, 6. 2 is
    joined to 3 by (3/6) 2 = 1; 1 by (5/6) 1 to 3 where u is below 3/5, to 2 else. Then 1 has one neighbour,
    and 2 has 3 by an edge of 1, and by 1's no other."""
    assert (canonical.uniform(seed, 0, 2) < 3 / 5) == (partner == 3)
    factor, work = ac_sequential(graph_of(4, (0, 1, 1.0), (0, 2, 2.0), (0, 3, 3.0)), seed=seed)
    columns = np.split(factor.pattern.indices, factor.pattern.indptr[1:-1])
    assert [list(column) for column in columns] == [[1, 2, 3], [partner], [3], []]
    assert list(factor.values) == [-(1 / 6), -(2 / 6), -(3 / 6), -1.0, -1.0]
    assert list(factor.diagonal) == [6.0, 5 / 6, 1.0, 0.0]
    assert work.fills == 2


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("first", range(0, 80, 20))
def test_the_six_steps_in_plain_python_give_the_same_bits(maker: Any, first: int) -> None:
    for seed in range(first, first + 20):
        graph = random_graph(seed, 90)
        indptr, rows, values, diagonal = canonical.arrays(graph, seed)
        expected = Preconditioner(Pattern(indptr, rows), values, diagonal)
        assert_same(maker(graph, seed=seed)[0], expected, f"graph {seed}")


def test_chunks_of_the_scan_meet_as_in_plain_python() -> None:
    """Columns of more than 32, 64 and 96 neighbours, with carries and more than two sorted runs."""
    for shape in (parac_graphs.star, parac_graphs.clique):
        for weights in WEIGHTS:
            graph = drawn(np.random.default_rng(5), shape, weights, 140, shuffled=False)
            indptr, rows, values, diagonal = canonical.arrays(graph, 1)
            expected = Preconditioner(Pattern(indptr, rows), values, diagonal)
            assert_same(ac_sequential(graph, seed=1)[0], expected, shape.__name__)


@pytest.mark.parametrize("count", daily([20, 200], 20))
def test_any_number_of_threads_gives_the_sequential_factor(count: int) -> None:
    """Random graphs on 1 to 4 threads, more than there may be cores: in a process that has four."""
    found = subprocess.run(
        [sys.executable, "-m", "tests.parac_threads", "--count", str(count)], cwd=ROOT, capture_output=True,
        text=True, timeout=170, env={**os.environ, "NUMBA_NUM_THREADS": "4", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert found.stdout == f"{count} graphs have one factor each\n"


@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda weights: str(weights.__name__))
@pytest.mark.parametrize("shape", SHAPES)
def test_extreme_shapes_have_one_factor(shape: str, weights: Any) -> None:
    for shuffled in (False, True):
        graph = drawn(np.random.default_rng(7), SHAPES[shape], weights, 2000, shuffled=shuffled)
        expected, work = ac_sequential(graph, seed=7)
        factor, other = parac_cpu(graph, seed=7)
        assert_same(factor, expected, f"{shape} shuffled={shuffled}")
        assert work.fills == other.fills


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("n", [1, 2, 100])
def test_vertices_without_edges_have_empty_columns(maker: Any, n: int) -> None:
    factor, work = maker(graph_of(n))
    assert factor.pattern.nnz == 0 and not factor.diagonal.any() and work.fills == 0
    assert len(factor.diagonal) == n


def test_another_seed_is_another_factor() -> None:
    graph = drawn(np.random.default_rng(0), parac_graphs.grid, parac_graphs.equal, 400, shuffled=True)
    one, other = (ac_sequential(graph, seed=seed)[0] for seed in (0, 1))
    assert not np.array_equal(column_hashes(one), column_hashes(other))
    assert np.array_equal(column_hashes(one), column_hashes(ac_sequential(graph)[0]))


# L, in expectation and exactly.


@pytest.mark.parametrize(
    ("shape", "n"),
    [("clique", 6), ("star", 8), ("multi", 8), ("hubs", 7), ("grid", 9), ("sparse", 8)],
)
def test_the_factor_is_the_laplacian_in_expectation(shape: str, n: int) -> None:
    """Each entry's mean over 2000 seeds is within 4 standard errors of L's."""
    graph = drawn(np.random.default_rng(3), SHAPES[shape], parac_graphs.few, n, shuffled=False)
    seeds = 2000
    found = np.array([product(ac_sequential(graph, seed=seed)[0]) for seed in range(seeds)])
    error = np.abs(found.mean(axis=0) - dense(graph))
    spread = found.std(axis=0) / np.sqrt(seeds)
    assert np.all(error <= 4 * spread + 1e-12 * dense(graph).max())
    assert spread.max() > 0, "something is drawn"


@given(st.integers(0, 2**32), st.integers(1, 60))
def test_without_a_choice_the_factor_is_exact(seed: int, n: int) -> None:
    """A tree from its leaves on never fills, and a path in any order has one edge to draw from."""
    rng = np.random.default_rng(seed)
    parents = np.array([rng.integers(k + 1, n) for k in range(n - 1)], np.int64)
    weights = 10.0 ** rng.uniform(-3, 3, n - 1)
    tree = from_edges(n, np.arange(n - 1), parents, weights)
    path = drawn(rng, parac_graphs.path, parac_graphs.few, n, shuffled=True)
    for graph in (tree, path):
        factor, _ = ac_sequential(graph, seed=seed)
        assert np.allclose(product(factor), dense(graph), rtol=0, atol=1e-12 * dense(graph).max(initial=1.0))
    assert ac_sequential(tree)[1].fills == 0


# Room, and no progress.


@pytest.mark.parametrize("maker", MAKERS)
def test_too_little_room_grows_and_changes_nothing(maker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = drawn(np.random.default_rng(2), parac_graphs.cube, parac_graphs.wide, 900, shuffled=True)
    expected, _ = maker(graph)
    monkeypatch.setattr(store, "ROOM", 0)
    monkeypatch.setattr(parac, "BLOCK", 1)
    assert store.first_slots(graph) == 1
    assert_same(maker(graph)[0], expected, "grown from one slot")


@pytest.mark.parametrize("maker", MAKERS)
def test_more_entries_than_lists_count_are_an_error(maker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = drawn(np.random.default_rng(2), parac_graphs.cube, parac_graphs.wide, 900, shuffled=True)
    monkeypatch.setattr(store, "MOST_SLOTS", 1000)
    with pytest.raises(MemoryError, match="more than 1000 entries"):
        maker(graph)


def test_a_scratch_grows_with_the_vertex() -> None:
    """More edges than SCRATCH, all of them sampled ones but two."""
    n = 3 * store.SCRATCH
    rows, columns = np.arange(n), np.full(n, n)
    graph = from_edges(n + 2, np.append(rows, rows), np.append(columns, columns + 1), np.ones(2 * n))
    assert_same(parac_cpu(graph)[0], ac_sequential(graph)[0], "two hubs")


def one_sided(*columns: list[int]) -> Laplacian:
    """The graph whose vertices say that they have these neighbours."""
    n, indices = len(columns), np.concatenate([np.array(column, np.int32) for column in columns])
    pattern = Pattern(np.cumsum([0, *map(len, columns)]), indices)
    return Laplacian(pattern, np.ones(len(indices)), np.zeros(n, np.int32), 1, n)


def test_a_vertex_that_never_becomes_ready_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parac, "PATIENCE", 500)
    for count in (1, numba.config.NUMBA_NUM_THREADS):
        numba.set_num_threads(count)
        with pytest.raises(FillpathError, match=r"no vertex was eliminated while .* looked 500 times"):
            parac_cpu(one_sided([], [0], []))


class OtherWorker:
    """Additions, after each of which another worker may take a vertex that waits for nothing. to_come : the
    edges that each vertex has still to be told of. early : what could be taken though there were some."""

    def __init__(self, words: int, to_come: dict[int, int]) -> None:
        self.words, self.to_come, self.early = words, to_come, list[int]()

    def add(self, array: Array, index: int, value: np.uint64) -> np.uint64:
        before = np.uint64(array[index])
        with np.errstate(over="ignore"):
            array[index] += value
        vertex = int(index) // self.words
        if value.view(np.int64) >> 32 > 0:
            self.to_come[vertex] -= 1
        if array[index] >> np.uint64(32) == 0 and any(self.to_come.values()):
            self.early.append(vertex)
        return before


def test_what_a_step_adds_comes_before_what_it_takes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that waits anywhere in between: no vertex may leave while a neighbour has an edge to come."""
    n, high = 4, np.uint64(32)
    kept = store.new_store(graph_of(n), 1)
    words = len(kept.records) // n
    kept.records[::words] = np.array([2, 1, 1, 3], np.uint64) << high
    other = OtherWorker(words, {1: 1, 3: 1})
    monkeypatch.setattr(parac, "fetch_add", other.add)
    monkeypatch.setattr(parac, "add", other.add)
    scratch, samples = store.new_scratch(n), parac._new_samples(n)
    lost, gained, waiting = (np.array(a, np.uint64) for a in ([2, 1, 2, 1], [0, 2, 1, 2], [3, 0, 0, 1]))
    scratch.tags[:] = np.arange(n, dtype=np.uint64) << high | lost
    samples.changes[:] = gained << high | waiting
    with np.errstate(over="ignore"):
        parac._add.py_func(kept, scratch, np.uint64(n), samples)
        assert not any(other.to_come.values())
        assert parac._take_away.py_func(kept, scratch, np.uint64(n), samples) == 2
    assert not other.early and scratch.spare_tags[:2].tolist() == [0, 2]
    states = kept.records[::words]
    assert (states >> high).tolist() == [0, 2, 0, 4] and (states % 2**32).tolist() == [3, 0, 0, 1]


def test_no_two_slots_of_the_queue_are_one() -> None:
    places = [int(parac._place(np.uint64(slot))) for slot in range(600)]
    assert sorted(places[:512]) == list(range(512))
    assert all(abs(one - other) >= 16 for one, other in itertools.pairwise(places[:16]))


def test_fewer_workers_than_asked_for_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of four comes, as under OMP_THREAD_LIMIT=1, and waits for the others as Python."""
    for name in ("add", "acquire", "release", "give_way"):
        monkeypatch.setattr(parac, name, getattr(Alone, name))
    monkeypatch.setattr(parac, "ARRIVAL", np.uint64(100))

    def run(graph: Any, seed: Any, kept: Any, shared: Any, *others: Any) -> None:
        assert not parac._all_present.py_func(shared, np.uint64(4))

    monkeypatch.setattr(parac, "_run", run)
    with pytest.raises(UnsupportedError, match=r"do not run at once: ask for fewer .*OMP_THREAD_LIMIT"):
        parac_cpu(graph_of(2, (0, 1, 1.0)))


def test_workers_one_after_the_other_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one finds that all were there, and that the first one gave up."""
    for name in ("add", "acquire", "release", "give_way"):
        monkeypatch.setattr(parac, name, getattr(Alone, name))
    monkeypatch.setattr(parac, "ARRIVAL", np.uint64(100))

    def run(graph: Any, seed: Any, kept: Any, shared: Any, *others: Any) -> None:
        assert not any(parac._all_present.py_func(shared, np.uint64(3)) for _ in range(3))

    monkeypatch.setattr(parac, "_run", run)
    with pytest.raises(UnsupportedError, match="do not run at once"):
        parac_cpu(graph_of(2, (0, 1, 1.0)))


@pytest.mark.parametrize("factorised", [ac_sequential, parac_cpu], ids=lambda call: call.__name__)
def test_weights_that_vanish_are_an_error(factorised: Any) -> None:
    """One whose worker divides by 0, while the others wait for it."""
    star = graph_of(10, *((0, k, 1.0) for k in range(1, 10)))
    with pytest.raises(FillpathError, match="a sampled weight is too small"):
        factorised(replace(star, weights=np.full(18, 1e-323)))


class Alone:
    """Atomics where there is one thread."""

    @staticmethod
    def add(array: Array, index: int, value: int) -> Any:
        array[index] += value
        return array[index] - value

    @staticmethod
    def acquire(array: Array, index: int) -> Any:
        return array[index]

    @staticmethod
    def release(array: Array, index: int, value: int) -> None:
        array[index] = value

    @staticmethod
    def give_way() -> None:
        pass


@given(st.lists(st.lists(st.integers(0, 4)), min_size=5, max_size=5))
@example([[1, 1], [0, 2, 0], [1], [], []])
@example([[], [0], [], [], []])
@example([[3], [], [], [], []])
def test_any_graph_ends_in_its_factor_or_in_an_error_if_it_is_not_symmetric(columns: list[list[int]]) -> None:
    """A vertex may be ready too soon, twice or never: then arrays of the graph's order are enough."""
    others = [sorted(other for other in column if other != k) for k, column in enumerate(columns)]
    graph = one_sided(*others)
    edges = Counter((k, other) for k, column in enumerate(others) for other in column)
    symmetric = all(edges[k, other] == edges[other, k] for k, other in edges)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parac, "PATIENCE", 10**5 if symmetric else 500)
        try:
            factor, _ = parac_cpu(graph)
        except FillpathError as error:
            assert not symmetric and re.search("the graph is not symmetric|a worker ended early", str(error))
            return
    if symmetric:
        assert_same(factor, ac_sequential(graph)[0], str(columns))
    indptr, indices = factor.pattern.indptr, factor.pattern.indices
    assert len(factor.diagonal) == len(indptr) - 1 == len(columns)
    assert len(factor.values) == len(indices) == indptr[-1] and (np.diff(indptr) >= 0).all()
    assert ((indices >= 0) & (indices < len(columns))).all()


# What is read as a graph.


def test_a_laplacian_is_its_own_graph() -> None:
    matrix = np.array([[3.0, -1, -2, 0], [-1, 1, 0, 0], [-2, 0, 2, 0], [0, 0, 0, 0]])
    graph = laplacian(of_dense(matrix))
    assert np.array_equal(dense(graph), matrix)
    assert list(graph.component) == [0, 0, 0, 1] and graph.components == 2
    assert (graph.unknowns, graph.grounded, graph.doubled) == (4, False, False)


def test_what_the_diagonal_has_in_excess_goes_to_the_ground() -> None:
    matrix = np.array([[2.0, -1, 0], [-1, 3, -2], [0, -2, 2.5]])
    graph = laplacian(of_dense(matrix))
    assert graph.grounded and graph.n == 4 and graph.components == 1
    assert np.array_equal(dense(graph)[:3, :3], matrix)
    assert np.array_equal(dense(graph)[3], [-1, 0, -0.5, 1.5])


@pytest.mark.parametrize("matrix", [[[2.0, 1, 0], [1, 3, -2], [0, -2, 2.5]], [[1.0, 1], [1, 1]], np.eye(2)])
def test_a_solution_by_vertices_is_one_of_the_matrix(matrix: Any) -> None:
    """With a double cover and a ground, with either: L y = b is A x = b."""
    matrix = np.array(matrix)
    graph = laplacian(of_dense(matrix))
    assert graph.doubled == bool((matrix - np.diag(np.diag(matrix)) > 0).any())
    assert graph.grounded == bool(np.linalg.det(matrix) > 1e-9)
    b = right_hand_side(graph)
    assert np.array_equal(to_vertices(graph, b[: graph.n - graph.grounded : 1 + graph.doubled]), b)
    y = np.linalg.pinv(dense(graph)) @ b
    assert np.allclose(matrix @ to_unknowns(graph, y + 7), b[: graph.n - graph.grounded : 1 + graph.doubled])


def test_a_matrix_without_a_diagonal_is_an_adjacency_matrix() -> None:
    weighted = laplacian(of_dense([[0.0, 2, 0], [2, 0, -3], [0, -3, 0]]))
    assert np.array_equal(dense(weighted), [[2, -2, 0], [-2, 5, -3], [0, -3, 3]])
    prepared = of_dense([[5.0, -0.3, 0], [-0.3, 4, -0.7], [0, -0.7, 9]])
    drawn_up = replace(prepared, provenance=replace(prepared.provenance, synthetic_values=True))
    assert np.array_equal(dense(laplacian(drawn_up)), [[1, -1, 0], [-1, 2, -1], [0, -1, 1]])


def test_rounded_row_sums_are_no_excess_and_no_deficit() -> None:
    matrix = np.array([[1.0 - 1e-7, -1], [-1, 1 + 1e-14]])
    graph = laplacian(of_dense(matrix))
    assert not graph.grounded and np.array_equal(dense(graph), [[1, -1], [-1, 1]])


def test_explicit_zeros_are_no_edges() -> None:
    prepared = of_dense(np.ones((3, 3)))
    values = np.array([1.0, -1, 0, -1, 1, 0, 0, 0, 2])
    graph = laplacian(replace(prepared, values=values))
    assert graph.pattern.nnz == 4 and graph.components == 2


@pytest.mark.parametrize(
    ("matrix", "error", "said"),
    [
        ([[1, -1], [-0.5, 1]], UnsupportedError, r"entry \(0, 1\) is -1.0, its mirror -0.5"),
        ([[1, 0, 0], [0, 1, 0], [-1, 0, 1]], UnsupportedError, r"entry \(2, 0\) is -1.0, its mirror 0.0"),
        ([[1, 0, -1], [0, 1, 0], [0, 0, 1]], UnsupportedError, r"entry \(0, 2\) is -1.0, its mirror 0.0"),
        ([[1, -2], [-2, 3]], UnsupportedError, r"row 0 is 1 less than .* not diagonally dominant"),
        ([[-1, 0], [0, 1]], UnsupportedError, r"row 0 is 1 less"),
        ([[1, np.nan], [np.nan, 1]], InputError, r"entry \(0, 1\) is nan"),
        ([[1, 0], [0, np.inf]], InputError, r"entry \(1, 1\) is inf"),
    ],
)
def test_what_stands_for_no_laplacian_is_refused(matrix: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=f"drawn: .*{said}"):
        laplacian(of_dense(matrix))


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("weight", [2e299, 1.7e308, 1e-310])
def test_weights_beyond_sums_are_refused(weight: float) -> None:
    with pytest.raises(InputError, match=r"beyond what sums of float64 hold .*; scale the matrix"):
        from_edges(4, np.array([0, 1, 2]), np.array([1, 2, 3]), np.full(3, weight))


def test_refusals_name_the_sources_own_rows() -> None:
    prepared = of_dense([[3.0, -2], [-2, 1]])
    with pytest.raises(UnsupportedError, match="diagonal of row 6 is 1 less"):
        laplacian(replace(prepared, column_permutation=np.array([5, 6], np.int32)))


def test_a_matching_is_refused() -> None:
    prepared = of_dense(np.eye(2))
    with pytest.raises(UnsupportedError, match=r"matching mc64 moves rows.*--matching none"):
        laplacian(replace(prepared, provenance=replace(prepared.provenance, matching="mc64")))


@pytest.mark.parametrize(
    ("edge", "said"),
    [
        ((0, 0, 1.0), "vertex 0 has a loop"),
        ((0, 5, 1.0), "ends outside of 0..2"),
        ((0, 1, 0.0), "not positive"),
    ],
)
def test_a_drawn_graph_that_is_none_is_refused(edge: tuple[int, int, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        graph_of(3, edge)


def test_the_right_hand_side_sums_to_zero_over_each_component() -> None:
    graph = random_graph(8, 300)
    b = right_hand_side(graph)
    assert graph.components > 1
    assert np.allclose(np.bincount(graph.component, b), 0, atol=1e-12) and np.abs(b).max() > 0.5
    assert np.array_equal(b, right_hand_side(graph))


def test_a_double_cover_has_a_right_hand_side_that_its_matrix_has() -> None:
    """[[1, 1], [1, 1]] is singular: b has to be orthogonal to (1, -1)."""
    graph = laplacian(of_dense(np.ones((2, 2))))
    b = right_hand_side(graph)
    assert graph.components == 2 and b[0] == -b[1] and np.isclose(b[0], b[2])


# The gate, and through the supervisor.


@pytest.fixture
def grid() -> Prepared:
    return prepare("grid2d,12", Preparation("none", "nnz"))


@pytest.mark.parametrize("maker", ["ac_sequential", "parac_cpu"])
def test_the_gate_knows_a_factor_from_all_that_is_like_it(maker: str, grid: Prepared) -> None:
    entry = registry.lookup("cholesky", maker)
    context = operands.context(grid, None, entry, {}, seed=3)
    graph = operands.operand(entry, context)
    arguments = operands.arguments(entry, {}, 3)
    assert arguments == {"seed": 3}
    factor, _ = entry.function(graph, **arguments)

    def wrong(result: Any) -> float:
        return verdict_on("cholesky", result, context).value

    assert wrong(factor) == 0
    assert wrong(replace(factor, values=np.nextafter(factor.values, 0))) > 100
    assert wrong(replace(factor, diagonal=factor.diagonal * 2)) > 100
    assert wrong(entry.function(graph, seed=4)[0]) > 20
    for broken in (None, replace(factor, values=factor.values[:-1]), replace(factor, diagonal=np.zeros(3))):
        assert wrong(broken) == graph.n


def test_a_malformed_column_is_wrong_whatever_it_is_held_against() -> None:
    """Rows that do not ascend, an entry above 0, a sum that is not -1, nan, D of the wrong kind."""
    graph = graph_of(3, (0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0))
    factor, _ = ac_sequential(graph)
    swapped = factor.pattern.indices.copy()
    swapped[:2] = swapped[1::-1]
    columns = [
        replace(factor, pattern=Pattern(factor.pattern.indptr, swapped)),
        replace(factor, values=np.array([-1.5, 0.5, -1])),
        replace(factor, values=np.array([-0.5, -0.4, -1])),
        replace(factor, values=np.array([np.nan, -0.5, -1])),
        replace(factor, diagonal=np.array([0.0, 1.5, 0])),
        replace(factor, diagonal=np.array([-2.0, 1.5, 0])),
    ]
    assert verify_preconditioner(factor, graph, "", column_hashes(factor)).value == 0
    for broken in columns:
        assert verify_preconditioner(broken, graph, "", column_hashes(broken)).value == 1
    wraps = np.array([0, 2**62 + 1, -(2**62) - 1, factor.pattern.nnz])
    broken = replace(factor, pattern=Pattern(wraps, factor.pattern.indices))
    assert verify_preconditioner(broken, graph, "", column_hashes(factor)).value == graph.n


@pytest.mark.parametrize("seed", range(3))
def test_weights_over_twelve_orders_pass_the_gate(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = drawn(rng, parac_graphs.grid, parac_graphs.wide, 100, shuffled=True)
    prepared = of_dense(np.diag(dense(graph).diagonal()) - dense(graph))
    for stage in ("cholesky", "laplacian"):
        entry = registry.lookup(stage, "parac_cpu")
        context = operands.context(prepared, None, entry, {}, seed=seed)
        found, _ = entry.function(operands.operand(entry, context), seed=seed)
        verdict = verdict_on(stage, found, context)
        assert verdict.passes, (stage, verdict)


def test_a_solution_is_held_at_the_true_residual(grid: Prepared) -> None:
    entry = registry.lookup("laplacian", "parac_cpu")
    for options in ({}, {"rhs": "product"}):
        context = operands.context(grid, None, entry, options)
        graph = laplacian(grid)
        b = system(graph).b[:-1]
        matrix = dense(graph)[:-1, :-1]
        x = b if options else np.linalg.solve(matrix, b)
        for scale, passes in ((1, True), (1 + 5e-7, True), (1 + 2e-6, False), (np.nan, False)):
            verdict = verdict_on("laplacian", Solution(scale * x), context)
            assert verdict.passes == passes, (options, scale, verdict)
        with pytest.raises(InputError, match="a solution of shape"):
            verdict_on("laplacian", Solution(x[:-1]), context)


def test_factors_are_measured_without_a_filled_pattern(forked_workers: None) -> None:
    record = measure("cholesky.parac_cpu.seed=2@grid2d,20.random", Limits(seconds=120, samples=3))
    assert record.status is Status.OK, record.reason
    assert record.verified is not None and record.verified.by == "ac_sequential"
    assert not (cache() / "references").exists()
    facts = (record.work or {})["facts"]
    assert "waits" in facts and 1 < facts["height_actual"] <= facts["critical_path"] <= 400


def test_samples_outlive_what_is_counted_after_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the worker's place: a heights' count that needs too much memory."""

    def too_much(graph: Laplacian, factor: Preconditioner) -> dict[str, float]:
        raise MemoryError

    monkeypatch.setattr(cholesky, "depths", too_much)
    monkeypatch.setattr(sys, "stdin", io.StringIO("go\n"))
    case, limits = Case.parse("cholesky.parac_cpu.threads=1@grid2d,20.natural"), Limits(samples=3)
    implementation = registry.lookup(case.stage, case.implementation)
    prepare(case.matrix, case.preparation)
    outcome = Outcome()
    with pytest.raises(MemoryError):
        tasks.measure(
            measuring.job_of(case, implementation, limits),
            lambda event, **values: outcome.take({"event": event, **values}),
        )
    assert len(outcome.seconds) == 3 and outcome.reported["work"] and not outcome.done
    # The process had taken more memory before, in other tests.
    assert outcome.reported["peak_memory"] is not None


def test_more_threads_than_cores_are_not_measured() -> None:
    record = measure("cholesky.parac_cpu.threads=4096@grid2d,20.random", Limits(seconds=120, samples=3))
    assert record.status is Status.UNAVAILABLE
    assert re.fullmatch(r"4096 threads, and this machine has \d+ cores", record.reason)


def dense_heights(graph: Laplacian, factor: Preconditioner) -> dict[str, int]:
    """The same by dense elimination."""
    n = graph.n
    filled, ours = np.zeros((n, n), bool), np.zeros((n, n), bool)
    filled[graph.pattern.rows(), graph.pattern.indices] = True
    for k in range(n):
        later = np.flatnonzero(filled[k, k + 1 :]) + k + 1
        filled[np.ix_(later, later)] = True
        ours[factor.pattern.indices[factor.pattern.indptr[k] : factor.pattern.indptr[k + 1]], k] = True
    tree = [np.tril(lower, -1) for lower in (filled, ours)]
    first = [lower & (np.cumsum(lower, axis=0) == 1) for lower in tree]
    paths = {"height_classical": first[0], "height_actual": first[1], "critical_path": tree[1]}
    return {name: longest(lower) for name, lower in paths.items()}


def longest(lower: Array) -> int:
    depth = np.ones(len(lower), int)
    for k in range(len(lower)):
        depth[lower[:, k]] = np.maximum(depth[lower[:, k]], depth[k] + 1)
    return int(depth.max())


@pytest.mark.parametrize("seed", range(6))
def test_heights_are_those_of_dense_elimination(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = np.array([(i, j) for i in range(30) for j in range(i) if rng.random() < 0.1])
    graph = from_edges(30, ends[:, 0], ends[:, 1], rng.uniform(1, 2, len(ends)))
    factor, _ = ac_sequential(graph, seed=seed)
    found = laplacians.depths(graph, factor)
    assert {name: found[name] for name in ("height_classical", "height_actual", "critical_path")} == (
        dense_heights(graph, factor)
    )
    assert found["nnz_l"] == graph.pattern.nnz + 30 and found["nnz_g"] == factor.pattern.nnz + 30
