"""What the probes share that count by CUPTI, `faults` and `durations`: a child that writes what it counted,
as JSON, to a file, and its parent, which reads it."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.probes.counting import CountingError, run_child
from fillpath.case import Case
from fillpath.errors import FillpathError
from fillpath.host import node_lock
from fillpath.lock import exclusive
from fillpath.paths import write_text

# What counts a case and writes its counts to a file.
Command = Callable[[Case, Path], Sequence[str]]


def counted_by_child(case: Case, command: Command, seconds: float, tool: str, doing: str) -> dict[str, Any]:
    """What a child wrote that counts the case alone on this node.

    seconds : that it may take
    tool : begins a message of the child's
    doing : what it does, for a message of its parent's

    Raises CountingError where it takes longer or writes nothing.
    """
    with tempfile.TemporaryDirectory() as folder, exclusive(node_lock("measurement")):
        target = Path(folder) / "counted.json"
        ended = run_child(command(case, target), seconds, f"{case.name}: {doing}")
        # It is written last and whole: how the child, and CUPTI in it, end after that does not matter.
        if not target.is_file():
            raise CountingError(f"{case.name}: {ended.message(f'{tool}: ')}")
        counted: dict[str, Any] = json.loads(target.read_text())
    return counted


def write_counted(target: Path, count: Callable[[], Mapping[str, Any]]) -> None:
    """The child's part. Raises FillpathError, whatever happens: its parent shows one line."""
    try:
        write_text(target, json.dumps(count()))
    except FillpathError:
        raise
    except Exception as error:
        raise CountingError(f"{type(error).__name__}: {' '.join(str(error).split())}") from error


def clocked(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds until the device is done, and what the call gives."""
    start = time.perf_counter()
    outcome = call()
    return time.perf_counter() - start, outcome
