"""The grammar of a figure: its frame, its picture, its caption, and the claims that it is held against.

A figure is one module, reports/<paper>/<figure>.py, whose EXHIBIT says these four and nothing twice. The
frame is the CSV beside the picture, and verdicts read it: no number is computed again. A shape that fits no
other figure is the module's own `draw`; this grammar does not grow for one figure.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.facts.claims import claims_of
from reports.facts.naming import lines
from reports.facts.records import Entries, Records
from reports.facts.standings import Verdict
from reports.facts.verdicts import judge, remarks
from reports.frames.timed import name_matrices, width
from reports.frames.variants import Row, said
from reports.shapes import bars, tables
from reports.shapes.gains import draw_gains, gains_legend
from reports.shapes.style import LARGE, new_figure

Frame = Callable[[Records, Entries, Sequence[Case]], pd.DataFrame]
# What a claim's number is judged by where no column holds it.
Judge = Callable[[pd.DataFrame], Sequence[Verdict]]
COUNT = "{:,.0f}".format


class Shape(Protocol):
    """How a frame becomes a picture. title : with the name of the figure."""

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure: ...


@dataclass(frozen=True)
class Held:
    """Claims that a column of the frame is held against.

    subject : of claims.yaml.
    value : the column.
    claims : names within the subject, in this order; empty: all.
    status : the column that says `ok` or why there is no number.
    basis : what is compared, where it is not the claim's own metric.
    only : of the frame's rows, those with these values.
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
    above: float = 1.0
    beside: bool = False
    remark: Callable[[pd.DataFrame], str] | None = None

    def verdicts(self, frame: pd.DataFrame, paper: str, edges: bool) -> list[Verdict]:
        """By these rows. edges : see `Exhibit`."""
        for column, value in self.only.items():
            frame = frame[frame[column] == value]
        how: dict[str, Any] = {"status": self.status, "basis": self.basis, "by_edges": edges}
        if self.remark is not None:
            return remarks(frame, f"{paper}.{self.subject}", self.value, self.remark, **how)
        how |= {"above": self.above, "beside": self.beside}
        known = {claim.name: claim for claim in claims_of(paper, self.subject)}
        chosen = [known[name] for name in self.claims or known]
        return [verdict for claim in chosen for verdict in judge(frame, claim, self.value, **how)]


@dataclass(frozen=True)
class Exhibit:
    """A figure of a paper, or beyond it.

    paper : its id.
    name : as `GSoFA, Figure 17`, or `Beyond the paper`.
    title : what it shows; of the frame where that depends on what was measured.
    frame : one row per thing that is drawn.
    draw : the picture.
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
    frame: Frame
    draw: Shape
    caption: str
    facts: Callable[[pd.DataFrame], Mapping[str, object]] = lambda frame: {}
    held: tuple[Held | Judge, ...] = ()
    claims: tuple[str, ...] = ()
    edges: bool = False
    one_run: bool = False
    topic: str = ""

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
        own = [held.subject for held in self.held if isinstance(held, Held)]
        return tuple(dict.fromkeys([*own, *self.claims]))

    @property
    def heading(self) -> str:
        """Its title on a page of its paper: `Figure 14: value ranges of maxId`."""
        title = self.topic or str(self.title)
        number = self.name.rpartition(", ")[2]
        # A name of one word is the paper's own, which heads the page.
        whole = f"{number}: {title}" if " " in number else title
        return f"{whole[:1].upper()}{whole[1:]}"


@dataclass(frozen=True)
class Column:
    """A column of a table: where it stands, and what stands in it.

    heading : may have two lines. width : in inches. group : the heading above. value : the frame's column.
    form : of a number. why : the column that says why there is no number.
    """

    heading: str
    width: float
    group: str
    value: str
    form: Callable[[Any], str] = str
    why: str = ""

    def text(self, row: Row) -> str:
        """The cell; `-` for no number and no reason."""
        value = row[self.value]
        known = bool(pd.notna(value))
        if known:
            return value if isinstance(value, str) else self.form(value)
        return said(str(row[self.why])) if self.why and isinstance(row["machine"], str) else "-"


@dataclass(frozen=True)
class Table:
    """The columns between the matrix and the machine, on grey where the matrix is a stand-in. where : the
    last column's text; None without that column."""

    columns: Sequence[Column]
    where: Callable[[Row], str] | None = None
    preparations: bool = False

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        rows = [self._cells(row) for row in frame.to_dict("records")]
        columns = [tables.Column(each.heading, each.width, each.group) for each in self.columns]
        last = [tables.machine_column(rows)] if self.where else []
        shaded = [isinstance(name, str) for name in frame["stand_in_for"]]
        return tables.table(title, [tables.matrix_column(rows), *columns, *last], rows, shaded)

    def _cells(self, row: Row) -> list[str]:
        name = lines(row, self.preparations).replace("\n", ", ")
        last = [self.where(row)] if self.where else []
        return [name, *(column.text(row) for column in self.columns), *last]


@dataclass(frozen=True)
class Gains:
    """A panel of ratios by matrix, beside what is printed of each as stars.

    panel : of the frame's columns. printed : the column of the print, empty for none. mean : the printed one.
    even : where a ratio shows no effect. legend : marks beside the series, as `gains_legend` takes them.
    """

    panel: bars.Panel
    printed: str = ""
    mean: float | None = None
    even: float = 1.0
    legend: tuple[tuple[str, str], ...] = ()

    def __call__(self, axes: Axes, frame: pd.DataFrame) -> None:
        draw_gains(axes, frame, self.panel, self.printed, self.mean, self.even)
        gains_legend(axes, frame, self.legend)


@dataclass(frozen=True)
class Panels:
    """Panels one above the other over the same matrices. panels : each draws the frame on its axes. height :
    of the figure, in inches. shown : the rows that are drawn."""

    panels: Sequence[Callable[[Axes, pd.DataFrame], None]]
    height: float
    shown: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        shown = self.shown(frame)
        figure = new_figure(width(shown), self.height)
        axes = figure.subplots(len(self.panels), 1, sharex=True, squeeze=False).ravel()
        headline(figure, title)
        for each, panel in zip(axes, self.panels, strict=True):
            panel(each, shown)
        name_matrices(axes[-1], shown)
        return figure


def headline(figure: Figure, title: str) -> None:
    """The title, where every figure has it."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=LARGE, weight="bold")
