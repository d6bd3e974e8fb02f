"""The progress of a transfer: a line redrawn on a terminal, or else an occasional line in the log."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from types import TracebackType

from fillpath.paths import bytes_text

REDRAWN = 0.25  # seconds between two drawings on a terminal
LOGGED = 30.0  # seconds between two lines of the log
_ERASE = "\r\x1b[K"

_log = logging.getLogger("fillpath")


class Progress:
    """The progress of one answer of a server.

    label : of the file
    done : bytes that are here already
    total : bytes of the file, None if unknown
    """

    def __init__(self, label: str, done: int, total: int | None) -> None:
        self._label = label
        self._total = total
        self._first = done
        self._terminal = sys.stderr.isatty()
        self._started = self._shown = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()

    def show(self, done: int) -> None:
        """Report that `done` bytes are here, if a report is due."""
        now = time.monotonic()
        if now - self._shown < (REDRAWN if self._terminal else LOGGED):
            return
        self._shown = now
        text = self._text(done, now - self._started)
        if self._terminal:
            sys.stderr.write(_ERASE + text[: shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()
        else:
            _log.info("%s", text)

    def _text(self, done: int, seconds: float) -> str:
        rate = (done - self._first) / seconds
        speed = f"{bytes_text(int(rate))}/s"
        if self._total is None:
            return f"{self._label}: {bytes_text(done)}, {speed}"
        left = f", {(self._total - done) / rate:.0f} s left" if rate else ""
        share = f"{100 * done // max(self._total, 1)} %"
        return f"{self._label}: {share}, {bytes_text(done)} of {bytes_text(self._total)}, {speed}{left}"
