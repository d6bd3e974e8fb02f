"""The fronts of a small pattern with their bits before and after elimination, which `bitfronts_cpu` lets go.

Columns are merged into one front only where that adds no member, so that the fronts have exactly the entries
of A | A^T's fill.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fillpath.nouns import Array
from impl.symbolic.elimination_tree import NONE, Tree
from impl.symbolic.factor_counts_cpu import factor_counts
from impl.symbolic.front_alone_cpu import eliminate_alone
from impl.symbolic.front_pivots_cpu import UNIONS
from impl.symbolic.fronts_cpu import fronts_of


@dataclass(frozen=True, eq=False)
class Contribution:
    """What a front takes over from a child.

    child : the number of the front
    places : the child's list as members of the front
    bits : (k, k) bool
    """

    child: int
    places: Array
    bits: Array


@dataclass(frozen=True, eq=False)
class Front:
    """A front of f members and its bits.

    members : pivots, then the list; vertices
    pivots : how many of them are pivots
    parent : the number of a front, None for a root
    entries : (f, f) bool, A's entries in the pivots' rows and columns
    contributions : of its children
    after : (f, f) bool, its bits after elimination
    """

    members: tuple[int, ...]
    pivots: int
    parent: int | None
    entries: Array
    contributions: tuple[Contribution, ...]
    after: Array

    @property
    def before(self) -> Array:
        """(f, f) bool: its bits before elimination."""
        bits = self.entries.copy()
        for contribution in self.contributions:
            bits[np.ix_(contribution.places, contribution.places)] |= contribution.bits
        return bits


def assembled_fronts(tree: Tree, entries: Array) -> tuple[Front, ...]:
    """The fronts, children first. entries : (n, n) bool, the pattern that the tree is of"""
    analysed = fronts_of(tree, factor_counts(tree), leaf=1, chain=0)
    fronts: list[Front] = []
    for number, above in enumerate(analysed.parent):
        start, end = analysed.start[number : number + 2].astype(int)
        members = analysed.members[start:end].astype(int)
        pivots = int(analysed.first[number + 1] - analysed.first[number])
        assembled = entries[np.ix_(members, members)]
        assembled[pivots:, pivots:] = False
        children = [child for child, front in enumerate(fronts) if front.parent == number]
        front = Front(
            tuple(members.tolist()),
            pivots,
            None if above == NONE else int(above),
            assembled,
            tuple(_contribution(fronts, child, members) for child in children),
            assembled,
        )
        fronts.append(replace(front, after=_eliminated(front.before, pivots)))
    return tuple(fronts)


def _contribution(fronts: list[Front], child: int, members: Array) -> Contribution:
    front = fronts[child]
    places = np.array([members.tolist().index(vertex) for vertex in front.members[front.pivots :]], int)
    return Contribution(child, places, front.after[front.pivots :, front.pivots :])


def _eliminated(bits: Array, pivots: int) -> Array:
    """The bits of a front of at most 64 members, its pivots eliminated."""
    column = np.arange(len(bits), dtype=np.uint64)
    words = (bits.astype(np.uint64) << column).sum(axis=1, dtype=np.uint64)
    stop, _ = eliminate_alone(words, np.uint64(len(bits)), np.uint64(pivots), np.empty(UNIONS, np.uint64))
    after: Array = words[:, None] >> column & np.uint64(1) == 1
    if stop < pivots:
        after[stop:, stop:] = True
    return after
