"""Page faults and migrations of managed memory on several devices, by the counters of `page_faults`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from impl.cuda import peers
from impl.cuda.page_faults import (
    _KINDS,
    _SINGLE_DEVICE,
    _UNIFIED_MEMORY_COUNTER,
    PageFaults,
    _check,
    _collector,
    _Config,
)


@contextmanager
def page_faults_of(devices: Sequence[int]) -> Iterator[PageFaults]:
    """Count on all of these devices while the block runs, as `page_faults` does on one.

    Raises UnavailableError if there is no CUPTI, or CUPTI or the driver refuses.
    """
    collector = _collector()
    cupti, found = collector.cupti, list(devices)
    # CUPTI requires a context on each device.
    peers.synchronise(found)
    kinds = [_Config(_SINGLE_DEVICE, kind, device, 1) for device in found for kind in _KINDS]
    configs = (_Config * len(kinds))(*kinds)
    _check(cupti, cupti.cuptiActivityConfigureUnifiedMemoryCounter(configs, len(kinds)))
    _check(cupti, cupti.cuptiActivityEnable(_UNIFIED_MEMORY_COUNTER))
    try:
        collector.flush()
        counted = collector.counted = PageFaults()
        yield counted
        peers.synchronise(found)
        collector.wait()
    finally:
        collector.counted = PageFaults()
        _check(cupti, cupti.cuptiActivityDisable(_UNIFIED_MEMORY_COUNTER))
