"""Nsight Compute's command line, `ncu`: its place, the metrics that it reads, and their sums."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from benchmarks.probes.counting import CountingError

DRAM, SECTORS, DURATION = "dram__bytes.sum", "lts__t_sectors.sum", "gpu__time_duration.sum"
METRICS = (DRAM, SECTORS, DURATION)
SUMS = {DRAM: "dram_bytes", SECTORS: "l2_bytes", DURATION: "seconds"}
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


def find_ncu() -> str:
    """Find Nsight Compute's command line. Raises CountersError where it is not installed."""
    program = shutil.which("ncu")
    elsewhere = [str(path) for folder, pattern in PLACES for path in sorted(folder.glob(pattern))]
    if program is None and not elsewhere:
        raise CountersError(
            "ncu (NVIDIA Nsight Compute) is neither on the PATH nor under /opt/nvidia or /usr/local/cuda"
        )
    return program or elsewhere[-1]


def version(ncu: str) -> str | None:
    """Return ncu's version, such as `2025.3.1.0`; None where ncu prints none."""
    done = subprocess.run([ncu, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"Version\s+(\S+)", done.stdout)
    return match[1] if match else None


def kernel_names(files: Iterable[Path]) -> list[str]:
    """Return the entry points of .cu files, sorted."""
    return sorted({name for path in files for name in _KERNEL.findall(path.read_text())})


def parse(text: str, names: Sequence[str]) -> pd.DataFrame:
    """Add up ncu's CSV: a row of the table is a kernel, with SUMS and `launches`.

    names : beginnings of the names of kernels; others are left out

    Raises CountersError for a report without a table, for a value that is no number, and for a launch that
    lacks a metric.
    """
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise CountersError(explain(text))
    table = "\n".join(line for line in lines[start:] if line.startswith('"'))
    rows = pd.read_csv(io.StringIO(table), dtype=str, keep_default_na=False)
    rows = rows[rows["Metric Name"].isin(METRICS) & rows["Kernel Name"].str.startswith(tuple(names))]
    # ncu writes thousands with commas.
    numbers = pd.to_numeric(rows["Metric Value"].str.replace(",", ""), errors="coerce")
    rows = rows.assign(value=numbers * rows["Metric Unit"].map(_UNITS))
    for row in rows[rows["value"].isna()].to_dict("records"):
        given = f"{row['Metric Name']} = {row['Metric Value']!r} {row['Metric Unit']}"
        raise CountersError(f"ncu gave {given}: not a number")
    launch, metric = ["Process ID", "ID", "Kernel Name"], "Metric Name"
    launches = rows.pivot_table("value", launch, metric, "last").reindex(columns=list(METRICS))
    called = launches.index.get_level_values("Kernel Name")
    for name, missing in zip(called, launches.isna().to_numpy(), strict=True):
        if missing.any():
            lacking = ", ".join(launches.columns[missing])
            raise CountersError(f"ncu gave no {lacking} for a launch of {name}")
    # The longest name: `rl_levels` begins with `rl_level`, another kernel.
    kernels = launches.groupby([max((n for n in names if each.startswith(n)), key=len) for each in called])
    sums = kernels.sum().rename(columns=SUMS)
    return sums.assign(l2_bytes=SECTOR * sums["l2_bytes"], launches=kernels.size())


def explain(text: str) -> str:
    """Explain in one line why ncu wrote no table."""
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
