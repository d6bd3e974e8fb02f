"""Moves of nouns between host and device: all arrays in them, at any depth, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np


def on_device(noun: Any) -> Any:
    """Return the noun with NumPy arrays converted to CuPy's on the current device; itself if it has none."""
    return _converted(noun, _array_on_device)


def on_host(noun: Any) -> Any:
    """Return the noun with its CuPy arrays converted to NumPy's; the same noun if it has none."""
    return _converted(noun, _array_on_host)


def mapped(noun: Any, convert: Callable[[Any], Any]) -> Any:
    """Return the noun with what `convert` makes of its parts, arrays among them, at any depth."""
    # Keys of records hold the name _converted, hence a function of its own.
    return _converted(noun, convert)


def _converted(value: Any, convert: Callable[[Any], Any]) -> Any:
    if not is_dataclass(value) or isinstance(value, type):
        return convert(value)
    parts = {f.name: getattr(value, f.name) for f in fields(value)}
    converted = {name: _converted(part, convert) for name, part in parts.items()}
    changed = {name: part for name, part in converted.items() if part is not parts[name]}
    return replace(value, **changed) if changed else value


def _array_on_device(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    import cupy

    return cupy.asarray(value)


def _array_on_host(value: Any) -> Any:
    if not hasattr(value, "__cuda_array_interface__"):
        return value
    import cupy

    return cupy.asnumpy(value)
