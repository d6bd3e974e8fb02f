"""Managed (unified) memory, within what is safe: asking for more than the card has free can hang it for
all."""

from __future__ import annotations

from typing import Any

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array

# Share of the free memory that a request may have.
SHARE = 0.5


def words(count: int, *, oversubscribe: bool) -> Array:
    """An unwritten (count,) uint32 array in managed memory.

    Raises MemoryBudgetError, before anything is allocated, for more than half of what is free on the card,
    unless `oversubscribe`: for one's own card alone, where nobody else's work can be hurt. What CuPy's pool
    holds unused is not free: managed memory is not allocated from there. Raises UnsupportedError where the
    driver moves all managed memory at each launch instead of the pages that a kernel touches.
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
    """Have the array's pages on the current device before what is launched next on the current stream."""
    import cupy

    stream = cupy.cuda.get_current_stream()
    cupy.cuda.runtime.memPrefetchAsync(array.data.ptr, array.nbytes, cupy.cuda.Device().id, stream.ptr)
