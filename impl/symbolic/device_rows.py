"""What a traversal on the GPU writes, and how it becomes compressed sparse rows: shared by `fill2_gpu` and
`gsofa`.

Rows are appended to one buffer in the order in which they are finished. How long they will be is not known:
the buffer is generous, a row that finds no room is counted all the same, and such rows are traversed once
more with exactly the room that they need.
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
# Room for rows at first, in entries for each entry of A, and at least so many.
ROOM_AN_ENTRY = 256
LEAST_ROOM = 2**20
# Share of the free memory that it may take.
SHARE = 0.25
THREADS = 256


class Output(NamedTuple):
    """On the device. lower, upper : (n,) int64 row counts, the diagonal with upper. edges : (n,) uint64.

    columns : (room,) int32, start : (n,) int64 where a row stands there or -1; tail : (1,) uint64 entries
    asked for so far. counter : (1,) uint32, sources taken.
    """

    lower: Array
    upper: Array
    edges: Array
    columns: Array
    start: Array
    tail: Array
    counter: Array


class Found(NamedTuple):
    """Row counts, edges of each source (twice where it was traversed twice), and the rows if they were asked
    for; all on the device."""

    counts: Counts
    edges: Array
    filled: Filled | None


Run = Callable[[Array, Output], None]


def traverse(pattern: Pattern, columns: bool, run: Run) -> Found:
    """Have `run` traverse from all sources, those with the largest ids (and most work) first.

    pattern : on the device. run : takes the sources, (k,) int32, and what to write to.
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
    """What a traversal writes to, with so much room for rows."""
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
