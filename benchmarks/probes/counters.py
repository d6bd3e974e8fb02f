"""Hardware counters of one case, read by Nsight Compute: results/<machine>/counters/<case>.json.

A child process, this module, calls the implementation twice. In the first call kernels are compiled and
memory is taken. The second call runs under the profiler, and its result is verified: ncu replays each kernel
from a copy of its memory. The metrics of the implementation's own kernels are added up. The case first needs
an ok record of today's sources on this machine: the counters carry its key, and are shown only with it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.probes.counting import child_status, measured, run_child, store, subject
from benchmarks.probes.ncu import (
    METRICS,
    Counted,
    CountersError,
    explain,
    find_ncu,
    kernel_names,
    parse,
    version,
)
from fillpath.case import Case
from fillpath.host import machine_name, node_lock
from fillpath.lock import exclusive
from fillpath.paths import results
from fillpath.record import Record
from fillpath.registry import load_all, lookup

SECONDS = 1800.0


def counters_path(machine: str, case: str) -> Path:
    """Return the file with the counters of a case."""
    return results() / machine / "counters" / f"{case}.json"


def count(case: Case) -> Path:
    """Read the counters of a case and store them. Returns the file.

    Raises CountersError where ncu is missing, may not read counters or saw no kernel of the implementation.
    Raises CountingError where the case has no ok record to go with.
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


def ncu_command(ncu: str, names: Sequence[str], case: Case, log: Path) -> list[str]:
    """Return the command that profiles the marked call of the child, in ncu's long CSV.

    A row is a launch and a metric. Clocks and caches stay as in a measurement.
    """
    return [
        ncu, "--csv", "--log-file", str(log), "--metrics", ",".join(METRICS), "--print-units", "base",
        "--clock-control", "none", "--cache-control", "none", "--profile-from-start", "off",
        "--kernel-name", f"regex:^({'|'.join(names)})",
        sys.executable, "-m", "benchmarks.probes.counters", case.name,
    ]  # fmt: skip


def _content(record: Record, counted: Counted, ncu: str) -> dict[str, Any]:
    peak = (record.gpu or {}).get("peak_bytes_per_second")
    ceiling = {} if peak is None else {"dram_peak_bytes_per_s": peak}
    return {
        "ncu": version(ncu),
        "metrics": list(METRICS),
        "kernels": {name: vars(kernel) for name, kernel in counted.kernels.items()},
        "facts": counted.facts() | ceiling,
    }


def _run(command: Sequence[str], log: Path) -> None:
    """Run ncu with its child.

    Raises CountersError where either fails, CountingError where it takes too long.
    """
    ended = run_child(command, SECONDS, "ncu")
    written = log.read_text() if log.is_file() else ""
    # Without counters ncu fails or succeeds by version; the log names the cause either way.
    if "ERR_NVGPUCTRPERM" in written + ended.output:
        raise CountersError(explain("ERR_NVGPUCTRPERM"))
    if ended.status or not written:
        why = ended.why()
        raise CountersError(f"{explain(written)}; exit status {ended.status}{': ' if why else ''}{why}")


def _call(case: Case) -> None:
    """Call the implementation twice in the child, the second time under the profiler.

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
    """Read the counters of the case of the arguments, in the child. Returns the exit status."""
    (name,) = arguments
    load_all()
    return child_status("counters", lambda: _call(Case.parse(name)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
