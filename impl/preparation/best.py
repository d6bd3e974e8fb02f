"""The ordering `best`, by operations and the height of the tree.

The estimated seconds of a factorisation on an H100 are OPERATION times its operations plus LEVEL times the
height of its elimination tree. See docs/preparation.md for how good that is. The rule reads no clock, so that
a matrix has the same order on every machine.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, eye_array

from fillpath.nouns import Array, Pattern
from impl.preparation.ordering import minimum_degree, order
from impl.preparation.size import Size, size_of

# Seconds per operation, and per vertex on the longest path, of direct_gpu on an H100: fitted to its records.
OPERATION, LEVEL = 1 / 11e12, 1e-6
# Seconds of `dissection` on 16 cores per entry of the graph: 0.15 to 0.35 us.
DISSECTION = 0.25e-6
# The orders that AMD's is compared with, for one solution and for many.
RIVALS = {"one": ("dissection",), "many": ("dissection", "metis")}


def best(graph: csr_array, systems: str, seed: int) -> tuple[str, Array]:
    """Return the name of the ordering taken, and (n,) int32, new position -> old index.

    graph : pattern(A + A^T) without loops, n x n, rows sorted
    systems : "one": AMD's order, unless a factorisation in that order is estimated to take longer than a
        dissection. In that case, and for "many" of one pattern, the order with the least estimate
    """
    amd, bound = minimum_degree(graph)
    dissection = DISSECTION * graph.nnz
    # No path is longer than n. With four neighbours or more per vertex, most matrices need no counting.
    if systems == "one" and OPERATION * bound + LEVEL * len(amd) <= dissection:
        return "amd", amd
    estimates = {"amd": seconds(_size(graph, amd))}
    if systems == "one" and estimates["amd"] <= dissection:
        return "amd", amd
    orders = {"amd": amd} | {name: order(name, graph, seed) for name in RIVALS[systems]}
    estimates |= {name: seconds(_size(graph, orders[name])) for name in RIVALS[systems]}
    chosen = min(estimates, key=lambda name: estimates[name])
    return chosen, orders[chosen]


def seconds(size: Size) -> float:
    """Return the estimate for one factorisation on an H100."""
    return OPERATION * size.operations + LEVEL * size.height


def _size(graph: csr_array, permutation: Array) -> Size:
    whole = csr_array(graph + eye_array(graph.shape[0], dtype=np.int8, format="csr"))
    permuted = whole[permutation][:, permutation]
    permuted.sort_indices()
    return size_of(Pattern(permuted.indptr.astype(np.int64), permuted.indices.astype(np.int32)))
