"""What became of a printed claim: the numbers of a figure's frame held against config/claims/.

A verdict is firm only on the paper's own matrices with at least 10^9 edges, in stages that examine edges; on
anything else it is indicative. The two are never averaged together, nor are two machines. Direction (on which
side of no effect) and magnitude are judged apart, and the outcome follows from the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from reports.facts.claim import Claim
from reports.facts.comparison import compare, outcome, spread
from reports.facts.printed import abbreviations
from reports.facts.standings import FIRM, INDICATIVE, Direction, Excluded, Magnitude, Outcome, Point, Verdict

# Edges below which a run is too short to judge a claim by.
LEAST_EDGES = 10**9


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


def judge(
    frame: pd.DataFrame,
    claim: Claim,
    value: str,
    *,
    status: str = "status",
    basis: str = "",
    by_edges: bool = True,
    above: float = 1.0,
    untestable: str = "",
    beside: bool = False,
) -> list[Verdict]:
    """One verdict per machine and scope that has a number. Without any: a single `not run`, or nothing if
    `beside`.

    frame : with machine, label, abbr, the columns `value` and `status` and, where there is an interval,
        `<value>_low` and `<value>_high`; with stand_in_for where the claim is of some of the paper's
        matrices, with edges where they count.
    basis : what is compared, where it is not the claim's own metric.
    by_edges : False where no edges are examined, so that the paper's own matrices are enough.
    above : what a number has to exceed to be counted.
    untestable : why these rows cannot test the claim.
    beside : the numbers stand beside the print and are not judged.
    """
    rows = _concerned(frame, claim)
    ok = rows[(rows[status] == "ok") & rows[value].notna()]
    excluded = _excluded(rows.drop(ok.index), status)
    basis = basis or claim.metric
    if ok.empty:
        return [] if beside else [not_run(claim, basis, excluded)]
    firm = _is_firm(ok, claim, by_edges)
    verdicts = []
    for (machine, is_firm), group in ok.groupby([ok["machine"], firm]):
        points = [_point(row, value, claim, above) for row in group.to_dict("records")]
        elsewhere = excluded if is_firm else [row for row in excluded if row.label not in set(group["label"])]
        verdict = judge_points(
            claim, points, firm=bool(is_firm), machine=str(machine), basis=basis, excluded=elsewhere,
            untestable=untestable, beside=beside,
        )  # fmt: skip
        verdicts.append(verdict)
    return verdicts


def judge_points(
    claim: Claim,
    points: Sequence[Point],
    *,
    firm: bool,
    machine: str = "",
    basis: str = "",
    excluded: Sequence[Excluded] = (),
    untestable: str = "",
    beside: bool = False,
) -> Verdict:
    """The verdict on a claim by these points of one machine and scope. For the parameters see `judge`."""
    comparison = compare(claim, points)
    towards, size = comparison.direction, comparison.magnitude
    judged = outcome(towards, size)
    if untestable or beside:
        judged = Outcome.BESIDE if beside else Outcome.UNTESTABLE
        towards, size = Direction.NONE, Magnitude.NONE
    return Verdict(
        claim.id, basis or claim.metric, machine, firm, judged, towards, size, comparison.factor,
        comparison.numbers, comparison.measured, tuple(excluded), untestable,
    )  # fmt: skip


def not_run(claim: Claim, basis: str = "", excluded: Sequence[Excluded] = ()) -> Verdict:
    """The verdict on a claim without a number."""
    return Verdict(
        claim.id, basis or claim.metric, "", False, Outcome.NOT_RUN, Direction.NONE, Magnitude.NONE, None,
        f"printed {claim.printed}", None, tuple(excluded),
    )  # fmt: skip


def remarks(
    frame: pd.DataFrame,
    subject: str,
    value: str,
    text: Callable[[pd.DataFrame], str],
    *,
    basis: str,
    status: str = "status",
    by_edges: bool = True,
) -> list[Verdict]:
    """What a figure says of a column that the paper does not print: a line for each machine and scope, judged
    by nothing.

    subject : `paper.subject`.
    text : the numbers of these rows, as text.
    """
    ok = frame[(frame[status] == "ok") & frame[value].notna()]
    firm = ok["abbr"].notna() & (_enough(ok) if by_edges else True)
    return [
        remark(subject, f"{basis}, {FIRM if is_firm else INDICATIVE}", text(rows), str(machine))
        for (machine, is_firm), rows in ok.groupby([ok["machine"], firm])
    ]


def remark(subject: str, basis: str, numbers: str, machine: str = "") -> Verdict:
    """A line that stands beside the print and judges nothing."""
    return Verdict(
        subject, basis, machine, False, Outcome.BESIDE, Direction.NONE, Magnitude.NONE, None, numbers, None,
        (),
    )  # fmt: skip


def spanned(rows: pd.DataFrame, value: str, form: Callable[[float], str]) -> str:
    """As `spread`, of a column."""
    numbers = zip(rows["label"], rows[value].astype(float), strict=True)
    return spread([Point(str(label), None, number, number, number, None) for label, number in numbers], form)


def _concerned(frame: pd.DataFrame, claim: Claim) -> pd.DataFrame:
    """The rows of the claim's matrices and of their stand-ins; all rows where it is of all matrices. Another
    matrix never has the very number that is printed of one."""
    if claim.aggregate == "equal":
        return frame[frame["abbr"].isin(claim.by_matrix)]
    if claim.matrices is None or set(claim.matrices) == set(abbreviations(claim.paper).values()):
        return frame
    wanted = set(claim.matrices)
    stood_for = [set(str(name).split(", ")) if pd.notna(name) else set() for name in frame["stand_in_for"]]
    instead = pd.Series([bool(names & wanted) for names in stood_for], index=frame.index)
    return frame[frame["abbr"].isin(wanted) | (frame["abbr"].isna() & instead)]


def _is_firm(ok: pd.DataFrame, claim: Claim, by_edges: bool) -> pd.Series[bool]:
    """Which rows a verdict may stand on: the paper's own matrices, with enough work."""
    of_paper = ok["abbr"].notna() if claim.matrices is None else ok["abbr"].isin(claim.matrices)
    return of_paper & _enough(ok) if by_edges else of_paper


def _enough(frame: pd.DataFrame) -> pd.Series[bool]:
    return frame["edges"].ge(LEAST_EDGES).fillna(False).astype(bool)


def _excluded(rows: pd.DataFrame, status: str) -> list[Excluded]:
    """Rows without a number, and why, each matrix once per reason."""
    reasons = [
        (str(label), "no number" if word == "ok" or pd.isna(word) else str(word).replace("_", " "))
        for label, word in zip(rows["label"], rows[status], strict=True)
    ]
    return [Excluded(label, reason) for label, reason in dict.fromkeys(reasons)]


def _point(row: dict[Any, Any], value: str, claim: Claim, above: float) -> Point:
    number = float(row[value])
    low, high = (
        float(row[name]) if pd.notna(row.get(name)) else number for name in (f"{value}_low", f"{value}_high")
    )
    if claim.aggregate == "count":
        number, low, high = float(number > above), float(low > above), float(high > above)
    abbr = row["abbr"] if isinstance(row["abbr"], str) else None
    return Point(str(row["label"]), abbr, number, low, high, claim.by_matrix.get(abbr or ""))
