"""Kernels compiled without a GPU: NVRTC through cuda.bindings, with the options that CuPy gives it.

`changes` compiles the kernels that differ between two checkouts, and compares the registers, spills and
shared memory that ptxas reports:

    impl/symbolic/fill2.cu fill2_traverse COLUMNS=1 sm_90: registers 52 to 32, spill loads 0 to 184

docs/kernels.txt holds a hash of each variant that compiled, so that tests compile only what changed since.
"""

import importlib
import itertools
import os
import re
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engine import device_digest
from benchmarks.engine.machine import cores
from fillpath import registry, syntax
from fillpath.errors import FillpathError, UnavailableError
from fillpath.nouns import content_hash
from fillpath.paths import ROOT
from fillpath.registry import HEADERS, included
from fillpath.source_hashes import kernel_paths
from impl.cuda import kernels, relocatable

# A100, H100 / H200 and B200. NVRTC_ARCHITECTURES names others.
ARCHITECTURES = tuple(os.environ.get("NVRTC_ARCHITECTURES", "sm_80 sm_90 sm_100").split())
# CuPy 14 adds these to what `kernels.load` asks for.
CUPYS = ("-ftz=true", "--device-as-default-execution-space")
TABLE = ROOT / "docs" / "kernels.txt"
REPORT = "--ptxas-options=-v"
_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_COUNT = re.compile(r"(\d+) (?:bytes )?(registers|stack frame|spill stores|spill loads|smem)")
# Registers of a thread, and bytes, by ptxas's name.
Usage = Mapping[str, int]


@dataclass(frozen=True)
class Kernel:
    """A .cu file in one of its variants."""

    path: Path
    defines: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join([str(self.path.relative_to(ROOT)), *self.defines])


def bindings() -> Any:
    """Return cuda.bindings.nvrtc. Raises UnavailableError where it cannot be used here."""
    try:
        nvrtc = importlib.import_module("cuda.bindings.nvrtc")
        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError, OSError) as error:
        raise UnavailableError(f"no NVRTC on this platform: {error}") from error
    return nvrtc


def compile_source(nvrtc: Any, source: str, name: str, options: tuple[str, ...]) -> str:
    """Compile to machine code. Return the log, with warnings and the report of ptxas.

    Raises FillpathError with the status and the log where there is no machine code.
    """
    _, program = nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, [], [])
    try:
        status = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])[0]
        buffer = b" " * nvrtc.nvrtcGetProgramLogSize(program)[1]
        nvrtc.nvrtcGetProgramLog(program, buffer)
        log: str = buffer.rstrip(bytes(1)).decode(errors="replace")
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise FillpathError(f"{status.name}\n{log}")
        if not nvrtc.nvrtcGetCUBINSize(program)[1]:
            raise FillpathError("no machine code came of it")
        return log
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def compile_kernel(nvrtc: Any, kernel: Kernel, architecture: str, *more: str, root: Path = ROOT) -> str:
    """Compile a file as it is compiled on a GPU of that architecture. Return the log; raises FillpathError.

    more : options
    root : the checkout whose file and headers are compiled
    """
    linked = (relocatable.OPTION,) if relocatable.DEFINE in kernel.defines else ()
    # The first folder that has a header is taken.
    headers = f"-I{root / HEADERS.relative_to(ROOT)}"
    options = (headers, *kernels.options(kernel.defines), *linked, *CUPYS, f"-arch={architecture}", *more)
    path = root / kernel.path.relative_to(ROOT)
    try:
        return compile_source(nvrtc, path.read_text(), path.name, options)
    except FillpathError as error:
        raise FillpathError(f"{kernel} does not compile for {architecture}: {error}") from error


def registered_kernels() -> list[Kernel]:
    """Return every .cu file that an implementation names, in every variant that differs, and the gate's.

    A module's VARIANTS are tuples of defines. Without them, other modules launch its kernels and have the
    variants. VARIANTS_OF names the files of the variants, where other modules launch the rest.
    """
    found = {Kernel(device_digest.KERNEL, ()): None}
    for entry in registry.registered():
        module = sys.modules[entry.module]
        for path in kernel_paths(entry.function, getattr(module, "VARIANTS_OF", entry.kernels)):
            text = "\n".join(part.read_text() for part in (path, *included(path)))
            words = set(re.findall(r"\w+", text))
            for variant in getattr(module, "VARIANTS", ()):
                # Defines that neither the file nor a header of it mentions make no difference.
                seen = [define for define in variant if define.partition("=")[0] in words]
                found[Kernel(path, tuple(seen))] = None
    return list(found)


def changes(base: Path, tip: Path) -> list[str]:
    """Return what changed of kernels from one checkout to another, one line per kernel.

    The variants are those of this code. Raises UnavailableError without NVRTC, FillpathError for a file that
    does not compile.
    """
    differing = [kernel for kernel in registered_kernels() if _text(kernel, base) != _text(kernel, tip)]
    before, after = (usages(differing, root) if differing else {} for root in (base, tip))
    lines = []
    for key in sorted({*before, *after}):
        old, new = before.get(key, {}), after.get(key, {})
        pairs = {name: (old.get(name, 0), new.get(name, 0)) for name in sorted({**old, **new})}
        texts = [f"{name} {a} to {b}" for name, (a, b) in pairs.items() if a != b]
        lines += [f"{key}: {', '.join(texts)}"] if texts else []
    return lines


def usages(kernels: Iterable[Kernel], root: Path = ROOT) -> dict[str, Usage]:
    """Compile the kernels of a checkout that it has, and return their usages by name.

    A name reads `impl/symbolic/fill2.cu fill2_rows COLUMNS=1 sm_90`.
    """
    nvrtc = bindings()

    def usages_of(job: tuple[Kernel, str]) -> dict[str, Usage]:
        kernel, architecture = job
        found = parse(compile_kernel(nvrtc, kernel, architecture, REPORT, root=root))
        file, *defines = str(kernel).split()
        return {" ".join((file, name, *defines, architecture)): usage for name, usage in found.items()}

    present = [kernel for kernel in kernels if _text(kernel, root)]
    with ThreadPoolExecutor(cores()) as pool:
        found = pool.map(usages_of, itertools.product(present, ARCHITECTURES))
        return {name: usage for several in found for name, usage in several.items()}


def parse(log: str) -> dict[str, Usage]:
    """Return each kernel's usage. Raises FillpathError for a report without registers or spills."""
    _, *parts = _ENTRY.split(log)
    found: dict[str, Usage] = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        found[name] = {what: int(count) for count, what in _COUNT.findall(text)}
        if missing := {"registers", "spill stores", "spill loads"} - {*found[name]}:
            raise FillpathError(f"ptxas reports no {', '.join(sorted(missing))} of {name}:\n{text}")
    return found


def fingerprint(kernel: Kernel) -> str:
    """Return a hash of the file with its headers, the variant, the architectures and the compiler."""
    compiler = str(bindings().nvrtcVersion())
    return content_hash(_text(kernel, ROOT), str(kernel), *ARCHITECTURES, compiler)[:12]


def known_hashes() -> set[str]:
    """Return the fingerprints in docs/kernels.txt."""
    return {line.split()[0] for line in TABLE.read_text().splitlines()}


def _text(kernel: Kernel, root: Path) -> str:
    """Return the file and its headers in a checkout, without comments; empty without the file."""
    file, *headers = [root / part.relative_to(ROOT) for part in (kernel.path, *included(kernel.path))]
    parts = [part for part in (file, *headers) if file.is_file() and part.is_file()]
    return "\n".join(syntax.cuda_text(part.read_text()) for part in parts)
