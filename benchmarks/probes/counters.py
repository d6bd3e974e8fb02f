"""Hardware counters of one case, read by Nsight Compute: results/<machine>/counters/<case>.json.

`fillpath counters` reads them. A child process, this module, calls the implementation twice: once so that
kernels are compiled and memory is allocated, and once under the profiler. The second result is verified,
because ncu replays each kernel from a copy of its memory. The counts of the implementation's own kernels are
added up. The case needs an ok record of today's sources on this machine first, whose key the counters carry.

    count(Case.parse("symbolic.gsofa@HB+bcsstk18.metis"))    # the file: dram_bytes, l2_bytes, kernel_seconds
"""

import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from benchmarks.probes.counting import CountingError, child_status, measured, run_child, store, subject, why
from fillpath.case import Case
from fillpath.host import node_lock
from fillpath.lock import exclusive
from fillpath.registry import lookup

DRAM, SECTORS, DURATION = "dram__bytes.sum", "lts__t_sectors.sum", "gpu__time_duration.sum"
METRICS = (DRAM, SECTORS, DURATION)
SUMS = {DRAM: "dram_bytes", SECTORS: "l2_bytes", DURATION: "seconds"}
# Time limit of the child.
SECONDS = 1800.0
# Bytes of a sector of L2.
SECTOR = 32
# Where ncu is if not on the PATH: of the CUDA toolkit, or of its own packages, in one folder per version.
PLACES = ((Path("/usr/local/cuda/bin"), "ncu"), (Path("/opt/nvidia/nsight-compute"), "*/ncu"))

# Names of base units, as versions of ncu have written them.
_UNITS = {"byte": 1.0, "sector": 1.0, "": 1.0, "ns": 1e-9, "nsecond": 1e-9}
_KERNEL = re.compile(r"__global__\s+(?:[\w:]+\s+)*?(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(")


def find_ncu() -> str:
    """Find Nsight Compute's command line. Raises CountingError where it is not installed."""
    program = shutil.which("ncu")
    elsewhere = [str(path) for folder, pattern in PLACES for path in sorted(folder.glob(pattern))]
    if program is None and not elsewhere:
        raise CountingError("no ncu (NVIDIA Nsight Compute) on the PATH, in /opt/nvidia or /usr/local/cuda")
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

    Raises CountingError for a report without a table, for a value that is no number, and for a launch that
    lacks a metric.
    """
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise CountingError(explain(text))
    table = "\n".join(line for line in lines[start:] if line.startswith('"'))
    rows = pd.read_csv(io.StringIO(table), dtype=str, keep_default_na=False)
    rows = rows[rows["Metric Name"].isin(METRICS) & rows["Kernel Name"].str.startswith(tuple(names))]
    # ncu writes thousands with commas.
    numbers = pd.to_numeric(rows["Metric Value"].str.replace(",", ""), errors="coerce")
    rows = rows.assign(value=numbers * rows["Metric Unit"].map(_UNITS))
    for row in rows[rows["value"].isna()].to_dict("records"):
        given = f"{row['Metric Name']} = {row['Metric Value']!r} {row['Metric Unit']}"
        raise CountingError(f"ncu gave {given}: not a number")
    launch, metric = ["Process ID", "ID", "Kernel Name"], "Metric Name"
    launches = rows.pivot_table("value", launch, metric, "last").reindex(columns=list(METRICS))
    called = launches.index.get_level_values("Kernel Name")
    for name, missing in zip(called, launches.isna().to_numpy(), strict=True):
        if missing.any():
            lacking = ", ".join(launches.columns[missing])
            raise CountingError(f"ncu gave no {lacking} for a launch of {name}")
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
    if error := re.search(r"^==ERROR== *(.*\S)", text, re.MULTILINE):
        return f"ncu: {error[1]}"
    return "ncu profiled no kernel" if "No kernels were profiled" in text else "ncu wrote no table"


def count(case: Case) -> Path:
    """Read the counters of a case and store them. Return the file.

    Raises CountingError where ncu is missing, may not read counters or saw no kernel of the implementation's.
    Raises it too where the case has no ok record of today's sources.
    """
    implementation = lookup(case.stage, case.implementation)
    record = measured(case, implementation)
    ncu = find_ncu()
    names = kernel_names(implementation.kernel_paths())
    with tempfile.TemporaryDirectory() as folder, exclusive(node_lock("measurement")):
        log = Path(folder) / "ncu.csv"
        _run(ncu_command(ncu, names, case, log), log)
        counted = parse(log.read_text(), names)
    if counted.empty:
        raise CountingError(f"{case.name}: ncu saw none of {', '.join(names)}")
    peak = (record.gpu or {}).get("peak_bytes_per_second")
    ceiling = {} if peak is None else {"dram_peak_bytes_per_s": peak}
    content = {
        "ncu": version(ncu),
        "metrics": list(METRICS),
        "kernels": counted.to_dict("index"),
        "facts": counted.sum().rename({"seconds": "kernel_seconds"}).to_dict() | ceiling,
    }
    return store("counters", record, content)


def ncu_command(ncu: str, names: Sequence[str], case: Case, log: Path) -> list[str]:
    """Return the command that profiles the child's marked call: ncu's long CSV, a row per launch and metric.

    Clocks and caches stay as in a measurement.
    """
    return [
        ncu, "--csv", "--log-file", str(log), "--metrics", ",".join(METRICS), "--print-units", "base",
        "--clock-control", "none", "--cache-control", "none", "--profile-from-start", "off",
        "--kernel-name", f"regex:^({'|'.join(names)})",
        sys.executable, "-m", "benchmarks.probes.counters", case.name,
    ]  # fmt: skip


def _run(command: Sequence[str], log: Path) -> None:
    """Run ncu with its child. Raises CountingError where one fails or takes too long."""
    ended = run_child(command, SECONDS, "ncu")
    written = log.read_text() if log.is_file() else ""
    # Without counters ncu fails or succeeds by version; either way its log names the error.
    if "ERR_NVGPUCTRPERM" in written + ended.stdout:
        raise CountingError(explain("ERR_NVGPUCTRPERM"))
    if ended.returncode or not written:
        cause = f"exit status {ended.returncode}: {why(ended)}".removesuffix(": ")
        raise CountingError(f"{explain(written)}; {cause}")


def _call(case: Case) -> None:
    """Call the implementation twice, the second time under the profiler.

    Raises CountingError where that result is wrong.
    """
    import cupy

    call, check = subject(case)
    call()
    cupy.cuda.runtime.profilerStart()
    result, _ = call()
    cupy.cuda.runtime.profilerStop()
    check(result, "under the profiler")


if __name__ == "__main__":
    sys.exit(child_status("counters", sys.argv[1], _call))
