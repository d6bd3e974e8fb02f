"""What became of a printed claim: the numbers of a figure's frame held against config/claims.yaml.

A verdict is firm only on the paper's own matrices with at least 10^9 edges, in stages that examine edges; on
anything else it is `indicative (stand-in)`. The two are never averaged together, nor are two machines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from reports.claims import Subject, subject

# Edges below which a run is too short to judge a claim by.
LEAST_EDGES = 10**9
FIRM, INDICATIVE = "on the paper's own matrices", "indicative (stand-in)"
REACHED, SMALLER, CONTRADICTED = "reached", "not reached", "contradicted"
BESIDE, NOT_MEASURED = "beside the print", "not measured"


@dataclass(frozen=True)
class Verdict:
    """What became of one claim on one machine. claim : its id. basis : what was compared (seconds, TEPS,
    bytes). machine, scope (FIRM or INDICATIVE) : empty where nothing was measured. numbers : measured and
    printed, as text. outcome : of the constants above."""

    claim: str
    basis: str
    machine: str
    scope: str
    numbers: str
    outcome: str

    @property
    def key(self) -> str:
        """What tells this verdict from a figure's others."""
        told = ", ".join(part for part in (self.basis, self.machine, self.scope) if part)
        return f"verdict {self.claim} ({told})"

    @property
    def text(self) -> str:
        return f"{self.outcome}: {self.numbers}" if self.numbers else self.outcome


def judge(
    frame: pd.DataFrame,
    found: Subject,
    value: str,
    printed: float,
    *,
    basis: str,
    status: str = "status",
    better: str = "",
    neutral: float | None = 1.0,
    form: Callable[[float], str] = "{:.4g}x".format,
) -> list[Verdict]:
    """A verdict for each machine and scope with a value; a single one, not measured, without any.

    frame : with machine, label, abbr, edges, and the columns `value` and `status`. printed : the mean that
    the arithmetic mean of the values is held against. better : higher, lower or none; empty for the claim's
    own. neutral : the value that says that there is no effect.
    """
    better = better or str(found.data.get("better", "none"))

    def told(rows: pd.DataFrame) -> tuple[str, str]:
        numbers = f"{spread(rows, value, form)}, printed {form(printed)}"
        return numbers, outcome(float(rows[value].mean()), printed, better, neutral)

    return verdicts(frame, found, value, told, basis=basis, status=status, printed=form(printed))


def verdicts(
    frame: pd.DataFrame,
    found: Subject,
    value: str,
    told: Callable[[pd.DataFrame], tuple[str, str]],
    *,
    basis: str,
    status: str = "status",
    printed: str = "",
    by_edges: bool = True,
) -> list[Verdict]:
    """As `judge`, where the figure itself says of the rows of a machine and scope what the numbers are and
    what became of the claim. printed : stands where nothing was measured. by_edges : False where no edges are
    examined, so that the paper's own matrices are enough."""
    ok = frame[(frame[status] == "ok") & frame[value].notna()]
    if ok.empty:
        numbers = f"printed {printed}" if printed else ""
        return [Verdict(found.id, basis, "", "", numbers, NOT_MEASURED)]
    firm = is_firm(ok) if by_edges else ok["abbr"].notna()
    scopes = pd.Series([FIRM if is_so else INDICATIVE for is_so in firm], index=ok.index)
    return [
        Verdict(found.id, basis, str(machine), str(scope), *told(rows))
        for (machine, scope), rows in ok.groupby([ok["machine"], scopes])
    ]


def is_firm(frame: pd.DataFrame) -> pd.Series[bool]:
    """Which rows a verdict may stand on: the paper's own matrices with enough work."""
    enough = frame["edges"].ge(LEAST_EDGES).fillna(False).astype(bool)
    return frame["abbr"].notna() & enough


def outcome(measured: float, printed: float, better: str, neutral: float | None = 1.0) -> str:
    """How a measured number stands to the printed one. better : higher, lower or none, as in claims.yaml."""
    if better not in ("higher", "lower"):
        return BESIDE
    sign = 1 if better == "higher" else -1
    if sign * (measured - printed) >= 0:
        return REACHED
    # Within half a per cent of no effect there is none.
    if (
        neutral is not None
        and sign * (printed - neutral) > 0 >= sign * (measured - neutral) - 0.005 * neutral
    ):
        return CONTRADICTED
    return SMALLER


def printed_mean(paper: str, id: str) -> float:
    """The mean that a claim prints, or that of the numbers that it prints by matrix."""
    found = subject(paper, id)
    if found.mean is not None:
        return found.mean
    numbers = [float(value) for value in found.data["per"].values()]
    return sum(numbers) / len(numbers)


def spread(rows: pd.DataFrame, value: str, form: Callable[[float], str]) -> str:
    """`mean 2.1x (0.9x grid2d:60 to 4x bcsstk18 (BC)) of 3`."""
    ordered = sorted(zip(rows[value].astype(float), rows["label"], strict=True))
    (least, first), (most, last) = ordered[0], ordered[-1]
    if len(rows) == 1:
        return f"{form(least)} ({first})"
    span = f"{form(least)} {first} to {form(most)} {last}"
    return f"mean {form(float(rows[value].mean()))} ({span}) of {len(rows)}"
