"""ParAC's factor on the GPU: one persistent kernel (parac.cu), with the factor of `ac_sequential`.

T. Liang and others, Parallel GPU-Accelerated Randomized Construction of Approximate Cholesky Preconditioners,
Section 5.3, Algorithm 4. Differences from the paper: edges wait in one list per vertex instead of one hash
table. The team that makes a vertex ready continues with it. A warp eliminates a vertex with few edges, a
block a vertex with many. Every sum has the fixed order of elimination.py, which costs a warp nothing.

    factor, work = parac_gpu(laplacian, seed=0)    # all arrays on the device
    factor.diagonal.shape, factor.values.shape     # (laplacian.n,), factor.pattern.indices.shape
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import FillpathError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Laplacian, Pattern, Preconditioner, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import device, kernels

KERNEL = Path(__file__).with_name("parac.cu")
VARIANTS: tuple[tuple[str, ...], ...] = ((),)
NAMES = ("parac_factor", "parac_lists", "parac_edges", "parac_counts", "parac_columns")
# As in parac.cu: threads per block; bytes per vertex and per unit of the pool; entries that a warp copies.
# The others are the words between two places of the control block, and these places.
THREADS = 256
VERTEX = 160
UNIT = 32
TILE = 256
LINE = 16
STATUS, ELIMINATED, ENTRIES, POOL, BY_BLOCKS = range(5)
CONTROL = 9
FINE, POOL_EXHAUSTED, NO_PROGRESS, MALFORMED = range(4)
NONE = 0xFFFFFFFF
# Limits of 32 bits: multi-edges of a graph, and units of the pool.
MOST_EDGES = 2**31
MOST_UNITS = 2**32 - 2
# One in this many blocks takes a vertex as a whole; in the others each warp takes one.
TEAM_SHARE = 4
# Initial size of the pool, in bytes per entry of W: 3D grids take 31, 2D grids 12.
ROOM = 48
# Share of the free memory that lists may take if no budget is given.
SHARE = 0.5
# The kernel gives up after this many clocks of a multiprocessor without an elimination: some ten seconds.
# More are allowed per entry of W, several times what an entry of the longest list takes.
PATIENCE = 2**34
PATIENCE_AN_ENTRY = 2**10
ADVICE = "impl.cholesky.graph makes a graph of any matrix that has one"


@implementation(
    stage="cholesky",
    device="gpu",
    paper="parac",
    section="5.3, Algorithm 4",
    available=kernels.available,
    kernels=("parac.cu",),
)
def parac_gpu(
    laplacian: Laplacian, *, seed: int = 0, memory_budget: int | None = None
) -> tuple[Preconditioner, Work]:
    """Factorise by randomised approximate Cholesky on the GPU, in a persistent kernel.

    laplacian : on the device
    seed : int, of the random streams; it determines the factor to the last bit, as in `ac_sequential`
    memory_budget : int, bytes of the working memory, 176 per vertex and a pool of edges; None is half of what
        is free. If the pool is too small, the run starts again with twice as much.

    Returns G and D on the device; fills are the entries of G outside of L. Facts:

    blocks : of the launch
    by_blocks : vertices eliminated by a whole block
    attempts : launches
    bytes_pool : bytes of the pool in use

    Raises MemoryBudgetError if the budget is too small; UnsupportedError for more than 2^31 edges, or a
    device that holds only one block at a time. Input that is no Laplacian raises FillpathError: a loop, a row
    that does not ascend, a W that is not symmetric.
    """
    budget = int(SHARE * device.free_bytes()) if memory_budget is None else memory_budget
    return factorise(laplacian, seed, budget)


def factorise(
    laplacian: Laplacian,
    seed: int,
    budget: int,
    *,
    blocks: int | None = None,
    units: int | None = None,
    patience: int | None = None,
) -> tuple[Preconditioner, Work]:
    """Factorise as `parac_gpu` does.

    blocks : int, of the launch, at least 2; None is as many as are resident
    units : int, of the pool, in the first attempt
    patience : int, clocks of a multiprocessor without an elimination
    """
    nnz = len(laplacian.pattern.indices)
    most = most_units(laplacian.n, nnz, budget)
    units = min(most, units or first_units(nnz))
    patience = patience or PATIENCE + PATIENCE_AN_ENTRY * nnz
    run = _Run(laplacian, blocks)
    while run.eliminate(seed, units, patience) == POOL_EXHAUSTED:
        if units == most:
            raise MemoryBudgetError(
                f"parac_gpu: edges need more than the {UNIT * units} bytes that are left of {budget}"
            )
        units = min(most, 2 * units)
    if run.status == MALFORMED:
        raise FillpathError(
            "parac_gpu: W is not symmetric, or has a loop, or a row that does not ascend, or 2^31 edges meet "
            f"in a vertex; {ADVICE}"
        )
    if run.status == NO_PROGRESS:
        raise FillpathError(
            f"parac_gpu: no vertex was eliminated for {patience} clocks, after {run.told(ELIMINATED)} of "
            f"{laplacian.n}: W is not symmetric, or the device was stopped"
        )
    factor = run.factor()
    facts = {
        "blocks": float(run.blocks),
        "by_blocks": float(run.told(BY_BLOCKS)),
        "attempts": float(run.attempts),
        "bytes_pool": float(UNIT * run.told(POOL)),
    }
    output = factor.pattern.indptr.nbytes + factor.pattern.indices.nbytes + factor.values.nbytes
    fills = len(factor.values) - nnz // 2
    return factor, Work(fills=fills, peak_memory=run.nbytes + output, facts=facts)


def first_units(nnz: int) -> int:
    """Return the units of the pool in the first attempt. nnz : int, entries of W."""
    return 64 + -(-ROOM * nnz // UNIT)


def most_units(n: int, nnz: int, budget: int) -> int:
    """Return the units of the pool that fit into the budget.

    Raises MemoryBudgetError if there are none, UnsupportedError for more edges than can be counted.
    """
    if nnz > 2 * MOST_EDGES:
        raise UnsupportedError(f"{nnz // 2} edges exceed what parac_gpu counts ({MOST_EDGES})")
    fixed = _fixed_bytes(n)
    units = min(MOST_UNITS, (budget - fixed) // UNIT)
    if units < 1:
        raise MemoryBudgetError(f"parac_gpu: {n} vertices need {fixed + UNIT} bytes, the budget is {budget}")
    return units


def _fixed_bytes(n: int) -> int:
    return n * (VERTEX + 2 * 4 + 8)


class _Run:
    """The working memory of the kernels, on the device."""

    def __init__(self, laplacian: Laplacian, blocks: int | None) -> None:
        import cupy

        self.laplacian = laplacian
        self.n = laplacian.n
        self.kernels: dict[str, Any] = kernels.load(KERNEL, NAMES)
        self.blocks = blocks or self._resident()
        self.diagonal = cupy.empty(self.n, np.float64)
        self.vertices: Any = None
        self.pool: Any = None
        self.attempts = 0

    def _resident(self) -> int:
        """Return the blocks of the launch: they wait for each other, so the device holds all at a time."""
        blocks = device.multiprocessors() * device.occupancy(self.kernels["parac_factor"], THREADS, 0)
        if blocks < 2:
            raise UnsupportedError("parac_gpu: its blocks wait for each other, and the device holds not two")
        return min(blocks, self.n + 1)

    @property
    def nbytes(self) -> int:
        return int(_fixed_bytes(self.n) + self.pool.nbytes)

    @property
    def status(self) -> int:
        return self.told(STATUS)

    def told(self, what: int) -> int:
        return int(self.control[LINE * what])

    def eliminate(self, seed: int, units: int, patience: int) -> int:
        """Eliminate all vertices with a pool of `units`. Returns the status."""
        import cupy

        # Free the arrays of an earlier attempt first.
        self.vertices = self.pool = None
        n, pattern = self.n, self.laplacian.pattern
        with phase("lists"):
            self.vertices = cupy.zeros(VERTEX * n, np.uint8)
            self.pool = cupy.empty(UNIT * units, np.uint8)
            queues = cupy.full(2 * n, NONE, np.uint32)
            control = cupy.zeros(LINE * CONTROL, np.uint64)
            graph = (self.vertices, self.pool, queues, control, np.uint32(n), np.uint32(units))
            nnz = np.uint64(len(pattern.indices))
            self._each("parac_lists", n, pattern.indptr, pattern.indices, nnz, *graph)
            self._tiles(
                "parac_edges",
                len(pattern.indices),
                pattern.indptr,
                pattern.indices,
                self.laplacian.weights,
                nnz,
                *(self.vertices, self.pool, control),
                np.uint32(n),
            )
        with phase("factorise"):
            self.kernels["parac_factor"].kernel(
                (self.blocks,),
                (THREADS,),
                (
                    *graph,
                    np.uint64(seed % 2**64),
                    self.diagonal,
                    np.uint32(max(1, self.blocks // TEAM_SHARE)),
                    np.uint64(patience),
                ),
                enable_cooperative_groups=True,
            )
            self.control: Array = cupy.asnumpy(control)
        self.attempts += 1
        return self.status

    def factor(self) -> Preconditioner:
        """Return the factor, its columns one after another."""
        import cupy

        with phase("columns"):
            nnz = self.told(ENTRIES)
            counts = cupy.zeros(self.n + 1, np.int64)
            self._each("parac_counts", self.n, self.vertices, np.uint32(self.n), counts)
            indptr = cupy.cumsum(counts)
            if int(indptr[-1]) != nnz:
                raise FillpathError(
                    f"parac_gpu: vertices were not eliminated once each: W is not symmetric; {ADVICE}"
                )
            indices, values = cupy.empty(nnz, np.int32), cupy.empty(nnz, np.float64)
            self._tiles(
                "parac_columns",
                nnz,
                self.vertices,
                self.pool,
                np.uint32(self.n),
                indptr,
                np.uint64(nnz),
                indices,
                values,
            )
        return Preconditioner(Pattern(indptr, indices), values, self.diagonal)

    def _each(self, name: str, threads: int, *arguments: Any) -> None:
        self.kernels[name]((-(-threads // 256),), (256,), arguments)

    def _tiles(self, name: str, entries: int, *arguments: Any) -> None:
        if entries:
            self._each(name, 32 * -(-entries // TILE), *arguments)
