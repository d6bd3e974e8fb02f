"""The stage `supernodes`: from F = L + U to ranges of rows of U that share a structure.

An implementation is given F, and has an option `maxsup`, the most rows of a supernode.
"""

from typing import Any

from benchmarks.checks.partitions import verify_supernodes
from benchmarks.engine.benchmark import Context, bytes_of
from benchmarks.suite import Suite
from fillpath.errors import FillpathError
from fillpath.nouns import Filled
from fillpath.record import Verified


class Supernodes(Suite):
    """Seconds from the filled pattern, resident, to the first row of each supernode, resident."""

    reads = (Filled,)

    def check(self, result: Any, context: Context) -> Verified:
        """Check that every row joins the row before, or does not, by T3's definition."""
        if "maxsup" not in context.options:
            raise FillpathError("stage supernodes: its implementations need an option maxsup")
        return verify_supernodes(result, context.noun(Filled), context.options["maxsup"])

    def least_bytes(self, result: Any, context: Context) -> int:
        """Count the row counts of F, which decide what else is read, and the result."""
        filled = context.noun(Filled)
        return bytes_of(filled.pattern.indptr, filled.upper_start, result)
