"""One elimination step of randomised approximate Cholesky, in the order that every implementation keeps.

Gao, Kyng and Spielman's algorithm (2023), as in ParAC's Algorithms 1 and 2. Vertex k is eliminated; a random
tree on its neighbours replaces the clique of exact elimination. Where weights are tied, rounding decides the
tree. So the order of every sort and sum is fixed here. A seed therefore fixes the factor to the last bit:

1. The edges (i, w) of k to later vertices are sorted by i, then w.
2. Edges to the same i are merged, their weights added from left to right, which leaves m neighbours.
3. The neighbours are arranged by (w, i), the largest first: id[q], w[q] for q = 0, ..., m - 1.
4. `c` is the inclusive scan of w: Kogge and Stone's in each chunk of 32. Then the last sum of the previous
   chunk is added to each element of the chunk.
5. `l = c[m - 1]` is D[k], and -(w[q] / l) is G's entry at row id[q].
6. For q = 1, ..., m - 1 the edge (id[q], id[s]) of weight (c[q - 1] / l) * w[q] is new. Here s is the first
   of 0, ..., q - 1 whose c exceeds u(seed, k, q) * c[q - 1].

An edge is two parallel words: tag = id << 32 | multiplicity, uint64, and its weight, float64. Nothing here is
compiled with fast-math, and no multiplication is fused with an addition.

    tags, weights = np.array([7, 5, 7], np.uint64) << HIGH | ONE, np.array([1.0, 2.0, 4.0])
    ids, sums = np.empty(3, np.uint64), np.empty(3)
    merge(tags, weights, np.uint64(3), ids, sums)    # 2: steps 1 and 2 have merged the edges to 7
    ids[:2] >> HIGH, sums[:2]                        # [5, 7], [2, 5]
"""

from __future__ import annotations

import numpy as np
from numba import njit

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
HIGH = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
CHUNK = np.uint64(32)
# Number of edges up to which insertion sort is faster.
SHORT = np.uint64(24)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_STEP = np.uint64(0xD1B54A32D192ED03)


@njit(inline="always")
def _mixed(z):
    """Mix bits by SplitMix64's finaliser (Steele, Lea and Flood)."""
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(inline="always")
def stream(seed, k):
    """Return the random stream of vertex k: what `partner` draws from."""
    return _mixed(seed + _GOLDEN * (k + ONE))


@njit(inline="always")
def partner(state, q, sums):
    """Return s of step 6 for the neighbour at position q > 0."""
    drawn = np.float64(_mixed(state + _STEP * q) >> np.uint64(11)) * 2.0**-53
    bound = drawn * sums[q - ONE]
    low, high = ZERO, q - ONE
    while low < high:
        middle = (low + high) >> ONE
        if sums[middle] > bound:
            high = middle
        else:
            low = middle + ONE
    return low


@njit
def merge(tags, weights, count, out_tags, out_weights):
    """Sort `count` edges of multiplicity 1 by (id, weight), merge equal ids and return m: steps 1 and 2.

    The neighbours ascend in out_tags and out_weights. `tags` and `weights`, of equal length, are overwritten.
    """
    if count <= SHORT:
        _rank_by_tag(tags, weights, count, out_tags, out_weights)
        # Only edges to the same neighbour may still be out of order.
        _insertion_by_tag(out_tags, out_weights, ZERO, count)
    else:
        _merge_sort(tags, weights, count, out_tags, out_weights, False)
    last = ZERO
    for p in range(ONE, count):
        if out_tags[p] >> HIGH == out_tags[last] >> HIGH:
            out_tags[last] += ONE
            out_weights[last] += out_weights[p]
        else:
            last += ONE
            out_tags[last] = out_tags[p]
            out_weights[last] = out_weights[p]
    return min(count, last + ONE)


@njit
def arrange(tags, weights, m, out_tags, out_weights, sums):
    """Sort m neighbours by (weight, id), the largest first, and scan their weights: steps 3 and 4.

    The neighbours ascend in `tags` and `weights`, of equal length, which are overwritten. The results are in
    out_tags, out_weights and `sums`.
    """
    if m <= SHORT:
        _rank_by_weight(tags, weights, m, out_tags, out_weights)
    else:
        _merge_sort(tags, weights, m, out_tags, out_weights, True)
    scan(out_weights, m, sums)


@njit
def scan(weights, m, sums):
    """Write the scan of weights[:m] to sums[:m]: step 4."""
    for start in range(ZERO, m, CHUNK):
        stop = min(start + CHUNK, m)
        for p in range(start, stop):
            sums[p] = weights[p]
        distance = ONE
        while start + distance < stop:
            p = stop
            while p > start + distance:  # Downwards, so that the summand is still the previous step's.
                p -= ONE
                sums[p] = sums[p - distance] + sums[p]
            distance <<= ONE
        if start > ZERO:
            for p in range(start, stop):
                sums[p] = sums[start - ONE] + sums[p]


@njit
def _rank_by_tag(tags, weights, count, out_tags, out_weights):
    """Place each edge by the number of edges with a smaller tag, or with an equal tag to its left.

    No branch depends on the tags, since a processor could not predict such a branch.
    """
    for p in range(count):
        place = ZERO
        for q in range(p):
            place += np.uint64(tags[q] <= tags[p])
        for q in range(p + ONE, count):
            place += np.uint64(tags[q] < tags[p])
        out_tags[place], out_weights[place] = tags[p], weights[p]


@njit
def _rank_by_weight(tags, weights, m, out_tags, out_weights):
    """Place ascending neighbours likewise, the heaviest first; among equal weights, from right to left."""
    for p in range(m):
        place = ZERO
        for q in range(p):
            place += np.uint64(weights[q] > weights[p])
        for q in range(p + ONE, m):
            place += np.uint64(weights[q] >= weights[p])
        out_tags[place], out_weights[place] = tags[p], weights[p]


@njit
def _insertion_by_tag(tags, weights, first, stop):
    for p in range(first + ONE, stop):
        tag, weight = tags[p], weights[p]
        at = p
        while at > first and (tags[at - ONE] > tag or (tags[at - ONE] == tag and weights[at - ONE] > weight)):
            tags[at], weights[at] = tags[at - ONE], weights[at - ONE]
            at -= ONE
        tags[at], weights[at] = tag, weight


@njit
def _insertion_by_weight(tags, weights, first, stop):
    for p in range(first + ONE, stop):
        tag, weight = tags[p], weights[p]
        at = p
        while at > first and (
            weights[at - ONE] < weight or (weights[at - ONE] == weight and tags[at - ONE] < tag)
        ):
            tags[at], weights[at] = tags[at - ONE], weights[at - ONE]
            at -= ONE
        tags[at], weights[at] = tag, weight


@njit(inline="always")
def _before(tags, weights, p, q, by_weight):
    if by_weight:
        return weights[p] > weights[q] or (weights[p] == weights[q] and tags[p] > tags[q])
    return tags[p] < tags[q] or (tags[p] == tags[q] and weights[p] < weights[q])


@njit
def _merge_sort(tags, weights, count, out_tags, out_weights, by_weight):
    """Sort runs of SHORT, then merge them in pairs until one is left, in out_tags and out_weights."""
    for first in range(ZERO, count, SHORT):
        if by_weight:
            _insertion_by_weight(tags, weights, first, min(count, first + SHORT))
        else:
            _insertion_by_tag(tags, weights, first, min(count, first + SHORT))
    width = SHORT
    while width < count:
        _merge_runs(tags, weights, count, width, out_tags, out_weights, by_weight)
        width *= TWO
        if width < count:
            _merge_runs(out_tags, out_weights, count, width, tags, weights, by_weight)
            width *= TWO
            if width >= count:
                for p in range(count):
                    out_tags[p], out_weights[p] = tags[p], weights[p]


@njit
def _merge_runs(tags, weights, count, width, out_tags, out_weights, by_weight):
    """Merge each pair of neighbouring runs of `width` edges."""
    for first in range(ZERO, count, TWO * width):
        middle, stop = min(count, first + width), min(count, first + TWO * width)
        left, right = first, middle
        for p in range(first, stop):
            if right == stop or (left < middle and not _before(tags, weights, right, left, by_weight)):
                at = left
                left += ONE
            else:
                at = right
                right += ONE
            out_tags[p], out_weights[p] = tags[at], weights[at]
