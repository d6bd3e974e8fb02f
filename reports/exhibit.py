"""The grammar of a figure: its frame, its picture, its caption, and the claims that it is held against.

A figure is one module, reports/<paper>/<figure>.py, whose EXHIBIT says these four and nothing twice. The
frame is the CSV beside the picture, and verdicts read it: no number is computed again. Pictures are made of
reports/shapes/; one that fits no other figure is the module's own `draw`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from fillpath.errors import ConfigError, suggest
from reports.claims.judge import judge, judge_pairs
from reports.claims.verdict import Verdict
from reports.facts.claim import Claim, Held
from reports.facts.claims import claims_of
from reports.facts.printed import Entries
from reports.facts.records import Records
from reports.how import how, measured, place, unmeasured
from reports.table import case_table


@dataclass(frozen=True)
class Subset:
    """Rows of a frame that are judged apart from its others.

    basis : what is compared, made of what a figure says of all its rows.
    untestable : why these rows cannot test the claim.
    beside : their numbers stand beside the print and are not judged.
    """

    rows: pd.DataFrame
    basis: Callable[[str], str] = str
    untestable: str = ""
    beside: bool = False


# Takes apart rows, which say in `has_number` whether there is one to judge by; its own may have more columns.
Subsets = Callable[[pd.DataFrame], Sequence[Subset]]


@dataclass(frozen=True)
class Exhibit:
    """A figure of a paper, or beyond it.

    paper : its id.
    name : as `GSoFA, Figure 17`, or `Beyond the paper`.
    title : what it shows.
    rows : makes the frame, one row per thing that is drawn, of the table of its cases (reports/table.py).
    draw : the picture, of the frame and the title with the figure's name.
    caption : a text with `{names}`.
    facts : what fills them, by the frame.
    claims : subjects of config/claims/, which says what columns each claim is held against.
    subsets : what takes apart rows that are judged apart, by its name there.
    held : functions that judge claims which no column does.
    one_run : it shows ratios, which are of one run.
    topic : its title on a page, where that is another than the picture's.
    span : from what to what its seconds are, empty where it shows none.
    """

    paper: str
    name: str
    title: str
    rows: Callable[[pd.DataFrame], pd.DataFrame]
    draw: Callable[[pd.DataFrame, str], Figure]
    caption: str
    facts: Callable[[pd.DataFrame], Mapping[str, object]] = lambda frame: {}
    claims: tuple[str, ...] = ()
    subsets: Mapping[str, Subsets] = field(default_factory=dict)
    held: tuple[Callable[[pd.DataFrame], Sequence[Verdict]], ...] = ()
    one_run: bool = False
    topic: str = ""
    span: str = ""

    def frame(self, records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
        """Return what is drawn of these cases, which are of one machine."""
        return self.rows(case_table(records, cases, entries, self.paper)).reset_index(drop=True)

    def picture(self, frame: pd.DataFrame) -> Figure:
        """The figure, with its title, of what was measured."""
        return self.draw(measured(frame), f"{self.name}: {self.title}")

    def words(self, frame: pd.DataFrame, rows: pd.DataFrame | None = None) -> str:
        """Return the caption on one line, with where and how its cases were measured and what was not.

        Raises ConfigError for a `{name}` that `facts` does not have.

        rows : of the table, one per case; None leaves out where and how
        """
        facts = self.facts(frame)
        try:
            caption = " ".join(self.caption.format_map(facts).split())
        except KeyError as error:
            raise self._without("the caption's facts have no", str(error.args[0]), facts) from None
        if rows is None:
            return f"{caption} {unmeasured(frame)}".strip()
        cases = frame["case"] if "case" in frame else pd.Series([None])
        # A frame that is not of one case a row is of all of them.
        shown = rows[rows["case"].isin(cases)] if cases.notna().all() and cases.is_unique else rows
        told = how(shown[:0] if measured(frame).empty else shown, self.paper, self.span, bool(self.claims))
        return " ".join(part for part in (place(rows), caption, told, unmeasured(frame)) if part)

    def verdicts(self, frame: pd.DataFrame) -> list[Verdict]:
        """Return what becomes of the claims, by the frame.

        Raises UnknownNameError for a subject that config/claims/ does not have, ConfigError for a column that
        the frame, or subsets that the figure does not have.
        """
        found: list[Verdict] = []
        claims = [claim for subject in self.claims for claim in claims_of(self.paper, subject)]
        for claim, held in ((each, held) for each in claims for held in each.held):
            for subset in self._subsets(frame, claim, held):
                basis, beside = subset.basis(held.basis or claim.metric), held.beside or subset.beside
                own = replace(held, basis=basis, beside=beside, untestable=subset.untestable)
                found += judge(subset.rows, claim, own)
        for judged in self.held:
            found += judged(frame)
        return judge_pairs(found)

    def _subsets(self, frame: pd.DataFrame, claim: Claim, held: Held) -> Sequence[Subset]:
        self._require(held.only, frame, claim)
        for column, value in held.only.items():
            frame = frame[frame[column] == value]
        subsets: Sequence[Subset] = [Subset(frame)]
        if held.subsets:
            if held.subsets not in self.subsets:
                raise self._without(f"{claim.id}: the figure has no subsets", held.subsets, self.subsets)
            subsets = self.subsets[held.subsets](frame.assign(has_number=frame.get(held.status) == "ok"))
        named = [name for name in (held.column, held.status, held.against) if name]
        for subset in subsets:
            self._require([*named, "label", "abbr", "stand_in_for"], subset.rows, claim)
        return subsets

    def _require(self, columns: Iterable[str], rows: pd.DataFrame, claim: Claim) -> None:
        for column in columns:
            if column not in rows:
                raise self._without(f"{claim.id}: the frame has no column", column, map(str, rows))

    def _without(self, lack: str, name: str, known: Iterable[str]) -> ConfigError:
        return ConfigError(f"{self.name}: {lack} {name!r}{suggest(name, known)}")

    @property
    def heading(self) -> str:
        """Its title on a page of its paper: `Figure 14: value ranges of maxId`."""
        title = self.topic or self.title
        number = self.name.rpartition(", ")[2]
        # A name of one word is the paper's own, which heads the page.
        whole = f"{number}: {title}" if " " in number else title
        return f"{whole[:1].upper()}{whole[1:]}"
