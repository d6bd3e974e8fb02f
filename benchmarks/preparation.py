"""The stage `preparation`: from the matrix as it comes to the matrix that is factorised.

Seconds of a preparation enter no other record: whoever prepares a suite does that on all cores at once.
"""

from collections.abc import Callable
from typing import Any

from benchmarks.checks.arranged import verify_arranged
from benchmarks.engine.benchmark import Context, bytes_of
from benchmarks.suite import Suite
from fillpath.nouns import Raw
from fillpath.record import Verified
from impl.preparation.size import size_of


class Preparation(Suite):
    """Seconds from the matrix as it comes, resident, to the matched, scaled and ordered matrix, resident."""

    reads = (Raw,)

    def check(self, result: Any, context: Context) -> Verified:
        """Check that permutations and scalings lead from the matrix to the input of every other stage."""
        return verify_arranged(result, context.noun(Raw), context.prepared.hash)

    def facts(self, fetch: Callable[[Any], Any], result: Any, context: Context) -> dict[str, float]:
        """Measure the factors of its order, without pivoting."""
        size = size_of(fetch(result).pattern)
        return {"entries": size.entries, "flops": size.operations, "height": size.height}

    def least_bytes(self, result: Any, context: Context) -> int:
        """Count the matrix as it comes, and as it is returned."""
        return bytes_of(context.noun(Raw), result)
