"""Registers, spills and shared memory of kernels, as ptxas reports them for NVRTC, without a GPU.

`changes` compiles the kernels that differ between two checkouts, and compares:

    impl/symbolic/fill2.cu fill2_traverse COLUMNS=1 sm_90: registers 52 to 32, spill loads 0 to 184

docs/kernels.txt holds a hash of each variant that compiled, so that tests compile only what changed since.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.engine.machine import machine
from benchmarks.probes.nvrtc import ARCHITECTURES, Kernel, bindings, compile_kernel, registered_kernels
from fillpath import syntax
from fillpath.errors import FillpathError, UnavailableError
from fillpath.nouns import content_hash
from fillpath.paths import ROOT
from fillpath.registry import included

TABLE = ROOT / "docs" / "kernels.txt"
REPORT = "--ptxas-options=-v"
_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_COUNT = re.compile(r"(\d+) (?:bytes )?(registers|stack frame|spill stores|spill loads|smem)")
# Registers of a thread, and bytes, by ptxas's name.
Usage = Mapping[str, int]


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
    nvrtc = _nvrtc()
    jobs = [
        (nvrtc, kernel, each, root) for kernel in kernels if _text(kernel, root) for each in ARCHITECTURES
    ]
    with ThreadPoolExecutor(machine().cores) as pool:
        found = pool.map(lambda job: _usages(*job), jobs)
        return {name: usage for several in found for name, usage in several.items()}


def _usages(nvrtc: Any, kernel: Kernel, architecture: str, root: Path) -> dict[str, Usage]:
    compilation = compile_kernel(nvrtc, kernel, architecture, REPORT, root=root)
    if compilation.failure:
        raise FillpathError(f"{kernel} does not compile for {architecture}: {compilation.failure}")
    file, *defines = str(kernel).split()
    found = parse(compilation.log).items()
    return {" ".join((file, name, *defines, architecture)): usage for name, usage in found}


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
    compiler = str(_nvrtc().nvrtcVersion())
    return content_hash(_text(kernel, ROOT), str(kernel), *ARCHITECTURES, compiler)[:12]


def compiled() -> set[str]:
    """Return the fingerprints in docs/kernels.txt."""
    return {line.split()[0] for line in TABLE.read_text().splitlines()}


def _nvrtc() -> Any:
    nvrtc, why_not = bindings()
    if nvrtc is None:
        raise UnavailableError(why_not)
    return nvrtc


def _text(kernel: Kernel, root: Path) -> str:
    """Return the file and its headers in a checkout, without comments; empty without the file."""
    file, *headers = [root / part.relative_to(ROOT) for part in (kernel.path, *included(kernel.path))]
    parts = [part for part in (file, *headers) if file.is_file() and part.is_file()]
    return "\n".join(syntax.cuda_text(part.read_text()) for part in parts)
