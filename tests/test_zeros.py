"""Explicit zeros are no edges, wherever they lie, and stay entries for all that is no graph."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

import impl.inputs  # noqa: F401  It registers the makers.
from benchmarks.engine import operands
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fetch.zeros import without_lone_zeros
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import UnsupportedError
from fillpath.nouns import Prepared
from impl.cholesky.graph import as_matrix

PLAIN = "1 2 2.0\n2 1 2.0\n2 3 0.5\n3 2 0.5\n3 4 4.0\n4 3 4.0\n"


def prepared_of(folder: Path, body: str, order: int = 4, zeros: bool = True) -> Prepared:
    path = folder / "m.mtx"
    count = body.count("\n")
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{order} {order} {count}\n{body}")
    return prepare(resolve(str(path)).text, Preparation("none", "natural", zeros))


def graph_of(prepared: Prepared, stage: str = "cholesky") -> np.ndarray:
    entry = registry.lookup(stage, "parac_cpu")
    given = operands.operand(entry, operands.context(prepared, None, entry, {}))
    return as_matrix(getattr(given, "laplacian", given)).toarray()


@pytest.mark.parametrize("stage", ["cholesky", "laplacian"])
@pytest.mark.parametrize("zeros", ["1 3 0.0\n", "3 1 -0.0\n4 1 0\n", "1 3 0\n3 1 0\n1 4 0\n1 1 0\n"])
def test_a_zero_on_one_side_of_the_diagonal_is_no_edge(tmp_path: Path, stage: str, zeros: str) -> None:
    kept = prepared_of(tmp_path, PLAIN + zeros)
    assert kept.pattern.nnz == 10 + zeros.replace("1 1 0\n", "").count("\n")
    graph = graph_of(kept, stage)
    assert np.array_equal(graph, graph_of(prepared_of(tmp_path, PLAIN), stage))
    assert graph[1].tolist() == [-2, 2.5, -0.5, 0]


def test_a_file_of_zeros_alone_has_no_edges(tmp_path: Path) -> None:
    assert not graph_of(prepared_of(tmp_path, "1 2 0\n3 1 0\n4 4 0\n")).any()


def test_a_zero_across_from_an_edge_still_shows_that_the_graph_has_a_direction(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"entry \(0, 2\) is 0.0, its mirror 3.0"):
        graph_of(prepared_of(tmp_path, PLAIN + "1 3 0\n3 1 3\n"))


def test_only_lone_zeros_go(tmp_path: Path) -> None:
    rng = np.random.default_rng(10)
    for _ in range(6):
        dense = np.where(rng.random((9, 9)) < 0.4, rng.integers(-1, 2, (9, 9)), np.nan)
        body = "".join(f"{i + 1} {j + 1} {dense[i, j]}\n" for i, j in np.argwhere(~np.isnan(dense)))
        given = prepared_of(tmp_path, body, 9)
        found = without_lone_zeros(given)
        found.pattern.validate()
        lone = (dense == 0) & np.isnan(dense.T)
        expected = np.where(np.isnan(dense) & np.eye(9, dtype=bool), 0, np.where(lone, np.nan, dense))
        places = coo_array(
            csr_array((found.values + 5, found.pattern.indices, found.pattern.indptr))
        ).toarray()
        assert np.array_equal(places, np.nan_to_num(expected + 5))
        assert found.hash == given.hash and (found is given) == (
            not (dense[~np.eye(9, dtype=bool)] == 0).any()
        )
