"""The stage `solve`: from the matrix through all stages to x of A x = b.

An implementation is given the matrix with its values; b is made by impl/solve/right_hand_side.py.
"""

from typing import Any

from benchmarks.checks.residuals import verify_solution
from benchmarks.engine.benchmark import Context, bytes_of
from benchmarks.suite import Suite
from fillpath.record import Verified


class Solve(Suite):
    """Seconds from the matrix, resident, through all stages to the solution of a linear system, resident."""

    def check(self, result: Any, context: Context) -> Verified:
        """Check that each row of the residual is small for the type that the option `dtype` asks for."""
        dtype, columns = context.options.get("dtype"), int(context.options.get("columns", 1))
        return verify_solution(result, context.prepared, dtype, columns)

    def least_bytes(self, result: Any, context: Context) -> int:
        """Count the matrix and the solution."""
        return bytes_of(context.prepared.pattern, context.prepared.values, result)
