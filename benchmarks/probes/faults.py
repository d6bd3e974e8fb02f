"""Page faults of one case, counted by CUPTI: results/<machine>/faults/<case>.json.

`fillpath faults` counts. A child process, this module, calls the implementation once, so that kernels are
compiled and memory is there, REPEATS times as it is, and REPEATS times with the counters on; the first and
the last result are verified. It also measures what the link between host and device moves. The case needs
an ok record of today's sources on this machine first: the counts carry its key, and are shown only beside
it. Without a case: those of PPoPP'23's Table 3 and of GSoFA's Figure 18 in the run that the FILLPATH_
settings describe that have such a record.

Longer than two screens: the parent and its child belong together, as one reads what the other writes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.engine.limits import Limits
from benchmarks.engine.standing import settling_record
from benchmarks.probes.counting import CountingError, child_status, measured, store, subject
from benchmarks.probes.cupti_child import clocked, counted_by_child, write_counted
from benchmarks.runs.cases import figure_cases
from benchmarks.runs.launch import die_with_parent
from fillpath.case import Case
from fillpath.host import machine_name
from fillpath.paths import results
from fillpath.record import Status, read_records, record_path
from fillpath.registry import load_all, lookup
from fillpath.settings import Settings
from impl.cuda import kernels, peers
from impl.cuda.cupti import available
from impl.cuda.page_faults import PageFaults, page_faults
from impl.cuda.page_faults_all import page_faults_of

# The figures whose cases are counted.
FIGURES = (("ooclu", "table3"), ("gsofa", "fig18"))
REPEATS = 3
SECONDS = 1800.0
LINK_BYTES = 64 * 10**6
LINK_COPIES = 5
TOOL = "faults"


class FaultsError(CountingError):
    """The page faults of a case could not be counted."""


def faults_path(machine: str, case: str) -> Path:
    """Where the page faults of a case stand."""
    return results() / machine / "faults" / f"{case}.json"


def count(case: Case) -> Path:
    """Count the page faults of a case and store them. Returns the file.

    Raises FaultsError where CUPTI is missing, CountingError where the child fails or takes too long, and
    where the case has no ok record that the counts could stand beside.
    """
    record = measured(case, lookup(case.stage, case.implementation))
    loadable, why_not = available()
    if not loadable:
        raise FaultsError(f"{case.name}: {why_not}")
    counted = counted_by_child(case, child_command, SECONDS, TOOL, "counting")
    path = faults_path(machine_name(), case.name)
    store(path, record, {**counted, "facts": facts(counted)})
    return path


def facts(counted: Mapping[str, Any]) -> dict[str, float]:
    """The medians, as reports read them, of what the child wrote.

    fault_share : share of a counted call's seconds that servicing faults takes
    counted_seconds : of a call with the counters on
    uncounted_seconds : of a call without the counters
    overhead : counted_seconds over uncounted_seconds
    link_bytes_per_second : from pinned host memory to the device
    """
    repeats = counted["repeats"]
    medians = {name: float(median(repeat[name] for repeat in repeats)) for name in repeats[0]}
    seconds, without = medians.pop("seconds"), float(median(counted["uncounted_seconds"]))
    return {
        **medians,
        "fault_share": float(median(repeat["fault_seconds"] / repeat["seconds"] for repeat in repeats)),
        "counted_seconds": seconds,
        "uncounted_seconds": without,
        "overhead": seconds / without,
        "link_bytes_per_second": float(median(counted["link_bytes_per_second"])),
    }


def counted_cases(settings: Settings) -> list[Case]:
    """The cases of a run, cheapest first, that are counted: of FIGURES, with an ok record of today's sources
    here. Raises FaultsError without any."""
    there, why_not = kernels.available()
    if not there:
        raise FaultsError(why_not)
    figures = [figure for figure in FIGURES if settings.covers(*figure)]
    cases = dict.fromkeys(case for figure in figures for case in figure_cases(*figure, settings))
    measured_cases = [case for case in cases if _is_measured(case)]
    if not measured_cases:
        chosen = {"PAPER": settings.paper, "FIGURE": settings.figure}
        narrowed = "".join(f" {name}={value}" for name, value in chosen.items() if value)
        named = " and ".join(" ".join(figure) for figure in FIGURES)
        raise FaultsError(
            f"{len(cases)} cases of {named} in SUITE={settings.suite}{narrowed}, none with an ok "
            f"record of today's sources here: measure them first (`make figures SUITE={settings.suite}`)"
        )
    return measured_cases


def child_command(case: Case, target: Path) -> list[str]:
    """What counts the case and writes its counts, as JSON, to the target."""
    return [sys.executable, "-m", "benchmarks.probes.faults", str(target), case.name]


def link_rates() -> list[float]:
    """Bytes per second of each of LINK_COPIES copies from pinned host memory to the device, by its clock."""
    import cupy

    runtime, stream = cupy.cuda.runtime, cupy.cuda.get_current_stream()
    pinned, target = cupy.cuda.alloc_pinned_memory(LINK_BYTES), cupy.cuda.alloc(LINK_BYTES)
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    milliseconds = []
    # The first finds the link asleep.
    for _ in range(1 + LINK_COPIES):
        start.record()
        runtime.memcpyAsync(target.ptr, pinned.ptr, LINK_BYTES, runtime.memcpyHostToDevice, stream.ptr)
        end.record()
        end.synchronize()
        milliseconds.append(float(cupy.cuda.get_elapsed_time(start, end)))
    return [LINK_BYTES / (elapsed / 1000) for elapsed in milliseconds[1:]]


def _is_measured(case: Case) -> bool:
    inputs = {
        (record.prepared or {}).get("hash", "")
        for record in read_records(record_path(machine_name(), case.name))
    }
    standing = [settling_record(case, prepared_hash, Limits(samples=1), 1) for prepared_hash in inputs]
    return any(record is not None and record.status is Status.OK for record in standing)


def _child(case: Case, target: Path) -> None:
    write_counted(target, lambda: _counted(case))


def _counted(case: Case) -> dict[str, Any]:
    """`repeats`, `uncounted_seconds` and `link_bytes_per_second`, one of each repetition. Raises
    CountingError for a wrong result, UnavailableError where CUPTI refuses."""
    counting = subject(case)
    call = counting.where.sampled(counting.call)
    counting.check(call()[0], "before the counters were on")
    uncounted = [clocked(call)[0] for _ in range(REPEATS)]
    # Before CUPTI is loaded, which stays in the process.
    rates = link_rates()
    repeats, outcome = [], (None, None)
    for _ in range(REPEATS):
        # The memory of a result is free before the next call asks for its own.
        outcome = (None, None)
        with _faults_of(case) as faults:
            seconds, outcome = clocked(call)
        repeats.append({**asdict(faults), "seconds": seconds})
    counting.check(outcome[0], "with the counters on")
    return {"repeats": repeats, "uncounted_seconds": uncounted, "link_bytes_per_second": rates}


def _faults_of(case: Case) -> AbstractContextManager[PageFaults]:
    """The counters of the devices that the case works on."""
    return page_faults_of(peers.devices(case.gpus)) if case.gpus > 1 else page_faults()


def main(arguments: Sequence[str]) -> int:
    """The child's part, of the file to write and the case. Returns the exit status."""
    target, name = arguments
    die_with_parent()
    load_all()
    return child_status(TOOL, lambda: _child(Case.parse(name), Path(target)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
