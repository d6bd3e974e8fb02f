"""Elimination of fronts of bits: the middle of `bitfronts_gpu`, on the device.

All fronts are eliminated at a time, or in waves by height if their bits do not fit.

    elimination = eliminate(list_fronts(analysis), after=least_bytes(n))
    elimination.entries, elimination.waves    # entries of F, waves of fronts
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.nouns import Array
from impl.cuda import device, kernels
from impl.symbolic.bitfronts_analysis import Analysis, Fronts, read_totals, resident_blocks
from impl.symbolic.bitfronts_arena import address
from impl.symbolic.bitfronts_waves import Waves, least_words, plan

KERNEL = Path(__file__).with_name("bitfronts_bits.cu")
THREADS = 256
WORD = 4
# Bytes of dynamic shared memory of a block: tables, rows and closures of a panel, or eight small fronts.
SHARED_BYTES = WORD * (160 * 64 + 1024)
# Bytes per front in waves: the place of its bits and its first wave; the place of its kept part.
WAVE_BYTES, KEPT_BYTES = 12, 8
EVERY_TASK = 2**32 - 1


@dataclass(frozen=True, eq=False)
class Elimination:
    """Fronts with their bits eliminated; for counts, only those of the last wave.

    struct : of the fronts and their bits, as kernels take it
    start : place of each front's bits; held because the struct has its address
    bits : of the fronts
    waves : int, that they were eliminated in
    entries : int, of F
    nbytes : int, of all arrays up to here
    """

    fronts: Fronts
    struct: Array
    start: Array
    bits: Array
    waves: int
    entries: int
    nbytes: int


def team_limit(columns: bool) -> int:
    """Return the resident blocks of the card, the most of a team, whose blocks wait for each other."""
    return resident_blocks(_load(columns)["bitfronts_eliminate"], THREADS, SHARED_BYTES)


def eliminate(fronts: Fronts, after: int) -> Elimination:
    """Return the fronts' bits, all at a time or in waves.

    after : int, bytes that are needed in addition at the end

    Raises MemoryBudgetError, before they are allocated.
    """
    import cupy

    words = fronts.analysis.totals.words
    if not fronts.analysis.request.allows(fronts.nbytes + WORD * words + after):
        return _eliminate_in_waves(fronts, after)
    bits = cupy.zeros(words, np.uint32)
    struct = fronts.struct(bits=address(bits))
    _launch(fronts, struct, 0, EVERY_TASK)
    start = fronts.analysis.arena.array("bits_start", 1)
    nbytes = fronts.nbytes + int(bits.nbytes)
    return Elimination(fronts, struct, start, bits, 1, _count(fronts, struct), nbytes)


def _eliminate_in_waves(fronts: Fronts, after: int) -> Elimination:
    import cupy

    analysis = fronts.analysis
    count, columns = analysis.totals.fronts, analysis.request.columns
    waves = _plan(fronts, after)
    bits = cupy.empty(waves.words, np.uint32)
    start, birth = cupy.asarray(waves.start), cupy.asarray(waves.birth)
    struct = fronts.struct(bits=address(bits), bits_at=address(start), birth=address(birth))
    kept = fronts.struct(bits=address(bits), bits_at=address(start[count:]), kept=1) if columns else struct
    tasks = cupy.asnumpy(fronts.arena.array("task_start", count + 1))
    first = low = 0
    for wave, top in enumerate(waves.tops):
        for group in waves.groups:
            if group.birth == wave:
                bits[group.start : group.start + group.words].fill(0)
        last = int(tasks[min(top, len(tasks) - 1)])
        fronts.arena.array("next", 1).fill(first)
        _launch(fronts, struct, wave, last)
        if columns:
            _keep(fronts, struct, kept, low, int(top))
        first, low = last, int(top)
    nbytes = fronts.nbytes + int(bits.nbytes + start.nbytes + birth.nbytes)
    return Elimination(fronts, kept, start, bits, len(waves.tops), _count(fronts, struct), nbytes)


def _plan(fronts: Fronts, after: int) -> Waves:
    """Plan how the bits fit into the budget. Raises MemoryBudgetError where they do not."""
    import cupy

    analysis, request = fronts.analysis, fronts.analysis.request
    count, whole = analysis.totals.fronts, analysis.totals.words
    height = cupy.asnumpy(fronts.arena.array("height", count))
    up = cupy.asnumpy(analysis.arena.array("up", count))
    words = np.diff(cupy.asnumpy(analysis.arena.array("bits_start", count + 1)))
    kept = _kept_words(analysis) if request.columns else np.empty(0, np.int64)
    named = WAVE_BYTES * count + KEPT_BYTES * len(kept)
    least = fronts.nbytes + after
    waves = plan(height, up, words, kept, (request.room - least - named) // WORD)
    if waves is None:
        needed = least + min(named + WORD * least_words(height, up, words, kept), WORD * whole)
        request.refuse("the bits of the fronts that are needed at a time", needed)
    assert waves is not None  # The fewest words need more than the budget where none fit.
    return waves


def _kept_words(analysis: Analysis) -> Array:
    """Return (fronts,) int64, the words of each front that rows are read from.

    These hold all columns in rows of pivots, and the pivots in the other rows.
    """
    import cupy

    count = analysis.totals.fronts
    pivots = np.diff(cupy.asnumpy(analysis.arena.array("first", count + 1))).astype(np.int64)
    size = cupy.asnumpy(analysis.arena.array("front_size", count)).astype(np.int64)
    kept: Array = pivots * -(-size // 32) + (size - pivots) * -(-pivots // 32)
    return kept


def _keep(fronts: Fronts, struct: Array, kept: Array, low: int, high: int) -> None:
    """Copy the parts of fronts that rows are read from, from one height up to another."""
    blocks = min(fronts.analysis.totals.fronts, 32 * device.multiprocessors())
    arguments = (fronts.analysis.struct, struct, kept, np.int32(low), np.int32(high))
    _load(columns=True)["bitfronts_keep"]((blocks,), (THREADS,), arguments)


def _launch(fronts: Fronts, struct: Array, wave: int, last: int) -> None:
    """Assemble the fronts that begin in a wave, then eliminate up to a task."""
    request = fronts.analysis.request
    load, arguments = _load(request.columns), (fronts.analysis.struct, struct)
    blocks = min(-(-8 * request.pattern.n // THREADS), 32 * device.multiprocessors())
    load["bitfronts_assemble"]((blocks,), (THREADS,), (*arguments, np.int32(wave)))
    load["bitfronts_eliminate"].kernel(
        (team_limit(request.columns),),
        (THREADS,),
        (*arguments, np.uint32(last)),
        shared_mem=SHARED_BYTES,
        enable_cooperative_groups=True,
    )


def _count(fronts: Fronts, struct: Array) -> int:
    """Return row counts in the order of the matrix, once their sum is complete."""
    analysis = fronts.analysis
    most = max(analysis.request.pattern.n, analysis.totals.lists)
    blocks = min(-(-most // THREADS), 32 * device.multiprocessors())
    kernel = _load(analysis.request.columns)["bitfronts_counts"]
    kernel((blocks,), (THREADS,), (analysis.struct, struct))
    return read_totals(analysis.arena).entries


def _load(columns: bool) -> dict[str, Any]:
    names = ("bitfronts_assemble", "bitfronts_eliminate", "bitfronts_keep", "bitfronts_counts")
    return kernels.load(KERNEL, names, (f"COLUMNS={int(columns)}",))
