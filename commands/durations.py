"""Time the kernels of cases by CUPTI.

Each case needs an ok record of today's sources on this machine. Exit status 1 where one could not be
timed."""

from functools import partial

from benchmarks.probes.cupti import DURATIONS
from commands._cases import add_cases, count_each

add_arguments = partial(add_cases, example="numeric.glu3@onetone2.mc64+amd")
run = partial(count_each, DURATIONS.collect)
