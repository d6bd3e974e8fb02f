"""Which tests of a GPU run on this machine: all where a GPU is there, none elsewhere.

A GPU is there if CuPy sees it, or if a driver or a device file exists. In the second case the tests fail: a
broken installation is no machine without a GPU.
"""

import ctypes
import functools
import os
from pathlib import Path

from impl.cuda import kernels

DEVICES = Path("/dev")
DRIVER = "libcuda.so.1"


@functools.cache
def expected() -> bool:
    """Return whether tests of a GPU are collected; FILLPATH_CUDA=none leaves them out."""
    if os.environ.get("FILLPATH_CUDA") == "none":
        return False
    return kernels.available()[0] or any(DEVICES.glob("nvidia*")) or _driver_loads()


@functools.cache
def failure() -> str:
    """Return why CuPy cannot use the GPU that is there; empty if CuPy can."""
    available, why_not = kernels.available()
    return "" if available else f"a GPU is there, but CuPy cannot use it: {why_not}"


def _driver_loads() -> bool:
    try:
        ctypes.CDLL(DRIVER)
    except OSError:
        return False
    return True
