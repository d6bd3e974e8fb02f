"""Where the stages of a run were measured, for the steps that show them."""

from __future__ import annotations

from benchmarks.engine.run import machine_of
from benchmarks.runs.cases import suite_stages
from fillpath.settings import Settings


def machine_of_each_stage(settings: Settings) -> dict[str, str]:
    """Return the machine by stage: on a cluster it is not the one where figures are drawn."""
    return {stage: machine_of(stage) for stage in suite_stages(settings)}
