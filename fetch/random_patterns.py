"""Matrices with random patterns and a dominant diagonal: circuits, and uniformly distributed entries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from fetch.names import Spec

Array = npt.NDArray[Any]

_WIRES = 2  # Local connections drawn per node.
_REACH = 16.0  # Mean length of a local connection.
_RAIL_SPACING = 1000  # Nodes per supply rail, which is a dense row and column.
_RAIL_SHARE = 0.02  # Share of all nodes that touch a rail's row, and as many its column.


def circuit(spec: Spec) -> csr_array:
    """Join nodes by wires with lengths from a geometric distribution, and by rails that many nodes touch.

    Symmetry f is the share of off-diagonal entries whose mirror is also an entry, so f / (2 - f) of the wires
    run both ways.
    """
    n = spec.order
    rng = np.random.default_rng(spec.seed)
    rows, columns = _wires(n, rng)
    low, high = distinct(rows, columns, n)
    flip = rng.random(len(low)) < 0.5
    rows, columns = np.where(flip, high, low), np.where(flip, low, high)
    both = rng.random(len(low)) < spec.symmetry / (2 - spec.symmetry)
    rows, columns = np.concatenate([rows, columns[both]]), np.concatenate([columns, rows[both]])
    values = -np.power(10.0, rng.uniform(-3, 0, len(rows)))
    return dominated(n, rows, columns, values)


def _wires(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw the two ends of each connection, loops and repetitions included."""
    nodes = np.repeat(np.arange(n), _WIRES)
    local = np.clip(nodes + rng.geometric(1 / _REACH, len(nodes)) * rng.choice([-1, 1], len(nodes)), 0, n - 1)
    rails = rng.integers(0, n, max(1, n // _RAIL_SPACING))
    taps = max(1, round(_RAIL_SHARE * n))
    touched = rng.integers(0, n, len(rails) * taps)
    return np.concatenate([nodes, np.repeat(rails, taps)]), np.concatenate([local, touched])


def uniform(spec: Spec) -> csr_array:
    """Make each off-diagonal position an entry with probability `density`; gaps are geometric."""
    n = spec.order
    rng = np.random.default_rng(spec.seed)
    positions = _bernoulli(n * (n - 1), spec.density, rng)
    rows, columns = np.divmod(positions, max(n - 1, 1))
    columns += columns >= rows
    return dominated(n, rows, columns, rng.uniform(-1, 1, len(rows)))


def _bernoulli(total: int, probability: float, rng: np.random.Generator) -> Array:
    """Draw ascending int64 positions in 0..total-1, each with the given probability."""
    spread = math.sqrt(total * probability * (1 - probability))
    gaps = rng.geometric(probability, int(total * probability + 8 * spread) + 16)
    positions = np.cumsum(gaps) - 1
    return positions[positions < total]


def distinct(ones: Array, others: Array, n: int) -> tuple[Array, Array]:
    """Return each pair of different places once, the lower first."""
    low, high = np.minimum(ones, others), np.maximum(ones, others)
    pairs = np.unique(low[low != high] * np.int64(n) + high[low != high])
    low, high = np.divmod(pairs, n)
    return low, high


def dominated(n: int, rows: Array, columns: Array, values: Array) -> csr_array:
    """Add a diagonal that exceeds the sums of its row and of its column."""
    weight = np.abs(values)
    sums = np.maximum(np.bincount(rows, weight, n), np.bincount(columns, weight, n))
    every = np.arange(n)
    entries = np.concatenate([values, 1.01 * sums + 1e-3])
    coordinates = (np.concatenate([rows, every]), np.concatenate([columns, every]))
    matrix = csr_array(coo_array((entries, coordinates), shape=(n, n)))
    matrix.sort_indices()
    return matrix
