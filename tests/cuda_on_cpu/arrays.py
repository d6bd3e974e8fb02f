"""CuPy's arrays over memory of the host's that kernels on the CPU use.

As CuPy's they are no NumPy arrays: one becomes the other by `asarray` and `get` alone, and what is computed
of one stays on the device. New memory holds garbage, ends at a page that faults, and faults when it has been
freed.
"""

import ctypes
import functools
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from tests.cuda_on_cpu import compiler
from tests.cuda_on_cpu.kernel import MACHINE

_GARBAGE = 2**16


class OutOfMemoryError(MemoryError):
    pass


class Memory:
    """An allocation: `ptr`, `size`. used : bytes of all that live"""

    used = 0

    def __init__(self, size: int) -> None:
        if Memory.used + size > MACHINE.memory:
            raise OutOfMemoryError(f"Out of memory allocating {size:,} bytes.")
        self.size = size
        self.ptr = int(compiler.runtime().cuda_on_cpu_allocate(size))
        Memory.used += size
        weakref.finalize(self, _free, self.ptr, size)
        for at in range(0, size, _GARBAGE):
            ctypes.memmove(self.ptr + at, _garbage(MACHINE.seed), min(_GARBAGE, size - at))


@functools.cache
def _garbage(seed: int) -> bytes:
    return np.random.default_rng(seed).integers(0, 256, _GARBAGE, np.uint8).tobytes()


def _free(ptr: int, size: int) -> None:
    Memory.used -= size
    compiler.runtime().cuda_on_cpu_free(ptr)


class MemoryPointer:
    """A place in an allocation."""

    def __init__(self, mem: Any, offset: int = 0) -> None:
        self.mem, self.ptr = mem, mem.ptr + offset

    def __add__(self, offset: int) -> "MemoryPointer":
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    def __int__(self) -> int:
        return int(self.ptr)

    def memset(self, value: int, size: int) -> None:
        ctypes.memset(self.ptr, value, size)

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        self.memset(value, size)

    def copy_from(self, source: Any, size: int) -> None:
        """source : a MemoryPointer or an address on the host"""
        ctypes.memmove(self.ptr, getattr(source, "ptr", getattr(source, "value", source)), size)

    def copy_from_async(self, source: Any, size: int, stream: Any = None) -> None:
        self.copy_from(source, size)

    copy_from_device = copy_from_host = copy_from
    copy_from_device_async = copy_from_host_async = copy_from_async

    def copy_to_host(self, target: Any, size: int) -> None:
        ctypes.memmove(getattr(target, "value", target), self.ptr, size)

    def copy_to_host_async(self, target: Any, size: int, stream: Any = None) -> None:
        self.copy_to_host(target, size)


class ndarray(NDArrayOperatorsMixin):
    """As CuPy's. What is not written here is NumPy's method, its result on the device."""

    def __init__(self, shape: Any, dtype: Any = float, memptr: Any = None) -> None:
        kind = np.dtype(dtype)
        count = int(np.prod(shape))
        pointer = memptr if memptr is not None else MemoryPointer(Memory(count * kind.itemsize))
        bytes_of = (ctypes.c_char * (count * kind.itemsize)).from_address(pointer.ptr)
        self._values = np.frombuffer(bytes_of, kind, count).reshape(shape)
        self._memory = pointer.mem

    @property
    def data(self) -> MemoryPointer:
        return MemoryPointer(self._memory, self._values.ctypes.data - self._memory.ptr)

    @property
    def device(self) -> Any:
        from tests.cuda_on_cpu import cupy

        return cupy.Device()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self._values.__array_interface__, "version": 3}

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return on_device(getattr(ufunc, method)(*unwrapped(inputs), **unwrapped(options)), *inputs,
                         *options.get("out", ()))  # fmt: skip

    def __array_function__(self, function: Any, _: Any, args: Any, options: Any) -> Any:
        return on_device(function(*unwrapped(args), **unwrapped(options)), *args, *options.values())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._values, name)
        if not callable(value):
            return on_device(value, self) if isinstance(value, np.ndarray) else value

        def method(*args: Any, **options: Any) -> Any:
            return on_device(value(*unwrapped(args), **unwrapped(options)), self, *options.values())

        return method

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if any(part is Ellipsis for part in keys):
            return on_device(self._values[unwrapped(keys)], self)
        # With an ellipsis, a single element is a view too.
        return on_device(self._values[(*unwrapped(keys), ...)], self)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._values[unwrapped(key)] = value if isinstance(value, np.ndarray) else unwrapped(value)

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __int__(self) -> int:
        return int(self._values)

    def __float__(self) -> float:
        return float(self._values)

    def __bool__(self) -> bool:
        return bool(self._values)

    def __index__(self) -> int:
        return int(self._values.__index__())

    def __repr__(self) -> str:
        return repr(self._values)

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> Any:
        if out is None:
            return self._values.copy()
        out[...] = self._values
        return out

    def set(self, values: Any, stream: Any = None) -> None:
        self._values[...] = values

    def item(self, *place: int) -> Any:
        return self._values.item(*place)

    def tolist(self) -> Any:
        return self._values.tolist()


def new(values: Any) -> ndarray:
    """A copy on the device."""
    plain = np.asarray(values)
    array = ndarray(plain.shape, plain.dtype)
    array._values[...] = plain
    return array


def on_device(result: Any, *operands: Any) -> Any:
    """What NumPy returned: a view of an operand, or a copy on the device."""
    if isinstance(result, tuple | list):
        return type(result)(on_device(part, *operands) for part in result)
    if not isinstance(result, np.ndarray | np.generic):
        return result
    for operand in operands:
        if isinstance(operand, ndarray) and np.may_share_memory(result, operand._values):
            view = object.__new__(ndarray)
            view._values, view._memory = result, operand._memory
            return view
    return new(result)


def unwrapped(value: Any) -> Any:
    """The NumPy arrays of device arrays, in arguments at any depth. Refuses NumPy arrays, as CuPy does."""
    if isinstance(value, ndarray):
        return value._values
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if isinstance(value, tuple | list):
        return type(value)(map(unwrapped, value))
    if isinstance(value, dict):
        return {key: unwrapped(part) for key, part in value.items()}
    return value
