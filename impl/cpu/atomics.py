"""Relaxed atomics on one element of a one-dimensional array, which Numba lacks: LLVM's instructions.

They work inside `prange`. A relaxed operation is indivisible but orders no other access. The next parallel
loop sees what one has written. index : any integer type, not negative, not checked.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.args[0]
    array = make_array(kind)(context, builder, arguments[0])
    index = context.cast(builder, arguments[1], signature.args[1], types.intp)
    return cgutils.get_item_pointer(context, builder, kind, array, [index], wraparound=False)


def _read_modify_write(operation: str, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        return builder.atomic_rmw(operation, pointer, arguments[2], "monotonic")

    return array.dtype(array, index, array.dtype), generate


@intrinsic
def fetch_add(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Add a value to array[index], and return the previous value."""
    return _read_modify_write("add", array, index, value)


@intrinsic
def fetch_min(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Lower array[index] to the value if that is less, both unsigned; return the previous value."""
    return _read_modify_write("umin", array, index, value)


@intrinsic
def fetch_max(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Raise array[index] to the value if that is more, both unsigned; return the previous value."""
    return _read_modify_write("umax", array, index, value)


@intrinsic
def load(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the element's value, read again at every call."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        return builder.load_atomic(pointer, "monotonic", array.dtype.bitwidth // 8)

    return array.dtype(array, index), generate
