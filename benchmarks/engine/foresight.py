"""What a case cannot do without: memory that its result takes, known before its worker starts."""

from __future__ import annotations

from fillpath.case import Case
from fillpath.registry import Implementation
from fillpath.stages import stage_of

# Bytes of an entry of F: its index, and in the numeric phase its value in float32.
_INDEX, _VALUE = 4, 4


def least_bytes(case: Case, implementation: Implementation, filled: float) -> float:
    """Bytes that the case holds at some time at least, whatever its implementation does: the rows of F as
    result or as input, and their values. 0 where nothing is certain: on graphs, of counts alone, of peers, of
    whole solutions, which may fill less.

    filled : entries of F
    """
    stage = stage_of(case.stage)
    counts = implementation.values(dict(case.options)).get("output") == "counts"
    if not stage.refers or counts or implementation.peer:
        return 0.0
    return filled * (_INDEX + (_VALUE if case.stage == "numeric" else 0))
