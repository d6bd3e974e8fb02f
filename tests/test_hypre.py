"""HYPRE: its solutions, when it stops, what it refuses, and its records on ranks.

Where its library or mpi4py is missing, these tests skip.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.checks.laplacians import verify_potentials
from commands import main
from fetch.prepare import prepare
from fillpath.case import Preparation
from fillpath.errors import FillpathError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Laplacian, Solution, System
from fillpath.peers import peer
from fillpath.phase import PhaseClock, recording
from fillpath.record import Status, read_records, record_path
from impl.cholesky.graph import from_edges, laplacian
from impl.laplacian import hypre as driver
from impl.laplacian.hypre import hypre
from impl.laplacian.stopping import TOLERANCE
from impl.laplacian.system import system
from impl.peers import hypre as library
from tests.test_laplacian import grid, grounded, random_graph
from tests.test_numeric import of_dense
from tests.test_ranks import require_mpi

THERE, WHY_NOT = peer("hypre").available()
# Where .ci/run asks for it, the tests fail without it.
ASKED = os.environ.get("FILLPATH_MPI") == "1"
pytestmark = pytest.mark.skipif(not (THERE or ASKED), reason=WHY_NOT)

ORDERS: tuple[driver.Order, ...] = ("given", "rcm")


def residual(asked: System, solution: Solution) -> float:
    """As the gate takes it."""
    return verify_potentials(solution, asked, product=False).value


def path(n: int) -> Laplacian:
    return from_edges(n, np.arange(n - 1), np.arange(1, n), np.ones(n - 1))


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("ways", [{}, {"order": "rcm"}, {"product": "modular"}], ids=str)
def test_a_random_graph_is_solved(seed: int, ways: dict[str, Any]) -> None:
    """With several components, isolated vertices and parallel edges; every third one grounded."""
    asked = system(random_graph(seed, 20 + 3 * seed))
    solution, work = hypre(asked, **ways)
    assert residual(asked, solution) <= TOLERANCE * (1 + 1e-6)
    assert work.facts is not None and 0 <= work.facts["iterations"] <= 30


@pytest.mark.parametrize("seed", range(6))
def test_a_solution_is_that_of_a_dense_solver(seed: int) -> None:
    graph = random_graph(seed)
    exact = np.linalg.pinv(grounded(graph), rcond=1e-13, hermitian=True) @ system(graph).b[: graph.unknowns]
    solution, _ = hypre(system(graph))
    matrix, difference = grounded(graph), solution.x - exact
    assert difference @ matrix @ difference <= 1e-9 * (exact @ matrix @ exact) + 1e-30


@pytest.mark.parametrize("graph", [path(2), path(3), path(500), grid(40)], ids=["2", "3", "500", "grid"])
def test_small_and_long_graphs_are_solved(graph: Laplacian) -> None:
    solution, work = hypre(system(graph))
    assert residual(system(graph), solution) <= TOLERANCE * (1 + 1e-6)
    assert work.facts is not None and work.facts["iterations"] <= 20


@pytest.mark.parametrize("n", [1, 3])
def test_nothing_is_done_for_b_of_zero(n: int) -> None:
    graph = from_edges(n, *np.empty((2, 0), np.int64), np.empty(0))
    solution, work = hypre(system(graph))
    assert work.facts == {"iterations": 0, "residual": 0} and np.array_equal(solution.x, np.zeros(n))


def test_the_double_cover_solves_the_matrix_with_positive_entries() -> None:
    rng = np.random.default_rng(3)
    off = np.triu(rng.uniform(-1, 1, (30, 30)) * (rng.random((30, 30)) < 0.2), 1)
    matrix = off + off.T
    matrix += np.diag(np.abs(matrix).sum(axis=1) + 0.1)
    graph = laplacian(of_dense(matrix))
    asked = system(graph)
    solution, _ = hypre(asked)
    b = asked.b[:60:2]
    assert graph.doubled and np.linalg.norm(b - matrix @ solution.x) <= 1e-6 * np.linalg.norm(b)


def test_a_grid_takes_as_many_iterations_as_multigrid_does(shared_cache: None) -> None:
    """The paper prints 7 for a million vertices in two dimensions, 8 for 14 millions in three."""
    for name in ("grid2d,100,laplacian", "poisson3d,20"):
        asked = system(laplacian(prepare(name, Preparation("none", "natural", True))))
        _, work = hypre(asked)
        assert work.facts is not None and 3 <= work.facts["iterations"] <= 8


def test_the_order_of_the_rows_in_hypre_does_not_show() -> None:
    """Neighbours close together, and the solution by the vertices as they were."""
    graph = grid(30)
    order = driver._close_together(graph)
    place = np.argsort(order)
    apart = np.abs(place[graph.pattern.rows()] - place[graph.pattern.indices])
    assert np.array_equal(np.sort(order), np.arange(graph.n)) and apart.max() <= 60
    (given, _), (other, _) = (hypre(system(graph), order=order) for order in ORDERS)
    difference = given.x - given.x.mean() - (other.x - other.x.mean())
    assert np.linalg.norm(difference) <= 1e-3 * np.linalg.norm(given.x - given.x.mean())


def test_either_product_reaches_hypre_and_solves_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    called, set_to = library._call, []

    def watched(name: str, *arguments: Any, **named: Any) -> int:
        if name == "BoomerAMGSetModuleRAP2":
            set_to.append(arguments[1].value)
        return called(name, *arguments, **named)

    monkeypatch.setattr(library, "_call", watched)
    products: tuple[library.Product, ...] = ("triple", "modular")
    (one, first), (other, second) = (hypre(system(grid(40)), product=product) for product in products)
    assert set_to == [0, 1] and first.facts and second.facts
    assert abs(first.facts["iterations"] - second.facts["iterations"]) <= 1
    x, y = (solution.x - solution.x.mean() for solution in (one, other))
    assert np.linalg.norm(x - y) <= 1e-9 * np.linalg.norm(x)


def test_each_second_belongs_to_a_phase() -> None:
    for order in ORDERS:
        with recording(PhaseClock()) as clock:
            hypre(system(grid(40)), order=order)
        names = {"convert", "assemble", "factor", "solve"} | ({"order"} if order == "rcm" else set())
        assert set(clock.seconds) == names


# When it stops.


class Optimistic:
    """Conjugate gradients whose recurrence is small too early, as when rounding parts it from b - A x."""

    def __init__(self, levels: library.Multigrid, calls: list[float]) -> None:
        self.levels, self.calls = levels, calls

    def set_up(self) -> None:
        self.levels.set_up()

    def solve(self, tolerance: float, most: int) -> tuple[int, bool]:
        self.calls.append(tolerance)
        return self.levels.solve(max(tolerance, 10.0 ** -len(self.calls)), most)


def test_a_residual_that_only_the_recurrence_has_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[float] = []
    monkeypatch.setattr(driver, "multigrid", _replaced(lambda levels: Optimistic(levels, calls)))
    asked = system(grid(30))
    solution, work = hypre(asked)
    assert len(calls) > 2 and residual(asked, solution) <= TOLERANCE * (1 + 1e-6)
    assert work.facts is not None and work.facts["iterations"] >= len(calls)


def _replaced(change: Any) -> Any:
    @contextmanager
    def changed(rows: library.Rows, product: library.Product) -> Iterator[Any]:
        with library.multigrid(rows, product) as levels:
            yield change(levels)

    return changed


def test_too_many_iterations_are_refused_with_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "MOST_ITERATIONS", 2)
    with pytest.raises(UnsupportedError, match=r"left a relative residual of 0\.\d+, where 1e-06"):
        hypre(system(grid(40)))


def test_a_breakdown_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a matrix whose diagonals are negative."""
    monkeypatch.setattr(driver, "_regular", lambda share, begin, factors: -share)
    with pytest.raises(UnsupportedError, match=r"break down after \d+ iterations, at a relative residual of"):
        hypre(system(replace(path(50), unknowns=49, grounded=True)))


# What it refuses, and its errors.


def test_more_entries_than_it_counts_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "MOST_ENTRIES", 100)
    with pytest.raises(UnsupportedError, match=r"460 entries: HYPRE is given 32-bit row pointers"):
        hypre(system(grid(10)))


def test_an_error_has_its_name_and_is_forgotten() -> None:
    hypre(system(path(3)))
    with pytest.raises(FillpathError, match=r"HYPRE_BoomerAMGSetMaxIter: error 12 \[Error in argument 1\]"):
        library._call("BoomerAMGSetMaxIter", ctypes.c_void_p(), ctypes.c_int(1))
    hypre(system(path(3)))


def test_too_little_memory_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Poor:
        def HYPRE_BoomerAMGSetup(self) -> int:
            return 2

        def HYPRE_DescribeError(self, code: Any, words: Any) -> None:
            words.value = b"[Memory error] "

        def HYPRE_ClearAllErrors(self) -> None: ...

    monkeypatch.setattr(library, "library", Poor)
    with pytest.raises(MemoryBudgetError, match=r"BoomerAMGSetup: error 2 \[Memory error\]$"):
        library._call("BoomerAMGSetup")


def test_what_is_made_is_destroyed_after_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    made, called = [], library._call

    def counted(name: str, *arguments: Any, **named: Any) -> int:
        made.append(name)
        if name == "ParCSRPCGSetup":
            raise FillpathError("no")
        return called(name, *arguments, **named)

    monkeypatch.setattr(library, "_call", counted)
    with pytest.raises(FillpathError):
        hypre(system(path(5)))
    for kind, count in {"IJMatrix": 1, "IJVector": 2, "BoomerAMG": 1, "ParCSRPCG": 1}.items():
        assert made.count(f"{kind}Create") == made.count(f"{kind}Destroy") == count
    assert made[-5:] == [
        f"{kind}Destroy" for kind in ("ParCSRPCG", "BoomerAMG", *["IJVector"] * 2, "IJMatrix")
    ]


# On ranks.


@pytest.mark.parametrize(("option", "phases"), [("order=rcm", {"order"}), ("product=modular", set())])
def test_two_ranks_write_one_verified_record(
    shared_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, phases: set[str]
) -> None:
    """In a container too, which has no ssh."""
    for program in (require_mpi(), "/bin/false"):
        (tmp_path / Path(program).name).symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    options = ["--option", "ranks=2", "--option", option]
    command = ["run", "laplacian", "hypre", "grid2d:12:laplacian", "--matching", "none", "--ordering", "nnz"]
    assert main([*command, *options]) == 0
    case = f"laplacian.hypre.{option}.ranks=2@grid2d,12,laplacian.nnz"
    (record,) = read_records(record_path("test-machine", case))
    assert record.status is Status.OK and record.verified and record.verified.value <= TOLERANCE * (1 + 1e-6)
    assert record.work and 1 <= record.work["facts"]["iterations"] <= 10
    assert {"convert", "assemble", "factor", "solve"} | phases <= set(record.phases)
