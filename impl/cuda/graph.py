"""CUDA graphs of work that is launched again and again on the same arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def captured(work: Callable[[], None]) -> Any:
    """Return the graph of all launches of `work`; its `launch()` repeats them in the current stream.

    work : launches kernels, and neither allocates nor waits. It runs once before the capture, which thus
        loads no kernel.
    """
    import cupy

    work()
    # The legacy stream cannot be captured, nor be used while a blocking one is.
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        try:
            work()
        finally:
            graph = stream.end_capture()
    return graph
