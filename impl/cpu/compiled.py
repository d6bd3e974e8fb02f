"""Numba's decorator with a type: a compiled function keeps its signature for the type checker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
# NumPy's int64, which the type checker takes for an int.
int64 = cast(Callable[[Any], int], np.int64)
# Numba's types know fewer options than Numba.
_njit = cast(Any, numba.njit)
# Only loops over `prange` run on all threads: array expressions would take long to compile.
_LOOPS = dict.fromkeys(
    ("comprehension", "reduction", "inplace_binop", "setitem", "numpy", "stencil", "fusion"), False
) | {"prange": True}


def compiled(function: F) -> F:
    """Compile on first call, or load what the user's cache has."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))


def inner(function: F) -> F:
    """Compile a function that only compiled functions call: without a cache and without Python's way in."""
    return cast(F, _njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def threaded(function: F) -> F:
    """Compile a function whose loops over `prange` run on all threads, on first call or from the cache."""
    return cast(F, _njit(cache=True, nogil=True, parallel=_LOOPS)(function))


def begin_compiler() -> None:
    """Set Numba's compiler up, as its first function does: a process forked later need not."""
    cast(Callable[[], None], numba.njit(lambda: None))()
