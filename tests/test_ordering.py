"""Orderings: each is what its name says, and says so where it cannot be had."""

from __future__ import annotations

import importlib.metadata
import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fetch import dissection, ordering, prepare
from fillpath.case import Case, Preparation
from fillpath.errors import UnavailableError, UnknownNameError, UnsupportedError
from impl.symbolic.fill1_pruned import fill1_pruned


def order(name: str, rows: list[int], columns: list[int], n: int, seed: int = 0) -> np.ndarray:
    return ordering.order(name, np.array(rows, np.int32), np.array(columns, np.int32), n, seed, "m")


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
    assert dissection.geometric(f"{generator},{k}").tolist() == expected


@given(st.sampled_from(["grid2d", "poisson3d"]), st.integers(1, 24))
@settings(max_examples=40, deadline=None)
def test_geometric_is_a_permutation_at_every_size(generator: str, k: int) -> None:
    found = dissection.geometric(f"{generator},{k}")
    assert found.dtype == np.int32
    assert np.array_equal(np.sort(found), np.arange(k ** (3 if generator == "poisson3d" else 2)))


def test_geometric_numbers_four_million_points_whole() -> None:
    """The largest grid of PPoPP'23's Figure 8: no point is left out or stands twice."""
    found = dissection.geometric("grid2d,2000")
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


def test_amd_reduces_fill() -> None:
    pytest.importorskip("cvxopt", reason="cvxopt (GPL-3, optional) is not installed")
    assert filled("grid2d,30", "amd") < 0.6 * filled("grid2d,30", "natural")
    about = prepare.prepare("grid2d,30", Preparation("none", "amd")).provenance
    assert set(about.versions) == {"numpy", "scipy", "cvxopt"}


@pytest.mark.parametrize("matrix", ["circuit,50", "HB+bcsstk18", "local+m-0123456789ab"])
def test_geometric_refuses_what_is_no_grid(matrix: str) -> None:
    with pytest.raises(UnsupportedError, match="needs a generated grid"):
        dissection.geometric(matrix)


def test_what_cannot_be_ordered_is_refused_before_it_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "locate", lambda matrix: pytest.fail("fetched"))
    with pytest.raises(UnsupportedError, match="needs a generated grid"):
        prepare.prepare("bcsstk18", Preparation("none", "geometric"))
    monkeypatch.setitem(ordering._LIBRARIES, "amd", "no-such-library")
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
    shuffled = order("random", [], [], n, seed).tolist()
    assert found.tolist() == sorted(shuffled, key=lambda column: int(either[:, column].sum()))


def test_amd_without_its_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(UnavailableError, match=r"needs cvxopt \(GPL-3, optional\): .*pip install"):
        ordering.libraries("amd")


def test_a_value_on_the_diagonal_is_part_of_the_name() -> None:
    preparation = Preparation("none", "metis", False, 1000)
    case = Case("symbolic", "fill1", "grid2d,5", preparation)
    assert case.name.endswith("@grid2d,5.metis+dropzeros+diagonal=1000")
    assert Case.parse(case.name) == case
    for name in ("metis+diagonal=0", "metis+diagonal=01", "metis+diagonal=x", "mc64+metis+diagonal=5"):
        with pytest.raises(UnknownNameError, match="diagonal"):
            Preparation.parse(name)
