"""Solves with ParAC's factor on the GPU: z = (G D G^T)^+ r, where 1 / 0 counts as 0.

Liu, Li, Hogg, Duff and Vinter (Euro-Par 2016) solve without levels: a row waits for the rows that it needs
and for nothing else. Here a value is its own flag, both triangles are one launch, and short and long rows are
distributed so that each lane has a few entries (`triangular.cu`). The longest path of the factor remains,
with the latency of the L2 cache at each step. Most of this path leads through the vertices eliminated last.
For these, the tail, the inverse of the factor is computed and applied as one dense matrix.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import InputError, UnsupportedError
from fillpath.nouns import Array, Preconditioner
from impl.cuda import kernels
from impl.laplacian.launches import ENTRIES, MOST_ROWS, THREADS, Room, launch, resident, tasks

KERNEL = Path(__file__).with_name("triangular.cu")
NAMES = ("tri_columns", "tri_lengths", "tri_down", "tri_up", "tri_tail", "tri_sweep", "tri_dense")
# The most blocks per multiprocessor: with more warps, each warp waits longer for the L2 cache.
RESIDENT = 2
# Entries of a row per lane, on average, if a resident lane has at most that many rows. A warp then has few
# tasks, and others wait for each.
FEW_ENTRIES = 2
FEW_ROWS = 8
# Attempts to read a missing value after which a warp gives up: seconds.
PATIENCE = 2**23


class Solves:
    """A factor, ready to be applied."""

    def __init__(self, factor: Preconditioner, vertices: int, tail: int) -> None:
        """Prepare the solves.

        factor : of n vertices, on the device
        vertices : int, all but the ground
        tail : int, last vertices whose inverse is made dense, at most `vertices`

        Raises InputError for a negative tail, UnsupportedError beyond 2^28 vertices.
        """
        if tail < 0:
            raise InputError(f"tail={tail}: expected a number of vertices")
        if 2 * vertices > MOST_ROWS:
            raise UnsupportedError(f"{vertices} vertices: the triangular solves take {MOST_ROWS // 2}")
        self.n, self.down = len(factor.diagonal), vertices
        self.body = max(0, vertices - tail)
        self.elements = self.down + self.body
        self.kernels: dict[str, Any] = kernels.load(KERNEL, NAMES)
        self._blocks = {name: resident(self.kernels[name], RESIDENT) for name in ("tri_sweep", "tri_dense")}
        self.starts, self.places, self.factors = self._rows(factor)
        few = self.elements <= FEW_ROWS * THREADS * self._blocks["tri_sweep"]
        self.tasks = tasks(self.starts, (0, self.down, self.elements), FEW_ENTRIES if few else ENTRIES)
        self.dense = self._inverse(factor)

    @property
    def blocks(self) -> int:
        return max(self._blocks.values())

    @property
    def says_rz(self) -> bool:
        return True

    def apply(self, room: Room) -> Any:
        """Launch z = (G D G^T)^+ r and state[RZ] = r.z, where y and z are MISSING. Returns z."""
        down, up = self.tasks.ends
        if self.body < self.down:
            self._sweep(0, down, False, room)
            sizes = (np.uint32(size) for size in (self.down - self.body, self.body, self.n))
            self.kernels["tri_dense"](
                *self._grid("tri_dense"), (self.dense, *sizes, room.vectors, *room.scalars)
            )
            self._sweep(down, up, True, room)
        else:
            self._sweep(0, up, True, room)
        return room.vectors[2 * self.n :]

    def _sweep(self, begin: int, end: int, closing: bool, room: Room) -> None:
        arguments = (
            *(self.tasks.words, np.uint32(begin), np.uint32(end), self.starts, self.places, self.factors),
            *(np.uint32(size) for size in (self.down, self.elements, self.n)),
            room.vectors,
            *(np.uint32(number) for number in (closing, PATIENCE)),
            *room.scalars,
        )
        # Its blocks wait for each other.
        self.kernels["tri_sweep"].kernel(*self._grid("tri_sweep"), arguments, enable_cooperative_groups=True)

    def _rows(self, factor: Preconditioner) -> tuple[Array, Array, Array]:
        """Return (starts, places, factors) of the elements, in the order in which they are computed."""
        import cupy

        indptr, indices, values = factor.pattern.indptr, factor.pattern.indices, factor.values
        n, body, down = np.uint32(self.n), np.uint32(self.body), np.uint32(self.down)
        entries = int(indptr[self.body])
        column_of = cupy.empty(entries, np.int32)
        row_lengths = cupy.zeros(self.n, np.int32)
        self._launch("tri_columns", self.body, indptr, indices, body, column_of, row_lengths)
        starts = cupy.zeros(self.elements + 1, np.int64)
        self._launch("tri_lengths", self.elements, indptr, indices, body, down, row_lengths, starts[1:])
        starts = cupy.cumsum(starts)
        places = cupy.empty(int(starts[-1]), np.int32)
        factors = cupy.empty(len(places), np.float64)
        order = cupy.argsort(indices[:entries], kind="stable")
        sorted_entries = (order, np.uint64(entries), column_of)
        written = (n, starts, places, factors)
        self._launch("tri_down", max(entries, self.down), indices, values, down, *sorted_entries, *written)
        self._launch("tri_up", self.body, indptr, indices, values, body, down, factor.diagonal, *written)
        return starts, places, factors

    def _inverse(self, factor: Preconditioner) -> Any:
        """Return (tail, tail) float64: (G D G^T)^+ on the tail."""
        import cupy

        wide = self.down - self.body
        if not wide:
            return cupy.empty((0, 0))
        from cupyx.scipy.linalg import solve_triangular

        lower = cupy.eye(wide)
        given = (factor.pattern.indptr, factor.pattern.indices, factor.values)
        self._launch("tri_tail", wide, *given, np.uint32(self.body), np.uint32(self.down), lower)
        inverse = solve_triangular(lower, cupy.eye(wide), lower=True, unit_diagonal=True)
        diagonal = factor.diagonal[self.body : self.down]
        shares = cupy.where(diagonal != 0, 1 / cupy.where(diagonal != 0, diagonal, 1), 0)
        return cupy.ascontiguousarray(inverse.T @ (shares[:, None] * inverse))

    def _launch(self, name: str, items: int, *arguments: Any) -> None:
        launch(self.kernels[name], items, *arguments)

    def _grid(self, name: str) -> tuple[tuple[int], tuple[int]]:
        return (self._blocks[name],), (THREADS,)
