"""Everything that the page needs from the records, on all cores: the figures, and the claims of each machine.

One process per core, forked from this one, which has read the records. What one figure fails at stops no
other.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fillpath.case import Case
from fillpath.papers import paper_names
from reports.claims.standing import Standing
from reports.facts.entries import Entries
from reports.facts.records import Records
from reports.figures import draw
from reports.pages.ledger import Judgement, judge

# The cases behind each (paper, figure).
CasesByFigure = Mapping[tuple[str, str], Sequence[Case]]


@dataclass(frozen=True)
class Sources:
    """What all processes share.

    records : of all machines, or of one
    judged : the cases behind every figure that decides a claim
    here : names of this machine, whose pictures are preferred
    entries : of the catalogue
    site : the folder of the figures, None for the page's own
    """

    records: Records
    judged: CasesByFigure
    here: Sequence[str]
    entries: Entries
    site: Path | None = None


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
    sources: Sources,
    drawn: CasesByFigure,
    begin: Callable[[], None],
) -> Result:
    """Judge the claims of these machines, and draw figures.

    drawn : the cases behind each figure to draw
    begin : what a process does first

    Raises UnknownNameError for a machine without records.
    """
    with workers(sources, begin) as pool:
        # The longest first: each is of one paper.
        judgements = {
            (machine, paper): pool.submit(_judge, machine, paper)
            for machine in machines
            for paper in paper_names()
        }
        pictures = {pair: pool.submit(_draw, *pair, cases) for pair, cases in drawn.items()}
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


def workers(sources: Sources, begin: Callable[[], None]) -> Executor:
    """Return one process per core. Forked ones share what this process has imported and read."""
    fork = multiprocessing.get_context("fork")
    return ProcessPoolExecutor(os.cpu_count(), fork, initializer=share, initargs=(sources, begin))


# Of this process, set once, when it begins.
_sources: list[Sources] = []


def share(sources: Sources, begin: Callable[[], None]) -> None:
    """Keep what `_judge` and `_draw` use, and begin."""
    _sources[:] = [sources]
    begin()


def _judge(machine: str, paper: str) -> Judgement:
    (of,) = _sources
    return judge(machine, of.records, of.entries, lambda paper, figure: of.judged[paper, figure], [paper])


def _draw(paper: str, figure: str, cases: Sequence[Case]) -> None:
    (of,) = _sources
    draw(paper, figure, cases, of.records, of.entries, of.here, of.site)
