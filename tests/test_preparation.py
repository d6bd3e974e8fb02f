"""The stage `preparation`: it gives what other stages are given, and the gate sees anything else."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from benchmarks.checks.arranged import verify_arranged
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from fetch.matrix_id import resolve
from fetch.prepare import prepare, raw_of
from fillpath.case import Case, Preparation
from fillpath.errors import UnknownNameError
from fillpath.nouns import Arranged, Pattern, Prepared, content_hash
from fillpath.record import Status
from impl.preparation import best, ordering
from impl.preparation.prepare import prepare as arrange
from impl.preparation.size import size_of

NAMES = (
    "natural",
    "mc64+amd",
    "metis",
    "best",
    "best+for=many",
    "nnz",
    "random",
    "amd+dropzeros",
    "metis+diagonal=7",
)


def arranged(matrix: str, name: str, seed: int = 0) -> tuple[Prepared, Any, Arranged]:
    prepared = prepare(matrix, Preparation.parse(name), seed)
    raw = raw_of(prepared.provenance)
    return prepared, raw, arrange(raw)[0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("matrix", ["circuit,60", "random,50,0.1"])
def test_what_is_measured_is_what_other_stages_are_given(matrix: str, name: str) -> None:
    prepared, raw, result = arranged(matrix, name, 3)
    assert np.array_equal(result.pattern.indices, prepared.pattern.indices)
    assert np.array_equal(result.values, prepared.values)
    assert verify_arranged(result, raw, prepared.hash).passes


def test_values_of_a_pattern_are_made_up_alike(tmp_path: Path) -> None:
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n2 3\n3 1\n2 2\n")
    prepared, raw, result = arranged(resolve(str(path)).text, "amd", 5)
    assert verify_arranged(result, raw, prepared.hash).passes


def hash_of(result: Arranged) -> str:
    return content_hash(result.pattern.indptr, result.pattern.indices, result.values)


def without(result: Arranged, place: int) -> Arranged:
    """The result without an entry."""
    pattern, kept = result.pattern, np.arange(len(result.values)) != place
    indptr = pattern.indptr - (pattern.indptr > place)
    return replace(result, pattern=Pattern(indptr, pattern.indices[kept]), values=result.values[kept])


def changed(result: Arranged, places: Any, value: float) -> Arranged:
    """The result with another value at these places."""
    values = result.values.copy()
    values[places] = value
    return replace(result, values=values)


def diagonal(result: Arranged) -> np.ndarray:
    return np.flatnonzero(result.pattern.rows() == result.pattern.indices)


FAULTS: dict[str, Callable[[Arranged], Any]] = {
    "a row twice": lambda r: replace(r, row_permutation=np.zeros_like(r.row_permutation)),
    "rows exchanged": lambda r: replace(r, row_permutation=r.row_permutation[::-1].copy()),
    "a value changed": lambda r: changed(r, 2, 2 * r.values[2]),
    "no number": lambda r: changed(r, 2, np.nan),
    "all scaled": lambda r: replace(r, values=2 * r.values, row_scale=2 * r.row_scale),
    "an entry lost": lambda r: without(r, int(np.flatnonzero(r.pattern.rows() != r.pattern.indices)[0])),
    "a hole in the diagonal": lambda r: without(r, int(diagonal(r)[0])),
    "a hole filled with another value": lambda r: changed(r, diagonal(r)[r.values[diagonal(r)] == 0], 7.0),
    "a row unsorted": lambda r: replace(
        r,
        pattern=Pattern(r.pattern.indptr, np.concatenate([r.pattern.indices[1::-1], r.pattern.indices[2:]])),
    ),
    "another count of holes": lambda r: replace(r, diagonal_added=-7),
    "a permutation of floats": lambda r: replace(r, row_permutation=r.row_permutation.astype(float)),
    "a scale too many": lambda r: replace(r, row_scale=np.append(r.row_scale, 1.0)),
    "indptr that wraps": lambda r: replace(
        r, pattern=Pattern(np.array([0, 2**62 + 1, -(2**62) - 1, r.pattern.nnz]), r.pattern.indices)
    ),
    "nothing left": lambda r: replace(
        r, pattern=Pattern(0 * r.pattern.indptr, r.pattern.indices[:0]), values=r.values[:0]
    ),
    "no matrix": lambda r: None,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_gate_sees_a_fault_of_what_it_is_held_against_too(fault: str, tmp_path: Path) -> None:
    """The stored matrix is made by the same code, so that its hash would be that of the fault."""
    path = tmp_path / "holes.mtx"
    path.write_text(
        "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n1 2 3\n2 1 4\n2 3 5\n3 2 6\n"
    )
    prepared, raw, result = arranged(resolve(str(path)).text, "amd")
    assert verify_arranged(result, raw, prepared.hash).passes
    planted = FAULTS[fault](result)
    own = (
        ""
        if planted is None
        else content_hash(planted.pattern.indptr, planted.pattern.indices, planted.values)
    )
    assert not verify_arranged(planted, raw, own).passes


def test_the_gate_sees_made_up_values_that_dominate_no_row(tmp_path: Path) -> None:
    path = tmp_path / "pattern.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 1\n")
    _, raw, result = arranged(resolve(str(path)).text, "amd")
    planted = changed(result, diagonal(result)[0], 0.05)
    assert not verify_arranged(planted, raw, hash_of(planted)).passes
    scaled = replace(result, matching="mc64", row_scale=np.full(3, np.inf))
    assert not verify_arranged(scaled, raw, hash_of(result)).passes


def test_the_gate_sees_another_order() -> None:
    prepared, raw, _ = arranged("circuit,60", "amd")
    _, _, other = arranged("circuit,60", "metis")
    assert verify_arranged(other, raw, prepared.hash).value == 1


def test_a_preparation_is_a_case_with_phases_and_the_size_of_its_order() -> None:
    record = measure(
        Case("preparation", "prepare", "grid2d,12", Preparation(ordering="amd")),
        Limits(60, samples=3, forked=True),
    )
    assert record.status is Status.OK, record.reason
    assert set(record.phases) == {"matching", "scaling", "ordering", "permutation"}
    size = size_of(prepare("grid2d,12", Preparation(ordering="amd")).pattern)
    facts = (record.work or {})["facts"]
    assert facts == {"entries": size.entries, "flops": size.operations, "height": size.height}


@given(st.integers(1, 20), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_a_size_is_that_of_dense_elimination(n: int, drawn: int) -> None:
    mask = np.random.default_rng(drawn).random((n, n)) < 0.2
    mask |= np.eye(n, dtype=bool)
    filled, height = mask | mask.T, np.ones(n, int)
    operations = 0
    for k in range(n):
        below = np.flatnonzero(filled[k + 1 :, k]) + k + 1
        filled[np.ix_(below, below)] = True
        operations += len(below) + 2 * len(below) ** 2
        if len(below):
            height[below[0]] = max(height[below[0]], height[k] + 1)
    rows = csr_array(mask)
    size = size_of(Pattern(rows.indptr.astype(np.int64), rows.indices.astype(np.int32)))
    assert (size.entries, size.operations, size.height) == (filled.sum(), operations, height.max())


def test_one_solution_takes_amd_where_that_takes_less_than_to_dissect() -> None:
    graph = ordering.graph_of(*grid(20), 400)
    assert best.best(graph, "one", 0)[0] == "amd"


def test_many_solutions_take_the_order_of_the_least_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = ordering.graph_of(*grid(20), 400)
    orders = {name: ordering.order(name, graph, 0) for name in ("amd", *best.RIVALS["many"])}
    for favoured in orders:
        sizes = {each.tobytes(): float(name != favoured) for name, each in orders.items()}
        monkeypatch.setattr(best, "_size", lambda graph, order, sizes=sizes: sizes[order.tobytes()])
        monkeypatch.setattr(best, "seconds", lambda size: size)
        name, chosen = best.best(graph, "many", 0)
        assert name == favoured and np.array_equal(chosen, orders[favoured])


def test_one_solution_dissects_where_amd_takes_longer_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = ordering.graph_of(*grid(20), 400)
    sizes = {
        ordering.order(name, graph, 0).tobytes(): each for name, each in (("amd", 2.0), ("dissection", 1.0))
    }
    monkeypatch.setattr(best, "_size", lambda graph, order: sizes[order.tobytes()])
    monkeypatch.setattr(best, "seconds", lambda size: size)
    monkeypatch.setattr(best, "LEVEL", 1.0)
    for taken, name in ((1.5, "dissection"), (3.0, "amd")):
        monkeypatch.setattr(best, "DISSECTION", taken / graph.nnz)
        assert best.best(graph, "one", 0)[0] == name


def test_for_many_is_part_of_the_name_and_of_best_alone() -> None:
    assert Preparation.parse("mc64+best+for=many+dropzeros").systems == "many"
    for name in ("amd+for=many", "best+for=one", "best+for=few"):
        with pytest.raises(UnknownNameError):
            Preparation.parse(name)


def grid(k: int) -> tuple[np.ndarray, np.ndarray]:
    """The edges of a grid of k x k points, one way."""
    points = np.arange(k * k, dtype=np.int32).reshape(k, k)
    pairs = np.concatenate(
        [
            np.stack([points[1:], points[:-1]], -1).reshape(-1, 2),
            np.stack([points[:, 1:], points[:, :-1]], -1).reshape(-1, 2),
        ]
    )
    return pairs[:, 0], pairs[:, 1]
