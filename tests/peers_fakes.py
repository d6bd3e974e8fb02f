"""A peer that goes wrong inside a library of C, where Python has no say. Importing this registers it."""

import ctypes
import signal
from collections.abc import Callable, Mapping
from typing import Any, Literal

from fillpath.nouns import Pattern
from fillpath.registry import implementation
from impl.cpu.ranks import everyone, rank_of
from impl.symbolic.fill1 import fill1

PRINTED = 2 * 2**20


def register() -> None:
    """Register it; tests call it after the registry was put back."""
    # SciPy is always there.
    implementation(stage="symbolic", peer="scipy")(calls_c)


def calls_c(
    pattern: Pattern, *, ranks: int = 1, way: Literal["crash", "hang", "exit", "load", "print"] = "print"
) -> Any:
    """The row counts of L + U, after a call of C that goes wrong on the last rank."""
    communicator = everyone(ranks) if ranks > 1 else None
    if rank_of(communicator) == ranks - 1:
        _WAYS[way]()
    if communicator is not None:
        communicator.Barrier()
    filled, work = fill1(pattern)
    return filled.counts(), work


def _print() -> None:
    """Megabytes to both streams, past Python's own: some without a line's end, some like a report."""
    libc = ctypes.CDLL(None)
    for stream in (1, 2):
        for text in (b'{"event": "done"}\n', b"\0\xff no line's end "):
            block = text * (2**16 // len(text))
            for _ in range(PRINTED // len(block) // 2):
                libc.write(stream, block, len(block))


# A library of C that is called with the interpreter's lock lets no signal's handler and no thread run.
_WAYS: Mapping[str, Callable[[], object]] = {
    "crash": lambda: ctypes.CDLL(None)["raise"](signal.SIGSEGV),
    "hang": lambda: ctypes.PyDLL(None).sleep(3600),
    "exit": lambda: ctypes.CDLL(None).exit(0),
    "load": lambda: ctypes.CDLL("libabsent.so.3"),
    "print": _print,
}

register()
