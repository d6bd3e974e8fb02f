"""The rules of dependencies and levels, read aloud: what tests hold implementations and figures against."""

import itertools

import numpy as np

from fillpath.nouns import Array


def depends(dense: Array, rule: str) -> Array:
    """(n, n) bool: whether column k depends on i, [k, i], each rule read aloud on F."""
    n = len(dense)
    updates = np.tril(dense, -1).any(axis=0)
    found = np.zeros((n, n), bool)
    for i, k in itertools.combinations(range(n), 2):
        found[k, i] = dense[i, k] and updates[i]
        if rule == "relaxed":
            found[k, i] |= dense[k, i]
        elif rule == "exact" and dense[k, i]:
            # Entries in the rows i, k and some j > k of a column past k.
            below = np.flatnonzero(dense[k + 1 :, k]) + k + 1
            found[k, i] |= any((dense[i, k + 1 :] & dense[j, k + 1 :]).any() for j in below)
    return found


def longest_paths(found: Array) -> Array:
    """1 + the largest level of what a column depends on."""
    level = np.zeros(len(found), int)
    for k in range(len(found)):
        level[k] = 1 + level[found[k]].max() if found[k].any() else 0
    return level
