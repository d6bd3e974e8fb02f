"""Read hardware counters of cases by Nsight Compute.

Each case needs an ok record of today's sources on this machine. Exit status 1 where one could not be read."""

from functools import partial

from benchmarks.probes.counters import count
from commands._cases import add_cases, count_each

add_arguments = partial(add_cases, example="symbolic.gsofa@bcsstk18.metis")
run = partial(count_each, count)
