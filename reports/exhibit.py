"""The grammar of a figure: its frame, its picture, its caption, and its claims.

A figure is one module, reports/<paper>/<figure>.py, with an EXHIBIT. The module's first line is the heading;
its folder gives the paper, its name most of the claims. Verdicts read the frame, which is also the figure's
CSV: no number is computed twice. Pictures are made of reports/shapes/, or by the module's own `draw`.

    EXHIBIT = Exhibit(frame, Sheet(columns(n="rows")), "{count} matrices.", facts)
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd
from matplotlib.figure import Figure

from fillpath.errors import ConfigError, suggest
from fillpath.papers import papers
from fillpath.record import UNTRIED
from fillpath.settings import PROCESSES
from reports.claims.judge import judge, judge_pairs
from reports.claims.verdict import Verdict
from reports.facts.claims import Claim, Held, claims_of, subjects
from reports.facts.naming import listed
from reports.shapes.bars import ends, having


@dataclass(frozen=True)
class Subset:
    """Rows of a frame that are judged apart from its others.

    basis : makes the text of what is compared from the figure's text for all rows.
    untestable : why these rows cannot test the claim.
    beside : whether the numbers are shown without being judged.
    """

    rows: pd.DataFrame
    basis: Callable[[str], str] = str
    untestable: str = ""
    beside: bool = False


@dataclass(frozen=True)
class Exhibit:
    """A figure of a paper, or beyond it.

    rows : makes the frame, one row per thing that is drawn, of the table of its cases (reports/table.py).
    draw : the picture, of the frame and the title with the figure's name.
    caption : a text with `{names}`.
    facts : what fills them, by the frame.
    more_claims : subjects of config/claims/ whose ids do not begin with the figure's name.
    subsets : functions that split rows to judge apart (as by `has_number`), by name in config/claims/.
    held : functions that judge claims which no column does.
    one_run : whether its records are of one run, as ratios have to be.
    span : from what to what its seconds are, empty where it shows none.
    """

    rows: Callable[[pd.DataFrame], pd.DataFrame]
    draw: Callable[[pd.DataFrame, str], Figure]
    caption: str
    facts: Callable[[pd.DataFrame], Mapping[str, object]] = lambda frame: {}
    more_claims: tuple[str, ...] = ()
    subsets: Mapping[str, Callable[[pd.DataFrame], Sequence[Subset]]] = field(default_factory=dict)
    held: tuple[Callable[[pd.DataFrame], Sequence[Verdict]], ...] = ()
    one_run: bool = True
    span: str = ""

    @property
    def paper(self) -> str:
        """Return the paper's id, the folder of the file that `rows` is of."""
        return self.rows.__module__.split(".")[-2]

    @functools.cached_property
    def claims(self) -> tuple[str, ...]:
        """Return the subjects of config/claims/ that the figure is held against."""
        file = self.rows.__module__.rpartition(".")[2]
        own = (id for of, id in subjects() if of == self.paper and f"{id}_".startswith(f"{file}_"))
        return (*own, *self.more_claims)

    @property
    def heading(self) -> str:
        """Return the first line of the figure's file: `Figure 14: value ranges of maxId`."""
        return str(self.rows.__globals__["__doc__"]).splitlines()[0].removesuffix(".")

    @property
    def name(self) -> str:
        """Return `GSoFA, Figure 17`, or `GSoFA, beyond the paper`; the paper alone for claims of its text."""
        number = self.heading.rpartition(": ")[0].replace("Beyond", "beyond")
        return ", ".join(part for part in (papers()[self.paper].name.partition(" (")[0], number) if part)

    def picture(self, frame: pd.DataFrame) -> Figure:
        """Return the figure, with its title, of what was measured."""
        number, _, title = self.heading.rpartition(": ")
        title = title if number else f"{title[0].lower()}{title[1:]}"
        return self.draw(measured(frame), f"{self.name}: {title}")

    def words(self, frame: pd.DataFrame, rows: pd.DataFrame) -> str:
        """Return the caption, with machine, method and unmeasured matrices of the rows, on one line.

        Raises ConfigError for a `{name}` that `facts` does not have.
        """
        facts = self.facts(frame)
        try:
            caption = " ".join(self.caption.format_map(facts).split())
        except KeyError as error:
            raise self._without("the caption's facts have no", str(error.args[0]), facts) from None
        cases = frame["case"] if "case" in frame else pd.Series([None])
        # A frame that is not of one case a row is of all of them.
        shown = rows[rows["case"].isin(cases)] if cases.notna().all() and cases.is_unique else rows
        told = how(shown[:0] if measured(frame).empty else shown, self.paper, self.span, bool(self.claims))
        return " ".join(part for part in (place(rows), caption, told, unmeasured(frame)) if part)

    def verdicts(self, frame: pd.DataFrame) -> list[Verdict]:
        """Return what becomes of the claims. Raises ConfigError or UnknownNameError for unknown names."""
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
        frame = having(frame, held.only)
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


def how(rows: pd.DataFrame, paper: str, span: str, is_judged: bool = True) -> str:
    """Return how these cases were measured and prepared.

    span : from what to what seconds are, empty where a figure shows none
    is_judged : whether the figure is held against claims
    """
    ok = rows[rows["status"] == "ok"]
    if ok.empty:
        return "Nothing was measured here."
    theirs = papers()[paper].preparation
    parts = [_seconds(ok, span)] if span else []
    parts += [_machine(ok)]
    parts += [f"Preparation: {listed(rows['preparation'])}{f' (the paper {theirs})' if theirs else ''}."]
    if span and ((rows["status"] == "timeout") & rows["low"].notna()).any():
        parts += ["More than (>): a time limit ended the call, and its ratios are bounds."]
    return " ".join([*parts, "Stand-ins decide nothing."] if is_judged else parts)


def place(rows: pd.DataFrame) -> str:
    """Return `Measured on h200 (NVIDIA H200).`, with the processor where no GPU was met.

    `Simulated on` where all devices were virtual; empty where nothing was measured.
    """
    ok = rows[rows["status"] == "ok"]
    if ok.empty:
        return ""
    chips = set(ok["device"].dropna()) or set(ok["host_cpu"].dropna())
    verb = "Simulated" if ok["case"].str.contains("virtual_gpus=").all() else "Measured"
    return f"{verb} on {listed(ok['machine'])}{f' ({listed(chips)})' if chips else ''}."


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that were tried, their groups numbered anew; all of a frame without a status."""
    if "status" not in frame:
        return frame
    rows = frame[_tried(frame)].reset_index(drop=True)
    return rows.assign(group=rows["group"].rank(method="dense").astype(int) - 1) if "group" in rows else rows


def unmeasured(frame: pd.DataFrame) -> str:
    """Return `Not measured: audikw_1 (AU), stomach (ST).`: the matrices that no row of the picture is of."""
    if "status" not in frame or "label" not in frame:
        return ""
    tried = _tried(frame)
    names = set(frame.loc[~tried, "label"]) - set(frame.loc[tried, "label"])
    return f"Not measured: {listed(map(str, names))}." if names else ""


def _tried(frame: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether a case of each row was tried."""
    words = frame.filter(regex="^status(_|$)").astype("object")
    return (words.notna() & ~words.isin(UNTRIED)).any(axis=1)


def _seconds(ok: pd.DataFrame, span: str) -> str:
    samples, processes = (ends(ok[name], "{:g}".format) for name in ("samples", "processes"))
    several = f"{processes} processes of " if processes not in ("0", "1") else ""
    few = bool(several) and int(ok["processes"].min()) < PROCESSES
    whiskers = "about their range" if few else "their 95% intervals"
    return f"Seconds: {span}; medians of {several}{samples} samples, whiskers {whiskers}."


def _machine(ok: pd.DataFrame) -> str:
    """Return the threads where every case on the CPU names a number, the processors and the GPUs."""
    counts = sorted(set(ok.loc[ok["device"].isna(), "threads"].fillna(0).astype(int)))
    threads = f"Threads: {', '.join(map(str, counts))}. " if counts and 0 not in counts else ""
    gpus = listed(ok["device"].dropna())
    return f"{threads}CPU: {listed(ok['host_cpu'].dropna())}.{'' if gpus == 'none' else f' GPU: {gpus}.'}"
