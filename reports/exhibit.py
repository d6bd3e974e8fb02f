"""The grammar of a figure: its frame, its picture, its caption, and the claims that it is held against.

A figure is one module, reports/<paper>/<figure>.py, whose EXHIBIT says these four and nothing twice. The
frame is the CSV beside the picture, and verdicts read it: no number is computed again. Pictures are made of
reports/shapes/; one that fits no other figure is the module's own `draw`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from fillpath.errors import ConfigError, suggest
from reports.claims.judge import judge, judge_pairs
from reports.claims.points import Column
from reports.claims.verdict import Verdict
from reports.facts.claim import Claim
from reports.facts.claims import claim, claims_of, subject
from reports.facts.printed import Entries
from reports.facts.records import Records
from reports.how import how, measured, unmeasured
from reports.table import case_table

# What a claim's number is judged by where no column holds it.
Judge = Callable[[pd.DataFrame], Sequence[Verdict]]


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


@dataclass(frozen=True)
class Held:
    """Claims that a column of the frame is held against.

    subject : of config/claims/.
    value : the column.
    claims : names within the subject, in this order; empty: all.
    status : the column that says `ok` or why there is no number.
    basis : what is compared, where it is not the claim's own metric.
    only : of the frame's rows, those with these values.
    subsets : of these rows, those that are judged apart; they may have columns that the frame does not have.
    above : what a number has to exceed to be counted.
    against : the column that the value of a trend goes with.
    beside : the number stands beside the print and is not judged.
    """

    subject: str
    value: str
    claims: tuple[str, ...] = ()
    status: str = "status"
    basis: str = ""
    only: Mapping[str, Any] = field(default_factory=dict)
    subsets: Callable[[pd.DataFrame], Sequence[Subset]] = lambda rows: [Subset(rows)]
    above: float = 1.0
    against: str = ""
    beside: bool = False

    def verdicts(self, frame: pd.DataFrame, paper: str) -> list[Verdict]:
        """By these rows.

        Raises UnknownNameError for a subject or a claim that config/claims/ does not have, ConfigError for a
        column that the frame does not have.
        """
        subject(paper, self.subject)
        for column, value in self.only.items():
            self._require(frame, column)
            frame = frame[frame[column] == value]
        return [verdict for subset in self.subsets(frame) for verdict in self._of(subset, paper)]

    def _of(self, subset: Subset, paper: str) -> list[Verdict]:
        against = [self.against] if self.against else []
        self._require(subset.rows, self.value, self.status, *against, "label", "abbr", "near", "machine")
        found: list[Verdict] = []
        for printed in self.judged(paper):
            column = Column(
                self.value, self.status, subset.basis(self.basis or printed.metric), self.above, self.against,
                subset.untestable, self.beside or subset.beside,
            )  # fmt: skip
            found += judge(subset.rows, printed, column)
        return found

    def judged(self, paper: str) -> list[Claim]:
        """The claims that the column is held against. Raises UnknownNameError for one that does not exist."""
        if not self.claims:
            return claims_of(paper, self.subject)
        return [claim(paper, self.subject, name) for name in self.claims]

    def _require(self, rows: pd.DataFrame, *columns: str) -> None:
        for column in (name for name in columns if name not in rows):
            hint = suggest(column, map(str, rows.columns))
            raise ConfigError(f"held against {self.subject}: the frame has no column {column!r}{hint}")


@dataclass(frozen=True)
class Exhibit:
    """A figure of a paper, or beyond it.

    paper : its id.
    name : as `GSoFA, Figure 17`, or `Beyond the paper`.
    title : what it shows; of the frame where that depends on what was measured.
    rows : makes the frame, one row per thing that is drawn, of the table of its cases (reports/table.py).
    draw : the picture, of the frame and the title with the figure's name.
    caption : a text with `{names}`.
    facts : what fills them, by the frame.
    held : what becomes of claims, a column or a function each.
    claims : subjects that functions in `held` judge, or nothing does.
    one_run : it shows ratios, which are of one run.
    topic : its title on a page, where that is another than the picture's.
    span : from what to what its seconds are, empty where it shows none.
    """

    paper: str
    name: str
    title: str | Callable[[pd.DataFrame], str]
    rows: Callable[[pd.DataFrame], pd.DataFrame]
    draw: Callable[[pd.DataFrame, str], Figure]
    caption: str
    facts: Callable[[pd.DataFrame], Mapping[str, object]] = lambda frame: {}
    held: tuple[Held | Judge, ...] = ()
    claims: tuple[str, ...] = ()
    one_run: bool = False
    topic: str = ""
    span: str = ""

    def frame(self, records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
        """Return what is drawn of these cases, which are of one machine."""
        return self.rows(case_table(records, cases, entries, self.paper)).reset_index(drop=True)

    def picture(self, frame: pd.DataFrame) -> Figure:
        """The figure, with its title, of what was measured."""
        title = self.title if isinstance(self.title, str) else self.title(frame)
        return self.draw(measured(frame), f"{self.name}: {title}")

    def words(self, frame: pd.DataFrame, rows: pd.DataFrame | None = None) -> str:
        """Return the caption on one line, with how its cases were measured and what was not.

        Raises ConfigError for a `{name}` that `facts` does not have.

        rows : of the table, one per case; None leaves out how they were measured
        """
        facts = self.facts(frame)
        try:
            caption = " ".join(self.caption.format_map(facts).split())
        except KeyError as error:
            name = str(error.args[0])
            hint = suggest(name, facts)
            raise ConfigError(
                f"{self.name}: the caption names {name!r}, and its facts do not{hint}"
            ) from None
        measured_how = "" if rows is None else self._how(frame, rows)
        return " ".join(part for part in (caption, measured_how, unmeasured(frame)) if part)

    def _how(self, frame: pd.DataFrame, rows: pd.DataFrame) -> str:
        cases = frame["case"] if "case" in frame else pd.Series([None])
        # A frame that is not of one case a row is of all of them.
        shown = rows[rows["case"].isin(cases)] if cases.notna().all() and cases.is_unique else rows
        return how(rows[:0] if measured(frame).empty else shown, self.paper, self.span, bool(self.held))

    def verdicts(self, frame: pd.DataFrame) -> list[Verdict]:
        """What becomes of the claims, by the frame. Raises UnknownNameError for a claim that does not exist,
        ConfigError for a column that does not."""
        return judge_pairs([verdict for held in self.held for verdict in self._verdicts(held, frame)])

    def _verdicts(self, held: Held | Judge, frame: pd.DataFrame) -> Sequence[Verdict]:
        if not isinstance(held, Held):
            return held(frame)
        try:
            return held.verdicts(frame, self.paper)
        except ConfigError as error:
            raise ConfigError(f"{self.name}: {error}") from None

    @property
    def subjects(self) -> tuple[str, ...]:
        """The subjects of config/claims/ that it speaks to."""
        judged = [held.subject for held in self.held if isinstance(held, Held)]
        return tuple(dict.fromkeys([*judged, *self.claims]))

    @property
    def heading(self) -> str:
        """Its title on a page of its paper: `Figure 14: value ranges of maxId`."""
        title = self.topic or str(self.title)
        number = self.name.rpartition(", ")[2]
        # A name of one word is the paper's own, which heads the page.
        whole = f"{number}: {title}" if " " in number else title
        return f"{whole[:1].upper()}{whole[1:]}"
