"""The figures, every module of a paper's package with an EXHIBIT, and their views on a machine.

seen = view("gsofa", "fig10", Records.load("h200"), entries, cases)
seen.frame, seen.verdicts
"""

import functools
import importlib
import importlib.util
import pkgutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from fillpath.case import Case
from fillpath.errors import ConfigError, UnknownNameError, find
from fillpath.nouns import content_hash
from fillpath.papers import paper as known_paper
from fillpath.papers import papers
from fillpath.paths import write_text
from reports.claims.verdict import JUDGED, Verdict
from reports.exhibit import Exhibit
from reports.facts.printed import Entries
from reports.facts.records import Records
from reports.shapes import files, style
from reports.table import case_table


@functools.cache
def exhibits(paper: str) -> dict[str, Exhibit]:
    """Return a paper's figures by module: tables, figures, the text's claims, figures beyond the paper.

    None where it has no package yet. Raises UnknownNameError.
    """
    known_paper(paper)
    if importlib.util.find_spec(f"reports.{paper}") is None:
        return {}
    package = importlib.import_module(f"reports.{paper}")
    names = [name for _, name, _ in pkgutil.iter_modules(package.__path__)]
    modules = {name: importlib.import_module(f"reports.{paper}.{name}") for name in names}
    figures = {name: module.EXHIBIT for name, module in modules.items() if hasattr(module, "EXHIBIT")}

    def place(name: str) -> tuple[int, int, str]:
        kind = name.rstrip("0123456789")
        other = 2 + (not figures[name].claims)
        return other if kind == name else kind == "fig", int(name.removeprefix(kind) or 0), name

    return {name: figures[name] for name in sorted(figures, key=place)}


def available_figures() -> list[tuple[str, str]]:
    """Return every (paper, figure)."""
    return [(paper, figure) for paper in papers() for figure in exhibits(paper)]


def exhibit(paper: str, figure: str) -> Exhibit:
    """Return that figure. Raises UnknownNameError with suggestions."""
    known = exhibits(paper)
    return find(figure, known, f"paper {paper} has no figure", "" if known else "; it has none yet")


def deciding(paper: str) -> Mapping[str, str]:
    """Return by subject of config/claims/ the figure that speaks to it, the first of several."""
    return {id: name for name, shown in reversed(exhibits(paper).items()) for id in shown.claims}


def figure_of(paper: str, subject: str) -> str:
    """Return the figure that decides a subject of config/claims/. Raises UnknownNameError where none does."""
    if subject not in deciding(paper):
        raise UnknownNameError(f"no figure here speaks to {paper}.{subject}: nothing measures it")
    return deciding(paper)[subject]


@dataclass(frozen=True)
class View:
    """A figure on one machine.

    figure : empty for the claims that no figure decides
    machine : None where none has a record
    rows : of the table, one per case of the figure
    frame : what is drawn, made of the rows that `recorded` chooses
    verdicts : in the order of the figure
    has_gpu : whether any record of the machine is of a GPU
    failure : why there is no frame, empty where there is one
    """

    paper: str
    figure: str
    machine: str | None
    rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)
    verdicts: tuple[Verdict, ...] = ()
    has_gpu: bool = False
    failure: str = ""

    @functools.cached_property
    def rank(self) -> tuple[int, int, int, int, str]:
        """Return minus `weight`, older results minus current ones, and the machine. The least is best."""
        ok = self.rows[self.rows["status"] == "ok"]
        older = int(ok["current"].eq(False).sum())
        judged, processes, numbers = weight(self.verdicts)
        return -judged, -processes, -numbers, 2 * older - len(ok), str(self.machine)


def weight(verdicts: Iterable[Verdict | None]) -> tuple[int, int, int]:
    """Return the numbers of claims judged, of processes behind their times, and of measured numbers."""
    measured = [verdict for verdict in verdicts if verdict and verdict.n]
    judged = {verdict.claim for verdict in measured if verdict.outcome in JUDGED}
    return len(judged), sum(verdict.processes or 0 for verdict in measured), len(measured)


def recorded(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a record, all where none has."""
    has_record = rows["key"].notna()
    return rows[has_record | (not has_record.any())].reset_index(drop=True)


def view(paper: str, figure: str, here: Records, entries: Entries, cases: Sequence[Case]) -> View:
    """Return a figure on the machine of these records; an error fails this figure alone."""
    shown, machine = exhibit(paper, figure), next(iter(here.machines()), None)
    try:
        rows = case_table(here.of_one_run(cases) if shown.one_run else here, cases, entries, paper)
        frame = shown.rows(recorded(rows)).reset_index(drop=True)
        verdicts = tuple(shown.verdicts(frame))
    except Exception as error:
        return View(paper, figure, machine, failure=f"{type(error).__name__}: {error}")
    return View(paper, figure, machine, rows, frame, verdicts, any(record.device for record in here.rows))


def pictured(views: Iterable[View], here: Collection[str] = ()) -> View | None:
    """Return the view that a figure's picture is of; None where no machine has a record of its cases.

    A machine that runs the command comes first, if its records decide a claim of the figure. For a figure
    without claims, any verified result is enough. Otherwise the best by `View.rank`.

    here : names of the machines that run the command, on a cluster several.
    """
    tried = [each for each in views if not each.failure and each.rows["key"].notna().any()]
    # A machine without a result decides nothing.
    able = [each for each in tried if each.rows["status"].eq("ok").any()] or tried
    own = [each for each in able if each.machine in here]
    enough = any(each.rank[0] or not exhibit(each.paper, each.figure).claims for each in own)
    return min(own if enough else able, key=lambda each: each.rank, default=None)


def draw(seen: View, site: Path | None = None) -> list[Path]:
    """Draw a figure, unless it is drawn already, and return the paths of its SVG and CSV.

    site : the folder, None for the page's own
    """
    if seen.failure:
        raise ConfigError(seen.failure)
    shown, name, rows = exhibit(seen.paper, seen.figure), stem(seen.paper, seen.figure), recorded(seen.rows)
    stamp = style.stamp(rows)
    judged_first = sorted(seen.verdicts, key=lambda verdict: verdict.outcome not in JUDGED)
    verdicts = [(verdict.claim, verdict.basis, verdict.text) for verdict in judged_first]
    words = shown.words(seen.frame, rows)
    note = style.figure_path(name, style.DRAWN, site)
    texts = (shown.name, shown.heading, words, repr(verdicts), repr(stamp))
    made_of = content_hash(name, *texts, files.frame_text(seen.frame), files.code(seen.paper))
    if files.is_drawn(note, made_of):
        return [style.figure_path(name, kind, site) for kind in ("svg", "csv")]
    written = style.save(shown.picture(seen.frame), seen.frame, name, stamp, words, verdicts, site)
    write_text(note, files.noted(made_of, written))
    return written[:2]


def stem(paper: str, figure: str) -> str:
    """Return the file name of a figure, without its ending."""
    return f"{paper}_{figure}"
