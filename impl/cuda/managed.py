"""Managed (unified) memory within safe limits: requesting more than what is free on the card can hang it for
all its users."""

from __future__ import annotations

from typing import Any

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array

# Share of the free memory that one request may take.
SHARE = 0.5


def words(count: int, *, oversubscribe: bool) -> Array:
    """An uninitialised (count,) uint32 array in managed memory.

    oversubscribe : allow more than half of what is free on the card; only for a card that nobody else uses

    Memory that CuPy's pool holds unused does not count as free: managed memory is not allocated from the
    pool. Raises MemoryBudgetError, before anything is allocated, for more than half without `oversubscribe`;
    UnsupportedError if the driver moves all managed memory at each launch instead of the pages that a kernel
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


def prefetch(array: Any) -> None:
    """Move the array's pages to the current device before whatever is launched next on the current stream."""
    import cupy

    stream = cupy.cuda.get_current_stream()
    cupy.cuda.runtime.memPrefetchAsync(array.data.ptr, array.nbytes, cupy.cuda.Device().id, stream.ptr)
