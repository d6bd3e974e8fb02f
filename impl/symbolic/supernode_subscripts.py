"""Row counts of L and U from the parts of them that supernodal codes keep.

A supernode of L is a run of columns with one set of subscripts, its first column's. The subscripts of a later
column are the same, from its diagonal on. A supernode of U is a run of rows likewise.

    first, last, begin, end = np.array([[0, 2], [2, 3], [0, 3], [3, 4]])
    lower = Subscripts(first, last, begin, end, np.array([0, 1, 2, 2]))
    lower.by_subscript(3), lower.by_vertex(3)    # [0, 1, 2], [2, 1, 0]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from fillpath.nouns import Array


@dataclass(frozen=True, eq=False)
class Subscripts:
    """A factor by supernodes: L by columns or U by rows.

    first, last : (k,) integers, the vertices of each supernode, the last one excluded
    begin, end : (k,) integers, where its subscripts lie in `indices`
    indices : integers, the subscripts of each supernode's first vertex, in any order. Between two of
        the supernode's own vertices there may be a zero: then a subscript is missing
    """

    first: Array
    last: Array
    begin: Array
    end: Array
    indices: Array

    def by_subscript(self, n: int) -> Array:
        """Return (n,) int64: entries off the diagonal in each row of L, or in each column of U."""
        counts: Array = _by_subscript(n, *self._arrays())
        return counts

    def by_vertex(self, n: int) -> Array:
        """Return (n,) int64: entries off the diagonal in each column of L, or in each row of U."""
        counts: Array = _by_vertex(n, *self._arrays())
        return counts

    def _arrays(self) -> tuple[Array, ...]:
        return self.first, self.last, self.begin, self.end, self.indices


@dataclass(frozen=True, eq=False)
class Segments:
    """U by columns: each has a run of rows in a supernode of L, from a top to the supernode's last row.

    All rows of a supernode of L below an entry of U fill, as its columns share their subscripts. The
    supernode that a column is in has no top.

    starts : (n + 1,) integers, where the tops of each column lie
    tops : integers, the first row of each run
    """

    starts: Array
    tops: Array

    def by_row(self, lower: Subscripts, begin: Array, end: Array, rows: Array) -> Array:
        """Return (n,) int64: entries in each row of U, with the diagonal.

        lower : L, whose supernodes are all there are
        begin, end : (n,) integers, where each column of A lies in `rows`
        rows : integers, of A's entries
        """
        widths = lower.last - lower.first
        number = np.repeat(np.arange(len(widths), dtype=np.int32), widths)
        blocks = _blocks(number, lower.begin, lower.end, lower.indices)
        kept = self.starts, self.tops
        counts: Array = _by_row(lower.first, lower.last, number, blocks, *kept, begin, end, rows)
        return counts


@njit(cache=True, nogil=True)
def _by_subscript(n, first, last, begin, end, indices):
    counts = np.zeros(n, np.int64)
    for supernode in range(len(first)):
        width = last[supernode] - first[supernode]
        for place in range(begin[supernode], end[supernode]):
            index = indices[place]
            counts[index] += min(index - first[supernode], width)
    return counts


@njit(cache=True, nogil=True)
def _by_vertex(n, first, last, begin, end, indices):
    counts = np.zeros(n, np.int64)
    for supernode in range(len(first)):
        # Each subscript counts for the supernode's vertices before it: here at the last of them.
        for place in range(begin[supernode], end[supernode]):
            if indices[place] > first[supernode]:
                counts[min(indices[place], last[supernode]) - 1] += 1
        for vertex in range(last[supernode] - 2, first[supernode] - 1, -1):
            counts[vertex] += counts[vertex + 1]
    return counts


@njit(cache=True, nogil=True)
def _blocks(number, begin, end, indices):
    """Return (head, following, sources, lowest): a list per supernode of the others with rows of L in it.

    A list begins at its head, and has the lowest of those rows for each of the others.
    """
    supernodes = len(begin)
    head = np.full(supernodes, -1, np.int32)
    seen = np.full(supernodes, -1, np.int32)
    following = np.empty(len(indices), np.int32)
    sources = np.empty(len(indices), np.int32)
    lowest = np.empty(len(indices), np.int32)
    count = 0
    for source in range(supernodes):
        seen[source] = source
        for place in range(begin[source], end[source]):
            row = indices[place]
            target = number[row]
            if seen[target] != source:
                seen[target] = source
                sources[count], lowest[count], following[count] = source, row, head[target]
                head[target] = count
                count += 1
            elif target != source:
                lowest[head[target]] = min(lowest[head[target]], row)
    return head, following, sources, lowest


@njit(cache=True, nogil=True)
def _by_row(first, last, number, blocks, starts, tops, begin, end, rows):
    head, following, sources, lowest = blocks
    n = len(number)
    change = np.zeros(n + 1, np.int64)
    seen = np.full(len(first), -1, np.int32)
    low = np.empty(len(first), np.int32)
    for supernode in range(len(first)):
        block = head[supernode]
        while block >= 0:
            seen[sources[block]] = supernode
            low[sources[block]] = lowest[block]
            block = following[block]
        for column in range(first[supernode], last[supernode]):
            # The run in its own supernode begins where A, or rows of L below another run, reach it first.
            own = column
            for place in range(begin[column], end[column]):
                if first[supernode] <= rows[place] < own:
                    own = rows[place]
            for place in range(starts[column], starts[column + 1]):
                above = number[tops[place]]
                change[tops[place]] += 1
                change[last[above]] -= 1
                if seen[above] == supernode:
                    own = min(own, low[above])
            change[own] += 1
            change[column + 1] -= 1
    return np.cumsum(change)[:n]
