"""The output of a traversal on the GPU, and how it becomes compressed sparse rows.

Rows are appended to one buffer in the order in which they are finished. Their total length is not known in
advance, so the buffer is generous. A row that no longer fits is still counted. Such rows are traversed again
with exactly the room that they need.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fillpath.nouns import Array, Counts, Filled, Pattern
from fillpath.phase import phase
from impl.cuda import device, kernels

ROWS = Path(__file__).with_name("rows.cu")
# Initial room for rows: entries per entry of A, and a lower bound.
ROOM_AN_ENTRY = 256
LEAST_ROOM = 2**20
# Largest share of the free memory for that room.
SHARE = 0.25
THREADS = 256


class Output(NamedTuple):
    """The arrays that a traversal writes, on the device.

    lower, upper : (n,) int64, row counts of L and U; the diagonal counts in upper
    edges : (n,) uint64, adjacency entries examined per source
    columns : (room,) int32, the rows one after another
    start : (n,) int64, where a row begins in columns, -1 if it did not fit
    tail : (1,) uint64, entries requested so far
    counter : (1,) uint32, sources taken
    """

    lower: Array
    upper: Array
    edges: Array
    columns: Array
    start: Array
    tail: Array
    counter: Array


class Found(NamedTuple):
    """Row counts, edges per source (twice for sources traversed twice), rows if wanted; on the device."""

    counts: Counts
    edges: Array
    filled: Filled | None


Run = Callable[[Array, Output], None]


def traverse(pattern: Pattern, columns: bool, run: Run) -> Found:
    """Have `run` traverse from all sources, those with the largest ids (and the most work) first.

    pattern : on the device
    columns : bool, whether the rows themselves are wanted
    run : called with the sources, (k,) int32, and with the arrays to write to
    """
    import cupy

    n = pattern.n
    output = new_output(n, _room(pattern) if columns else 0)
    with phase("traverse"):
        if n:
            run(cupy.arange(n - 1, -1, -1, dtype=np.int32), output)
        cupy.cuda.get_current_stream().synchronize()
    counts = Counts(output.lower, output.upper)
    edges = output.edges.view(np.int64)
    if not columns:
        return Found(counts, edges, None)
    with phase("assemble"):
        indptr = cupy.zeros(n + 1, np.int64)
        cupy.cumsum(counts.lower + counts.upper, out=indptr[1:])
        indices = cupy.empty(int(indptr[-1]), np.int32)
        _gather(output, indptr, indices)
    if int(output.tail[0]) > len(output.columns):
        late = cupy.flatnonzero(output.start < 0)[::-1].astype(np.int32)
        again = new_output(n, int((indptr[late + 1] - indptr[late]).sum()))
        with phase("traverse"):
            run(late, again)
        with phase("assemble"):
            _gather(again, indptr, indices)
        edges += again.edges.view(np.int64)
    return Found(counts, edges, Filled(Pattern(indptr, indices), indptr[:-1] + counts.lower))


def _room(pattern: Pattern) -> int:
    wanted = max(LEAST_ROOM, ROOM_AN_ENTRY * int(pattern.indices.size))
    return int(min(wanted, pattern.n**2, SHARE * device.free_bytes() / 4))


def new_output(n: int, room: int) -> Output:
    """Return the arrays that a traversal writes to, with `room` entries for rows."""
    import cupy

    return Output(
        cupy.zeros(n, np.int64),
        cupy.zeros(n, np.int64),
        cupy.zeros(n, np.uint64),
        cupy.empty(room, np.int32),
        cupy.full(n, -1, np.int64),
        cupy.zeros(1, np.uint64),
        cupy.zeros(1, np.uint32),
    )


def _gather(output: Output, indptr: Array, indices: Array) -> None:
    n = len(output.start)
    if n == 0:
        return
    kernel: Any = kernels.load(ROWS, ("rows_gather",))["rows_gather"]
    blocks = min(-(-n * 32 // THREADS), 32 * device.multiprocessors())
    kernel((blocks,), (THREADS,), (output.columns, output.start, indptr, indices, np.uint32(n)))
