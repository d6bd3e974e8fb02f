"""Our own nested dissection: a permutation, the same for any number of threads, with little fill."""

import numba
import numpy as np
import pytest
from scipy.sparse import csr_array

from fetch import prepare
from fillpath.case import Preparation
from impl.preparation import ordering
from impl.preparation.vcycle import cycle
from impl.preparation.vcycle.tree import SEPARATOR
from impl.symbolic.fill1_pruned import fill1_pruned

Edges = tuple[int, np.ndarray, np.ndarray]


def random_graph(n: int, degree: float, seed: int) -> Edges:
    rng = np.random.default_rng(seed)
    return n, rng.integers(0, n, int(n * degree / 2)), rng.integers(0, n, int(n * degree / 2))


def grid(k: int) -> Edges:
    point = np.arange(k * k).reshape(k, k)
    low, high = ((point[:-1], point[:, :-1]), (point[1:], point[:, 1:]))
    return k * k, *(np.concatenate([each.ravel() for each in end]) for end in (low, high))


def clique(n: int) -> Edges:
    return n, *np.triu_indices(n, 1)


def together(*graphs: Edges) -> Edges:
    """The graphs side by side."""
    begins = np.cumsum([0, *(n for n, _, _ in graphs)])
    ends = ([begin + graph[i] for begin, graph in zip(begins, graphs, strict=False)] for i in (1, 2))
    return int(begins[-1]), *(np.concatenate(list(end)) for end in ends)


def hubs(graph: Edges, count: int) -> Edges:
    """The graph with so many more vertices, each beside every third of the old ones."""
    n, rows, columns = graph
    more = np.repeat(n + np.arange(count), len(range(0, n, 3)))
    return (
        n + count,
        np.concatenate([rows, more]),
        np.concatenate([columns, np.tile(np.arange(0, n, 3), count)]),
    )


EMPTY = np.empty(0, np.int64)
NOTHING: dict[str, Edges] = {f"no edges {n}": (n, EMPTY, EMPTY) for n in (0, 1, 5, 3000)}
GRAPHS: dict[str, Edges] = NOTHING | {
    "edge": (2, np.array([0]), np.array([1])),
    "loop": (3, np.array([1, 0]), np.array([1, 2])),
    "path": (5000, np.arange(4999), np.arange(1, 5000)),
    "star": (3000, np.zeros(2999, np.int64), np.arange(1, 3000)),
    "clique": clique(300),
    "cliques": together(*(clique(30) for _ in range(60))),
    "pairs": together(*(clique(2) for _ in range(1500))),
    "grid": grid(60),
    "grids and a random graph": together(grid(30), random_graph(900, 3, 1), grid(25), (40, EMPTY, EMPTY)),
    "sparse": random_graph(4000, 2.5, 2),
    "dense": random_graph(700, 60, 3),
    "hubs": hubs(grid(50), 4),
}


def adjacency(edges: Edges) -> csr_array:
    n, rows, columns = edges
    return ordering.graph_of(*np.unique(np.stack([rows, columns]), axis=1).astype(np.int32), n)


def order(edges: Edges, seed: int = 0) -> np.ndarray:
    return ordering.order("dissection", adjacency(edges), seed)


def ran(edges: Edges) -> tuple[cycle._Cycle, csr_array]:
    """A cycle over all vertices of a graph, hubs and lonely ones too."""
    graph = adjacency(edges)
    held = cycle._Cycle(graph.indptr.astype(np.int64), graph.indices.astype(np.int32), 0)
    held.order()
    return held, graph


def crossing(held: cycle._Cycle, graph: csr_array) -> int:
    """How many edges join two parts of a node."""
    codes = held.tree.codes[held.label]
    here, there = np.repeat(codes, np.diff(graph.indptr)), codes[graph.indices]
    found = np.zeros(len(here), bool)
    apart = np.zeros(len(here), bool)
    for shift in range(60, -1, -2):
        one, other = (here >> shift) & 3, (there >> shift) & 3
        found |= ~apart & (one + other == 1)
        apart |= (one != other) | (one >= SEPARATOR)
    return int(found.sum())


@pytest.mark.parametrize("name", GRAPHS)
def test_every_vertex_stands_once(name: str) -> None:
    found = order(GRAPHS[name])
    assert found.dtype == np.int32 and np.array_equal(np.sort(found), np.arange(GRAPHS[name][0]))


@pytest.mark.parametrize("name", GRAPHS)
def test_no_edge_joins_two_parts(name: str) -> None:
    assert crossing(*ran(GRAPHS[name])) == 0


def test_an_edge_that_joins_two_parts_would_be_seen() -> None:
    held, graph = ran(GRAPHS["grid"])
    root = held.tree.weights[0]
    in_separator = np.flatnonzero(held.label == 1)
    assert len(in_separator) == root[SEPARATOR] > 0
    held.label[in_separator] = held.label[np.flatnonzero((held.tree.codes[held.label] >> 60) & 3 == 0)[0]]
    assert crossing(held, graph) > 0


@pytest.mark.parametrize("name", GRAPHS)
def test_weights_are_those_of_the_labels(name: str) -> None:
    held, _ = ran(GRAPHS[name])
    codes = held.tree.codes[held.label]
    for depth, nodes in enumerate(held.split):
        for node in nodes:
            inside = codes >> (62 - 2 * depth) == held.tree.codes[2 * node] >> (62 - 2 * depth)
            counted = np.bincount((codes[inside] >> (60 - 2 * depth)) & 3, minlength=3)
            assert counted.tolist() == held.tree.weights[node].tolist()


@pytest.mark.parametrize("name", ["pairs", "grid", "grids and a random graph", "sparse", "hubs"])
def test_the_permutation_is_one_for_any_number_of_workers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More workers than threads take turns, so that 4 and 7 are tried on any machine."""
    expected = order(GRAPHS[name]).tolist()
    for workers in (1, 2, 4, 7):
        numba.set_num_threads(min(workers, numba.config.NUMBA_NUM_THREADS))
        monkeypatch.setattr(cycle, "get_num_threads", lambda workers=workers: workers)
        assert order(GRAPHS[name]).tolist() == expected


def test_the_seed_decides() -> None:
    first, again, other = (order(GRAPHS["grid"], seed).tolist() for seed in (0, 0, 2**40 + 1))
    assert first == again != other


def test_hubs_come_last_and_lonely_vertices_first() -> None:
    found = order(together((3, EMPTY, EMPTY), hubs(grid(50), 4)))
    assert found[:3].tolist() == [0, 1, 2] and sorted(found[-4:]) == [2503, 2504, 2505, 2506]


def filled(matrix: str, name: str) -> int:
    return fill1_pruned(prepare.prepare(matrix, Preparation("none", name)).pattern)[0].pattern.nnz


@pytest.mark.parametrize("matrix", ["grid2d,40", "poisson3d,12", "circuit,2000"])
def test_dissection_fills_little_more_than_metis(matrix: str) -> None:
    assert filled(matrix, "dissection") < 1.25 * filled(matrix, "metis")


@pytest.mark.thorough
@pytest.mark.parametrize("matrix", ["grid2d,200", "poisson3d,25", "circuit,20000"])
def test_dissection_fills_little_more_than_metis_on_larger_matrices(matrix: str) -> None:
    assert filled(matrix, "dissection") < 1.2 * filled(matrix, "metis")
