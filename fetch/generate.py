"""Matrices that need no download, by the generator that their name begins with.

Every matrix has a full diagonal that dominates its row, so that elimination without pivoting is stable. The
rows of a graph's Laplacian sum to zero, so its last pivot is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scipy.sparse import csr_array

from fetch import graphs, grids, meshes, networks, random_patterns
from fetch.names import Spec

_MAKERS: Mapping[str, Callable[[Spec], csr_array]] = {
    "poisson3d": grids.poisson3d,
    "grid2d": grids.grid2d,
    "fem3d": meshes.fem3d,
    "mesh": meshes.mesh,
    "edges": meshes.edges,
    "circuit": random_patterns.circuit,
    "netlist": networks.netlist,
    "harmonic": networks.harmonic,
    "staged": networks.staged,
    "random": random_patterns.uniform,
    "road": lambda spec: graphs.road(spec.size, spec.seed),
    "delaunay": lambda spec: graphs.delaunay(spec.size, spec.seed),
}


def generate(spec: Spec) -> csr_array:
    """Generate the matrix: order x order, float64, rows sorted, no explicit zeros.

    The same specification gives the same values wherever NumPy's PCG64 does.
    """
    return _MAKERS[spec.generator](spec)
