"""Several devices played by NumPy: an array knows its device, and nothing may touch another device's.

What gsofa_multi asks of CuPy and of its kernels, so that its own logic is tested without a GPU.
"""

import ctypes
import functools
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fillpath.nouns import Filled, Pattern
from impl.cuda import device, kernels, managed, peers, transfer
from impl.symbolic import gsofa_device
from impl.symbolic.fill1 import fill1

# The current device, how many there are, what was advised, whether they reach each other, bytes free on each,
# and in which order the host launched traversals and waited.
STATE = SimpleNamespace(current=0, count=4, advice=[], reach=1, free=2**26, order=[])
MANAGED = -1


class Array(np.ndarray[Any, Any]):
    """An array on a device; managed memory belongs to all."""

    def __array_finalize__(self, other: Any) -> None:
        self.card = getattr(other, "card", STATE.current)

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        for value in (*inputs, *options.get("out", ())):
            check(value)
        plain = [np.asarray(value) if isinstance(value, Array) else value for value in inputs]
        if "out" in options:
            options["out"] = tuple(np.asarray(value) for value in options["out"])
        return placed(getattr(ufunc, method)(*plain, **options))

    def __getitem__(self, key: Any) -> Any:
        check(key)
        found: Any = super().__getitem__(key)
        return found


def check(value: Any) -> None:
    """Fail on an array of another device than the current one."""
    if isinstance(value, Array) and value.card not in (STATE.current, MANAGED):
        raise AssertionError(f"an array of device {value.card} is used on device {STATE.current}")


def placed(array: Any) -> Any:
    found = np.asarray(array).view(Array)
    found.card = STATE.current
    return found


class Device:
    def __init__(self, id: int | None = None) -> None:
        self.id = STATE.current if id is None else int(id)

    def __enter__(self) -> None:
        self.before, STATE.current = STATE.current, self.id

    def __exit__(self, *_: Any) -> None:
        STATE.current = self.before


class Event:
    def record(self) -> None: ...
    def synchronize(self) -> None:
        STATE.order.append("wait")


def memcpy_peer(there: int, target: int, here: int, source: int, size: int) -> None:
    assert target != source
    ctypes.memmove(there, here, size)


def managed_words(count: int, *, oversubscribe: bool) -> Any:
    array = placed(np.empty(count, np.uint32))
    array.card = MANAGED
    return array


def as_numpy(array: Any) -> Any:
    if isinstance(array, Array):
        STATE.order.append("wait")
    return np.array(array)


@functools.cache
def fill(indptr: bytes, indices: bytes) -> Filled:
    filled: Any = fill1(Pattern(np.frombuffer(indptr, np.int64), np.frombuffer(indices, np.int32)))[0]
    return filled


def traverse(grid: Any, block: Any, arguments: Any) -> None:
    """gsofa_traverse, by fill1."""
    indptr, indices, sources, _, count = arguments[:5]
    lower, upper, edges, frontier, _, columns, start, tail, room = arguments[16:25]
    for array in (indptr, indices, sources, lower, upper, edges, frontier, columns, start, tail):
        check(array)
    filled = fill(np.asarray(indptr).tobytes(), np.asarray(indices).tobytes())
    lower, upper, edges, frontier, columns, start = map(
        np.asarray, (lower, upper, edges, frontier, columns, start)
    )
    bounds, all_columns = filled.pattern.indptr, filled.pattern.indices
    assert count == len(sources)
    STATE.order.append("launch")
    for row in np.asarray(sources):
        found = all_columns[bounds[row] : bounds[row + 1]]
        lower[row] = filled.upper_start[row] - bounds[row]
        upper[row] = len(found) - int(lower[row])
        edges[row], frontier[row] = row + 1, 1.0
        at = int(tail[0])
        tail[0] += len(found)
        fits = len(columns) > 0 and at + len(found) <= int(room)
        if fits:
            columns[at : at + len(found)] = found
        start[row] = at if fits else -1


def gather(grid: Any, block: Any, arguments: Any) -> None:
    columns, start, indptr, indices, n = arguments
    for array in (columns, start, indptr, indices):
        check(array)
    start, indptr, indices, columns = map(np.asarray, (start, indptr, indices, columns))
    for row in range(int(n)):
        length = int(indptr[row + 1] - indptr[row])
        if start[row] >= 0:
            indices[indptr[row] : indptr[row] + length] = columns[start[row] : start[row] + length]


def publish(grid: Any, block: Any, arguments: Any) -> None:
    columns, rows, start, lower, upper, where, counts, flags, count, maxsup, words = arguments
    for array in (columns, rows, start, lower, upper, where, counts, flags):
        check(array)
    for k in range(int(count)):
        place, first = int(where[rows[k]]) & 0xFFFFFFFF, int(rows[k]) // int(maxsup) * int(maxsup)
        counts[place] = upper[k]
        bits = np.zeros(32 * int(words), np.uint8)
        own = np.asarray(columns[start[k] : start[k] + lower[k]])
        bits[own[own >= first] - first] = 1
        packed = np.packbits(bits, bitorder="little").view(np.uint32)
        flags[place * int(words) : (place + 1) * int(words)] = packed


def detect(grid: Any, block: Any, arguments: Any, shared_mem: int = 0) -> None:
    chunks, _, where, counts, flags, starts, n, maxsup, words = arguments
    for array in (chunks, where, counts, flags, starts):
        check(array)

    def word(base: Any, row: int, offset: int) -> int:
        worker, place = int(where[row]) >> 32, int(where[row]) & 0xFFFFFFFF
        width = 1 if base is counts else int(words)
        return int(ctypes.c_uint32.from_address(int(base[worker]) + 4 * (place * width + offset)).value)

    for chunk in np.asarray(chunks):
        first = int(chunk) * int(maxsup)
        leader = first
        starts[first] = True
        for row in range(first + 1, min(first + int(maxsup), int(n))):
            joins = word(counts, row, 0) + 1 == word(counts, row - 1, 0)
            bit = leader - first
            if not (joins and word(flags, row, bit >> 5) >> (bit & 31) & 1):
                starts[row], leader = True, row


KERNELS = {
    "gsofa_traverse": traverse, "rows_gather": gather, "rows_publish": publish, "shared_supernodes": detect,
}  # fmt: skip


def pretend(patch: pytest.MonkeyPatch, count: int = 4) -> None:
    """Have so many devices until the patch is undone."""
    cupy: Any = ModuleType("cupy")
    STATE.current, STATE.count, STATE.advice, STATE.order = 0, count, [], []
    STATE.reach, STATE.free = 1, 2**26

    class CUDARuntimeError(RuntimeError):
        status = 704

    def refuse(peer: int) -> None:
        raise CUDARuntimeError

    cupy.cuda = SimpleNamespace(
        Device=Device, Event=Event, get_elapsed_time=lambda begun, ended: 1.0,
        get_current_stream=lambda: SimpleNamespace(synchronize=lambda: None, ptr=0),
        runtime=SimpleNamespace(
            getDevice=lambda: STATE.current, getDeviceCount=lambda: STATE.count,
            deviceCanAccessPeer=lambda one, other: STATE.reach, deviceEnablePeerAccess=refuse,
            CUDARuntimeError=CUDARuntimeError, memcpyPeer=memcpy_peer, deviceSynchronize=lambda: None,
            memGetInfo=lambda: (STATE.free, 2**30),
            memAdvise=lambda *advice: STATE.advice.append(advice),
        ),
    )  # fmt: skip
    cupy.empty = lambda *given: placed(np.empty(*given))
    cupy.zeros = lambda *given: placed(np.zeros(*given))
    cupy.full = lambda *given: placed(np.full(*given))
    cupy.asarray = lambda array: check(array) or placed(array)
    cupy.asnumpy = as_numpy
    cupy.concatenate = lambda arrays: [check(a) for a in arrays] and placed(np.concatenate(arrays))
    cupy.sort = lambda array: placed(np.sort(np.asarray(array)))
    cupy.cumsum = lambda array, out: check(array) or np.cumsum(np.asarray(array), out=np.asarray(out))
    patch.setitem(sys.modules, "cupy", cupy)
    patch.setattr(kernels, "load", lambda path, names, defines=(): {name: KERNELS[name] for name in names})
    # What these devices can do is not kept for real ones.
    patch.setattr(peers, "_reaches", functools.cache(peers._reaches.__wrapped__))
    patch.setattr(device, "multiprocessors", lambda: 4)
    patch.setattr(device, "occupancy", lambda kernel, threads, shared: 2)
    patch.setattr(device, "free_bytes", lambda: STATE.free)
    patch.setattr(gsofa_device, "host_room", lambda: 2**26)
    patch.setattr(managed, "words", managed_words)
    patch.setattr(
        transfer, "_array_on_host", lambda value: np.array(value) if isinstance(value, Array) else value
    )
