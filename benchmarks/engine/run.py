"""A run: one id and one deadline shared by every process of a `make figures`, across kills and nodes."""

import json
import os
import secrets
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from fillpath.hardware import read
from fillpath.host import machine_name
from fillpath.paths import WORK, write_json, write_text

_RUN = WORK / "run.json"
_MACHINES = WORK / "machines"


@dataclass(frozen=True)
class Run:
    """The shared facts of one run's measurements.

    id : of the run; records that share it are compared
    deadline : Unix time, None without a limit
    settings : of the run, as text
    """

    id: str
    deadline: float | None
    settings: str

    def remaining(self) -> float:
        """Return the seconds to the deadline, infinite without a limit."""
        return float("inf") if self.deadline is None else self.deadline - time.time()


def begin(settings: str, limit: float | None) -> Run:
    """Open a run, or resume the unfinished run of the same settings.

    limit : float, seconds from now
    """
    run_id, unfinished = _new_id(), current()
    if unfinished is not None and unfinished.settings == settings:
        run_id = unfinished.id
        print(f"fillpath: resuming the unfinished run {run_id}", file=sys.stderr)
    run = Run(run_id, None if limit is None else time.time() + limit, settings)
    write_json(_RUN, asdict(run))
    return run


def current() -> Run | None:
    """Return the unfinished run of this checkout, None without."""
    try:
        return Run(**json.loads(_RUN.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def finish() -> None:
    """Close the run."""
    _RUN.unlink(missing_ok=True)


def note_machine(stage: str) -> None:
    """Write down where a stage was measured last, for the host that draws."""
    write_text(_MACHINES / stage, machine_name())


def machine_of(stage: str) -> str:
    """Return the machine that measured the stage last, this machine if none did."""
    return read(_MACHINES / stage) or machine_name()


def alone() -> Run:
    """Return a run of this process alone, which ends with it."""
    return Run(f"{_new_id()}-{os.getpid()}", None, "")


def _new_id() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
