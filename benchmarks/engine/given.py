"""What an implementation is given, made before anything is timed, and what its results are held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchmarks.checks.laplacians import column_hashes
from benchmarks.engine.gate import ON_FILLED, ON_TWO_WAY, Context, verify_symbolic
from fillpath.errors import FillpathError
from fillpath.nouns import (
    Assembled,
    Factor,
    Filled,
    Laplacian,
    Pattern,
    Prepared,
    Reference,
    System,
    TwoWay,
)
from fillpath.registry import Implementation
from fillpath.stages import stage_of
from impl import inputs
from impl.cholesky.ac_sequential import ac_sequential
from impl.cholesky.parac_cpu import parac_cpu


def context(
    prepared: Prepared,
    reference: Reference | None,
    implementation: Implementation,
    options: Mapping[str, str],
    seed: int = 0,
) -> Context:
    """What results are held against; F only where it is read. reference : None on GRAPH_STAGES, which read
    none. options, seed : as a case has them.

    Raises FillpathError where F is no longer what the reference says, and what `inputs.graph` raises.
    """
    stage, takes = implementation.stage, implementation.takes
    if stage_of(stage).on_graph:
        return _on_graph(prepared, implementation, options, seed)
    assert reference is not None
    needs_both = stage in ON_TWO_WAY or takes in (TwoWay, Assembled)
    filled = filled_of(prepared, reference) if needs_both or stage in ON_FILLED or takes is Filled else None
    both = inputs.two_way(filled) if needs_both and filled is not None else None
    values = implementation.values(options)
    return Context(prepared, reference, values, bool(implementation.peer), filled, both)


def _on_graph(
    prepared: Prepared, implementation: Implementation, options: Mapping[str, str], seed: int
) -> Context:
    """The graph's system, and in the stage cholesky the factor of the same seed: ac_sequential's, or
    parac_cpu's for ac_sequential itself."""
    values = implementation.values(options)
    system = inputs.linear_system(inputs.graph(prepared))
    blank = Context(prepared, None, values, bool(implementation.peer), system=system)
    if implementation.stage != "cholesky" or blank.system is None:
        return blank
    maker = parac_cpu if implementation.name == "ac_sequential" else ac_sequential
    factor, _ = maker(blank.system.laplacian, seed=seed)
    return replace(blank, factored_by=maker.__name__, columns=column_hashes(factor))


def arguments(
    implementation: Implementation, options: Mapping[str, str], seed: int, gpus: int = 0
) -> dict[str, Any]:
    """Keyword arguments from a case's options, and its seed and GPUs for what has options of these names.
    gpus : 0 for the implementation's own default."""
    known = implementation.values({})
    seeded = {"seed": seed} if "seed" in known else {}
    counted = {"gpus": gpus} if gpus and "gpus" in known else {}
    return {**implementation.arguments(options), **seeded, **counted}


def taken(implementation: Implementation, context: Context) -> Any:
    """The noun that the implementation takes."""
    if implementation.takes is Assembled:
        assert context.two_way is not None
        return inputs.matrix_on_filled(context.prepared, context.two_way)
    nouns = {
        Pattern: context.prepared.pattern,
        Prepared: context.prepared,
        Filled: context.filled,
        TwoWay: context.two_way,
        Laplacian: context.system and context.system.laplacian,
        System: context.system,
    }
    return nouns[implementation.takes]


def answer(result: Any, context: Context) -> Any:
    """The result without what was given: a factor's pattern is not to be carried back from a device."""
    if isinstance(result, Factor) and context.two_way is not None:
        return replace(result, two_way=context.two_way)
    return result


def filled_of(prepared: Prepared, reference: Reference) -> Filled:
    """F, as later stages stand on it. Raises FillpathError unless it equals the reference."""
    filled = inputs.filled(prepared.pattern)
    if verify_symbolic(filled, reference).value > 0:
        raise FillpathError("fill1_pruned no longer gives the reference that it made; report this")
    return filled
