"""Close the run."""

import argparse

from benchmarks.engine import run as runs


def run(arguments: argparse.Namespace) -> int:
    runs.finish()
    return 0
