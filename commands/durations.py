"""Time the kernels of cases by CUPTI.

Each case needs an ok record of today's sources on this machine. Exit status 1 where one could not be
timed."""

from benchmarks.probes.cupti import DURATIONS
from commands._cases import add_cases, count_each
from commands._parser import Arguments, Parser


def add_arguments(parser: Parser) -> None:
    add_cases(parser, "numeric.glu3@onetone2.mc64+amd")


def run(arguments: Arguments) -> int:
    return count_each(arguments.case, DURATIONS.collect)
