"""Buffers whose final size is not known: the unwritten takes no memory, the outgrown is given back.

A large buffer is mapped by itself (glibc keeps smaller blocks for later) and asks for huge pages, as NumPy's
own arrays do and Numba's do not: its first writes then cost a quarter of what they cost page by page.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

# Entries below which a buffer is an array like any other.
SMALL = np.uint64(2**20)
# Entries of the smallest large buffer: 256 MiB of addresses where an entry has 4 bytes.
LARGE = np.uint64(2**26)
PAGE = np.uint64(mmap.PAGESIZE)
MADV_DONTNEED = np.int32(4)
MADV_HUGEPAGE = np.int32(14)

ONE = np.uint64(1)


@intrinsic
def _madvise(typing_context: Any, address: Any, length: Any, advice: Any) -> Any:
    """The C library's madvise, found by name, so that compiled code may be cached."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        prototype = ir.FunctionType(ir.IntType(32), [word, word, ir.IntType(32)])
        function = cgutils.get_or_insert_function(builder.module, prototype, "madvise")
        return builder.call(function, arguments)

    return types.int32(types.uint64, types.uint64, types.int32), generate


@njit
def _advise(array, advice):
    """Advise the system on the whole pages of an array. What it does not know it refuses; nothing is lost."""
    start = np.uint64(array.ctypes.data)
    first = (start + PAGE - ONE) & ~(PAGE - ONE)
    last = (start + np.uint64(array.nbytes)) & ~(PAGE - ONE)
    if first < last:
        _madvise(first, last - first, advice)


@njit
def buffer(entries, dtype):
    """An unwritten array of at least so many entries."""
    if entries < SMALL:
        return np.empty(entries, dtype)
    array = np.empty(max(entries, LARGE), dtype)
    _advise(array, MADV_HUGEPAGE)
    return array


@njit
def forget(array):
    """Give the array's memory back at once, whatever the allocator keeps; its values are lost."""
    _advise(array, MADV_DONTNEED)


@njit
def reserve(array, used, wanted):
    """The array, at least doubled where it holds fewer than `wanted` entries; used ones are kept."""
    if wanted <= np.uint64(len(array)):
        return array
    grown = buffer(max(wanted, np.uint64(len(array)) << ONE), array.dtype)
    grown[:used] = array[:used]
    return grown
