"""The stage `levels`: from F = L + U to sets of columns that can be factorised at the same time.

An implementation is given F by rows and by columns, or by rows alone.
"""

from typing import Any

from benchmarks.checks.partitions import verify_levels
from benchmarks.engine.benchmark import Context, bytes_of
from benchmarks.suite import Suite
from fillpath.nouns import Filled
from fillpath.record import Verified


class Levels(Suite):
    """Seconds from the filled pattern by rows and columns, resident, to the columns of each level."""

    reads = (Filled,)

    def check(self, result: Any, context: Context) -> Verified:
        """Check that each column is in one level, and that every exact dependency goes up."""
        return verify_levels(result, context.noun(Filled))

    def least_bytes(self, result: Any, context: Context) -> int:
        """Count the row counts of F, or as many column counts, and the result."""
        filled = context.noun(Filled)
        return bytes_of(filled.pattern.indptr, filled.upper_start, result)
