"""The grammar of a figure: its frame, its picture, its caption, and the claims that it is held against.

A figure is one module, reports/<paper>/<figure>.py, whose EXHIBIT says these four and nothing twice. The
frame is the CSV beside the picture, and verdicts read it: no number is computed again. Pictures are made of
reports/shapes/; one that fits no other figure is the module's own `draw`.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.facts.claims import claims_of
from reports.facts.entries import Entries
from reports.facts.inputs import Inputs
from reports.facts.records import Records
from reports.facts.standings import Verdict
from reports.facts.verdicts import Subset, judge, remarks

# What a claim's number is judged by where no column holds it.
Judge = Callable[[pd.DataFrame], Sequence[Verdict]]


@dataclass(frozen=True)
class Held:
    """Claims that a column of the frame is held against.

    subject : of claims.yaml.
    value : the column.
    claims : names within the subject, in this order; empty: all.
    status : the column that says `ok` or why there is no number.
    basis : what is compared, where it is not the claim's own metric.
    only : of the frame's rows, those with these values.
    subsets : of these rows, those that are judged apart; they may have columns that the frame does not have.
    above : what a number has to exceed to be counted.
    beside : the number stands beside the print and is not judged.
    remark : turns these rows into text that is not judged, of a column that the paper does not print; claims,
        above and beside then mean nothing.
    """

    subject: str
    value: str
    claims: tuple[str, ...] = ()
    status: str = "status"
    basis: str = ""
    only: Mapping[str, Any] = field(default_factory=dict)
    subsets: Callable[[pd.DataFrame], Sequence[Subset]] = lambda rows: [Subset(rows)]
    above: float = 1.0
    beside: bool = False
    remark: Callable[[pd.DataFrame], str] | None = None

    def verdicts(self, frame: pd.DataFrame, paper: str, edges: bool) -> list[Verdict]:
        """By these rows. edges : see `Exhibit`."""
        for column, value in self.only.items():
            frame = frame[frame[column] == value]
        return [verdict for subset in self.subsets(frame) for verdict in self._of(subset, paper, edges)]

    def _of(self, subset: Subset, paper: str, edges: bool) -> list[Verdict]:
        how: dict[str, Any] = {"status": self.status, "by_edges": edges}
        if self.remark is not None:
            subject, basis = f"{paper}.{self.subject}", subset.basis(self.basis)
            return remarks(subset.rows, subject, self.value, self.remark, basis=basis, **how)
        how |= {"above": self.above, "untestable": subset.untestable, "beside": self.beside or subset.beside}
        known = {claim.name: claim for claim in claims_of(paper, self.subject)}
        return [
            verdict
            for claim in (known[name] for name in self.claims or known)
            for verdict in judge(
                subset.rows, claim, self.value, basis=subset.basis(self.basis or claim.metric), **how
            )
        ]


@dataclass(frozen=True)
class Exhibit:
    """A figure of a paper, or beyond it.

    paper : its id.
    name : as `GSoFA, Figure 17`, or `Beyond the paper`.
    title : what it shows; of the frame where that depends on what was measured.
    rows : the frame, one row per thing that is drawn.
    draw : the picture, of the frame and the title with the figure's name.
    caption : a text with `{names}`.
    facts : what fills them, by the frame.
    held : what becomes of claims, a column or a function each.
    claims : subjects that functions in `held` judge, or nothing does.
    edges : its stages examine edges, so that a verdict needs enough of them to be firm.
    one_run : it shows ratios, which are of one run.
    topic : its title on a page, where that is another than the picture's.
    """

    paper: str
    name: str
    title: str | Callable[[pd.DataFrame], str]
    rows: Callable[[Inputs], pd.DataFrame]
    draw: Callable[[pd.DataFrame, str], Figure]
    caption: str
    facts: Callable[[pd.DataFrame], Mapping[str, object]] = lambda frame: {}
    held: tuple[Held | Judge, ...] = ()
    claims: tuple[str, ...] = ()
    edges: bool = False
    one_run: bool = False
    topic: str = ""

    def frame(self, records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
        """What is drawn of these cases."""
        return self.rows(Inputs(self.paper, records, entries, cases))

    def picture(self, frame: pd.DataFrame) -> Figure:
        """The figure, with its title."""
        title = self.title if isinstance(self.title, str) else self.title(frame)
        return self.draw(frame, f"{self.name}: {title}")

    def words(self, frame: pd.DataFrame) -> str:
        """The caption on one line."""
        return string.Formatter().vformat(" ".join(self.caption.split()), (), self.facts(frame))

    def verdicts(self, frame: pd.DataFrame) -> list[Verdict]:
        """What becomes of the claims, by the frame."""
        return [
            verdict
            for held in self.held
            for verdict in (
                held.verdicts(frame, self.paper, self.edges) if isinstance(held, Held) else held(frame)
            )
        ]

    @property
    def subjects(self) -> tuple[str, ...]:
        """The subjects of claims.yaml that it speaks to."""
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
