"""cuDSS on a machine without a GPU: a library that is called through C, as cudss.h of each version says.

What it is told it reads at addresses, so that an argument of a wrong type or in a wrong place shows. An
assertion that fails in it is an internal error of the call.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

from fillpath.nouns import Array
from impl.peers import cudss
from tests.solver_fakes import C_TYPES, HANDLE, STREAM, Csr, Objects, at

# The arguments of each function: p pointer, l int64_t, i int or enum, n size_t.
PROTOTYPES = {
    "cudssCreate": "p", "cudssSetStream": "pp", "cudssGetProperty": "ip",
    "cudssConfigCreate": "p", "cudssConfigDestroy": "p", "cudssConfigSet": "pipn",
    "cudssDataCreate": "pp", "cudssDataDestroy": "pp", "cudssDataSet": "ppipn", "cudssDataGet": "ppipnp",
    "cudssMatrixCreateDn": "plllpii", "cudssMatrixDestroy": "p", "cudssExecute": "pippppp",
}  # fmt: skip
# From 0.8 on the row pointers have a type of their own.
CREATE_CSR = {(0, 7): "plllppppiiiii", (0, 8): "plllppppiiiiii", (1, 0): "plllppppiiiiii"}
# The default of CUDSS_CONFIG_MATCHING_ALG, in 0.7 of CUDSS_CONFIG_USE_MATCHING.
MATCHING = {(0, 7): 0, (0, 8): 0, (1, 0): 6}
TYPES = {"p": ctypes.c_void_p, "l": ctypes.c_int64, "i": ctypes.c_int, "n": ctypes.c_size_t}
INVALID_VALUE, INTERNAL_ERROR = 3, 6
INT32 = 4


@dataclass
class Config:
    matching: int


@dataclass
class Data:
    """permutation : (bytes, their number) of the user's. nnz : of the factors, from the symbolic phase on."""

    permutation: tuple[bytes, int] | None = None
    done: list[int] = field(default_factory=list)
    nnz: int | None = None


class CuDss:
    """statuses : of phases, 0 if not named. info : of the factorisation. factor : x is this times the
    solution. most : systems alive at a time."""

    def __init__(self, version: tuple[int, int]) -> None:
        self.version = version
        self.objects = Objects()
        self.done: list[int] = []
        self.statuses: dict[int, int] = {}
        self.info, self.factor, self.most = 0, 1.0, 0
        self.counts_early = True
        self.config: Config | None = None
        prototypes = {**PROTOTYPES, "cudssMatrixCreateCsr": CREATE_CSR[version]}
        self.cdll = SimpleNamespace(**{name: self._called(name, text) for name, text in prototypes.items()})

    def _called(self, name: str, prototype: str) -> Any:
        method: Callable[..., int | None] = getattr(self, name)

        @functools.wraps(method)
        def call(*arguments: Any) -> int:
            # What a callback raises would be lost.
            try:
                return method(*arguments) or 0
            except (AssertionError, KeyError, AttributeError) as error:
                print(f"{name}: {error!r}")
                return INTERNAL_ERROR

        return ctypes.CFUNCTYPE(ctypes.c_int, *(TYPES[letter] for letter in prototype))(call)

    def cudssGetProperty(self, what: int, into: int) -> None:
        at(into, 1, np.int32)[0] = self.version[what]

    def cudssCreate(self, into: int) -> None:
        at(into, 1, np.int64)[0] = HANDLE

    def cudssSetStream(self, handle: int, stream: int | None) -> None:
        assert (handle, stream or 0) == (HANDLE, STREAM)

    def cudssConfigCreate(self, into: int) -> None:
        self.config = Config(MATCHING[self.version])
        self._make(into, self.config)

    def cudssConfigSet(self, config: int, what: int, value: int, size: int) -> None:
        assert (what, size) == (3, INT32)
        self._alive(config, Config).matching = int(at(value, 1, np.int32)[0])

    def cudssDataCreate(self, handle: int, into: int) -> None:
        assert handle == HANDLE
        self._make(into, Data())
        alive = [each for each in self.objects.alive.values() if isinstance(each, Data)]
        self.most = max(self.most, len(alive))

    def cudssMatrixCreateCsr(self, into: int, rows: int, columns: int, nnz: int, *rest: Any) -> None:
        indptr, end, indices, values, *types, mtype, view, base = rest
        assert rows == columns and end is None and (mtype, view, base) == (0, 0, 0)
        assert types == ([10, 1] if self.version == (0, 7) else [10, 10, 1])
        kinds = {"index_type": np.int32, "value_type": np.float64}
        self._make(into, Csr(n=rows, nnz=nnz, indptr=indptr, indices=indices, values=values, **kinds))

    def cudssMatrixCreateDn(
        self, into: int, rows: int, columns: int, stride: int, values: int, kind: int, layout: int
    ) -> None:
        assert (columns, stride, layout) == (1, rows, 0)
        self._make(into, (values, rows, C_TYPES[kind]))

    def cudssConfigDestroy(self, made: int) -> None:
        self.objects.destroy(made)

    def cudssMatrixDestroy(self, made: int) -> None:
        self.objects.destroy(made)

    def cudssDataDestroy(self, handle: int, made: int) -> None:
        assert handle == HANDLE
        self.objects.destroy(made)

    def cudssDataSet(self, handle: int, data: int, what: int, value: int, size: int) -> None:
        """The permutation, whose length and values are looked at by the phase that reads it."""
        assert (handle, what) == (HANDLE, 9)
        self._alive(data, Data).permutation = ctypes.string_at(value, size), size

    def cudssDataGet(self, handle: int, data: int, what: int, into: int, size: int, written: int) -> int:
        system = self._alive(data, Data)
        values = {0: self.info, 1: system.nnz, 2: 6}
        assert size == {0: 4, 1: 8, 2: 4}[what]
        if values[what] is None:
            return INVALID_VALUE
        counted = what != 1 or self.counts_early or 4 in system.done
        at(into, 1, f"i{size}")[0] = values[what] if counted else 0
        at(written, 1, np.uint64)[0] = size
        return 0

    def cudssExecute(
        self, handle: int, phase: int, config: int, data: int, matrix: int, solution: int, right: int
    ) -> int:
        system, csr = self._alive(data, Data), self._alive(matrix, Csr)
        self.done.append(phase)
        if self.statuses.get(phase):
            return self.statuses[phase]
        before = {1: None, 2: 1, 4: 2, 1008: 4}[phase]
        if before is not None and before not in system.done:
            return INVALID_VALUE
        system.done.append(phase)
        if phase == 1:
            return 0 if _is_permutation(system, csr.n) else INVALID_VALUE
        if phase == 2:
            system.nnz = self._counted(csr, system, self._alive(config, Config))
        if phase == 1008:
            b, x = at(*self._alive(right, tuple)), at(*self._alive(solution, tuple))
            x[:] = self.factor * spsolve(csr.matrix().tocsc(), b)
        return 0

    def _counted(self, csr: Csr, system: Data, config: Config) -> int:
        """Its own order is from the last row to the first; a matching takes the columns in a circle."""
        dense = csr.matrix().toarray() != 0
        if config.matching:
            dense = np.roll(dense, 1, axis=1)
        if system.permutation is None:
            return filled_entries(dense[::-1, ::-1])
        order = np.frombuffer(system.permutation[0], np.int32)
        return filled_entries(dense[np.ix_(order, order)])

    def _make(self, into: int, what: Any) -> None:
        at(into, 1, np.int64)[0] = self.objects.make(what)

    def _alive(self, number: int, kind: type) -> Any:
        made = self.objects.alive[number]
        assert isinstance(made, kind), f"{number} is no {kind.__name__}"
        return made


def _is_permutation(system: Data, n: int) -> bool:
    if system.permutation is None:
        return True
    entries, size = system.permutation
    return size == INT32 * n and sorted(np.frombuffer(entries, np.int32)) == list(range(n))


def filled_entries(dense: Array) -> int:
    """Entries of L + U of A + A^T. dense : (n, n) bool."""
    filled = dense | dense.T | np.eye(len(dense), dtype=bool)
    for k in range(len(filled)):
        after = k + 1 + np.flatnonzero(filled[k + 1 :, k])
        filled[np.ix_(after, after)] = True
    return int(filled.sum())


def stand_in_cudss(monkeypatch: pytest.MonkeyPatch, version: tuple[int, int]) -> CuDss:
    """Have impl.peers.cudss load a library of that version."""
    fake = CuDss(version)
    monkeypatch.setattr(cudss, "_load_needed", lambda name: None)
    monkeypatch.setattr(cudss, "_path", lambda: "libcudss.so")
    with monkeypatch.context() as patch:
        patch.setattr(ctypes, "CDLL", lambda path: fake.cdll)
        cudss.library.cache_clear()
        cudss.library()
    cudss._handle.cache_clear()
    return fake
