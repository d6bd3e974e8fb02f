"""Read hardware counters of cases by Nsight Compute.

Each case needs an ok record of today's sources on this machine. Exit status 1 where one could not be read."""

from benchmarks.probes.counters import count
from commands._cases import add_cases, count_each
from commands._parser import Arguments, Parser


def add_arguments(parser: Parser) -> None:
    add_cases(parser, "symbolic.gsofa@bcsstk18.metis")


def run(arguments: Arguments) -> int:
    return count_each(arguments.case, count)
