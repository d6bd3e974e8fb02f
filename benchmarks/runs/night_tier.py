"""Which tier of `make gpu` a night on a machine with a GPU measures: the largest that fits its time limit."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace

from benchmarks.runs.night_noise import FIRST
from benchmarks.runs.plan import Plan, plan
from benchmarks.runs.plan_text import duration_text
from benchmarks.runs.tiers import ALL, QUICK
from fillpath.settings import Settings
from impl.cuda import kernels

# What of the limit the first rounds may take: the rest is for cases that stay undecided, and for downloads.
SHARE = 0.5
# The base and one commit.
COMMITS = 2


def tier_that_fits(chosen: Settings) -> Mapping[str, str]:
    """The FILLPATH_ variables of the tier; the smallest where none fits, as the limit then ends the night.

    None where a paper, figure or device was chosen, or where there is no limit or no GPU.
    """
    narrowed = chosen.paper or chosen.figure or chosen.device
    if narrowed or chosen.limit is None or not kernels.available()[0]:
        return {}
    whole = replace(chosen, fresh=True, processes=FIRST * COMMITS, limit=None)
    quick = replace(whole, paper=QUICK["FILLPATH_PAPER"], device=QUICK["FILLPATH_DEVICE"])
    for name, settings in (("rest", whole), ("figures", quick)):
        seconds = seconds_of(plan(settings))
        fits = seconds <= SHARE * chosen.limit
        if fits or settings is quick:
            ending = "" if fits else ", more than fits: the limit will end it"
            print(
                f"fillpath: tier {name} of make gpu, the first rounds about {duration_text(seconds)}{ending}",
                file=sys.stderr,
            )
            return {
                key: value
                for key, value in (ALL if settings is whole else QUICK).items()
                if key in _OF_A_TIER
            }
    raise AssertionError("the last tier is always taken")


_OF_A_TIER = ("FILLPATH_PAPER", "FILLPATH_FIGURE", "FILLPATH_DEVICE")


def seconds_of(planned: Plan) -> float:
    """What is predicted, and of cases of unknown time what they cannot exceed."""
    lines = planned.lines
    return sum(
        line.bound if any(case.call is None for case in line.cases) else line.seconds for line in lines
    )
