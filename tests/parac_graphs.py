"""Graphs that ParAC's factor is tested on: what it may meet, small, and seeded; L and G as dense matrices."""

from collections.abc import Callable

import numpy as np

from fillpath.nouns import Array, Laplacian, Preconditioner
from impl.cholesky.graph import as_matrix, from_edges

Ends = tuple[Array, Array]


def sparse(rng: np.random.Generator, n: int) -> Ends:
    """Several components, some of one vertex, and parallel edges where it comes to that."""
    ends = rng.integers(0, n, (2, rng.integers(0, 3 * n + 1)))
    return ends[0], ends[1]


def multi(rng: np.random.Generator, n: int) -> Ends:
    """Every edge up to six times."""
    rows, columns = rng.integers(0, n, (2, n))
    times = rng.integers(1, 7, n)
    return rows.repeat(times), columns.repeat(times)


def star(rng: np.random.Generator, n: int) -> Ends:
    return np.zeros(n - 1, np.int64), np.arange(1, n)


def path(rng: np.random.Generator, n: int) -> Ends:
    return np.arange(n - 1), np.arange(1, n)


def clique(rng: np.random.Generator, n: int) -> Ends:
    rows, columns = np.triu_indices(min(n, 90), 1)
    return rows, columns


def hubs(rng: np.random.Generator, n: int) -> Ends:
    """Three vertices that are joined to all others, which have random edges too."""
    few = np.arange(min(3, n))
    rows, columns = sparse(rng, n)
    everyone = np.tile(np.arange(n), len(few))
    return np.concatenate([few.repeat(n), rows]), np.concatenate([everyone, columns])


def grid(rng: np.random.Generator, n: int) -> Ends:
    side = max(1, int(np.sqrt(n)))
    places = np.arange(side * side).reshape(side, side)
    rows = np.concatenate([places[1:].ravel(), places[:, 1:].ravel()])
    columns = np.concatenate([places[:-1].ravel(), places[:, :-1].ravel()])
    return rows, columns


def cube(rng: np.random.Generator, n: int) -> Ends:
    """A 3D grid, its surface joined to a ground vertex, the last."""
    side = max(1, round((n - 1) ** (1 / 3)) - 1)
    places = np.arange(side**3).reshape(side, side, side)
    axes = [np.moveaxis(places, axis, 0) for axis in range(3)]
    surface = np.concatenate([axis[[0, -1]].ravel() for axis in axes])
    rows = np.concatenate([*(axis[1:].ravel() for axis in axes), surface])
    columns = np.concatenate([*(axis[:-1].ravel() for axis in axes), np.full(len(surface), n - 1)])
    return rows, columns


SHAPES: dict[str, Callable[[np.random.Generator, int], Ends]] = {
    shape.__name__: shape for shape in (sparse, multi, star, path, clique, hubs, grid, cube)
}


def equal(rng: np.random.Generator, edges: int) -> Array:
    return np.ones(edges)


def few(rng: np.random.Generator, edges: int) -> Array:
    """Three values, so that most are tied."""
    return rng.integers(1, 4, edges).astype(np.float64)


def wide(rng: np.random.Generator, edges: int) -> Array:
    """12 orders of magnitude."""
    return np.asarray(10.0 ** rng.uniform(-6, 6, edges))


WEIGHTS = (equal, few, wide)


def random_graph(seed: int, most: int) -> Laplacian:
    """A graph of one of SHAPES with one of WEIGHTS, at most so many vertices, mostly in random order."""
    rng = np.random.default_rng(seed)
    shape = list(SHAPES.values())[seed % len(SHAPES)]
    weights = WEIGHTS[int(rng.integers(len(WEIGHTS)))]
    return drawn(rng, shape, weights, int(rng.integers(1, most + 1)), shuffled=bool(rng.random() < 0.7))


def drawn(
    rng: np.random.Generator,
    shape: Callable[[np.random.Generator, int], Ends],
    weights: Callable[[np.random.Generator, int], Array],
    n: int,
    *,
    shuffled: bool,
) -> Laplacian:
    """The shape on n vertices, its loops left out; shuffled : eliminated in random order."""
    rows, columns = shape(rng, n)
    rows, columns = rows[rows != columns], columns[rows != columns]
    order = rng.permutation(n) if shuffled else np.arange(n)
    return from_edges(n, order[rows], order[columns], weights(rng, len(rows)))


def dense(graph: Laplacian) -> Array:
    """L, its ground vertex included."""
    found: Array = as_matrix(graph).toarray()
    return found


def triangles(factor: Preconditioner) -> tuple[Array, Array]:
    """G, dense, and D's diagonal."""
    n = factor.pattern.n
    lower = np.eye(n)
    columns = np.repeat(np.arange(n), np.diff(factor.pattern.indptr))
    lower[factor.pattern.indices, columns] = factor.values
    return lower, factor.diagonal
