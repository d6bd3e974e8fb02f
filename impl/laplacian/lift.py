"""A singular Laplacian's lift, for a library that divides by its last pivot.

In each component without the ground, the diagonal of the last vertex v is multiplied by 1 + LIFT. The
right-hand side sums to zero over the component, so the lifted equations add up to LIFT d_v x_v = 0. Their
solution thus has 0 at v, and solves the system without the lift.
"""

from __future__ import annotations

import numpy as np

from fillpath.nouns import Array, Laplacian

# Far above the rounding in multigrid's sums, and too small to show in a residual.
LIFT = 1e-10


def lifted_vertices(graph: Laplacian) -> Array:
    """Return (k,) int64: the last vertex of each component without the ground."""
    last = np.zeros(graph.components, np.int64)
    last[graph.component] = np.arange(graph.n)
    vertices: Array = last[last < graph.n - graph.grounded]
    return vertices
