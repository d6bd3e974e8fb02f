"""ParAC on the GPU: the sequential factor to the last bit, whatever the graph, the blocks and the room."""

import re
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from fillpath.errors import FillpathError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Laplacian, Pattern, Preconditioner, Work
from impl.cholesky import parac_gpu
from impl.cholesky.ac_sequential import ac_sequential
from impl.cholesky.graph import from_edges
from impl.cholesky.parac_gpu import first_units, most_units
from impl.cuda.transfer import on_device, on_host
from tests import parac_graphs
from tests.parac_graphs import SHAPES, WEIGHTS, drawn, random_graph

BUDGET = 2**32


def factorised(graph: Laplacian, seed: int = 0, **options: Any) -> tuple[Preconditioner, Work]:
    factor, work = parac_gpu.factorise(on_device(graph), seed, options.pop("budget", BUDGET), **options)
    return on_host(factor), work


def assert_same(one: Preconditioner, other: Preconditioner, what: str) -> None:
    """Equal to the last bit."""
    assert one.pattern.indptr.dtype == np.int64 and one.pattern.indices.dtype == np.int32, what
    assert np.array_equal(one.pattern.indptr, other.pattern.indptr), what
    assert np.array_equal(one.pattern.indices, other.pattern.indices), what
    for name in ("values", "diagonal"):
        bits = [getattr(factor, name).view(np.uint64) for factor in (one, other)]
        assert np.array_equal(*bits), f"{what}: {name}"


def assert_sequential(graph: Laplacian, what: str, seed: int = 0, **options: Any) -> Work:
    expected, expected_work = ac_sequential(graph, seed=seed)
    factor, work = factorised(graph, seed, **options)
    assert_same(factor, expected, what)
    assert work.fills == expected_work.fills
    return work


@pytest.mark.gpu
@pytest.mark.parametrize("first", range(0, 160, 40))
def test_random_graphs_have_the_sequential_factor_on_any_number_of_blocks(first: int) -> None:
    for seed in range(first, first + 40):
        rng = np.random.default_rng(seed)
        blocks = int(rng.integers(2, 200))
        assert_sequential(random_graph(seed, 400), f"graph {seed}, {blocks} blocks", seed, blocks=blocks)


@pytest.mark.gpu
@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda weights: str(weights.__name__))
@pytest.mark.parametrize("shape", SHAPES)
def test_extreme_shapes_have_the_sequential_factor(shape: str, weights: Any) -> None:
    for shuffled in (False, True):
        rng = np.random.default_rng(7)
        graph = drawn(rng, SHAPES[shape], weights, 3000, shuffled=shuffled)
        assert_sequential(graph, f"{shape} shuffled={shuffled}")


@pytest.mark.gpu
@pytest.mark.parametrize("n", [1, 2, 3, 1000])
def test_vertices_without_edges_have_empty_columns(n: int) -> None:
    nothing = np.zeros(0, np.int64)
    graph = from_edges(n, nothing, nothing, np.zeros(0))
    assert_sequential(graph, f"{n} isolated vertices")
    factor, _ = factorised(graph)
    assert not factor.diagonal.any()


@pytest.mark.gpu
def test_a_list_beyond_shared_memory_is_a_blocks_in_the_pool() -> None:
    rng = np.random.default_rng(1)
    graph = drawn(rng, parac_graphs.star, parac_graphs.wide, 100_000, shuffled=False)
    work = assert_sequential(graph, "a star, its centre first")
    assert work.facts is not None and work.facts["by_blocks"] >= 1


@pytest.mark.gpu
def test_a_grid_with_a_ground_vertex_has_the_sequential_factor() -> None:
    graph = drawn(np.random.default_rng(0), parac_graphs.cube, parac_graphs.equal, 20_000, shuffled=True)
    work = assert_sequential(graph, "3D grid")
    assert work.facts is not None and work.facts["by_blocks"] > 0


@pytest.mark.gpu
def test_a_pool_that_overflows_grows_until_the_factor_is_there() -> None:
    for seed in range(40):
        graph = random_graph(seed, 600)
        assert_sequential(graph, f"graph {seed}", units=1)
    work = assert_sequential(drawn(np.random.default_rng(2), parac_graphs.grid, parac_graphs.few, 10**4,
                                   shuffled=True), "grid", units=1)  # fmt: skip
    assert work.facts is not None and work.facts["attempts"] > 2


@pytest.mark.gpu
def test_memory_beyond_the_budget_is_refused() -> None:
    graph = drawn(np.random.default_rng(2), parac_graphs.grid, parac_graphs.few, 10**4, shuffled=True)
    with pytest.raises(MemoryBudgetError, match="10000 vertices need 1760032 bytes, the budget is 1760031"):
        factorised(graph, budget=176 * 10**4 + 31)
    with pytest.raises(MemoryBudgetError, match="edges need more than the 1600 bytes"):
        factorised(graph, budget=176 * 10**4 + 1600)
    assert_sequential(graph, "grid", budget=10**7)


@pytest.mark.gpu
@pytest.mark.parametrize("blocks", [2, 50])
def test_a_kernel_without_progress_ends_itself(blocks: int) -> None:
    """Vertex 5 waits for an edge that no other vertex has."""
    path = drawn(np.random.default_rng(0), parac_graphs.path, parac_graphs.equal, 20, shuffled=False)
    keep = np.arange(path.pattern.nnz) != path.pattern.indptr[5] - 1
    indptr = path.pattern.indptr - (np.arange(21) >= 5)
    broken = replace(path, pattern=Pattern(indptr, path.pattern.indices[keep]), weights=path.weights[keep])
    with pytest.raises(FillpathError, match="no vertex was eliminated for 1000000 clocks, after 5 of 20"):
        factorised(broken, blocks=blocks, patience=10**6)


def edited(graph: Laplacian, keep: Any, indices: Any) -> Laplacian:
    """The graph with these indices, and of its entries those to keep."""
    indptr = np.append(0, np.cumsum(keep))[graph.pattern.indptr]
    return replace(graph, pattern=Pattern(indptr, indices[keep]), weights=graph.weights[keep])


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(30))
def test_a_graph_that_is_not_symmetric_ends_with_an_error(seed: int) -> None:
    """Entries of one side are missing, so that vertices wait for ever or leave before their time."""
    graph = random_graph(seed, 400)
    if not graph.pattern.nnz:
        pytest.skip("the graph has no edges")
    rng = np.random.default_rng(seed)
    keep = np.ones(graph.pattern.nnz, np.bool_)
    one_side = np.flatnonzero((graph.pattern.indices < graph.pattern.rows()) == bool(seed % 2))
    keep[rng.choice(one_side, min(len(one_side), 1 + seed // 4), replace=False)] = False
    with pytest.raises(FillpathError, match=r"parac_gpu: .*W is not symmetric"):
        factorised(edited(graph, keep, graph.pattern.indices), blocks=2 + seed, patience=10**6)


@pytest.mark.gpu
@pytest.mark.parametrize("first", [[2, 0], [0, 10**6], [0, -1], [0, 1], [1, 2]])
def test_a_row_that_is_no_list_of_neighbours_is_refused(first: list[int]) -> None:
    """Vertex 1 of a path has one that does not ascend, a vertex that is none, a loop."""
    path = drawn(np.random.default_rng(0), parac_graphs.path, parac_graphs.equal, 3000, shuffled=False)
    indices = path.pattern.indices.copy()
    start = path.pattern.indptr[1]
    assert indices[start : start + 2].tolist() == [0, 2]
    indices[start : start + 2] = first
    graph = edited(path, np.ones(len(indices), np.bool_), indices)
    with pytest.raises(FillpathError, match="parac_gpu: W is not symmetric, or has a loop, or a row that"):
        factorised(graph)


@pytest.mark.gpu
def test_ten_runs_are_the_same_and_another_seed_is_not() -> None:
    graph = drawn(np.random.default_rng(3), parac_graphs.grid, parac_graphs.equal, 10**4, shuffled=True)
    first, _ = factorised(graph, 1)
    for _ in range(10):
        assert_same(factorised(graph, 1)[0], first, "another run")
    other, _ = factorised(graph, 2)
    assert len(other.values) != len(first.values) or np.any(other.values != first.values)


@pytest.mark.gpu
@pytest.mark.parametrize("seed", [2**63 - 1, 2**64 - 1])
def test_a_seed_is_of_64_bits(seed: int) -> None:
    assert_sequential(random_graph(11, 400), f"seed {seed}", seed)


# What needs no GPU.


def test_the_pool_is_within_the_budget_and_what_is_counted() -> None:
    assert most_units(100, 400, 17600 + 320) == 10
    assert most_units(100, 400, 2**60) == 2**32 - 2
    assert first_units(4 * 10**6) * 32 == pytest.approx(192e6, rel=1e-3)
    with pytest.raises(MemoryBudgetError, match="100 vertices need 17632 bytes, the budget is 17631"):
        most_units(100, 400, 17631)
    with pytest.raises(UnsupportedError, match="4294967296 edges exceed what parac_gpu counts"):
        most_units(100, 2**33, 2**60)


def test_constants_are_those_of_the_kernel() -> None:
    text = parac_gpu.KERNEL.read_text()
    constants = dict(re.findall(r"\b([A-Z]+) = (\d+)", text))
    assert 32 * int(constants["WARPS"]) == parac_gpu.THREADS
    assert 8 * int(constants["UNIT"]) == parac_gpu.UNIT
    assert int(constants["TILE"]) == parac_gpu.TILE
    assert int(constants["LINE"]) == parac_gpu.LINE
    bytes_of = 8 + 4 * int(constants["CHUNKS"]) + 12 * int(constants["INLINE"])
    assert -(-bytes_of // 32) * 32 == parac_gpu.VERTEX
    told, statuses = re.findall(r"^enum \{ (.*) \};$", text, re.MULTILINE)
    names = ["STATUS", "ELIMINATED", "ENTRIES", "POOL", "BY_BLOCKS"]
    assert told.split(", ")[: len(names)] == names
    assert [getattr(parac_gpu, name) for name in names] == [*range(len(names))]
    # Two tickets and two tails stand behind them.
    assert len(names) + 4 == parac_gpu.CONTROL
    assert [getattr(parac_gpu, name) for name in statuses.split(", ")] == [0, 1, 2, 3]


def test_random_graphs_are_the_same_again_and_symmetric() -> None:
    for seed in range(21):
        graph, again = random_graph(seed, 50), random_graph(seed, 50)
        for part in fields(graph.pattern):
            assert np.array_equal(getattr(graph.pattern, part.name), getattr(again.pattern, part.name))
        rows, columns = graph.pattern.rows(), graph.pattern.indices
        assert np.array_equal(np.lexsort((columns, rows)), np.arange(len(rows)))
        mirrored = np.lexsort((graph.weights, rows, columns))
        assert np.array_equal(rows[mirrored], columns)
        assert np.array_equal(graph.weights[mirrored], graph.weights)
