"""Processes that end with the one that started them, whatever ends that.

    python -m benchmarks.engine.follow COMMAND...      run a command so

A process cannot handle a SIGKILL, so each asks the kernel to kill it when its parent dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

from fillpath.settings import PARENT

_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies; end now if the parent is gone already."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the process that started this one has ended")


def die_with_parent() -> None:
    """Die with the process that FILLPATH_PARENT names, or with any where it names none."""
    # A job of Slurm's inherits the variable from the host that submitted it: it holds within one job.
    process, _, job = os.environ.get(PARENT, "").partition("@")
    die_with(int(process) if process and job == _job() else os.getppid())


def begin_part() -> None:
    """Begin a process that is a part of a command: it dies with it, and says nothing at an interrupt."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def adopt() -> None:
    """Make this process the one whose end its children are to follow."""
    os.environ[PARENT] = parent_mark()


def parent_mark() -> str:
    """What a child of this process is to find in FILLPATH_PARENT."""
    return f"{os.getpid()}@{_job()}"


def _job() -> str:
    return os.environ.get("SLURM_JOB_ID", "")


def main() -> None:
    die_with(os.getppid())
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
