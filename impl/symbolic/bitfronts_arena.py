"""The arrays of `bitfronts_gpu` on the device: one allocation for each part, and how kernels are given them.

A part is a struct of impl/cuda/bitfronts.cuh, whose fields are words of eight bytes: addresses and numbers.
The arrays of a part lie one after another in its arena; those to be zero at the launch come first.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fillpath.nouns import Array
from fillpath.registry import HEADERS

# Bytes to which arrays are aligned: a line of the L2 cache, twice.
ALIGNMENT = 256
INT = np.dtype(np.int32)
LONG = np.dtype(np.int64)
TASK = np.dtype((np.int32, 4))

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
    vertices = ["parent", "skip", "size", "level", "start", "label", "last_child", "taken", "path_count"]
    labels = ["old", "label_parent", "label_size", "label_level", "label_count", "front_of"]
    fronts = ["front_size", "up", "team", "long_lists"]
    entries = ["row", "entry_label", "branch", "union_slot", "union_row", "union_label"]
    sums = ["union_start", "weight", "begins", "list_start", "bits_start", "panel_start"]
    return [
        Field("state", INT, STATE, zero=True),
        Field("totals", LONG, TOTALS, zero=True),
        Field("partial", LONG, 3 * blocks),
        *(Field(name, INT, n) for name in [*vertices, *labels, *fronts, "union_length", "long_rows"]),
        *(Field(name, INT, nnz) for name in entries),
        *(Field(name, INT, copies * n) for name, copies in (("carry", 3), ("depth", 2), ("offset", 2))),
        Field("ancestor", INT, tables(n) * n),
        Field("diagonal", LONG, n),
        *(Field(name, LONG, n + 1) for name in sums),
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
        *(
            Field(name, INT, fronts, zero=True)
            for name in ["length", "pending", "awaited", "height", "arrived", "passed"]
        ),
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
        array: Array = self.memory[start : start + field.dtype.itemsize * field.entries].view(
            field.dtype.base
        )
        return array

    def addresses(self) -> dict[str, int]:
        base = address(self.memory)
        return {name: base + start for name, (start, _) in self._fields.items()}


def address(array: Any) -> int:
    """Where an array on the device lies."""
    return int(array.data.ptr)


def struct(name: str, values: Mapping[str, int]) -> Array:
    """A struct as a kernel takes it by value. values : by field; a field that is missing is 0."""
    fields: Array = np.zeros((), np.dtype([(field, np.uint64) for field in struct_fields(name)]))
    for field, value in values.items():
        fields[field] = value
    return fields


@functools.cache
def struct_fields(name: str) -> tuple[str, ...]:
    """The fields of a struct, in the order in which the kernels' header declares them."""
    text = re.sub(r"//.*", "", (HEADERS / "bitfronts.cuh").read_text())
    body = text.split(f"struct {name} {{")[1].split("};")[0]
    declarations = re.sub(r"\b(const|i64|int4|int|u32)\b", "", body)
    return tuple(re.findall(r"\w+", declarations))
