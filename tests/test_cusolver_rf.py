"""cuSolverRf in the stage `solve`, over a library that takes and returns what cusolverRf.h says."""

import ctypes
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks.checks.residuals import verify_solution
from fillpath import registry
from fillpath.errors import FillpathError, InputError, MemoryBudgetError, UnsupportedError
from fillpath.phase import PhaseClock, recording
from impl.peers import cusolver_rf as library
from impl.solve.cusolver_rf import _kept, cusolver_rf
from impl.solve.right_hand_side import as_matrix
from tests.devices import hosted
from tests.patterns import eliminated
from tests.solver_fakes import Objects, at, on_device, stand_in
from tests.test_numeric import of_dense, well_conditioned
from tests.test_solve import addressed

FRESH = ["to_host", "convert", "factorise", "traverse", "set_up", "analysis"]
AGAIN = ["right_hand_side", "numeric", "triangular", "refine"]


class CuSolverRf:
    """It factorises in the pattern that it was given, and reads all arguments at their addresses.

    statuses : of functions, 0 if not named
    done : the functions that were called
    """

    def __init__(self) -> None:
        self.objects, self.statuses, self.done = Objects(), {}, []
        for name, arguments in library._SIGNATURES.items():
            setattr(self, f"cusolverRf{name}", ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(self._called(name)))

    def _called(self, name: str) -> Any:
        def call(*arguments: Any) -> int:
            # What a callback raises would be lost.
            try:
                self.done.append(name)
                getattr(self, name)(*arguments)
            except (AssertionError, KeyError, IndexError) as error:
                print(f"{name}: {error!r}")
                return 7
            return self.statuses.get(name, 0)

        return call

    def Create(self, into: Any) -> None:
        into[0] = self.objects.make(SimpleNamespace())

    def Destroy(self, handle: int) -> None:
        self.objects.destroy(handle)

    def SetMatrixFormat(self, handle: int, rows: int, unit: int) -> None:
        assert (rows, unit) == (0, 2) and self.objects.alive[handle]

    def SetResetValuesFastMode(self, handle: int, fast: int) -> None:
        assert fast == 1 and self.objects.alive[handle]

    def SetupHost(self, n: int, *rest: Any) -> None:
        *matrices, rows, columns, handle = rest
        system = self.objects.alive[handle]
        system.order = at(rows, n, np.int32).copy(), at(columns, n, np.int32).copy()
        _, lower, upper = (csr_of(n, *matrices[4 * k : 4 * k + 4]) for k in range(3))
        assert all(np.array_equal(np.sort(part), np.arange(n)) for part in system.order)
        system.first = (lower.toarray() + np.eye(n)) @ upper.toarray()
        entries = np.zeros((n, n), bool)
        for part in (lower, upper):
            entries[np.repeat(np.arange(n), np.diff(part.indptr)), part.indices] = True
        assert not np.triu(lower.toarray()).any() and not np.tril(upper.toarray(), -1).any()
        system.entries = entries

    def Analyze(self, handle: int) -> None:
        self.objects.alive[handle].analysed = True

    def ResetValues(self, n: int, *rest: Any) -> None:
        *matrix, rows, columns, handle = rest
        system = self.objects.alive[handle]
        found = at(rows, n, np.int32), at(columns, n, np.int32)
        assert all(np.array_equal(*pair) for pair in zip(found, system.order, strict=True))
        given = csr_of(n, *matrix)
        system.values = given.toarray()[np.ix_(*system.order)]
        assert system.analysed and not system.values[~system.entries].any()

    def Refactor(self, handle: int) -> None:
        """Without pivots; what fills outside of the pattern is lost."""
        system = self.objects.alive[handle]
        values = system.values.copy()
        for k in range(len(values)):
            values[k + 1 :, k] /= values[k, k]
            values[k + 1 :, k + 1 :] -= np.outer(values[k + 1 :, k], values[k, k + 1 :])
            values[~system.entries] = 0
        system.factors = values

    def Solve(
        self, handle: int, rows: int, columns: int, sides: int, room: int, width: int, x: int, stride: int
    ) -> None:
        system = self.objects.alive[handle]
        n = len(system.factors)
        assert (sides, width, stride) == (1, n, n)
        at(room, n, np.float64)[:] = np.nan
        solution, (moved, columns_of) = at(x, n, np.float64), system.order
        lower = np.tril(system.factors, -1) + np.eye(n)
        solution[columns_of] = np.linalg.solve(
            np.triu(system.factors), np.linalg.solve(lower, solution[moved])
        )


def csr_of(n: int, nnz: int, indptr: int, indices: int, values: int) -> csr_array:
    arrays = at(values, nnz, np.float64), at(indices, nnz, np.int32), at(indptr, n + 1, np.int32)
    assert arrays[2][-1] == nnz
    return csr_array(tuple(array.copy() for array in arrays), shape=(n, n))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[CuSolverRf]:
    stand_in(monkeypatch)
    fake = CuSolverRf()
    monkeypatch.setattr(library, "library", lambda: fake)
    yield fake
    for _, closing in _kept:
        closing.close()
    _kept.clear()
    assert not fake.objects.alive


# With a pivot that is 0, so that rows are exchanged, and without.
SWAPPED = of_dense(3 * np.roll(np.eye(6), 1, axis=1) + np.diag([0, 0, 1, 1, 1, 1]))


@pytest.mark.parametrize("seed", range(6))
def test_a_system_is_solved_in_the_whole_filled_pattern(seed: int, fake: CuSolverRf) -> None:
    prepared = well_conditioned(5 + 9 * seed, 0.1, seed)
    with recording(PhaseClock()) as clock:
        solution, work = cusolver_rf(addressed(prepared))
    assert verify_solution(solution, prepared, None).value <= 1e-14
    assert work.facts == {"nnz_factor": np.count_nonzero(eliminated(prepared.pattern)), "moved": 0}
    assert sorted(clock.seconds) == sorted(FRESH + AGAIN)


def test_rows_are_exchanged_where_a_pivot_is_0(fake: CuSolverRf) -> None:
    solution, work = cusolver_rf(addressed(SWAPPED))
    assert verify_solution(solution, SWAPPED, None).value <= 1e-14
    assert work.facts is not None and work.facts["moved"] > 0


def test_the_first_factors_are_those_of_the_matrix(fake: CuSolverRf) -> None:
    for prepared in (SWAPPED, well_conditioned(30, 0.1, 1)):
        cusolver_rf(addressed(prepared), analysis="kept")
        (system,) = fake.objects.alive.values()
        assert np.allclose(system.first, as_matrix(prepared).toarray()[system.order[0]])


def test_an_entry_that_is_0_by_chance_has_its_place(fake: CuSolverRf) -> None:
    """The last entry of the second row cancels; in a second system of the pattern it does not."""
    dense = np.array([[1.0, 1, 0, 1], [1, 2, 0, 1], [0, 1, 1, 0], [1, 1, 1, 5]])
    first = addressed(of_dense(dense))
    cusolver_rf(first, analysis="kept")
    dense[1, 3] = 3
    second = replace(first, values=on_device(of_dense(dense).values))
    solution, _ = cusolver_rf(second, analysis="kept")
    assert verify_solution(solution, of_dense(dense), None).value <= 1e-14
    assert fake.done.count("SetupHost") == 1


def test_a_second_system_of_a_pattern_takes_the_analysis_of_the_first(fake: CuSolverRf) -> None:
    prepared = well_conditioned(40, 0.06, 3)
    first = addressed(prepared)
    cusolver_rf(first, analysis="kept")
    with recording(PhaseClock()) as clock:
        solution, work = cusolver_rf(replace(first, values=2 * first.values), analysis="kept")
    assert list(clock.seconds) == AGAIN and work.facts is not None and work.facts["nnz_factor"] > 40
    doubled = replace(prepared, values=2 * prepared.values)
    assert verify_solution(solution, doubled, None).value <= 1e-14
    other = addressed(well_conditioned(40, 0.06, 3))
    for asked, analysis in ((other, "kept"), (other, "fresh"), (other, "fresh")):
        with recording(PhaseClock()) as clock:
            cusolver_rf(asked, analysis=analysis)
        assert set(FRESH) <= set(clock.seconds) and len(fake.objects.alive) == (analysis == "kept")


@pytest.mark.parametrize(
    ("name", "status", "kind", "message"),
    [
        ("Refactor", 10, UnsupportedError, "a pivot is 0"),
        ("SetupHost", 2, MemoryBudgetError, "cusolverRfSetupHost: status 2"),
        ("Solve", 6, FillpathError, "cusolverRfSolve: status 6"),
    ],
)
def test_a_status_is_an_error_and_memory_is_given_back(
    name: str, status: int, kind: type[FillpathError], message: str, fake: CuSolverRf
) -> None:
    fake.statuses[name] = status
    for analysis in ("fresh", "kept"):
        with pytest.raises(kind, match=message):
            cusolver_rf(addressed(SWAPPED), analysis=analysis)
        assert not fake.objects.alive


def test_what_cannot_be_asked_is_refused(fake: CuSolverRf) -> None:
    with pytest.raises(InputError, match="refine=-1"):
        cusolver_rf(addressed(SWAPPED), refine=-1)
    with pytest.raises(UnsupportedError, match="singular"):
        cusolver_rf(addressed(of_dense([[1, 2], [2, 4]])))


# With a GPU.


@pytest.mark.gpu
def test_on_a_gpu_a_system_is_solved_again_and_again() -> None:
    solve = hosted(registry.lookup("solve", "cusolver_rf"))
    for prepared in (SWAPPED, well_conditioned(300, 0.01, 1)):
        for analysis in ("fresh", "kept"):
            solution, _ = solve(prepared, analysis=analysis)
            assert verify_solution(solution, prepared, None).value <= 1e-13
