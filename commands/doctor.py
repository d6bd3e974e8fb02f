"""Say what this machine is, what can run on it and why not."""

from __future__ import annotations

import argparse

from benchmarks.probes.doctor import diagnosis


def run(arguments: argparse.Namespace) -> int:
    print(diagnosis())
    return 0
