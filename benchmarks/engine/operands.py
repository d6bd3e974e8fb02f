"""Operands of implementations, and what their results are checked against, made before anything is timed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import impl.inputs  # noqa: F401  It registers the makers.
from benchmarks.checks.rows import verify_symbolic
from benchmarks.engine.benchmark import Context, benchmark_of
from fetch.prepare import raw_of
from fetch.zeros import without_lone_zeros
from fillpath.errors import FillpathError
from fillpath.nouns import Filled, Pattern, Prepared, Raw, Reference
from fillpath.registry import Implementation
from fillpath.source_hashes import maker_of, parts_of
from fillpath.stages import stage_of


def context(
    prepared: Prepared,
    reference: Reference | None,
    implementation: Implementation,
    options: Mapping[str, str],
    seed: int = 0,
) -> Context:
    """Return what results are checked against.

    reference : of the matrix; None for a stage that does not refer to F
    options, seed : as a case has them

    Raises UnsupportedError for a stage without a benchmark, and what makers raise.
    """
    benchmark = benchmark_of(implementation.stage)
    if stage_of(implementation.stage).on_graph:
        prepared = without_lone_zeros(prepared)
    nouns: dict[type, Any] = {Prepared: prepared, Pattern: prepared.pattern}
    for kind in benchmark.reads:
        _make(kind, nouns, reference)
    bare = Context(prepared, reference, implementation, implementation.values(options), nouns)
    return replace(bare, expected=benchmark.expected(bare, seed))


def operand(implementation: Implementation, context: Context) -> Any:
    """Return the noun that the implementation takes. Raises as `context`."""
    return _make(implementation.takes, dict(context.nouns), context.reference)


def arguments(
    implementation: Implementation, options: Mapping[str, str], seed: int, gpus: int = 0
) -> dict[str, Any]:
    """Return keyword arguments: a case's options, its seed and its GPUs where there are such options.

    gpus : 0 for the implementation's own default
    """
    names = implementation.values({})
    seeds = {"seed": seed} if "seed" in names else {}
    counts = {"gpus": gpus} if gpus and "gpus" in names else {}
    return {**implementation.arguments(options), **seeds, **counts}


def _make(kind: type, nouns: dict[type, Any], reference: Reference | None) -> Any:
    """Return the noun of that type, made by the makers that records are keyed by; `nouns` keeps all parts.

    Raises FillpathError where F differs from the reference, and what a maker raises.
    """
    if kind is Raw and kind not in nouns:
        nouns[kind] = raw_of(nouns[Prepared].provenance)
    if kind not in nouns:
        maker = maker_of(kind)
        if maker is None:
            raise FillpathError(f"nothing makes {kind.__name__}: write a maker of it in impl/inputs.py")
        parts = {name: _make(part, nouns, reference) for name, part in parts_of(maker).items()}
        nouns[kind] = maker(**parts)
        if kind is Filled:
            _require_equal(nouns[kind], reference)
    return nouns[kind]


def _require_equal(filled: Filled, reference: Reference | None) -> None:
    if reference is None:
        raise FillpathError("F cannot be checked without the reference, which this stage does not have")
    if not verify_symbolic(filled, reference).passes:
        raise FillpathError("fill1_pruned no longer gives the reference that it made; report this")
