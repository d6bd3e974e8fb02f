"""The stage `laplacian`: from a graph's Laplacian L and b to x of L x = b, by factor and conjugate gradients.

An implementation is given the system; with the option `rhs=product` it solves for L times the system's b.
"""

from typing import Any

from benchmarks.checks.laplacians import verify_potentials
from benchmarks.engine.benchmark import Context, bytes_of
from benchmarks.suite import Suite
from fillpath.nouns import System
from fillpath.record import Verified


class Laplacian(Suite):
    """Seconds from a graph Laplacian and a right-hand side, resident, to the solution, resident."""

    reads = (System,)

    def check(self, result: Any, context: Context) -> Verified:
        """Check that ||b - L x|| / ||b|| is small, in float64."""
        product = context.options.get("rhs") == "product"
        return verify_potentials(result, context.noun(System), product=product)

    def least_bytes(self, result: Any, context: Context) -> int:
        """Count the edges of the graph and the solution; not every implementation asks for components."""
        graph = context.noun(System).laplacian
        return bytes_of(graph.pattern.indices, graph.weights, result)
