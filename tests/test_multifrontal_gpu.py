"""Multifrontal LU and its solves on the GPU's kernels, by the CPU that plays it and on a real card."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from fillpath.errors import MemoryBudgetError
from fillpath.nouns import Array, Pattern, Prepared, Provenance
from impl.cuda.transfer import on_device
from impl.multifrontal.factor_gpu import Factorisation, Shape, shape_of
from impl.multifrontal.fronts_gpu import fronts_on_device
from impl.multifrontal.maps_gpu import maps_of
from impl.multifrontal.solve_gpu import Solver
from impl.solve.direct_gpu import direct_gpu
from impl.solve.right_hand_side import known_solutions

pytestmark = pytest.mark.usefixtures("cuda_on_cpu")
EMULATED = {"multiprocessors": 2, "blocks": 2, "limit": 120.0}


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


def solved(matrix: Any, columns: int, shape: Shape, budget: int | None = None) -> tuple[Array, Array]:
    """(x, what it should be)."""
    import cupy

    prepared = on_device(prepared_of(matrix))
    fronts = fronts_on_device(prepared)
    maps = maps_of(fronts, shape.shared_front, shape.itemsize, budget)
    run = Factorisation(maps, shape, False)
    run.blocks.data.memset(0xFF, run.blocks.nbytes)
    run.factor.data.memset(0xFF, run.factor.nbytes)
    run.enqueue(prepared.values)
    factor, _ = run.result()
    expected = np.random.default_rng(1).standard_normal((columns, matrix.shape[0]))
    b, x = cupy.asarray(np.ascontiguousarray((matrix @ expected.T).T)), cupy.empty(expected.shape, np.float64)
    Solver(maps, factor, run.exchange).solve(b, x)
    return cupy.asnumpy(x), expected


@pytest.mark.parametrize("cuda_on_cpu", [EMULATED], indirect=True)
@pytest.mark.parametrize("columns", [1, 3])
def test_a_small_system(columns: int) -> None:
    x, expected = solved(random_matrix(40, 0.1, 3), columns, shape_of("float64", False, False))
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("cuda_on_cpu", [EMULATED], indirect=True)
@pytest.mark.parametrize("options", [{}, {"columns": 9}, {"exchanges": True}, {"dtype": "float32", "refine": 3}])
def test_the_whole_chain(options: dict[str, Any]) -> None:
    import cupy

    prepared = on_device(prepared_of(random_matrix(120, 0.05, 3)))
    solution, work = direct_gpu(prepared, **options)
    expected = known_solutions(120, options.get("columns", 1)).squeeze()
    np.testing.assert_allclose(cupy.asnumpy(solution.x), expected, rtol=1e-11)
    assert work.facts and work.facts["on_fronts"] == 1


@pytest.mark.parametrize("cuda_on_cpu", [EMULATED], indirect=True)
def test_small_memory_takes_waves_and_gives_the_same_bits() -> None:
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


def arrow(n: int, width: int, seed: int) -> Any:
    """Many leaves below one dense front."""
    dense = np.random.default_rng(seed).standard_normal((width, width)) + 2 * width * np.eye(width)
    leaves = sp.eye_array(n) * 4.0
    side = sp.random_array((n, width), density=0.05, rng=np.random.default_rng(seed))
    return sp.csr_array(sp.block_array([[leaves, side], [side.T, sp.csr_array(dense)]]))


def dense(n: int) -> Any:
    return sp.csr_array(np.random.default_rng(n).standard_normal((n, n)) + 2 * n * np.eye(n))


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


@pytest.mark.parametrize("cuda_on_cpu", [EMULATED, {**EMULATED, "races": True, "seed": 7}], indirect=True)
@pytest.mark.parametrize("name", MATRICES)
def test_what_is_solved(name: str) -> None:
    x, expected = solved(MATRICES[name], 1, shape_of("float64", False, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("cuda_on_cpu", [EMULATED], indirect=True)
@pytest.mark.parametrize("name", ["grid", "random", "dense"])
def test_rows_exchanged_within_blocks(name: str) -> None:
    x, expected = solved(MATRICES[name], 1, shape_of("float64", False, True))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)
