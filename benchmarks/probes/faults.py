"""Page faults of one case, counted by CUPTI: results/<machine>/faults/<case>.json, by `fillpath faults`.

Its child also measures the bytes per second of the link between host and device. Without a case, the command
counts the cases of FIGURES in the run that the FILLPATH_ settings describe.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from statistics import median
from typing import Any

from benchmarks.engine.current import is_reusable, ok_record
from benchmarks.engine.limits import Limits
from benchmarks.probes.counting import CountingError
from benchmarks.probes.cupti_child import Counter
from benchmarks.runs.cases import figure_cases
from fillpath.case import Case
from fillpath.registry import Implementation
from fillpath.settings import Settings
from impl.cuda import kernels, peers
from impl.cuda.page_faults import PageFaults, page_faults
from impl.cuda.page_faults_all import page_faults_of

# PPoPP'23's Table 3 and GSoFA's Figure 18.
FIGURES = (("ooclu", "table3"), ("gsofa", "fig18"))
LINK_BYTES = 64 * 10**6
LINK_COPIES = 5


def facts(counted: Mapping[str, Any], _: Implementation) -> dict[str, float]:
    """Return the medians over the calls.

    fault_share : share of a counted call's seconds that servicing faults takes
    counted_seconds, uncounted_seconds : of a call with the counters on, and without
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
    """Return the cases of FIGURES with an ok record of today's sources here, cheapest first.

    Raises CountingError without any.
    """
    there, why_not = kernels.available()
    if not there:
        raise CountingError(why_not)
    figures = [figure for figure in FIGURES if settings.covers(*figure)]
    cases = dict.fromkeys(case for figure in figures for case in figure_cases(*figure, settings))
    found = [case for case in cases if _is_measured(case)]
    if not found:
        chosen = {"PAPER": settings.paper, "FIGURE": settings.figure}
        narrowed = "".join(f" {name}={value}" for name, value in chosen.items() if value)
        named = " and ".join(" ".join(figure) for figure in FIGURES)
        raise CountingError(
            f"{len(cases)} cases of {named} in SUITE={settings.suite}{narrowed}, none with an ok "
            f"record of today's sources here: measure them first (`make figures SUITE={settings.suite}`)"
        )
    return found


def _is_measured(case: Case) -> bool:
    record = ok_record(case)
    return record is not None and is_reusable(record, Limits(samples=1))


def link_rates() -> dict[str, Any]:
    """Measure LINK_COPIES copies from pinned host memory to the device, by its clock, in bytes per second."""
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
    return {"link_bytes_per_second": [LINK_BYTES / (elapsed / 1000) for elapsed in milliseconds[1:]]}


def _counting(case: Case) -> AbstractContextManager[PageFaults]:
    """Count on the devices that the case works on."""
    return page_faults_of(peers.devices(case.gpus)) if case.gpus > 1 else page_faults()


COUNTER = Counter("faults", "repeats", 3, _counting, asdict, facts, first=link_rates)

if __name__ == "__main__":
    sys.exit(COUNTER.main(sys.argv[1:]))
