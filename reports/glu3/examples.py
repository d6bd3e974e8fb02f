"""The examples of the dependency figure: small patterns, what each method makes of them, and the factor that
follows from levels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

import numpy as np
import pandas as pd

from fillpath import registry
from fillpath.nouns import Array, Filled, Levels, Pattern
from impl.levels.two_way import by_both

# The methods as the slides name them, and the implementations of their levels.
METHODS = {"GLU1.0": "glu1", "GLU2.0": "glu2", "GLU3.0": "glu3_relaxed"}
# Why a column depends on another.
UPPER, DOUBLE, LEFT = "U", "double-U", "relaxed only"


@dataclass(frozen=True)
class Example:
    """A matrix of order n with a full diagonal, as its other entries, rows and columns from 1."""

    name: str
    n: int
    entries: tuple[tuple[int, int], ...]

    @property
    def dense(self) -> Array:
        """(n, n) bool: its pattern."""
        pattern = np.eye(self.n, dtype=bool)
        for row, column in self.entries:
            pattern[row - 1, column - 1] = True
        return pattern


# The slides print the first; of the second, a picture of theirs, their text has nothing: it is made up.
SLIDES = Example("the slides' 3 x 3 matrix", 3, ((1, 3), (2, 1), (2, 3), (3, 2)))
MADE_UP = Example(
    "an example of our own",
    7,
    ((1, 4), (1, 5), (1, 7), (2, 1), (2, 7), (3, 2), (3, 5), (5, 6), (5, 7), (6, 4)),
)
EXAMPLES = (SLIDES, MADE_UP)


def filled(example: Example) -> Filled:
    """F of the example."""
    rows, columns = np.nonzero(example.dense)
    indptr = np.searchsorted(rows, np.arange(example.n + 1)).astype(np.int64)
    result, _ = _function("symbolic", "fill1")(Pattern(indptr, columns.astype(np.int32)))
    return cast(Filled, result)


def dense_of(factor: Filled) -> Array:
    """(n, n) bool: F."""
    dense = np.zeros((factor.pattern.n,) * 2, bool)
    dense[factor.pattern.rows(), factor.pattern.indices] = True
    return dense


def levels_of(factor: Filled, method: str) -> Levels:
    """The levels that the method's implementation finds."""
    levels, _ = _function("levels", METHODS[method])(by_both(factor))
    return cast(Levels, levels)


def level_of(levels: Levels) -> Array:
    """(n,) int: the level of each column, from 0."""
    level = np.empty(len(levels.columns), int)
    level[levels.columns] = np.repeat(np.arange(len(levels.pointers) - 1), np.diff(levels.pointers))
    return level


def dependencies(dense: Array, method: str) -> dict[tuple[int, int], str]:
    """Why column k depends on i, by (i, k) from 0: each rule as the slides have it, on F. dense : (n, n)
    bool."""
    updates = np.count_nonzero(np.tril(dense, -1), axis=0)
    reasons = {}
    for i, k in combinations(range(len(dense)), 2):
        reads = bool(dense[k, i] and updates[k] and np.any(dense[i, k + 1 :]))
        if dense[i, k] and updates[i]:
            reasons[i, k] = UPPER
        elif reads and method != "GLU1.0":
            reasons[i, k] = DOUBLE
        elif dense[k, i] and method == "GLU3.0":
            reasons[i, k] = LEFT
    return reasons


def factor_by(levels: Levels) -> Array:
    """(3, 3) float: L + U - I of the slides' matrix of ones, right-looking, level by level, the columns of a
    level in descending order, each with what is there in its turn."""
    values = SLIDES.dense.astype(float)
    n = len(values)
    parts = np.split(levels.columns, levels.pointers[1:-1])
    for j in np.concatenate([part[::-1] for part in parts]):
        values[j + 1 :, j] /= values[j, j]
        for k in range(j + 1, n):
            values[j + 1 :, k] -= values[j + 1 :, j] * values[j, k]
    return values


def _function(stage: str, name: str) -> Any:
    registry.load_all()
    return registry.lookup(stage, name).function


def table() -> pd.DataFrame:
    """Return entries, levels, dependencies and factors of the examples, as the figure has them."""
    return pd.DataFrame([row for example in EXAMPLES for row in _rows(example)])


def _rows(example: Example) -> list[dict[str, Any]]:
    """Return all rows of an example, columns from 1."""
    factor = filled(example)
    dense, key = dense_of(factor), {"example": example.name}
    rows: list[dict[str, Any]] = [
        {"part": "entry", **key, "row": i + 1, "column": k + 1, "filled": not example.dense[i, k]}
        for i, k in zip(*np.nonzero(dense), strict=True)
    ]
    right = factor_by(levels_of(filled(SLIDES), "GLU2.0"))
    for method in METHODS:
        levels, named = levels_of(factor, method), key | {"method": method}
        rows += [
            {"part": "level", **named, "column": k + 1, "level": level + 1}
            for k, level in enumerate(level_of(levels))
        ]
        rows += [
            {"part": "dependency", **named, "before": i + 1, "column": k + 1, "why": why}
            for (i, k), why in dependencies(dense, method).items()
        ]
        if example is SLIDES:
            values = factor_by(levels)
            rows += [
                {"part": "factor", **named, "row": i + 1, "column": k + 1, "value": value, "right": same}
                for ((i, k), value), same in zip(
                    np.ndenumerate(values), (values == right).ravel().tolist(), strict=True
                )
            ]
    return rows
