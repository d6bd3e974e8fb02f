"""The door for `mpirun -n 4 python -m benchmarks.ranks CASE`, which is `python -m fillpath ranks CASE`.

impl/cpu/ranks.py names it in a message, and to change that message would void the records of everything that
runs on ranks.
"""

import runpy
import sys

if __name__ == "__main__":
    sys.argv.insert(1, "ranks")
    runpy.run_module("fillpath", run_name="__main__")
