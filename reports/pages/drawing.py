"""Standings of each machine and figures, made from the records on all cores.

A task is a figure: its standings on each machine and the picture of one machine. One process per core, forked
from this one, which has read the records. A failing figure stops no other.
"""

import functools
import logging
import multiprocessing
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

from fillpath.case import Case
from fillpath.papers import paper_names
from reports.claims.verdict import Standing
from reports.facts.claims import claims
from reports.facts.printed import Entries
from reports.facts.records import Records
from reports.figures import View, deciding, draw, pictured, view
from reports.pages.ledger.standing import standings_of

# The cases behind a (paper, figure).
CasesOf = Callable[[str, str], Sequence[Case]]


@dataclass(frozen=True)
class Sources:
    """The sources that all processes share.

    records : of the machines that are judged
    cases_of : gives the cases behind every figure that is judged or drawn
    here : names of this machine, whose pictures are preferred
    site : the folder of the figures, None for the page's own
    """

    records: Records
    cases_of: CasesOf
    entries: Entries
    here: Sequence[str] = ()
    site: Path | None = None

    @functools.cached_property
    def machines(self) -> Mapping[str, Records]:
        """The records of each machine."""
        return {machine: self.records.of_machine(machine) for machine in self.records.machines()}


class Result(NamedTuple):
    """Standings by machine, in the order of config/claims/, and errors of figures by (paper, figure)."""

    standings: tuple[Standing, ...]
    failed: Mapping[tuple[str, str], str]


def make(
    sources: Sources,
    begin: Callable[[], None],
    drawn: Collection[tuple[str, str]] = (),
    papers: Collection[str] | None = None,
) -> Result:
    """Judge the claims of the machines, and draw figures; warn of those that failed.

    begin : what a process does first
    drawn : the (paper, figure) of each figure to draw
    papers : whose claims are judged, None for all
    """
    judged = [paper for paper in paper_names() if papers is None or paper in papers]
    decide = [(paper, figure) for paper in judged for figure in deciding(paper).values()]
    _sources[:] = [sources]
    with workers(begin) as pool:
        pairs = dict.fromkeys([*decide, *drawn])
        tasks = {pair: pool.submit(_figure, *pair, pair in drawn) for pair in pairs}
        found = {pair: task.result() for pair, task in tasks.items()}
    of_none = [View(paper, "", machine) for machine in sources.machines for paper in judged]
    every = [*(each for each, _ in found.values()), *map(standings_of, of_none)]
    places = {key: place for place, key in enumerate(product(sources.machines, claims()))}
    standings = [each for some in every for each in some if each.claim.paper in judged]
    standings.sort(key=lambda each: places[each.machine, each.claim.id])
    failed = {pair: reason for pair, (_, reason) in found.items() if reason}
    for pair, reason in failed.items():
        logging.getLogger("fillpath").warning("%s %s", ".".join(pair), reason)
    return Result(tuple(standings), failed)


# The sources of this process, which forked ones share.
_sources: list[Sources] = []


def workers(begin: Callable[[], None]) -> Executor:
    """Return one process per core, forked from this one when a task is submitted."""
    return ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork"), initializer=begin)


def _figure(paper: str, figure: str, drawn: bool) -> tuple[list[Standing], str]:
    """Return the standings of a figure's claims on each machine, and the error of a figure that failed."""
    (of,) = _sources
    cases = of.cases_of(paper, figure)
    views = [view(paper, figure, records, of.entries, cases) for records in of.machines.values()]
    reasons = [f"not judged on {each.machine}: {each.failure}" for each in views if each.failure]
    try:
        if drawn:
            draw(pictured(views, of.here) or view(paper, figure, Records(), of.entries, cases), of.site)
    except Exception as error:
        reasons.append(f"not drawn: {type(error).__name__}: {error}")
    return [standing for each in views for standing in standings_of(each)], "; ".join(reasons)
