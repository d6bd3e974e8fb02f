"""Everything that the page needs from the records, on all cores: the figures, and the claims of each machine.

One process per core, each of which reads the records once. What one figure fails at stops no other.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
class OneMachine:
    """A machine without any other, and the folder of its figures."""

    name: str
    site: Path


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
    only: OneMachine | None = None,
    advance: Callable[[int, int], None] = lambda done, of: None,
) -> Result:
    """Judge the claims of these machines, and draw figures.

    judged : the cases behind every figure that decides a claim
    drawn : the cases behind each figure to draw
    here : names of this machine, whose pictures are preferred
    entries : of the catalogue
    begin : what a process does first
    only : the machine whose records alone are drawn and judged, None for the page of all
    advance : called with how much is done, and of how much, after each figure and each paper's claims

    Raises UnknownNameError for a machine without records.
    """
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn"), initializer=begin) as pool:
        # The longest first: each is of one paper.
        judgements = {
            (machine, paper): pool.submit(_judge, machine, paper, judged, entries, only)
            for machine in machines
            for paper in paper_names()
        }
        pictures = {
            pair: pool.submit(_draw, *pair, cases, here, entries, only) for pair, cases in drawn.items()
        }
        futures: list[Future[Any]] = [*judgements.values(), *pictures.values()]
        for done, _ in enumerate(as_completed(futures), start=1):
            advance(done, len(futures))
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


def _judge(
    machine: str, paper: str, cases: CasesByFigure, entries: Entries, only: OneMachine | None
) -> Judgement:
    return judge(machine, _records(only), entries, lambda paper, figure: cases[paper, figure], [paper])


def _draw(
    paper: str,
    figure: str,
    cases: Sequence[Case],
    here: Sequence[str],
    entries: Entries,
    only: OneMachine | None,
) -> None:
    draw(paper, figure, cases, _records(only), entries, here, only.site if only else None)


@functools.cache
def _records(only: OneMachine | None) -> Records:
    """The records of all machines or of that one, as they are when a process first asks."""
    registry.load_all()
    return Records.load(only.name if only else None)
