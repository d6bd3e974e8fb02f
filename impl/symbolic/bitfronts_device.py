"""How the kernels of `bitfronts_gpu` are launched: the tree, the lists, the elimination, the rows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fillpath.errors import MemoryBudgetError
from fillpath.nouns import Array, Counts, Filled, Pattern
from impl.cuda import device, kernels
from impl.symbolic.bitfronts_arena import FRONTS, TREE, Arena, address, front_lengths, tree_lengths
from impl.symbolic.bitfronts_waves import Waves, least_words, plan

HERE = Path(__file__).parent
PathOption = Literal["auto", "tree", "fronts"]
PATHS: tuple[PathOption, ...] = ("auto", "tree", "fronts")
# Threads a block: of the kernels whose grid waits for itself, of the elimination, of the rows.
GRID_THREADS, FRONT_THREADS, ROW_THREADS = 512, 256, 256
# Entries of A per thread of a grid that waits for itself: a barrier takes longer the more blocks there are.
ENTRIES_A_THREAD = 2
# Words of dynamic shared memory of a block that eliminates: of a large front the tables, rows and closures of
# a panel, or eight small fronts.
SHARED_WORDS = 160 * 64 + 1024
# The kernels' merging of columns: subtrees of up to LEAF columns, and chains of fewer than CHAIN.
LEAF, CHAIN = 32, 16
# A front of more rows than SMALL has a team of a block for SHARE words, of at most MOST blocks.
SMALL, SHARE, MOST = 128, 3000, 64
# Bytes of the sets in which rows of L are joined.
SET_BYTES = 2**28
WORD = 4


@dataclass(frozen=True)
class Shape:
    """How columns are merged to fronts and fronts divided among blocks: `Tree` in bitfronts.cuh."""

    leaf: int = LEAF
    chain: int = CHAIN
    small: int = SMALL
    share: int = SHARE
    most: int = MOST


@dataclass(frozen=True)
class Totals:
    """What the host learns from the tree: as `Totals` in bitfronts.cuh."""

    symmetric: int
    tables: int
    fronts: int
    lists: int
    words: int
    panels: int
    entries: int
    largest: int


def resident_blocks(kernel: Any, threads: int, shared_bytes: int = 0) -> int:
    return device.multiprocessors() * device.occupancy(kernel, threads, shared_bytes)


class Analysis:
    """The tree of a pattern, its row counts where it is symmetric, and its fronts.

    counts : of L and U; of an unsymmetric pattern the elimination adds them up
    is_tree : whether the counts are there, and every entry of the fronts with them
    """

    def __init__(self, pattern: Pattern, path: PathOption, columns: bool, budget: int, shape: Shape) -> None:
        import cupy

        n, nnz = pattern.n, int(pattern.indices.size)
        kernel = kernels.load(HERE / "bitfronts_tree.cu", ("bitfronts_tree",))["bitfronts_tree"]
        wanted = -(-max(n, nnz) // (ENTRIES_A_THREAD * GRID_THREADS))
        self.blocks = min(wanted, resident_blocks(kernel, GRID_THREADS))
        self.pattern, self.columns, self.budget, self.shape = pattern, columns, budget, shape
        starts = TREE.starts(tree_lengths(n, nnz, self.blocks))
        self.nbytes = int(starts[-1])
        refuse("the elimination tree", self.nbytes, budget)
        self.arena = Arena(TREE, starts)
        self.counts = Counts(cupy.empty(n, np.int64), cupy.empty(n, np.int64))
        self.struct = self.arena.struct(
            {
                **vars(shape),
                # A team waits for its members, which all have to be resident.
                "most": min(shape.most, elimination_blocks(columns)),
                "indptr": address(pattern.indptr),
                "indices": address(pattern.indices),
                "lower": address(self.counts.lower),
                "upper": address(self.counts.upper),
                "n": n,
                "nnz": nnz,
                "path": PATHS.index(path),
                "columns": int(columns),
            }
        )
        kernel((self.blocks,), (GRID_THREADS,), (self.struct,), enable_cooperative_groups=True)
        self.totals = Totals(*map(int, cupy.asnumpy(self.arena.array("totals", len(fields(Totals))))))
        self.is_tree = bool(self.totals.symmetric) and path != "fronts"


class Fronts:
    """The lists of an analysis's fronts, and the order in which they are eliminated."""

    def __init__(self, analysis: Analysis) -> None:
        totals, shape = analysis.totals, analysis.shape
        self.analysis = analysis
        # Every front is a task or shares one, and each further member of a team has SHARE words of its own.
        tasks = 2 * totals.fronts + totals.words // shape.share + 1
        rows = analysis.pattern.n if analysis.columns else 0
        starts = FRONTS.starts(front_lengths(totals.fronts, totals.lists, tasks, totals.panels, rows))
        self.nbytes = analysis.nbytes + int(starts[-1])
        refuse("the lists of fronts", self.nbytes, analysis.budget)
        self.arena = Arena(FRONTS, starts)
        self.arena.array("common", totals.panels).fill(-1)
        kernel = kernels.load(HERE / "bitfronts_lists.cu", ("bitfronts_lists",))["bitfronts_lists"]
        # Sums of the analysis's blocks have room for no more.
        blocks = min(analysis.blocks, resident_blocks(kernel, GRID_THREADS))
        kernel((blocks,), (GRID_THREADS,), (analysis.struct, self.struct()), enable_cooperative_groups=True)

    def struct(self, **more: int) -> Array:
        """As kernels take it. more : fields that are not in the arena."""
        first = self.analysis.arena.array("bits_start", 1)
        return self.arena.struct({"count": self.analysis.totals.fronts, "bits_at": address(first), **more})


def elimination_kernels(columns: bool) -> dict[str, Any]:
    names = ("bitfronts_assemble", "bitfronts_eliminate")
    return kernels.load(HERE / "bitfronts_bits.cu", names, (f"COLUMNS={int(columns)}",))


def elimination_blocks(columns: bool) -> int:
    """Blocks of the elimination that the card holds at a time."""
    kernel = elimination_kernels(columns)["bitfronts_eliminate"]
    return resident_blocks(kernel, FRONT_THREADS, WORD * SHARED_WORDS)


def refuse(part: str, needed: int, budget: int) -> None:
    """Raises MemoryBudgetError, naming the bytes, where they are not given."""
    if needed > budget:
        raise MemoryBudgetError(f"memory_budget: up to {part} {needed} bytes are needed, {budget} given")


class Elimination:
    """The bits of fronts, eliminated.

    nbytes : of all arrays up to here
    waves : that the fronts were eliminated in
    """

    def __init__(self, fronts: Fronts) -> None:
        import cupy

        self.fronts, self.analysis = fronts, fronts.analysis
        totals = self.analysis.totals
        waves = self._plan(WORD * totals.words)
        self.waves = len(waves.tops) if waves else 1
        self.bits = cupy.empty(waves.words if waves else totals.words, np.uint32)
        self.nbytes = fronts.nbytes + int(self.bits.nbytes)
        if waves is None:
            self.bits.fill(0)
            self.struct = fronts.struct(bits=address(self.bits))
            self._run(0, 2**32 - 1)
            return
        self._run_waves(waves)

    def _plan(self, bits: int) -> Waves | None:
        """How the bits fit into the budget: None if all at a time."""
        import cupy

        fronts, budget = self.fronts, self.analysis.budget
        if fronts.nbytes + bits <= budget:
            return None
        if self.analysis.columns:
            refuse("the bits of all fronts, which rows are read from,", fronts.nbytes + bits, budget)
        count = self.analysis.totals.fronts
        height = cupy.asnumpy(fronts.arena.array("height", count))
        up = cupy.asnumpy(self.analysis.arena.array("up", count))
        words = np.diff(cupy.asnumpy(self.analysis.arena.array("bits_start", count + 1)))
        # Two arrays say where fronts lie, and when they begin.
        room = (budget - fronts.nbytes - 12 * count) // WORD
        waves = plan(height, up, words, room)
        if waves is None:
            least = WORD * least_words(height, up, words) + 12 * count
            refuse("the bits of the fronts that are needed at a time", fronts.nbytes + least, budget)
        return waves

    def _run_waves(self, waves: Waves) -> None:
        import cupy

        start, birth = cupy.asarray(waves.start), cupy.asarray(waves.birth)
        self.nbytes += int(start.nbytes + birth.nbytes)
        self.struct = self.fronts.struct(
            bits=address(self.bits), bits_at=address(start), birth=address(birth)
        )
        tasks = cupy.asnumpy(self.fronts.arena.array("task_start", self.analysis.totals.fronts + 1))
        first = 0
        for wave, top in enumerate(waves.tops):
            for group in waves.groups:
                if group.birth == wave:
                    self.bits[group.start : group.start + group.words].fill(0)
            last = int(tasks[min(top, len(tasks) - 1)])
            self.fronts.arena.array("next", 1).fill(first)
            self._run(wave, last)
            first = last

    def _run(self, wave: int, last: int) -> None:
        """Assemble the fronts that begin in a wave, then eliminate up to a task."""
        arguments = (self.analysis.struct, self.struct)
        columns = self.analysis.columns
        load = elimination_kernels(columns)
        blocks = min(-(-8 * self.analysis.pattern.n // FRONT_THREADS), 32 * device.multiprocessors())
        load["bitfronts_assemble"]((blocks,), (FRONT_THREADS,), (*arguments, np.int32(wave)))
        load["bitfronts_eliminate"](
            (elimination_blocks(columns),),
            (FRONT_THREADS,),
            (*arguments, np.uint32(last)),
            shared_mem=WORD * SHARED_WORDS,
            enable_cooperative_groups=True,
        )


class Rows:
    """The rows of L + U, sorted.

    fronts : whose every entry is there, or eliminated
    """

    def __init__(self, fronts: Fronts, elimination: Elimination | None) -> None:
        import cupy

        self.analysis, n = fronts.analysis, fronts.analysis.pattern.n
        counts, totals = self.analysis.counts, self.analysis.totals
        indptr = cupy.zeros(n + 1, np.int64)
        cupy.cumsum(counts.lower + counts.upper, out=indptr[1:])
        entries = totals.entries if elimination is None else int(indptr[-1])
        indices = cupy.empty(entries, np.int32)
        full = (f"FULL={int(elimination is None)}",)
        load = kernels.load(HERE / "bitfronts_rows.cu", ("bitfronts_holders", "bitfronts_rows"), full)
        straight, arrived = cupy.empty(totals.panels, np.int32), cupy.zeros(1, np.uint32)
        arguments = (self.analysis.struct, fronts.struct() if elimination is None else elimination.struct)
        blocks = min(self.analysis.blocks, resident_blocks(load["bitfronts_holders"], GRID_THREADS))
        load["bitfronts_holders"](
            (blocks,), (GRID_THREADS,), (*arguments, arrived, straight), enable_cooperative_groups=True
        )
        # A set has whole words of its summary.
        words = 32 * -(-n // 1024)
        stride = words + words // 32
        warps = ROW_THREADS // 32
        blocks = min(
            -(-n // warps),
            max(1, SET_BYTES // (WORD * stride * warps)),
            resident_blocks(load["bitfronts_rows"], ROW_THREADS),
        )
        sets = cupy.zeros(blocks * warps * stride, np.uint32)
        load["bitfronts_rows"](
            (blocks,),
            (ROW_THREADS,),
            (*arguments, straight, indptr, indices, sets, np.int64(stride), np.int64(words)),
        )
        self.filled = Filled(Pattern(indptr, indices), indptr[:-1] + counts.lower)
        earlier = fronts.nbytes if elimination is None else elimination.nbytes
        self.nbytes = earlier + int(straight.nbytes + sets.nbytes)
