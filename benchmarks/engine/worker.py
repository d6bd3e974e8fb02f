"""The worker process of one measurement: does a task of `tasks`, and reports each step at once.

`workers` starts it, with a pipe for its reports and the modules that it imports, or `template` forks it. It
writes no record: its supervisor does, whatever becomes of it. `mpirun` is the same for one of several ranks.

    python -m benchmarks.engine.worker REPORTS SUPERVISOR MODULE...

Standard input has two lines, for instance:

    {"task": "prepare", "case": "symbolic.fill1@HB+bcsstk18.metis", "reference": true, "threads": 8}
    go                                                     when a measurement may take samples
"""

import contextlib
import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from benchmarks.engine.follow import die_with
from fillpath.errors import FillpathError
from impl.cuda.device import is_out_of_memory

Report = Callable[..., None]


def main() -> None:
    reports, supervisor, *modules = sys.argv[1:]
    die_first(int(supervisor))
    os.write(int(reports), b"\n")
    import_early(modules)
    serve(int(reports))


def serve(reports: int) -> None:
    """Read the job and do it. reports : the pipe, as a file descriptor."""
    job = json.loads(sys.stdin.readline())
    with os.fdopen(reports, "w") as pipe:
        write = reports_to(pipe)

        def report(event: str, **values: Any) -> None:
            write(event, **values)
            if event == "sampling":
                sys.stdin.readline()

        reported(report, lambda: perform(job, report))


def perform(job: Mapping[str, Any], report: Report, *crew: Any) -> None:
    """Do the task of a job. crew : the ranks that do it together, if several do."""
    from benchmarks.engine.tasks import TASKS

    TASKS[job["task"]](job, report, *crew)


def reports_to(pipe: IO[str]) -> Report:
    """Return a function that writes each report at once, as a line of JSON."""
    return lambda event, **values: print(json.dumps({"event": event, **values}), file=pipe, flush=True)


def reported(report: Report, work: Callable[[], None]) -> bool:
    """Do the work, and report how it failed. Returns whether it did not."""
    try:
        work()
        return True
    except MemoryError as error:
        report("failed", status="out_of_memory", reason=f"MemoryError: {error}")
    except FillpathError as error:
        report("failed", status=error.status, reason=str(error))
    except Exception as error:
        # After an error of a kernel's, nothing works any more on the device: the worker ends here.
        traceback.print_exc()
        status = "out_of_memory" if is_out_of_memory(error) else "error"
        report("failed", status=status, reason=f"{type(error).__name__}: {error}")
    return False


def die_first(parent: int) -> None:
    """Have the kernel kill this process when its parent dies, and pick it first when memory runs out."""
    die_with(parent)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def import_early(modules: Sequence[str]) -> None:
    """Import the modules early. Errors are ignored: the job imports them again and reports."""
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)


if __name__ == "__main__":
    main()
