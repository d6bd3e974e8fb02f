"""The gate: every result is checked before it is timed, and never by its own code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.engine.benchmark import Context, benchmark_of
from fillpath.record import Verified


def verify(
    stage: str, result: Any, context: Context, fetch: Callable[[Any], Any] = lambda result: result
) -> Verified:
    """Return the verdict on a result of a stage. Raises UnsupportedError for a stage without a check.

    result : of the implementation, without its `Work`
    context : from `operands.context`
    fetch : brings nouns to the host
    """
    benchmark = benchmark_of(stage)
    return benchmark.check(benchmark.evidence(result, context, fetch), context)
