"""Close the run."""

from __future__ import annotations

import argparse

from benchmarks.engine import run as runs


def run(arguments: argparse.Namespace) -> int:
    runs.finish()
    return 0
