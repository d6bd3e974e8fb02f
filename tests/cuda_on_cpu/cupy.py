"""CuPy over arrays.py: what is not written here is NumPy's function, its result on the device."""

import ctypes
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.cuda_on_cpu import kernel
from tests.cuda_on_cpu.arrays import (
    Memory,
    MemoryPointer,
    OutOfMemoryError,
    ndarray,
    new,
    on_device,
    unwrapped,
)
from tests.cuda_on_cpu.kernel import MACHINE


class CUDARuntimeError(RuntimeError):
    status = 704


class CUDADriverError(RuntimeError):
    status = 500


class CompileException(Exception):
    pass


def empty(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    return ndarray(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> ndarray:
    array = ndarray(shape, np.asarray(fill_value).dtype if dtype is None else dtype)
    array.fill(fill_value)
    return array


def zeros(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float) -> ndarray:
    return full(shape, 1, dtype)


def empty_like(array: ndarray, dtype: Any = None) -> ndarray:
    return empty(array.shape, array.dtype if dtype is None else dtype)


def asarray(values: Any, dtype: Any = None, *, blocking: bool = True) -> ndarray:
    if isinstance(values, ndarray) and dtype in (None, values.dtype):
        return values
    return new(np.asarray(values._values if isinstance(values, ndarray) else values, dtype))


def array(values: Any, dtype: Any = None, copy: bool = True) -> ndarray:
    return new(np.array(values._values if isinstance(values, ndarray) else values, dtype))


def ascontiguousarray(values: ndarray) -> ndarray:
    return values if values.flags.c_contiguous else values.copy()


def asnumpy(
    array: Any, stream: Any = None, order: str = "C", out: Any = None, *, blocking: bool = True
) -> Any:
    return array.get(out=out) if isinstance(array, ndarray) else np.asarray(array)


def arange(*bounds: Any, dtype: Any = None) -> ndarray:
    return new(np.arange(*map(_number, bounds), dtype=dtype))


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, ndarray) else value


def get_default_memory_pool() -> Any:
    return SimpleNamespace(
        used_bytes=lambda: Memory.used,
        free_bytes=lambda: 0,
        get_limit=lambda: 0,
        free_all_blocks=lambda: None,
    )


def __getattr__(name: str) -> Any:
    function = getattr(np, name)
    if isinstance(function, type) or not callable(function):
        return function

    def call(*args: Any, **options: Any) -> Any:
        return on_device(function(*unwrapped(args), **unwrapped(options)), *args, *options.values())

    return call


class Device:
    def __init__(self, id: int = 0) -> None:
        self.id = int(id)
        self.compute_capability = "90"
        self.attributes = {"ConcurrentManagedAccess": 1, "MultiProcessorCount": MACHINE.multiprocessors}

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: object) -> None: ...

    def use(self) -> None: ...

    def synchronize(self) -> None: ...


class Event:
    def __init__(self, *_: Any, **__: Any) -> None:
        self.at = 0.0

    def record(self, stream: Any = None) -> None:
        self.at = time.perf_counter()

    def synchronize(self) -> None: ...


class Graph:
    """Launches, to be repeated."""

    def __init__(self, launches: list[Any]) -> None:
        self.launches = launches

    def launch(self, stream: Any = None) -> None:
        for launch in self.launches:
            launch()


class Stream:
    ptr = 0

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None: ...

    def synchronize(self) -> None: ...

    def wait_event(self, event: Event) -> None: ...

    def record(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record()
        return event

    def begin_capture(self, mode: Any = None) -> None:
        kernel.CAPTURED.append([])

    def end_capture(self) -> Graph:
        return Graph(kernel.CAPTURED.pop())


def alloc_pinned_memory(size: int) -> Any:
    """A buffer with an address."""

    class Pinned(ctypes.c_char * size):  # type: ignore[misc]
        ptr = property(lambda self: ctypes.addressof(self))

    memory = Memory(size)
    buffer = Pinned.from_address(memory.ptr)
    buffer.mem = memory
    return buffer


def _memcpy(there: int, here: int, size: int, *_: Any) -> None:
    ctypes.memmove(there, here, size)


def _properties(device: int) -> dict[str, Any]:
    return {"name": b"CPU", "major": 9, "minor": 0, "totalGlobalMem": MACHINE.memory,
            "multiProcessorCount": MACHINE.multiprocessors, "warpSize": 32,
            "l2CacheSize": 2**20, "sharedMemPerBlockOptin": kernel.DYNAMIC,
            "sharedMemPerMultiprocessor": kernel.DYNAMIC + 1024}  # fmt: skip


def _managed(size: int) -> MemoryPointer:
    return MemoryPointer(Memory(size))


# Attributes by CUDA's number.
_ATTRIBUTES = {
    8: lambda: 48 * 1024, 10: lambda: 32, 16: lambda: MACHINE.multiprocessors, 38: lambda: 2**20,
    39: lambda: 2048, 81: lambda: kernel.DYNAMIC + 1024, 97: lambda: kernel.DYNAMIC,
}  # fmt: skip

cuda = SimpleNamespace(
    Device=Device,
    Event=Event,
    Stream=Stream,
    ExternalStream=Stream,
    MemoryPointer=MemoryPointer,
    alloc=_managed,
    alloc_pinned_memory=alloc_pinned_memory,
    malloc_managed=_managed,
    get_current_stream=Stream,
    get_elapsed_time=lambda begun, ended: 1000 * (ended.at - begun.at),
    stream=SimpleNamespace(get_current_stream=Stream),
    memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
    compiler=SimpleNamespace(CompileException=CompileException),
    driver=SimpleNamespace(
        CUDADriverError=CUDADriverError,
        occupancyMaxActiveBlocksPerMultiprocessor=lambda function, threads, shared: MACHINE.blocks,
    ),
    runtime=SimpleNamespace(
        CUDARuntimeError=CUDARuntimeError,
        cudaDevAttrMultiProcessorCount=16,
        cudaDevAttrL2CacheSize=38,
        cudaDevAttrMaxThreadsPerMultiProcessor=39,
        cudaDevAttrMaxSharedMemoryPerBlock=8,
        cudaDevAttrMaxSharedMemoryPerBlockOptin=97,
        cudaDevAttrMaxSharedMemoryPerMultiprocessor=81,
        cudaDevAttrWarpSize=10,
        deviceGetAttribute=lambda attribute, device: _ATTRIBUTES[attribute](),
        deviceSynchronize=lambda: None,
        getDevice=lambda: 0,
        getDeviceCount=lambda: 1,
        getDeviceProperties=_properties,
        memGetInfo=lambda: (MACHINE.memory - Memory.used, MACHINE.memory),
        memcpy=_memcpy,
        memcpyAsync=_memcpy,
        memcpyHostToDevice=1,
        memcpyDeviceToHost=2,
        memcpyDeviceToDevice=3,
        memset=lambda there, value, size: ctypes.memset(there, value, size),
        memsetAsync=lambda there, value, size, stream: ctypes.memset(there, value, size),
        driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 13000,
    ),
)
