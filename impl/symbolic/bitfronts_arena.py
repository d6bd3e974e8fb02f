"""The arrays of `bitfronts_gpu` on the device: one allocation for each part, and how kernels are given them.

A part is a struct of impl/cuda/bitfronts.cuh whose fields are words of eight bytes, addresses and numbers, in
that order. The fields of a part that are arrays lie one after another in its arena; those to be zero at the
launch come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fillpath.nouns import Array

# Bytes to which arrays are aligned: a line of the L2 cache, twice.
ALIGNMENT = 256
INT = np.dtype(np.int32)
LONG = np.dtype(np.int64)
TASK = np.dtype((np.int32, 4))

TREE = tuple(
    "indptr indices lower upper n nnz path columns leaf chain small share most state totals partial parent skip size"
    " level start label last_child taken path_count carry depth offset ancestor diagonal row entry_label branch"
    " union_slot union_row union_label union_length union_start long_rows old label_parent label_size label_level"
    " label_count front_of weight begins first front_size up team long_lists list_start bits_start panel_start".split()
)
FRONTS = tuple(
    "count members list place length pending awaited height slot teams smalls task_start tasks small_fronts bits_at"
    " birth bits arrived passed common next holder_start holder_length holder holder_row".split()
)
# Words of `state` and of `totals`.
STATE, TOTALS = 64, 8


@dataclass(frozen=True)
class Field:
    """An array of a part. zero : whether it is 0 before the first launch."""

    name: str
    dtype: np.dtype[Any]
    entries: int
    zero: bool = False

    @property
    def nbytes(self) -> int:
        return -(-self.dtype.itemsize * self.entries // ALIGNMENT) * ALIGNMENT


def tables(n: int) -> int:
    """Jump tables of a tree of n vertices: one for each power of two below its height, and an empty one."""
    return max(n - 1, 0).bit_length() + 1


def tree_fields(n: int, nnz: int, blocks: int) -> list[Field]:
    """The arrays of `Tree` for a pattern of n rows and nnz entries, on a grid of so many blocks."""
    by_vertex = "parent skip size level start label last_child taken path_count union_length long_rows"
    by_label = "old label_parent label_size label_level label_count front_of"
    by_front = "front_size up team long_lists"
    by_entry = "row entry_label branch union_slot union_row union_label"
    return [
        Field("state", INT, STATE, zero=True),
        Field("totals", LONG, TOTALS, zero=True),
        Field("partial", LONG, 3 * blocks),
        *(Field(name, INT, n) for name in f"{by_vertex} {by_label} {by_front}".split()),
        *(Field(name, INT, nnz) for name in by_entry.split()),
        *(Field(name, INT, copies * n) for name, copies in (("carry", 3), ("depth", 2), ("offset", 2))),
        Field("ancestor", INT, tables(n) * n),
        Field("diagonal", LONG, n),
        *(Field(name, LONG, n + 1) for name in "union_start weight begins list_start bits_start panel_start".split()),
        Field("first", INT, n + 1),
    ]


def list_fields(n: int, fronts: int, entries: int, panels: int, tasks: int, columns: bool) -> list[Field]:
    """The arrays of `Fronts`, apart from the bits.

    entries : of all lists
    panels : of all fronts
    tasks : at most so many
    columns : whether the rows will be wanted
    """
    holders = [
        Field("holder_length", INT, n, zero=True),
        Field("holder_start", LONG, n + 1),
        Field("holder", INT, entries),
        Field("holder_row", INT, entries),
    ]
    return [
        *(Field(name, INT, fronts, zero=True) for name in "length pending awaited height arrived passed".split()),
        Field("teams", LONG, fronts, zero=True),
        Field("smalls", LONG, fronts + 1, zero=True),
        Field("next", INT, 2, zero=True),
        *(holders if columns else []),
        *(Field(name, INT, entries) for name in ("members", "list", "place")),
        *(Field(name, INT, fronts) for name in ("slot", "small_fronts")),
        Field("task_start", LONG, fronts + 1),
        Field("tasks", TASK, tasks),
        Field("common", INT, panels),
    ]


def arena_bytes(fields: Iterable[Field]) -> int:
    return sum(field.nbytes for field in fields)


class Arena:
    """One allocation on the device, and its arrays by name."""

    def __init__(self, fields: Iterable[Field]) -> None:
        import cupy

        fields = sorted(fields, key=lambda field: not field.zero)
        self.memory = cupy.empty(arena_bytes(fields), np.uint8)
        self.memory[: arena_bytes(field for field in fields if field.zero)].fill(0)
        starts = np.cumsum([0, *(field.nbytes for field in fields)])
        self._fields = {field.name: (int(start), field) for start, field in zip(starts, fields, strict=False)}

    def __getitem__(self, name: str) -> Array:
        start, field = self._fields[name]
        array: Array = self.memory[start : start + field.dtype.itemsize * field.entries].view(field.dtype.base)
        return array

    def addresses(self) -> dict[str, int]:
        base = int(self.memory.data.ptr)
        return {name: base + start for name, (start, _) in self._fields.items()}


def struct(names: tuple[str, ...], values: Mapping[str, int]) -> Array:
    """A struct as a kernel takes it by value. values : by field; a field that is missing is 0."""
    fields: Array = np.zeros((), np.dtype([(name, np.uint64) for name in names]))
    for name, value in values.items():
        fields[name] = value
    return fields
