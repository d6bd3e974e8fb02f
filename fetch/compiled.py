"""Numba's decorator with a type: a compiled function keeps its signature for the type checker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile on first call, or load what the user's cache has."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))


def begin_compiler() -> None:
    """Set Numba's compiler up, as its first function does: a process forked later need not."""
    cast(Callable[[], None], numba.njit(lambda: None))()
