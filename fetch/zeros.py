"""Explicit zeros of a matrix that represents a graph: they are no edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fillpath.nouns import Pattern, Prepared


def without_lone_zeros(prepared: Prepared) -> Prepared:
    """Leave out zeros off the diagonal whose mirror is no entry. Returns the matrix itself if it has none.

    The stored artefact and its hash keep them. Other zeros stay, and have to have a mirror of 0.
    """
    pattern, n = prepared.pattern, prepared.pattern.n
    zeros = np.flatnonzero(prepared.values == 0)
    rows = np.searchsorted(pattern.indptr, zeros, side="right") - 1
    columns = pattern.indices[zeros].astype(np.int64)
    off = rows != columns
    if not off.any():
        return prepared
    places, mirrors = pattern.rows() * n + pattern.indices, (columns * n + rows)[off]
    found = np.minimum(np.searchsorted(places, mirrors), len(places) - 1)
    kept = np.ones(len(places), bool)
    kept[zeros[off][places[found] != mirrors]] = False
    indptr = np.concatenate([[0], np.cumsum(kept)])[pattern.indptr]
    values = prepared.values[kept]
    return replace(prepared, pattern=Pattern(indptr, pattern.indices[kept]), values=values)
