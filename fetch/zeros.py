"""Explicit zeros of a matrix that represents a graph: they are no edges."""

from dataclasses import replace

import numpy as np

from fillpath.nouns import Pattern, Prepared


def without_lone_zeros(prepared: Prepared) -> Prepared:
    """Leave out zeros off the diagonal whose mirror is no entry. Returns the matrix itself if it has none.

    The stored artefact and its hash keep them. Other zeros stay, and have to have a mirror of 0.
    """
    pattern, n = prepared.pattern, prepared.pattern.n
    rows, columns = pattern.rows(), pattern.indices
    zeros = np.flatnonzero((prepared.values == 0) & (rows != columns))
    if not len(zeros):
        return prepared
    mirrors = columns[zeros].astype(np.int64) * n + rows[zeros]
    kept = np.ones(len(columns), bool)
    kept[zeros] = np.isin(mirrors, rows * n + columns)
    indptr = np.concatenate([[0], np.cumsum(kept)])[pattern.indptr]
    values = prepared.values[kept]
    return replace(prepared, pattern=Pattern(indptr, pattern.indices[kept]), values=values)
