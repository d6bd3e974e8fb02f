"""Triangular solves by rows that wait for rows, against those on the CPU."""

from typing import Any

import numpy as np
import pytest

from fillpath.nouns import Array
from impl.cuda.transfer import on_device
from impl.numeric.left_looking import left_looking
from impl.solve.sweeps import Sweeps
from impl.solve.triangular import solved
from tests.test_numeric import start_of, well_conditioned

MACHINE = {"multiprocessors": 2, "blocks": 2}


def both_ways(n: int, density: float, dtype: Any, b: Array) -> tuple[Array, Array]:
    """(x by rows on the device, x by columns on the CPU)."""
    import cupy

    factor, _ = left_looking(start_of(well_conditioned(n, density, n)), dtype=dtype)
    both = factor.two_way
    sweeps = Sweeps(on_device(both.filled), cupy.asarray(factor.values[both.to_column]))
    return cupy.asnumpy(sweeps.solved(cupy.asarray(b))), solved(factor, b)


@pytest.mark.parametrize("cuda_on_cpu", [MACHINE, {**MACHINE, "seed": 5, "races": True}], indirect=True)
@pytest.mark.parametrize(("dtype", "bound"), [("float64", 1e-12), ("float32", 1e-4)])
@pytest.mark.parametrize(("n", "density"), [(1, 1.0), (30, 0.0), (90, 0.05), (70, 0.9)])
def test_as_on_the_cpu(cuda_on_cpu: Any, n: int, density: float, dtype: Any, bound: float) -> None:
    x, expected = both_ways(n, density, dtype, np.random.default_rng(n).standard_normal(n))
    np.testing.assert_allclose(x, expected, rtol=bound, atol=bound)


@pytest.mark.parametrize("cuda_on_cpu", [MACHINE], indirect=True)
def test_no_number_is_waited_for(cuda_on_cpu: Any) -> None:
    """A value that is not a number may have the bits of one that is missing."""
    b = np.full(20, ~np.uint64(0), np.uint64).view(np.float64)
    x, _ = both_ways(20, 0.2, "float64", b)
    assert np.isnan(x).all()
