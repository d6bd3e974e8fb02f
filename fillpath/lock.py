"""Locks between processes, which the kernel frees when their holder ends."""

import contextlib
import fcntl
import math
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from fillpath.errors import FillpathError


class BusyError(FillpathError):
    """Another process holds the lock."""


@contextlib.contextmanager
def exclusive(path: Path, seconds: float = math.inf) -> Iterator[None]:
    """Hold a lock that the kernel frees when this process ends, however it ends.

    seconds : float, how long to wait for the holder

    Raises BusyError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as handle:
        _wait_for(handle.fileno(), path, seconds)
        path.write_text(f"process {os.getpid()}, started {time.strftime('%Y-%m-%d %H:%M:%S')}")
        yield


def _wait_for(descriptor: int, path: Path, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    announced = False
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = path.read_text() or "another process"
        if time.monotonic() > deadline:
            raise BusyError(f"{path.name} is held by {holder}: let it end, then try again")
        if not announced:
            print(f"waiting for {path.name}, held by {holder}", file=sys.stderr, flush=True)
            announced = True
        time.sleep(0.2)
