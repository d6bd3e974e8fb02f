"""The example of docs/fronts.md: that of docs/bitfronts.md with values, on its fronts, up to x.

L and U are those of `multifrontal_cpu`, x is that of its solve. What these let go is made of L and U here
once more: fronts before their elimination, contributions, y and u.

Its fronts are those that merging begins with. The rules that merge them would make one of all ten columns,
which has nothing to assemble and nobody to wait for.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fillpath.nouns import Array, FrontFactor, Fronts, Pattern, Prepared, Provenance, content_hash
from impl.multifrontal.fronts_cpu import CHAIN, ZEROS
from impl.multifrontal.solve_cpu import solved
from impl.numeric.multifrontal_cpu import multifrontal_cpu
from impl.symbolic.fronts_cpu import LEAF
from reports.frames import bitfronts_example
from reports.frames.bitfronts_example import Example
from reports.frames.bitfronts_fronts import Front

__all__ = ["CHAIN", "LEAF", "SHOWN", "ZEROS", "System", "system"]

SEED = 1
# The front that is shown while it is assembled and eliminated.
SHOWN = 4


@dataclass(frozen=True, eq=False)
class Contribution:
    """What a front takes over from a child.

    child : the number of the front
    places : the child's list as rows of the front
    values : (r, r) float, added to the front's values in these rows and columns
    passed : (r,) float, u of the child, added to the right-hand sides in these rows
    """

    child: int
    places: Array
    values: Array
    passed: Array


@dataclass(frozen=True, eq=False)
class ValuedFront:
    """A front of f members, s of them pivots, with its values.

    members : as those of `Front`
    entries : (f, f) float, A's values in the pivots' rows and columns
    contributions : of its children
    before, after : (f, f) float, around elimination; after it L without its ones, U, and the contribution
    given : (f,) float, right-hand sides: b of the pivots, with what the children pass
    forward : (f,) float, y of the pivots, then u of the list: what the parent adds to its right-hand sides
    x : (f,) float, of all members
    """

    members: tuple[int, ...]
    pivots: int
    entries: Array
    contributions: tuple[Contribution, ...]
    before: Array
    after: Array
    given: Array
    forward: Array
    x: Array


@dataclass(frozen=True)
class Merger:
    """Whether a front is merged with its parent, the next front, by the zeros that this adds.

    zeros : that mergers up to this one add to the columns of L
    entries : of the columns merged
    """

    child: int
    zeros: int
    entries: int

    @property
    def share(self) -> float:
        return self.zeros / self.entries

    @property
    def joins(self) -> bool:
        return self.share <= ZEROS


@dataclass(frozen=True, eq=False)
class System:
    """A x = b, and what is made of it, rows and columns from 0.

    bits : the example of docs/bitfronts.md
    values : (n, n) float, A
    b, x : (n,) float
    factor : on the fronts of `bits`
    fronts : the same with their values
    mergers : of fronts whose parent is the next
    begins : (m,) int, when each front could begin if each took a step and nobody had to wait for a thread
    """

    bits: Example
    values: Array
    b: Array
    x: Array
    factor: FrontFactor
    fronts: tuple[ValuedFront, ...]
    mergers: tuple[Merger, ...]
    begins: tuple[int, ...]

    @property
    def parents(self) -> list[int]:
        """The parent of each front, -1 for the root."""
        return [-1 if front.parent is None else front.parent for front in self.bits.fronts]

    @property
    def order(self) -> list[int]:
        """The fronts in the order in which they could begin."""
        return sorted(range(len(self.begins)), key=lambda front: (self.begins[front], front))


def system(seed: int = SEED) -> System:
    """The example with all of its steps."""
    bits = bitfronts_example.example()
    values, b = _drawn(bits.entries, seed)
    factor, _ = multifrontal_cpu(_fronts(bits, values))
    x = solved(factor, b)
    return System(
        bits,
        values,
        b,
        x,
        factor,
        _valued(bits.fronts, factor, values, b, x),
        _mergers(bits.fronts),
        _begins(bits.fronts),
    )


def _drawn(entries: Array, seed: int) -> tuple[Array, Array]:
    """(A, b) in small integers, rows dominated by their diagonals, so that x is of small integers too."""
    rng = np.random.default_rng(seed)
    n = len(entries)
    values = np.where(entries, rng.choice([-2.0, -1.0, 1.0, 2.0], (n, n)), 0.0)
    np.fill_diagonal(values, 0)
    np.fill_diagonal(values, 2.0 ** np.ceil(np.log2(np.abs(values).sum(axis=1) + 1)))
    return values, values @ rng.integers(1, 6, n)


def _fronts(bits: Example, values: Array) -> Fronts:
    """The noun that implementations take, of the fronts before merging."""
    label = bits.label.astype(np.int32)
    lists = [label[list(front.members[front.pivots :])] for front in bits.fronts]
    above = {part.child: part.places for front in bits.fronts for part in front.contributions}
    pivots = [front.pivots for front in bits.fronts]
    return Fronts(
        _prepared(values),
        label,
        np.concatenate([[0], np.cumsum(pivots)]).astype(np.int32),
        np.array([-1 if front.parent is None else front.parent for front in bits.fronts], np.int32),
        np.concatenate([[0], np.cumsum([len(labels) for labels in lists])]).astype(np.int64),
        np.concatenate(lists),
        np.concatenate([above.get(k, []) for k in range(len(lists))]).astype(np.int32),
    )


def _prepared(values: Array) -> Prepared:
    """The matrix in the order that it has."""
    rows, columns = np.nonzero(values)
    indptr = np.searchsorted(rows, np.arange(len(values) + 1)).astype(np.int64)
    pattern = Pattern(indptr, columns.astype(np.int32))
    order, scale = np.arange(len(values), dtype=np.int32), np.ones(len(values))
    provenance = Provenance("example", "drawn", "", "none", "natural", SEED, {})
    kept = values[rows, columns]
    digest = content_hash(pattern.indptr, pattern.indices, kept)
    return Prepared(pattern, kept, order, order, scale, scale, provenance, digest)


def _valued(
    fronts: tuple[Front, ...], factor: FrontFactor, values: Array, b: Array, x: Array
) -> tuple[ValuedFront, ...]:
    """The fronts with their values, children first."""
    valued: list[ValuedFront] = []
    for front, start in zip(fronts, factor.start.tolist(), strict=True):
        members, pivots = list(front.members), front.pivots
        contributions = tuple(_contribution(valued, part.child, part.places) for part in front.contributions)
        entries = np.where(front.entries, values[np.ix_(members, members)], 0.0)
        before, given = entries.copy(), np.zeros(len(members))
        given[:pivots] = b[members[:pivots]]
        for part in contributions:
            before[np.ix_(part.places, part.places)] += part.values
            given[part.places] += part.passed
        after = _eliminated(before, pivots, factor.values[start:])
        forward = _forward(after, pivots, given)
        valued.append(
            ValuedFront(
                front.members, pivots, entries, contributions, before, after, given, forward, x[members]
            )
        )
    return tuple(valued)


def _contribution(valued: list[ValuedFront], child: int, places: Array) -> Contribution:
    front = valued[child]
    return Contribution(
        child, places, front.after[front.pivots :, front.pivots :], front.forward[front.pivots :]
    )


def _eliminated(before: Array, pivots: int, kept: Array) -> Array:
    """The values of a front, its pivots eliminated. kept : begins with its L and U, as in `FrontFactor`"""
    size, after = len(before), before.copy()
    columns, rest = np.split(kept[: pivots * (2 * size - pivots)], [pivots * size])
    after[:, :pivots] = columns.reshape(pivots, size).T
    after[:pivots, pivots:] = rest.reshape(size - pivots, pivots).T
    after[pivots:, pivots:] -= after[pivots:, :pivots] @ after[:pivots, pivots:]
    return after


def _forward(after: Array, pivots: int, given: Array) -> Array:
    """y of the pivots, then u of the list."""
    forward = given.copy()
    for k in range(pivots):
        forward[k + 1 :] -= after[k + 1 :, k] * forward[k]
    return forward


def _mergers(fronts: tuple[Front, ...]) -> tuple[Merger, ...]:
    """Of `impl/multifrontal/fronts_cpu.py`: a front is merged with the next if that is its parent and few
    zeros are added."""
    mergers: list[Merger] = []
    zeros = columns = 0
    for number, (front, above) in enumerate(pairwise(fronts)):
        columns += front.pivots
        if front.parent == number + 1:
            zeros += columns * (len(above.members) - (len(front.members) - front.pivots))
            mergers.append(Merger(number, zeros, columns * (columns + len(above.members))))
        if front.parent != number + 1 or not mergers[-1].joins:
            zeros = columns = 0
    return tuple(mergers)


def _begins(fronts: tuple[Front, ...]) -> tuple[int, ...]:
    begins: list[int] = []
    for front in fronts:
        begins.append(max((begins[part.child] + 1 for part in front.contributions), default=0))
    return tuple(begins)
