"""T3 supernodes on the GPU, in the paper's two phases (GSoFA, Sections 2.2 and 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import InputError
from fillpath.nouns import Filled, Supernodes, Work
from fillpath.registry import implementation
from impl.cuda import device, kernels

KERNEL = Path(__file__).with_name("t3.cu")
VARIANTS: tuple[tuple[str, ...], ...] = ((),)
THREADS = 128
# The bits of a chunk's rows are in shared memory, at most 48 KiB.
MOST_ROWS = 8 * 48 * 1024


@implementation(
    stage="supernodes",
    device="gpu",
    paper="gsofa",
    section="2.2, Definition 1; 5",
    available=kernels.available,
    kernels=("t3.cu",),
)
def supernodes_gpu(filled: Filled, *, maxsup: int = 128) -> tuple[Supernodes, Work]:
    """Find T3 supernodes, one block per chunk, one thread per leader (two phases on the GPU).

    filled : F, n x n, on the device
    maxsup : int, rows per chunk; every supernode ends at the end of its chunk

    Returns the first row of each supernode, then n, on the device. Raises InputError unless 1 <= maxsup <=
    393216.
    """
    import cupy

    check_maxsup(maxsup)
    n = filled.pattern.n
    starts = cupy.zeros(n + 1, np.bool_)
    starts[n] = True
    chunks = -(-n // maxsup)
    if chunks:
        kernel: Any = kernels.load(KERNEL, ("t3_supernodes",))["t3_supernodes"]
        kernel(
            (min(chunks, 16 * device.multiprocessors()),),
            (THREADS,),
            (
                filled.pattern.indptr,
                filled.pattern.indices,
                filled.upper_start,
                starts,
                np.uint32(n),
                np.uint32(maxsup),
            ),
            shared_mem=4 * -(-maxsup // 32),
        )
    return Supernodes(cupy.flatnonzero(starts).astype(np.int64)), Work()


def check_maxsup(maxsup: int) -> None:
    """Raise InputError for a chunk that is empty, or whose bits do not fit into shared memory."""
    if not 1 <= maxsup <= MOST_ROWS:
        raise InputError(f"maxsup={maxsup}: expected from 1 to {MOST_ROWS} rows in a supernode")
