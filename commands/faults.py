"""Count the page faults of cases by CUPTI.

Each case needs an ok record of today's sources on this machine. Exit status 1 where one could not be
counted."""

from functools import partial

from benchmarks.probes.cupti import FAULTS, counted_cases
from commands._cases import add_cases, count_each
from commands._parser import Arguments
from fillpath.settings import settings

DEFAULT = " (default: PPoPP'23's Table 3 and GSoFA's Figure 18 in the run of the settings)"

add_arguments = partial(add_cases, example="symbolic.unified_memory@bcsstk18.metis", default=DEFAULT)


def run(arguments: Arguments) -> int:
    arguments.case = arguments.case or [case.name for case in counted_cases(settings())]
    return count_each(FAULTS.collect, arguments)
