"""A growing list of uint32 in chunks: growing copies nothing, and reading, possible once, frees it.

Entries appended in one call are in one chunk. The reader repeats the writer's lengths in the same order.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numba.typed import List

from impl.cpu.memory import forget

# Entries of a chunk, unless a single call appends more.
CHUNK = np.uint64(2**16)


@njit
def new_chunks():
    """Return an empty list; `used` of its last chunk starts from 0."""
    chunks = List()
    chunks.append(np.empty(0, np.uint32))
    return chunks


@njit
def room(chunks, used, length):
    """Ensure that the last chunk has room for `length` entries; return how many it holds."""
    if used + length <= np.uint64(len(chunks[-1])):
        return used
    chunks.append(np.empty(max(CHUNK, length), np.uint32))
    return np.uint64(0)


@njit
def append(chunks, used, entries, length):
    """Append entries[:length]; return how many entries the last chunk holds then."""
    used = room(chunks, used, length)
    chunks[-1][used : used + length] = entries[:length]
    return used + length


@njit
def advance(chunks, number, used, length):
    """Return (chunk, position) of the next `length` entries; free the current chunk if it lacks them."""
    if used + length <= np.uint64(len(chunks[number])):
        return number, used
    release(chunks, number)
    return number + 1, np.uint64(0)


@njit
def release(chunks, number):
    """Free a chunk's memory."""
    forget(chunks[number])
    chunks[number] = np.empty(0, np.uint32)
