"""Hardware counters of one case, read by Nsight Compute: results/<machine>/counters/<case>.json.

`fillpath counters` reads them. A child process, this module, calls the implementation twice: once so that
kernels are compiled and memory is allocated, and once under the profiler. The second result is verified,
because ncu replays each kernel from a copy of its memory. The counts of the implementation's own kernels are
added up. The case needs an ok record of today's sources on this machine first, whose key the counters carry.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.probes.counting import child_status, measured, run_child, store, subject
from benchmarks.probes.ncu import (
    METRICS,
    CountersError,
    explain,
    find_ncu,
    kernel_names,
    parse,
    version,
)
from fillpath.case import Case
from fillpath.host import node_lock
from fillpath.lock import exclusive
from fillpath.record import Record
from fillpath.registry import load_all, lookup

SECONDS = 1800.0


def count(case: Case) -> Path:
    """Read the counters of a case and store them. Return the file.

    Raises CountersError where ncu is missing, may not read counters or saw no kernel of the implementation's.
    Raises CountingError where the case has no ok record of today's sources.
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
        raise CountersError(f"{case.name}: ncu saw none of {', '.join(names)}")
    return store("counters", record, _content(record, counted, ncu))


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


def _content(record: Record, kernels: pd.DataFrame, ncu: str) -> dict[str, Any]:
    peak = (record.gpu or {}).get("peak_bytes_per_second")
    ceiling = {} if peak is None else {"dram_peak_bytes_per_s": peak}
    return {
        "ncu": version(ncu),
        "metrics": list(METRICS),
        "kernels": kernels.to_dict("index"),
        "facts": kernels.sum().rename({"seconds": "kernel_seconds"}).to_dict() | ceiling,
    }


def _run(command: Sequence[str], log: Path) -> None:
    """Run ncu with its child. Raises CountersError where one fails, CountingError if they take too long."""
    ended = run_child(command, SECONDS, "ncu")
    written = log.read_text() if log.is_file() else ""
    # Without counters ncu fails or succeeds by version; either way its log names the error.
    if "ERR_NVGPUCTRPERM" in written + ended.output:
        raise CountersError(explain("ERR_NVGPUCTRPERM"))
    if ended.status or not written:
        why = ended.why()
        raise CountersError(f"{explain(written)}; exit status {ended.status}{': ' if why else ''}{why}")


def _call(case: Case) -> None:
    """Call the implementation twice, the second time under the profiler.

    Raises CountingError where that result is wrong.
    """
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
    """Do the child's part for the one case of the arguments. Return the exit status."""
    (name,) = arguments
    load_all()
    return child_status("counters", lambda: _call(Case.parse(name)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
