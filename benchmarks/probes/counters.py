"""Hardware counters of one case, read by Nsight Compute: results/<machine>/counters/<case>.json.

`fillpath counters` reads them. A child process, this module, calls the implementation twice: once so that
kernels are compiled and memory is there, and once under the profiler, whose result is verified: ncu replays
each kernel from a copy of its memory. What ncu writes for the implementation's own kernels is added up. The
case needs an ok record of today's sources on this machine first: the counters carry its key, and are shown
only beside it."""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.probes.counting import CountingError, child_status, measured, run_child, store, subject
from fillpath.case import Case
from fillpath.host import machine_name, node_lock
from fillpath.lock import exclusive
from fillpath.paths import results
from fillpath.record import Record
from fillpath.registry import load_all, lookup

DRAM, SECTORS, DURATION = "dram__bytes.sum", "lts__t_sectors.sum", "gpu__time_duration.sum"
METRICS = (DRAM, SECTORS, DURATION)
# Bytes of a sector of L2.
SECTOR = 32
# Where the CUDA toolkit puts it, and its own packages, a folder a version, if it is not on the PATH.
PLACES = ((Path("/usr/local/cuda/bin"), "ncu"), (Path("/opt/nvidia/nsight-compute"), "*/ncu"))
SECONDS = 1800.0

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
    """What ncu wrote.

    kernels : those of the implementation, by name
    others : launches of other kernels
    """

    kernels: Mapping[str, Kernel] = field(default_factory=dict)
    others: int = 0

    def facts(self) -> dict[str, float]:
        """The sums, as reports read them."""
        kernels = self.kernels.values()
        return {
            "dram_bytes": math.fsum(kernel.dram_bytes for kernel in kernels),
            "l2_bytes": math.fsum(kernel.l2_bytes for kernel in kernels),
            "kernel_seconds": math.fsum(kernel.seconds for kernel in kernels),
            "launches": float(sum(kernel.launches for kernel in kernels)),
        }


def counters_path(machine: str, case: str) -> Path:
    """Where the counters of a case stand."""
    return results() / machine / "counters" / f"{case}.json"


def count(case: Case) -> Path:
    """Read the counters of a case and store them. Returns the file.

    Raises CountersError where ncu is missing, may not read counters or saw no kernel of the implementation's,
    CountingError where the case has no ok record that the counters could stand beside.
    """
    implementation = lookup(case.stage, case.implementation)
    record = measured(case, implementation)
    ncu = find_ncu()
    names = kernel_names(implementation.kernel_paths())
    with tempfile.TemporaryDirectory() as folder, exclusive(node_lock("measurement")):
        log = Path(folder) / "ncu.csv"
        _run(ncu_command(ncu, names, case, log), log)
        counted = parse(log.read_text(), names)
    if not counted.kernels:
        raise CountersError(f"{case.name}: ncu saw none of {', '.join(names)}")
    path = counters_path(machine_name(), case.name)
    store(path, record, _content(record, counted, ncu))
    return path


def find_ncu() -> str:
    """Nsight Compute's command line. Raises CountersError where it is not installed."""
    program = shutil.which("ncu")
    elsewhere = [str(path) for folder, pattern in PLACES for path in sorted(folder.glob(pattern))]
    if program is None and not elsewhere:
        raise CountersError(
            "ncu (NVIDIA Nsight Compute) is neither on the PATH nor under /opt/nvidia or /usr/local/cuda"
        )
    return program or elsewhere[-1]


def kernel_names(files: Iterable[Path]) -> list[str]:
    """The entry points of .cu files, sorted."""
    return sorted({name for path in files for name in _KERNEL.findall(path.read_text())})


def ncu_command(ncu: str, names: Sequence[str], case: Case, log: Path) -> list[str]:
    """What profiles the marked call of the child, in ncu's long CSV: one row per launch and metric. Clocks
    and caches stay as in a measurement."""
    return [
        ncu, "--csv", "--log-file", str(log), "--metrics", ",".join(METRICS), "--print-units", "base",
        "--clock-control", "none", "--cache-control", "none", "--profile-from-start", "off",
        "--kernel-name", f"regex:^({'|'.join(names)})",
        sys.executable, "-m", "benchmarks.probes.counters", case.name,
    ]  # fmt: skip


def parse(text: str, names: Sequence[str]) -> Counted:
    """Add up ncu's CSV by kernel: a row is a launch (ID, Process ID) and a metric. names : what the kernels'
    names begin with.

    Raises CountersError for what ncu reports instead of a table, for a value that is no number, and for a
    launch that lacks a metric.
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
    """Why ncu wrote no table, in one line."""
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
    """A metric in bytes, sectors or seconds; ncu writes thousands with commas."""
    unit = row["Metric Unit"]
    if row["Metric Name"] not in METRICS:
        return math.nan
    try:
        return float(row["Metric Value"].replace(",", "")) * _UNITS[unit]
    except (ValueError, KeyError):
        raise CountersError(
            f"ncu gave {row['Metric Name']} = {row['Metric Value']!r} {unit}: not a number"
        ) from None


def _content(record: Record, counted: Counted, ncu: str) -> dict[str, Any]:
    peak = (record.gpu or {}).get("peak_bytes_per_second")
    ceiling = {} if peak is None else {"dram_peak_bytes_per_s": peak}
    return {
        "ncu": _version(ncu),
        "metrics": list(METRICS),
        "kernels": {name: vars(kernel) for name, kernel in counted.kernels.items()},
        "facts": counted.facts() | ceiling,
    }


def _version(ncu: str) -> str | None:
    """`2025.3.1.0`, None where ncu does not say."""
    done = subprocess.run([ncu, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"Version\s+(\S+)", done.stdout)
    return match[1] if match else None


def _run(command: Sequence[str], log: Path) -> None:
    """Run ncu with its child. Raises CountersError where either fails, CountingError where it takes too
    long."""
    ended = run_child(command, SECONDS, "ncu")
    written = log.read_text() if log.is_file() else ""
    # Without counters ncu fails or succeeds by version; the log says it either way.
    if "ERR_NVGPUCTRPERM" in written + ended.output:
        raise CountersError(explain("ERR_NVGPUCTRPERM"))
    if ended.status or not written:
        why = ended.why()
        raise CountersError(f"{explain(written)}; exit status {ended.status}{': ' if why else ''}{why}")


def _call(case: Case) -> None:
    """The child's part: call the implementation twice, the second time under the profiler. Raises
    CountingError where that result is wrong."""
    import cupy

    counted = subject(case)
    counted.call()
    cupy.cuda.runtime.deviceSynchronize()
    cupy.cuda.runtime.profilerStart()
    result, _ = counted.call()
    cupy.cuda.runtime.deviceSynchronize()
    cupy.cuda.runtime.profilerStop()
    counted.check(result, "under the profiler")


def main(arguments: Sequence[str]) -> int:
    """The child's part, of the case alone. Returns the exit status."""
    (name,) = arguments
    load_all()
    return child_status("counters", lambda: _call(Case.parse(name)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
