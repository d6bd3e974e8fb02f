"""Which figures can be drawn, and drawing one. The module or package `reports.<paper>` lists a paper's own in
`FIGURES`."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from fillpath.errors import UnknownNameError, suggest
from reports import style
from reports.claims import PAPERS
from reports.records import MatrixEntry, Records
from reports.standings import Verdict

Entries = Sequence[MatrixEntry]
FrameFunction = Callable[[Records, Entries, Sequence[Case]], pd.DataFrame]


@dataclass(frozen=True)
class FigureSpec:
    """How one figure is made. select : which cases it concerns. state : how much of the printed figure is
    drawn. claims : the ids in claims.yaml that the drawing speaks to. judge : what became of them, by the
    frame. one_run : it shows ratios, for which records of one run are chosen where they are not the last."""

    title: str
    select: Callable[[Case], bool]
    frame: FrameFunction
    plot: Callable[[pd.DataFrame], Figure]
    caption: Callable[[pd.DataFrame], str]
    state: str = "drawn"
    claims: tuple[str, ...] = ()
    judge: Callable[[pd.DataFrame], Sequence[Verdict]] = lambda frame: ()
    one_run: bool = False


def specs(paper: str) -> Mapping[str, FigureSpec]:
    """The figures of a paper, none where it has no module yet. Raises UnknownNameError."""
    if paper not in PAPERS:
        hint = suggest(paper, PAPERS) or f"; one of {', '.join(PAPERS)}"
        raise UnknownNameError(f"paper {paper!r} is unknown{hint}")
    if importlib.util.find_spec(f"reports.{paper}") is None:
        return {}
    found: Mapping[str, FigureSpec] = importlib.import_module(f"reports.{paper}").FIGURES
    return found


def available_figures() -> list[tuple[str, str]]:
    """Every (paper, figure) that `draw` knows."""
    return [(paper, figure) for paper in PAPERS for figure in specs(paper)]


def spec(paper: str, figure: str) -> FigureSpec:
    """How that figure is made. Raises UnknownNameError with suggestions."""
    known = specs(paper)
    if figure not in known:
        hint = suggest(figure, known) or f"; it has {', '.join(known) or 'none yet'}"
        raise UnknownNameError(f"paper {paper} has no figure {figure!r} here{hint}")
    return known[figure]


def figure_of(paper: str, subject: str) -> str:
    """The figure that speaks to a subject of claims.yaml. Raises UnknownNameError where none does."""
    found = next((figure for figure, spec in specs(paper).items() if subject in spec.claims), None)
    if found is None:
        raise UnknownNameError(f"no figure here speaks to {paper}.{subject}: nothing measures it")
    return found


def draw(paper: str, figure: str, cases: Sequence[Case], records: Records, entries: Entries) -> list[Path]:
    """Draw one figure from the records: SVG, PNG and CSV in the site. Returns their paths."""
    found = spec(paper, figure)
    chosen = [case for case in cases if found.select(case)]
    records = records.of_one_run(chosen) if found.one_run else records
    frame = found.frame(records, entries, chosen)
    stamp = style.Stamp.of(records.frame(chosen))
    verdicts = [(verdict.key, verdict.text) for verdict in found.judge(frame)]
    return style.save(found.plot(frame), frame, stem(paper, figure), stamp, found.caption(frame), verdicts)


def stem(paper: str, figure: str) -> str:
    """The file name of a figure, without its ending."""
    return f"{paper}_{figure}"
