"""NVIDIA's AmgX on one GPU through its C interface: conjugate gradients, preconditioned by multigrid.

M. Naumov et al., AmgX: a library for GPU accelerated algebraic multigrid and preconditioned iterative
methods, SIAM Journal on Scientific Computing 37(5), 2015. Constants and signatures follow amgx_c.h and
amgx_config.h, version 2.5.

    with opened(pattern, values, b, tolerance=1e-6, most=100) as solver:
        solver.set_up()
        iterations, usable = solver.solve(from_zero=True)
        x = solver.x
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from fillpath.errors import FillpathError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import Array, Pattern
from fillpath.peers import peer
from impl.cuda import kernels

MOST_ENTRIES = 2**31 - 1
# AMGX_mode_dDDI: matrix and vectors in float64 on the device, indices of 32 bits.
_MODE = 8193
# AMGX_RC_NO_MEMORY; AMGX_SOLVE_SUCCESS and AMGX_SOLVE_NOT_CONVERGED.
_NO_MEMORY, _CONVERGED, _UNCONVERGED = 7, 0, 3
_MESSAGE_BYTES = 4096
# Libraries that AmgX is linked with; CuPy has them.
_NEEDED = ("cublas", "cusparse", "cusolver")

_int, _pointer, _text = ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p
_ints, _created = ctypes.POINTER(_int), ctypes.POINTER(_pointer)
_PRINTER = ctypes.CFUNCTYPE(None, _text, _int)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "get_error_string": (_int, _text, _int),
    "register_print_callback": (_PRINTER,),
    "initialize": (),
    "finalize": (),
    "config_create": (_created, _text),
    "config_destroy": (_pointer,),
    "resources_create": (_created, _pointer, _pointer, _int, _ints),
    "resources_destroy": (_pointer,),
    "matrix_create": (_created, _pointer, _int),
    "matrix_destroy": (_pointer,),
    "matrix_upload_all": (_pointer, _int, _int, _int, _int, *(_pointer,) * 4),
    "vector_create": (_created, _pointer, _int),
    "vector_destroy": (_pointer,),
    "vector_upload": (_pointer, _int, _int, _pointer),
    "vector_set_zero": (_pointer, _int, _int),
    "vector_download": (_pointer, _pointer),
    "solver_create": (_created, _pointer, _int, _pointer),
    "solver_destroy": (_pointer,),
    "solver_setup": (_pointer, _pointer),
    "solver_solve": (_pointer,) * 3,
    "solver_solve_with_0_initial_guess": (_pointer,) * 3,
    "solver_get_iterations_number": (_pointer, _ints),
    "solver_get_status": (_pointer, _ints),
}


@_PRINTER
def _silent(message: bytes, length: int) -> None:
    """Print nothing of AmgX's messages."""


def available() -> tuple[bool, str]:
    """Return (whether there are a GPU and a library of AmgX, the reason if not). Loads none, never raises."""
    there, why_not = kernels.available()
    return peer("amgx").available() if there else (there, why_not)


@functools.cache
def library() -> Any:
    """Return the library, initialised for the life of the process. Raises UnavailableError."""
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    for name in _NEEDED:
        # AmgX finds a toolkit's libraries by itself.
        with suppress(DynamicLibNotFoundError):
            load_nvidia_dynamic_lib(name)
    place = peer("amgx").library()
    try:
        loaded = ctypes.CDLL(str(place))
        for name, arguments in _SIGNATURES.items():
            getattr(loaded, f"AMGX_{name}").argtypes = arguments
    except (OSError, AttributeError) as error:
        raise UnavailableError(f"AmgX cannot be used: {error}; FILLPATH_AMGX names its library") from error
    _require(loaded, "register_print_callback", _silent)
    _require(loaded, "initialize")
    atexit.register(loaded.AMGX_finalize)
    return loaded


@dataclass(frozen=True, eq=False)
class Solver:
    """The system A x = b in AmgX, with x = 0 at first. All fields but n are AmgX's objects."""

    n: int
    matrix: Any
    right: Any
    solution: Any
    solver: Any

    def set_up(self) -> None:
        """Make the levels."""
        _call("solver_setup", self.solver, self.matrix)

    def solve(self, *, from_zero: bool) -> tuple[int, bool]:
        """Iterate from the last solution, or from 0, until ||b - A x|| < the tolerance, by the recurrence.

        Returns (iterations, whether AmgX can continue, which a breakdown prevents).
        """
        how = "solver_solve_with_0_initial_guess" if from_zero else "solver_solve"
        _call(how, self.solver, self.right, self.solution)
        iterations, status = _int(), _int()
        _call("solver_get_iterations_number", self.solver, ctypes.byref(iterations))
        _call("solver_get_status", self.solver, ctypes.byref(status))
        return iterations.value, status.value in (_CONVERGED, _UNCONVERGED)

    def start_at(self, x: Array) -> None:
        """Set the solution so far. x : (n,) float64, on the device."""
        _upload(self.solution, x)

    @property
    def x(self) -> Array:
        """Return (n,) float64, on the device: the solution so far."""
        import cupy

        x: Any = cupy.empty(self.n)
        _call("vector_download", self.solution, x.data.ptr)
        # The copy may still run, on another stream.
        cupy.cuda.runtime.deviceSynchronize()
        return x  # type: ignore[no-any-return]


@contextmanager
def opened(pattern: Pattern, values: Array, b: Array, tolerance: float, most: int) -> Iterator[Solver]:
    """Open A x = b in AmgX, until the end of the block.

    pattern : n x n, symmetric, rows sorted, the diagonal present, on the device
    values : (nnz,) float64, on the device
    b : (n,) float64, on the device
    tolerance : float, of ||b - A x||, absolute, Euclidean
    most : int, iterations

    AmgX copies all arrays, outside of CuPy's pool. Raises UnsupportedError for 2^31 entries or more.
    """
    import cupy

    n, nnz = pattern.n, len(pattern.indices)
    if nnz > MOST_ENTRIES:
        raise UnsupportedError(f"{nnz} entries: AmgX has 32-bit row pointers")
    resources = _resources(cupy.cuda.runtime.getDevice())
    rows: Any = (pattern.indptr.astype(np.int32), pattern.indices, values)
    with ExitStack() as stack:
        config = _own(stack, "config", _settings(tolerance, most))
        matrix = _own(stack, "matrix", resources, _MODE)
        right, solution = (_own(stack, "vector", resources, _MODE) for _ in range(2))
        solver = _own(stack, "solver", resources, _MODE, config)
        # AmgX copies on streams of its own.
        cupy.cuda.runtime.deviceSynchronize()
        _call("matrix_upload_all", matrix, n, nnz, 1, 1, *(array.data.ptr for array in rows), None)
        _upload(right, b)
        _call("vector_set_zero", solution, n, 1)
        yield Solver(n, matrix, right, solution, solver)


def _upload(vector: Any, values: Any) -> None:
    import cupy

    cupy.cuda.runtime.deviceSynchronize()
    _call("vector_upload", vector, len(values), 1, values.data.ptr)


def _settings(tolerance: float, most: int) -> bytes:
    """Return NVIDIA's PCG_AGGREGATION_JACOBI, multigrid by aggregation, silent and with our tolerance."""
    smoother = {
        "scope": "jacobi", "solver": "BLOCK_JACOBI", "relaxation_factor": 0.8, "monitor_residual": 0,
    }  # fmt: skip
    levels = {
        "scope": "amg", "solver": "AMG", "algorithm": "AGGREGATION", "selector": "SIZE_2",
        "coarse_solver": "NOSOLVER", "max_levels": 50, "cycle": "V", "presweeps": 0, "postsweeps": 3,
        "smoother": smoother, "max_iters": 1, "monitor_residual": 0,
    }  # fmt: skip
    gradients = {
        "scope": "main", "solver": "PCG", "preconditioner": levels, "norm": "L2",
        "convergence": "ABSOLUTE", "tolerance": float(tolerance), "max_iters": most, "monitor_residual": 1,
    }  # fmt: skip
    return json.dumps({"config_version": 2, "solver": gradients}).encode()


@functools.cache
def _resources(device: int) -> Any:
    """Return AmgX's pools and handles on that device, for the life of the process, as its users do."""
    library()
    stack = ExitStack()
    # Runs before the library is finalised, because that was registered earlier.
    atexit.register(stack.close)
    config = _own(stack, "config", b'{"config_version": 2}')
    return _own(stack, "resources", config, None, 1, (_int * 1)(device))


def _own(stack: ExitStack, kind: str, *arguments: Any) -> Any:
    created = _pointer()
    _call(f"{kind}_create", ctypes.byref(created), *arguments)
    stack.callback(_call, f"{kind}_destroy", created)
    return created


def _call(name: str, *arguments: Any) -> None:
    _require(library(), name, *arguments)


def _require(loaded: Any, name: str, *arguments: Any) -> None:
    """Call a function. Raises MemoryBudgetError or FillpathError, in AmgX's words."""
    code = int(getattr(loaded, f"AMGX_{name}")(*arguments))
    if code == 0:
        return
    words = ctypes.create_string_buffer(_MESSAGE_BYTES)
    loaded.AMGX_get_error_string(code, words, _MESSAGE_BYTES)
    kind = MemoryBudgetError if code == _NO_MEMORY else FillpathError
    raise kind(f"AMGX_{name}: error {code}, {words.value.decode(errors='replace').strip()}")
