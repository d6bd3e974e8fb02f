"""The current device: what it is, what it has left, what fits on it.

CuPy is imported by each function, so that the module can be imported without CuPy.

    compute_capability(), multiprocessors()    # (9, 0), 132 on an H100
    facts()["memory"], free_bytes()            # bytes
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import Any

from impl.cuda import nvml

# cudaErrorMemoryAllocation and CUDA_ERROR_OUT_OF_MEMORY.
_NO_MEMORY = 2


def free_bytes() -> int:
    """Return the bytes free on the card or held unused by CuPy's pool (up to CUPY_GPU_MEMORY_LIMIT)."""
    import cupy

    pool = cupy.get_default_memory_pool()
    free = int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())
    limit = int(pool.get_limit())
    return max(0, min(free, limit - int(pool.used_bytes()))) if limit else free


def host_free_bytes() -> int | None:
    """Return the bytes of host memory that can be allocated without swapping; None where unknown."""
    try:
        found = re.search(r"^MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def multiprocessors() -> int:
    """Return the streaming multiprocessors of the device, or of the MIG slice."""
    return _attribute("MultiProcessorCount")


def compute_capability() -> tuple[int, int]:
    """Return the device's compute capability, such as (9, 0)."""
    major, minor = str(_properties()["compute_capability"]).split(".")
    return int(major), int(minor)


def shared_memory() -> tuple[int, int]:
    """Return the bytes of shared memory that a block can have, and that a multiprocessor has."""
    return _attribute("MaxSharedMemoryPerBlockOptin"), _attribute("MaxSharedMemoryPerMultiprocessor")


def occupancy(kernel: Any, threads: int, shared_bytes: int) -> int:
    """Return how many blocks of a RawKernel a multiprocessor holds at a time.

    threads : int, per block
    shared_bytes : int, dynamic shared memory per block
    """
    import cupy

    function = kernel.kernel.ptr
    return int(cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(function, threads, shared_bytes))


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether CUDA itself reports that memory ran out.

    CuPy's pool raises a MemoryError instead, but pinned memory, for example, does not come from the pool.
    """
    named = type(error).__name__ in ("CUDARuntimeError", "CUDADriverError")
    return named and getattr(error, "status", None) == _NO_MEMORY


@functools.cache
def identity() -> str:
    """Return the device as a record names it: the card, and the UUID of a MIG slice as well."""
    name, uuid = str(_properties()["name"]), _mig_uuid()
    return f"{name} ({uuid})" if uuid else name


@functools.cache
def facts() -> dict[str, object]:
    """Return the facts of the device; None for what cannot be read. No CUDA context is made for it.

    memory, l2 : int, bytes
    peak_bytes_per_second : int, of DRAM, from its clock and bus width; None for a MIG slice
    mig : bool, whether the device is a MIG slice
    """
    return {
        "name": _properties()["name"],
        "compute_capability": _properties()["compute_capability"],
        "memory": _properties()["memory"],
        "multiprocessors": multiprocessors(),
        "l2": _attribute("L2CacheSize"),
        "peak_bytes_per_second": None if is_mig() else _peak_bytes_per_second(),
        "mig": is_mig(),
        "mig_uuid": _mig_uuid(),
        "pci": pci(),
        "visible": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "driver": _driver(),
        **_versions(),
    }


def pci() -> str:
    """Return the PCI address of the card, as NVML takes it."""
    import cupy

    return str(cupy.cuda.runtime.deviceGetPCIBusId(_current()))


def is_mig() -> bool:
    """Return whether the device is a MIG slice of a card."""
    return " MIG " in str(_properties()["name"]) or _asked_for().startswith("MIG-")


def _mig_uuid() -> str | None:
    """Return the slice in CUDA_VISIBLE_DEVICES, or the only slice; None if CUDA chose among several."""
    if not is_mig():
        return None
    asked, found = _asked_for(), nvml.slices()
    if asked.startswith("MIG-"):
        # CUDA accepts a prefix.
        matching = [uuid for uuid in found if uuid.startswith(asked)]
        return matching[0] if len(matching) == 1 else asked
    return found[0] if len(found) == 1 else None


def _asked_for() -> str:
    """Return the first entry of CUDA_VISIBLE_DEVICES, which is device 0 to CUDA."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()


def _driver() -> str | None:
    version = nvml.driver()
    if version is not None:
        return version
    try:
        text = Path("/proc/driver/nvidia/version").read_text()
    except OSError:
        return None
    found = re.search(r"\b[0-9]{3,}(?:\.[0-9]+)+\b", text)
    return found[0] if found else None


def _versions() -> dict[str, object]:
    """Return the versions of CUDA: the newest of the driver, of CuPy's runtime, and of NVRTC."""
    import cupy

    supported, runtime = cupy.cuda.runtime.driverGetVersion(), cupy.cuda.runtime.runtimeGetVersion()
    try:
        compiler = ".".join(map(str, cupy.cuda.nvrtc.getVersion()))
    except RuntimeError:  # CuPy is here, NVRTC is not: no kernel will compile, and loading one raises.
        compiler = None
    return {"cuda_driver": _version(supported), "cuda_runtime": _version(runtime), "nvrtc": compiler}


def _version(number: int) -> str:
    """Return a version as text: 13020 is 13.2."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _peak_bytes_per_second() -> int | None:
    """Return DRAM's bytes per second, at two transfers per clock, as for all of NVIDIA's memories."""
    kilohertz, bits = _attribute("MemoryClockRate"), _attribute("GlobalMemoryBusWidth")
    return kilohertz * 1000 * 2 * bits // 8 or None


def _properties() -> dict[str, Any]:
    import cupy

    told = cupy.cuda.runtime.getDeviceProperties(_current())
    name = told["name"]
    return {
        "name": name.decode() if isinstance(name, bytes) else str(name),
        "compute_capability": f"{told['major']}.{told['minor']}",
        "memory": int(told["totalGlobalMem"]),
    }


def _attribute(name: str) -> int:
    import cupy

    runtime = cupy.cuda.runtime
    return int(runtime.deviceGetAttribute(getattr(runtime, f"cudaDevAttr{name}"), _current()))


def _current() -> int:
    import cupy

    return int(cupy.cuda.runtime.getDevice())
