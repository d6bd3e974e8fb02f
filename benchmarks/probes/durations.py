"""Durations of the kernels of one case, by CUPTI: results/<machine>/durations/<case>.json.

`fillpath durations` collects them. CUPTI has to see a graph while it is captured, so the calls under it get
another operand. Nsight Compute, which `fillpath counters` runs, gives durations as well. But it replays
kernel by kernel, and some drivers let only administrators read its counters.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from statistics import median
from typing import Any

from benchmarks.probes.counters import kernel_names
from benchmarks.probes.counting import CountingError
from benchmarks.probes.cupti_child import Counter
from fillpath.registry import Implementation
from impl.cuda.kernel_durations import Durations, kernel_durations


def facts(timed: Mapping[str, Any], implementation: Implementation) -> dict[str, float]:
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


COUNTER = Counter("durations", "calls", 5, lambda case: kernel_durations(), _row, facts, anew=True)

if __name__ == "__main__":
    sys.exit(COUNTER.main(sys.argv[1:]))
