"""The kernels of `impl.laplacian`'s GPU codes done by NumPy, and as much of CuPy as they call."""

import ctypes
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_triangular

from impl.cuda import device, kernels
from impl.laplacian.launches import BUNDLE, Room, State

# The bits of a value that is yet to come.
MISSING = np.uint64(2**64 - 1).view(np.float64)


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

        def cooperative(*given: Any, enable_cooperative_groups: bool) -> None:
            assert enable_cooperative_groups
            launch(*given)

        vars(launch)["kernel"] = cooperative
        return launch

    def pcg_lanes(self, indptr: Any, begin: int, end: int, entries: int, lanes: Any) -> None:
        lanes[...] = 1

    def pcg_tasks(self, lanes: Any, after: Any, begin: int, end: int, words: Any) -> None:
        """A task is a bundle, by its first row."""
        words[...] = begin + BUNDLE * np.arange(len(words))

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
        vectors[n : n + rows] = vectors[2 * n : 2 * n + rows] = MISSING
        state[State.RR] = max(0.0, vectors[:rows] @ vectors[:rows] - self.drift)
        state[State.ITERATIONS] += 1
        state[State.DONE] = state[State.RR] <= state[State.BOUND]

    def pcg_residual(
        self, b: Any, q: Any, n: int, rows: int, vectors: Any, state: Any, sums: Any, arrived: Any
    ) -> None:
        vectors[:rows] = b[:rows] - q[:rows]
        vectors[n : n + rows] = vectors[2 * n : 2 * n + rows] = MISSING
        state[State.RR] = vectors[:rows] @ vectors[:rows]

    def pcg_close(self, r: Any, z: Any, rows: int, state: Any, sums: Any, arrived: Any) -> None:
        if not state[State.DONE]:
            state[State.OLD] = state[State.RZ]
            state[State.RZ] = r[:rows] @ z[:rows]

    def tri_columns(self, indptr: Any, indices: Any, body: int, column_of: Any, row_lengths: Any) -> None:
        column_of[:] = np.repeat(np.arange(body), np.diff(indptr)[:body])
        row_lengths += np.bincount(indices[: indptr[body]], minlength=len(row_lengths))

    def tri_lengths(
        self, indptr: Any, indices: Any, body: int, down: int, row_lengths: Any, lengths: Any
    ) -> None:
        lengths[:down] = 1 + row_lengths[:down]
        lengths[down:] = [1 + len(_column(indptr, indices, column, down)) for column in reversed(range(body))]

    def tri_down(
        self, indices: Any, values: Any, down: int, order: Any, entries: int, column_of: Any, n: int,
        starts: Any, places: Any, factors: Any,
    ) -> None:  # fmt: skip
        places[starts[:down]], factors[starts[:down]] = np.arange(down), 1.0
        for thread, entry in enumerate(order[:entries]):
            row = indices[entry]
            if row < down:
                places[thread + row + 1] = n + column_of[entry]
                factors[thread + row + 1] = -values[entry]

    def tri_up(
        self, indptr: Any, indices: Any, values: Any, body: int, down: int, diagonal: Any, n: int,
        starts: Any, places: Any, factors: Any,
    ) -> None:  # fmt: skip
        for column in range(body):
            entries = _column(indptr, indices, column, down)
            here = starts[down + body - 1 - column]
            places[here], factors[here] = n + column, 1 / diagonal[column] if diagonal[column] else 0.0
            places[here + 1 : here + 1 + len(entries)] = 2 * n + indices[entries]
            factors[here + 1 : here + 1 + len(entries)] = -values[entries]

    def tri_tail(self, indptr: Any, indices: Any, values: Any, body: int, down: int, dense: Any) -> None:
        for column in range(body, down):
            entries = _column(indptr, indices, column, down)
            dense[indices[entries] - body, column - body] = values[entries]

    def tri_sweep(
        self, tasks: Any, begin: int, end: int, starts: Any, places: Any, factors: Any, down: int,
        elements: int, n: int, vectors: Any, closing: int, patience: int, state: Any, sums: Any, arrived: Any,
    ) -> None:  # fmt: skip
        if state[State.DONE]:
            return
        dot = 0.0
        for first in tasks[begin:end]:
            for element in range(first, min(first + BUNDLE, down if first < down else elements)):
                entries = slice(starts[element], starts[element + 1])
                found = vectors[places[entries]]
                assert not np.isnan(found).any(), "an element is needed before it is computed"
                vertex = element if element < down else elements - 1 - element
                vectors[(1 if element < down else 2) * n + vertex] = total = factors[entries] @ found
                dot += vectors[vertex] * total if element >= down else 0.0
        if closing:
            state[State.OLD], state[State.RZ] = state[State.RZ], dot + state[State.DENSE]

    def tri_dense(
        self, matrix: Any, wide: int, body: int, n: int, vectors: Any, state: Any, sums: Any, arrived: Any
    ) -> None:
        if state[State.DONE]:
            return
        z = matrix @ vectors[n + body : n + body + wide]
        vectors[2 * n + body : 2 * n + body + wide] = z
        state[State.DENSE] = vectors[body : body + wide] @ z

    def ic0_last(self, component: Any, n: int, last: Any) -> None:
        np.maximum.at(last, component, np.arange(n, dtype=np.int32))

    def ic0_lengths(self, indptr: Any, indices: Any, rows: int, lengths: Any) -> None:
        for row in range(rows):
            lengths[row] = 1 + len(_neighbours(indptr, indices, row))

    def ic0_entries(
        self, indptr: Any, indices: Any, weights: Any, component: Any, last: Any, rows: int,
        starts: Any, columns: Any, values: Any,
    ) -> None:  # fmt: skip
        for row in range(rows):
            of_row = slice(indptr[row], indptr[row + 1])
            neighbours = _neighbours(indptr, indices, row)
            sums = [-weights[of_row][indices[of_row] == other].sum() for other in neighbours]
            degree = weights[of_row].sum() * (1 + 1e-6 * (last[component[row]] == row)) or 1.0
            columns[starts[row] : starts[row + 1]] = [*neighbours, row]
            values[starts[row] : starts[row + 1]] = [*sums, degree]


def _column(indptr: Any, indices: Any, column: int, down: int) -> Any:
    """The entries of a column, without the ground's."""
    entries = np.arange(indptr[column], indptr[column + 1])
    return entries[indices[entries] < down]


def _neighbours(indptr: Any, indices: Any, row: int) -> Any:
    """Those before the vertex, each once."""
    neighbours = np.unique(indices[indptr[row] : indptr[row + 1]])
    return neighbours[neighbours < row]


def _placed(function: Any) -> Any:
    return lambda *given, **named: on_device(function(*given, **named))


def stand_in(monkeypatch: pytest.MonkeyPatch) -> Kernels:
    """Have `import cupy` and `kernels.load` find the fakes above."""
    fake = Kernels()
    module = ModuleType("cupy")
    vars(module).update(
        **{name: getattr(np, name) for name in ("argsort", "searchsorted", "where", "ascontiguousarray")},
        **{name: _placed(getattr(np, name)) for name in ("zeros", "ones", "full", "eye", "empty", "arange")},
        **{name: _placed(getattr(np, name)) for name in ("cumsum", "concatenate")},
        cuda=SimpleNamespace(
            get_current_stream=lambda: None,
            alloc_pinned_memory=bytearray,
            Event=lambda **_: SimpleNamespace(record=lambda stream: None, synchronize=lambda: None),
        ),
    )
    linalg = ModuleType("cupyx.scipy.linalg")
    vars(linalg)["solve_triangular"] = solve_triangular
    names = {"cupy": module, "cupyx": ModuleType("cupyx"), "cupyx.scipy": ModuleType("cupyx.scipy")}
    for name, each in {**names, "cupyx.scipy.linalg": linalg}.items():
        monkeypatch.setitem(sys.modules, name, each)
    monkeypatch.setattr(kernels, "load", fake.load)
    monkeypatch.setattr(device, "multiprocessors", lambda: 1)
    monkeypatch.setattr(device, "occupancy", lambda kernel, threads, shared: 1)
    return fake
