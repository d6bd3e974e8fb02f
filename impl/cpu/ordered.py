"""Atomics that order other memory accesses, prefetches, and yielding (`atomics` has the relaxed ones).

Each works on one element of a one-dimensional array. index : any integer type, not negative, not checked.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from impl.cpu.atomics import _pointer


def _read_modify_write(operation: str, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        return builder.atomic_rmw(operation, pointer, arguments[2], "acq_rel")

    return array.dtype(array, index, array.dtype), generate


@intrinsic
def exchange(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Set array[index], acquire and release; return the previous value."""
    return _read_modify_write("xchg", array, index, value)


@intrinsic
def add(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Add to array[index], acquire and release; return the previous value."""
    return _read_modify_write("add", array, index, value)


@intrinsic
def acquire(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the element's value; everything written before it was released is visible afterwards."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        return builder.load_atomic(pointer, "acquire", array.dtype.bitwidth // 8)

    return array.dtype(array, index), generate


@intrinsic
def release(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Set array[index]; everything written before is visible to a worker that acquires it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], pointer, "release", array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, index, array.dtype), generate


def _prefetch(array: Any, index: Any, writing: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, bytes_ = ir.IntType(32), ir.IntType(8).as_pointer()
        pointer = builder.bitcast(_pointer(context, builder, signature, arguments), bytes_)
        prototype = ir.FunctionType(ir.VoidType(), [bytes_, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, prototype, "llvm.prefetch.p0")
        keep, data = word(3), word(1)
        builder.call(function, [pointer, word(writing), keep, data])
        return context.get_dummy_value()

    return types.void(array, index), generate


@intrinsic
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Prefetch the element's cache line; the index may lie outside of the array."""
    return _prefetch(array, index, writing=0)


@intrinsic
def prefetch_to_write(typing_context: Any, array: Any, index: Any) -> Any:
    """Prefetch the same line, taken from every other core's cache."""
    return _prefetch(array, index, writing=1)


@intrinsic
def give_way(typing_context: Any) -> Any:
    """Call the C library's sched_yield: if there are more threads than cores, another one runs."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        prototype = ir.FunctionType(ir.IntType(32), [])
        function = cgutils.get_or_insert_function(builder.module, prototype, "sched_yield")
        return builder.call(function, [])

    return types.int32(), generate
