"""Residuals and backward errors on the GPU's kernel, by the CPU that plays a card and on a real card."""

from collections.abc import Iterator

import numpy as np
import pytest
import scipy.sparse as sp

from fillpath.nouns import Array, Pattern, Prepared, Provenance
from impl.cuda.transfer import on_device
from impl.multifrontal.residual_gpu import backward_error, residual
from tests.cuda_on_cpu.fixture import CARDS, played_or_real
from tests.test_multifrontal_gpu import PLAYED


@pytest.fixture(params=CARDS)
def card(request: pytest.FixtureRequest) -> Iterator[str]:
    """The CPU that plays a card, or a card."""
    with played_or_real(request, **PLAYED) as name:
        yield name


def system_of(matrix: sp.csr_array) -> Prepared:
    """The matrix as it is, rows without entries too."""
    n = matrix.shape[0]
    order, ones = np.arange(n, dtype=np.int32), np.ones(n)
    about = Provenance("by hand", "by hand", "", "none", "natural", 0, {})
    pattern = Pattern(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32))
    prepared: Prepared = on_device(Prepared(pattern, matrix.data, order, order, ones, ones, about, ""))
    return prepared


def matrix_of(n: int, seed: int) -> sp.csr_array:
    """Rows of 0 to n entries: some empty, some that a lane takes alone, some that a warp shares."""
    rng = np.random.default_rng(seed)
    shares = rng.choice([0.0, 0.05, 0.3, 1.0], (n, 1))
    values = rng.standard_normal((n, n)) * (rng.random((n, n)) < shares)
    return sp.csr_array(values)


def errors(matrix: sp.csr_array, x: Array, b: Array) -> Array:
    scale = np.abs(b) + np.abs(x) @ np.abs(matrix.toarray()).T
    left = np.abs(b - x @ matrix.toarray().T)
    return np.divide(left, scale, out=np.zeros_like(left), where=left > 0)


@pytest.mark.parametrize("columns", [1, 2, 8, 9, 17])
@pytest.mark.parametrize("n", [1, 31, 70, 101])
def test_as_scipy(card: str, n: int, columns: int) -> None:
    import cupy

    matrix, rng = matrix_of(n, n), np.random.default_rng(columns)
    x, b = rng.standard_normal((2, columns, n))
    b[:, np.diff(matrix.indptr) == 0] = 0
    prepared, there, right = system_of(matrix), cupy.asarray(x), cupy.asarray(b)
    product = (matrix @ x.T).T
    np.testing.assert_allclose(cupy.asnumpy(residual(prepared, there, None)), product, atol=1e-12)
    found = cupy.asnumpy(residual(prepared, there, right))
    np.testing.assert_allclose(found, b - product, atol=1e-12)
    assert backward_error(prepared, there, right) == pytest.approx(errors(matrix, x, b).max(), rel=1e-9)
    for _ in range(3):
        assert cupy.asnumpy(residual(prepared, there, right)).tobytes() == found.tobytes()


@pytest.mark.parametrize("columns", [1, 9])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 40, 69])
def test_an_error_that_is_no_number_is_the_largest(card: str, place: int, value: float, columns: int) -> None:
    import cupy

    matrix = sp.csr_array(matrix_of(70, 3) + sp.eye_array(70))
    prepared = system_of(matrix)
    x = np.ones((columns, 70))
    b = np.ascontiguousarray((matrix @ x.T).T)
    assert backward_error(prepared, cupy.asarray(x), cupy.asarray(b)) < 1e-14
    x[-1, place] = value
    assert not np.isfinite(backward_error(prepared, cupy.asarray(x), cupy.asarray(b)))


def test_the_worst_row_of_any_right_hand_side(card: str) -> None:
    """One value of b is off in turn, in a row of one lane and of a warp."""
    import cupy

    matrix = sp.csr_array(matrix_of(70, 3) + sp.eye_array(70))
    lengths = np.diff(matrix.indptr)
    for row in (int(lengths.argmin()), int(lengths.argmax())):
        for column in range(9):
            x = np.ones((9, 70))
            b = np.ascontiguousarray((matrix @ x.T).T)
            b[column, row] *= 1 + 1e-6
            found = backward_error(system_of(matrix), cupy.asarray(x), cupy.asarray(b))
            assert found == pytest.approx(errors(matrix, x, b).max(), rel=1e-6) and found > 1e-9
