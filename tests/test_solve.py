"""The stage `solve` on the device and its peers: over fakes here, on a card where one is."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.checks.residuals import verify_solution
from benchmarks.engine.benchmark import Context
from benchmarks.engine.operands import context, operand
from benchmarks.engine.reference import make_reference
from fillpath import registry
from fillpath.errors import FillpathError, InputError, UnsupportedError
from fillpath.nouns import Array, Factorised, Filled, Pattern, Prepared, Solution
from fillpath.phase import PhaseClock, phase, recording
from impl.cuda.transfer import on_device as moved
from impl.levels import device_two_way
from impl.levels.glu3_relaxed import glu3_relaxed
from impl.levels.two_way import assembled, by_both
from impl.numeric.left_looking import left_looking
from impl.numeric.superlu import superlu
from impl.peers import cusparse
from impl.solve import lu_gpu as solve_lu_gpu
from impl.solve import sweeps
from impl.solve.lu_cpu import lu_cpu
from impl.solve.right_hand_side import as_matrix
from impl.symbolic.fill1 import fill1
from tests import solver_fakes
from tests.devices import hosted
from tests.patterns import from_dense, random_pattern
from tests.solver_fakes import CuSparse, stand_in
from tests.test_numeric import of_dense, prepared_of, start_of, well_conditioned
from tests.verdicts import verdict_on

PHASES = ["right_hand_side", "symbolic", "columns", "levels", "assemble", "numeric", "triangular", "refine"]


def filled_of(pattern: Pattern) -> Filled:
    filled, _ = fill1(pattern)
    assert isinstance(filled, Filled)
    return filled


def arrays_of(noun: Any) -> list[Array]:
    """Of F by rows and by columns."""
    columns = noun.columns
    return [columns.indptr, columns.indices, noun.lower_start, noun.to_column]


def grid(side: int) -> Prepared:
    """A five-point grid with an unsymmetric part."""
    ones = np.eye(side, k=1)
    line = 2.1 * np.eye(side) - ones - 0.5 * ones.T
    return of_dense(np.kron(line, np.eye(side)) + np.kron(np.eye(side), line))


def chain(n: int) -> Prepared:
    return of_dense(4 * np.eye(n) + np.eye(n, k=1) - np.eye(n, k=-1))


# The two ways and the values, an array at a time.


@pytest.mark.parametrize("seed", range(40))
def test_an_array_at_a_time_gives_what_an_entry_at_a_time_does(seed: int) -> None:
    n = 1 + 7 * seed
    prepared = well_conditioned(n, min(1.0, (0.5, 2.0, 8.0, 0.2 * n)[seed % 4] / n), seed)
    filled = filled_of(prepared.pattern)
    expected, found = by_both(filled), device_two_way.by_both(filled, np)
    assert found.filled is filled
    for one, other in zip(arrays_of(expected), arrays_of(found), strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)
    levels, _ = glu3_relaxed(expected)
    values = device_two_way.assembled(prepared, found, levels, np)
    assert np.array_equal(values.values, assembled(prepared, expected, levels).values)


def test_places_beyond_32_bits_are_told_apart() -> None:
    """Row n + column of an arrow of order 70000."""
    n = 70_000
    rows = np.concatenate([[0], np.repeat(np.arange(1, n), 2)])
    columns = np.zeros(len(rows), np.int64)
    columns[2::2] = np.arange(1, n)
    pattern = Pattern(np.searchsorted(rows, np.arange(n + 1)), columns.astype(np.int32))
    prepared = prepared_of(pattern, np.arange(1.0, 2 * n))
    filled = Filled(pattern, pattern.indptr[1:] - 1)
    both = device_two_way.by_both(filled, np)
    levels, _ = glu3_relaxed(both)
    found = device_two_way.assembled(prepared, both, levels, np)
    assert np.array_equal(found.values, assembled(prepared, by_both(filled), levels).values)


def test_values_outside_of_the_filled_pattern_are_refused() -> None:
    both = device_two_way.by_both(filled_of(from_dense(np.eye(2, dtype=bool))), np)
    levels, _ = glu3_relaxed(both)
    for dense in ([[1, 2], [0, 1]], [[1, 0], [2, 1]]):
        with pytest.raises(InputError, match="drawn: an entry lies outside"):
            device_two_way.assembled(of_dense(dense), both, levels, np)


# lu_gpu, its kernels' work done by the CPU's implementations.


@pytest.fixture
def fake_sparse(monkeypatch: pytest.MonkeyPatch) -> CuSparse:
    fake = stand_in(monkeypatch)

    def out_of_core(pattern: Pattern) -> Any:
        with phase("assemble"):
            filled, work = fill1(pattern)
            return replace(filled, pattern=placed(filled.pattern)), work

    def glu3(start: Any, *, batched: bool, **options: Any) -> Any:
        with recording(PhaseClock()):
            factor, work = left_looking(start, **options)
        return replace(factor, values=solver_fakes.on_device(factor.values)), work

    monkeypatch.setattr(solve_lu_gpu, "out_of_core", out_of_core)
    monkeypatch.setattr(solve_lu_gpu, "kahn_gpu", glu3_relaxed)
    monkeypatch.setattr(solve_lu_gpu, "glu3", glu3)
    return fake


def placed(pattern: Pattern) -> Pattern:
    return Pattern(solver_fakes.on_device(pattern.indptr), solver_fakes.on_device(pattern.indices))


def addressed(prepared: Prepared) -> Prepared:
    """As `placed`, the values too."""
    values = solver_fakes.on_device(prepared.values)
    return replace(prepared, pattern=placed(prepared.pattern), values=values)


def test_lu_gpu_names_the_kernels_of_all_that_it_calls() -> None:
    """A measurement of it is valid as long as these are the same."""
    stages = {"out_of_core": "symbolic", "bitfronts_gpu": "symbolic", "kahn_gpu": "levels", "glu3": "numeric"}
    called = [registry.lookup(stage, name) for name, stage in stages.items()]
    paths = {path.resolve() for entry in called for path in entry.kernel_paths()} | {sweeps.KERNEL}
    assert {path.resolve() for path in registry.lookup("solve", "lu_gpu").kernel_paths()} == paths


@pytest.mark.parametrize("n", [1, 2, 30, 200])
def test_the_stages_of_lu_gpu_fit_together(fake_sparse: CuSparse, n: int) -> None:
    prepared = well_conditioned(n, min(1.0, 3.0 / n), n)
    with recording(PhaseClock()) as clock:
        solution, work = solve_lu_gpu.lu_gpu(addressed(prepared))
    assert verify_solution(solution, prepared, None).value <= 1e-15
    assert list(clock.seconds) == PHASES
    assert work.fills == filled_of(prepared.pattern).pattern.nnz - prepared.pattern.nnz
    assert work.facts is not None and work.facts["small_pivots"] == 0
    assert not fake_sparse.objects.alive


@pytest.mark.usefixtures("fake_sparse")
def test_lu_gpu_takes_fronts_of_bits_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared, asked = well_conditioned(50, 0.06, 3), []
    symbolic = solve_lu_gpu.out_of_core

    def bitfronts_gpu(pattern: Pattern) -> Any:
        asked.append(pattern.n)
        return symbolic(pattern)

    monkeypatch.setattr(solve_lu_gpu, "bitfronts_gpu", bitfronts_gpu)
    for options, calls in (({}, []), ({"symbolic": "bitfronts"}, [50])):
        solution, _ = solve_lu_gpu.lu_gpu(addressed(prepared), **options)
        assert verify_solution(solution, prepared, None).value <= 1e-15 and asked == calls


@pytest.mark.usefixtures("fake_sparse")
def test_lu_gpu_refines_in_double_what_it_solved_in_single_precision() -> None:
    prepared = well_conditioned(200, 0.02, 7)
    left = []
    for steps in (0, 1, 3):
        solution, _ = solve_lu_gpu.lu_gpu(addressed(prepared), dtype="float32", refine=steps)
        assert solution.x.dtype == np.float64
        left.append(verify_solution(solution, prepared, "float32").value)
    assert 1e-9 < left[0] < 1e-5 and left[1] < 1e-3 * left[0] and left[2] < 1e-15


def test_what_cusparse_refuses_is_said_with_its_name(fake_sparse: CuSparse) -> None:
    fake_sparse.cusparseSpSV_analysis = lambda *arguments: 7  # type: ignore[method-assign]
    with pytest.raises(FillpathError, match="cusparseSpSV_analysis: CUSPARSE_STATUS_INTERNAL_ERROR"):
        solve_lu_gpu.lu_gpu(addressed(chain(5)))


def test_long_factors_have_wide_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    class Long(np.ndarray):
        def __len__(self) -> int:
            return 2**31

    pattern = random_pattern(5, 0.3, 1)
    values = np.zeros(pattern.nnz)
    assert cusparse._Csr(pattern, values).indptr.dtype == np.int32
    wide = cusparse._Csr(replace(pattern, indices=pattern.indices.view(Long)), values)
    assert wide.indptr.dtype == wide.indices.dtype == np.int64


@pytest.mark.parametrize("stage", ["solve", "numeric"])
def test_keys_of_peers_are_known_where_they_are_not_installed(stage: str) -> None:
    for entry in registry.registered(stage):
        assert len(entry.source_hash()) == 64


# SuperLU in the stage numeric.


def against(prepared: Prepared) -> Context:
    entry = registry.lookup("numeric", "superlu")
    return context(prepared, make_reference(prepared.pattern), entry, {})


def test_superlu_passes_the_gate_of_the_stage_numeric() -> None:
    for n in (1, 2, 30, 200):
        prepared = well_conditioned(n, min(1.0, 3.0 / n), n)
        held = against(prepared)
        result, _ = superlu(operand(registry.lookup("numeric", "superlu"), held))
        assert isinstance(result, Factorised)
        verdict = verdict_on("numeric", result, held)
        assert verdict.value <= 1e-14 < verdict.bound
        assert result.nnz >= filled_of(prepared.pattern).pattern.nnz
        wrong = Factorised(lambda b, solve=result.solve: solve(b) * (1 + 1e-6), result.nnz)  # type: ignore[misc]
        assert not verdict_on("numeric", wrong, held).value <= verdict.bound


def test_superlu_is_not_given_the_zeros_of_the_filled_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = well_conditioned(60, 0.05, 2)
    start = start_of(prepared)
    seen = []

    def factorise(matrix: Any) -> Any:
        seen.append(matrix)
        return SimpleNamespace(solve=None, nnz=0)

    monkeypatch.setattr("impl.numeric.superlu.factorise", factorise)
    superlu(start)
    (matrix,) = seen
    assert matrix.nnz == prepared.pattern.nnz < start.two_way.columns.nnz
    assert np.array_equal(
        matrix.toarray()[prepared.pattern.rows(), prepared.pattern.indices], prepared.values
    )


def test_superlu_says_where_no_pivot_is_left() -> None:
    with pytest.raises(UnsupportedError, match="singular as prepared"):
        superlu(start_of(of_dense([[1, 1], [1, 1]])))


# On a card.


def solved(prepared: Prepared, **options: Any) -> tuple[Solution, dict[str, float]]:
    solution, work = hosted(registry.lookup("solve", "lu_gpu"))(prepared, **options)
    assert solution.x.dtype == np.float64
    return solution, dict(work.facts)


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(40))
def test_lu_gpu_solves_random_systems(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 301))
    prepared = well_conditioned(n, min(1.0, float(rng.choice([0.5, 2.0, 6.0])) / n), seed)
    for options in ({}, {"refine": 0}, {"batched": False}, {"symbolic": "bitfronts"}):
        solution, facts = solved(prepared, **options)
        assert verify_solution(solution, prepared, None).value <= 1e-13
        assert np.allclose(solution.x, lu_cpu(prepared)[0].x, rtol=1e-9, atol=0)
    assert facts["small_pivots"] == 0


@pytest.mark.gpu
@pytest.mark.parametrize(("shape", "size"), [(chain, 2000), (grid, 40)], ids=["chain", "grid"])
@pytest.mark.parametrize("batched", [True, False])
def test_lu_gpu_solves_extreme_shapes(shape: Callable[[int], Prepared], size: int, batched: bool) -> None:
    prepared = shape(size)
    solution, facts = solved(prepared, batched=batched)
    assert verify_solution(solution, prepared, None).value <= 1e-13
    levels, _ = glu3_relaxed(by_both(filled_of(prepared.pattern)))
    assert facts["levels"] == len(levels.pointers) - 1
    assert (facts["levels_batched"] > 0) == batched


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(5))
def test_the_device_makes_the_two_ways_of_the_host(seed: int) -> None:
    import cupy

    from impl.cuda.transfer import on_host

    prepared = well_conditioned(1 + 100 * seed, min(1.0, 4.0 / (1 + 100 * seed)), seed)
    expected = start_of(prepared)
    filled = moved(expected.two_way.filled)
    both = device_two_way.by_both(filled, cupy)
    for one, other in zip(arrays_of(expected.two_way), arrays_of(on_host(both)), strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)
    start = device_two_way.assembled(moved(prepared), both, moved(expected.levels), cupy)
    assert np.array_equal(on_host(start).values, expected.values)


@pytest.mark.gpu
def test_lu_gpu_refines_single_precision_on_the_card() -> None:
    prepared = well_conditioned(200, 0.02, 7)
    left = [
        verify_solution(solved(prepared, dtype="float32", refine=steps)[0], prepared, "float32").value
        for steps in (0, 1, 3)
    ]
    assert 1e-9 < left[0] < 1e-4 and left[1] < 1e-2 * left[0] and left[2] < 1e-14


@pytest.mark.gpu
def test_lu_gpu_names_the_column_without_a_pivot() -> None:
    prepared = of_dense([[1, 2, 0], [1, 2, 1], [0, 1, 1]])
    with pytest.raises(UnsupportedError, match=r"column 1: the pivot is zero \(static_pivoting"):
        solved(prepared)
    _, facts = solved(prepared, static_pivoting=True)
    assert facts["small_pivots"] == 1


@pytest.mark.gpu
def test_the_triangles_of_one_matrix_are_solved_with_apart() -> None:
    """In both dtypes, again and again with one analysis."""
    prepared = well_conditioned(100, 0.05, 3)
    start = start_of(prepared)
    for dtype, bound in (("float64", 1e-12), ("float32", 1e-3)):
        factor, _ = left_looking(start, dtype=dtype)  # type: ignore[arg-type]
        by_rows = factor.values[start.two_way.to_column]
        triangles = cusparse.Triangles(moved(start.two_way.filled.pattern), moved(by_rows))
        for seed in range(3):
            expected = np.random.default_rng(seed).uniform(1, 2, 100)
            b = as_matrix(prepared) @ expected
            found = triangles.solved(moved(b)).get()
            assert np.abs(found - expected).max() <= bound
