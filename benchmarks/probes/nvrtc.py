"""Compiling kernels without a GPU: NVRTC through cuda.bindings, with the options that CuPy gives it."""

from __future__ import annotations

import importlib
import itertools
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engine import device_digest
from fillpath import registry
from fillpath.paths import ROOT
from fillpath.registry import HEADERS, included
from fillpath.source import kernel_paths
from impl.cuda import kernels, relocatable

# Of CUDA 13's architectures those of A100, H100 / H200 and B200. NVRTC_ARCHITECTURES names others.
ARCHITECTURES = tuple(os.environ.get("NVRTC_ARCHITECTURES", "sm_80 sm_90 sm_100").split())
# CuPy 14 adds these to what `kernels.load` asks for.
CUPYS = ("-ftz=true", "--device-as-default-execution-space")


@dataclass(frozen=True)
class Kernel:
    """A .cu file in one of its variants. users : the implementations that name it, or the gate."""

    path: Path
    defines: tuple[str, ...]
    users: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join([str(self.path.relative_to(ROOT)), *self.defines])


@dataclass(frozen=True)
class Compilation:
    """What NVRTC said.

    failure : the status and the log, empty where there is machine code
    log : with warnings, and what ptxas reported
    """

    failure: str
    log: str


def bindings() -> tuple[Any, str]:
    """(cuda.bindings.nvrtc, ""), or (None, why it cannot be used here)."""
    try:
        nvrtc = importlib.import_module("cuda.bindings.nvrtc")
        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError, OSError) as error:
        return None, f"no NVRTC on this platform: {error}"
    return nvrtc, ""


def compile_source(nvrtc: Any, source: str, name: str, options: tuple[str, ...]) -> Compilation:
    """Compile to machine code."""
    _, program = nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, [], [])
    try:
        status = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])[0]
        buffer = b" " * nvrtc.nvrtcGetProgramLogSize(program)[1]
        nvrtc.nvrtcGetProgramLog(program, buffer)
        log = buffer.rstrip(bytes(1)).decode(errors="replace")
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            return Compilation(f"{status.name}\n{log}", log)
        return Compilation("" if nvrtc.nvrtcGetCUBINSize(program)[1] else "no machine code came of it", log)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def compile_kernel(
    nvrtc: Any, kernel: Kernel, architecture: str, *more: str, root: Path = ROOT
) -> Compilation:
    """Compile a file as it is compiled on a GPU of that architecture.

    more : options
    root : the checkout whose file and headers are compiled
    """
    linked = (relocatable.OPTION,) if relocatable.DEFINE in kernel.defines else ()
    # The first folder that has a header is taken.
    headers = f"-I{root / HEADERS.relative_to(ROOT)}"
    options = (headers, *kernels.options(kernel.defines), *linked, *CUPYS, f"-arch={architecture}", *more)
    path = root / kernel.path.relative_to(ROOT)
    return compile_source(nvrtc, path.read_text(), path.name, options)


def registered_kernels() -> list[Kernel]:
    """Every .cu file that an implementation names, in every variant that differs for it, and the gate's.

    VARIANTS of its module : tuples of defines. Without, others launch what it names: those say the variants
    VARIANTS_OF : the files that these are of, where others launch the rest; without, all that it names
    """
    registry.load_all()
    entries = [entry for entry in registry.registered() if entry.kernels]
    users: dict[tuple[Path, tuple[str, ...]], list[str]] = {(device_digest.KERNEL, ()): ["the gate"]}
    for entry, path, variant in _named(entries):
        users.setdefault((path, _seen_by(path, variant)), []).append(f"{entry.stage}.{entry.name}")
    return [Kernel(path, defines, tuple(dict.fromkeys(names))) for (path, defines), names in users.items()]


def _named(
    entries: list[registry.Implementation],
) -> Iterator[tuple[registry.Implementation, Path, tuple[str, ...]]]:
    for entry in entries:
        module = sys.modules[entry.module]
        files = getattr(module, "VARIANTS_OF", entry.kernels)
        paths = kernel_paths(entry.function, files)
        for path, variant in itertools.product(paths, getattr(module, "VARIANTS", ())):
            yield entry, path, variant


def _seen_by(path: Path, variant: tuple[str, ...]) -> tuple[str, ...]:
    """The defines that the file or a header of it mentions: others make no difference to it."""
    text = "\n".join(part.read_text() for part in (path, *included(path)))
    return tuple(define for define in variant if re.search(rf"\b{define.partition('=')[0]}\b", text))
