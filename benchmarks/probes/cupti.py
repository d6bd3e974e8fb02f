"""Page faults and durations of kernels of one case, which CUPTI counts in a child process.

The child calls the implementation once, so that kernels are compiled and memory is allocated. Then it makes
`repeats` calls without CUPTI and `repeats` calls under it. The first and the last result are verified. Its
parent stores what it counted with the key of the case's record: reports show counts only with that record.

    FAULTS.collect(case)       # results/<machine>/faults/<case>.json, by `fillpath faults`
    DURATIONS.collect(case)    # results/<machine>/durations/<case>.json, by `fillpath durations`

The child of FAULTS also measures the bytes per second of the link between host and device. Without a case,
`fillpath faults` counts the cases of FIGURES in the run that the FILLPATH_ settings describe.

CUPTI has to see a graph while it is captured, so the calls under DURATIONS get another operand. Nsight
Compute, which `fillpath counters` runs, gives durations as well. But it replays kernel by kernel, and some
drivers let only administrators read its counters.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.engine.current import decisive_record, reusable_record
from benchmarks.engine.follow import die_with_parent
from benchmarks.engine.limits import Limits
from benchmarks.probes.counters import kernel_names
from benchmarks.probes.counting import CountingError, child_status, measured, run_child, store, subject, why
from benchmarks.runs.cases import figure_cases
from fillpath.case import Case
from fillpath.hardware import identity
from fillpath.host import node_lock
from fillpath.lock import exclusive
from fillpath.paths import write_json
from fillpath.registry import Implementation, lookup
from fillpath.settings import Settings
from impl.cuda import kernels, peers
from impl.cuda.cupti import available
from impl.cuda.kernel_durations import Durations, kernel_durations
from impl.cuda.page_faults import PageFaults, page_faults
from impl.cuda.page_faults_all import page_faults_of

SECONDS = 1800.0
# PPoPP'23's Table 3 and GSoFA's Figure 18.
FIGURES = (("ooclu", "table3"), ("gsofa", "fig18"))
LINK_BYTES = 64 * 10**6
LINK_COPIES = 5


@dataclass(frozen=True)
class Counter:
    """A counter of CUPTI.

    tool : name of the command and of the folder of its files
    rows : name of the list of counted calls in a file
    repeats : calls without CUPTI, and as many under it
    counting : context of a counted call of the case, which yields its counts
    row : the stored row of a call, from its counts, without its seconds
    facts : the medians that reports read, from the file of the child
    first : further measurements before CUPTI is loaded, which then stays in the process
    anew : whether the calls under CUPTI get another operand, and one more call before them
    """

    tool: str
    rows: str
    repeats: int
    counting: Callable[[Case], AbstractContextManager[Any]]
    row: Callable[[Any], dict[str, Any]]
    facts: Callable[[Mapping[str, Any], Implementation], dict[str, float]]
    first: Callable[[], dict[str, Any]] = dict
    anew: bool = False

    def collect(self, case: Case) -> Path:
        """Count a case in a child, alone on this node, and store the counts. Return the file.

        Raises CountingError where CUPTI is missing, where the child fails or takes too long, and where the
        case has no ok record of today's sources.
        """
        implementation = lookup(case.stage, case.implementation)
        record = measured(case, implementation)
        loadable, why_not = available()
        if not loadable:
            raise CountingError(f"{case.name}: {why_not}")
        with tempfile.TemporaryDirectory() as folder, exclusive(node_lock("measurement")):
            target = Path(folder) / "counted.json"
            child = [sys.executable, "-m", "benchmarks.probes.cupti", self.tool, str(target), case.name]
            ended = run_child(child, SECONDS, f"{case.name}: counting")
            # The child writes its file last and whole. How it ends after that, and CUPTI in it, is no matter.
            if not target.is_file():
                cause = why(ended, f"{self.tool}: ") or f"the child ended with exit status {ended.returncode}"
                raise CountingError(f"{case.name}: {cause}")
            counted: dict[str, Any] = json.loads(target.read_text())
        # The record may be of another host with this machine's name.
        about = {"host": identity(), "facts": self.facts(counted, implementation)}
        return store(self.tool, record, {**counted, **about})

    def main(self, arguments: Sequence[str]) -> int:
        """Do the child's part for the file to write and the case. Return the exit status."""
        target, name = arguments
        die_with_parent()
        return child_status(self.tool, name, lambda case: write_json(Path(target), self.counted(case)))

    def counted(self, case: Case) -> dict[str, Any]:
        """Call the case, and return its rows, `uncounted_seconds`, and what was measured first.

        Raises CountingError for a wrong result, UnavailableError where CUPTI refuses.
        """
        call, check = subject(case)
        check(call()[0], "before CUPTI counted")
        uncounted = [_clocked(call)[0] for _ in range(self.repeats)]
        first = self.first()
        if self.anew:
            del call, check
            call, check = subject(case)
            with self.counting(case):
                call()
        rows, outcome = [], (None, None)
        for _ in range(self.repeats):
            # The memory of a result is free before the next call asks for its own.
            outcome = (None, None)
            with self.counting(case) as counts:
                seconds, outcome = _clocked(call)
            rows.append({**self.row(counts), "seconds": seconds})
        check(outcome[0], "while CUPTI counted")
        return {self.rows: rows, "uncounted_seconds": uncounted, **first}


def _clocked(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds until the device is done, and the outcome of the call."""
    start = time.perf_counter()
    outcome = call()
    return time.perf_counter() - start, outcome


def fault_facts(counted: Mapping[str, Any], _: Implementation) -> dict[str, float]:
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
    """Tell whether `counting.measured` finds an ok record; the newest on this input may have failed."""
    record = decisive_record(case)
    prepared = (record.prepared or {}).get("hash", "") if record and record.median is not None else ""
    return bool(prepared) and reusable_record(case, prepared, Limits(samples=1)) == record


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


def duration_facts(timed: Mapping[str, Any], implementation: Implementation) -> dict[str, float]:
    """Return the medians over the calls.

    kernel_seconds : the sum of the durations of all kernels of a call
    own_kernel_seconds : of the kernels in the implementation's sources, not CuPy's
    kernel_launches : of all kernels
    span_seconds : from the start of a call's first kernel to the end of its last
    timed_seconds, untimed_seconds : of a call while CUPTI records, and before it was loaded
    overhead : timed_seconds over untimed_seconds
    """
    calls, own = timed["calls"], kernel_names(implementation.kernel_paths())

    def total(part: str, names: Collection[str] | None = None) -> float:
        sums = (
            sum(k[part] for name, k in call["kernels"].items() if names is None or name in names)
            for call in calls
        )
        return float(median(sums))

    seconds, without = median(call["seconds"] for call in calls), median(timed["uncounted_seconds"])
    return {
        "kernel_seconds": total("seconds"),
        "own_kernel_seconds": total("seconds", own),
        "kernel_launches": total("launches"),
        "span_seconds": float(median(call["span_seconds"] for call in calls)),
        "timed_seconds": float(seconds),
        "untimed_seconds": float(without),
        "overhead": float(seconds / without),
    }


def _row(durations: Durations) -> dict[str, Any]:
    if not durations.kernels:
        raise CountingError("CUPTI saw no kernel")
    slowest_first = sorted(durations.kernels.items(), key=lambda each: -each[1].seconds)
    kernels = {name: vars(kernel) for name, kernel in slowest_first}
    return {"kernels": kernels, "span_seconds": durations.span}


FAULTS = Counter("faults", "repeats", 3, _counting, asdict, fault_facts, first=link_rates)
DURATIONS = Counter("durations", "calls", 5, lambda case: kernel_durations(), _row, duration_facts, anew=True)
COUNTERS = {counter.tool: counter for counter in (FAULTS, DURATIONS)}

if __name__ == "__main__":
    sys.exit(COUNTERS[sys.argv[1]].main(sys.argv[2:]))
