"""The digest of a filled pattern, made on the device that holds it."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.checks.rows import Digest, has_shape
from fillpath.nouns import Counts, Filled
from impl.cuda import kernels

KERNEL = Path(__file__).with_name("row_digest.cu")
# Equal to the kernel's.
THREADS = 128


def can_digest(result: Any, n: int) -> bool:
    """Return whether it is a filled pattern on the device with the dtypes and shapes of n rows."""
    return has_shape(result, n, _is_device_array)


def digest(filled: Filled) -> Digest:
    """Return the digest of a filled pattern that `can_digest`, equal to that of `rows.digest`.

    Its arrays are on the current device, 24 bytes a row. They are complete when the device is done.
    """
    import cupy

    indptr, indices = filled.pattern.indptr, filled.pattern.indices
    n = len(indptr) - 1
    lower, upper, hashes = (cupy.empty(n, dtype) for dtype in (np.int64, np.int64, np.uint64))
    kernel: Any = kernels.load(KERNEL, ("row_digest",))["row_digest"]
    read = indptr, indices, filled.upper_start, np.int64(n), np.int64(len(indices))
    kernel((-(-n // THREADS),), (THREADS,), (*read, lower, upper, hashes))
    return Digest(Counts(lower, upper), hashes)


def _is_device_array(array: Any, dtype: Any, length: int | None = None) -> bool:
    interface = getattr(array, "__cuda_array_interface__", {"shape": ()})
    shape = interface["shape"]
    return (
        len(shape) == 1
        and length in (None, shape[0])
        and interface["typestr"] == np.dtype(dtype).str
        and interface.get("strides") is None
    )
