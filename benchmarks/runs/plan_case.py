"""A case of a planned run: what it is predicted to take, and by what that is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.engine.foresight import least_bytes
from benchmarks.runs import costs
from benchmarks.runs.amounts import Forecast
from benchmarks.runs.layout import limits_of, processes_of
from benchmarks.runs.plan_site import Site
from benchmarks.runs.rates import Kind, Rate, guess, kind_of
from fillpath.case import Case
from fillpath.registry import lookup
from fillpath.settings import Settings

# Of F's logarithm: by so many of its standard deviations the lower estimate lies below the forecast.
_CAREFUL = 2.0


@dataclass(frozen=True)
class CaseForecast:
    """What a case is predicted to take.

    call : seconds of one call, None where no record of its stage says anything
    seconds : of all its processes, each no longer than its limit; a timeout ends the case
    spread : of the logarithm of the call: by the rate's error and by that of F's forecast
    source : of the rate, as Guess has it
    work : of the amounts, as Forecast has it
    memory : bytes of the largest process
    limit : seconds of a process
    processes : in which it is predicted to be measured
    most_processes : in which it is measured unless it fails
    foreseen : `timeout` or `out_of_memory`, empty for a result
    """

    case: Case
    call: float | None
    seconds: float
    spread: float
    source: str
    work: str
    memory: int
    limit: float
    processes: int
    most_processes: int
    foreseen: str


def forecast_of(
    case: Case, work: Forecast, rates: Mapping[Kind, Rate], site: Site, settings: Settings
) -> CaseForecast:
    """The forecast of a case on so much work."""
    implementation = lookup(case.stage, case.implementation)
    made = guess(kind_of(case), work.amounts, rates)
    limits, most = limits_of(case, settings), processes_of(case, settings)
    limit = limits.seconds
    memory = _memory(case, work)
    spread = math.hypot(made.spread if made else 0.0, work.spread)
    filled = work.amounts.get("filled", 0.0) * math.exp(-_CAREFUL * work.spread)
    source = made.source if made else "unknown"
    call = made.seconds if made else None
    if least_bytes(case, implementation, filled) > site.room(implementation.device):
        return CaseForecast(
            case, call, 0.0, spread, source, work.source, memory, limit, 1, most, "out_of_memory"
        )
    each = (
        limit
        if call is None
        else costs.process_seconds(call, implementation.device, work.amounts, limits.sampling)
    )
    late = each > limit or call is None
    count = 1 if late else most
    return CaseForecast(
        case, call, count * min(each, limit), spread, source, work.source, memory, limit, count, most,
        "timeout" if late else "",
    )  # fmt: skip


def _memory(case: Case, work: Forecast) -> int:
    amounts = work.amounts
    order, entries = int(amounts.get("order", 0)), int(amounts["entries"])
    if "filled" not in amounts:
        return costs.graph_memory(order, entries)
    return costs.run_memory(order, entries, amounts["filled"], [case.stage])
