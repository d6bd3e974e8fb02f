"""What dense columns and a binary search have to do on the same factor, for PPoPP'23's Figure 8.

    python -m tests.dense_or_search [matrix.preparation ...]

Updates are multiply-adds, the same in both. Dense columns walk through all of column k below row j for each
U[j,k]; a search looks at log2(slack + 1) entries an update, slack being how many entries more than L[:,j]
column k has there. Fewer dense columns than a level has columns bind in that level alone.
"""

import sys

import numpy as np

from fetch.prepare import prepare
from fillpath.case import Preparation
from fillpath.nouns import Array, Levels, TwoWay
from impl.levels.glu3_relaxed import glu3_relaxed
from impl.levels.two_way import by_both
from impl.symbolic.fill1_pruned import fill1_pruned

DEFAULT = ("grid2d,500.geometric", "delaunay_n16.metis+diagonal=1000")
# Dense columns in the memory that reproduces the paper's number of blocks.
COLUMNS = 125


def counted(both: TwoWay) -> tuple[Array, Array, Array]:
    """(n,) of each column j: its updates, entries that dense columns walk, entries that a search looks at."""
    columns, filled = both.columns, both.filled.pattern
    length = columns.indptr[1:] - both.lower_start
    row = filled.rows()
    upper = filled.indices > row
    j, k = row[upper], filled.indices[upper]
    below = columns.indptr[k + 1] - both.to_column[upper] - 1
    looked = length[j] * np.log2(below - length[j] + 1)
    totals = (np.bincount(j, weights, columns.n) for weights in (length[j], below, looked))
    updates, walked, searched = totals
    return updates, walked, searched


def share_of_wide(levels: Levels, updates: Array) -> float:
    """Share of the updates in levels of more than COLUMNS columns."""
    wide = np.repeat(np.diff(levels.pointers) > COLUMNS, np.diff(levels.pointers))
    return float(updates[levels.columns[wide]].sum() / updates.sum())


def main(names: list[str]) -> None:
    for name in names or DEFAULT:
        matrix, _, preparation = name.rpartition(".")
        filled, _ = fill1_pruned(prepare(matrix, Preparation.parse(preparation)).pattern)
        both = by_both(filled)
        levels, _ = glu3_relaxed(both)
        updates, walked, searched = counted(both)
        total = updates.sum()
        print(
            f"{name}: {total:.3g} updates; an update, {walked.sum() / total:.2f} entries walked, "
            f"{searched.sum() / total:.2f} looked at; {share_of_wide(levels, updates):.1%} of the updates in "
            f"levels of more than {COLUMNS} columns"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
