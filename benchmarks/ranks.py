"""The door for `mpirun -n 4 python -m benchmarks.ranks CASE`: impl/cpu/ranks.py names it in a message, and to
change that message would void the records of everything that runs on ranks."""

import sys

from benchmarks.probes.ranks import main

if __name__ == "__main__":
    sys.exit(main())
