"""Orderings: each is what its name says, and an unavailable one says so."""

import importlib.metadata
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fetch import prepare
from fetch.matrix_id import resolve
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError, UnavailableError, UnknownNameError, UnsupportedError
from impl.preparation import ordering
from impl.preparation.geometric import geometric
from impl.symbolic.fill1_pruned import fill1_pruned


def order(name: str, rows: list[int], columns: list[int], n: int, seed: int = 0) -> np.ndarray:
    graph = ordering.graph_of(np.array(rows, np.int32), np.array(columns, np.int32), n)
    return ordering.order(name, graph, seed)


def filled(matrix: str, name: str) -> int:
    return fill1_pruned(prepare.prepare(matrix, Preparation("none", name)).pattern)[0].pattern.nnz


def dissected(box: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """George's dissection by its definition: points (z, y, x), the first longest of x, y, z is cut."""
    sides = [high - low for low, high in box]
    longest = 2 - int(np.argmax(sides[::-1]))
    if sides[longest] <= 2:
        axes = [range(low, high) for low, high in box]
        return [(z, y, x) for z in axes[0] for y in axes[1] for x in axes[2]]
    low, high = box[longest]
    cut = low + (high - low) // 2
    sections = [(low, cut), (cut + 1, high), (cut, cut + 1)]
    left, right, plane = ([*box[:longest], part, *box[longest + 1 :]] for part in sections)
    separator = [(z, y, x) for z in range(*plane[0]) for y in range(*plane[1]) for x in range(*plane[2])]
    return dissected(left) + dissected(right) + separator


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7, 11])
@pytest.mark.parametrize("generator", ["grid2d", "poisson3d"])
def test_geometric_is_nested_dissection_of_the_grid(generator: str, k: int) -> None:
    depth = k if generator == "poisson3d" else 1
    points = dissected([(0, depth), (0, k), (0, k)])
    expected = [(z * k + y) * k + x for z, y, x in points]
    assert geometric(k, 3 if generator == "poisson3d" else 2).tolist() == expected


@given(st.sampled_from(["grid2d", "poisson3d"]), st.integers(1, 24))
@settings(max_examples=40, deadline=None)
def test_geometric_is_a_permutation_at_every_size(generator: str, k: int) -> None:
    found = geometric(k, 3 if generator == "poisson3d" else 2)
    assert found.dtype == np.int32
    assert np.array_equal(np.sort(found), np.arange(k ** (3 if generator == "poisson3d" else 2)))


def test_geometric_numbers_four_million_points_whole() -> None:
    """The largest grid of PPoPP'23's Figure 8: no point is left out or stands twice."""
    found = geometric(2000, 2)
    assert np.array_equal(np.bincount(found), np.ones(2000**2))


@pytest.mark.parametrize("k", [30, 60, 100])
def test_geometric_fills_little_more_than_metis(k: int) -> None:
    """George's dissection takes straight separators, METIS those that it finds: 1.20 to 1.26 times as much
    here, more on larger grids."""
    assert filled(f"grid2d,{k}", "geometric") < 1.3 * filled(f"grid2d,{k}", "metis")


def test_dissections_and_minimum_degree_reduce_fill() -> None:
    natural = filled("grid2d,30", "natural")
    assert filled("grid2d,30", "geometric") < 0.6 * natural
    assert filled("grid2d,30", "metis") < 0.6 * natural
    assert filled("grid2d,30", "amd") < 0.6 * natural
    about = prepare.prepare("grid2d,30", Preparation("none", "amd")).provenance
    assert set(about.versions) == {"numpy", "scipy", "suitesparse-amd"}


@pytest.mark.parametrize("n", [1000, 50_000])
def test_metis_dissects_a_path_with_two_fills_a_vertex(n: int, tmp_path: Path) -> None:
    """The longest of all graphs, on which recursion would be as deep as it is long."""
    path = tmp_path / "path.mtx"
    edges = "".join(f"{i + 1} {i}\n" for i in range(1, n))
    path.write_text(f"%%MatrixMarket matrix coordinate pattern symmetric\n{n} {n} {n - 1}\n{edges}")
    fills = filled(resolve(str(path)).text, "metis") - (3 * n - 2)
    assert 1.9 * n < fills < 2 * n


# HB/can_24 above its diagonal, row by row, and the permutation that SuiteSparse's amd_demo prints for it.
CAN_24 = """5 6 12 13 17 18 19 21; 8 9 13 14 17; 6 11 20 21 22; 7 10 15 18 19; 7 9 14 15 16; 6 12 13 17;
11 12 19 21 23; 9 14 15 16 17 18; 9 14; 13 14 17 18; 18 19 20 21; 12 21 23; 23; 17; ; 16 18; ; 18 19; 19;
20 21; 21 22; 22;"""
BY_AMD_DEMO = [22, 20, 10, 23, 12, 5, 16, 8, 14, 4, 15, 7, 1, 9, 13, 17, 0, 2, 3, 6, 11, 18, 21, 19]


def test_amd_gives_the_permutation_of_its_authors() -> None:
    """From either triangle, from both, and with the diagonal or without."""
    upper = [(row, int(word)) for row, line in enumerate(CAN_24.split(";")) for word in line.split()]
    lower = [(column, row) for row, column in upper]
    for entries in (upper, lower, upper + lower, [*upper, *((i, i) for i in range(24))]):
        rows, columns = map(list, zip(*entries, strict=True))
        assert order("amd", rows, columns, 24).tolist() == BY_AMD_DEMO


@pytest.mark.parametrize("n", [0, 1, 5])
def test_amd_leaves_a_graph_without_edges_as_it_is(n: int) -> None:
    assert order("amd", [], [], n).tolist() == list(range(n))
    assert order("amd", list(range(n)), list(range(n)), n).tolist() == list(range(n))


@given(st.integers(1, 60), st.floats(0, 0.5), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_amd_is_one_permutation_whatever_it_counts_in(n: int, density: float, drawn: int) -> None:
    rows, columns = np.nonzero(np.random.default_rng(drawn).random((n, n)) < density)
    found = order("amd", rows.tolist(), columns.tolist(), n)
    assert found.dtype == np.int32 and np.array_equal(np.sort(found), np.arange(n))
    assert np.array_equal(order("amd", rows.tolist(), columns.tolist(), n), found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordering, "_amd_index", lambda n, entries: np.int64)
        longer = order("amd", rows.tolist(), columns.tolist(), n)
    assert longer.dtype == np.int32 and np.array_equal(longer, found)


def test_amd_counts_in_longer_integers_where_its_workspace_needs_them() -> None:
    """1.2 entries and 7 n. com-LiveJournal and europe_osm, the papers' largest, do without."""
    assert ordering._amd_index(3_997_962, 69_362_378) is np.int32
    assert ordering._amd_index(50_912_018, 108_109_320) is np.int32
    assert ordering._amd_index(300_000_000, 100_000_000) is np.int64
    assert ordering._amd_index(1000, 2**31) is np.int64


@pytest.mark.parametrize(("status", "error"), [(-1, MemoryError), (-2, FillpathError)])
def test_what_amd_reports_is_raised(
    status: int, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordering, "_amd_order", lambda index: lambda *arguments: status)
    with pytest.raises(error, match="a graph of 3 vertices and 2 entries"):
        order("amd", [0], [1], 3)


@pytest.mark.parametrize("matrix", ["circuit,50", "HB+bcsstk18", "local+m-0123456789ab"])
def test_geometric_refuses_what_is_no_grid(matrix: str) -> None:
    with pytest.raises(UnsupportedError, match="needs a generated grid"):
        prepare.prepared_path(matrix, Preparation("none", "geometric"))


def test_what_cannot_be_ordered_is_refused_before_it_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "locate", lambda matrix: pytest.fail("fetched"))
    with pytest.raises(UnsupportedError, match="needs a generated grid"):
        prepare.prepare("bcsstk18", Preparation("none", "geometric"))
    monkeypatch.setitem(ordering._LIBRARIES, "amd", ("no-such-library",))
    with pytest.raises(UnavailableError, match="no-such-library"):
        prepare.prepare("bcsstk18", Preparation("none", "amd"))


@given(st.integers(1, 30), st.integers(0, 2**32), st.integers(0, 3))
@settings(max_examples=60)
def test_nnz_sorts_a_random_permutation_stably_by_degree(n: int, drawn: int, seed: int) -> None:
    rng = np.random.default_rng(drawn)
    mask = rng.random((n, n)) < 0.2
    rows, columns = np.nonzero(mask)
    found = order("nnz", rows.tolist(), columns.tolist(), n, seed)
    either = (mask | mask.T) & ~np.eye(n, dtype=bool)
    shuffled = ordering.shuffled(n, seed).tolist()
    assert found.tolist() == sorted(shuffled, key=lambda column: int(either[:, column].sum()))


def test_amd_without_its_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(UnavailableError, match=r"needs suitesparse-amd, which is missing: .*pip install"):
        ordering.libraries("amd")


def test_amd_with_an_extension_that_cannot_be_called_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    ordering._amd_order.cache_clear()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, ordering._AMD, None)
        with pytest.raises(UnavailableError, match=r"cannot use the module suitesparse_amd\._amd"):
            ordering.require("amd")
    monkeypatch.setitem(ordering._AMD_ORDER, np.int32, "no_such_function")
    with pytest.raises(UnavailableError, match=r"no_such_function.*install suitesparse-amd anew"):
        order("amd", [0], [1], 3)


def test_a_value_on_the_diagonal_is_part_of_the_name() -> None:
    preparation = Preparation("none", "metis", False, 1000)
    case = Case("symbolic", "fill1", "grid2d,5", preparation)
    assert case.name.endswith("@grid2d,5.metis+dropzeros+diagonal=1000")
    assert Case.parse(case.name) == case
    for name in ("metis+diagonal=0", "metis+diagonal=01", "metis+diagonal=x", "mc64+metis+diagonal=5"):
        with pytest.raises(UnknownNameError, match="diagonal"):
            Preparation.parse(name)
