"""Boolean multifrontal elimination of fronts of bits, for any pattern.

Its cost is the elimination of the fronts of A | A^T in words of 64 entries, less what the early stop spares.
This is near the cost of the result only where A is nearly symmetric.

The fronts are of A | A^T: eliminating a pivot of A touches no row and no column outside of its front. Each
front is assembled from A's entries and its children's contributions. It is eliminated word by word until the
rest of it is full. No code is shared with fill1_pruned, so that either checks the other.

I. S. Duff, J. K. Reid, The multifrontal solution of unsymmetric sets of linear equations, SIAM J. Sci. Stat.
Comput. 5 (1984).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import get_num_threads

from fillpath.nouns import Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.symbolic.elimination_tree import elimination_tree
from impl.symbolic.factor_counts_cpu import factor_counts
from impl.symbolic.front_elimination_cpu import eliminated
from impl.symbolic.front_rows_cpu import rows_of
from impl.symbolic.fronts_cpu import fronts_of, segments_of


@implementation(stage="symbolic", paper="")
def bitfronts_cpu(
    pattern: Pattern, *, output: Literal["pattern", "counts"] = "pattern"
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by Boolean elimination of fronts of bits, subtrees by thread.

    pattern : n x n, sorted, diagonal present
    output : "pattern", or "counts", which keeps no front's bits beyond its parent

    Returns the filled pattern (n x n, rows sorted) or its row counts, and the work: edges are the entries of
    A, each assembled once. Facts: fronts, largest_front (members of the largest), word_operations (words
    joined in eliminating, of 64 bits).
    """
    with phase("analyse"):
        tree = elimination_tree(pattern)
        fronts = fronts_of(tree, factor_counts(tree))
    with phase("eliminate"):
        factor = eliminated(tree, fronts, get_num_threads(), output == "pattern")
    counts = Counts(factor.lower, factor.upper)
    facts = {
        "fronts": len(fronts.parent),
        "largest_front": int(fronts.sizes.max(initial=0)),
        "word_operations": factor.word_operations,
    }
    work = Work(edges=pattern.nnz - pattern.n, fills=counts.nnz - pattern.nnz, facts=facts)
    if output == "counts":
        return counts, work
    with phase("rows"):
        indptr = np.concatenate([[0], np.cumsum(counts.lower + counts.upper)]).astype(np.int64)
        indices = rows_of(fronts, segments_of(tree, fronts), tree, factor, indptr, get_num_threads())
    return Filled(Pattern(indptr, indices), indptr[:-1] + counts.lower), work
