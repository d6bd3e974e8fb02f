"""Multifrontal LU and its solves on the GPU's kernels, by the CPU that plays it and on a real card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from fillpath.errors import InputError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Pattern, Prepared, Provenance
from fillpath.registry import HEADERS
from impl.cuda import kernels
from impl.cuda.transfer import on_device
from impl.multifrontal import factor_gpu, maps_gpu, solve_gpu
from impl.multifrontal.factor_gpu import Factorisation, Shape, shape_of
from impl.multifrontal.fronts_gpu import fronts_on_device
from impl.multifrontal.maps_gpu import maps_of
from impl.multifrontal.solve_gpu import Solver
from impl.multifrontal.waves import divide, plan
from impl.solve.direct_gpu import direct_gpu
from impl.solve.right_hand_side import known_solutions
from tests.cuda_on_cpu.fixture import machine

PLAYED = {"multiprocessors": 2, "blocks": 2, "limit": 120.0}
CARDS = ["cpu", pytest.param("gpu", marks=pytest.mark.gpu)]


@pytest.fixture(params=CARDS)
def card(request: pytest.FixtureRequest) -> Iterator[str]:
    """The CPU that plays a card, or a card."""
    if request.param == "gpu":
        available, why_not = kernels.available()
        if not available:
            pytest.skip(why_not)
        yield "gpu"
        return
    request.getfixturevalue("cuda_on_cpu")
    with machine(**PLAYED):
        yield "cpu"


@pytest.fixture
def real_card() -> None:
    available, why_not = kernels.available()
    if not available:
        pytest.skip(why_not)


def prepared_of(matrix: Any) -> Prepared:
    """The matrix with a complete diagonal, as it is."""
    n = matrix.shape[0]
    matrix = sp.csr_array(matrix)
    matrix.sort_indices()
    pattern = Pattern(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32))
    pattern.validate()
    order, ones = np.arange(n, dtype=np.int32), np.ones(n)
    provenance = Provenance("test", "test", "", "none", "natural", 0, {})
    return Prepared(pattern, matrix.data.astype(np.float64), order, order, ones, ones, provenance, "")


def random_matrix(n: int, density: float, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    entries = sp.random_array((n, n), density=density, rng=rng, format="csr")
    return sp.csr_array(entries + sp.diags_array(2.0 + abs(entries).sum(axis=1)))


def grid(side: int) -> Any:
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    return sp.csr_array(sp.kron(line, sp.eye_array(side)) + sp.kron(sp.eye_array(side), line))


def arrow(n: int, width: int, seed: int) -> Any:
    """Many leaves below one dense front."""
    corner = np.random.default_rng(seed).standard_normal((width, width)) + 2 * width * np.eye(width)
    leaves = sp.eye_array(n) * 4.0
    side = sp.random_array((n, width), density=0.05, rng=np.random.default_rng(seed))
    return sp.csr_array(sp.block_array([[leaves, side], [side.T, sp.csr_array(corner)]]))


def dense(n: int) -> Any:
    return sp.csr_array(np.random.default_rng(n).standard_normal((n, n)) + 2 * n * np.eye(n))


def with_diagonal(matrix: Array) -> Any:
    """The entries that are not zero, and the whole diagonal."""
    rows, columns = np.nonzero((matrix != 0) | np.eye(len(matrix), dtype=bool))
    return sp.csr_array((matrix[rows, columns], (rows, columns)), shape=matrix.shape)


MATRICES = {
    "one": sp.csr_array(np.array([[3.0]])),
    "diagonal": sp.csr_array(np.diag(np.arange(1.0, 71.0))),
    "chain": sp.csr_array(sp.diags_array([-1.0, 3.0, -1.5], offsets=[-1, 0, 1], shape=(200, 200))),
    "disconnected": sp.csr_array(sp.block_diag([grid(5), grid(4), sp.eye_array(3), grid(6)])),
    "grid": grid(24),
    "random": random_matrix(150, 0.03, 5),
    "arrow": arrow(300, 60, 2),
    "dense": dense(100),
    "large": dense(260),
}
# What one panel after another takes too long for the CPU that plays a card.
LARGE = {"grid": grid(150), "wide": random_matrix(3000, 0.002, 1), "outer": dense(900), "huge": dense(2300)}


def run_of(
    prepared: Prepared, shape: Shape, static: bool = False, budget: int | None = None
) -> Factorisation:
    """A factorisation whose memory is full of NaN, enqueued."""
    fronts = fronts_on_device(prepared)
    run = Factorisation(maps_of(fronts, shape.shared_front, shape.itemsize, budget), shape, static)
    for array in (run.blocks, run.factor):
        array.data.memset(0xFF, array.nbytes)
    run.enqueue(prepared.values)
    return run


def solution_bits(run: Factorisation) -> bytes:
    """Of x, which does not depend on how fronts are numbered."""
    import cupy

    factor, _ = run.result()
    n = run.maps.fronts.prepared.pattern.n
    b, x = cupy.asarray(np.random.default_rng(1).standard_normal((1, n))), cupy.empty((1, n), np.float64)
    Solver(run.maps, factor, run.exchange).solve(b, x)
    return cupy.asnumpy(x).tobytes()


def solved(matrix: Any, columns: int, shape: Shape) -> tuple[Array, Array]:
    """(x, what it should be)."""
    import cupy

    prepared = on_device(prepared_of(matrix))
    run = run_of(prepared, shape)
    factor, _ = run.result()
    expected = np.random.default_rng(1).standard_normal((columns, matrix.shape[0]))
    b = cupy.asarray(np.ascontiguousarray((matrix @ expected.T).T))
    x = cupy.empty(expected.shape, np.float64)
    Solver(run.maps, factor, run.exchange).solve(b, x)
    return cupy.asnumpy(x), expected


def residual(matrix: Any, x: Array) -> float:
    """Of the system that `direct_gpu` solves, in infinity norms."""
    b = matrix @ known_solutions(matrix.shape[0], 1)[0]
    scale = abs(matrix).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
    return float(np.abs(b - matrix @ x).max() / scale)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("tensor_cores", [False, True])
def test_what_is_solved(card: str, name: str, tensor_cores: bool) -> None:
    x, expected = solved(MATRICES[name], 1, shape_of("float64", tensor_cores, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("cuda_on_cpu", [{**PLAYED, "races": True, "seed": 7}], indirect=True)
@pytest.mark.parametrize("name", MATRICES)
def test_no_hazard_in_shared_memory(cuda_on_cpu: Any, name: str) -> None:
    x, expected = solved(MATRICES[name], 1, shape_of("float64", True, name == "random"))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["grid", "arrow", "siblings"])
def test_other_orders_of_threads_give_the_same_bits(cuda_on_cpu: Any, name: str) -> None:
    """Fronts, maps and values, anew each time."""
    matrix = {**MATRICES, "siblings": random_matrix(600, 0.0008, 1)}[name]
    found = set()
    for seed in range(6):
        with machine(**PLAYED, seed=seed):
            run = run_of(on_device(prepared_of(matrix)), shape_of("float64", False, False))
            found.add(solution_bits(run))
    assert len(found) == 1


@pytest.mark.parametrize("columns", [1, 3, 8, 17])
@pytest.mark.parametrize("name", ["grid", "arrow", "dense"])
def test_several_right_hand_sides(card: str, name: str, columns: int) -> None:
    x, expected = solved(MATRICES[name], columns, shape_of("float64", False, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["grid", "random", "dense"])
def test_rows_exchanged_within_blocks(card: str, name: str) -> None:
    x, expected = solved(MATRICES[name], 2, shape_of("float64", False, True))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("n", [30, 60, 130])
def test_exchanges_solve_what_has_a_zero_pivot(card: str, n: int) -> None:
    """The first row and the second one change places."""
    import cupy

    matrix = np.random.default_rng(n).standard_normal((n, n)) + n * np.eye(n)
    matrix[0, 0], matrix[0, 1], matrix[1, 0] = 0.0, 5.0, 3.0
    prepared = on_device(prepared_of(with_diagonal(matrix)))
    with pytest.raises(UnsupportedError, match="column 0: the pivot is zero"):
        direct_gpu(prepared, exchanges=False)
    solution, _ = direct_gpu(prepared)
    assert residual(matrix, cupy.asnumpy(solution.x)) < 1e-14


OPTIONS: list[dict[str, Any]] = [{}, {"columns": 9}, {"exchanges": False}, {"dtype": "float32", "refine": 4}]


@pytest.mark.parametrize("options", [*OPTIONS, {"static_pivoting": True}, {"maps": "kept"}])
def test_the_whole_chain(card: str, options: dict[str, Any]) -> None:
    import cupy

    prepared = on_device(prepared_of(random_matrix(120, 0.05, 3)))
    expected = known_solutions(120, options.get("columns", 1)).squeeze()
    for _ in range(2):
        solution, work = direct_gpu(prepared, **options)
        np.testing.assert_allclose(cupy.asnumpy(solution.x), expected, rtol=1e-11)
        assert work.facts and work.facts["on_fronts"] == 1


def test_kept_maps_are_those_of_the_pattern(card: str) -> None:
    """Other values of the same pattern, and another pattern between them."""
    import cupy

    first = on_device(prepared_of(random_matrix(120, 0.05, 3)))
    other = on_device(prepared_of(random_matrix(90, 0.05, 4)))
    for prepared in (first, other, first):
        solution, _ = direct_gpu(prepared, maps="kept")
        expected = known_solutions(prepared.pattern.n, 1)[0]
        np.testing.assert_allclose(cupy.asnumpy(solution.x), expected, rtol=1e-11)


def test_small_memory_takes_waves_and_gives_the_same_bits(card: str) -> None:
    import cupy

    prepared = on_device(prepared_of(grid(24)))
    whole, work = direct_gpu(prepared)
    least = int(work.peak_memory or 0)
    shares = [direct_gpu(prepared, memory_budget=least - part) for part in (20_000, 60_000)]
    for solution, done in shares:
        assert done.facts and done.facts["waves"] > 1
        assert (cupy.asnumpy(solution.x) == cupy.asnumpy(whole.x)).all()
    with pytest.raises(MemoryBudgetError, match=r"need \d+ bytes, 1000 given"):
        direct_gpu(prepared, memory_budget=1000, columns=2)


@pytest.mark.parametrize("value", [0.0, 1e-12])
def test_small_pivots_are_replaced_and_counted(card: str, value: float) -> None:
    import cupy

    matrix = np.diag(np.full(50, 2.0))
    matrix[20, 20] = value
    solution, work = direct_gpu(on_device(prepared_of(with_diagonal(matrix))), static_pivoting=True, refine=0)
    assert work.facts and work.facts["small_pivots"] == 1
    assert np.isfinite(cupy.asnumpy(solution.x)).all()


@pytest.mark.parametrize("n", [20, 70, 130])
@pytest.mark.parametrize(
    ("value", "message"), [(0.0, "the pivot is zero"), (np.inf, "infinite"), (np.nan, "infinite")]
)
def test_what_cannot_be_factorised_is_refused(card: str, n: int, value: float, message: str) -> None:
    matrix = np.random.default_rng(n).standard_normal((n, n)) + 2 * n * np.eye(n)
    matrix[0] = 0.0
    matrix[0, 0] = value
    with pytest.raises(UnsupportedError, match=f"column 0: .*{message}"):
        direct_gpu(on_device(prepared_of(with_diagonal(matrix))), exchanges=False)


def test_a_singular_matrix_is_refused_with_exchanges_too(card: str) -> None:
    matrix = np.random.default_rng(1).standard_normal((70, 70)) + 140 * np.eye(70)
    matrix[3] = 0.0
    with pytest.raises(UnsupportedError, match=r"column \d+: the pivot is zero"):
        direct_gpu(on_device(prepared_of(with_diagonal(matrix))))


def test_overflow_is_refused(card: str) -> None:
    matrix = np.array([[1e-200, 1e200], [1e200, 1.0]])
    with pytest.raises(UnsupportedError, match="infinite or not a number"):
        direct_gpu(on_device(prepared_of(with_diagonal(matrix))), exchanges=False)


@pytest.mark.parametrize("options", [{"refine": -1}, {"columns": 0}])
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="expected a number of steps"):
        direct_gpu(prepared_of(MATRICES["one"]), **options)


# Of large fronts what takes many panels, with far smaller limits.
TINY = {"LARGE_FRONT": 120, "OUTER": 64, "HUGE_FRONT": 150, "MOST_CHILDREN": 3, "LONG_SEGMENT": 4}


@pytest.fixture
def tiny(cuda_on_cpu: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    header = (HEADERS / "multifrontal.cuh").read_text()
    for name, value in TINY.items():
        header, times = re.subn(rf"\b{name} = \d+", f"{name} = {value}", header)
        assert times == 1, name
    for module in (factor_gpu, maps_gpu, solve_gpu):
        path = tmp_path / module.KERNEL.name
        path.write_text(module.KERNEL.read_text().replace('#include "multifrontal.cuh"', header))
    load = kernels.load

    def load_tiny(path: Path, *rest: Any) -> dict[str, Any]:
        copy = tmp_path / path.name
        return load(copy if copy.exists() else path, *rest)

    monkeypatch.setattr(kernels, "load", load_tiny)


@pytest.mark.parametrize("n", [130, 180, 215])
@pytest.mark.parametrize("tensor_cores", [False, True])
def test_outer_panels(tiny: None, n: int, tensor_cores: bool) -> None:
    with machine(**PLAYED):
        x, expected = solved(dense(n), 1, shape_of("float64", tensor_cores, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["arrow", "grid"])
def test_many_children(tiny: None, name: str) -> None:
    with machine(**PLAYED):
        x, expected = solved(MATRICES[name], 1, shape_of("float64", False, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.gpu
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_twenty_factorisations_on_poisoned_memory(real_card: None, name: str, dtype: str) -> None:
    prepared = on_device(prepared_of(LARGE[name]))
    assert len({solution_bits(run_of(prepared, shape_of(dtype, True, False))) for _ in range(20)}) == 1


@pytest.mark.gpu
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("options", OPTIONS)
def test_large_systems(real_card: None, name: str, options: dict[str, Any]) -> None:
    import cupy

    solution, _ = direct_gpu(on_device(prepared_of(LARGE[name])), **options)
    assert residual(LARGE[name], cupy.asnumpy(solution.x).reshape(-1, LARGE[name].shape[0])[0]) < 1e-12


@pytest.mark.parametrize("count", [2, 8])
def test_blocks_in_use_at_a_time_do_not_overlap(count: int) -> None:
    rng = np.random.default_rng(count)
    m = 60
    up = np.array([rng.integers(k + 1, m) if k < m - 1 else -1 for k in range(m)])
    time = np.zeros(m, np.int64)
    for k in range(m - 1):
        time[up[k]] = max(time[up[k]], time[k] + rng.integers(1, 9))
    sizes = rng.integers(0, 100, m)
    waves = divide(time, up, sizes, count)
    last = np.where(up >= 0, waves.wave[up], waves.wave)
    for a in range(m):
        for b in range(a):
            beside = waves.wave[a] <= last[b] and waves.wave[b] <= last[a] and sizes[a] and sizes[b]
            apart = waves.start[a] >= waves.start[b] + sizes[b] or waves.start[b] >= waves.start[a] + sizes[a]
            assert apart or not beside
    assert (waves.wave[up[:-1]] >= waves.wave[:-1]).all()
    assert plan(time, up, sizes, 0) is None
