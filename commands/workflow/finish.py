"""Close the run."""

from benchmarks.engine import run as runs
from commands._parser import Arguments


def run(arguments: Arguments) -> int:
    runs.finish()
    return 0
