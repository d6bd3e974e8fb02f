"""The bytes of a model are those of the algorithm, run on arrays that count their accesses."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fillpath.record import Record
from reports.facts.records import Records
from reports.hardware.roofline import spots
from tests.reports_fakes import measured

N = 30
ALL = slice(None)
# Bytes that arrays were asked for, and floating-point operations.
TALLY: Counter[str] = Counter()


def counting(operation: str) -> Any:
    def done(one: float, other: float) -> "Number":
        TALLY["flops"] += 1
        return Number(getattr(float, operation)(one, other))

    return done


class Number(float):
    """One that counts what is done with it."""

    __add__, __sub__, __mul__, __truediv__ = map(counting, ("__add__", "__sub__", "__mul__", "__truediv__"))


ZERO = Number(0.0)


class Counted:
    """An array that counts the bytes that are read of it and written to it, but not those of `free`."""

    def __init__(self, values: Any, size: int) -> None:
        self.free, self.size = np.array(values), size

    def __getitem__(self, at: Any) -> Any:
        TALLY["bytes"] += (
            self.size * self.free[at].size if isinstance(at, (slice, list, range)) else self.size
        )
        return self.free[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self.free[at] = value
        self[at]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    TALLY.clear()


def record(case: str, facts: dict[str, float], nnz: int, **changes: Any) -> Record:
    """One of a second."""
    values = {"prepared": {"n": N, "nnz": nnz, "hash": "of F"}, "work": {"facts": facts}, "machine": "a"}
    values |= {"case": f"{case}@bcsstk18.metis", "phases": {"solve": [1.0]}, **changes}
    return measured("gsofa", 1.0, **values)


def placed(case: str, facts: dict[str, float], nnz: int = 0, *others: Record) -> tuple[int, int, bool] | str:
    """The operations and bytes of a record, and whether the bytes are a lower bound; else what it lacks."""
    row = spots(["a"], Records((record(case, facts, nnz), *others))).iloc[0]
    return row["lacking"] or (round(row["rate"]), round(row["rate"] / row["intensity"]), row["bound"])


def filled_pattern(seed: int) -> np.ndarray:
    """(N, N) bool: L + U of a random unsymmetric pattern, by elimination."""
    filled = (np.random.default_rng(seed).random((N, N)) < 0.08) | np.eye(N, dtype=bool)
    for j in range(N):
        filled[j + 1 :, j + 1 :] |= np.outer(filled[j + 1 :, j], filled[j, j + 1 :])
    return filled


def compressed(rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    pointers = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).tolist()
    return pointers, [int(index) for row in rows for index in row]


def both_ways(filled: np.ndarray) -> SimpleNamespace:
    """F by rows and by columns, as an implementation is given it, and where each entry is in its column."""
    rows, row_columns = compressed([np.flatnonzero(row) for row in filled])
    columns, column_rows = compressed([np.flatnonzero(column) for column in filled.T])
    place = {(column_rows[p], j): p for j in range(N) for p in range(columns[j], columns[j + 1])}
    upper = [rows[i] + int(filled[i, :i].sum()) for i in range(N)]
    lower = [columns[j] + int(filled[: j + 1, j].sum()) for j in range(N)]
    to_column = [place[i, j] for i in range(N) for j in np.flatnonzero(filled[i])]
    pointers = {"rows": rows, "upper": upper, "to_column": to_column, "columns": columns, "lower": lower}
    indices = {"row_columns": Counted(row_columns, 4), "column_rows": Counted(column_rows, 4)}
    return SimpleNamespace(**{name: Counted(values, 8) for name, values in pointers.items()}, **indices)


@pytest.mark.parametrize("seed", range(3))
def test_levels(seed: int) -> None:
    filled = filled_pattern(seed)
    f = both_ways(filled)
    degree, level, queue, columns = (Counted([0] * N, 4) for _ in range(4))
    last = released = 0
    for k in range(N):
        degree[k] = (f.lower[k] - 1 - f.columns[k]) + (f.upper[k] - f.rows[k])
    for k in range(N):
        if degree[k] == 0:
            queue[last], level[k], last = k, 0, last + 1
    for first in range(N):
        assert first < last
        columns[first] = i = queue[first]
        right, down = range(f.upper[i] + 1, f.rows[i + 1]), range(f.lower[i], f.columns[i + 1])
        for k in (*f.row_columns[right], *f.column_rows[down]):
            released += 1
            degree[k] = left = degree[k] - 1
            if left == 0:
                queue[last], level[k], last = k, level.free[i] + 1, last + 1
    done = released, TALLY["bytes"], False
    of_f = record("symbolic.gsofa", {}, N, work={"fills": int(filled.sum()) - N})
    assert placed("levels.kahn_gpu", {}, N, of_f) == done


@pytest.mark.parametrize(("size", "code"), [(4, "glu3"), (8, "glu3.dtype=float64"), (4, "glu2")])
def test_a_right_looking_factorisation(size: int, code: str) -> None:
    filled = filled_pattern(size)
    f = both_ways(filled)
    dense = np.where(filled, np.random.default_rng(1).random((N, N)), 0.0) + 4 * np.eye(N)
    values = Counted(dense.T[filled.T], size)
    updates = 0
    for j in range(N):
        down = range(f.lower[j], f.columns[j + 1])
        pivot = values[down.start - 1]
        for s in range(f.upper[j] + 1, f.rows[j + 1]):
            upper, stop = f.to_column[s], f.columns[f.row_columns[s] + 1]
            factor = values[upper] / pivot
            below = {f.column_rows.free[q]: q for q in range(upper + 1, stop)}
            targets = [below[row] for row in f.column_rows.free[down]]
            assert (f.column_rows[targets] == f.column_rows.free[down]).all()
            values[targets] = values[targets] - values[down] * factor
            updates += len(targets)
    for j in range(N):
        down = range(f.lower[j], f.columns[j + 1])
        values[down.start - 1] = pivot = values[down.start - 1]
        values[down] = values[down] / pivot
    factored = np.zeros((N, N))
    factored.T[filled.T] = values.free
    assert np.allclose((np.tril(factored, -1) + np.eye(N)) @ np.triu(factored), dense)
    facts = {"updates": updates, "entries_lower": np.tril(filled, -1).sum()}
    count, moved, least = placed(f"numeric.{code}", {**facts, "entries_upper": np.triu(filled, 1).sum()})
    assert (count, moved, least) == (2 * updates, TALLY["bytes"], False)
    count, bound, least = placed(f"numeric.{code}", facts)
    assert count == 2 * updates and least and bound == (3 * size + 4) * updates < moved


@pytest.mark.parametrize("seed", range(3))
def test_a_randomised_factor(seed: int) -> None:
    """A connected graph, whose edges lie with their smaller ends."""
    random = np.random.default_rng(seed)
    ends = {(i, i + 1) for i in range(N - 1)} | {tuple(sorted(random.choice(N, 2, False))) for _ in range(40)}
    pointers, larger = compressed([[j for a, j in sorted(ends) if a == i] for i in range(N)])
    begin, graph, weights = Counted(pointers, 8), Counted(larger, 4), Counted([1.0] * len(larger), 8)
    # An edge that waits at a vertex, or an entry of G: its end or row, and its weight or value.
    waiting: dict[int, list[tuple[Counted, Counted]]] = defaultdict(list)
    counter, columns, diagonal = Counted([0] * N, 4), Counted([0] * N, 8), Counted([0.0] * N, 8)
    entries = sampled = 0

    def stored(end: int, weight: float) -> tuple[Counted, Counted]:
        pair = Counted([0], 4), Counted([0.0], 8)
        pair[0][0], pair[1][0] = end, weight
        return pair

    counter[ALL] = 0
    for k in range(N):
        assert counter[k] >= 0
        merged: dict[int, float] = defaultdict(float)
        own = range(begin[k], begin[k + 1])
        edges = [*zip(graph[own], weights[own], strict=True), *((end[0], w[0]) for end, w in waiting[k])]
        for end, weight in edges:
            merged[end] += weight
        total = sum(merged.values())
        diagonal[k], columns[k] = total, entries
        order = sorted(merged)
        for i in order:
            stored(i, -merged[i] / total)
            counter[i] = counter[i] + 1
        for end in order[1:]:
            waiting[order[int(random.integers(order.index(end)))]].append(stored(end, merged[end]))
        entries, sampled = entries + len(order), sampled + len(order[1:])
    facts = {"nnz_l": N + 2.0 * len(larger), "nnz_g": float(N + entries)}
    done = len(larger) + sampled, TALLY["bytes"], False
    assert placed("cholesky.parac_gpu", facts) == placed("cholesky.parac_cpu", facts) == done


def test_conjugate_gradients() -> None:
    """With any factor: neither bytes nor operations depend on values."""
    random, iterations = np.random.default_rng(0), 4
    off = np.triu(random.random((N, N)) < 0.2, 1) | np.eye(N, k=1, dtype=bool)
    pattern, below = off | off.T, np.triu(random.random((N, N)) < 0.3, 1)

    def vector(values: Any) -> Counted:
        return Counted(np.array([*map(Number, values), None])[:-1], 8)

    def matrix(filled: np.ndarray) -> tuple[Counted, Counted, Counted]:
        pointers, indices = compressed([np.flatnonzero(row) for row in filled])
        return Counted(pointers, 8), Counted(indices, 4), vector(0.05 * random.random(len(indices)))

    def entries(of: tuple[Counted, Counted, Counted], row: int, x: Counted) -> tuple[Any, Any]:
        """Values of a row, and the vector's at their columns. The end of a row is the start of the next."""
        at = range(of[0][row], of[0].free[row + 1])
        return of[2][at], x[[*of[1][at]]]

    def product(x: Counted, y: Counted) -> None:
        for row in range(N):
            own, (weights, others) = x[row], entries(laplacian, row, x)
            y[row] = sum(weights * -(others - own), ZERO)

    def dot(x: Counted, y: Counted) -> float:
        left = x[ALL]
        return float(sum(left * (left if x is y else y[ALL]), ZERO))

    def solve(of: tuple[Counted, Counted, Counted], right: Counted, left: Counted, order: Any) -> None:
        for row in order:
            total = right[row] / diagonal[row] if of is up else right[row]
            weights, others = entries(of, row, left)
            left[row] = sum(-(weights * others), total)

    def add(x: Counted, share: float, y: Counted, into: Counted) -> None:
        into[ALL] = x[ALL] + y[ALL] * share

    laplacian, down, up = matrix(pattern), matrix(below.T), matrix(below)
    x, p, q, y, z = (vector([0.0] * N) for _ in range(5))
    b, diagonal, old = vector(random.random(N)), vector([1.0] * N), 1.0
    r = vector(b.free)
    for _ in range(iterations):
        solve(down, r, y, range(N))
        solve(up, y, z, range(N - 1, -1, -1))
        sloped = dot(r, z)
        add(z, sloped / old, p, p)
        product(p, q)
        curved = dot(p, q)
        add(x, sloped / curved, p, x)
        add(r, -sloped / curved, q, r)
        dot(r, r)
        old = sloped
    product(x, q)
    r[ALL] = b[ALL] - q[ALL]
    dot(r, r)
    facts = {"nnz_factor": int(below.sum()), "iterations": iterations}
    done = TALLY["flops"], TALLY["bytes"], False
    assert placed("laplacian.ic0_gpu", facts, N + int(pattern.sum())) == done


@pytest.mark.parametrize(
    ("case", "facts", "lacks"),
    [
        ("levels.kahn_gpu", {"levels": 4.0}, "no record says how many entries F has"),
        ("solve.lu_gpu", {"updates": 9.0}, "counts multiply-adds and no bytes"),
        ("laplacian.pyamg", {"iterations": 3.0, "nnz_factor": 30.0}, "counts no operations"),
        ("cholesky.parac_gpu", {}, "counts no operations"),
    ],
)
def test_a_record_that_counts_too_little_says_what(case: str, facts: dict[str, float], lacks: str) -> None:
    other = record("symbolic.gsofa", {}, N, work={"fills": 9}, prepared={"n": N, "nnz": N, "hash": "other"})
    assert placed(case, facts, 50, other) == lacks
