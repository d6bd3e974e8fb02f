"""Kernels of a .cu file, compiled by NVRTC through CuPy at their first use.

CuPy caches compiled kernels in ~/.cupy/kernel_cache, by the source text and the options.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from pathlib import Path
from typing import Any

from fillpath.errors import FillpathError
from fillpath.nouns import content_hash
from fillpath.registry import HEADERS, included

# Every kernel is C++17; quoted includes are searched in impl/cuda/.
OPTIONS = ("--std=c++17", f"-I{HEADERS}")


@functools.cache
def available() -> tuple[bool, str]:
    """Return (whether CuPy can be imported and sees a device, the reason if not). Never raises."""
    if importlib.util.find_spec("cupy") is None:
        return False, "CuPy is not installed"
    try:
        import cupy
    except Exception as error:
        return False, f"CuPy cannot be imported: {_one_line(error)}"
    try:
        # 0 without a driver; getDeviceCount would give a misleading error.
        driver = cupy.cuda.runtime.driverGetVersion()
        count = cupy.cuda.runtime.getDeviceCount() if driver else 0
    except Exception as error:
        return False, f"no NVIDIA GPU: {_one_line(error)}"
    return bool(count), "" if count else f"no NVIDIA GPU: {'CUDA sees none' if driver else 'no driver'}"


def load(path: Path, names: tuple[str, ...], defines: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the kernels of a .cu file for the current device, by their `extern "C"` names.

    defines : tuple of str, such as "BUBBLE=1"

    The same arguments give the same kernels again. Raises FillpathError, naming the file, if it cannot be
    read or compiled, or lacks an entry point.
    """
    import cupy

    return _load(path, names, defines, cupy.cuda.runtime.getDevice())


@functools.cache
def _load(path: Path, names: tuple[str, ...], defines: tuple[str, ...], device: int) -> dict[str, Any]:
    import cupy

    module = cupy.RawModule(code=_source(path), options=options(defines), backend="nvrtc")
    try:
        return {name: module.get_function(name) for name in names}
    except cupy.cuda.compiler.CompileException as error:
        raise FillpathError(f"{path} does not compile: {first_error(str(error), path)}") from error
    except cupy.cuda.driver.CUDADriverError as error:
        listed = ", ".join(names)
        raise FillpathError(
            f'{path}: {_one_line(error)} (asked for {listed}; is each extern "C"?)'
        ) from error


def options(defines: tuple[str, ...]) -> tuple[str, ...]:
    """Return NVRTC's options, apart from the architecture. defines : such as "BUBBLE=1"."""
    return (*OPTIONS, *(f"-D{define}" for define in defines))


def first_error(log: str, path: Path) -> str:
    """Return the first error of an NVRTC log, or its first line; name the original, not CuPy's copy."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    line = next((line for line in lines if "error" in line), lines[0] if lines else "NVRTC gave no log")
    return re.sub(r"^\S*\.cu(?=\([0-9]+\): )", path.name, line)


def _source(path: Path) -> str:
    """Return the text of the file, with the hash of its includes: CuPy's cache does not look into headers."""
    try:
        text = path.read_text()
        headers = [header.read_bytes() for header in included(path)]
    except OSError as error:
        raise FillpathError(f"{error.filename}: {error.strerror}") from error
    return f"{text}\n// {content_hash(*headers)}\n" if headers else text


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
