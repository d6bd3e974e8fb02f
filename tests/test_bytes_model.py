"""The bytes of a model are those of the algorithm, run on arrays that count their accesses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from fillpath.case import Case
from reports.hardware.bytes_model import (
    Operations,
    conjugate_gradients,
    filled_entries,
    kahn,
    operations,
    parac,
    right_looking,
)
from tests.reports_fakes import measured

N = 30


@dataclass
class Tally:
    bytes: int = 0
    flops: int = 0


class Number:
    """A floating-point number that counts what is done with it."""

    def __init__(self, value: float, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def _done(self, value: float) -> Number:
        self.tally.flops += 1
        return Number(value, self.tally)

    def __add__(self, other: Number) -> Number:
        return self._done(self.value + other.value)

    def __sub__(self, other: Number) -> Number:
        return self._done(self.value - other.value)

    def __mul__(self, other: Number) -> Number:
        return self._done(self.value * other.value)

    def __truediv__(self, other: Number) -> Number:
        return self._done(self.value / other.value)


class Counted:
    """An array that counts the bytes that are read of it and written to it. Of `real` ones the elements count
    operations too."""

    def __init__(self, values: Any, size: int, tally: Tally, *, real: bool = False) -> None:
        self.values, self.size, self.tally, self.real = list(values), size, tally, real

    def __getitem__(self, at: int) -> Any:
        self.tally.bytes += self.size
        return Number(self.values[at], self.tally) if self.real else self.values[at]

    def __setitem__(self, at: int, value: Any) -> None:
        self.tally.bytes += self.size
        self.values[at] = value.value if isinstance(value, Number) else value


def filled_pattern(seed: int) -> np.ndarray:
    """(N, N) bool: L + U of a random unsymmetric pattern, by elimination."""
    filled = (np.random.default_rng(seed).random((N, N)) < 0.08) | np.eye(N, dtype=bool)
    for j in range(N):
        filled[j + 1 :, j + 1 :] |= np.outer(filled[j + 1 :, j], filled[j, j + 1 :])
    return filled


def compressed(rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    pointers = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).tolist()
    return pointers, [int(index) for row in rows for index in row]


@dataclass
class BothWays:
    """F by rows and by columns, as an implementation is given it, and where each entry is in its column."""

    rows: Counted
    upper_start: Counted
    row_columns: Counted
    to_column: Counted
    columns: Counted
    lower_start: Counted
    column_rows: Counted

    @classmethod
    def of(cls, filled: np.ndarray, tally: Tally) -> BothWays:
        rows, row_columns = compressed([np.flatnonzero(row) for row in filled])
        columns, column_rows = compressed([np.flatnonzero(column) for column in filled.T])
        place = {
            (i, j): p for j in range(N) for p in range(columns[j], columns[j + 1]) for i in [column_rows[p]]
        }
        upper = [rows[i] + int(filled[i, :i].sum()) for i in range(N)]
        lower = [columns[j] + int(filled[: j + 1, j].sum()) for j in range(N)]
        to_column = [place[i, j] for i in range(N) for j in np.flatnonzero(filled[i])]
        sizes = ((rows, 8), (upper, 8), (row_columns, 4), (to_column, 8), (columns, 8), (lower, 8))
        return cls(*(Counted(v, size, tally) for v, size in (*sizes, (column_rows, 4))))


@pytest.mark.parametrize("seed", range(3))
def test_levels(seed: int) -> None:
    tally, filled = Tally(), filled_pattern(seed)
    f = BothWays.of(filled, tally)
    degree, level, queue, columns = (Counted([0] * N, 4, tally) for _ in range(4))
    for k in range(N):
        degree[k] = (f.lower_start[k] - 1 - f.columns[k]) + (f.upper_start[k] - f.rows[k])
    last, released, levels = 0, 0, {}
    for k in range(N):
        if degree[k] == 0:
            queue[last] = k
            level[k] = levels[k] = 0
            last += 1
    first = 0
    while first < last:
        i, first = queue[first], first + 1
        columns[first - 1] = i
        right = range(f.upper_start[i] + 1, f.rows[i + 1])
        down = range(f.lower_start[i], f.columns[i + 1])
        for array, places in ((f.row_columns, right), (f.column_rows, down)):
            for p in places:
                k, released = array[p], released + 1
                degree[k] = left = degree[k] - 1
                if left == 0:
                    queue[last] = k
                    level[k] = levels[k] = levels[i] + 1
                    last += 1
    model = kahn(N, int(filled.sum()))
    assert last == N and model.count == released
    assert model.bytes == tally.bytes


@pytest.mark.parametrize("size", [4, 8])
def test_a_right_looking_factorisation(size: int) -> None:
    tally, filled = Tally(), filled_pattern(size)
    f = BothWays.of(filled, tally)
    dense = np.where(filled, np.random.default_rng(1).random((N, N)), 0.0) + 4 * np.eye(N)
    values = Counted(dense.T[filled.T], size, tally)
    updates = 0
    for j in range(N):
        down, end = f.lower_start[j], f.columns[j + 1]
        pivot = values[down - 1]
        for s in range(f.upper_start[j] + 1, f.rows[j + 1]):
            upper, stop = f.to_column[s], f.columns[f.row_columns[s] + 1]
            factor = values[upper] / pivot
            below = {f.column_rows.values[q]: q for q in range(upper + 1, stop)}
            for p in range(down, end):
                target = below[f.column_rows.values[p]]
                assert f.column_rows[target] == f.column_rows.values[p]
                lower = values[p]
                values[target] = values[target] - lower * factor
                updates += 1
    for j in range(N):
        down, end = f.lower_start[j], f.columns[j + 1]
        values[down - 1] = pivot = values[down - 1]
        for p in range(down, end):
            values[p] = values[p] / pivot
    factored = np.zeros((N, N))
    factored.T[filled.T] = values.values
    product = (np.tril(factored, -1) + np.eye(N)) @ np.triu(factored)
    assert np.allclose(product, dense)
    lower, upper = np.tril(filled, -1).sum(), np.triu(filled, 1).sum()
    model = right_looking(updates, N, lower, upper, size=size)
    assert (model.count, model.bytes) == (2 * updates, tally.bytes) and not model.least
    bound = right_looking(updates, N, None, None, size=size)
    assert bound.least and 0 < bound.bytes < model.bytes


@pytest.mark.parametrize("seed", range(3))
def test_a_randomised_factor(seed: int) -> None:
    """A connected graph, whose edges lie with their smaller ends."""
    random, tally = np.random.default_rng(seed), Tally()
    ends = {(i, i + 1) for i in range(N - 1)} | {tuple(sorted(random.choice(N, 2, False))) for _ in range(40)}
    pointers, larger = compressed([[j for a, j in sorted(ends) if a == i] for i in range(N)])
    begin, graph = Counted(pointers, 8, tally), Counted(larger, 4, tally)
    weights = Counted([1.0] * len(larger), 8, tally)
    waiting: dict[int, list[Counted]] = defaultdict(list)
    counter, columns = Counted([0] * N, 4, tally), Counted([0] * N, 8, tally)
    diagonal, entries, sampled, rows = Counted([0.0] * N, 8, tally), 0, 0, []
    for k in range(N):
        counter[k] = 0
    for k in range(N):
        assert counter[k] >= 0
        merged: dict[int, float] = defaultdict(float)
        for p in range(begin[k], begin[k + 1]):
            merged[graph[p]] += weights[p]
        for stored in waiting[k]:
            merged[stored[0]] += stored_weight(stored)
        total = sum(merged.values())
        diagonal[k], columns[k] = total, entries
        order = sorted(merged)
        for i in order:
            rows.append(Counted([None], 4, tally))
            rows[-1][0] = i
            Counted([0.0], 8, tally)[0] = -merged[i] / total
            counter[i] = counter[i] + 1
        entries += len(order)
        for q in range(1, len(order)):
            edge = Counted([0, 0.0], 4, tally)
            edge[0] = order[q]
            write_weight(edge, merged[order[q]])
            waiting[order[int(random.integers(q))]].append(edge)
            sampled += 1
    model = parac(N, len(larger), entries)
    assert (model.count, model.bytes) == (len(larger) + sampled, tally.bytes)


def stored_weight(edge: Counted) -> float:
    edge.tally.bytes += 8
    return float(edge.values[1])


def write_weight(edge: Counted, weight: float) -> None:
    edge.tally.bytes += 8
    edge.values[1] = weight


def test_conjugate_gradients() -> None:
    """With any factor: neither bytes nor operations depend on values."""
    random, tally, iterations = np.random.default_rng(0), Tally(), 4
    off = np.triu(random.random((N, N)) < 0.2, 1)
    off |= np.eye(N, k=1, dtype=bool)
    pattern, below = off | off.T, np.triu(random.random((N, N)) < 0.3, 1)

    def matrix(filled: np.ndarray) -> tuple[Counted, Counted, Counted]:
        pointers, indices = compressed([np.flatnonzero(row) for row in filled])
        weights = random.random(len(indices)) * 0.05
        return tuple(map(Counted, (pointers, indices, weights), (8, 4, 8), [tally] * 3))  # type: ignore[return-value]

    laplacian, down, up = matrix(pattern), matrix(below.T), matrix(below)
    for one in (laplacian, down, up):
        one[2].real = True

    def vector(values: Any = None) -> Counted:
        return Counted(np.zeros(N) if values is None else values, 8, tally, real=True)

    def entries(of: tuple[Counted, Counted, Counted], row: int) -> range:
        """One pointer a row: the end of a row is the start of the next."""
        return range(of[0][row], of[0].values[row + 1])

    def product(x: Counted, y: Counted) -> None:
        for row in range(N):
            own, total = x[row], Number(0.0, Tally())
            for p in entries(laplacian, row):
                total = Number(total.value, tally) + laplacian[2][p] * (own - x[laplacian[1][p]])
            y[row] = total

    def dot(x: Counted, y: Counted) -> Number:
        total = Number(0.0, tally)
        for i in range(N):
            left = x[i]
            total = total + left * (left if x is y else y[i])
        return total

    def solve(of: tuple[Counted, Counted, Counted], right: Counted, left: Counted, order: Any) -> None:
        for row in order:
            total = right[row]
            if of is up:
                total = total / diagonal[row]
            for p in entries(of, row):
                total = total - of[2][p] * left[of[1][p]]
            left[row] = total

    def add(x: Counted, share: Number, y: Counted, into: Counted) -> None:
        for i in range(N):
            into[i] = x[i] + share * y[i]

    b, x, p, q, y, z, diagonal = vector(random.random(N)), *(vector() for _ in range(5)), vector(np.ones(N))
    r = vector(b.values)
    old = Number(1.0, Tally())
    for _ in range(iterations):
        solve(down, r, y, range(N))
        solve(up, y, z, range(N - 1, -1, -1))
        sloped = dot(r, z)
        add(z, Number(sloped.value / old.value, tally), p, p)
        product(p, q)
        curved = dot(p, q)
        add(x, Number(sloped.value / curved.value, tally), p, x)
        add(r, Number(-sloped.value / curved.value, tally), q, r)
        dot(r, r)
        old = sloped
    product(x, q)
    for i in range(N):
        r[i] = b[i] - q[i]
    dot(r, r)
    model = conjugate_gradients(N, int(pattern.sum()), int(below.sum()), iterations)
    assert (model.bytes, model.count) == (tally.bytes, tally.flops)


def test_a_record_is_counted_by_the_model_of_its_implementation() -> None:
    def counted(name: str, stage: str, facts: dict[str, float], **changes: Any) -> Operations | str:
        record = replace(
            measured("gsofa", 1.0), case=f"{stage}.{name}@bcsstk18.metis", work={"facts": facts},
            prepared={"n": 10, "nnz": 50, "hash": "h"}, **changes,
        )  # fmt: skip
        return operations(record, Case.parse(record.case), filled_entries([of_f]))

    of_f = replace(measured("gsofa", 1.0), prepared={"n": 10, "nnz": 50, "hash": "h"}, work={"fills": 20})
    assert counted("kahn_gpu", "levels", {"levels": 4.0}) == kahn(10, 70)
    ends = {"updates": 9.0, "entries_lower": 30.0, "entries_upper": 31.0}
    assert counted("glu3", "numeric", ends) == right_looking(9, 10, 30, 31, size=4)
    assert counted("glu3.dtype=float64", "numeric", ends) == right_looking(9, 10, 30, 31, size=8)
    assert counted("glu2", "numeric", {"updates": 9.0}) == right_looking(9, 10, None, None, size=4)
    assert counted("parac_gpu", "cholesky", {"nnz_l": 50.0, "nnz_g": 40.0}) == parac(10, 20, 30)
    solved = {"iterations": 3.0, "nnz_factor": 30.0}
    phases = {"phases": {"solve": [1.0]}}
    assert counted("ic0_gpu", "laplacian", solved, **phases) == conjugate_gradients(10, 40, 30, 3)
    assert counted("lu_gpu", "solve", {"updates": 9.0}) == "counts multiply-adds and no bytes"
    assert counted("pyamg", "laplacian", {**solved, "levels": 2.0}, **phases) == "counts no operations"
    nowhere = replace(of_f, prepared={"n": 10, "nnz": 50, "hash": "other"})
    assert "how many entries" in str(
        operations(replace(nowhere, work={}), Case.parse("levels.kahn_gpu@bcsstk18.metis"), {})
    )
