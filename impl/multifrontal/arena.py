"""Arrays on the device in one allocation, and structs of their addresses as kernels take them."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.nouns import Array
from fillpath.registry import HEADERS

# Bytes to which arrays are aligned: a line of the L2 cache, twice.
ALIGNMENT = 256
INT, LONG = np.dtype(np.int32), np.dtype(np.int64)
Lengths = Mapping[str, tuple[int, np.dtype[Any]]]
MAPS_HEADER = HEADERS / "multifrontal.cuh"


class Arena:
    """Arrays that lie one after another in one allocation.

    addresses : by name
    nbytes : of all of them
    """

    def __init__(self, zero: Lengths, others: Lengths) -> None:
        """Allocate arrays. zero, others : (length, dtype) by name; the first are 0."""
        import cupy

        self._lengths = {**zero, **others}
        sizes = [length * dtype.itemsize for length, dtype in self._lengths.values()]
        starts = np.cumsum([0, *(-(-size // ALIGNMENT) * ALIGNMENT for size in sizes)])
        self._starts = dict(zip(self._lengths, map(int, starts), strict=False))
        self.nbytes = int(starts[-1])
        self._memory = cupy.empty(self.nbytes, np.uint8)
        self._memory.data.memset_async(0, int(starts[len(zero)]))
        base = address(self._memory)
        self.addresses = {name: base + start for name, start in self._starts.items()}

    def fill(self, byte: int) -> None:
        """Set every byte of all arrays."""
        self._memory.data.memset_async(byte, self.nbytes)

    def array(self, name: str) -> Array:
        length, dtype = self._lengths[name]
        start = self._starts[name]
        view: Array = self._memory[start : start + length * dtype.itemsize].view(dtype)
        return view


def needed(*groups: Lengths) -> int:
    """Return the bytes of an arena of these arrays."""
    sizes = [length * dtype.itemsize for group in groups for length, dtype in group.values()]
    return sum(-(-size // ALIGNMENT) * ALIGNMENT for size in sizes)


def address(array: Any) -> int:
    """Return where an array on the device lies."""
    return int(array.data.ptr)


def struct(source: Path, name: str, values: Mapping[str, int | float]) -> Array:
    """Return a struct of words of eight bytes, by value as kernels take it; fields not named are 0.

    source : header that declares the struct
    """
    places = _places(source, name)
    words: Array = np.zeros(len(places), np.uint64)
    for field, value in values.items():
        words[places[field]] = value
    # Plain bytes: CuPy describes each field of a structured dtype at each launch.
    return words.view(np.dtype((np.void, words.nbytes)))


def changed(words: Array, source: Path, name: str, values: Mapping[str, int]) -> Array:
    """Return a struct with other values of some fields."""
    places, copy = _places(source, name), words.view(np.uint64).copy()
    for field, value in values.items():
        copy[places[field]] = value
    return copy.view(words.dtype)


@functools.cache
def _places(source: Path, name: str) -> dict[str, int]:
    text = re.sub(r"//.*", "", source.read_text())
    body = text.split(f"struct {name} {{")[1].split("};")[0]
    declared = [part for line in body.split(";") for part in line.split(",") if part.strip()]
    return {re.findall(r"\w+", part)[-1]: place for place, part in enumerate(declared)}
