"""GSoFA on the GPU: fine-grained traversal from many sources at once, with each of its optimisations.

Z. Li and others, GSoFA: Scalable Sparse Symbolic LU Factorization on GPUs, Sections 4 and 6, Figure 6. The
kernel (gsofa.cu) waits for less than the paper's, whose iterations and rounds span the whole card. Here
blocks share no queue and take a new source as soon as another is finished. A queued vertex whose label falls
is not queued again. The test for a fill below the source reads maxId alone, and fill is a bit set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from fillpath.errors import InputError, UnknownNameError
from fillpath.nouns import Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import device, kernels
from impl.supernodes.supernodes_gpu import check_maxsup, supernodes_gpu
from impl.symbolic.device_rows import traverse
from impl.symbolic.gsofa_device import SLOTS, VARIANTS, Traversal, host_room, resident_blocks
from impl.symbolic.gsofa_pool import ENTRY, WORD, plan, published_sources, set_words

__all__ = ["VARIANTS", "gsofa"]

# Words that the authors' two rules for #C divide by n: 2^31 / 6 in the paper, 3758096384 / 5 in their code
# that uses less memory per source.
PUBLISHED = {"published": 2**31 // 6, "published_space": 3758096384 // 5}
# Share of the free memory that the pool may take if no budget is given.
SHARE = 0.5


@implementation(
    stage="symbolic",
    device="gpu",
    paper="gsofa",
    section="4, Figure 6; 6",
    available=kernels.available,
    kernels=("gsofa.cu", "rows.cu", "../supernodes/t3.cu"),
)
def gsofa(
    pattern: Pattern,
    *,
    maxid_ranges: bool = True,
    bubble_removal: bool = True,
    fill_first: bool = False,
    dynamic_space: bool = True,
    external_frontiers: bool = True,
    queue_fraction: int = 1,
    sources: int | None = None,
    rule: Literal["resident", "published", "published_space"] = "resident",
    memory_budget: int | None = None,
    maxsup: int | None = None,
    output: Literal["pattern", "counts"] = "pattern",
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by fine-grained multi-source traversal, on the GPU.

    pattern : n x n, sorted, diagonal present; on the device
    maxid_ranges : bool, initialise maxId once for many sources, not for each
    bubble_removal : bool, maxId only for vertices below the source
    fill_first : bool, skip vertices already filled before looking at maxId (line 9.5)
    dynamic_space : bool, if memory would leave half of the blocks idle, run the sources in several launches.
        Sources of small ids then leave more of the pool to others. If false, all have the same share
    external_frontiers : bool, where memory is scarce, give each source a queue of fewer than n entries, and
        write further entries to pinned host memory. If false, run fewer sources at a time
    queue_fraction : int, with external frontiers, always aim at n / queue_fraction queue entries per source
    sources : int, #C, the largest number of sources that run at a time
    rule : how #C is chosen if `sources` is None. The value "resident" takes as many as the resident blocks
        hold. The authors' rules, "published" (Section 4) and "published_space" (code of Section 6), never
        exceed "resident"
    memory_budget : int, bytes of the pool (fill, maxId, queues); the buffer of rows is not included
    maxsup : int, also count T3 supernodes, in chunks of `maxsup` rows, as `supernodes_gpu` does
    output : "pattern", or "counts", which leaves the columns out

    Returns the filled pattern (n x n, rows sorted) or its row counts, on the device, and the work. It has
    edges as defined in Work (they depend on scheduling), fills, peak_memory (the pool and pinned host
    memory), and facts. Its series by source is the frontier, entries that its block works on per step. Raises
    MemoryBudgetError, before anything is allocated, if one source does not fit into the budget;
    UnknownNameError if sources or queue_fraction < 1. Raises InputError for a queue_fraction without external
    frontiers, for a maxsup out of range, or without the rows that it needs.
    """
    import cupy

    if sources is not None and sources < 1:
        raise UnknownNameError(f"option sources={sources}: expected 1 or more")
    if queue_fraction < 1:
        raise UnknownNameError(f"option queue_fraction={queue_fraction}: expected 1 or more")
    if queue_fraction > 1 and not external_frontiers:
        raise InputError("option queue_fraction: smaller queues need external_frontiers=true")
    if maxsup is not None:
        check_maxsup(maxsup)
    if maxsup is not None and output != "pattern":
        raise InputError("option maxsup: supernodes need the rows themselves, output=pattern")
    defines = {
        "BUBBLE": bubble_removal,
        "RANGES": maxid_ranges,
        "FILL_FIRST": fill_first,
        "COLUMNS": output == "pattern",
    }
    resident = resident_blocks(defines)
    free = int(SHARE * device.free_bytes())
    pool = plan(
        pattern.n,
        sources or _sources(pattern.n, rule, resident, free if memory_budget is None else 2**62),
        free if memory_budget is None else memory_budget,
        queue_fraction=queue_fraction,
        host=host_room,
        resident=resident,
        most_slots=SLOTS,
        bubble_removal=bubble_removal,
        dynamic=dynamic_space,
        external=external_frontiers,
    )
    traversal = Traversal(pattern, pool.launches(), cupy.empty(pool.words, np.uint32), defines)
    found = traverse(pattern, output == "pattern", traversal.run)
    result, work = traversal.outcome(found)
    if maxsup is None or not isinstance(result, Filled):
        return result, work
    with phase("supernodes"):
        supernodes, _ = supernodes_gpu(result, maxsup=maxsup)
    facts = {**(work.facts or {}), "supernodes": float(len(supernodes.starts) - 1)}
    return result, replace(work, facts=facts)


def _sources(n: int, rule: str, resident: int, memory: int) -> int:
    """Return #C by a rule: "resident" is what the card's blocks hold, or fewer if memory is short."""
    if rule != "resident":
        return published_sources(n, PUBLISHED[rule])
    return max(1, min(resident * SLOTS, memory // (WORD * (n * (1 + ENTRY) + set_words(n)) or 1)))
