"""The fronts of a matrix, found on the device: the first steps of `bitfronts_gpu`, and larger fronts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.nouns import Array, Fronts, Prepared
from fillpath.registry import HEADERS
from impl.cuda import kernels
from impl.multifrontal import arena
from impl.multifrontal.arena import INT, LONG, Arena
from impl.symbolic import bitfronts_analysis as bitfronts

KERNEL = Path(__file__).with_name("merge.cu")
BITFRONTS_HEADER = HEADERS / "bitfronts.cuh"


def fronts_on_device(prepared: Prepared) -> Fronts:
    """Return the fronts of A | A^T, merged with their last child where that adds few zeros.

    prepared : n x n, n > 0, on the device

    Raises MemoryBudgetError where half of the free memory does not hold the analysis.
    """
    # Without a chain columns are merged only where that adds no row; `merge.cu` merges further.
    shape = bitfronts.Shape(chain=0)
    request = bitfronts.Request(prepared.pattern, "fronts", False, None, shape, 1)
    load = kernels.load(KERNEL, ("mf_merge", "mf_settle"))
    merged, arrays = _merged(bitfronts.analyse(request), load["mf_merge"])
    lists = bitfronts.list_fronts(merged).arena
    fronts, entries = merged.totals.fronts, merged.totals.lists
    found = Fronts(
        prepared,
        label=_empty(prepared.pattern.n),
        first=arrays.array("first")[: fronts + 1],
        up=arrays.array("up")[:fronts],
        list_start=arrays.array("list_start")[: fronts + 1],
        list=lists.array("list", entries),
        place=lists.array("place", entries),
    )
    _settle(found, merged, arrays, load["mf_settle"])
    return found


def _settle(fronts: Fronts, merged: bitfronts.Analysis, arrays: Arena, kernel: Any) -> None:
    """Write the labels, then lists and places in labels."""
    count = int(fronts.up.size)
    words = arena.struct(KERNEL, "Merged", arrays.addresses)
    wanted = -(-32 * count // bitfronts.THREADS)
    blocks = min(wanted, bitfronts.resident_blocks(kernel, bitfronts.THREADS))
    settled = (fronts.label, fronts.list, fronts.place)
    _launch(kernel, blocks, merged.struct, words, np.int64(count), *settled)


def _empty(n: int) -> Array:
    import cupy

    out: Array = cupy.empty(n, np.int32)
    return out


def _merged(analysis: bitfronts.Analysis, kernel: Any) -> tuple[bitfronts.Analysis, Arena]:
    """Return the analysis with larger fronts, and the arrays that describe the mergers."""
    n, fronts = analysis.request.pattern.n, analysis.totals.fronts
    most = bitfronts.resident_blocks(kernel, bitfronts.THREADS)
    blocks = min(-(-n // (bitfronts.ENTRIES_A_THREAD * bitfronts.THREADS)), most)
    arrays = Arena(
        {"arrived": (2, INT), "totals": (2, LONG)},
        {
            "partial": (blocks, LONG),
            "begins": (fronts + 1, LONG),
            "list_start": (fronts + 1, LONG),
            "first": (fronts + 1, INT),
            **dict.fromkeys(("up", "size", "team", "long_lists"), (fronts, INT)),
            "front_of": (n, INT),
        },
    )
    merged = arena.struct(KERNEL, "Merged", arrays.addresses)
    _launch(kernel, blocks, analysis.struct, merged)
    count, entries = _counted(arrays)
    names = ("list_start", "first", "up", "team", "long_lists", "front_of")
    places = {name: arrays.addresses[name] for name in names} | {"front_size": arrays.addresses["size"]}
    totals = replace(analysis.totals, fronts=count, lists=entries, words=0)
    larger = arena.changed(analysis.struct, BITFRONTS_HEADER, "Tree", places)
    return replace(analysis, struct=larger, totals=totals), arrays


def _counted(arrays: Arena) -> tuple[int, int]:
    import cupy

    count, entries = map(int, cupy.asnumpy(arrays.array("totals")))
    return count, entries


def _launch(kernel: Any, blocks: int, *arguments: Any) -> None:
    kernel.kernel((blocks,), (bitfronts.THREADS,), arguments, enable_cooperative_groups=True)
