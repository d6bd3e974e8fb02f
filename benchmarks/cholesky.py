"""The stage `cholesky`: from a graph's Laplacian to ParAC's randomised factor G D G^T.

An implementation is given the Laplacian of the graph that the matrix is read as. Its option `seed` decides
the factor to the last bit, so two codes can be compared.
"""

from collections.abc import Callable
from typing import Any

from benchmarks.checks.laplacians import column_hashes, depths, verify_preconditioner
from benchmarks.engine.benchmark import Context, bytes_of
from benchmarks.suite import Suite
from fillpath.nouns import Array, Laplacian
from fillpath.record import Verified
from impl.cholesky.ac_sequential import ac_sequential
from impl.cholesky.parac_cpu import parac_cpu


class Cholesky(Suite):
    """Seconds from a graph Laplacian, resident, to its randomised factor, resident."""

    reads = (Laplacian,)

    def expected(self, context: Context, seed: int) -> tuple[str, Array]:
        """Return another code's name, and the hashes of its factor's columns, (n,) uint64.

        The code is ac_sequential, and parac_cpu for ac_sequential itself.
        """
        other = parac_cpu if context.implementation.name == "ac_sequential" else ac_sequential
        factor, _ = other(context.noun(Laplacian), seed=seed)
        return other.__name__, column_hashes(factor)

    def check(self, result: Any, context: Context) -> Verified:
        """Check that each column is well formed and equals the other code's column to the last bit."""
        return verify_preconditioner(result, context.noun(Laplacian), *context.expected)

    def facts(self, fetch: Callable[[Any], Any], result: Any, context: Context) -> dict[str, float]:
        """Measure the depth of the factor: heights of its elimination trees, longest path, entries."""
        return depths(context.noun(Laplacian), fetch(result))

    def least_bytes(self, result: Any, context: Context) -> int:
        """Count the edges of the graph, and the factor."""
        graph = context.noun(Laplacian)
        return bytes_of(graph.pattern.indices, graph.weights, result)
