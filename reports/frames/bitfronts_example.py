"""The example of docs/bitfronts.md: one small pattern, and what every step of the analysis makes of it.

All of it comes from the code of `bitfronts_cpu`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fillpath.nouns import Array, Filled, Pattern
from impl.symbolic.bitfronts_cpu import bitfronts_cpu
from impl.symbolic.elimination_tree import NONE, Tree, elimination_tree
from reports.frames.bitfronts_fronts import Front, assembled_fronts

# Chosen so that every step has something to show; tests/test_bitfronts_example.py says what.
ROWS = (
    "#...#...#.",
    ".##..#....",
    ".###....#.",
    "...#.#..#.",
    "#...#..##.",
    ".#.#.#.#..",
    "....#.#.#.",
    ".......#.#",
    "#...###.#.",
    ".......#.#",
)
# The row whose subtree is shown.
ROW = 8


@dataclass(frozen=True)
class Leaf:
    """A leaf of a row subtree.

    vertex : the leaf
    branch : where its path meets that of the leaf before it; the row itself for the first leaf
    path : the vertices from the leaf up to its branch, without the branch
    """

    vertex: int
    branch: int
    path: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Example:
    """A pattern and what is made of it, rows and columns from 0.

    entries : (n, n) bool, A
    filled : (n, n) bool, L + U
    both_filled : (n, n) bool, the fill of A | A^T, with its entries
    parent : (n,) int, of each vertex in the elimination tree, -1 for a root
    label : (n,) int, of each vertex
    row : of which `leaves` are the leaves of its subtree
    fronts : children first
    """

    entries: Array
    filled: Array
    both_filled: Array
    parent: Array
    label: Array
    row: int
    leaves: tuple[Leaf, ...]
    fronts: tuple[Front, ...]

    @property
    def both(self) -> Array:
        """(n, n) bool: A | A^T."""
        pattern: Array = self.entries | self.entries.T
        return pattern

    @property
    def front_of(self) -> Array:
        """(n,) int: the front whose pivot a vertex is."""
        owner = np.empty(len(self.label), int)
        for number, front in enumerate(self.fronts):
            owner[list(front.members[: front.pivots])] = number
        return owner


def example() -> Example:
    """The example with all of its steps."""
    entries = np.array([[mark == "#" for mark in row] for row in ROWS])
    tree = elimination_tree(_pattern(entries))
    label = tree.label.astype(int)
    return Example(
        entries,
        _filled(entries),
        _filled(entries | entries.T),
        np.array([_above(tree, vertex) for vertex in range(len(label))]),
        label,
        ROW,
        _leaves(tree, ROW),
        assembled_fronts(tree, entries),
    )


def _pattern(dense: Array) -> Pattern:
    rows, columns = np.nonzero(dense)
    indptr = np.searchsorted(rows, np.arange(len(dense) + 1)).astype(np.int64)
    return Pattern(indptr, columns.astype(np.int32))


def _filled(dense: Array) -> Array:
    result, _ = bitfronts_cpu(_pattern(dense))
    assert isinstance(result, Filled)
    filled = np.zeros_like(dense)
    filled[result.pattern.rows(), result.pattern.indices] = True
    return filled


def _above(tree: Tree, vertex: int) -> int:
    """The parent of a vertex, -1 for a root."""
    parent = tree.parent[tree.label[vertex]]
    return -1 if parent == NONE else int(tree.vertex[parent])


def _leaves(tree: Tree, row: int) -> tuple[Leaf, ...]:
    """The leaves of a row subtree: by ascending labels, the row's entries with no other below them."""
    both = tree.both
    columns = both.indices[int(both.indptr[row]) : int(both.diagonal[row])]
    leaves: list[Leaf] = []
    seen: set[int] = set()
    last = -1
    for label in sorted(tree.label[columns].tolist()):
        if last > label - int(tree.size[label]):
            continue
        vertex, path = int(tree.vertex[label]), []
        while vertex != row and vertex not in seen:
            path.append(vertex)
            vertex = _above(tree, vertex)
        leaves.append(Leaf(path[0], vertex, tuple(path)))
        seen.update(path)
        last = label
    return tuple(leaves)
