"""The arrays of `bitfronts_gpu` on the device: one allocation for each part, and how kernels are given them.

A part is a struct of impl/cuda/bitfronts.cuh, whose fields are words of eight bytes: addresses and numbers.
The arrays of a part lie one after another in its arena; arrays that are zero at the launch come first. A
layout is a few operations on short vectors: it is made anew for each matrix, in the time that is measured.

    arena = Arena(TREE, TREE.starts(tree_lengths(n, nnz, blocks)))
    arena.array("parent", n)          # (n,), on the device
    struct = arena.struct({"n": n})   # by value, as kernels take it
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fillpath.nouns import Array
from fillpath.registry import HEADERS

# Bytes to which arrays are aligned: a line of the L2 cache, twice.
ALIGNMENT = 256
INT, LONG = np.dtype(np.int32), np.dtype(np.int64)


@dataclass(frozen=True, eq=False)
class Part:
    """The arrays of a struct of the kernels' header.

    zero, arrays : names and dtypes by the name of their length; the first are 0 before the first launch
    """

    struct: str
    zero: Mapping[str, Mapping[str, np.dtype[Any]]]
    arrays: Mapping[str, Mapping[str, np.dtype[Any]]]

    @functools.cached_property
    def fields(self) -> list[tuple[str, str, np.dtype[Any]]]:
        """Return (name, name of its length, dtype) of each array, in the order in which they lie."""
        groups = [*self.zero.items(), *self.arrays.items()]
        return [(name, length, dtype) for length, group in groups for name, dtype in group.items()]

    @functools.cached_property
    def itemsizes(self) -> Array:
        return np.array([dtype.itemsize for _, _, dtype in self.fields])

    @functools.cached_property
    def positions(self) -> Array:
        places = _places(self.struct)
        return np.array([places[name] for name, _, _ in self.fields])

    @functools.cached_property
    def zeros(self) -> int:
        return sum(len(group) for group in self.zero.values())

    def starts(self, lengths: Mapping[str, int]) -> Array:
        """Return (arrays + 1,) int64, the byte at which each begins, and their end."""
        entries = np.array([lengths[length] for _, length, _ in self.fields], np.int64)
        padded = -(-self.itemsizes * entries // ALIGNMENT) * ALIGNMENT
        return np.concatenate([[0], np.cumsum(padded)])


def of(dtype: np.dtype[Any], *names: str) -> dict[str, np.dtype[Any]]:
    return dict.fromkeys(names, dtype)


# Lengths: n, nnz; rows: n + 1; tables: n for each; blocks: three for each of the grid.
TREE = Part(
    "Tree",
    {"state": of(INT, "state"), "totals": of(LONG, "totals")},
    {
        "blocks": of(LONG, "partial"),
        "n": {
            **of(
                INT, "parent", "skip", "size", "level", "start", "label", "last_child", "taken", "path_count"
            ),
            **of(INT, "old", "label_parent", "label_size", "label_level", "label_count", "front_of"),
            **of(INT, "front_size", "up", "team", "long_lists", "union_length", "long_rows"),
            **of(LONG, "diagonal"),
        },
        "2n": of(INT, "depth", "offset"),
        "3n": of(INT, "carry"),
        "tables": of(INT, "ancestor"),
        "nnz": of(INT, "row", "entry_label", "branch", "union_slot", "union_row", "union_label"),
        "rows": {
            **of(LONG, "union_start", "weight", "begins", "list_start", "bits_start", "panel_start"),
            **of(INT, "first"),
        },
    },
)
# Lengths: n; fronts; sums: fronts + 1; entries: of all lists; words: four for each task; panels; rows: n + 1.
# Where the columns are not wanted, rows is 0. The same holds for holders (entries) and straights (panels).
FRONTS = Part(
    "Fronts",
    {
        "fronts": of(INT, "length", "pending", "awaited", "height", "arrived", "passed"),
        "sums": of(LONG, "teams", "smalls"),
        "pair": of(INT, "next"),
        "n": of(INT, "pivot_lower"),
        "entries": of(INT, "member_lower"),
        "rows": of(INT, "holder_length"),
        "panels": of(INT, "lacking"),
    },
    {
        "n": of(INT, "pivot_upper"),
        "entries": of(INT, "members", "list", "place"),
        "fronts": of(INT, "slot", "small_fronts"),
        "sums": of(LONG, "task_start"),
        "words": of(INT, "tasks"),
        "rows": of(LONG, "holder_start"),
        "holders": of(INT, "holder", "holder_row", "member_holder", "list_vertex"),
        "straights": of(INT, "straight"),
    },
)


def tree_lengths(n: int, nnz: int, blocks: int) -> dict[str, int]:
    """Return the lengths of TREE for a pattern of n rows, on a grid of `blocks` blocks."""
    multiples = {"n": n, "2n": 2 * n, "3n": 3 * n, "rows": n + 1, "tables": n * tables(n)}
    return {"state": 64, "totals": 8, "blocks": 3 * blocks, "nnz": nnz, **multiples}


def front_lengths(
    n: int, fronts: int, entries: int, tasks: int, panels: int, columns: bool
) -> dict[str, int]:
    """Return the lengths of FRONTS for a pattern of n rows.

    entries : int, of all lists
    tasks : int, the most there may be
    panels : int, of all fronts
    columns : bool, whether the rows are wanted, not only their counts
    """
    rows = {"rows": n + 1, "holders": entries, "straights": panels}
    rows = rows if columns else dict.fromkeys(rows, 0)
    lists = {"entries": entries, "words": 4 * tasks, "panels": panels, "pair": 2}
    return {"n": n, "fronts": fronts, "sums": fronts + 1, **lists, **rows}


def tables(n: int) -> int:
    """Count the jump tables of a tree of n vertices: one per power of two below its height, one empty."""
    return max(n - 1, 0).bit_length() + 1


class Arena:
    """One allocation on the device, and the arrays of a part in it."""

    def __init__(self, part: Part, starts: Array) -> None:
        """Allocate the arrays of a part. starts : as the part's `starts` gives them."""
        import cupy

        self.part, self._starts = part, starts
        self.memory = cupy.empty(int(starts[-1]), np.uint8)
        self.memory.data.memset_async(0, int(starts[part.zeros]))

    @property
    def nbytes(self) -> int:
        return int(self._starts[-1])

    def array(self, name: str, entries: int) -> Array:
        """Return the first entries of an array."""
        number = next(k for k, (field, _, _) in enumerate(self.part.fields) if field == name)
        start, dtype = int(self._starts[number]), self.part.fields[number][2]
        view: Array = self.memory[start : start + dtype.itemsize * entries].view(dtype)
        return view

    def struct(self, values: Mapping[str, int]) -> Array:
        """Return the struct as kernels take it, by value; fields without array or value are 0.

        values : of other fields, by name, and of arrays that lie elsewhere
        """
        places = _places(self.part.struct)
        fields: Array = np.zeros(len(places), np.uint64)
        fields[self.part.positions] = address(self.memory) + self._starts[:-1]
        for name, value in values.items():
            fields[places[name]] = value
        # Plain bytes: CuPy describes each field of a structured dtype at each launch.
        return fields.view(np.dtype((np.void, fields.nbytes)))


def address(array: Any) -> int:
    """Return where an array on the device lies."""
    return int(array.data.ptr)


@functools.cache
def struct_fields(name: str) -> tuple[str, ...]:
    """Return the fields of a struct, in the order in which the kernels' header declares them."""
    text = re.sub(r"//.*", "", (HEADERS / "bitfronts.cuh").read_text())
    body = text.split(f"struct {name} {{")[1].split("};")[0]
    return tuple(re.findall(r"\w+", re.sub(r"\b(const|i64|int4|int|u32)\b", "", body)))


@functools.cache
def _places(name: str) -> dict[str, int]:
    return {field: place for place, field in enumerate(struct_fields(name))}
