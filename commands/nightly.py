"""Measure the default branch's new commits and their base in turn, and report what became slower.

Exit status 1 for a regression that the last night did not know, 2 where a commit has no result at all."""

from benchmarks.engine.follow import die_with_parent
from benchmarks.probes.registers import changes
from benchmarks.runs.nightly import tonight
from commands._parser import Arguments


def run(arguments: Arguments) -> int:
    die_with_parent()
    night = tonight(changes)
    print(night.text)
    return night.status
