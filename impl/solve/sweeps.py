"""Triangular solves with L and U by rows, on the GPU: a row waits for the rows it needs, and for no level.

W. Liu, A. Li, J. Hogg, I. S. Duff, B. Vinter, A synchronization-free algorithm for parallel sparse triangular
solves, Euro-Par 2016.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fillpath.nouns import Array, Filled
from impl.cuda import device, kernels

KERNEL = Path(__file__).with_name("sweeps.cu")
THREADS, WARP = 256, 32


class Sweeps:
    """L and U, ready to be solved with."""

    def __init__(self, filled: Filled, values: Array) -> None:
        """Analyse L and U. values : (nnz of F,) float32 or float64, L + U - I by rows, on the device."""
        real = {"float32": "float", "float64": "double"}[str(values.dtype)]
        self._filled, self._values = filled, values
        self._kernel = kernels.load(KERNEL, ("sw_solve",), (f"REAL={real}",))["sw_solve"]

    def solved(self, b: Array) -> Array:
        """Return x with L U x = b, both (n,) float64, computed in the values' dtype."""
        import cupy

        pattern, n = self._filled.pattern, len(b)
        missing = cupy.empty(2 * n, self._values.dtype)
        missing.data.memset_async(0xFF, missing.nbytes)
        ticket = cupy.zeros(1, np.uint64)
        x: Array = cupy.empty(n, np.float64)
        most = device.multiprocessors() * device.occupancy(self._kernel, THREADS, 0)
        blocks = min(most, -(-2 * n * WARP // THREADS))
        matrix = (pattern.indptr, pattern.indices, self._filled.upper_start, self._values, np.int64(n))
        self._kernel((blocks,), (THREADS,), (*matrix, b, missing[:n], missing[n:], ticket, x))
        return x
