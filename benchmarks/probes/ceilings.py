"""Ceilings of this machine's devices, for rooflines: results/<machine>/ceilings.json.

Copy bandwidth, floating-point rate, the links to the host and between GPUs, and page faults, each per second.

    path = calibrate()
    json.loads(path.read_text())["host"]["rates"]["copy_bytes"]["per_second"]
"""

import mmap
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engine import machine
from fillpath.hardware import hardware
from fillpath.host import machine_name
from fillpath.nouns import Array
from fillpath.paths import results, write_json
from fillpath.processes import interval
from impl.cuda import device, kernels, peers

SAMPLES = 7
# Seconds of work before the first sample, in which clocks rise, and of a sample at least.
WARM_UP, SAMPLE = 0.3, 0.02
# Bytes of an array that is copied: beyond any cache, far below any memory; two are allocated.
HOST_BYTES, GPU_BYTES = 2**28, 2**30
# Order of the matrices that are multiplied.
HOST_ORDER, GPU_ORDER = 2048, 8192
# Bytes whose pages fault; managed memory stays small.
FAULT_BYTES, MANAGED_BYTES = 2**27, 2**28
MANAGED_PAGE = 2**16

# How the reason begins where there is a GPU and its ceilings could not be measured.
FAILED = "the probe failed"
Rate = dict[str, Any]
# A device's name, threads or count, and rates.
Ceilings = dict[str, Any]


def calibrate() -> Path:
    """Measure and write results/<this machine>/ceilings.json. Returns its path."""
    first, reason = _or_reason(gpu)
    together, failure = _or_reason(gpus) if first else (None, "")
    data = {
        "schema": 1,
        "machine": machine_name(),
        "measured_at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}Z",
        "host": host(),
        "gpu": first,
        "gpus": together,
        "gpu_reason": reason or failure,
        "versions": machine.versions(),
    }
    path = results() / machine_name() / "ceilings.json"
    machine.write_facts()
    write_json(path, data)
    return path


def _or_reason(probe: Callable[[], Ceilings | None]) -> tuple[Ceilings | None, str]:
    """Return a probe's ceilings, or the reason for none: a missing library costs only its own device."""
    available, reason = kernels.available()
    if not available:
        return None, reason
    try:
        return probe(), ""
    except Exception as error:
        return None, f"{FAILED}: {type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def host() -> Ceilings:
    """Measure the processor: all cores that this process may use copy and multiply, one touches pages."""
    cores = machine.cores()
    rates = {
        "copy_bytes": _host_copy(cores),
        "flops_double": _flops(np, HOST_ORDER, "float64"),
        "flops_single": _flops(np, HOST_ORDER, "float32"),
        "page_faults": rate(_touch_pages, FAULT_BYTES // mmap.PAGESIZE),
    }
    return {"name": hardware().cpu or "unknown", "threads": cores, "rates": rates}


def gpu() -> Ceilings:
    """Measure the first visible GPU.

    Less than 3 GB of its memory is taken, of managed memory 256 MiB and half of what is free at most.
    """
    import cupy

    wait = cupy.cuda.Device().synchronize
    rates = _gpu_copies(cupy, wait)
    rates["flops_double"] = _flops(cupy, GPU_ORDER, "float64", wait)
    rates["flops_single"] = _flops(cupy, GPU_ORDER, "float32", wait)
    if cupy.cuda.runtime.deviceGetAttribute(cupy.cuda.runtime.cudaDevAttrManagedMemory, 0):
        rates["page_faults"] = _managed_faults(cupy, wait)
    return {"name": device.identity(), "threads": None, "rates": rates}


def gpus() -> Ceilings | None:
    """Measure all visible GPUs at the same time, and copies from the first to the second.

    Returns None for fewer than two GPUs. Less than 3 GB of the memory of each is taken.
    """
    import cupy

    cards = list(range(peers.device_count()))
    if len(cards) < 2:
        return None
    peers.all_reach(cards)
    wait = partial(peers.synchronise, cards)

    def on(card: int, work: Callable[..., Any], *operands: Any) -> Any:
        with cupy.cuda.Device(card):
            return work(*operands)

    def together(work: Callable[..., Any], operands: Sequence[tuple[Any, Any]]) -> None:
        for card, pair in zip(cards, operands, strict=True):
            on(card, work, *pair)

    size = min(GPU_BYTES, *(on(card, device.free_bytes) // 4 for card in cards)) // 8 * 8
    pairs = [on(card, lambda: (cupy.zeros(size // 8), cupy.ones(size // 8))) for card in cards]
    square = (GPU_ORDER, GPU_ORDER)
    matrices = [on(card, lambda: (cupy.ones(square), cupy.zeros(square))) for card in cards]
    multiply = partial(together, lambda left, product: cupy.matmul(left, left, out=product), matrices)
    (target, _), (_, source) = pairs[1], pairs[0]
    crossing = (target.data.ptr, cards[1], source.data.ptr, cards[0], size)
    rates = {
        "copy_bytes": rate(partial(together, cupy.copyto, pairs), 2 * size * len(cards), wait),
        "flops_double": rate(multiply, 2.0 * GPU_ORDER**3 * len(cards), wait),
        "peer_bytes": rate(partial(cupy.cuda.runtime.memcpyPeer, *crossing), size, wait),
    }
    return {"name": device.identity(), "threads": None, "count": len(cards), "rates": rates}


def _gpu_copies(cupy: Any, wait: Callable[[], object]) -> dict[str, Rate]:
    """Measure copies within the GPU's memory, and over the link from and to pinned memory."""
    size = min(GPU_BYTES, device.free_bytes() // 4) // 8 * 8
    source, target = cupy.ones(size // 8), cupy.zeros(size // 8)
    pinned = cupy.cuda.alloc_pinned_memory(size)
    on_host = np.frombuffer(pinned, np.float64, size // 8)
    on_host[:] = 1.0
    return {
        "copy_bytes": rate(lambda: cupy.copyto(target, source), 2 * size, wait),
        "link_to_device_bytes": rate(lambda: target.set(on_host), size, wait),
        "link_to_host_bytes": rate(lambda: target.get(out=on_host), size, wait),
    }


def rate(work: Callable[[], object], amount: float, wait: Callable[[], object] = lambda: None) -> Rate:
    """Return how much of `amount` a second a call does.

    SAMPLES follow a warm-up, each of enough calls to last a while, and waited for once.
    """
    start, calls, spent = time.perf_counter(), 0, 0.0
    while spent < WARM_UP:
        work()
        wait()
        calls, spent = calls + 1, time.perf_counter() - start
    repeats = max(1, round(SAMPLE * calls / spent))
    samples = []
    for _ in range(SAMPLES):
        start = time.perf_counter()
        for _ in range(repeats):
            work()
        wait()
        samples.append(repeats * amount / (time.perf_counter() - start))
    low, high = interval(samples)
    return {"per_second": float(np.median(samples)), "low": low, "high": high, "samples": samples}


def _host_copy(threads: int) -> Rate:
    """Measure threads that copy parts, whose pages each made; NumPy releases the interpreter meanwhile."""
    source, target = np.empty(HOST_BYTES // 8), np.empty(HOST_BYTES // 8)
    parts = list(zip(np.array_split(target, threads), np.array_split(source, threads), strict=True))

    def fill(pair: tuple[Array, Array]) -> None:
        for part in pair:
            part.fill(1.0)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, parts))
        return rate(lambda: list(pool.map(lambda pair: np.copyto(*pair), parts)), 2 * HOST_BYTES)


def _flops(arrays: Any, order: int, dtype: str, wait: Callable[[], object] = lambda: None) -> Rate:
    """Measure the product of two matrices. arrays : NumPy or CuPy."""
    left = arrays.ones((order, order), dtype)
    product = arrays.empty_like(left)
    return rate(lambda: arrays.matmul(left, left, out=product), 2.0 * order**3, wait)


def _touch_pages() -> None:
    """Write to each page of fresh memory, with small pages asked for."""
    with mmap.mmap(-1, FAULT_BYTES) as fresh:
        fresh.madvise(mmap.MADV_NOHUGEPAGE)
        np.frombuffer(fresh, np.uint8)[:: mmap.PAGESIZE] = 1


def _managed_faults(cupy: Any, wait: Callable[[], object]) -> Rate:
    """Write from the GPU to each 64 KiB of fresh managed memory, whose pages are made then.

    The time includes taking and giving back that memory.
    """
    size = min(MANAGED_BYTES, device.free_bytes() // 2) // MANAGED_PAGE * MANAGED_PAGE

    def once() -> None:
        memory = cupy.cuda.malloc_managed(size)
        cupy.ndarray(size, cupy.uint8, memory)[::MANAGED_PAGE] = 1
        # Nothing is freed under a kernel that still writes to it.
        wait()

    return rate(once, size // MANAGED_PAGE, wait)
