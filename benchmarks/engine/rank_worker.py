"""One rank of a measurement: a worker that shares its case with others, as its crew.

Started by `benchmarks.engine.mpirun` as `mpirun -n 4 python -m benchmarks.engine.rank_worker 4 JOB REPORTS`:
the file of the job, and the pipe that the first rank writes its reports to.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.engine import worker
from benchmarks.engine.crew import Ranks

# What one rank finds, the first one mostly finds too, and says as what it is.
FIRST_SECONDS = 3.0


def main() -> None:
    ranks, job, reports = int(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    _die_with_the_launcher()
    with reports.open("w") as pipe:

        def report(event: str, **values: Any) -> None:
            pipe.write(json.dumps({"event": event, **values}) + "\n")
            pipe.flush()

        crews: list[Ranks] = []
        if not worker.reported(report, lambda: crews.append(Ranks(ranks))):
            sys.exit(1)
        (crew,) = crews

        def report_failure(event: str, **values: Any) -> None:
            """Of a rank that is not the first: what else happens, the first one reports."""
            if event == "failed":
                time.sleep(FIRST_SECONDS)
                report("failed", **{**values, "reason": f"rank {crew.rank}: {values['reason']}"})

        chosen = report if crew.first else report_failure
        done = False
        try:
            done = worker.reported(chosen, lambda: worker.measure(job, chosen, crew))
        finally:
            # The others wait for this one, which may end by `exit` too.
            if not done:
                crew.abort()


def _die_with_the_launcher() -> None:
    """Have the kernel kill this rank when what started it dies; end now if that is dead already."""
    worker.die_first(os.getppid())
    if not Path(f"/proc/{os.getsid(0)}/exe").exists():
        sys.exit("the launcher died before the rank began")


if __name__ == "__main__":
    main()
