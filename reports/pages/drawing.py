"""Everything that the page needs from the records, on all cores: the figures, and the claims of each machine.

One process per core, each of which reads the records once. What one figure fails at stops no other.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass

from fillpath import registry
from fillpath.case import Case
from fillpath.papers import paper_names
from reports.facts.entries import Entries
from reports.facts.records import Records
from reports.facts.standings import Standing
from reports.figures import draw
from reports.pages.ledger import Judgement, judge

# The cases behind each (paper, figure).
CasesByFigure = Mapping[tuple[str, str], Sequence[Case]]


@dataclass(frozen=True)
class Result:
    """What the records give.

    standings : of each machine, in the order of config/claims/
    failed : why a figure could not be judged or drawn, by (paper, figure)
    """

    standings: tuple[Standing, ...]
    failed: Mapping[tuple[str, str], str]


def make(
    machines: Sequence[str],
    judged: CasesByFigure,
    drawn: CasesByFigure,
    here: Sequence[str],
    entries: Entries,
    begin: Callable[[], None],
) -> Result:
    """Judge the claims of these machines, and draw figures.

    judged : the cases behind every figure that decides a claim
    drawn : the cases behind each figure to draw
    here : names of this machine, whose pictures are preferred
    entries : of the catalogue
    begin : what a process does first

    Raises UnknownNameError for a machine without records.
    """
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn"), initializer=begin) as pool:
        # The longest first: each is of one paper.
        judgements = {
            (machine, paper): pool.submit(_judge, machine, paper, judged, entries)
            for machine in machines
            for paper in paper_names()
        }
        pictures = {pair: pool.submit(_draw, *pair, cases, here, entries) for pair, cases in drawn.items()}
        reasons: dict[tuple[str, str], list[str]] = {}
        standings: list[Standing] = []
        for (machine, _), future in judgements.items():
            standings += future.result().standings
            for pair, reason in future.result().failures.items():
                reasons.setdefault(pair, []).append(f"not judged on {machine}: {reason}")
        for pair, picture in pictures.items():
            if reason := _failure(picture):
                reasons.setdefault(pair, []).append(f"not drawn: {reason}")
    return Result(tuple(standings), {pair: "; ".join(texts) for pair, texts in reasons.items()})


def _failure(future: Future[None]) -> str:
    """Why it failed, empty if it did not: a figure may fail at whatever records hold."""
    error = future.exception()
    return "" if error is None else f"{type(error).__name__}: {error}"


def _judge(machine: str, paper: str, cases: CasesByFigure, entries: Entries) -> Judgement:
    return judge(machine, _records(), entries, lambda paper, figure: cases[paper, figure], [paper])


def _draw(paper: str, figure: str, cases: Sequence[Case], here: Sequence[str], entries: Entries) -> None:
    draw(paper, figure, cases, _records(), entries, here)


@functools.cache
def _records() -> Records:
    """The records of all machines, as they are when a process first asks."""
    registry.load_all()
    return Records.load()
