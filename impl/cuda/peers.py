"""Several devices of one process: how many there are, and copies between them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

from fillpath.errors import InputError, UnavailableError
from fillpath.nouns import Array, Pattern

# cudaErrorPeerAccessAlreadyEnabled.
_ENABLED = 704


def device_count() -> int:
    """Return how many devices CUDA sees."""
    import cupy

    return int(cupy.cuda.runtime.getDeviceCount())


def devices(count: int) -> list[int]:
    """Return `count` devices from the current one on, with access to each other's memory if possible.

    Raises InputError for fewer than one, UnavailableError for more than there are.
    """
    import cupy

    if count < 1:
        raise InputError(f"gpus={count}: expected 1 or more")
    first, there = int(cupy.cuda.runtime.getDevice()), device_count()
    if first + count > there:
        raise UnavailableError(f"gpus={count} from device {first} on, and this machine has {there}")
    found = list(range(first, first + count))
    all_reach(found)
    return found


def all_reach(found: Sequence[int]) -> bool:
    """Return whether each of these devices can access the memory of all others.

    If not, copies go through the host, and pages of managed memory move, which is correct but slower.
    """
    # Every pair is tried, even after a pair that fails.
    reached = [_reaches(one, other) for one, other in itertools.permutations(found, 2)]
    return all(reached)


def copied(array: Array, source: int, target: int) -> Array:
    """Return the array, which lies on `source`, on `target`: a copy if they differ.

    Work launched later on either device sees the complete copy, which waits for earlier work on either.
    """
    import cupy

    if source == target:
        return array
    with cupy.cuda.Device(target):
        there: Any = cupy.empty(array.shape, array.dtype)
    whole: Any = array
    if array.nbytes:
        cupy.cuda.runtime.memcpyPeer(there.data.ptr, target, whole.data.ptr, source, array.nbytes)
    return there  # type: ignore[no-any-return]


def replica(pattern: Pattern, source: int, target: int) -> Pattern:
    """Return the pattern on another device."""
    return Pattern(*(copied(array, source, target) for array in (pattern.indptr, pattern.indices)))


def synchronise(found: list[int]) -> None:
    """Wait for all that was launched on these devices."""
    import cupy

    for device in found:
        with cupy.cuda.Device(device):
            cupy.cuda.runtime.deviceSynchronize()


@functools.cache
def _reaches(one: int, other: int) -> bool:
    """Give `one` access to the memory of `other`. Returns whether it has it."""
    import cupy

    runtime = cupy.cuda.runtime
    if not runtime.deviceCanAccessPeer(one, other):
        return False
    with cupy.cuda.Device(one):
        try:
            runtime.deviceEnablePeerAccess(other)
        except runtime.CUDARuntimeError as error:
            if error.status != _ENABLED:
                raise
    return True
