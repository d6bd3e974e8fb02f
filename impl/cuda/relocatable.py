"""Kernels that launch kernels: relocatable code, linked with the device's runtime, cudadevrt."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from fillpath.errors import FillpathError, UnavailableError
from fillpath.nouns import content_hash
from fillpath.registry import included
from impl.cuda import kernels

# The macro that enables a part of a .cu file that is left out otherwise, and NVRTC's option.
DEFINE, OPTION = "RELOCATABLE=1", "-rdc=true"


def load(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    """Return kernels as `kernels.load` does, for the current device, linked with cudadevrt.

    Raises UnavailableError if CuPy finds no cudadevrt or cannot link it. CuPy looks in a CUDA toolkit and in
    the wheels of CUDA 13, not of CUDA 12.
    """
    import cupy

    return _load(path, names, cupy.cuda.runtime.getDevice())


@functools.cache
def _load(path: Path, names: tuple[str, ...], device: int) -> dict[str, Any]:
    import cupy

    # CuPy's cache is keyed by the options and does not look into headers.
    headers = f"HEADERS_{content_hash(*(header.read_bytes() for header in included(path)))}"
    module = cupy.RawModule(
        code=path.read_text(), options=(*kernels.options((DEFINE, headers)), OPTION), backend="nvrtc"
    )
    try:
        return {name: module.get_function(name) for name in names}
    except cupy.cuda.compiler.CompileException as error:
        raise FillpathError(f"{path} does not compile: {kernels.first_error(str(error), path)}") from error
    except RuntimeError as error:
        why = " ".join(str(error).split())
        raise UnavailableError(f"{path.name} cannot be linked with cudadevrt: {why}") from error
