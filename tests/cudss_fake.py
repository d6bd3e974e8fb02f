"""cuDSS on a machine without a GPU: a library that is called through C, as cudss.h of each version says.

What it is told it reads at addresses, so that an argument of a wrong type or in a wrong place shows. An
assertion that fails in it is an internal error of the call.
"""

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from fillpath.nouns import Array
from impl.peers import cudss
from tests.solver_fakes import C_TYPES, HANDLE, STREAM, Csr, Objects, at

# The arguments of each function: p pointer, l int64_t, i int or enum, n size_t, s text.
PROTOTYPES = {
    "cudssCreate": "p", "cudssSetStream": "pp", "cudssSetThreadingLayer": "ps", "cudssGetProperty": "ip",
    "cudssConfigCreate": "p", "cudssConfigDestroy": "p", "cudssConfigSet": "pipn",
    "cudssDataCreate": "pp", "cudssDataDestroy": "pp", "cudssDataSet": "ppipn", "cudssDataGet": "ppipnp",
    "cudssMatrixCreateDn": "plllpii", "cudssMatrixSetValues": "pp", "cudssMatrixDestroy": "p",
    "cudssExecute": "pippppp",
}  # fmt: skip
# From 0.8 on the row pointers have a type of their own.
CREATE_CSR = {(0, 7): "plllppppiiiii", (0, 8): "plllppppiiiiii", (1, 0): "plllppppiiiiii"}
# The default of CUDSS_CONFIG_MATCHING_ALG, in 0.7 of CUDSS_CONFIG_USE_MATCHING.
MATCHING = {(0, 7): 0, (0, 8): 0, (1, 0): 6}
# CUDSS_CONFIG_MATCHING_ALG, HOST_NTHREADS and ND_NLEVELS; CUDSS_DATA_USER_PERM and the tree of separators.
CONFIG = {(0, 7): {3: "matching", 15: "threads", 18: "levels"}}
CONFIG[0, 8] = CONFIG[1, 0] = {3: "matching", 14: "threads", 17: "levels"}
DATA = {(0, 7): {9: "permutation", 20: "tree"}}
DATA[0, 8] = DATA[1, 0] = {9: "permutation", 21: "tree"}
GENERAL, SYMMETRIC, SPD = 0, 1, 3
FULL, LOWER, UPPER = 0, 1, 2
LAYER = b"libcudss_mtlayer_gomp.so.1"
TYPES = {"p": ctypes.c_void_p, "l": ctypes.c_int64, "i": ctypes.c_int, "n": ctypes.c_size_t}
TYPES["s"] = ctypes.c_char_p
INVALID_VALUE, INTERNAL_ERROR = 3, 6
INT32 = 4


@dataclass
class Config:
    """threads : of the host; levels : of a tree of separators."""

    matching: int
    threads: int = 1
    levels: int = 10


@dataclass
class Data:
    """permutation, tree : bytes of the user's. nnz : of the factors, from the symbolic phase on."""

    permutation: bytes | None = None
    tree: bytes | None = None
    factor: Any = None
    info: int = 0
    done: list[int] = field(default_factory=list)
    nnz: int | None = None


class CuDss:
    """statuses : of phases, 0 if not named. info : of the factorisation. factor : x is this times the
    solution. most : systems alive at a time. kinds : type and view of each matrix that was made."""

    def __init__(self, version: tuple[int, int]) -> None:
        self.version = version
        self.objects = Objects()
        self.done: list[int] = []
        self.statuses: dict[int, int] = {}
        self.info, self.factor, self.most = 0, 1.0, 0
        self.counts_early = True
        self.config: Config | None = None
        self.layer: bytes | None = None
        self.kinds: list[tuple[int, int]] = []
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

    def cudssSetThreadingLayer(self, handle: int, path: bytes) -> None:
        assert handle == HANDLE
        self.layer = path

    def cudssConfigCreate(self, into: int) -> None:
        self.config = Config(MATCHING[self.version])
        self._make(into, self.config)

    def cudssConfigSet(self, config: int, what: int, value: int, size: int) -> None:
        assert size == INT32
        setattr(self._alive(config, Config), CONFIG[self.version][what], int(at(value, 1, np.int32)[0]))

    def cudssDataCreate(self, handle: int, into: int) -> None:
        assert handle == HANDLE
        self._make(into, Data())
        alive = [each for each in self.objects.alive.values() if isinstance(each, Data)]
        self.most = max(self.most, len(alive))

    def cudssMatrixCreateCsr(self, into: int, rows: int, columns: int, nnz: int, *rest: Any) -> None:
        indptr, end, indices, values, *types, mtype, view, base = rest
        assert rows == columns and end is None and base == 0
        assert mtype in (GENERAL, SYMMETRIC, SPD) and view in (FULL, LOWER, UPPER)
        self.kinds.append((mtype, view))
        assert types == ([10, 1] if self.version == (0, 7) else [10, 10, 1])
        kinds = {"index_type": np.int32, "value_type": np.float64, "mtype": mtype, "view": view}
        self._make(into, Csr(n=rows, nnz=nnz, indptr=indptr, indices=indices, values=values, **kinds))

    def cudssMatrixSetValues(self, matrix: int, values: int) -> None:
        self._alive(matrix, Csr).values = values

    def cudssMatrixCreateDn(
        self, into: int, rows: int, columns: int, stride: int, values: int, kind: int, layout: int
    ) -> None:
        assert (stride, layout) == (rows, 0)
        self._make(into, (values, rows * columns, C_TYPES[kind]))

    def cudssConfigDestroy(self, made: int) -> None:
        self.objects.destroy(made)

    def cudssMatrixDestroy(self, made: int) -> None:
        self.objects.destroy(made)

    def cudssDataDestroy(self, handle: int, made: int) -> None:
        assert handle == HANDLE
        self.objects.destroy(made)

    def cudssDataSet(self, handle: int, data: int, what: int, value: int, size: int) -> None:
        """The permutation or the tree, which are looked at by the phase that reads them."""
        assert handle == HANDLE
        setattr(self._alive(data, Data), DATA[self.version][what], ctypes.string_at(value, size))

    def cudssDataGet(self, handle: int, data: int, what: int, into: int, size: int, written: int) -> int:
        system = self._alive(data, Data)
        values = {0: self.info or system.info, 1: system.nnz, 2: 6}
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
        before = {1: None, 2: 1, 4: 2, 8: 4, 1008: 4}[phase]
        if before is not None and before not in system.done:
            return INVALID_VALUE
        system.done.append(phase)
        settings = self._alive(config, Config)
        assert self.layer is not None or settings.threads == 1, "threads without a layer"
        if phase == 1:
            return 0 if _is_order(system, _taken_for(csr), settings.levels) else INVALID_VALUE
        if phase == 2:
            system.nnz = self._counted(csr, system, settings)
        if phase in (4, 8):
            # Values of the last factorisation are those that it solves with.
            system.factor = _taken_for(csr).tocsc()
            system.info = _first_bad_minor(system.factor.toarray()) if csr.mtype == SPD else 0
        if phase == 1008:
            b, x = at(*self._alive(right, tuple)), at(*self._alive(solution, tuple))
            x.reshape(-1, csr.n)[:] = [
                self.factor * spsolve(system.factor, one) for one in b.reshape(-1, csr.n)
            ]
        return 0

    def _counted(self, csr: Csr, system: Data, config: Config) -> int:
        """Its own order is from the last row to the first; a matching takes the columns in a circle."""
        dense = _taken_for(csr).toarray() != 0
        if config.matching:
            dense = np.roll(dense, 1, axis=1)
        order = np.arange(csr.n)[::-1]
        if system.permutation is not None:
            order = np.frombuffer(system.permutation, np.int32)
        both = filled_entries(dense[np.ix_(order, order)])
        return both if csr.mtype == GENERAL else (both + csr.n) // 2

    def _make(self, into: int, what: Any) -> None:
        at(into, 1, np.int64)[0] = self.objects.make(what)

    def _alive(self, number: int, kind: type) -> Any:
        made = self.objects.alive[number]
        assert isinstance(made, kind), f"{number} is no {kind.__name__}"
        return made


def _taken_for(csr: Csr) -> Any:
    """The matrix that a type and a view make of what is stored: cuDSS ignores the other triangle."""
    stored = csr.matrix()
    if csr.mtype == GENERAL or csr.view == FULL:
        return stored
    triangle = (sp.triu if csr.view == UPPER else sp.tril)(stored)
    return sp.csr_array(triangle + triangle.T - sp.diags_array(stored.diagonal()))


def _first_bad_minor(dense: Array) -> int:
    """The first leading minor that is not positive, from 1; 0 if all are."""
    bad = [k for k in range(1, len(dense) + 1) if np.linalg.eigvalsh(dense[:k, :k])[0] <= 0]
    return min(bad, default=0)


def _is_order(system: Data, matrix: Any, levels: int) -> bool:
    """Whether the permutation is one, and no entry joins two branches of the tree."""
    n = matrix.shape[0]
    if system.permutation is None:
        return system.tree is None
    order = np.frombuffer(system.permutation, np.int32)
    if len(system.permutation) != INT32 * n or sorted(order) != list(range(n)):
        return False
    if system.tree is None:
        return True
    sizes = np.frombuffer(system.tree, np.int32)
    if len(sizes) != 2**levels - 1 or sizes.sum() != n:
        return False
    # From the leaves to the root, level by level: of each node those that contain it.
    above: dict[int, set[int]] = {len(sizes) - 1: {len(sizes) - 1}}
    for node in reversed(range(len(sizes) - 1)):
        parent = 2 ** (levels - 1) + node // 2
        above[node] = {node} | above[parent]
    owner = np.empty(n, np.int64)
    owner[order] = np.repeat(np.arange(len(sizes)), sizes)
    pairs = {(int(owner[i]), int(owner[j])) for i, j in zip(*matrix.nonzero(), strict=True)}
    return all(one in above[other] or other in above[one] for one, other in pairs)


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
    monkeypatch.setattr(cudss, "_file", lambda stem: f"{stem}.so.1")
    with monkeypatch.context() as patch:
        patch.setattr(ctypes, "CDLL", lambda path: fake.cdll)
        cudss.library.cache_clear()
        cudss.library()
    cudss._handle.cache_clear()
    return fake
