"""The tree of separators, and each vertex's place in it.

child : (nodes, 2) int32, a node's two parts, -1 while it is not split
weights : (nodes, 3) int64, the sizes of both parts and of the separator; kept up to date
codes : (2 nodes,) int64, by label: the way down from the root, two bits a depth
first : (nodes,) int32, the first vertex of a separator, -1 without; the others follow in a chain of vertices

A vertex's label is 2 k in node k that is not split, 2 k + 1 in the separator of node k. Two bits of a code
are 0 or 1 for a part, 2 for the separator, 3 below the vertex's place. So codes are in the order of
elimination, and no edge joins the parts 0 and 1 of any node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from impl.cpu.compiled import inner, int64

Array = npt.NDArray[Any]

# Nodes deeper than this are not split: a code has no bits for them.
DEEPEST = 28
SEPARATOR, BELOW = 2, 3
# The price of imbalance, as a share of a separator's size; how much a part may exceed half of the weight.
IMBALANCE, BALANCE = 0.35, 1.4


class Tree(NamedTuple):
    """The tree of separators: see the head of this file."""

    child: Array
    weights: Array
    codes: Array
    first: Array


def planted() -> Tree:
    """Return a tree of one node."""
    return _empty(1)._replace(codes=np.array([(1 << 62) - 1, 0]))


def _empty(nodes: int) -> Tree:
    return Tree(
        np.full((nodes, 2), -1, np.int32),
        np.zeros((nodes, 3), np.int64),
        np.zeros(2 * nodes, np.int64),
        np.full(nodes, -1, np.int32),
    )


def grown(tree: Tree, parents: Array, depths: Array) -> Tree:
    """Return the tree with two new nodes, the last ones, below each of the parents, of those depths."""
    old = len(tree.first)
    new = Tree(*(np.concatenate(both) for both in zip(tree, _empty(2 * len(parents)), strict=True)))
    children = old + np.arange(2 * len(parents)).reshape(-1, 2)
    new.child[parents] = children
    part, bit = new.codes[2 * parents], 1 << (60 - 2 * depths)
    new.codes[2 * parents + 1] = part ^ bit
    for half in range(2):
        new.codes[2 * children[:, half]] = part ^ (BELOW ^ half) * bit
    return new


@inner
def shift_of(depth: int) -> int:
    """Return the place of a depth's two bits in a code."""
    return 60 - 2 * depth


@inner
def side(tree: Tree, label: Array, v: int, shift: int) -> int:
    """Return where a vertex is: in part 0 or 1, SEPARATOR, or BELOW for a separator further up.

    shift : int, of a node that has the vertex or a neighbour of it
    """
    return int64((tree.codes[label[v]] >> shift) & 3)


@inner
def cost(weights: Array) -> float:
    """Return the price of a separator: its size, more for uneven parts, far more for one too large."""
    total = weights[0] + weights[1] + weights[2]
    excess = max(weights[0], weights[1]) - BALANCE * total / 2
    price: float = weights[2] * (1 + IMBALANCE * abs(weights[0] - weights[1]) / (total + 1))
    return price + (excess + weights[2] * 0.5 if excess > 0 else 0.0)


@inner
def relabel(tree: Tree, label: Array, v: int, size: int, node: int, shift: int, new: int) -> None:
    """Change the label of a vertex of the node or below to another label there; update the weights."""
    _weigh(tree, tree.codes[label[v]], node, shift, -size)
    label[v] = new
    _weigh(tree, tree.codes[new], node, shift, size)


@inner
def _weigh(tree: Tree, code: int, node: int, shift: int, size: int) -> None:
    while tree.child[node, 0] >= 0:
        place = (code >> shift) & 3
        tree.weights[node, place] += size
        if place == SEPARATOR:
            return
        node = tree.child[node, place]
        shift -= 2


@inner
def label_in(tree: Tree, node: int, place: int) -> int:
    """Return the label of a vertex that moves to a node's separator or to one of its parts.

    In a split part the vertex joins the part's separator, since it may touch both sides.
    """
    if place == SEPARATOR:
        return 2 * node + 1
    part = tree.child[node, place]
    return int64(2 * part + (tree.child[part, 0] >= 0))


@inner
def added(items: Array, count: int, item: int) -> Array:
    """Return the items with one more at `count`, in a longer array if necessary."""
    if count == len(items):
        longer = np.empty(2 * count, items.dtype)
        longer[:count] = items
        items = longer
    items[count] = item
    return items
