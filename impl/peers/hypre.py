"""HYPRE's BoomerAMG and its conjugate gradients through its C interface, on ranks of MPI.

R. D. Falgout and U. M. Yang, hypre: a library of high performance preconditioners (2002); V. E. Henson and U.
M. Yang, BoomerAMG, Applied Numerical Mathematics 41 (2002). Signatures follow versions 2.2x and 2.3x with
32-bit HYPRE_Int, error codes HYPRE_utilities.h.

    with opened(MPI.COMM_WORLD, begin, share, b) as rows, multigrid(rows, "triple") as levels:
        levels.set_up()
        iterations, reached = levels.solve(1e-6, 100)
        x = rows.x
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from fillpath.errors import FillpathError, MemoryBudgetError
from fillpath.nouns import Array
from fillpath.peers import peer
from impl.peers.mpi import import_mpi, load

# HYPRE_PARCSR.
_PARALLEL_ROWS = 5555
# HYPRE_ERROR_MEMORY; HYPRE_ERROR_CONV: the iterations ended before the tolerance.
_MEMORY, _UNCONVERGED = 2, 256
# HYPRE_DescribeError writes a few words.
_DESCRIPTION_BYTES = 1024

# How the operators of coarse levels are made: R A P at once, or A P first.
Product = Literal["triple", "modular"]

_int, _double, _pointer = ctypes.c_int, ctypes.c_double, ctypes.c_void_p


@functools.cache
def library() -> Any:
    """Return the library, initialised. Raises UnavailableError as `load` does."""
    # HYPRE finds MPI's symbols among those that mpi4py has loaded.
    loaded = load(peer("hypre"), ctypes.RTLD_GLOBAL)
    # HYPRE_Init is a macro from 2.29 on.
    (loaded.HYPRE_Initialize if hasattr(loaded, "HYPRE_Initialize") else loaded.HYPRE_Init)()
    return loaded


@dataclass(frozen=True, eq=False)
class Rows:
    """A rank's rows of A x = b in HYPRE.

    begin, end : int, which rows, the last one excluded
    matrix, right, solution : HYPRE's objects
    filled : HYPRE's object through which rows of the solution are set and read
    """

    communicator: Any
    begin: int
    end: int
    matrix: Any
    right: Any
    solution: Any
    filled: Any

    @property
    def x(self) -> Array:
        """Return (end - begin,) float64: the solution so far."""
        x = np.empty(self.end - self.begin)
        rows = np.arange(self.begin, self.end, dtype=np.intc)
        _call("IJVectorGetValues", self.filled, _int(len(x)), _at(rows), _at(x))
        return x


@contextmanager
def opened(communicator: Any, begin: int, share: csr_array, b: Array) -> Iterator[Rows]:
    """Open this rank's rows of A x = b in HYPRE until the end of the block.

    communicator : of mpi4py
    begin : int, the first row; a rank's rows follow those of the previous rank
    share : (rows, n) float64, rows of a symmetric positive (semi-)definite A
    b : (rows,) float64
    """
    end = begin + share.shape[0]
    world, bounds = _world(communicator), (_int(begin), _int(end - 1))
    rows, lengths = np.arange(begin, end, dtype=np.intc), np.diff(share.indptr).astype(np.intc)
    indices, values = share.indices.astype(np.intc, copy=False), share.data
    with ExitStack() as stack:

        def own(kind: str, *arguments: Any) -> Any:
            created = _created(f"{kind}Create", *arguments)
            stack.callback(_call, f"{kind}Destroy", created)
            _call(f"{kind}SetObjectType", created, _int(_PARALLEL_ROWS))
            return created

        def vector(entries: Array) -> Any:
            filled = own("IJVector", world, *bounds)
            _call("IJVectorInitialize", filled)
            _call("IJVectorSetValues", filled, _int(end - begin), _at(rows), _at(entries))
            _call("IJVectorAssemble", filled)
            return filled

        filled = own("IJMatrix", world, *bounds, *bounds)
        _call("IJMatrixSetRowSizes", filled, _at(lengths))
        _call("IJMatrixInitialize", filled)
        _call("IJMatrixSetValues", filled, _int(end - begin), *map(_at, (lengths, rows, indices, values)))
        _call("IJMatrixAssemble", filled)
        right, solution = vector(b), vector(np.zeros(end - begin))
        yield Rows(
            communicator=communicator,
            begin=begin,
            end=end,
            matrix=_created("IJMatrixGetObject", filled),
            right=_created("IJVectorGetObject", right),
            solution=_created("IJVectorGetObject", solution),
            filled=solution,
        )


@dataclass(frozen=True, eq=False)
class Multigrid:
    """One V-cycle of BoomerAMG an iteration of conjugate gradients."""

    rows: Rows
    amg: Any
    gradients: Any

    def set_up(self) -> None:
        """Make the levels."""
        _call("ParCSRPCGSetup", self.gradients, *self._system())

    def solve(self, tolerance: float, most: int) -> tuple[int, bool]:
        """Iterate from the last solution until ||b - A x|| < tolerance ||b||, by the recurrence.

        The norm is Euclidean. Returns (iterations, whether the tolerance was reached), after at most `most`
        iterations, and at least one unless the solution is exact.
        """
        _call("ParCSRPCGSetTol", self.gradients, _double(tolerance))
        _call("ParCSRPCGSetMaxIter", self.gradients, _int(most))
        status = _call("ParCSRPCGSolve", self.gradients, *self._system(), may=_UNCONVERGED)
        iterations = _int()
        _call("ParCSRPCGGetNumIterations", self.gradients, ctypes.byref(iterations))
        return iterations.value, not status

    def _system(self) -> tuple[Any, Any, Any]:
        return self.rows.matrix, self.rows.right, self.rows.solution


@contextmanager
def multigrid(rows: Rows, product: Product) -> Iterator[Multigrid]:
    """Open BoomerAMG, with its defaults but for the product, and the conjugate gradients that take it."""
    modular = _int(product == "modular")
    with ExitStack() as stack:
        amg = _created("BoomerAMGCreate")
        stack.callback(_call, "BoomerAMGDestroy", amg)
        for name, value in (("Tol", _double(0.0)), ("MaxIter", _int(1)), ("ModuleRAP2", modular)):
            _call(f"BoomerAMGSet{name}", amg, value)
        gradients = _created("ParCSRPCGCreate", _world(rows.communicator))
        stack.callback(_call, "ParCSRPCGDestroy", gradients)
        _call("ParCSRPCGSetTwoNorm", gradients, _int(1))
        cycle = library().HYPRE_BoomerAMGSolve, library().HYPRE_BoomerAMGSetup
        _call("ParCSRPCGSetPrecond", gradients, *cycle, amg)
        yield Multigrid(rows, amg, gradients)


def _call(name: str, *arguments: Any, may: int = 0) -> int:
    """Call a function; return the bits of its error that it `may` end with.

    Raises MemoryBudgetError or FillpathError for others, in HYPRE's words.
    """
    status = int(getattr(library(), f"HYPRE_{name}")(*arguments))
    if not status:
        return 0
    words = ctypes.create_string_buffer(_DESCRIPTION_BYTES)
    library().HYPRE_DescribeError(_int(status & ~may), words)
    # HYPRE keeps an error for all later calls.
    library().HYPRE_ClearAllErrors()
    if status & ~may:
        kind = MemoryBudgetError if status & _MEMORY else FillpathError
        raise kind(f"HYPRE_{name}: error {status} {words.value.decode().strip()}")
    return status


def _created(name: str, *arguments: Any) -> Any:
    created = _pointer()
    _call(name, *arguments, ctypes.byref(created))
    return created


def _at(array: Array) -> Any:
    return _pointer(array.ctypes.data)


def _world(communicator: Any) -> Any:
    """Return MPI_Comm by value: a pointer in Open MPI, an int in MPICH."""
    mpi = import_mpi()
    kind = _pointer if mpi._sizeof(mpi.Comm) == ctypes.sizeof(_pointer) else _int
    return kind.from_address(mpi._addressof(communicator))
