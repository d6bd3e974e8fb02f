"""apxchol and approx-chol: their solutions, when they stop, what they refuse.

Each is tested where its package is, and skipped with its reason elsewhere.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.checks.laplacians import verify_potentials
from fillpath import registry
from fillpath.errors import UnsupportedError
from fillpath.nouns import Laplacian, Pattern
from fillpath.peers import peer
from fillpath.phase import PhaseClock, recording
from impl.cholesky.graph import from_edges
from impl.laplacian import apxchol as driver
from impl.laplacian.rows import rows_of
from impl.laplacian.stopping import MOST_ITERATIONS, TOLERANCE
from impl.laplacian.system import system
from tests.test_laplacian import grid, grounded, random_graph

PHASES = {
    "apxchol": ["convert", "factor", "solve"],
    "approx_chol": ["convert", "factor", "right_hand_side", "solve"],
}
both = pytest.mark.parametrize("name", PHASES)


def solve(name: str, graph: Laplacian) -> tuple[Any, Any]:
    """The solution, held by the gate. Skips the test where the package is absent."""
    there, reason = peer(name).available()
    if not there:
        pytest.skip(reason)
    solution, work = registry.lookup("laplacian", name).function(system(graph))
    with np.errstate(invalid="ignore"):
        verdict = verify_potentials(solution, system(graph), product=False)
    assert verdict.value <= TOLERANCE * (1 + 1e-6) and verdict.value == pytest.approx(
        work.facts["residual"], rel=1e-3, abs=1e-9
    )
    return solution, work


@both
@pytest.mark.parametrize("seed", range(9))
def test_a_random_graph_is_solved(name: str, seed: int) -> None:
    """With several components, isolated vertices and parallel edges; every third one grounded."""
    _, work = solve(name, random_graph(seed, 20 + 3 * seed))
    assert work.facts["iterations"] <= 30


@both
@pytest.mark.parametrize("seed", range(3))
def test_a_solution_is_that_of_a_dense_solver(name: str, seed: int) -> None:
    graph = random_graph(seed)
    exact = np.linalg.pinv(grounded(graph), rcond=1e-13, hermitian=True) @ system(graph).b[: graph.unknowns]
    solution, _ = solve(name, graph)
    matrix, difference = grounded(graph), solution.x - exact
    assert difference @ matrix @ difference <= 1e-9 * (exact @ matrix @ exact) + 1e-30


@both
@pytest.mark.parametrize("n", [1, 3])
def test_nothing_is_done_for_b_of_zero(name: str, n: int) -> None:
    solution, work = solve(name, from_edges(n, *np.empty((2, 0), np.int64), np.empty(0)))
    assert work.facts["iterations"] == work.facts["residual"] == 0 and not solution.x.any()


@both
def test_a_grid_takes_few_iterations_and_each_second_belongs_to_a_phase(name: str) -> None:
    clock = PhaseClock()
    with recording(clock):
        _, work = solve(name, grid(40))
    assert work.facts["iterations"] <= 30 and list(clock.seconds) == PHASES[name]


def test_rows_are_those_of_the_dense_matrix_without_the_ground() -> None:
    for seed in range(6):
        graph = random_graph(seed)
        rows = rows_of(graph)
        assert (
            np.allclose(rows.toarray(), grounded(graph))
            and rows.indices.dtype == rows.indptr.dtype == np.int32
        )
    huge = Pattern(np.array([0, 2**31]), np.zeros(0, np.int32))
    with pytest.raises(UnsupportedError, match="32-bit indices"):
        driver.rows_of(replace(grid(2), pattern=huge))


# When apxchol stops.


class Recurrence:
    """apxchol's solver, whose recurrence says that it is done with each tenth that it leaves."""

    def __init__(self, exact: np.ndarray, iterations: int, *, converged: bool = True) -> None:
        self.exact, self.iterations, self.converged, self.asked = exact, iterations, converged, []

    def solve(self, b: np.ndarray, *, rtol: float, maxiter: int, x0: np.ndarray) -> Any:
        self.asked.append(maxiter)
        self.x = x0 + 0.9 * (self.exact - x0)
        self.iters = self.iterations
        return self


def solved_by(recurrence: Recurrence) -> Any:
    return driver._solved(recurrence, rows_of(grid(2)), rows_of(grid(2)) @ recurrence.exact)


def test_a_residual_that_only_the_recurrence_has_does_not_count() -> None:
    recurrence = Recurrence(np.arange(4.0), 5)
    x, iterations, left = solved_by(recurrence)
    assert left <= TOLERANCE and iterations == 5 * len(recurrence.asked) == 30
    assert recurrence.asked == [MOST_ITERATIONS - 5 * place for place in range(6)]
    assert np.allclose(x, np.arange(4.0), atol=1e-4)


@pytest.mark.parametrize(
    ("recurrence", "message"),
    [
        (Recurrence(np.arange(4.0), MOST_ITERATIONS), "10000 iterations"),
        (Recurrence(np.arange(4.0), 0), "stop after 0 iterations"),
        (Recurrence(np.arange(4.0), 3, converged=False), "stop after 3 iterations"),
    ],
)
def test_what_does_not_come_to_the_tolerance_is_refused(recurrence: Recurrence, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        solved_by(recurrence)
