"""The end of a command: an exit status and, where something went wrong, one line with the remedy.

No exception leaves a command as a traceback. FILLPATH_DEBUG=1 shows the traceback too.
"""

import contextlib
import errno
import io
import locale
import logging
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from fillpath import paths
from fillpath.errors import FillpathError

# Where another folder helps.
_NOT_WRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
_SIZE = "raise its limit (ulimit -v, or that of the job), or take a smaller matrix"


def ended(run: Callable[[], int | None]) -> int:
    """Run a command. Returns its exit status, 0 for None; 2 for a senseless request, 1 for other failures."""
    _prepare()
    try:
        return _flushed(run) or 0
    except KeyboardInterrupt:
        _say("interrupted; everything finished is stored")
        return 130
    except Exception as error:
        if os.environ.get("FILLPATH_DEBUG", "0") not in ("", "0"):
            traceback.print_exc()
        if not isinstance(error, BrokenPipeError):
            _say(line(error))
        _give_up_output()
        return 2 if isinstance(error, FillpathError) else 1


def _flushed(run: Callable[[], int | None]) -> int | None:
    """Run a command, and flush its output, so that a failed write is reported here."""
    try:
        status: int | SystemExit | None = run()
    except SystemExit as exit:
        status = exit
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if isinstance(status, SystemExit):
        raise status
    return status


def line(error: Exception) -> str:
    """Say what happened, and what to do."""
    if isinstance(error, FillpathError):
        return " ".join(str(error).splitlines())
    text = " ".join(str(error).split())
    too_large = isinstance(error, MemoryError) or getattr(error, "errno", 0) == errno.ENOMEM
    if too_large or "failed to map segment" in text:
        return f"too little memory: {text[:200] or type(error).__name__}; {_SIZE}"
    if isinstance(error, OSError):
        place = str(error.filename2 or error.filename or "input or output")
        advice = paths.remedy(place) if error.errno in _NOT_WRITABLE else ""
        return f"{place}: {error.strerror or error}{advice}"
    log = _log()
    kept = f"its log is {log}" if log else "FILLPATH_DEBUG=1 shows where"
    return f"{type(error).__name__}: {text[:300]}; this is a mistake in fillpath: please report it; {kept}"


def _log() -> Path | None:
    """Write the traceback of the present exception to a file; None where no folder can be written."""
    name = f"error-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.txt"
    for folder in (paths.WORK / "logs", Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(traceback.format_exc(), encoding="utf-8", errors="backslashreplace")
            return folder / name
    return None


def _say(line: str) -> None:
    with contextlib.suppress(OSError):
        print(f"fillpath: {line}", file=sys.stderr, flush=True)


def _prepare() -> None:
    """Give standard streams that were closed a place, and have those that lack a character write its code."""
    for name in ("stdin", "stdout", "stderr"):
        # The first that is opened takes the lowest number that is free, so no file of a command's does.
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    logging.raiseExceptions = False


def _give_up_output() -> None:
    """Discard what standard output still holds, where it cannot be written."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def use_utf8() -> None:
    """Begin this program again in Python's UTF-8 mode, unless the locale's encoding is UTF-8."""
    encoding = locale.getpreferredencoding(False).lower().replace("-", "")
    if encoding != "utf8" and os.environ.get("PYTHONUTF8") != "1":
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
