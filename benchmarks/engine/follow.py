"""Run a command that ends with the process that started it: `-m benchmarks.engine.follow mpirun ...`."""

from __future__ import annotations

import os
import sys

from benchmarks.engine.worker import die_with


def main() -> None:
    die_with(os.getppid())
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
