"""fill2 on the GPU with one source per thread: the GSoFA paper's baseline, written to be fast.

GSoFA, Section 7 (Figure 10) and Section 2.2 (Figure 3(b)). Every thread has a warp to itself, because lanes
of a warp wait for the slowest at each step. So 32 threads per multiprocessor, one per resident block, are
faster than 512 (docs/notes/performance.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from fillpath.nouns import Array, Counts, Filled, Pattern, Series, Work
from fillpath.registry import implementation
from impl.cuda import device, kernels
from impl.symbolic.device_rows import Output, traverse

KERNEL = Path(__file__).with_name("fill2.cu")
VARIANTS = (("COLUMNS=0",), ("COLUMNS=1",))
# As in fill2.cu: vertices whose marks a scan can skip at once.
GROUP = 256
# Share of the free memory for the threads' marks and stacks.
SHARE = 0.5


@implementation(
    stage="symbolic",
    device="gpu",
    paper="gsofa",
    section="7, Figure 10; 2.2, Figure 3(b)",
    available=kernels.available,
    kernels=("fill2.cu", "rows.cu"),
)
def fill2_gpu(
    pattern: Pattern, *, output: Literal["pattern", "counts"] = "pattern"
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by threshold traversal, one source per thread (the paper's GPU baseline).

    pattern : n x n, sorted, diagonal present; on the device
    output : "pattern", or "counts", which stores no row of F

    Returns the filled pattern (n x n, rows sorted) or its row counts, on the device, and the work. Edges are
    adjacency entries of A examined while expanding frontiers; peak_memory is the threads' marks and stacks.
    """
    memory = 0

    def run(sources: Array, rows: Output) -> None:
        nonlocal memory
        memory = max(memory, _run(pattern, sources, rows, output == "pattern"))

    found = traverse(pattern, output == "pattern", run)
    fills = found.counts.lower + found.counts.upper - (pattern.indptr[1:] - pattern.indptr[:-1])
    work = Work(
        edges=int(found.edges.sum()),
        fills=int(fills.sum()),
        peak_memory=memory,
        series=Series(edges=found.edges, fills=fills),
    )
    return found.filled or found.counts, work


def _run(pattern: Pattern, sources: Array, rows: Output, columns: bool) -> int:
    """Traverse from the sources. Returns the bytes used by the threads."""
    import cupy

    n, groups = pattern.n, -(-pattern.n // GROUP)
    kernel: Any = kernels.load(KERNEL, ("fill2_traverse",), (f"COLUMNS={int(columns)}",))["fill2_traverse"]
    # With fewer threads than sources, each thread takes several.
    threads = min(
        int(SHARE * device.free_bytes()) // (4 * (2 * n + groups)),
        device.multiprocessors() * device.occupancy(kernel, 1, 0),
        len(sources),
    )
    threads = max(1, threads)
    visited = cupy.zeros(threads * n, np.uint32)
    stacks = cupy.empty(threads * n, np.uint32)
    touched = cupy.zeros(threads * groups, np.uint32)
    kernel(
        (threads,),
        (1,),
        (
            pattern.indptr,
            pattern.indices,
            sources,
            np.uint32(len(sources)),
            np.uint32(n),
            visited,
            stacks,
            touched,
            np.uint32(groups),
            *rows[:3],
            rows.columns,
            rows.start,
            rows.tail,
            np.uint64(len(rows.columns)),
            rows.counter,
        ),
    )
    return int(visited.nbytes + stacks.nbytes + touched.nbytes)
