"""Implementations on ranks of MPI, right ones and wrong ones. Importing this module registers them."""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Pattern
from fillpath.registry import implementation
from impl.cpu.ranks import everyone, rank_of
from impl.symbolic.fill1 import fill1
from tests import fakes


def register() -> None:
    """Register every fake; tests call it after the registry was put back."""
    for function in (shares, goes_wrong):
        implementation(stage="symbolic")(function)


def shares(pattern: Pattern, *, ranks: int = 1) -> Any:
    """A right answer; its facts: the ranks, and the cores and threads of all of them."""
    import numba

    communicator = everyone(ranks)
    cores = communicator.allgather(os.sched_getaffinity(0))
    threads = communicator.allgather(numba.get_num_threads())
    filled, work = fill1(pattern)
    facts = {"ranks": len(cores), "cores": len(set().union(*cores)), "threads": sum(threads)}
    return filled, replace(work, facts={**facts, "shared": sum(map(len, cores)) - facts["cores"]})


def goes_wrong(
    pattern: Pattern,
    *,
    ranks: int = 1,
    way: Literal["crash", "hang", "leave", "raise", "refuse", "hoard", "talk"] = "talk",
) -> Any:
    """The last rank goes wrong in that way, while the others wait for it; all refuse, and all talk."""
    communicator = everyone(ranks)
    if way in ("refuse", "talk") or rank_of(communicator) == ranks - 1:
        _WAYS[way]()
    communicator.Barrier()
    return fill1(pattern)


def _talk() -> None:
    for stream in (1, 2):
        os.write(stream, b'{"event": "done"}\n' * 50_000)


def _hoard() -> None:
    fakes.hoards(Pattern(np.zeros(1, np.int64), np.zeros(0, np.int32)))


def _raise() -> None:
    raise RuntimeError("no such thing")


def _refuse() -> None:
    raise UnsupportedError("symmetric input only")


_WAYS: Mapping[str, Callable[[], object]] = {
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "hang": lambda: time.sleep(3600),
    "leave": lambda: sys.exit(0),
    "raise": _raise,
    "refuse": _refuse,
    "hoard": _hoard,
    "talk": _talk,
}

register()
