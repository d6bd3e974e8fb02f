"""Processes that end with the process that started them, however that ends.

    python -m benchmarks.engine.follow COMMAND...      run a command so

A process cannot handle a SIGKILL, so each asks the kernel to kill it when its parent dies.
"""

import ctypes
import os
import signal
import sys

from fillpath.settings import PARENT

_PR_SET_PDEATHSIG = 1
# The words before those of a command, so that the command dies with this process.
FOLLOW = (sys.executable, "-m", "benchmarks.engine.follow")


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies; end now if the parent is gone already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the process that started this one has ended")


def die_with_parent() -> None:
    """Die with the process that FILLPATH_PARENT names, else with the parent."""
    # A job of Slurm's inherits the variable from the host that submitted it: it holds within one job.
    process, _, job = os.environ.get(PARENT, "").partition("@")
    die_with(int(process) if process and job == _job() else os.getppid())


def begin_part() -> None:
    """Begin a process that is part of a command: it dies with the command, and interrupts end it silently."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def adopt() -> None:
    """Make this process the one that its children die with."""
    os.environ[PARENT] = f"{os.getpid()}@{_job()}"


def _job() -> str:
    return os.environ.get("SLURM_JOB_ID", "")


if __name__ == "__main__":
    begin_part()
    adopt()
    # The command keeps this process's id and its wish to die with the parent.
    os.execvp(sys.argv[1], sys.argv[1:])
