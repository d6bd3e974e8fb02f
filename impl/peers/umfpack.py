"""UMFPACK through its C interface: multifrontal LU with pivoting, 32-bit indices.

T. A. Davis, Algorithm 832: UMFPACK, ACM TOMS 30 (2004). Signatures, and places in Control and Info, follow
umfpack.h, versions 5.7 and 6.3, which agree in everything used here.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from fillpath.errors import FillpathError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array
from fillpath.peers import peer
from impl.peers.blas import require_fast

# Control: its length with room for more, and the members that are set.
_CONTROLS, _STEPS, _ORDERING = 64, 7, 10
_NATURAL = 5
# Info: its length, and the members that are read.
_INFOS, _LOWER, _UPPER, _OFF_DIAGONAL = 256, 43, 44, 76
# The system of `solve`: A x = b.
_PLAIN = 0
_SINGULAR, _OUT_OF_MEMORY = 1, -1

_int, _pointer = ctypes.c_int, ctypes.c_void_p


@functools.cache
def library() -> Any:
    """Return the library. Raises UnavailableError without a fast BLAS, OSError if it cannot be loaded."""
    loaded = ctypes.CDLL(str(peer("umfpack").library()))
    require_fast(loaded, "UMFPACK")
    return loaded


@dataclass(frozen=True, eq=False)
class System:
    """A matrix in UMFPACK.

    columns : n x n, float64, with 32-bit indices
    control, info : float64, UMFPACK's settings and what it counts
    symbolic, numeric : UMFPACK's objects
    """

    columns: csc_array
    control: Array
    info: Array
    symbolic: Any
    numeric: Any

    def analyse(self) -> None:
        n = _int(self.columns.shape[0])
        self._call("symbolic", n, n, *self._arrays(), ctypes.byref(self.symbolic))

    def factorise(self) -> None:
        """Factorise. Raises UnsupportedError for a singular matrix."""
        self._call("numeric", *self._arrays(), self.symbolic, ctypes.byref(self.numeric))

    def solve(self, b: Array) -> Array:
        x = np.empty(len(b))
        self._call("solve", _int(_PLAIN), *self._arrays(), _at(x), _at(b), self.numeric)
        return x

    def facts(self) -> dict[str, float]:
        """Return nnz_factor, entries of L and U, the diagonal once, and off_diagonal_pivots."""
        entries = self.info[_LOWER] + self.info[_UPPER] - self.columns.shape[0]
        # -1 if UMFPACK had no diagonal to prefer.
        off_diagonal = self.info[_OFF_DIAGONAL]
        return {"nnz_factor": float(entries), "off_diagonal_pivots": max(0.0, float(off_diagonal))}

    def _arrays(self) -> tuple[Any, ...]:
        return _at(self.columns.indptr), _at(self.columns.indices), _at(self.columns.data)

    def _call(self, name: str, *arguments: Any) -> None:
        function = getattr(library(), f"umfpack_di_{name}")
        status = int(function(*arguments, _at(self.control), _at(self.info)))
        if status == _OUT_OF_MEMORY:
            raise MemoryBudgetError(f"UMFPACK, {name}: out of memory, or of 32-bit indices")
        if status == _SINGULAR:
            raise UnsupportedError(
                "UMFPACK: the values are singular as prepared: try --matching none --diagonal 1000"
            )
        if status:
            raise FillpathError(f"UMFPACK, {name}: status {status}")


@contextmanager
def opened(columns: csc_array, *, given: bool) -> Iterator[System]:
    """Open a matrix in UMFPACK until the end of the block. given : bool, whether it keeps its order."""
    control, info = np.zeros(_CONTROLS), np.zeros(_INFOS)
    library().umfpack_di_defaults(_at(control))
    # Refinement is a phase of its own.
    control[_STEPS] = 0
    if given:
        control[_ORDERING] = _NATURAL
    system = System(columns, control, info, _pointer(), _pointer())
    try:
        yield system
    finally:
        library().umfpack_di_free_symbolic(ctypes.byref(system.symbolic))
        library().umfpack_di_free_numeric(ctypes.byref(system.numeric))


def _at(array: Array) -> Any:
    return _pointer(array.ctypes.data)
