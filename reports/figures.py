"""Which figures can be drawn, and drawing one: every module of a paper's package that holds an EXHIBIT."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from fillpath.case import Case
from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.nouns import content_hash
from fillpath.papers import paper as known_paper
from fillpath.papers import papers
from reports.exhibit import Exhibit
from reports.facts.claims import claims_of
from reports.facts.entries import Entries
from reports.facts.records import Records
from reports.one_machine import picture_machine, place, recorded
from reports.shapes import files, style

_ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}


@functools.cache
def exhibits(paper: str) -> dict[str, Exhibit]:
    """The figures of a paper by the names of their modules: tables, figures, what only its text says, what is
    beyond it; none where it has no package yet. Raises UnknownNameError."""
    known_paper(paper)
    if importlib.util.find_spec(f"reports.{paper}") is None:
        return {}
    package = importlib.import_module(f"reports.{paper}")
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    modules = {name: importlib.import_module(f"reports.{paper}.{name}") for name in names}
    figures = {name: module.EXHIBIT for name, module in modules.items() if hasattr(module, "EXHIBIT")}
    return dict(sorted(figures.items(), key=lambda item: (*_place(item[1].name), item[0])))


def available_figures() -> list[tuple[str, str]]:
    """Every (paper, figure) that `draw` knows."""
    return [(paper, figure) for paper in papers() for figure in exhibits(paper)]


def exhibit(paper: str, figure: str) -> Exhibit:
    """That figure. Raises UnknownNameError with suggestions."""
    known = exhibits(paper)
    if figure not in known:
        hint = suggest(figure, known) or f"; it has {', '.join(known) or 'none yet'}"
        raise UnknownNameError(f"paper {paper} has no figure {figure!r} here{hint}")
    return known[figure]


def figure_of(paper: str, subject: str) -> str:
    """The figure that speaks to a subject of config/claims/, the first of several. Raises UnknownNameError
    where none does, ConfigError where two judge the same claim by columns of one name."""
    known = {figure: shown for figure, shown in exhibits(paper).items() if subject in shown.subjects}
    if not known:
        raise UnknownNameError(f"no figure here speaks to {paper}.{subject}: nothing measures it")
    judges: dict[tuple[str, str], str] = {}
    for figure, shown in known.items():
        for claim, column in _judged(shown, subject):
            first = judges.setdefault((claim, column), figure)
            if first != figure:
                raise ConfigError(
                    f"{claim} is judged by the column {column!r} of two figures, {first} and {figure}: "
                    "take its subject out of the `claims` of one"
                )
    return next(iter(known))


def _judged(shown: Exhibit, subject: str) -> list[tuple[str, str]]:
    """The claims of a subject that the figure's columns are judged against, each with its column."""
    named = claims_of(shown.paper, subject) if subject in shown.claims else []
    return [(claim.id, held.column) for claim in named for held in claim.held if not held.beside]


def draw(
    paper: str,
    figure: str,
    cases: Sequence[Case],
    records: Records,
    entries: Entries,
    here: Collection[str] = (),
    site: Path | None = None,
) -> list[Path]:
    """Draw one figure from the records of one machine, unless it is drawn already: SVG and CSV in the site,
    and what the page shows. Returns their paths.

    here : names of the machine that runs the command, which is chosen where its records say enough
    site : the folder, None for the page's own
    """
    shown = exhibit(paper, figure)
    machine = picture_machine(shown, cases, records, entries, here)
    there = records.of_machine(machine) if machine else Records()
    cases = recorded(cases, there)
    there = there.of_one_run(cases) if shown.one_run else there
    frame, rows = shown.frame(there, entries, cases), there.frame(cases)
    stamp = style.Stamp.of(rows)
    verdicts = [(verdict.key, verdict.text) for verdict in shown.verdicts(frame)]
    words = " ".join(part for part in (place(rows), shown.words(frame, rows)) if part)
    name, note = stem(paper, figure), style.figure_path(stem(paper, figure), style.DRAWN, site)
    texts = (shown.name, shown.heading, words, repr(verdicts), repr(stamp))
    made_of = content_hash(name, *texts, files.frame_text(frame), files.code(paper))
    if files.is_drawn(note, made_of):
        return [style.figure_path(name, kind, site) for kind in ("svg", "csv")]
    written = style.save(shown.picture(frame), frame, name, stamp, words, verdicts, site)
    files.keep(note, made_of, written)
    return written[:2]


def stem(paper: str, figure: str) -> str:
    """The file name of a figure, without its ending."""
    return f"{paper}_{figure}"


def _place(name: str) -> tuple[int, int]:
    """Where a figure of that name stands among its paper's."""
    printed = re.search(r"\b(Table|Figure) (?:(\d+)|([IVX]+)\b)", name)
    if printed is None:
        return (3 if " " in name else 2), 0
    return int(printed[1] == "Figure"), int(printed[2] or _ROMAN.get(printed[3], 0))
