"""Residuals of systems with several right-hand sides, on the device."""

from __future__ import annotations

from pathlib import Path

from fillpath.nouns import Array, Prepared
from impl.cuda import device, kernels
from impl.multifrontal import arena
from impl.multifrontal.arena import address

KERNEL = Path(__file__).with_name("residual.cu")
THREADS = 256
# Right-hand sides that a warp takes at a time, where there are several; rows that it takes, by these.
SEVERAL = 8
ROWS = {1: 8, SEVERAL: 4}


def residual(prepared: Prepared, x: Array, b: Array | None) -> Array:
    """Return b - A x, or A x without b: an array as x.

    x, b : (columns, n) float64, contiguous, on the device
    """
    import cupy

    out: Array = cupy.empty_like(x)
    _launch(prepared, x, b, {"out": address(out)})
    return out


def backward_error(prepared: Prepared, x: Array, b: Array) -> float:
    """Return the largest componentwise backward error of x: of |b - A x| / (|b| + |A| |x|); waits for x.

    x, b : (columns, n) float64, contiguous, on the device

    NaN if any row's error is NaN (Oettli and Prager, Numer. Math. 6 (1964)).
    """
    import cupy

    worst = cupy.zeros(1)
    _launch(prepared, x, b, {"worst": address(worst)})
    return float(worst[0])


def _launch(prepared: Prepared, x: Array, b: Array | None, to: dict[str, int]) -> None:
    pattern, (columns, n) = prepared.pattern, x.shape
    width = 1 if columns == 1 else SEVERAL
    kernel = kernels.load(KERNEL, ("mf_residual",), (f"RHS={width}",))["mf_residual"]
    fields = {
        "n": n,
        "columns": columns,
        "indptr": address(pattern.indptr),
        "indices": address(pattern.indices),
        "values": address(prepared.values),
        "b": 0 if b is None else address(b),
        "x": address(x),
    }
    tasks = -(-columns // width) * -(-n // ROWS[width])
    blocks = min(-(-32 * tasks // THREADS), 16 * device.multiprocessors())
    kernel((blocks,), (THREADS,), (arena.struct(KERNEL, "System", fields | to),))
