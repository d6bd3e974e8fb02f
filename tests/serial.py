"""An executor that works in the calling process, for what a pool of processes does."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class Serial(Executor):
    """As reports/pages/drawing.py's pool."""

    def __init__(self, begin: Callable[[], None]) -> None:
        begin()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Call it now."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **named))
        except Exception as error:
            future.set_exception(error)
        return future
