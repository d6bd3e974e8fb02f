"""`phase`: how an implementation marks its parts without reading a clock itself."""

import contextlib
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar


class PhaseClock:
    """Collects the seconds of each phase during one call of an implementation.

    `seconds` maps a phase's name to the sum of its passes; nested phases are counted in both. `synchronise`
    is called at both ends of a phase, so that it includes asynchronous device work.
    """

    def __init__(self, synchronise: Callable[[], None] | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._synchronise = synchronise or (lambda: None)

    @contextlib.contextmanager
    def measure(self, name: str) -> Iterator[None]:
        self._synchronise()
        start = time.perf_counter()
        try:
            yield
        finally:
            self._synchronise()
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


_clock: ContextVar[PhaseClock | None] = ContextVar("fillpath_phase_clock", default=None)


@contextlib.contextmanager
def recording(clock: PhaseClock) -> Iterator[PhaseClock]:
    """Make `phase` report to `clock`."""
    token = _clock.set(clock)
    try:
        yield clock
    finally:
        _clock.reset(token)


def phase(name: str) -> AbstractContextManager[None]:
    """Mark a part of an implementation; a no-op outside a measurement."""
    clock = _clock.get()
    return contextlib.nullcontext() if clock is None else clock.measure(name)
