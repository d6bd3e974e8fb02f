"""The stage `laplacian`: factors, conjugate gradients, the peers. On a card where one is."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.checks.laplacians import verify_potentials
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import FillpathError, InputError, UnsupportedError
from fillpath.nouns import Array, Laplacian, Pattern, Solution, System
from fillpath.phase import PhaseClock, recording
from impl.cholesky.ac_sequential import ac_sequential as factorised
from impl.cholesky.graph import from_edges, laplacian
from impl.cuda.transfer import on_device
from impl.laplacian import ic0_gpu, pcg_cpu, pcg_gpu, stopping, triangular_gpu
from impl.laplacian.ac_sequential import ac_sequential
from impl.laplacian.ict import ict
from impl.laplacian.incomplete import CLOSE, held, incomplete, lifts, matching
from impl.laplacian.launches import Room, State
from impl.laplacian.parac_cpu import parac_cpu
from impl.laplacian.pcg_cpu import conjugate_gradients, factor_solved
from impl.laplacian.system import system
from impl.laplacian.triangular_cpu import MISSING, analysed
from impl.peers import csric02, cusparse
from tests import laplacian_fakes, solver_fakes
from tests.devices import hosted
from tests.parac_graphs import dense, triangles
from tests.test_numeric import of_dense
from tests.thorough import daily

SEEDS = range(12)
# Every third graph is grounded.
DAILY = daily(SEEDS, 0, 1, 2, 5)


def random_graph(seed: int, n: int = 60) -> Laplacian:
    """With several components, isolated vertices and parallel edges; every third one grounded."""
    rng = np.random.default_rng(seed)
    edges = int(rng.integers(0, 3 * n))
    ends = rng.integers(0, n, (2, edges))
    ends = ends[:, ends[0] != ends[1]]
    graph = from_edges(n, *ends, 10.0 ** rng.uniform(-3, 3, ends.shape[1]))
    return replace(graph, unknowns=n - 1, grounded=True) if seed % 3 == 2 else graph


def grid(side: int, seed: int = 0) -> Laplacian:
    """A grid of weights 1, its vertices by degree, ties at random."""
    rng = np.random.default_rng(seed)
    place = np.arange(side * side).reshape(side, side)
    across, down = (place[:, :-1], place[:, 1:]), (place[:-1], place[1:])
    pairs = np.concatenate([[one.ravel(), other.ravel()] for one, other in (across, down)], axis=1)
    degrees = np.bincount(pairs.ravel(), minlength=side * side)
    order = rng.permutation(side * side)
    order = order[np.argsort(degrees[order], kind="stable")]
    return from_edges(side * side, *np.argsort(order)[pairs], np.ones(pairs.shape[1]))


def grounded(graph: Laplacian) -> Array:
    """L without the ground, dense."""
    rest = graph.n - graph.grounded
    return dense(graph)[:rest, :rest]


def residual(asked: System, x: Array, rhs: str = "random") -> float:
    """As the gate takes it."""
    return verify_potentials(Solution(x), asked, product=rhs == "product").value


@pytest.mark.parametrize(("scale", "weak"), [(1e-200, 1e-6), (1.0, 1e-6), (1e200, 1e-6), (1.0, 1e-250)])
def test_no_large_component_hides_a_small_one(scale: float, weak: float) -> None:
    """A grid of 900 vertices with exact potentials, and a weak edge apart from it with 0.98 of its drop."""
    large = grid(30)
    vertices = np.array([large.n, large.n + 1])
    rows, columns = large.pattern.rows(), large.pattern.indices
    once = rows < columns
    weights = np.append(large.weights[once], weak) * scale
    ends = (np.append(rows[once], vertices[0]), np.append(columns[once], vertices[1]))
    graph = from_edges(large.n + 2, *ends, weights)
    x = np.random.default_rng(3).standard_normal(graph.n)
    asked = System(graph, dense(graph) @ x)
    right = verify_potentials(Solution(x), asked, product=False)
    x[vertices[1]] += 0.02 * (x[vertices[0]] - x[vertices[1]])
    wrong = verify_potentials(Solution(x), asked, product=False)
    assert right.passes and not wrong.passes
    assert wrong.facts["normwise_error"] <= 1e-6, "all rows together pass"


@pytest.mark.parametrize("alone", [False, True], ids=["", "ground alone"])
@pytest.mark.parametrize("scale", [1.0, 1e-300])
def test_neither_huge_potentials_nor_an_empty_component_pass(scale: float, alone: bool) -> None:
    """A ground without edges is a component of no unknowns."""
    few = grid(10)
    rows, columns = few.pattern.rows(), few.pattern.indices
    once = rows < columns
    graph = from_edges(few.n + alone, rows[once], columns[once], few.weights[once])
    graph = replace(graph, unknowns=few.n, grounded=alone)
    asked = System(graph, system(graph).b * scale)
    exact = np.linalg.pinv(dense(few)) @ asked.b[: few.n]
    side = np.where(np.arange(few.n) % 2, 1.0, -1.0)
    assert verify_potentials(Solution(exact), asked, product=False).passes
    for wrong in (np.zeros(few.n), 2 * exact, exact + 1e20, exact + 1e200 * side, exact + 1e9j):
        assert not verify_potentials(Solution(wrong), asked, product=False).passes
    with pytest.raises(FillpathError, match="overflows"):
        verify_potentials(Solution(2e307 * side), asked, product=False)


# The solves with a factor.


@pytest.mark.parametrize("seed", DAILY)
def test_solves_with_a_factor_are_those_of_dense_triangles(two_threads: None, seed: int) -> None:
    graph = random_graph(seed)
    factor, _ = factorised(graph, seed=seed)
    g, d = triangles(factor)
    assert np.any(d == 0)
    r = np.random.default_rng(seed).uniform(-1, 1, graph.n)
    inverse = np.divide(1, d, out=np.zeros(graph.n), where=d != 0)
    expected = np.linalg.solve(g.T, inverse * np.linalg.solve(g, r))
    found = np.empty(graph.n)
    analysed(factor).apply(r, found)
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="Numba has one thread")
def test_any_number_of_threads_gives_the_same_bits() -> None:
    for asked in (system(grid(40)), system(random_graph(2)), system(random_graph(0))):
        factor, _ = factorised(asked.laplacian, seed=1)
        found = []
        for threads in (1, 2):
            numba.set_num_threads(threads)
            found.append(factor_solved(asked, factor, "random", {}))
        (one, work), (other, again) = found
        assert np.array_equal(one.x, other.x)
        assert work.facts and again.facts and work.facts["iterations"] == again.facts["iterations"]


@pytest.mark.parametrize("row", [0, 1, 99])
def test_a_factor_whose_elements_wait_for_each_other_is_refused(two_threads: None, row: int) -> None:
    n = 10
    factor, _ = factorised(from_edges(n, np.arange(n - 1), np.arange(1, n), np.ones(n - 1)))
    indices = factor.pattern.indices.copy()
    indices[1] = row
    broken = replace(factor, pattern=Pattern(factor.pattern.indptr, indices))
    with pytest.raises(FillpathError, match="column 1 has an entry that is not below the diagonal"):
        analysed(broken)


def test_a_nan_of_any_bits_is_found(two_threads: None) -> None:
    """The bits that stand for a missing element too, which threads would wait for."""
    graph = grid(20)
    factor, _ = factorised(graph)
    values = factor.values.copy()
    values.view(np.uint64)[5] = MISSING
    z = np.empty(graph.n)
    analysed(replace(factor, values=values)).apply(np.ones(graph.n), z)
    assert np.isnan(z).any()


# Conjugate gradients.


@pytest.mark.parametrize("seed", DAILY)
@pytest.mark.parametrize("implementation", [ac_sequential, parac_cpu, ict])
def test_a_random_graph_is_solved(implementation: Any, seed: int) -> None:
    asked = system(random_graph(seed))
    for rhs in ("random", "product"):
        solution, work = implementation(asked, rhs=rhs)
        assert residual(asked, solution.x, rhs) <= stopping.TOLERANCE * (1 + 1e-9)
        assert work.facts is not None and work.facts["residual"] <= stopping.TOLERANCE


@pytest.mark.parametrize("seed", DAILY)
def test_a_solution_is_that_of_a_dense_solver(seed: int) -> None:
    graph = random_graph(seed)
    exact = np.linalg.pinv(grounded(graph), rcond=1e-13, hermitian=True) @ system(graph).b[: graph.unknowns]
    solution, _ = ac_sequential(system(graph))
    difference = solution.x - exact
    for component in range(graph.components):
        # Up to a constant where nothing is held at 0.
        of_it = difference[graph.component[: graph.unknowns] == component]
        of_it -= of_it.mean() if len(of_it) and not _with_ground(graph, component) else 0.0
    matrix = grounded(graph)
    assert difference @ matrix @ difference <= 1e-9 * (exact @ matrix @ exact) + 1e-30


def _with_ground(graph: Laplacian, component: int) -> bool:
    return graph.grounded and graph.component[-1] == component


@pytest.mark.parametrize("seed", DAILY)
def test_an_exact_factor_needs_an_iteration_or_two(seed: int) -> None:
    graph = random_graph(seed)
    factor = incomplete(graph, 0.0)
    b = system(graph).b
    assert conjugate_gradients(graph, b, analysed(factor).apply).iterations <= 2


def test_a_grid_takes_as_many_iterations_as_the_paper_says() -> None:
    """48 on ecology1, of a million vertices; they grow slowly."""
    _, work = parac_cpu(system(grid(100)))
    assert work.facts is not None
    assert 20 <= work.facts["iterations"] <= 40
    assert 1.5 <= 2 * work.facts["nnz_factor"] / (4 * 100 * 99) <= 3.5


def test_a_grid_in_three_dimensions_takes_as_many_iterations_as_the_paper_says(shared_cache: None) -> None:
    """28 on 243^3, 10 where it is anisotropic; fill of about 3."""
    spans = {}
    for name in ("poisson3d,20", "poisson3d,20,aniso"):
        graph = laplacian(prepare(name, Preparation("none", "nnz", True)))
        _, work = parac_cpu(system(graph))
        assert work.facts is not None
        spans[name] = work.facts["iterations"]
        assert 2 <= 2 * work.facts["nnz_factor"] / graph.pattern.nnz <= 3.5
    assert 12 <= spans["poisson3d,20"] <= 28 and 6 <= spans["poisson3d,20,aniso"] <= 16


def test_phases_are_those_of_the_tables() -> None:
    with recording(PhaseClock()) as clock:
        parac_cpu(system(grid(5)))
    assert {"factor", "analysis", "solve"} <= set(clock.seconds)


def test_nothing_is_done_for_b_of_zero() -> None:
    for n in (1, 3):
        graph = from_edges(n, *np.empty((2, 0), np.int64), np.empty(0))
        solution, work = ac_sequential(system(graph))
        assert work.facts is not None and work.facts["iterations"] == 0
        assert np.array_equal(solution.x, np.zeros(n))


def test_the_double_cover_solves_the_matrix_with_positive_entries() -> None:
    rng = np.random.default_rng(3)
    off = np.triu(rng.uniform(-1, 1, (30, 30)) * (rng.random((30, 30)) < 0.2), 1)
    matrix = off + off.T
    matrix += np.diag(np.abs(matrix).sum(axis=1) + 0.1)
    graph = laplacian(of_dense(matrix))
    assert graph.doubled
    asked = system(graph)
    solution, _ = ac_sequential(asked)
    b = asked.b[:60:2]
    assert np.linalg.norm(b - matrix @ solution.x) <= 1e-6 * np.linalg.norm(b)


def test_too_many_iterations_are_refused_with_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pcg_cpu, "MOST_ITERATIONS", 3)
    with pytest.raises(UnsupportedError, match=r"left a relative residual of 0\.\d+, where 1e-06"):
        ac_sequential(system(grid(30)))


def test_a_preconditioner_that_is_not_positive_is_refused() -> None:
    graph = grid(4)
    with pytest.raises(UnsupportedError, match="break down after 0 iterations"):
        conjugate_gradients(graph, system(graph).b, lambda r, z: np.negative(r, out=z))


def test_a_residual_that_only_the_recurrence_has_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when rounding parts the two: the iteration starts again from the true one."""
    graph = grid(20)
    factor, _ = factorised(graph, seed=0)
    step, small = pcg_cpu._Rows.step, 1e-3
    monkeypatch.setattr(pcg_cpu._Rows, "step", lambda self, *given: small * step(self, *given))
    reached = conjugate_gradients(graph, system(graph).b, analysed(factor).apply)
    assert reached.residual <= stopping.TOLERANCE
    assert residual(system(graph), reached.y) <= stopping.TOLERANCE * (1 + 1e-9)


# Incomplete factors.


@pytest.mark.parametrize("seed", DAILY)
def test_without_dropping_the_factor_is_that_of_cholesky(seed: int) -> None:
    graph = random_graph(seed)
    rest = ~held(graph)
    factor = incomplete(graph, 0.0)
    g, d = triangles(factor)
    full = dense(graph)
    assert np.count_nonzero(lifts(graph) > 1) == graph.components
    np.fill_diagonal(full, np.diag(full) * lifts(graph))
    full = full[np.ix_(rest, rest)]
    lower = np.linalg.cholesky(full) if rest.any() else full
    scale = np.diag(lower)
    assert np.allclose(g[np.ix_(rest, rest)], lower / scale, rtol=1e-8, atol=1e-10)
    assert np.allclose(d[rest], scale**2) and not d[~rest].any()
    columns = np.repeat(np.arange(graph.n), np.diff(factor.pattern.indptr))
    ascending = np.diff(factor.pattern.indices) > 0
    assert np.all(ascending | (np.diff(columns) > 0))


def test_entries_fall_as_the_tolerance_grows_down_to_the_diagonal() -> None:
    graph = grid(20)
    entries = [incomplete(graph, tolerance).pattern.nnz for tolerance in (0.0, 1e-3, 1e-2, 1e-1, 1.1)]
    assert entries == sorted(entries, reverse=True) and entries[0] > entries[1] and entries[-1] == 0


def test_the_tolerance_found_gives_the_fill_of_parac() -> None:
    graph = grid(60)
    wanted = factorised(graph, seed=0)[0].pattern.nnz
    threshold = matching(graph, wanted)
    found = incomplete(graph, threshold.tolerance).pattern.nnz
    assert abs(found - wanted) <= CLOSE * wanted
    _, work = ict(system(graph))
    assert work.facts is not None
    assert work.facts["nnz_factor"] == found and work.facts["drop_tolerance"] == threshold.tolerance


def test_a_singular_matrix_costs_an_incomplete_factor_no_iterations() -> None:
    """As many as with a ground that is joined to every vertex by next to nothing."""
    graph = grid(30)
    n, rows, pattern = graph.n, graph.pattern.rows(), graph.pattern
    once = rows < pattern.indices
    ends, others = np.append(rows[once], np.arange(n)), np.append(pattern.indices[once], np.full(n, n))
    weights = np.append(graph.weights[once], np.full(n, 1e-7))
    grounded = replace(from_edges(n + 1, ends, others, weights), unknowns=n, grounded=True)
    b = np.append(system(graph).b, 0.0)
    singular, regular = (
        conjugate_gradients(one, b[: one.n], analysed(incomplete(one, 0.02)).apply).iterations
        for one in (graph, grounded)
    )
    assert regular > 20 and abs(singular - regular) <= 0.1 * regular


def test_where_equal_entries_go_together_the_closest_fill_is_taken() -> None:
    """A regular grid in its own order: entries of one size by the thousand."""
    side = 89
    point = np.arange(side * side).reshape(side, side)
    ends = np.concatenate([point[:, :-1].ravel(), point[:-1].ravel()])
    others = np.concatenate([point[:, 1:].ravel(), point[1:].ravel()])
    graph = from_edges(side * side, ends, others, np.ones(len(ends)))
    wanted = factorised(graph, seed=0)[0].pattern.nnz
    threshold = matching(graph, wanted)
    off = abs(incomplete(graph, threshold.tolerance).pattern.nnz - wanted)
    for near in (0.9, 0.999, 1.001, 1.1):
        assert off <= abs(incomplete(graph, near * threshold.tolerance).pattern.nnz - wanted), near


def test_where_nothing_fills_nothing_is_dropped() -> None:
    path = from_edges(50, np.arange(49), np.arange(1, 50), np.ones(49))
    assert matching(path, 49).tolerance == 0


def test_a_negative_tolerance_is_refused() -> None:
    with pytest.raises(InputError, match="drop_tolerance=-1"):
        ict(system(grid(3)), drop_tolerance=-1.0)


# The peers.


def test_pyamg_solves_under_the_same_rule() -> None:
    for method in ("ruge_stuben", "smoothed_aggregation"):
        for graph in (grid(30), *(random_graph(seed) for seed in range(3))):
            asked = system(graph)
            solution, work = hosted(registry.lookup("laplacian", "pyamg"))(asked, method=method)
            assert residual(asked, solution.x) <= stopping.TOLERANCE * (1 + 1e-9)
        assert work.facts["levels"] >= 1


class Csric02(solver_fakes.CuSparse):
    """csric02 as cusparse.h says, on what lies at the addresses. pivot : of what it reports, or none.
    policy : that it is called with."""

    def __init__(self) -> None:
        super().__init__()
        self.pivot, self.policy = -1, 0
        self.done: list[str] = []
        for kind in ("MatDescr", "Csric02Info"):
            setattr(self, f"cusparseCreate{kind}", lambda made: self._made(made))
            setattr(self, f"cusparseDestroy{kind}", lambda made: self.objects.destroy(made.value))
        self.cusparseDcsric02_bufferSize = lambda *given: self._sized(given[-1])
        self.cusparseDcsric02_analysis = lambda *given: self._ran("analysis", given)
        self.cusparseDcsric02 = lambda *given: self._ran("factor", given)
        self.cusparseXcsric02_zeroPivot = lambda handle, info, row: self._told(row)

    def _made(self, made: Any) -> int:
        made._obj.value = self.objects.make("made")
        return 0

    def _sized(self, size: Any) -> int:
        size._obj.value = 16
        return 0

    def _ran(self, what: str, given: tuple[Any, ...]) -> int:
        handle, rows, entries, kind, values, indptr, indices, info, policy, buffer = given
        assert handle == solver_fakes.HANDLE and policy == self.policy and buffer
        assert {kind.value, info.value} <= set(self.objects.alive)
        self.done.append(what)
        if what == "factor":
            csr = solver_fakes.Csr(
                n=rows,
                nnz=entries,
                values=values,
                indices=indices,
                indptr=indptr,
                value_type=np.float64,
                index_type=np.int32,
            )
            lower = csr.matrix().toarray()
            full = lower + np.tril(lower, -1).T
            solver_fakes.at(values, entries, np.float64)[:] = np.linalg.cholesky(full)[np.tril_indices(rows)]
        return 0

    def _told(self, row: Any) -> int:
        row._obj.value = self.pivot
        return 0 if self.pivot < 0 else 9


@pytest.fixture
def csric02_fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Csric02]:
    solver_fakes.stand_in(monkeypatch)
    fake = Csric02()
    monkeypatch.setattr(cusparse, "_library", lambda: fake)
    csric02._library.cache_clear()
    yield fake
    csric02._library.cache_clear()


def test_csric02_is_called_as_its_header_says(csric02_fake: Csric02) -> None:
    matrix = np.array([[4.0, 1, 2], [1, 5, 3], [2, 3, 6]])
    indptr, indices = np.array([0, 1, 3, 6], np.int32), np.array([0, 0, 1, 0, 1, 2], np.int32)
    values = matrix[np.tril_indices(3)]
    arrays = [solver_fakes.on_device(array) for array in (indptr, indices, values)]
    csric02.factorise(*arrays, "none")
    assert np.allclose(arrays[2], np.linalg.cholesky(matrix)[np.tril_indices(3)])
    assert csric02_fake.done == ["analysis", "factor"] and not csric02_fake.objects.alive
    csric02_fake.pivot = csric02_fake.policy = 1
    with pytest.raises(UnsupportedError, match="without fill: pivot 1 is not positive"):
        csric02.factorise(*(solver_fakes.on_device(array) for array in (indptr, indices, values)), "levels")
    assert not csric02_fake.objects.alive


# What the host does for the GPU.


def inverse_of(graph: Laplacian, error: float = 0.0) -> Any:
    """About L's inverse."""
    matrix = grounded(graph)
    rng = np.random.default_rng(0)
    spoilt = matrix + np.diag(error * np.diag(matrix) * rng.random(len(matrix)))
    return laplacian_fakes.Inverse(np.linalg.pinv(spoilt, rcond=1e-13, hermitian=True))


def placed(asked: System) -> System:
    graph = asked.laplacian
    device = laplacian_fakes.on_device
    pattern = Pattern(device(graph.pattern.indptr), device(graph.pattern.indices))
    return System(replace(graph, pattern=pattern, weights=device(graph.weights)), device(asked.b))


@pytest.mark.parametrize("seed", DAILY)
def test_the_host_lets_the_device_stop_by_itself(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    fake = laplacian_fakes.stand_in(monkeypatch)
    asked = system(random_graph(seed))
    preconditioner = inverse_of(asked.laplacian, 0.5)
    for rhs in ("random", "product"):
        fake.launched.clear()
        solution, work = pcg_gpu.solved(placed(asked), preconditioner, rhs, {})
        assert residual(asked, solution.x, rhs) <= stopping.TOLERANCE * (1 + 1e-9)
        assert work.facts is not None
        # One step more than needed is launched before the host knows, and does nothing.
        steps = work.facts["iterations"]
        assert fake.launched.count("pcg_step") == (steps + 1 if steps else 0)

    def apply(r: Array, z: Array) -> None:
        z[: len(preconditioner.matrix)] = preconditioner.matrix @ r[: len(preconditioner.matrix)]

    product = pcg_cpu.product(asked.laplacian, asked.b)
    reached = conjugate_gradients(asked.laplacian, product, apply)
    assert abs(reached.iterations - steps) <= 1


def test_the_device_starts_again_from_the_true_residual(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = laplacian_fakes.stand_in(monkeypatch)
    asked = system(grid(10))
    fake.drift = 1e-2
    solution, _ = pcg_gpu.solved(placed(asked), inverse_of(asked.laplacian, 0.5), "random", {})
    assert residual(asked, solution.x) <= stopping.TOLERANCE * (1 + 1e-9)
    assert fake.launched.count("pcg_residual") > 2


def test_the_host_refuses_what_the_device_cannot_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    laplacian_fakes.stand_in(monkeypatch)
    asked = system(grid(10))
    negative = laplacian_fakes.Inverse(-np.eye(100))
    with pytest.raises(UnsupportedError, match="break down after 0 iterations"):
        pcg_gpu.solved(placed(asked), negative, "random", {})
    with pytest.raises(FillpathError, match="wait for an element that never comes, after 0 iterations"):
        pcg_gpu.solved(placed(asked), laplacian_fakes.Waiting(np.eye(100)), "random", {})
    monkeypatch.setattr(pcg_gpu, "MOST_ITERATIONS", 4)
    with pytest.raises(UnsupportedError, match="left a relative residual"):
        pcg_gpu.solved(placed(asked), laplacian_fakes.Inverse(np.eye(100)), "random", {})


def without_fill(indptr: Array, columns: Array, values: Array, policy: str) -> None:
    """csric02 by NumPy."""
    n = len(indptr) - 1
    lower, kept = np.zeros((n, n)), np.zeros((n, n), np.bool_)
    rows = np.repeat(np.arange(n), np.diff(indptr))
    lower[rows, columns], kept[rows, columns] = values, True
    for k in range(n):
        lower[k, k] = np.sqrt(lower[k, k])
        lower[k + 1 :, k] /= lower[k, k]
        lower[k + 1 :, k + 1 :] -= np.where(
            kept[k + 1 :, k + 1 :], np.outer(lower[k + 1 :, k], lower[k + 1 :, k]), 0
        )
    values[:] = lower[rows, columns]


@pytest.mark.parametrize("seed", DAILY)
@pytest.mark.parametrize("tail", [0, 7, 1000])
def test_our_solves_with_either_factor_are_those_of_dense_triangles(
    monkeypatch: pytest.MonkeyPatch, seed: int, tail: int
) -> None:
    laplacian_fakes.stand_in(monkeypatch)
    graph = placed(system(random_graph(seed))).laplacian
    rest = graph.n - graph.grounded
    lower = ic0_gpu._triangle(graph)
    matrix = sp.csr_array((lower[2], lower[1], lower[0]), shape=(rest, rest)).toarray()
    without_fill(*lower, "none")
    root = sp.csr_array((lower[2], lower[1], lower[0]), shape=(rest, rest)).toarray()
    kept = matrix != 0
    assert np.allclose((root @ root.T)[kept], matrix[kept], rtol=1e-9, atol=1e-12)
    sampled, _ = factorised(random_graph(seed), seed=seed)
    g, d = triangles(sampled)
    g, d = g[:rest, :rest], d[:rest]
    inverse = np.divide(1, d, out=np.zeros(rest), where=d != 0)
    r = np.random.default_rng(seed).uniform(-1, 1, rest)
    expected = {
        "ic0": np.linalg.solve(root.T, np.linalg.solve(root, r)),
        "parac": np.linalg.solve(g.T, inverse * np.linalg.solve(g, r)),
    }
    for name, factor in {"ic0": ic0_gpu._factor(graph.n, lower), "parac": sampled}.items():
        room = Room(graph.n, 1)
        room.vectors[:rest], room.vectors[graph.n :] = r, laplacian_fakes.MISSING
        z = triangular_gpu.Solves(factor, rest, tail).apply(room)
        error = np.abs(z[:rest] - expected[name]).max(initial=0.0)
        assert error <= 1e-8 * np.abs(expected[name]).max(initial=0.0), name
        assert np.isclose(room.state[State.RZ], r @ z[:rest])


@pytest.mark.parametrize("seed", DAILY)
def test_a_factor_without_fill_takes_the_same_steps_whoever_solves_with_it(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    laplacian_fakes.stand_in(monkeypatch)
    monkeypatch.setattr(ic0_gpu, "factorise", without_fill)
    monkeypatch.setattr(ic0_gpu, "Spsv", Substituted)
    asked = system(random_graph(seed))
    variants: list[dict[str, Any]] = [
        {}, {"triangular": "own"}, {"triangular": "own", "tail": 9}, {"triangular": "own", "policy": "levels"}
    ]  # fmt: skip
    works = []
    for options in variants:
        solution, work = registry.lookup("laplacian", "ic0_gpu").function(placed(asked), **options)
        assert residual(asked, solution.x) <= stopping.TOLERANCE * (1 + 1e-6)
        works.append(work.facts or {})
    assert len({facts["nnz_factor"] for facts in works}) == 1
    iterations = [facts["iterations"] for facts in works]
    assert max(iterations) - min(iterations) <= 2


class Substituted:
    """SpSV by dense triangles."""

    blocks = 1
    says_rz = False

    def __init__(self, lower: Any, upper: Any) -> None:
        n = len(lower[0]) - 1
        self.triangles = [
            sp.csr_array((each[2], each[1], each[0]), shape=(n, n)).toarray() for each in (lower, upper)
        ]

    def apply(self, room: Room) -> Any:
        lower, upper = self.triangles
        return laplacian_fakes.on_device(
            np.linalg.solve(upper, np.linalg.solve(lower, room.vectors[: len(lower)]))
        )


def test_a_negative_tail_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    laplacian_fakes.stand_in(monkeypatch)
    monkeypatch.setattr(ic0_gpu, "factorise", without_fill)
    with pytest.raises(InputError, match="tail=-1: expected a number of vertices"):
        registry.lookup("laplacian", "ic0_gpu").function(placed(system(grid(4))), triangular="own", tail=-1)


# On a card.


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(30))
def test_the_gpu_takes_the_steps_of_the_cpu(seed: int) -> None:
    asked = system(random_graph(seed, 20 + 40 * seed))
    _, expected = ac_sequential(asked, seed=seed)
    assert expected.facts is not None
    solve = hosted(registry.lookup("laplacian", "parac_gpu"))
    variants: list[dict[str, Any]] = [
        {"tail": 0}, {"tail": 7}, {}, {"triangular": "cusparse"}, {"rhs": "product"},
    ]  # fmt: skip
    for options in variants:
        solution, work = solve(asked, seed=seed, **options)
        assert residual(asked, solution.x, options.get("rhs", "random")) <= stopping.TOLERANCE * (1 + 1e-6)
        assert work.facts["nnz_factor"] == expected.facts["nnz_factor"]
        assert "rhs" in options or abs(work.facts["iterations"] - expected.facts["iterations"]) <= 2


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(10))
def test_incomplete_factors_of_the_gpu_solve(seed: int) -> None:
    asked = system(random_graph(seed, 20 + 100 * seed))
    solve = hosted(registry.lookup("laplacian", "ic0_gpu"))
    variants: list[dict[str, Any]] = [
        {}, {"policy": "levels"}, {"triangular": "own"}, {"triangular": "own", "tail": 7},
        {"triangular": "own", "tail": 2048, "policy": "levels"}, {"triangular": "own", "rhs": "product"},
    ]  # fmt: skip
    iterations, entries = [], set()
    for options in variants:
        solution, work = solve(asked, **options)
        assert residual(asked, solution.x, options.get("rhs", "random")) <= stopping.TOLERANCE * (1 + 1e-6)
        entries.add(work.facts["nnz_factor"])
        iterations += [work.facts["iterations"]] if "rhs" not in options else []
    assert len(entries) == 1 and max(iterations) - min(iterations) <= 0.05 * min(iterations) + 2


@pytest.mark.gpu
@pytest.mark.parametrize("tail", [0, 100])
def test_elements_that_wait_for_each_other_are_an_error_on_the_gpu(
    monkeypatch: pytest.MonkeyPatch, tail: int
) -> None:
    """Vertices 0 and 1 of a path's factor, and a thousand more that wait for them."""
    monkeypatch.setattr(triangular_gpu, "PATIENCE", 2**12)
    n = 1000
    asked = system(from_edges(n, np.arange(n - 1), np.arange(1, n), np.ones(n - 1)))
    factor, _ = factorised(asked.laplacian)
    indices = factor.pattern.indices.copy()
    indices[1] = 0
    broken = replace(factor, pattern=Pattern(factor.pattern.indptr, indices))
    solves = triangular_gpu.Solves(on_device(broken), n, tail)
    with pytest.raises(FillpathError, match="wait for an element that never comes"):
        pcg_gpu.solved(on_device(asked), solves, "random", {})


@pytest.mark.gpu
def test_the_gpu_gives_the_same_bits_every_time() -> None:
    asked = system(grid(200))
    solve = hosted(registry.lookup("laplacian", "parac_gpu"))
    for tail in (0, 500):
        first, again = (solve(asked, tail=tail)[0].x for _ in range(2))
        assert np.array_equal(first, again)


@pytest.mark.gpu
def test_paths_and_stars_of_many_levels_are_solved_on_the_gpu() -> None:
    n = 3000
    path = from_edges(n, np.arange(n - 1), np.arange(1, n), np.ones(n - 1))
    star = from_edges(n, np.zeros(n - 1, np.int64), np.arange(1, n), np.ones(n - 1))
    inward = from_edges(n, np.arange(n - 1), np.full(n - 1, n - 1), np.ones(n - 1))
    solve = hosted(registry.lookup("laplacian", "parac_gpu"))
    for graph in (path, star, inward):
        for tail in (0, 100):
            solution, work = solve(system(graph), tail=tail)
            assert residual(system(graph), solution.x) <= stopping.TOLERANCE * (1 + 1e-6)
            assert work.facts["iterations"] <= 2 or graph is star
