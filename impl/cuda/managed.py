"""Managed (unified) memory within safe limits: requests beyond a card's free memory can hang it for all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array
from fillpath.phase import phase

# Share of the free memory that one request may take.
SHARE = 0.5
# The array that `loan` keeps from call to call, at most one, by its device and length.
_shelf: dict[tuple[int, int], Array] = {}


def words(count: int, *, oversubscribe: bool) -> Array:
    """Return an uninitialised (count,) uint32 array in managed memory.

    oversubscribe : bool, allow more than half of the card's free memory; only on an unshared card

    Memory that CuPy's pool holds unused does not count as free: managed memory is not allocated from the
    pool. Raises MemoryBudgetError, before anything is allocated, for more than half without `oversubscribe`.
    Raises UnsupportedError if the driver moves all managed memory at each launch, not the pages that a kernel
    touches.
    """
    import cupy
    import numpy as np

    if not cupy.cuda.Device().attributes["ConcurrentManagedAccess"]:
        raise UnsupportedError("managed memory is not paged on demand here (concurrentManagedAccess is 0)")
    wanted, free = 4 * count, int(cupy.cuda.runtime.memGetInfo()[0])
    if wanted > SHARE * free and not oversubscribe:
        raise MemoryBudgetError(
            f"{wanted} bytes of managed memory are more than half of the {free} that the card has free; "
            "oversubscribe=true allows it on a card of one's own"
        )
    array: Array = cupy.ndarray(count, np.uint32, memptr=cupy.cuda.malloc_managed(max(1, wanted)))
    return array


@contextlib.contextmanager
def loan(count: int, *, oversubscribe: bool, keep: bool) -> Iterator[Array]:
    """Lend an array of `words` to a `with` block, with phases `allocate` before and `release` after it.

    oversubscribe : as in `words`
    keep : bool, release nothing, and lend the same array to the next block of this length on this device

    The array is released however the block ends, even if it is still referred to, and not usable afterwards.
    """
    import cupy
    import numpy as np

    with phase("allocate"):
        array: Any = (_shelved if keep else words)(count, oversubscribe=oversubscribe)
    # A reference to this view does not keep the memory alive.
    view = cupy.cuda.UnownedMemory(array.data.ptr, array.nbytes, None, array.device.id)
    try:
        yield cupy.ndarray(count, np.uint32, memptr=cupy.cuda.MemoryPointer(view, 0))
    finally:
        # After an exception a kernel may still use the array.
        cupy.cuda.get_current_stream().synchronize()
        with phase("release"):
            del array


def _shelved(count: int, *, oversubscribe: bool) -> Array:
    """Return the kept array if it has this length; else replace it by a new array."""
    import cupy

    place = int(cupy.cuda.Device().id), count
    if place not in _shelf:
        # Free the old array first: there may be no room for both.
        _shelf.clear()
        _shelf[place] = words(count, oversubscribe=oversubscribe)
    return _shelf[place]


def prefetch(array: Any) -> None:
    """Move the array's pages to the current device before the next launch on the current stream."""
    import cupy

    stream = cupy.cuda.get_current_stream()
    cupy.cuda.runtime.memPrefetchAsync(array.data.ptr, array.nbytes, cupy.cuda.Device().id, stream.ptr)
