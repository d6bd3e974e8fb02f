"""Compile what the suite calls on CPUs, on all cores."""

from __future__ import annotations

import argparse
import os

from benchmarks.runs.compiled import note
from fillpath.paths import write_text
from fillpath.settings import settings


def run(arguments: argparse.Namespace) -> int:
    chosen = settings()
    marker = note(chosen)
    if not marker.is_file():
        # These import every implementation, which takes longer than the look-up.
        from benchmarks.runs.cases import suite_cases
        from benchmarks.runs.compiling import compile_for

        compile_for(suite_cases(chosen), len(os.sched_getaffinity(0)))
        write_text(marker, "")
    return 0
