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
    # A rank whose mpirun was killed may end in a message that never comes.
    worker.die_with(os.getppid())
    crew = Ranks(ranks)
    with reports.open("w") as pipe:

        def report(event: str, **values: Any) -> None:
            if crew.first:
                pipe.write(json.dumps({"event": event, **values}) + "\n")
                pipe.flush()
            elif event == "failed":
                print(values["reason"], file=sys.stderr, flush=True)

        if not worker.reported(report, lambda: worker.measure(job, report, crew)):
            time.sleep(0 if crew.first else FIRST_SECONDS)
            crew.abort()


if __name__ == "__main__":
    main()
