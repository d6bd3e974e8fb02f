"""CuPy on a machine without a GPU, as far as fillpath calls it: names, signatures and hooks are CuPy 14's.

Device arrays are no NumPy arrays, so that one which was never fetched is noticed. Work that `launch` starts
goes on until the device is synchronised with. Memory ends at MEMORY bytes. An illegal access breaks all that
follows it. A kernel computes what KERNELS says. FAKE_GPU in the environment names the card, FAKE_TRANSFER is
the seconds of a transfer, FAKE_HOST the bytes of the largest array that the host has memory for, FAKE_KILL
whether the process is killed for a larger one instead of refused.
"""

import os
import signal
import time
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

MEMORY = 2**30
UNIT = 512
# Bytes a second from pinned memory to the device.
LINK = 50 * 10**9
_ERRORS = {
    2: "cudaErrorMemoryAllocation: out of memory",
    100: "cudaErrorNoDevice: no CUDA-capable device is detected",
    700: "cudaErrorIllegalAddress: an illegal memory access was encountered",
}


class CUDARuntimeError(RuntimeError):
    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(_ERRORS[status])


class CUDADriverError(RuntimeError):
    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__("CUDA_ERROR_NOT_FOUND: named symbol not found")


class OutOfMemoryError(MemoryError):
    pass


class CompileException(Exception):
    pass


class _Device:
    """idle_at : when what was launched is done. broken : an illegal access was launched."""

    idle_at = 0.0
    broken = False


def launch(seconds: float = 0.0, *, illegal: bool = False) -> None:
    """A kernel that takes so long. Returns at once, as a launch does."""
    _Device.idle_at = max(_Device.idle_at, time.perf_counter()) + seconds
    _Device.broken |= illegal


def _device_synchronize() -> None:
    time.sleep(max(0.0, _Device.idle_at - time.perf_counter()))
    if _Device.broken:
        raise CUDARuntimeError(700)


class _Pool:
    used = 0

    def used_bytes(self) -> int:
        return self.used

    def free_bytes(self) -> int:
        return 5 * UNIT

    def get_limit(self) -> int:
        return int(os.environ.get("CUPY_GPU_MEMORY_LIMIT", "0"))


_pool = _Pool()


def get_default_memory_pool() -> _Pool:
    return _pool


class MemoryHook:
    active: ClassVar[dict[str, "MemoryHook"]] = {}
    name = "MemoryHook"

    def __enter__(self) -> "MemoryHook":
        if self.name in self.active:
            raise KeyError(self.name)
        self.active[self.name] = self
        return self

    def __exit__(self, *_: object) -> None:
        del self.active[self.name]

    def malloc_preprocess(self, *, device_id: int, size: int, mem_size: int) -> None: ...

    def malloc_postprocess(
        self, *, device_id: int, size: int, mem_size: int, mem_ptr: int, pmem_id: int
    ) -> None: ...

    def free_preprocess(self, *, device_id: int, mem_size: int, mem_ptr: int, pmem_id: int) -> None: ...

    def free_postprocess(self, *, device_id: int, mem_size: int, mem_ptr: int, pmem_id: int) -> None: ...


class ndarray:
    """An array on the device; it can be copied, fetched and measured."""

    def __init__(self, values: Any) -> None:
        self._held = 0
        given = np.asarray(values)
        size = -(-given.nbytes // UNIT) * UNIT
        fits = _pool.used + size <= MEMORY
        for hook in MemoryHook.active.values():
            hook.malloc_postprocess(
                device_id=0, size=given.nbytes, mem_size=size, mem_ptr=int(fits), pmem_id=0
            )
        if not fits:
            raise OutOfMemoryError(f"Out of memory allocating {size:,} bytes.")
        self._values = given.copy()
        self._held = size
        _pool.used += size

    def __del__(self) -> None:
        _pool.used -= self._held
        for hook in MemoryHook.active.values():
            hook.free_postprocess(device_id=0, mem_size=self._held, mem_ptr=1, pmem_id=0)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, place: int) -> "ndarray":
        return ndarray(self._values[place])

    def __int__(self) -> int:
        return int(self.get())

    def __float__(self) -> float:
        return float(self.get())

    @property
    def nbytes(self) -> int:
        return int(self._values.nbytes)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self._values.shape, "typestr": self._values.dtype.str, "version": 3}

    def get(self) -> Any:
        _device_synchronize()
        return self._values.copy()


def empty(shape: int, dtype: Any = float) -> ndarray:
    return ndarray(np.empty(shape, dtype))


def asarray(values: Any) -> ndarray:
    time.sleep(float(os.environ.get("FAKE_TRANSFER", "0")))
    return ndarray(values)


def asnumpy(array: ndarray) -> Any:
    time.sleep(float(os.environ.get("FAKE_TRANSFER", "0")))
    if array.nbytes > int(os.environ.get("FAKE_HOST", MEMORY)):
        if "FAKE_KILL" in os.environ:
            os.kill(os.getpid(), signal.SIGKILL)
        raise MemoryError(f"Unable to allocate {array.nbytes} bytes")
    return array.get()


class Event:
    at = 0.0

    def record(self) -> None:
        # When what was launched before it is done.
        self.at = max(_Device.idle_at, time.perf_counter())

    def synchronize(self) -> None:
        time.sleep(max(0.0, self.at - time.perf_counter()))


def _row_digest(
    indptr: ndarray, indices: ndarray, upper_start: ndarray, n: Any, entries: Any, *out: Any
) -> None:
    """benchmarks/engine/row_digest.cu, by the host's code."""
    from benchmarks.checks.rows import digest
    from fillpath.nouns import Filled, Pattern

    made = digest(Filled(Pattern(indptr.get(), indices.get()), upper_start.get()))
    for array, values in zip(out, (made.counts.lower, made.counts.upper, made.hashes), strict=True):
        array._values[:] = values


KERNELS = {"row_digest": _row_digest}


class RawKernel:
    def __init__(self, name: str) -> None:
        self.name = name
        self.kernel = SimpleNamespace(ptr=hash(name))

    def __call__(self, grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...]) -> None:
        KERNELS[self.name](*args)


class RawModule:
    compiled: ClassVar[list[tuple[str, ...]]] = []

    def __init__(self, *, code: str, options: tuple[str, ...], backend: str) -> None:
        self._code = code
        self.compiled.append(options)

    def get_function(self, name: str) -> RawKernel:
        if "undeclared" in self._code:
            raise CompileException('/tmp/x/0a.cubin.cu(7): error: identifier "undeclared" is undefined\n')
        if name not in self._code:
            raise CUDADriverError(500)
        return RawKernel(name)


def _device_count() -> int:
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "":
        raise CUDARuntimeError(100)
    return 1


def _alloc_pinned_memory(size: int) -> Any:
    if size > MEMORY:
        raise CUDARuntimeError(2)
    return SimpleNamespace(ptr=2**40)


def _memcpy_async(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    launch(size / LINK)


def _properties(device: int) -> dict[str, Any]:
    name = os.environ.get("FAKE_GPU", "NVIDIA Fake 1").encode()
    return {"name": name, "major": 9, "minor": 0, "totalGlobalMem": MEMORY}


# Attributes by CUDA's number, as of a V100.
_ATTRIBUTES = {16: 80, 36: 877_000, 37: 4096, 38: 6 * 2**20}

cuda = SimpleNamespace(
    Event=Event,
    MemoryHook=MemoryHook,
    get_elapsed_time=lambda start, end: (end.at - start.at) * 1000,
    alloc=lambda size: SimpleNamespace(ptr=2**41),
    alloc_pinned_memory=_alloc_pinned_memory,
    get_current_stream=lambda: SimpleNamespace(ptr=0),
    memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
    compiler=SimpleNamespace(CompileException=CompileException),
    nvrtc=SimpleNamespace(getVersion=lambda: (13, 5)),
    driver=SimpleNamespace(
        CUDADriverError=CUDADriverError,
        occupancyMaxActiveBlocksPerMultiprocessor=lambda func, blockSize, dynamicSMemSize: 2048 // blockSize,
    ),
    runtime=SimpleNamespace(
        CUDARuntimeError=CUDARuntimeError,
        cudaDevAttrMultiProcessorCount=16,
        cudaDevAttrMemoryClockRate=36,
        cudaDevAttrGlobalMemoryBusWidth=37,
        cudaDevAttrL2CacheSize=38,
        deviceGetAttribute=lambda attrib, device: _ATTRIBUTES[attrib],
        deviceGetPCIBusId=lambda device: "0000:0F:00.0",
        deviceSynchronize=_device_synchronize,
        driverGetVersion=lambda: 13000,
        getDevice=lambda: 0,
        getDeviceCount=_device_count,
        getDeviceProperties=_properties,
        memcpyAsync=_memcpy_async,
        memcpyHostToDevice=1,
        memGetInfo=lambda: (MEMORY - _pool.used, MEMORY),
        runtimeGetVersion=lambda: 13020,
    ),
)
