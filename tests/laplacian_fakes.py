"""The kernels of `impl.laplacian.pcg_gpu` done by NumPy, and as much of CuPy as it calls."""

from __future__ import annotations

import ctypes
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from impl.cuda import device, kernels
from impl.laplacian.launches import Room, State


class DeviceArray(np.ndarray):
    @property
    def data(self) -> Any:  # type: ignore[override]
        address = self.ctypes.data

        def copy_to_host_async(to: ctypes.c_void_p, size: int, stream: object) -> None:
            ctypes.memmove(to, ctypes.c_void_p(address), size)

        return SimpleNamespace(copy_to_host_async=copy_to_host_async)

    def get(self) -> Any:
        return np.array(self)

    def set(self, values: Any) -> None:
        self[...] = values


def on_device(array: Any) -> Any:
    return np.array(array).view(DeviceArray)


class Inverse:
    """A preconditioner that is given as a dense matrix, of the vertices without the ground."""

    blocks = 1
    says_rz = False

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def apply(self, room: Room) -> Any:
        return on_device(self.matrix @ room.vectors[: len(self.matrix)])


class Waiting(Inverse):
    """One whose kernel gives up."""

    def apply(self, room: Room) -> Any:
        room.state[State.DONE] = 3
        return super().apply(room)


class Kernels:
    """launched : the names, in order. drift : what each step adds to r and nobody sees."""

    def __init__(self) -> None:
        self.launched: list[str] = []
        self.drift = 0.0

    def load(self, path: Any, names: tuple[str, ...], defines: tuple[str, ...] = ()) -> dict[str, Any]:
        return {name: self._kernel(name) for name in names}

    def _kernel(self, name: str) -> Any:
        def launch(grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...]) -> None:
            self.launched.append(name)
            getattr(self, name)(*arguments)

        return launch

    def pcg_lanes(self, indptr: Any, begin: int, end: int, entries: int, lanes: Any) -> None:
        lanes[...] = 1

    def pcg_tasks(self, lanes: Any, after: Any, begin: int, end: int, words: Any) -> None:
        words[...] = 0

    def pcg_product(
        self, tasks: Any, count: int, indptr: Any, indices: Any, weights: Any, rows: int,
        x: Any, y: Any, state: Any, sums: Any, arrived: Any,
    ) -> None:  # fmt: skip
        if state[State.DONE]:
            return
        of_entries = np.repeat(np.arange(len(x)), np.diff(indptr))
        terms = weights * (x[of_entries] - x[indices])
        y[:rows] = np.bincount(of_entries, terms, len(x))[:rows]
        state[State.PQ] = x[:rows] @ y[:rows]

    def pcg_turn(self, z: Any, rows: int, p: Any, state: Any) -> None:
        if not state[State.DONE]:
            p[:rows] = z[:rows] + state[State.RZ] / state[State.OLD] * p[:rows]

    def pcg_step(
        self, p: Any, q: Any, n: int, rows: int, x: Any, vectors: Any, state: Any, sums: Any, arrived: Any
    ) -> None:
        if state[State.DONE]:
            return
        if not (state[State.RZ] > 0 and state[State.PQ] > 0):
            state[State.DONE] = 2
            return
        alpha = state[State.RZ] / state[State.PQ]
        x[:rows] += alpha * p[:rows]
        vectors[:rows] -= alpha * q[:rows]
        state[State.RR] = max(0.0, vectors[:rows] @ vectors[:rows] - self.drift)
        state[State.ITERATIONS] += 1
        state[State.DONE] = state[State.RR] <= state[State.BOUND]

    def pcg_residual(
        self, b: Any, q: Any, n: int, rows: int, vectors: Any, state: Any, sums: Any, arrived: Any
    ) -> None:
        vectors[:rows] = b[:rows] - q[:rows]
        state[State.RR] = vectors[:rows] @ vectors[:rows]

    def pcg_close(self, r: Any, z: Any, rows: int, state: Any, sums: Any, arrived: Any) -> None:
        if not state[State.DONE]:
            state[State.OLD] = state[State.RZ]
            state[State.RZ] = r[:rows] @ z[:rows]


def stand_in(monkeypatch: pytest.MonkeyPatch) -> Kernels:
    """Have `import cupy` and `kernels.load` find the fakes above."""
    fake = Kernels()
    module = ModuleType("cupy")
    vars(module).update(
        zeros=lambda *shape: on_device(np.zeros(*shape)),
        empty=lambda *shape: on_device(np.empty(*shape)),
        cumsum=lambda array, dtype: on_device(np.cumsum(array, dtype=dtype)),
        cuda=SimpleNamespace(
            get_current_stream=lambda: None,
            alloc_pinned_memory=bytearray,
            Event=lambda **_: SimpleNamespace(record=lambda stream: None, synchronize=lambda: None),
        ),
    )
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setattr(kernels, "load", fake.load)
    monkeypatch.setattr(device, "multiprocessors", lambda: 1)
    monkeypatch.setattr(device, "occupancy", lambda kernel, threads, shared: 1)
    return fake
