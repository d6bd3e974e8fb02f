"""The door that a message in impl/cpu/ranks.py names: mpirun -n 4 python -m benchmarks.ranks CASE.

`fillpath run` starts the ranks of a case itself. So the first of mpirun's processes calls it, on all cores of
mpirun, and the others end. To change the message would void the records of everything that runs on ranks.
"""

import os
import runpy
import sys

from fillpath.case import Case
from fillpath.ending import ended

# The number of a process of Open MPI or MPICH; the command forgets all of MPI's variables.
NUMBERS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK")


def _run() -> None:
    sys.argv[1:] = Case.parse(" ".join(sys.argv[1:])).command[1:]
    runpy.run_module("fillpath", run_name="__main__")


if __name__ == "__main__":
    if os.environ.get("OMPI_COMM_WORLD_LOCAL_SIZE") != os.environ.get("OMPI_COMM_WORLD_SIZE"):
        sys.exit("fillpath: all ranks of a case are measured on one host: leave mpirun's other hosts out")
    if any(os.environ.get(name, "0") != "0" for name in NUMBERS):
        sys.exit()
    os.sched_setaffinity(0, os.sched_getaffinity(os.getppid()))
    sys.exit(ended(_run))
