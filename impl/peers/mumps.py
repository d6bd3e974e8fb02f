"""MUMPS through its C interface: multifrontal, in the sequential build, which has an MPI of its own.

P. R. Amestoy, I. S. Duff, J. Koster and J.-Y. L'Excellent, A fully asynchronous multifrontal solver using
distributed dynamic scheduling, SIAM Journal on Matrix Analysis and Applications 23 (2001). The structure
follows dmumps_c.h, version 5.5. Places in ICNTL and INFOG count from 1, as in its manual.

    with opened(csr_array(np.diag([4.0, 9.0])), kind="spd", given=False) as system:
        system.analyse()
        system.factorise()
        system.solve(np.array([4.0, 9.0]))    # [1, 1]
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, tril

from fillpath.errors import FillpathError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import Array
from fillpath.peers import peer
from impl.peers.blas import require_fast
from impl.peers.kinds import NUMBERS, IndefiniteError, Kind

VERSION = "5.5."
SYMMETRY: dict[Kind, int] = {"general": 0, "spd": 1, "symmetric": 2}
# JOB: begin, end, and the phases.
_BEGIN, _END, _ANALYSE, _FACTORISE, _SOLVE = -1, -2, 1, 2, 3
# ICNTL: streams of messages and their print level, matching, ordering, preparation of a symmetric matrix.
# `_ROOM` is for pivots that the analysis did not foresee, in percent.
_STREAMS, _MATCHING, _ORDERING, _SYMMETRIC_ORDERING, _ROOM = (1, 2, 3, 4), 6, 7, 12, 14
_GIVEN = 1
# INFOG: the error, off-diagonal pivots, entries of the factors.
_ERROR, _OFF_DIAGONAL, _ENTRIES = 1, 12, 29
_OUT_OF_ROOM, _OUT_OF_MEMORY = (-8, -9, -14, -15, -17, -20), (-7, -13, -19)
_SINGULAR, _INDEFINITE = (-6, -10), -40

_int, _long, _double, _pointer = ctypes.c_int, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p


def _all(kind: Any, names: str) -> tuple[tuple[str, Any], ...]:
    return tuple((name, kind) for name in names.split())


class _Instance(ctypes.Structure):
    """DMUMPS_STRUC_C."""

    _fields_ = (
        *_all(_int, "sym par job comm_fortran"),
        ("icntl", _int * 60), ("keep", _int * 500), ("cntl", _double * 15), ("dkeep", _double * 230),
        ("keep8", _long * 150),
        *_all(_int, "n nblk nz_alloc nz"), ("nnz", _long), *_all(_pointer, "irn jcn a"),
        ("nz_loc", _int), ("nnz_loc", _long), *_all(_pointer, "irn_loc jcn_loc a_loc"),
        ("nelt", _int), *_all(_pointer, "eltptr eltvar a_elt blkptr blkvar"),
        *_all(_pointer, "perm_in sym_perm uns_perm colsca rowsca"),
        *_all(_int, "colsca_from_mumps rowsca_from_mumps"),
        *_all(_pointer, "rhs redrhs rhs_sparse sol_loc rhs_loc irhs_sparse irhs_ptr isol_loc irhs_loc"),
        *_all(_int, "nrhs lrhs lredrhs nz_rhs lsol_loc nloc_rhs lrhs_loc schur_mloc schur_nloc schur_lld"),
        *_all(_int, "mblock nblock nprow npcol"), ("info", _int * 80), ("infog", _int * 80),
        ("rinfo", _double * 40), ("rinfog", _double * 40),
        ("deficiency", _int), *_all(_pointer, "pivnul_list mapping"),
        ("size_schur", _int), *_all(_pointer, "listvar_schur schur"),
        ("instance_number", _int), ("wk_user", _pointer), ("version_number", ctypes.c_char * 32),
        ("ooc_tmpdir", ctypes.c_char * 256), ("ooc_prefix", ctypes.c_char * 64),
        ("write_problem", ctypes.c_char * 256), ("lwk_user", _int), ("save_dir", ctypes.c_char * 256),
        ("save_prefix", ctypes.c_char * 256), ("metis_options", _int * 40),
    )  # fmt: skip


@functools.cache
def library() -> Any:
    """Return the library. Raises UnavailableError without a fast BLAS, OSError if it cannot be loaded."""
    loaded = ctypes.CDLL(str(peer("mumps").library()))
    require_fast(loaded, "MUMPS")
    return loaded


@dataclass(frozen=True, eq=False)
class System:
    """A matrix in MUMPS.

    instance : DMUMPS_STRUC_C
    kind : given to MUMPS
    arrays : rows, columns, values and order, which MUMPS reads
    """

    instance: _Instance
    kind: Kind
    arrays: tuple[Array, ...]

    def analyse(self) -> None:
        self._run(_ANALYSE)

    def factorise(self) -> None:
        """Factorise. Raises UnsupportedError for a singular matrix, IndefiniteError for a false kind spd."""
        while self._run(_FACTORISE) in _OUT_OF_ROOM:
            # MUMPS's manual asks for more room then.
            self.instance.icntl[_ROOM - 1] *= 2
        if self.kind == "spd" and self.instance.infog[_OFF_DIAGONAL - 1]:
            raise IndefiniteError("MUMPS: a pivot is not positive")

    def solve(self, b: Array) -> Array:
        x: Array = b.copy()
        self.instance.rhs = x.ctypes.data
        self._run(_SOLVE)
        return x

    def facts(self) -> dict[str, float]:
        """Return nnz_factor, off_diagonal_pivots of a general matrix, and the kind (`kinds.NUMBERS`).

        nnz_factor : entries of L and U, of L alone where MUMPS knows of the symmetry
        """
        moved = self.instance.infog[_OFF_DIAGONAL - 1] if self.kind == "general" else 0
        entries = self.instance.infog[_ENTRIES - 1]
        # A negative count is in millions.
        counted = entries if entries >= 0 else -1e6 * entries
        return {"nnz_factor": counted, "off_diagonal_pivots": moved, "kind": NUMBERS[self.kind]}

    def _run(self, job: int) -> int:
        """Run a phase. Returns 0, or MUMPS's error for too little room."""
        self.instance.job = job
        library().dmumps_c(ctypes.byref(self.instance))
        error = int(self.instance.infog[_ERROR - 1])
        if error >= 0 or error in _OUT_OF_ROOM:
            return min(error, 0)
        if self.kind == "spd" and error in (*_SINGULAR, _INDEFINITE):
            raise IndefiniteError("MUMPS: a pivot is not positive")
        raise _reason(error, int(self.instance.infog[1]))


@contextmanager
def opened(matrix: csr_array, *, kind: Kind, given: bool) -> Iterator[System]:
    """Open a matrix in MUMPS until the end of the block. given : bool, whether it keeps its order."""
    entries = (matrix if kind == "general" else tril(matrix)).tocoo()
    numbers = (array.astype(np.intc) + 1 for array in (entries.row, entries.col))
    arrays = *numbers, entries.data, np.arange(1, matrix.shape[0] + 1, dtype=np.intc)
    # comm_fortran : the communicator of the MPI inside.
    instance = _Instance(sym=SYMMETRY[kind], par=1, comm_fortran=-987654, job=_BEGIN)
    library().dmumps_c(ctypes.byref(instance))
    version = instance.version_number.decode(errors="replace")
    if not version.startswith(VERSION):
        raise UnavailableError(f"MUMPS {version}: its structure is another one than that of {VERSION}x")
    instance.n, instance.nnz = matrix.shape[0], len(entries.data)
    instance.irn, instance.jcn, instance.a, order = (array.ctypes.data for array in arrays)
    for stream in _STREAMS:
        instance.icntl[stream - 1] = 0
    if given:
        instance.perm_in = order
        instance.icntl[_ORDERING - 1] = instance.icntl[_SYMMETRIC_ORDERING - 1] = _GIVEN
        instance.icntl[_MATCHING - 1] = 0
    try:
        yield System(instance, kind, arrays)
    finally:
        instance.job = _END
        library().dmumps_c(ctypes.byref(instance))


def _reason(error: int, detail: int) -> FillpathError:
    if error in _SINGULAR:
        return UnsupportedError(
            "MUMPS: the values are singular as prepared: try --matching none --diagonal 1000"
        )
    if error in _OUT_OF_MEMORY:
        return MemoryBudgetError("MUMPS is out of memory")
    return FillpathError(f"MUMPS: error {error}, {detail}")
