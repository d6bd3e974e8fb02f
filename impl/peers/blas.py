"""Check of the BLAS that a library calls: with the reference BLAS a measurement would be unfair."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

from fillpath.errors import UnavailableError

# The reference BLAS is numbered as LAPACK's releases are: libblas.so.3.11.0.
REFERENCE = r"libblas\.so\.3\.\d+\.\d+"


class _Symbol(ctypes.Structure):
    """Dl_info."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def require_fast(loaded: Any, title: str) -> None:
    """Raise UnavailableError where a library, loaded by ctypes, calls the reference BLAS.

    Its dgemm took ten times as long as OpenBLAS's on one core.
    """
    symbol = _Symbol()
    dgemm = ctypes.cast(loaded.dgemm_, ctypes.c_void_p)
    ctypes.CDLL(None).dladdr(dgemm, ctypes.byref(symbol))
    path = Path(symbol.file.decode()).resolve()
    if re.fullmatch(REFERENCE, path.name):
        raise UnavailableError(
            f"{title} would call the slow reference BLAS, {path}: sudo apt-get install libopenblas0-pthread"
        )
