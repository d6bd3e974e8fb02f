"""The parts that counted runs share: the record of the case, the child process, its calls and the file."""

import contextlib
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.engine import run
from benchmarks.engine.benchmark import benchmark_of
from benchmarks.engine.crew import Alone
from benchmarks.engine.current import reusable_record
from benchmarks.engine.follow import adopt
from benchmarks.engine.inputs import make_ready
from benchmarks.engine.limits import Limits
from benchmarks.engine.tasks import brought
from fetch.prepare import prepared_path
from fillpath.case import Case
from fillpath.errors import FillpathError
from fillpath.paths import results, write_json
from fillpath.record import Record, Status
from fillpath.registry import Implementation


class CountingError(FillpathError):
    """A case could not be counted."""


def measured(case: Case, implementation: Implementation) -> Record:
    """Return the case's ok record of today's sources. Raises CountingError without one."""
    if implementation.device != "gpu":
        raise CountingError(f"{case.name}: {implementation.name} runs on the CPU, where nothing is counted")
    available, reason = implementation.available()
    if not available:
        raise CountingError(f"{case.name}: {reason}")
    prepared = make_ready(case, Limits(), run.alone())
    record = reusable_record(case, prepared.hash, Limits(samples=1))
    if record is None or record.status is not Status.OK:
        raise CountingError(
            f"{case.name}: no ok record of today's sources here: measure it first: {shlex.join(case.command)}"
        )
    return record


def counts_path(tool: str, machine: str, case: str) -> Path:
    """Return where the counts of a case are stored."""
    return results() / machine / tool / f"{case}.json"


def store(tool: str, record: Record, content: Mapping[str, Any]) -> Path:
    """Write counts with the key of their record. Return the file."""
    path = counts_path(tool, record.machine, record.case)
    about = {name: getattr(record, name) for name in ("case", "key", "machine", "device")}
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    stored = {"schema": 1, "started_at": now, **about, **content}
    write_json(path, stored)
    return path


def run_child(command: Sequence[str], seconds: float, name: str) -> subprocess.CompletedProcess[str]:
    """Run a command that calls the implementation. Raises CountingError where it takes too long.

    The result's `stdout` is all that the command printed.
    """
    adopt()
    # A group of its own: a profiler's end would leave its child, which is not ours, at work on the device.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        start_new_session=True,
    )  # fmt: skip
    try:
        out, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise CountingError(f"{name} was not done within {seconds:g} s") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return subprocess.CompletedProcess(command, process.returncode, out + errors)


def why(ended: subprocess.CompletedProcess[str], label: str = "") -> str:
    """Return the child's message after a label; else the signal that killed it, and its last line."""
    lines = [line.strip() for line in ended.stdout.splitlines() if line.strip()]
    messages = [line.removeprefix(label) for line in lines if label and line.startswith(label)]
    killed = [f"killed by signal {-ended.returncode}"] if ended.returncode < 0 else []
    return messages[-1] if messages else ": ".join([*killed, *lines[-1:]])


def subject(case: Case) -> tuple[Callable[[], Any], Callable[[Any, str], None]]:
    """Bring the input of a case to where it is used. Raises as `brought`.

    Returns the call, which returns a result and its work when the device is done, and a check of results. The
    check raises CountingError for a wrong result, with the time that it is given.
    """
    path = prepared_path(case.matrix, case.preparation, case.seed)
    context, where, call = brought(case, path, Alone())
    benchmark = benchmark_of(case.stage)

    def check(result: Any, when: str) -> None:
        assert context is not None
        verdict = benchmark.check(benchmark.evidence(result, context, where.fetch), context)
        if not verdict.passes:
            raise CountingError(f"wrong {when}: {verdict.method}: {verdict.value:g}")

    return where.sampled(call), check


def child_status(tool: str, name: str, work: Callable[[Case], object]) -> int:
    """Do a child's part for a case; an error is a line that its parent reads. Return the exit status."""
    try:
        work(Case.parse(name))
    except Exception as error:
        kind = "" if isinstance(error, FillpathError) else f"{type(error).__name__}: "
        print(f"{tool}: {kind}{' '.join(str(error).split())}", file=sys.stderr)
        return 1
    return 0
