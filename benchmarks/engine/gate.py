"""The gate: no result is timed that was not checked first, and none is checked by its own code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.engine.benchmark import Context, benchmark_of
from fillpath.record import Verified


def verify(stage: str, result: Any, context: Context, fetch: Callable[[Any], Any] | None = None) -> Verified:
    """The verdict on a result of a stage.

    result : what the implementation returned, without its `Work`.
    context : as `operands.context` makes it.
    fetch : brings nouns to the host; None for a result that is there.

    Raises UnsupportedError for a stage that nothing can check.
    """
    benchmark = benchmark_of(stage)
    return benchmark.check(benchmark.evidence(result, context, fetch or _as_it_is), context)


def _as_it_is(result: Any) -> Any:
    return result
