"""Durations of the kernels of one case, by CUPTI: results/<machine>/durations/<case>.json.

`fillpath durations` collects them. A child process, this module, calls the implementation once, so that
kernels are compiled and memory is there, REPEATS times as it is, once more under CUPTI, which has to see a
graph while it is captured, and REPEATS times while CUPTI records when each kernel starts and ends; the first
and the last result are verified. Nsight Compute, which `fillpath counters` runs, gives durations as well, but
replays kernel by kernel with nothing beside, and where the driver lets only administrators read counters,
not at all. The case needs an ok record of today's sources on this machine first: the durations carry its key,
and are shown only beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.probes.counting import CountingError, child_status, measured, store, subject
from benchmarks.probes.cupti_child import clocked, counted_by_child, write_counted
from benchmarks.probes.ncu import kernel_names
from benchmarks.runs.launch import die_with_parent
from fillpath.case import Case
from fillpath.hardware import identity
from fillpath.host import machine_name
from fillpath.paths import results
from fillpath.registry import load_all, lookup
from impl.cuda.cupti import available
from impl.cuda.kernel_durations import Durations, kernel_durations

REPEATS = 5
SECONDS = 1800.0
TOOL = "durations"


class DurationsError(CountingError):
    """The kernels of a case could not be timed."""


def durations_path(machine: str, case: str) -> Path:
    """Where the durations of a case stand."""
    return results() / machine / TOOL / f"{case}.json"


def collect(case: Case) -> Path:
    """Collect the durations of a case's kernels and store them. Returns the file.

    Raises DurationsError where CUPTI is missing, CountingError where the child fails or takes too long, and
    where the case has no ok record that the durations could stand beside.
    """
    implementation = lookup(case.stage, case.implementation)
    record = measured(case, implementation)
    loadable, why_not = available()
    if not loadable:
        raise DurationsError(f"{case.name}: {why_not}")
    timed = counted_by_child(case, child_command, SECONDS, TOOL, "timing kernels")
    names = kernel_names(implementation.kernel_paths())
    path = durations_path(machine_name(), case.name)
    # The record may be of another host of this machine's name.
    store(path, record, {**timed, "host": identity(), "facts": facts(timed, names)})
    return path


def facts(timed: Mapping[str, Any], names: Sequence[str]) -> dict[str, float]:
    """The medians over the calls, as reports read them, of what the child wrote.

    names : of the implementation's own kernels
    kernel_seconds : the sum of the durations of all kernels of a call
    own_kernel_seconds : of those of the implementation's sources; CuPy's copy and sum beside them
    kernel_launches : of all kernels
    span_seconds : from the start of a call's first kernel to the end of its last
    timed_seconds : of a call while CUPTI records
    untimed_seconds : of a call before CUPTI was loaded
    overhead : timed_seconds over untimed_seconds
    """
    calls = timed["calls"]

    def of_calls(value: Callable[[Mapping[str, Any]], float]) -> float:
        return float(median(value(call) for call in calls))

    def of_kernels(call: Mapping[str, Any], part: str, kernels: Sequence[str] | None = None) -> float:
        return float(
            sum(k[part] for name, k in call["kernels"].items() if kernels is None or name in kernels)
        )

    seconds = of_calls(lambda call: call["seconds"])
    without = float(median(timed["untimed_seconds"]))
    return {
        "kernel_seconds": of_calls(lambda call: of_kernels(call, "seconds")),
        "own_kernel_seconds": of_calls(lambda call: of_kernels(call, "seconds", names)),
        "kernel_launches": of_calls(lambda call: of_kernels(call, "launches")),
        "span_seconds": of_calls(lambda call: call["span_seconds"]),
        "timed_seconds": seconds,
        "untimed_seconds": without,
        "overhead": seconds / without,
    }


def child_command(case: Case, target: Path) -> list[str]:
    """What times the case's kernels and writes their durations, as JSON, to the target."""
    return [sys.executable, "-m", "benchmarks.probes.durations", str(target), case.name]


def _child(case: Case, target: Path) -> None:
    write_counted(target, lambda: _timed(case))


def _timed(case: Case) -> dict[str, Any]:
    """`untimed_seconds` and `calls`, one of each repetition. Raises CountingError for a wrong result, and
    where there is no kernel, UnavailableError where CUPTI refuses."""
    without = _untimed(case)
    # Another operand, so that what an implementation keeps of the one before, such as a graph, is made anew.
    timing = subject(case)
    call = timing.where.sampled(timing.call)
    with kernel_durations():
        call()
    calls, outcome = [], (None, None)
    for _ in range(REPEATS):
        # The memory of a result is free before the next call asks for its own.
        outcome = (None, None)
        with kernel_durations() as durations:
            seconds, outcome = clocked(call)
        calls.append(_call(durations, seconds))
    timing.check(outcome[0], "while kernels were timed")
    if not all(each["kernels"] for each in calls):
        raise DurationsError("CUPTI saw no kernel")
    return {"untimed_seconds": without, "calls": calls}


def _untimed(case: Case) -> list[float]:
    """Seconds of each of REPEATS calls before CUPTI is loaded, which stays in the process."""
    plain = subject(case)
    call = plain.where.sampled(plain.call)
    plain.check(call()[0], "before kernels were timed")
    return [clocked(call)[0] for _ in range(REPEATS)]


def _call(durations: Durations, seconds: float) -> dict[str, Any]:
    slowest_first = sorted(durations.kernels.items(), key=lambda each: -each[1].seconds)
    return {
        "kernels": {name: vars(kernel) for name, kernel in slowest_first},
        "span_seconds": durations.span,
        "seconds": seconds,
    }


def main(arguments: Sequence[str]) -> int:
    """The child's part, of the file to write and the case. Returns the exit status."""
    target, name = arguments
    die_with_parent()
    load_all()
    return child_status(TOOL, lambda: _child(Case.parse(name), Path(target)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
