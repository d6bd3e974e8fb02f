"""Preconditioned conjugate gradients on the GPU.

The recurrence is that of `pcg_cpu`. Its scalars are on the device, so no kernel waits for the host. The host
reads the state of a step while the next step runs. Once the residual is small, later launches do nothing
(`pcg.cu`).

    factor, _ = parac_gpu(system.laplacian)
    vertices = system.laplacian.n - system.laplacian.grounded
    applied = triangular_gpu.Solves(factor, vertices, tail=0)
    solution, work = solved(system, applied, "random", {})
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fillpath.nouns import Array, Laplacian, Solution, System, Work
from fillpath.phase import phase
from impl.cuda import kernels
from impl.laplacian.launches import THREADS, Room, State, resident, tasks
from impl.laplacian.pcg_cpu import RightHandSide
from impl.laplacian.stopping import (
    MOST_ITERATIONS,
    TOLERANCE,
    Reached,
    broken_down,
    unconverged,
    waited_in_vain,
)
from impl.laplacian.system import to_unknowns

KERNEL = Path(__file__).with_name("pcg.cu")
NAMES = ("pcg_product", "pcg_turn", "pcg_step", "pcg_residual", "pcg_close")
# The most blocks per multiprocessor.
RESIDENT = 8


class Applied(Protocol):
    """A preconditioner on the device.

    blocks : of its largest grid
    says_rz : whether it computes r.z too
    """

    @property
    def blocks(self) -> int: ...

    @property
    def says_rz(self) -> bool: ...

    def apply(self, room: Room) -> Any:
        """Launch z = M^-1 r, where y and z are MISSING, and state[RZ] = r.z if it computes that.

        Returns z, float64 by vertices, 0 at the ground.
        """


def solved(
    system: System, applied: Applied, rhs: RightHandSide, facts: Mapping[str, float]
) -> tuple[Solution, Work]:
    """Solve as `pcg_cpu.solved` does, with any preconditioner on the device."""
    graph = system.laplacian
    with phase("solve"):
        steps = _Steps(graph, applied)
    with phase("right_hand_side"):
        b = system.b if rhs == "random" else steps.product(system.b)
    with phase("solve"):
        reached = steps.until(b)
        x = to_unknowns(graph, reached.y)
    return Solution(x), Work(facts={**facts, **reached.facts()})


class _Steps:
    """The vectors of one solution, and the launches that work on them."""

    def __init__(self, graph: Laplacian, applied: Applied) -> None:
        import cupy

        self.n, self.rows = graph.n, graph.n - graph.grounded
        self.applied = applied
        self.kernels: dict[str, Any] = kernels.load(KERNEL, NAMES)
        self.blocks = {name: resident(self.kernels[name], RESIDENT) for name in NAMES}
        self.room = Room(self.n, max(applied.blocks, *self.blocks.values()))
        # A second state, for kernels that have to run even when the iteration is done.
        self.aside: Any = cupy.zeros(len(State))
        self.y, self.p, self.q = (cupy.zeros(self.n) for _ in range(3))
        edges = (graph.pattern.indptr, graph.pattern.indices, graph.weights)
        dealt = tasks(graph.pattern.indptr, (0, self.rows))
        self.matrix = (dealt.words, np.uint32(dealt.ends[-1]), *edges, np.uint32(self.rows))
        self.sizes = (np.uint32(self.n), np.uint32(self.rows))

    def product(self, x: Any) -> Any:
        """Return L x, with 0 in the ground's row."""
        import cupy

        y = cupy.zeros(self.n)
        self._launch("pcg_product", *self.matrix, x, y, *self._aside())
        return y

    def until(self, b: Any) -> Reached:
        """Iterate as `pcg_cpu.conjugate_gradients` does."""
        first = self._residual(b)
        if first == 0:
            return Reached(self.y, 0, 0.0)
        told = _Told(self.room.state)
        done = 0
        while done < MOST_ITERATIONS:
            self._begin(TOLERANCE * first, done)
            self._run(told, MOST_ITERATIONS - done)
            state = told.now()
            done = int(state[State.ITERATIONS])
            if state[State.DONE] == 2:
                raise broken_down(done, float(min(state[State.RZ], state[State.PQ])))
            if state[State.DONE] == 3:
                raise waited_in_vain(done)
            left = self._residual(b) / first
            if left <= TOLERANCE:
                return Reached(self.y, done, left)
        raise unconverged(left)

    def _begin(self, bound: float, done: int) -> None:
        """Start with z as the next direction, independent of the previous one."""
        state = np.zeros(len(State))
        state[State.RZ], state[State.BOUND], state[State.ITERATIONS] = np.inf, bound**2, done
        self.room.state.set(state)

    def _run(self, told: _Told, most: int) -> None:
        for step in range(most):
            self._step()
            told.ask(step)
            if step and told.answer(step - 1)[State.DONE]:
                return

    def _step(self) -> None:
        room = self.room
        z = self.applied.apply(room)
        if not self.applied.says_rz:
            self._launch("pcg_close", room.vectors, z, self.sizes[1], *room.scalars)
        self._launch("pcg_turn", z, self.sizes[1], self.p, room.state)
        self._launch("pcg_product", *self.matrix, self.p, self.q, *room.scalars)
        self._launch("pcg_step", self.p, self.q, *self.sizes, self.y, room.vectors, *room.scalars)

    def _residual(self, b: Any) -> float:
        """Compute r = b - L y. Returns ||r||."""
        self._launch("pcg_product", *self.matrix, self.y, self.q, *self._aside())
        self._launch("pcg_residual", b, self.q, *self.sizes, self.room.vectors, *self._aside())
        return math.sqrt(float(self.aside[State.RR]))

    def _aside(self) -> tuple[Any, Any, Any]:
        return self.aside, self.room.sums, self.room.arrived

    def _launch(self, name: str, *arguments: Any) -> None:
        self.kernels[name]((self.blocks[name],), (THREADS,), arguments)


class _Told:
    """The device's state in pinned memory, of this step and of the previous one."""

    def __init__(self, state: Any) -> None:
        import cupy

        self._state, self._stream = state, cupy.cuda.get_current_stream()
        self._pinned = cupy.cuda.alloc_pinned_memory(2 * state.nbytes)
        self._copies = np.frombuffer(self._pinned, np.float64, 2 * len(state)).reshape(2, -1)
        self._events = [cupy.cuda.Event(disable_timing=True) for _ in range(2)]

    def ask(self, step: int) -> None:
        """Launch a copy after everything launched so far."""
        address = ctypes.c_void_p(self._copies[step % 2].ctypes.data)
        self._state.data.copy_to_host_async(address, self._state.nbytes, self._stream)
        self._events[step % 2].record(self._stream)

    def answer(self, step: int) -> Array:
        """Return the state requested at this step or the previous one."""
        self._events[step % 2].synchronize()
        copied: Array = self._copies[step % 2]
        return copied

    def now(self) -> Array:
        """Return the state when everything launched so far is done."""
        state: Array = self._state.get()
        return state
