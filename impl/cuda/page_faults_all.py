"""Page faults and migrations of managed memory on several devices, by the counters of `page_faults`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from impl.cuda import peers
from impl.cuda.page_faults import PageFaults, collector, counting_on


@contextmanager
def page_faults_of(devices: Sequence[int]) -> Iterator[PageFaults]:
    """Count on all of these devices while the block runs, with the errors of `page_faults`."""
    counters, found = collector(), list(devices)
    # CUPTI requires a context on each device.
    peers.synchronise(found)
    with counting_on(counters, found) as counted:
        yield counted
        peers.synchronise(found)
        counters.wait()
