"""The system of the stage `laplacian`, between the unknowns of a matrix and the vertices of a graph.

b is drawn for the unknowns, transferred to the vertices, and made to sum to zero over each component, as a
singular Laplacian requires. Every implementation gets the same b.
"""

from __future__ import annotations

import numpy as np

from fillpath.nouns import Array, Laplacian, System


def system(laplacian: Laplacian) -> System:
    """Return the system L y = b for the b of `right_hand_side`, on the host."""
    return System(laplacian, right_hand_side(laplacian))


def right_hand_side(laplacian: Laplacian) -> Array:
    """Return (n,) float64 by vertices: uniform random numbers of [-1, 1) less their mean over each component.

    The numbers come from NumPy's default generator seeded with 0, one per unknown. The ground has 0.
    """
    drawn = np.random.default_rng(0).uniform(-1.0, 1.0, laplacian.unknowns)
    return projected(laplacian, to_vertices(laplacian, drawn))


def to_vertices(laplacian: Laplacian, b: Array) -> Array:
    """Return a right-hand side (unknowns,) by vertices, (n,): (b, -b) on a double cover, 0 at the ground."""
    spread = np.column_stack([b, -b]).ravel() if laplacian.doubled else b
    return np.append(spread, 0.0) if laplacian.grounded else spread


def to_unknowns(laplacian: Laplacian, y: Array) -> Array:
    """Return a solution (n,) by vertices as (unknowns,), the ground at 0; arrays may be on a device."""
    if laplacian.doubled:
        even, odd = (y[copy : 2 * laplacian.unknowns : 2] for copy in (0, 1))
        x: Array = 0.5 * (even - odd)
        return x
    if not laplacian.grounded:
        return y
    level = (laplacian.component[:-1] == laplacian.component[-1]) * y[-1]
    raised: Array = y[:-1] - level
    return raised


def projected(laplacian: Laplacian, y: Array) -> Array:
    """Return y (n,) less its mean over each component; the ground keeps its value and is not counted."""
    rest = laplacian.n - laplacian.grounded
    component = laplacian.component[:rest]
    counts = np.bincount(component, minlength=laplacian.components)
    means = np.bincount(component, y[:rest], laplacian.components) / np.maximum(counts, 1)
    result = y.copy()
    result[:rest] -= means[component]
    return result
