"""The tree of a pattern, and its fronts: the first steps of `bitfronts_gpu`, on the device.

If the pattern is symmetric, its row counts follow from the tree, and only rows need the fronts.

    analysis = analyse(Request(pattern, path="auto", columns=True, budget=None, shape=Shape(), most=64))
    fronts = None if analysis.is_tree and not columns else list_fronts(analysis)
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fillpath.errors import MemoryBudgetError
from fillpath.nouns import Array, Counts, Pattern
from impl.cuda import device, kernels
from impl.symbolic.bitfronts_arena import FRONTS, TREE, Arena, address, front_lengths, tree_lengths

TREE_KERNEL = Path(__file__).with_name("bitfronts_tree.cu")
LISTS_KERNEL = Path(__file__).with_name("bitfronts_lists.cu")
PathOption = Literal["auto", "tree", "fronts"]
PATHS: tuple[PathOption, ...] = ("auto", "tree", "fronts")
# Threads per block of kernels with a barrier over the grid.
THREADS = 512
# Entries per thread of such a grid: a barrier of more blocks takes longer.
ENTRIES_A_THREAD = 2
# Share of the free memory that may be used if no budget is given: the rows need the rest. Asking for the free
# bytes takes longer than analysing a small matrix, so TRIFLE bytes are taken unasked.
SHARE, TRIFLE = 0.5, 2**28


@dataclass(frozen=True)
class Shape:
    """The rules by which columns are merged to fronts, and fronts divided among blocks.

    leaf : int, the most columns of a subtree that is one front
    chain : int, fronts of fewer columns are merged with their parent even if that adds entries
    small : int, rows above which a front has a team of blocks; 128 at most
    share : int, words of a front for each block of its team
    most : int, the most blocks of a team
    """

    leaf: int = 32
    chain: int = 16
    small: int = 128
    share: int = 3000
    most: int = 64


@dataclass(frozen=True)
class Totals:
    """The totals that the host reads from the tree: as `Totals` in bitfronts.cuh."""

    symmetric: int
    tables: int
    fronts: int
    lists: int
    words: int
    panels: int
    entries: int
    largest: int


@dataclass(frozen=True, eq=False)
class Request:
    """The requested output and its limits.

    pattern : on the device
    path : of the option
    columns : bool, whether the rows are wanted, not only their counts
    budget : int, bytes of all arrays but the result's; None for a share of what is free
    shape : of the fronts
    most : int, the most blocks of a team, all of which have to be resident
    """

    pattern: Pattern
    path: PathOption
    columns: bool
    budget: int | None
    shape: Shape
    most: int

    @functools.cached_property
    def room(self) -> int:
        """Return the bytes given, or a share of those free at the first call."""
        return int(SHARE * device.free_bytes()) if self.budget is None else self.budget

    def allows(self, needed: int) -> bool:
        """Return whether `needed` bytes are given."""
        return (self.budget is None and needed <= TRIFLE) or needed <= self.room

    def refuse(self, part: str, needed: int) -> None:
        """Raise MemoryBudgetError, naming the bytes, where they are not given."""
        if not self.allows(needed):
            given = f"{needed} bytes are needed, {self.room} given"
            raise MemoryBudgetError(f"memory_budget: up to {part} {given}")


@dataclass(frozen=True, eq=False)
class Analysis:
    """The tree of a pattern, its row counts where it is symmetric, and the sizes of its fronts.

    arena : the arrays of `Tree` in bitfronts.cuh
    struct : of them, as kernels take it
    counts : of L and U; of fronts that have to be eliminated, 0 and unset
    """

    request: Request
    arena: Arena
    struct: Array
    counts: Counts
    totals: Totals

    @property
    def is_tree(self) -> bool:
        """Return whether the tree suffices: the counts are there, and all entries of the fronts are in F."""
        return bool(self.totals.symmetric) and self.request.path != "fronts"

    @property
    def nbytes(self) -> int:
        return self.arena.nbytes


@dataclass(frozen=True, eq=False)
class Fronts:
    """The lists of an analysis's fronts, and the order in which they are eliminated.

    arena : the arrays of `Fronts` in bitfronts.cuh, apart from the bits
    """

    analysis: Analysis
    arena: Arena

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays up to here."""
        return self.analysis.nbytes + self.arena.nbytes

    def struct(self, **more: int) -> Array:
        """Return the struct as kernels take it. more : fields that are not in the arena."""
        first = self.analysis.arena.array("bits_start", 1)
        return self.arena.struct({"count": self.analysis.totals.fronts, "bits_at": address(first), **more})


def analyse(request: Request) -> Analysis:
    """Return the tree, once its totals are read. Raises MemoryBudgetError before it allocates."""
    import cupy

    pattern = request.pattern
    n, nnz = pattern.n, int(pattern.indices.size)
    kernel = kernels.load(TREE_KERNEL, ("bitfronts_tree",))["bitfronts_tree"]
    wanted = -(-max(n, nnz) // (ENTRIES_A_THREAD * THREADS))
    blocks = min(wanted, resident_blocks(kernel, THREADS))
    starts = TREE.starts(tree_lengths(n, nnz, blocks))
    request.refuse("the elimination tree", int(starts[-1]))
    arena = Arena(TREE, starts)
    counts = Counts(cupy.empty(n, np.int64), cupy.empty(n, np.int64))
    struct = arena.struct(
        {
            **vars(request.shape),
            "most": request.most,
            "indptr": address(pattern.indptr),
            "indices": address(pattern.indices),
            "lower": address(counts.lower),
            "upper": address(counts.upper),
            "n": n,
            "nnz": nnz,
            "path": PATHS.index(request.path),
            "columns": int(request.columns),
        }
    )
    kernel.kernel((blocks,), (THREADS,), (struct,), enable_cooperative_groups=True)
    return Analysis(request, arena, struct, counts, read_totals(arena))


def list_fronts(analysis: Analysis) -> Fronts:
    """Return the lists and the order of elimination. Raises MemoryBudgetError before it allocates."""
    import cupy

    totals, request = analysis.totals, analysis.request
    # A front is a task or shares a task; each further block of its team has its own words.
    tasks = 2 * totals.fronts + totals.words // request.shape.share + 1
    sizes = (totals.fronts, totals.lists, tasks, totals.panels)
    starts = FRONTS.starts(front_lengths(request.pattern.n, *sizes, request.columns))
    request.refuse("the lists of fronts", analysis.nbytes + int(starts[-1]))
    fronts = Fronts(analysis, Arena(FRONTS, starts))
    kernel = kernels.load(LISTS_KERNEL, ("bitfronts_lists",))["bitfronts_lists"]
    wanted = -(-max(request.pattern.n, totals.lists, 32 * totals.fronts) // (ENTRIES_A_THREAD * THREADS))
    blocks = min(wanted, resident_blocks(kernel, THREADS))
    partial = cupy.empty(2 * blocks, np.int64)
    arguments = (analysis.struct, fronts.struct(), partial)
    kernel.kernel((blocks,), (THREADS,), arguments, enable_cooperative_groups=True)
    return fronts


def read_totals(tree: Arena) -> Totals:
    """Return the totals that the device has counted so far, once they are complete."""
    import cupy

    return Totals(*map(int, cupy.asnumpy(tree.array("totals", len(fields(Totals))))))


def resident_blocks(kernel: Any, threads: int, shared_bytes: int = 0) -> int:
    """Return how many blocks of a kernel the card holds at a time."""
    return device.multiprocessors() * device.occupancy(kernel, threads, shared_bytes)
