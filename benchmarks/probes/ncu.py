"""Nsight Compute's command line, `ncu`: its place, its metrics, and the sums of its output.

counted = parse(log.read_text(), kernel_names(entry.kernel_paths()))
counted.facts()["dram_bytes"]
"""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.probes.counting import CountingError

DRAM, SECTORS, DURATION = "dram__bytes.sum", "lts__t_sectors.sum", "gpu__time_duration.sum"
METRICS = (DRAM, SECTORS, DURATION)
# Bytes of a sector of L2.
SECTOR = 32
# Where ncu is if not on the PATH: of the CUDA toolkit, or of its own packages, in one folder per version.
PLACES = ((Path("/usr/local/cuda/bin"), "ncu"), (Path("/opt/nvidia/nsight-compute"), "*/ncu"))

# Names of units as versions of ncu have written them, with --print-units base and without.
_UNITS = {
    "byte": 1.0, "sector": 1.0, "": 1.0,
    **{f"{prefix}byte": 10.0 ** (3 * i) for i, prefix in enumerate("KMGT", 1)},
    **{f"{prefix}s": 10.0 ** (-3 * i) for i, prefix in enumerate(("", *"mun"))},
    **{f"{prefix}second": 10.0 ** (-3 * i) for i, prefix in enumerate(("", *"mun"))},
}  # fmt: skip
_KERNEL = re.compile(r"__global__\s+(?:[\w:]+\s+)*?(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(")


class CountersError(CountingError):
    """The counters of a case could not be read."""


@dataclass
class Kernel:
    """The launches of one kernel together; seconds by the device's clock."""

    launches: int = 0
    dram_bytes: float = 0.0
    l2_bytes: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class Counted:
    """The sums of ncu's output.

    kernels : those of the implementation, by name
    others : launches of other kernels
    """

    kernels: Mapping[str, Kernel] = field(default_factory=dict)
    others: int = 0

    def facts(self) -> dict[str, float]:
        """Return the sums, as reports read them."""
        kernels = self.kernels.values()
        return {
            "dram_bytes": math.fsum(kernel.dram_bytes for kernel in kernels),
            "l2_bytes": math.fsum(kernel.l2_bytes for kernel in kernels),
            "kernel_seconds": math.fsum(kernel.seconds for kernel in kernels),
            "launches": float(sum(kernel.launches for kernel in kernels)),
        }


def find_ncu() -> str:
    """Return Nsight Compute's command line. Raises CountersError where it is not installed."""
    program = shutil.which("ncu")
    elsewhere = [str(path) for folder, pattern in PLACES for path in sorted(folder.glob(pattern))]
    if program is None and not elsewhere:
        raise CountersError(
            "ncu (NVIDIA Nsight Compute) is neither on the PATH nor under /opt/nvidia or /usr/local/cuda"
        )
    return program or elsewhere[-1]


def version(ncu: str) -> str | None:
    """Return ncu's version, such as `2025.3.1.0`; None where it prints none."""
    done = subprocess.run([ncu, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"Version\s+(\S+)", done.stdout)
    return match[1] if match else None


def kernel_names(files: Iterable[Path]) -> list[str]:
    """Return the entry points of .cu files, sorted."""
    return sorted({name for path in files for name in _KERNEL.findall(path.read_text())})


def parse(text: str, names: Sequence[str]) -> Counted:
    """Add up ncu's CSV by kernel: a row is a launch (ID, Process ID) and a metric.

    Raises CountersError for a report without a table, a value that is no number, and a launch that lacks a
    metric.

    names : beginnings of the kernels' names
    """
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise CountersError(explain(text))
    launches: dict[tuple[str, str], dict[str, float]] = {}
    called: dict[tuple[str, str], str] = {}
    for row in csv.DictReader(line for line in lines[start:] if line.startswith('"')):
        launch = (row["Process ID"], row["ID"])
        called[launch] = row["Kernel Name"]
        launches.setdefault(launch, {})[row["Metric Name"]] = _value(row)
    kernels: dict[str, Kernel] = {}
    others = 0
    for launch, metrics in launches.items():
        name = next((name for name in names if called[launch].startswith(name)), None)
        if name is None:
            others += 1
        else:
            _add(kernels.setdefault(name, Kernel()), metrics, called[launch])
    return Counted(kernels, others)


def explain(text: str) -> str:
    """Return why ncu wrote no table, in one line."""
    if "ERR_NVGPUCTRPERM" in text:
        return (
            "the driver lets only administrators read hardware counters: run as root, or load the nvidia "
            "module with NVreg_RestrictProfilingToAdminUsers=0 "
            "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)"
        )
    errors = [
        line.removeprefix("==ERROR==").strip() for line in text.splitlines() if line.startswith("==ERROR==")
    ]
    if errors:
        return f"ncu: {errors[0]}"
    if "No kernels were profiled" in text:
        return "ncu profiled no kernel"
    return "ncu wrote no table"


def _add(kernel: Kernel, metrics: Mapping[str, float], name: str) -> None:
    missing = [metric for metric in METRICS if metric not in metrics]
    if missing:
        raise CountersError(f"ncu gave no {', '.join(missing)} for a launch of {name}")
    kernel.launches += 1
    kernel.dram_bytes += metrics[DRAM]
    kernel.l2_bytes += SECTOR * metrics[SECTORS]
    kernel.seconds += metrics[DURATION]


def _value(row: Mapping[str, str]) -> float:
    """Return a metric in bytes, sectors or seconds; ncu writes thousands with commas."""
    unit = row["Metric Unit"]
    if row["Metric Name"] not in METRICS:
        return math.nan
    try:
        return float(row["Metric Value"].replace(",", "")) * _UNITS[unit]
    except (ValueError, KeyError):
        raise CountersError(
            f"ncu gave {row['Metric Name']} = {row['Metric Value']!r} {unit}: not a number"
        ) from None
