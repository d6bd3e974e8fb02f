"""The gate's verdict on a result that is on the host, or on a device with the way to fetch it."""

from collections.abc import Callable
from typing import Any

from benchmarks.engine.benchmark import Context, benchmark_of
from fillpath.record import Verified


def verdict_on(
    stage: str, result: Any, context: Context, fetch: Callable[[Any], Any] = lambda result: result
) -> Verified:
    """Hold a result as a worker does."""
    benchmark = benchmark_of(stage)
    return benchmark.check(benchmark.evidence(result, context, fetch), context)
