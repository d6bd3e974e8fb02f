"""Registers, spills and shared memory of every kernel, as ptxas reports them: docs/registers.csv.

They depend on the sources, the compiler and the architecture alone, so no GPU is needed, and one table holds
for every machine. NVRTC passes ptxas's report on in its log.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.engine.machine import machine
from benchmarks.probes.nvrtc import ARCHITECTURES, Kernel, bindings, compile_kernel, registered_kernels
from benchmarks.runs.exact import Quantity
from fillpath import syntax
from fillpath.errors import ConfigError, FillpathError, UnavailableError
from fillpath.nouns import content_hash
from fillpath.paths import ROOT
from fillpath.registry import included

TABLE = ROOT / "docs" / "registers.csv"
REPORT = "--ptxas-options=-v"
_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_COUNTS = {
    "registers": re.compile(r"Used (\d+) registers"),
    "stack": re.compile(r"(\d+) bytes stack frame"),
    "spill_stores": re.compile(r"(\d+) bytes spill stores"),
    "spill_loads": re.compile(r"(\d+) bytes spill loads"),
    "shared": re.compile(r"(\d+) bytes smem"),
}


@dataclass(frozen=True, order=True)
class Usage:
    """What one thread of a kernel takes; `shared` is what a block takes.

    file, defines, kernel, architecture : which one
    sources : hash of the file and its headers, without comments
    registers : of 32 bits
    stack, spill_stores, spill_loads, shared : bytes
    """

    file: str
    defines: str
    kernel: str
    architecture: str
    sources: str
    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int

    @property
    def key(self) -> str:
        """`impl/symbolic/fill2.cu fill2_rows COLUMNS=1 sm_90`."""
        return " ".join(filter(None, (self.file, self.kernel, self.defines, self.architecture)))

    @property
    def counts(self) -> Mapping[str, int]:
        """The numbers, by name."""
        return {name: getattr(self, name) for name in _COUNTS}

    @property
    def quantities(self) -> dict[str, Quantity]:
        """The numbers with their units, by name."""
        return {
            name: Quantity(value, "count" if name == "registers" else "bytes")
            for name, value in self.counts.items()
        }


def usages(kernels: Sequence[Kernel], architectures: Sequence[str] = ARCHITECTURES) -> list[Usage]:
    """What each kernel takes on each architecture.

    Raises UnavailableError without NVRTC, FillpathError for a file that does not compile.
    """
    nvrtc, why_not = bindings()
    if nvrtc is None:
        raise UnavailableError(why_not)
    pairs = [(kernel, architecture) for kernel in kernels for architecture in architectures]
    with ThreadPoolExecutor(machine().cores) as pool:
        found = pool.map(lambda pair: list(_usages(nvrtc, *pair)), pairs)
        return sorted(usage for several in found for usage in several)


def _usages(nvrtc: Any, kernel: Kernel, architecture: str) -> Iterator[Usage]:
    compilation = compile_kernel(nvrtc, kernel, architecture, REPORT)
    if compilation.failure:
        raise FillpathError(f"{kernel} does not compile for {architecture}: {compilation.failure}")
    file, sources = kernel.path.relative_to(ROOT).as_posix(), sources_of(kernel.path)
    for name, counts in parse(compilation.log).items():
        yield Usage(file, " ".join(kernel.defines), name, architecture, sources, **counts)


def parse(log: str) -> dict[str, dict[str, int]]:
    """ptxas's report, by kernel; raises FillpathError for one that does not tell registers and spills."""
    _, *parts = _ENTRY.split(log)
    found = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        counts = {key: pattern.search(text) for key, pattern in _COUNTS.items()}
        missing = [key for key, match in counts.items() if match is None and key != "shared"]
        if missing:
            raise FillpathError(f"ptxas reports no {', '.join(missing)} of {name}:\n{text}")
        found[name] = {key: int(match[1]) if match else 0 for key, match in counts.items()}
    return found


def sources_of(path: Path) -> str:
    """Hash of a .cu file and its headers, without comments."""
    return content_hash(*(syntax.cuda_text(part.read_text()) for part in (path, *included(path))))[:12]


def is_of_these_sources(table: Iterable[Usage]) -> bool:
    """Whether a table holds these files, in these variants, as they are now; nothing is compiled."""
    listed = {(usage.file, usage.defines, usage.sources) for usage in table}
    every = registered_kernels()
    current = {path: sources_of(path) for path in {kernel.path for kernel in every}}
    return listed == {
        (kernel.path.relative_to(ROOT).as_posix(), " ".join(kernel.defines), current[kernel.path])
        for kernel in every
    }


def changes(base: Iterable[Usage], table: Iterable[Usage]) -> list[str]:
    """What a kernel takes now that it did not take before, one line per kernel."""
    before, after = ({usage.key: usage for usage in rows} for rows in (base, table))
    lines = []
    for key in sorted({*before, *after}):
        if key not in after:
            lines.append(f"{key}: gone")
        elif key not in before:
            lines.append(f"{key}: new, " + ", ".join(f"{n} {v}" for n, v in after[key].counts.items() if v))
        elif before[key].counts != after[key].counts:
            old, new = before[key].counts, after[key].counts
            lines.append(f"{key}: " + ", ".join(f"{n} {old[n]} to {new[n]}" for n in new if old[n] != new[n]))
    return lines


def series(stage: str) -> dict[str, dict[str, Quantity]]:
    """The committed table's counts of a stage's kernels, by kernel; none where it is of other sources."""
    table = committed()
    mine = [usage for usage in table if usage.file.startswith(f"impl/{stage}/")]
    return {usage.key: usage.quantities for usage in mine} if is_of_these_sources(table) else {}


def committed(commit: str | None = None) -> list[Usage]:
    """The table of a commit, or the one that lies here; empty where there is none yet.

    Raises ConfigError for a commit without one.
    """
    if commit is None:
        return from_text(TABLE.read_text())[0] if TABLE.is_file() else []
    name = f"{commit}:{TABLE.relative_to(ROOT).as_posix()}"
    command = ["git", "-C", str(ROOT), "show", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(f"{name}: {done.stderr.strip()}")
    return from_text(done.stdout)[0]


def compiler() -> str:
    """NVRTC's version, `13.5`."""
    nvrtc, why_not = bindings()
    if nvrtc is None:
        raise UnavailableError(why_not)
    return ".".join(str(part) for part in nvrtc.nvrtcVersion()[1:])


def to_text(table: Sequence[Usage], version: str) -> str:
    """The table as a file, with the compiler in its head."""
    out = io.StringIO()
    out.write(f"# nvrtc: {version}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([field.name for field in fields(Usage)])
    writer.writerows(astuple(usage) for usage in table)
    return out.getvalue()


def from_text(text: str) -> tuple[list[Usage], str]:
    """The table of a file, and the compiler's version."""
    head, _, body = text.partition("\n")
    rows = csv.DictReader(io.StringIO(body))
    table = [Usage(**{k: int(v) if k in _COUNTS else v for k, v in row.items()}) for row in rows]  # type: ignore[arg-type]
    return table, head.removeprefix("# nvrtc: ")
