"""Laplacians of generated graphs of the kinds in ParAC's Table 1: road networks and triangulations.

All edges weigh 1. The graphs are connected, so the null space holds only the constants. SciPy's modules are
imported where they are used: every process imports this one, and they take 0.2 s.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

Array = npt.NDArray[Any]

# A road network has _ROADS roads per junction. The number of vertices along a road is distributed
# exponentially with mean _BENDS. A vertex then has 2.14 neighbours on average; in belgium_osm it has 2.15,
# in europe_osm 2.12.
_ROADS = 1.5
_BENDS = 4.0


def road(n: int, seed: int) -> csr_array:
    """Build the Laplacian of a road network on n >= 2 vertices.

    Junctions lie on a square lattice. A random spanning tree and further random roads join neighbours. The
    other vertices are bends of roads.
    """
    rng = np.random.default_rng(seed)
    junctions = max(2, round(n / (1 + _ROADS * _BENDS)))
    starts, ends = _roads(junctions, rng)
    shares = np.cumsum(rng.exponential(size=len(starts)))
    along = np.sort(np.searchsorted(shares, rng.uniform(0, shares[-1], n - junctions)))
    bends = np.arange(junctions, n)
    # A road is a chain: its start, its bends in order, its end.
    follows = np.concatenate([[False], along[1:] == along[:-1]])[: len(bends)]
    lasts = np.concatenate([along[1:] != along[:-1], [True]])[: len(bends)]
    straight = np.bincount(along, minlength=len(starts)) == 0
    rows = np.where(follows, bends - 1, starts[along])
    rows = np.concatenate([rows, bends[lasts], starts[straight]])
    columns = np.concatenate([bends, ends[along[lasts]], ends[straight]])
    return _laplacian(n, rows, columns)


def delaunay(n: int, seed: int) -> csr_array:
    """Build the Laplacian of the Delaunay triangulation of n >= 4 uniform random points in the unit square.

    The graph is like delaunay_n24.
    """
    from scipy.spatial import Delaunay

    corners = Delaunay(np.random.default_rng(seed).random((n, 2))).simplices.astype(np.int64)
    sides = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    rows, columns = np.divmod(np.unique(sides[:, 0] * n + sides[:, 1]), n)
    return _laplacian(n, rows, columns)


def _roads(junctions: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw the two junctions of each road."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    width = int(np.ceil(np.sqrt(junctions)))
    every = np.arange(junctions)
    east, south = (
        every[(every % width < width - 1) & (every + 1 < junctions)],
        every[: max(0, junctions - width)],
    )
    rows, columns = np.concatenate([east, south]), np.concatenate([east + 1, south + width])
    lengths = coo_array((1 + rng.random(len(rows)), (rows, columns)), shape=(junctions, junctions))
    tree = coo_array(minimum_spanning_tree(csr_array(lengths)))
    joined = np.isin(rows * junctions + columns, tree.coords[0].astype(np.int64) * junctions + tree.coords[1])
    more = rng.permutation(np.flatnonzero(~joined))[: max(0, round(_ROADS * junctions) - int(joined.sum()))]
    kept = np.sort(np.concatenate([np.flatnonzero(joined), more]))
    return rows[kept], columns[kept]


def _laplacian(n: int, rows: Array, columns: Array) -> csr_array:
    """Build the Laplacian of the graph with these edges, each given once."""
    ones = np.ones(len(rows))
    degrees = np.bincount(np.concatenate([rows, columns]), minlength=n).astype(np.float64)
    every = np.arange(n)
    coordinates = np.concatenate([rows, columns, every]), np.concatenate([columns, rows, every])
    matrix = csr_array(coo_array((np.concatenate([-ones, -ones, degrees]), coordinates), shape=(n, n)))
    matrix.sort_indices()
    return matrix
