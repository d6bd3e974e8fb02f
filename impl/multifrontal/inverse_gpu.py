"""Inverses of the pivot blocks of a factor on fronts, and solves with them, on the device.

Solves with inverses multiply once each way per front, where substitution waits for each pivot.

    run = Factorisation(maps, maps.shape, static_pivoting=False, invert=True)
    run.enqueue(prepared.values)
    inverses = Inverses(parts_of(maps, widths_of(len(b)), None), run)
    inverses.enqueue()
    InverseSolver(inverses).solve(b, x)    # b, x : (columns, n) float64
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.nouns import Array
from fillpath.registry import HEADERS
from impl.cuda import device, kernels
from impl.multifrontal import arena
from impl.multifrontal.arena import Arena, address
from impl.multifrontal.factor_gpu import Factorisation
from impl.multifrontal.maps_gpu import FrontMaps
from impl.multifrontal.parts_gpu import BLOCK, EIGHT, ONE, PRODUCT, WIDTHS, WORD, Parts, block_bytes
from impl.multifrontal.shape import Shape

KERNEL = Path(__file__).with_name("inverse.cu")
# Kernels by width.
SOLVES = (
    (Path(__file__).with_name("solve_one.cu"), "mf_solve_one"),
    (Path(__file__).with_name("solve_eight.cu"), "mf_solve_eight"),
    (Path(__file__).with_name("solve_block.cu"), "mf_solve_block"),
)
HEADER = HEADERS / "solve_by_parts.cuh"
THREADS = 256
# Words between counters that several blocks change.
APART = 32
# The kernel for 64 solves the remaining right-hand sides if they are this many or more.
MANY = 17
# Microseconds on an H100, fitted to six systems in float64. Inverting takes COST and a rate per byte of the
# factor, and the lists LISTS likewise. A solve with inverses saves PATH_TIME per unit of path, less START and
# a rate.
COST, COST_A_BYTE, LISTS, LISTS_A_BYTE = 40.0, 2.5e-6, 300.0, 6e-7
PATH_TIME, START, SOLVE_A_BYTE = 2.2, 20.0, 1e-7


def pays(maps: FrontMaps, columns: int, refine: int, fresh: bool) -> bool:
    """Return whether a call's solves save the time of inverting, as several right-hand sides always do.

    Inverses lose digits, which a step of refinement recovers in float64 alone. So they pay only with both.

    fresh : bool, whether the lists are made for this call alone
    """
    if refine == 0 or maps.shape.dtype != "float64":
        return False
    stored = maps.totals.factor * maps.shape.itemsize
    saved = PATH_TIME * maps.totals.solve_path - START - SOLVE_A_BYTE * stored
    cost = COST + COST_A_BYTE * stored + (LISTS + LISTS_A_BYTE * stored) * fresh
    return columns > 1 or (1 + refine) * saved >= cost


class Inverses:
    """Inverses of a factor's pivot blocks; blocks of at most 32 pivots are inverted in the factor itself.

    run : Factorisation, with `invert`
    values : larger inverses, in the memory of the fronts' blocks, which grows if necessary
    """

    def __init__(self, parts: Parts, run: Factorisation) -> None:
        import cupy

        self.parts, self.run, self.shape = parts, run, run.shape
        inverted = parts.totals.inverted
        if run.blocks.size < inverted:
            # Free the blocks before more memory is allocated.
            run.blocks = cupy.empty(0, run.shape.dtype)
            run.blocks = cupy.empty(inverted, run.shape.dtype)
        self.values = run.blocks[:inverted]
        self.kernel: Any = kernels.load(KERNEL, ("mf_products",), _defines(run.shape))["mf_products"]

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays, with the arrays of the factorisation."""
        return self.run.nbytes + self.parts.nbytes

    def enqueue(self) -> None:
        """Invert in the current stream, once after each factorisation. The factor is overwritten."""
        products = self.parts.address("products")
        for first, count in self.parts.steps:
            arguments = (np.uint64(products + 4 * PRODUCT * first), self.run.factor, self.values)
            self.kernel((count,), (THREADS,), arguments)


def _defines(shape: Shape) -> tuple[str, ...]:
    wanted = ("REAL=", "TENSOR=", "WARP_FRONT=")
    return tuple(define for define in shape.defines if define.startswith(wanted))


@dataclass(eq=False)
class _Solve:
    """The kernel and arrays of one width. turn : int, which half of the vectors is next."""

    kernel: Any
    blocks: int
    shared: int
    struct: Array
    vectors: Arena
    words: Arena
    turn: int = 0


class InverseSolver:
    """Solves with one factor whose pivot blocks are inverted, for any number of right-hand sides.

    A solver has vectors of its own, so it works in one stream at a time; several solvers may work in several.
    """

    def __init__(self, inverses: Inverses) -> None:
        self.inverses, self.parts = inverses, inverses.parts
        self.n = self.parts.maps.fronts.prepared.pattern.n
        self._solves: dict[int, _Solve] = {}

    def solve(self, b: Array, x: Array, *, add: bool = False) -> None:
        """Set x = A^-1 b, computed in the factor's dtype; with `add`, add A^-1 b to x.

        b, x : (columns, n) float64, contiguous, on the device
        """
        done, columns = 0, len(b)
        while done < columns:
            width = width_of(columns, columns - done)
            count = min(WIDTHS[width], columns - done)
            self._launch(width, address(b) + 8 * self.n * done, address(x) + 8 * self.n * done, count, add)
            done += count

    def _launch(self, width: int, b: int, x: int, columns: int, add: bool) -> None:
        solve = self._solves.get(width) or self._solves.setdefault(width, self._made(width))
        given = {"b": b, "out": x, "columns": columns, "add": int(add)}
        if width == ONE:
            given |= self._halves(solve)
            solve.turn ^= 1
        else:
            solve.words.fill(0)
        words = arena.changed(solve.struct, HEADER, "Solve", given)
        solve.kernel((solve.blocks,), (THREADS,), (words,), shared_mem=solve.shared)

    def _made(self, width: int) -> _Solve:
        parts, shape, tiles = self.parts, self.inverses.shape, WIDTHS[width] // 8
        path, name = SOLVES[width]
        held = (f"HELD={parts.held}",) if width == BLOCK else ()
        kernel = kernels.load(path, (name,), (*_defines(shape), *held))[name]
        shared = block_bytes(parts.held, shape.itemsize) if width == BLOCK else 0
        if shared:
            kernel.max_dynamic_shared_size_bytes = shared
        halves = 2 if width == ONE else WIDTHS[width]
        vectors = Arena({}, {"values": (parts.places * halves, np.dtype(shape.dtype))})
        words = Arena({}, {"ticket": (2 * APART, WORD), "counters": (4 * parts.totals.parts * tiles, WORD)})
        if width == ONE:
            vectors.fill(0xFF)
            words.fill(0xFF)
        most = device.multiprocessors() * device.occupancy(kernel, THREADS, shared)
        blocks = max(1, min(most, parts.totals.tasks(width)))
        fields = self._fields(width) | vectors.addresses | words.addresses
        return _Solve(kernel, blocks, shared, arena.struct(HEADER, "Solve", fields), vectors, words)

    def _halves(self, solve: _Solve) -> dict[str, int]:
        """Return where vectors and tickets of this solve and of the next lie."""
        now, then = solve.turn, 1 - solve.turn
        half = self.parts.places * self.inverses.shape.itemsize
        values, ticket = solve.vectors.addresses["values"], solve.words.addresses["ticket"]
        return {
            "values": values + half * now,
            "next": values + half * then,
            "ticket": ticket + 4 * APART * now,
            "next_ticket": ticket + 4 * APART * then,
        }

    def _fields(self, width: int) -> dict[str, int]:
        parts, tasks = self.parts, self.parts.tasks_of(width)
        return {
            "factor": address(self.inverses.run.factor),
            "inverse": address(self.inverses.values) if self.inverses.values.size else 0,
            "n": self.n,
            "entries": parts.totals.entries,
            "parts": parts.totals.parts,
            "tasks": tasks.addresses["start"] + 8 * 2 * parts.totals.path,
            "vertex": address(parts.maps.array("vertex")),
            "list": parts.address("list"),
            "source": parts.address("source"),
            "more": parts.address("more"),
            "task": tasks.addresses["tasks"],
            "warps": tasks.addresses["warps"],
        }


def width_of(columns: int, left: int) -> int:
    """Choose the kernel for the next right-hand sides of this number."""
    return ONE if columns == 1 else BLOCK if left >= MANY else EIGHT


def widths_of(columns: int) -> tuple[int, ...]:
    """List the kernels that this number of right-hand sides takes."""
    lefts = {columns, columns % WIDTHS[BLOCK] or columns}
    return tuple(sorted({width_of(columns, left) for left in lefts}))
