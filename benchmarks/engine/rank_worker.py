"""One rank of a measurement: a worker that shares its case with others, as its crew.

`benchmarks.engine.mpirun` starts it as `mpirun -n 4 python -m benchmarks.engine.rank_worker 4 JOB REPORTS`,
with the file of the job, and the pipe of the first rank's reports.
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

# A failure of one rank is mostly one of the first too, whose report is better and comes sooner.
FIRST_SECONDS = 3.0


def main() -> None:
    """Measure as one rank of the arguments."""
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
            """Report a failure of a rank that is not the first; the first reports everything else."""
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
