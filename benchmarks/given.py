"""What an implementation is given, made before anything is timed, and what its results are held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchmarks.gate import ON_FILLED, ON_TWO_WAY, Context, verify_symbolic
from fillpath.errors import FillpathError
from fillpath.nouns import Assembled, Factor, Filled, Pattern, Prepared, Reference, TwoWay
from fillpath.registry import Implementation
from impl.levels.glu3_relaxed import glu3_relaxed
from impl.levels.two_way import assembled, by_both
from impl.symbolic.fill1_pruned import fill1_pruned


def context(
    prepared: Prepared, reference: Reference, implementation: Implementation, options: Mapping[str, str]
) -> Context:
    """What results are held against; F only where it is read. options : as a case has them.

    Raises FillpathError where F is no longer what the reference says.
    """
    stage, takes = implementation.stage, implementation.takes
    needs_both = stage in ON_TWO_WAY or takes in (TwoWay, Assembled)
    filled = filled_of(prepared, reference) if needs_both or stage in ON_FILLED or takes is Filled else None
    both = by_both(filled) if needs_both and filled is not None else None
    values = implementation.values(options)
    return Context(prepared, reference, values, bool(implementation.peer), filled, both)


def taken(implementation: Implementation, context: Context) -> Any:
    """The noun that the implementation takes."""
    if implementation.takes is Assembled:
        assert context.two_way is not None
        levels, _ = glu3_relaxed(context.two_way)
        return assembled(context.prepared, context.two_way, levels)
    nouns = {
        Pattern: context.prepared.pattern,
        Prepared: context.prepared,
        Filled: context.filled,
        TwoWay: context.two_way,
    }
    return nouns[implementation.takes]


def answer(result: Any, context: Context) -> Any:
    """The result without what was given: a factor's pattern is not to be carried back from a device."""
    if isinstance(result, Factor) and context.two_way is not None:
        return replace(result, two_way=context.two_way)
    return result


def filled_of(prepared: Prepared, reference: Reference) -> Filled:
    """F, as later stages stand on it. Raises FillpathError unless it equals the reference."""
    filled, _ = fill1_pruned(prepared.pattern)
    if not isinstance(filled, Filled) or verify_symbolic(filled, reference).value > 0:
        raise FillpathError("fill1_pruned no longer gives the reference that it made; report this")
    return filled
