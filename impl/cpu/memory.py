"""Buffers of unknown final size: unwritten pages take no memory, and outgrown buffers are freed.

A large buffer has its own mapping (glibc keeps smaller blocks for later). It asks for huge pages, as NumPy's
arrays do and Numba's do not: its first writes then take a quarter of the time.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

# Entries below which a buffer is an ordinary array.
SMALL = np.uint64(2**20)
# Entries of the smallest large buffer: 256 MiB of addresses for entries of 4 bytes.
LARGE = np.uint64(2**26)
PAGE = np.uint64(mmap.PAGESIZE)
MADV_DONTNEED = np.int32(4)
MADV_HUGEPAGE = np.int32(14)

ONE = np.uint64(1)


@intrinsic
def _madvise(typing_context: Any, address: Any, length: Any, advice: Any) -> Any:
    """Call the C library's madvise, looked up by name, so that compiled code may be cached."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        prototype = ir.FunctionType(ir.IntType(32), [word, word, ir.IntType(32)])
        function = cgutils.get_or_insert_function(builder.module, prototype, "madvise")
        return builder.call(function, arguments)

    return types.int32(types.uint64, types.uint64, types.int32), generate


@njit
def _advise(array, advice):
    """Advise the system on the whole pages of an array. Unknown advice is refused without harm."""
    start = np.uint64(array.ctypes.data)
    first = (start + PAGE - ONE) & ~(PAGE - ONE)
    last = (start + np.uint64(array.nbytes)) & ~(PAGE - ONE)
    if first < last:
        _madvise(first, last - first, advice)


@njit
def buffer(entries, dtype):
    """Return an uninitialised array of at least `entries` entries."""
    if entries < SMALL:
        return np.empty(entries, dtype)
    array = np.empty(max(entries, LARGE), dtype)
    _advise(array, MADV_HUGEPAGE)
    return array


@njit
def forget(array):
    """Return the array's memory to the system at once, whatever the allocator keeps; its values are lost."""
    _advise(array, MADV_DONTNEED)


@njit
def reserve(array, used, wanted):
    """Return the array, or a copy of `used` entries in twice the size or more if it lacks `wanted`."""
    if wanted <= np.uint64(len(array)):
        return array
    grown = buffer(max(wanted, np.uint64(len(array)) << ONE), array.dtype)
    grown[:used] = array[:used]
    return grown
