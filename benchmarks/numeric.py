"""The stage `numeric`: from the values of A on F to those of L and U.

An implementation is given the values on F by columns, with GLU3.0's levels of its columns, or the matrix with
the fronts of A | A^T. A factor on fronts is brought to F by the gate, outside of the clock.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.checks.factors import verify_factor
from benchmarks.checks.fronts import on_filled
from benchmarks.checks.residuals import verify_residual
from benchmarks.engine.benchmark import Context, bytes_of
from benchmarks.suite import Suite
from fillpath.nouns import Factor, Factorised, FrontFactor, Fronts, TwoWay
from fillpath.record import Verified
from impl.inputs import fronts


class Numeric(Suite):
    """Seconds from the values on the filled pattern or on fronts, resident, to those of L and U, resident."""

    reads = (TwoWay,)

    def expected(self, context: Context, seed: int) -> Fronts | None:
        """Make the fronts of the factor of an implementation that is given fronts."""
        return fronts(context.prepared) if context.implementation.takes is Fronts else None

    def check(self, result: Any, context: Context) -> Verified:
        """Check that each row of A - L U is small, in the type that the option `dtype` asks for.

        A peer that solved a system passes by the rows of its residual.
        """
        if context.implementation.peer and isinstance(result, Factorised):
            return verify_residual(result, context.prepared)
        options = context.options
        static = bool(options.get("static_pivoting"))
        both = context.noun(TwoWay)
        result, panels = on_filled(result, both) if isinstance(result, FrontFactor) else (result, None)
        flushes = context.implementation.device == "gpu"
        return verify_factor(result, context.prepared, both, options.get("dtype"), static, panels, flushes)

    def answer(self, result: Any, context: Context) -> Any:
        """Return the factor's values: its pattern or its fronts were given, and are on the host."""
        if isinstance(result, FrontFactor):
            return replace(result, fronts=context.expected)
        return replace(result, two_way=context.noun(TwoWay)) if isinstance(result, Factor) else result

    def facts(self, fetch: Callable[[Any], Any], result: Any, context: Context) -> dict[str, float]:
        """Count the entries of L below and of U above the diagonal."""
        both = context.noun(TwoWay)
        n, entries = both.columns.n, both.columns.indices.size
        lower = int((both.columns.indptr[1:] - both.lower_start).sum())
        return {"entries_lower": float(lower), "entries_upper": float(entries - n - lower)}

    def least_bytes(self, result: Any, context: Context) -> int:
        """Count the places and values of F by columns, and the values that are returned.

        With fronts: the matrix, and the values of F, without the zeros of fronts.
        """
        places = context.noun(TwoWay).columns.indices
        if isinstance(result, FrontFactor):
            given = bytes_of(context.prepared.pattern, context.prepared.values)
            return given + places.size * int(result.values.itemsize)
        written = result.values if isinstance(result, Factor) else result
        return bytes_of(places, written) + places.size * context.prepared.values.itemsize
