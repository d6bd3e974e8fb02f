"""Multifrontal LU and its solves on the GPU's kernels, by the CPU that plays it and on a real card."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from fillpath.nouns import Array, Pattern, Prepared, Provenance
from impl.cuda.transfer import on_device
from impl.multifrontal.factor_gpu import Factorisation, Shape, shape_of
from impl.multifrontal.fronts_gpu import fronts_on_device
from impl.multifrontal.maps_gpu import maps_of
from impl.multifrontal.solve_gpu import Solver

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
    b, x = cupy.asarray(expected @ matrix.T), cupy.empty(expected.shape, np.float64)
    Solver(maps, factor, run.exchange).solve(b, x)
    return cupy.asnumpy(x), expected


@pytest.mark.parametrize("cuda_on_cpu", [EMULATED], indirect=True)
@pytest.mark.parametrize("columns", [1, 3])
def test_a_small_system(columns: int) -> None:
    x, expected = solved(random_matrix(40, 0.1, 3), columns, shape_of("float64", False, False))
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9)
