"""What asv's benchmark processes say of their cases, one line each, passed on by what started asv.

asv keeps its children's output to itself, so the lines go through a file that FILLPATH_PROGRESS names.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from fillpath.record import Record
from fillpath.settings import PROGRESS

_REFUSED, _ROUND = "refused", "process"


def say_refused(case: str, error: Exception) -> None:
    """That nothing can be stored any more."""
    _say(f"{_REFUSED} {case}: {error}")


def say_round(process: int, count: int, record: Record) -> None:
    """That the processes of that number, from 0, have begun on a record's input."""
    line = f"{_ROUND} {process + 1} of {count} on {record.case.partition('@')[2]}"
    _say_once(line, mark=line)


def say_result(record: Record, median: float | None) -> None:
    """What became of a case."""
    shown = f"{median:.4g} s" if median is not None else record.reason.partition("\n")[0]
    _say_once(f"{record.status:<13} {record.case}  {shown}", mark=f" {record.case} ")


def pass_on(process: subprocess.Popen[bytes], progress: Path, expected: int) -> tuple[int, str]:
    """Print the lines as they come, until the process ends: how many cases there were, and why one was
    refused."""
    reported, refusal = 0, ""
    with progress.open() as lines:
        running = True
        while running:
            running = process.poll() is None
            for line in _complete_lines(lines):
                if line.startswith(_REFUSED):
                    refusal = refusal or line.removeprefix(_REFUSED).strip()
                    continue
                reported += not line.startswith(_ROUND)
                print(f"[{reported}/{expected}] {line}", end="", file=sys.stderr, flush=True)
            if running:
                time.sleep(0.1)
    return reported, refusal


def _complete_lines(handle: TextIO) -> Iterator[str]:
    """What was added to the file since, but for a line that is still being written."""
    while True:
        place = handle.tell()
        line = handle.readline()
        if not line.endswith("\n"):
            handle.seek(place)
            return
        yield line


def _say_once(line: str, mark: str) -> None:
    """Unless a line with that mark was written before."""
    path = os.environ.get(PROGRESS)
    if path and mark not in Path(path).read_text():
        _say(line)


def _say(line: str) -> None:
    path = os.environ.get(PROGRESS)
    if path:
        with Path(path).open("a") as handle:
            handle.write(f"{line}\n")
