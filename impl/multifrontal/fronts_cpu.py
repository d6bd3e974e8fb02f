"""The fronts of a matrix, on the host: the fronts of impl/symbolic, merged where that adds few zeros.

J. W. H. Liu, The multifrontal method for sparse matrix solution: theory and practice, SIAM Review 34 (1992);
C. Ashcraft and R. Grimes, The influence of relaxed supernode partitions on the multifrontal method, ACM
Trans. Math. Softw. 15 (1989).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Fronts, Prepared
from impl.symbolic.elimination_tree import elimination_tree
from impl.symbolic.factor_counts_cpu import factor_counts
from impl.symbolic.fronts_cpu import fronts_of

# A front of fewer than CHAIN columns is always merged with the next. A larger front is merged while the zeros
# added so far are at most the share ZEROS of the merged columns. As in merge.cu.
CHAIN, ZEROS = 16, 0.2


def fronts_of_matrix(prepared: Prepared) -> Fronts:
    """Return the fronts of A | A^T that a matrix is factorised on.

    Subtrees of at most 32 columns, and columns with the same rows below, are one front already
    (impl/symbolic/fronts_cpu.py). A front is merged with the next, if that is its parent, by the rule of
    merge.cu. On the device the last child may be another front.
    """
    tree = elimination_tree(prepared.pattern)
    unmerged = fronts_of(tree, factor_counts(tree), chain=0)
    last = merged(unmerged.first.astype(np.int64), unmerged.parent.view(np.int32), unmerged.start, CHAIN)
    first = np.zeros(len(last) + 1, np.int64)
    first[1:] = unmerged.first[last + 1]
    label = tree.label.astype(np.int32)
    list_start, labels = _lists(unmerged.first, unmerged.start, unmerged.members, last, label)
    up = _parents(first, list_start, labels)
    place = _places(first, up, list_start, labels)
    return Fronts(prepared, label, first.astype(np.int32), up, list_start, labels, place)


@njit(cache=True, nogil=True)
def merged(first, parent, start, chain):
    """Return (m,) int64: the last of the merged fronts, for each front."""
    count = len(parent)
    last = np.empty(count, np.int64)
    m = 0
    front = 0
    while front < count:
        columns = first[front + 1] - first[front]
        length = np.int64(start[front + 1] - start[front]) - columns
        zeros = 0.0
        while parent[front] == front + 1:
            more = first[front + 2] - first[front + 1]
            longer = np.int64(start[front + 2] - start[front + 1]) - more
            zeros += float(columns) * float(more + longer - length)
            if columns >= chain and zeros > ZEROS * float(columns) * float(columns + more + longer):
                break
            front += 1
            columns += more
            length = longer
        last[m] = front
        m += 1
        front += 1
    return last[:m].copy()


@njit(cache=True, nogil=True)
def _lists(first, start, members, last, label):
    """Return (list_start, list): each merged front's members, by labels, beyond its last part's pivots."""
    list_start = np.zeros(len(last) + 1, np.int64)
    for front in range(len(last)):
        part = last[front]
        pivots = np.int64(first[part + 1]) - np.int64(first[part])
        list_start[front + 1] = list_start[front] + np.int64(start[part + 1] - start[part]) - pivots
    labels = np.empty(list_start[-1], np.int32)
    for front in range(len(last)):
        end = np.int64(start[last[front] + 1])
        length = list_start[front + 1] - list_start[front]
        for k in range(length):
            labels[list_start[front] + k] = label[members[end - length + k]]
    return list_start, labels


@njit(cache=True, nogil=True)
def _parents(first, list_start, labels):
    """Return (m,) int32: the front whose pivots include the first label of the list."""
    up = np.full(len(list_start) - 1, -1, np.int32)
    for front in range(len(up)):
        if list_start[front] < list_start[front + 1]:
            up[front] = np.searchsorted(first, labels[list_start[front]], side="right") - 1
    return up


@njit(cache=True, nogil=True)
def _places(first, up, list_start, labels):
    """Return (len(labels),) int32: the row of each in the parent, all of whose rows ascend."""
    place = np.empty(len(labels), np.int32)
    for front in range(len(up)):
        if up[front] < 0:
            continue
        begin, behind = first[up[front]], first[up[front] + 1]
        above = labels[list_start[up[front]] : list_start[up[front] + 1]]
        for p in range(list_start[front], list_start[front + 1]):
            if labels[p] < behind:
                place[p] = labels[p] - begin
            else:
                place[p] = behind - begin + np.searchsorted(above, labels[p])
    return place
