"""Move large nouns between host and device through pinned pieces, which several threads fill and empty.

A copy from or to pageable memory goes through one thread of the driver, which the link waits for. Here each
thread has two pinned pieces: while the link moves a piece, the thread copies the other. All threads touch
the pages of new arrays on the host.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from fillpath.nouns import Array
from impl.cuda import transfer

# Smaller nouns are sooner there by CuPy's own copies.
LEAST_BYTES = 8 * 2**20
# As measured on an H100 with 16 cores: more threads, or larger or smaller pieces, are no faster.
MOST_THREADS, LARGEST_PIECE, SMALLEST_PIECE = 8, 4 * 2**20, 2**20
# Bytes of an array: a view on the host, and their address on the device.
_Piece = tuple[Array, int]


class _Lane:
    """A thread's stream, its two pinned pieces, and an event for each that tells when the link is done."""

    def __init__(self, cupy: Any) -> None:
        self._runtime, self._device = cupy.cuda.runtime, cupy.cuda.Device()
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._memory = [cupy.cuda.alloc_pinned_memory(LARGEST_PIECE) for _ in range(2)]
        self._rooms = [np.frombuffer(memory, np.uint8, LARGEST_PIECE) for memory in self._memory]
        self._done = [cupy.cuda.Event(disable_timing=True) for _ in range(2)]

    def fill(self, pieces: list[_Piece]) -> None:
        """Copy pieces to the device, and wait for them."""
        with self._device:
            for turn, (host, device) in enumerate(pieces):
                half = turn % 2
                if turn > 1:
                    self._done[half].synchronize()
                np.copyto(self._rooms[half][: host.size], host)
                kind = self._runtime.memcpyHostToDevice
                self._send(half, device, self._memory[half].ptr, host.size, kind)
            self._stream.synchronize()

    def empty(self, pieces: list[_Piece]) -> None:
        """Copy pieces to the host: the link brings each while the one before is copied."""
        with self._device:
            for turn, (host, device) in enumerate(pieces):
                half = turn % 2
                kind = self._runtime.memcpyDeviceToHost
                self._send(half, self._memory[half].ptr, device, host.size, kind)
                if turn:
                    self._take(1 - half, pieces[turn - 1][0])
            if pieces:
                self._take((len(pieces) - 1) % 2, pieces[-1][0])

    def _send(self, half: int, there: int, here: int, size: int, kind: int) -> None:
        self._runtime.memcpyAsync(there, here, size, kind, self._stream.ptr)
        self._done[half].record(self._stream)

    def _take(self, half: int, host: Array) -> None:
        self._done[half].synchronize()
        np.copyto(host, self._rooms[half][: host.size])


class Staging:
    """Pinned pieces and threads for the current device; one noun at a time."""

    def __init__(self) -> None:
        import cupy

        self._cupy = cupy
        threads = min(MOST_THREADS, len(os.sched_getaffinity(0)))
        self._pool = ThreadPoolExecutor(threads)
        self._lanes = [_Lane(cupy) for _ in range(threads)]
        # Threads begin, and streams get their channels, before a transfer is timed.
        self.to_host(self.to_device(np.empty(threads * SMALLEST_PIECE, np.uint8)))

    def to_device(self, noun: Any) -> Any:
        """Return the noun with its NumPy arrays converted to CuPy's."""
        pairs: list[tuple[Array, Any]] = []
        moved = transfer.mapped(noun, lambda value: self._placed(value, pairs))
        self._move(_Lane.fill, pairs)
        return moved

    def to_host(self, noun: Any) -> Any:
        """Return the noun with its CuPy arrays converted to NumPy's."""
        pairs: list[tuple[Array, Any]] = []
        moved = transfer.mapped(noun, lambda value: self._room_for(value, pairs))
        self._move(_Lane.empty, pairs)
        return moved

    def _move(self, move: Callable[[_Lane, list[_Piece]], None], pairs: list[tuple[Array, Any]]) -> None:
        # Kernels that compute the arrays end before other streams read them.
        self._cupy.cuda.runtime.deviceSynchronize()
        lanes = self._lanes
        share = sum(host.nbytes for host, _ in pairs) // len(lanes)
        size = min(max(SMALLEST_PIECE, share), LARGEST_PIECE)
        pieces = [piece for host, device in pairs for piece in _pieces(host, device, size)]
        shares = (pieces[number :: len(lanes)] for number in range(len(lanes)))
        futures = [self._pool.submit(move, lane, share) for lane, share in zip(lanes, shares, strict=True)]
        # Pieces are addresses: nothing is under way any more when their arrays may be freed.
        wait(futures)
        self._cupy.cuda.runtime.deviceSynchronize()
        for future in futures:
            future.result()

    def _placed(self, value: Any, pairs: list[tuple[Array, Any]]) -> Any:
        """Return a device array for a NumPy array, whose bytes are still to come."""
        if not isinstance(value, np.ndarray):
            return value
        host = np.ascontiguousarray(value).reshape(value.shape)
        device = self._cupy.empty(value.shape, value.dtype)
        pairs.append((host, device))
        return device

    def _room_for(self, value: Any, pairs: list[tuple[Array, Any]]) -> Any:
        """Return a NumPy array for a device array, whose bytes are still to come."""
        if not hasattr(value, "__cuda_array_interface__"):
            return value
        device = self._cupy.ascontiguousarray(self._cupy.asarray(value))
        host = np.empty(value.shape, value.dtype)
        pairs.append((host, device))
        return host


def _pieces(host: Array, device: Any, size: int) -> Iterator[_Piece]:
    flat = host.reshape(-1).view(np.uint8)
    for start in range(0, flat.size, size):
        yield flat[start : start + size], device.data.ptr + start
