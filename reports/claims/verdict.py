"""The outcome of a claim on one machine, its numbers, both as text, and the things that the claim lacks.

outcome_label(Outcome.NOT_JUDGED, Reason.NOT_RUN)    # not judged (not run)
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import pandas as pd

from fillpath.settings import PROCESSES
from reports.facts.claims import Claim


class Outcome(StrEnum):
    """The five outcomes of a claim, the clearest first."""

    REPRODUCED = "reproduced"
    OTHER_SIZE = "other size"
    NOT_REPRODUCED = "not reproduced"
    OPEN = "open"
    NOT_JUDGED = "not judged"


# Outcomes that decide a claim, and all outcomes of a measured number.
CONCLUSIVE = (Outcome.REPRODUCED, Outcome.OTHER_SIZE, Outcome.NOT_REPRODUCED)
JUDGED = (*CONCLUSIVE, Outcome.OPEN)


class Reason(StrEnum):
    """Reasons why a claim, or a number, is not judged."""

    DERIVED = "derived from the print"
    CONSTANT = "a constant of our own data structures"
    NEEDS = "needs what is not here"
    NOT_RUN = "not run"
    BESIDE = "beside the print"


def outcome_label(outcome: Outcome, reason: str = "") -> str:
    """Return `not judged (not run)`."""
    return f"{outcome} ({reason})" if reason else str(outcome)


# (label, reason) of rows that are in no number.
LeftOut = tuple[tuple[str, str], ...]
_NOTHING = pd.DataFrame(columns=["input", "of_claim", "bound", "label"])


@dataclass(frozen=True)
class Verdict:
    """A claim compared with the numbers of a figure's frame on one machine.

    claim, basis : the claim's id, and what was compared (seconds, TEPS, bytes).
    numbers : measured and printed, as text.
    reason, why : why the claim is not judged, None where judged; grounds in addition to the numbers.
    factor : measured over printed.
    value, low, high : the aggregate of the points and its interval, 0 where nothing was measured.
    printed : what it is held against, of the same matrices where the paper prints by matrix.
    points : one row per number behind it, as reports/claims/points.py makes them.
    of : the number of the claim's matrices, None where unknown.
    processes : the least in which a number of a time was measured, None of other claims.
    """

    claim: str
    basis: str
    outcome: Outcome
    numbers: str
    reason: Reason | None = None
    why: str = ""
    factor: float | None = None
    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    printed: float = 0.0
    points: pd.DataFrame = field(default_factory=lambda: _NOTHING, compare=False)
    of: int | None = None
    processes: int | None = None
    left_out: LeftOut = ()

    @property
    def n(self) -> int:
        """Count the numbers behind it, 0 where nothing was measured."""
        return len(self.points)

    @property
    def matrices(self) -> int:
        """Count the matrices of the claim that have a number."""
        return self.points["of_claim" if self.of else "input"].nunique()

    @property
    def bound(self) -> str:
        """Return `> ` or `< ` of an aggregate that is a bound, `~ ` where bounds of both kinds meet."""
        return bound_of(self.points["bound"])

    @property
    def coverage(self) -> str:
        """Return `on 7 of 15`, with `in 2 processes` of a time that was measured in fewer than five."""
        if not self.n or self.reason is Reason.BESIDE:
            return ""
        some = f"of {self.of}" if self.of else "matrix" if self.matrices == 1 else "matrices"
        return f"on {self.matrices} {some} {self.in_processes}".rstrip()

    @property
    def in_processes(self) -> str:
        """Return `in 2 processes` of a time that was measured in fewer than five, empty of others."""
        count = self.processes or PROCESSES
        return f"in {count} process{'es' if count > 1 else ''}" if count < PROCESSES else ""

    @property
    def word(self) -> str:
        """Return `reproduced on 7 of 15`."""
        return " ".join(filter(None, (outcome_label(self.outcome, self.reason or ""), self.coverage)))

    @property
    def within(self) -> str:
        """Return `6 of 7 within 25% of the print` of a claim that is judged by matrix, else nothing."""
        first = self.numbers.partition(":")[0].partition(", ")[0]
        return first if " within " in first else ""

    @property
    def label(self) -> str:
        """Return the word, with the factor where the size differs and `within` is empty."""
        is_sized = self.outcome is Outcome.OTHER_SIZE and self.factor is not None and not self.within
        return f"{self.word}, {self.factor:.3g} of the print" if is_sized else self.word

    @property
    def grounds(self) -> str:
        """Return what decided it, and the numbers."""
        return ": ".join(filter(None, (self.why, self.numbers)))

    @property
    def text(self) -> str:
        """Return the outcome and its grounds."""
        return f"{self.label}: {self.grounds}"


def bound_of(bounds: Iterable[str]) -> str:
    """Return `> `, `< `, `~ ` of an aggregate that rises with each of its numbers, empty for a number."""
    marks = set(bounds) - {""}
    return "~ " if len(marks) > 1 else "".join(marks)


@dataclass(frozen=True)
class Missing:
    """The things that a claim lacks: of a kind (matrix, GPU, library, measurement, experiment), by name."""

    kind: str
    what: tuple[str, ...]


@dataclass(frozen=True)
class Standing:
    """The outcome of one claim on one machine.

    reason, why : why it is not judged, None where it is; the outcome's grounds in words.
    verdict : the verdict that decides, None where nothing was measured.
    beside : other numbers of the same claim, from other columns or stand-ins.
    missing : what keeps it from being run, or run on all its matrices.
    figure, command : which decides it (`fig10`), and which measures it anew, empty for none.
    records : paths below results/, of that machine.
    older : how many of these records were measured with other sources than today's.
    """

    claim: Claim
    machine: str
    outcome: Outcome
    reason: Reason | None
    why: str
    verdict: Verdict | None
    beside: tuple[Verdict, ...]
    missing: tuple[Missing, ...]
    figure: str
    records: tuple[str, ...]
    older: int
    command: str

    @property
    def label(self) -> str:
        """Return `other size on 2 of 13, 0.4 of the print`, the outcome alone where nothing was measured."""
        verdict = self.verdict
        known = verdict is not None and verdict.n and self.outcome is verdict.outcome
        return verdict.label if verdict and known else outcome_label(self.outcome, self.reason or "")
