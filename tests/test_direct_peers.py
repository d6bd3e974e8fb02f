"""KLU, PARDISO, MUMPS, UMFPACK and CHOLMOD: solutions of dense systems, clear ends, nothing printed or kept.

Each is tested where its library is, and skipped with its reason elsewhere.
"""

import contextlib
import ctypes
import functools
import gc
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from benchmarks.checks.residuals import verify_residual, verify_solution
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from fillpath import registry
from fillpath.case import Case
from fillpath.errors import (
    FillpathError,
    InputError,
    MemoryBudgetError,
    UnavailableError,
    UnsupportedError,
)
from fillpath.nouns import Pattern, Prepared
from fillpath.peers import peer
from fillpath.phase import PhaseClock, recording
from fillpath.record import Status
from impl.peers import cholmod, kinds, mumps, umfpack
from impl.peers.blas import require_fast
from impl.solve.right_hand_side import as_matrix, known_solution
from tests.patterns import FAMILIES, eliminated
from tests.test_numeric import PROVENANCE, of_dense, prepared_of, well_conditioned

LIBRARIES = {"mumps": mumps.library, "umfpack": umfpack.library, "cholmod": cholmod.library}
GENERAL = ("klu", "pardiso", "mumps", "umfpack")
NAMES = (*GENERAL, "cholmod")
ORDERINGS = ("own", "given")
PHASES = {
    "klu": ["right_hand_side", "convert", "analysis", "factorise", "triangular", "refine"],
    **{
        name: ["right_hand_side", "convert", "analysis", "numeric", "triangular", "refine"]
        for name in ("pardiso", "mumps", "umfpack", "cholmod")
    },
}


@functools.cache
def function(name: str, stage: str = "solve") -> Any:
    """The implementation of that name. Skips the test where its library is absent."""
    there, reason = peer(name).available()
    if not there:
        pytest.skip(reason)
    try:
        LIBRARIES.get(name, lambda: None)()
    except (UnavailableError, OSError) as error:
        pytest.skip(str(error))
    return registry.lookup(stage, name).function


def system(prepared: Prepared, name: str, **options: Any) -> tuple[Any, Any]:
    solution, work = function(name)(prepared, **options)
    verdict = verify_solution(solution, prepared, None)
    assert verdict.value <= 1e-12 < verdict.bound
    return solution, work


def positive(n: int, density: float, seed: int) -> Prepared:
    """Symmetric, each row's diagonal entry larger than the sum of the others."""
    rng = np.random.default_rng(seed)
    half = np.triu(np.where(rng.random((n, n)) < density, rng.uniform(-1, 1, (n, n)), 0.0), 1)
    both = half + half.T
    return of_dense(both + np.diag(np.abs(both).sum(1) + rng.uniform(0.5, 1.5, n)))


def drawn(name: str, n: int, density: float, seed: int) -> Prepared:
    return positive(n, density, seed) if name == "cholmod" else well_conditioned(n, density, seed)


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25)
@given(n=st.integers(1, 40), density=st.sampled_from([0.0, 0.05, 0.3, 1.0]), seed=st.integers(0, 2**20))
def test_systems_are_solved_in_either_order(
    name: str, ordering: str, n: int, density: float, seed: int
) -> None:
    prepared = drawn(name, n, density, seed)
    for refine in (0, 1, 3):
        solution, work = system(prepared, name, ordering=ordering, refine=refine)
        dense = as_matrix(prepared).toarray()
        assert np.allclose(solution.x, known_solution(n), rtol=1e-10 * np.linalg.cond(dense))
        assert n <= work.facts["nnz_factor"] <= n * n + 1


@pytest.mark.parametrize("name", GENERAL)
@settings(max_examples=25)
@given(n=st.integers(2, 25), seed=st.integers(0, 2**20))
def test_what_needs_pivots_is_solved(name: str, n: int, seed: int) -> None:
    """Dense numbers of any size on the diagonal, also 0, in rows and columns of different magnitudes."""
    rng = np.random.default_rng(seed)
    dense = rng.uniform(-1, 1, (n, n))
    dense[np.diag_indices(n)] *= rng.choice([0.0, 1e-9, 1.0], n)
    assume(np.linalg.cond(dense) < 1e5)
    scales = 10.0 ** rng.integers(-6, 7, (2, n))
    prepared = of_dense(scales[0][:, None] * dense * scales[1])
    for ordering in ORDERINGS:
        solution, work = function(name)(prepared, ordering=ordering)
        # Without a matching, PARDISO replaces pivots, and says so.
        replaced = (name, ordering) == ("pardiso", "given") and work.facts["pivots"] > 0
        assert replaced or verify_solution(solution, prepared, None).value <= 1e-12


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", NAMES)
def test_structures_that_are_hard_on_something(name: str, family: str) -> None:
    pattern = FAMILIES[family](60)
    rows, sums = pattern.rows(), np.zeros(60)
    off = rows != pattern.indices
    np.add.at(sums, rows[off], 1)
    prepared = prepared_of(pattern, np.where(off, -1.0, sums[rows] + 1))
    dense = as_matrix(prepared).toarray()
    symmetric = np.array_equal(dense, dense.T)
    for ordering in ORDERINGS:
        if (name, family) == ("umfpack", "first column"):
            # Pivots of a tenth of the column's largest entry, which UMFPACK takes, let this one grow by 1e27.
            solution, _ = function(name)(prepared, ordering=ordering)
            verdict = verify_solution(solution, prepared, None)
            assert verdict.value > verdict.bound
        elif name == "cholmod" and not symmetric:
            with pytest.raises(UnsupportedError, match="not symmetric"):
                function(name)(prepared, ordering=ordering)
        else:
            system(prepared, name, ordering=ordering)


@pytest.mark.parametrize("name", NAMES)
def test_the_phases_are_those_of_a_solver(name: str) -> None:
    clock = PhaseClock()
    with recording(clock):
        system(positive(30, 0.1, 1), name)
    assert list(clock.seconds) == PHASES[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_given_order_is_kept(name: str) -> None:
    """An arrow whose point comes first fills whole; each library's own order leaves it as it is."""
    n = 30
    dense = np.diag(np.full(n, 2.0 * n))
    dense[0], dense[:, 0] = 1.0, 1.0
    dense[0, 0] = 2.0 * n
    entries = {
        ordering: system(of_dense(dense), name, ordering=ordering)[1].facts["nnz_factor"]
        for ordering in ORDERINGS
    }
    half = name in ("cholmod", "mumps")
    whole, arrow = (n * (n + 1) // 2, 2 * n - 1) if half else (n * n, 3 * n - 2)
    if name in ("pardiso", "mumps"):
        # PARDISO counts one more, and both store supernodes.
        assert whole <= entries["given"] <= whole + 1 and entries["own"] < whole / 2
    else:
        assert entries == {"given": whole, "own": arrow}


@pytest.mark.parametrize(
    "dense", [[[1, 2], [2, 4]], [[1, 1], [0, 0]], [[0, 1, 0], [0, 1, 0], [1, 0, 1]], np.zeros((3, 3))]
)
@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("name", ["klu", "mumps", "umfpack"])
def test_a_singular_matrix_is_refused_before_it_is_solved(name: str, ordering: str, dense: Any) -> None:
    """KLU's `solve` would crash the process."""
    for _ in range(3):
        with pytest.raises(UnsupportedError, match="--matching"):
            function(name)(of_dense(dense), ordering=ordering)
    gc.collect()
    system(of_dense(np.eye(3) + 1), name, ordering=ordering)


@pytest.mark.parametrize("dense", [[[1, 2], [2, 4]], [[1, 1], [0, 0]], np.zeros((3, 3))])
def test_pardiso_replaces_pivots_of_a_singular_matrix_and_says_so(dense: Any) -> None:
    """What then comes of it is the gate's to judge."""
    _, work = function("pardiso")(of_dense(dense))
    assert work.facts["pivots"] > 0


@pytest.mark.parametrize(
    "dense", [[[1, 2], [2, 1]], [[-1, 0], [0, 1]], [[0, 1], [1, 0]], np.diag([1.0] * 99 + [-1])]
)
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_cholmod_refuses_what_is_not_positive_definite(ordering: str, dense: Any) -> None:
    with pytest.raises(UnsupportedError, match="not positive definite"):
        function("cholmod")(of_dense(dense), ordering=ordering)
    system(of_dense(np.eye(3) + 1), "cholmod", ordering=ordering)


def test_cholmod_refuses_values_that_differ_in_one_bit_across_the_diagonal() -> None:
    dense = np.eye(3) * 4 + 1
    dense[0, 2] = np.nextafter(1, 2)
    with pytest.raises(UnsupportedError, match="not symmetric"):
        function("cholmod")(of_dense(dense))


def test_cholmod_takes_supernodes_too() -> None:
    """A dense matrix, which is one of them, and a tridiagonal one, which has none worth it."""
    for n, dense in ((200, np.eye(200) * 200 + 1), (50, 3 * np.eye(50) - np.eye(50, k=1) - np.eye(50, k=-1))):
        _, work = system(of_dense(dense), "cholmod")
        assert work.facts["nnz_factor"] == (n * (n + 1) // 2 if n == 200 else 2 * n - 1)


def test_cholmod_leaves_openmp_as_it_was() -> None:
    """It shares OpenMP's library with Numba, whose workers may wait for each other."""
    system(positive(30, 0.1, 1), "cholmod")
    levels = cholmod.library().omp_get_max_active_levels()
    with cholmod.opened(csr_array(np.eye(3)), given=True):
        pass
    assert cholmod.library().omp_get_max_active_levels() == levels > 0


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_printed_and_nothing_is_warned(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither by the library nor by its package, whatever the matrix."""
    call = function(name)
    capfd.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dense in (np.eye(5) + 1, np.zeros((3, 3)), [[1, 2], [2, 4]], [[1, np.nan], [np.nan, 1]]):
            try:
                with np.errstate(invalid="ignore"):
                    call(of_dense(dense))
            except FillpathError:
                continue
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", ["well", "ill"])
@pytest.mark.parametrize("name", NAMES)
def test_memory_is_given_back_after_errors_too(name: str, kind: str) -> None:
    dense = np.eye(600) * 600 + 1
    if kind == "ill":
        dense[-1] = dense[:, -1] = -1 if name == "cholmod" else 0
        dense[-1, -1] = -1 if name == "cholmod" else 0
    prepared, call = of_dense(dense), function(name)

    def after(times: int) -> int:
        for _ in range(times):
            try:
                call(prepared)
            except UnsupportedError:
                assert kind == "ill"
        return resident()

    before = after(3)
    # Factors of 600 x 600 take 2.9 MB.
    assert after(12) - before < 12e6


def resident() -> int:
    """Bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize("name", NAMES)
def test_steps_of_refinement_are_counted_from_none(name: str) -> None:
    with pytest.raises(InputError, match="refine=-1"):
        function(name)(positive(5, 0.2, 1), refine=-1)


@pytest.mark.parametrize("name", NAMES)
def test_more_entries_than_the_libraries_count_are_refused_beforehand(name: str) -> None:
    """A pattern whose pointers say so, without any entries behind them."""
    huge = Pattern(np.array([0, 2**31]), np.zeros(0, np.int32))
    prepared = prepared_of(huge, np.zeros(0))
    with pytest.raises(UnsupportedError, match="2147483648 entries"):
        function(name)(prepared)
    if name == "klu":
        with pytest.raises(UnsupportedError, match="2147483648 entries"):
            function(name, "symbolic")(prepared)


def test_the_reference_blas_is_refused() -> None:
    """It made CHOLMOD six times as slow."""
    slow = next(Path("/usr/lib").glob("*-linux-gnu/blas/libblas.so.3"), None)
    if slow is None:
        pytest.skip("no reference BLAS here")
    with pytest.raises(UnavailableError, match="UMFPACK would call the slow reference BLAS"):
        require_fast(ctypes.CDLL(str(slow)), "UMFPACK")


# The kind of a matrix.


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("name", ["pardiso", "mumps"])
@pytest.mark.parametrize(
    ("dense", "kind"),
    [
        ([[4, 1], [2, 4]], "general"), ([[4, 1], [np.nextafter(1, 2), 4]], "general"),
        ([[4, 1], [1, 4]], "spd"), ([[1, 2], [2, -1]], "symmetric"), ([[0, 1], [1, 0]], "symmetric"),
        # As its diagonal does not tell.
        ([[1, 2], [2, 1]], "symmetric"), (np.eye(5) * 1.5 - np.ones((5, 5)) / 2, "symmetric"),
    ],
)  # fmt: skip
def test_a_library_is_told_the_kind_of_a_matrix(
    name: str, ordering: str, dense: Any, kind: kinds.Kind
) -> None:
    prepared = of_dense(dense)
    for _ in range(2):
        _, work = system(prepared, name, ordering=ordering)
        assert work.facts["kind"] == kinds.NUMBERS[kind]


def test_a_kind_that_proves_wrong_is_tried_once() -> None:
    prepared, tried = of_dense([[1, 2], [2, 1]]), []

    def solve(kind: kinds.Kind) -> Any:
        tried.append(kind)
        if kind == "spd":
            raise kinds.IndefiniteError("a pivot is negative")
        return kind

    for asked in (prepared, prepared, of_dense([[2, 1], [1, 2]])):
        with contextlib.suppress(kinds.IndefiniteError):
            tell = functools.partial(kinds.kind_of, as_matrix(asked))
            assert kinds.solved_as_known(asked, solve, tell) == "symmetric"
    assert tried == ["spd", "symmetric", "symmetric", "spd", "symmetric"]


# MUMPS, by what its library answers.


class Answers:
    """A library of MUMPS that answers a phase by what `infog` has for it."""

    def __init__(self, version: bytes, *infog: int) -> None:
        self.version, self.infog, self.room = version, list(infog), []

    def dmumps_c(self, instance: Any) -> None:
        instance = instance._obj
        instance.version_number = self.version
        if instance.job == -1:
            instance.icntl[13] = 20
        if instance.job == 2:
            self.room.append(instance.icntl[13])
            instance.infog[0] = self.infog.pop(0)


def factorised(answers: Answers, monkeypatch: pytest.MonkeyPatch, kind: kinds.Kind = "general") -> None:
    monkeypatch.setattr(mumps, "library", lambda: answers)
    with mumps.opened(as_matrix(of_dense(np.eye(2))), kind=kind, given=False) as held:
        held.factorise()


def test_mumps_has_more_room_until_its_pivots_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers(b"5.5.1", -9, -8, 0)
    factorised(answers, monkeypatch)
    assert answers.room == [20, 40, 80]


@pytest.mark.parametrize(
    ("told", "error", "kind"),
    [
        ("general", -10, UnsupportedError),
        ("spd", -10, kinds.IndefiniteError),
        ("spd", -40, kinds.IndefiniteError),
        ("spd", -13, MemoryBudgetError),
        ("general", -3, FillpathError),
    ],
)
def test_an_error_of_mumps_is_one_of_ours(
    told: kinds.Kind, error: int, kind: type[FillpathError], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(kind, match="MUMPS") as raised:
        factorised(Answers(b"5.5.1", error), monkeypatch, told)
    assert type(raised.value) is kind


def test_another_structure_of_mumps_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnavailableError, match=r"MUMPS 5\.8\.2: its structure"):
        factorised(Answers(b"5.8.2"), monkeypatch)


# KLU as a symbolic baseline.


@settings(max_examples=25)
@given(n=st.integers(1, 40), density=st.sampled_from([0.0, 0.05, 0.3, 1.0]), seed=st.integers(0, 2**20))
def test_klu_counts_the_fill_of_the_order_given(n: int, density: float, seed: int) -> None:
    prepared = well_conditioned(n, density, seed)
    factors, work = function("klu", "symbolic")(prepared)
    filled = int(np.count_nonzero(eliminated(prepared.pattern)))
    assert factors.nnz == filled and work.fills == factors.nnz - prepared.pattern.nnz
    verdict = verify_residual(factors, prepared)
    assert verdict.value <= 1e-12 < verdict.bound


def test_the_symbolic_part_of_klu_is_factor_less_refactor() -> None:
    clock = PhaseClock()
    with recording(clock):
        function("klu", "symbolic")(of_dense(np.eye(3) + 1))
    assert list(clock.seconds) == ["convert", "analysis", "factor", "refactor"]


def test_klu_refuses_another_order_than_the_one_given() -> None:
    call = function("klu", "symbolic")
    with pytest.raises(UnsupportedError, match="a pivot is 0"):
        call(of_dense([[0, 1], [1, 0]]))
    # Without a place for it on the diagonal.
    swapped = Pattern(np.array([0, 1, 2]), np.array([1, 0], np.int32))
    with pytest.raises(UnsupportedError, match="pivots off the diagonal"):
        call(prepared_of(swapped, np.ones(2)))
    moduli = replace(of_dense(np.eye(2)), provenance=replace(PROVENANCE, field="complex"))
    with pytest.raises(UnsupportedError, match="drawn has complex values"):
        call(moduli)


def test_factors_of_klu_outlive_their_maker() -> None:
    factors, _ = function("klu", "symbolic")(of_dense(np.diag(np.arange(1.0, 6))))
    gc.collect()
    assert np.allclose(factors.solve(np.ones(5)), 1 / np.arange(1.0, 6))


# In the record.


@pytest.mark.parametrize("case", [*(f"solve.{name}" for name in NAMES), "symbolic.klu"])
def test_a_record_is_that_of_any_implementation(case: str, shared_cache: None, forked_workers: None) -> None:
    asked = Case.parse(f"{case}@grid2d,6,laplacian.natural")
    function(asked.implementation)
    record = measure(asked, Limits(seconds=170, samples=3))
    assert record.status is Status.OK, record.reason
    assert record.phases and record.seconds and record.verified
    assert asked.implementation in record.versions
