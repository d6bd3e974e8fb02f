"""What became of a claim on one machine, with the numbers behind it, and how that is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import pandas as pd


class Outcome(StrEnum):
    """The fate of a claim. BESIDE : a number beside the print, not judged; no standing has it."""

    REPRODUCED = "reproduced"
    DEVIATES = "deviates"
    CONTRADICTED = "contradicted"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not comparable"
    DERIVED = "derived"
    NOT_RUN = "not run"
    UNTESTABLE = "cannot be tested here"
    BESIDE = "beside the print"


# Outcomes that say something of a claim, and all that a measured number is judged to.
CONCLUSIVE = (Outcome.REPRODUCED, Outcome.DEVIATES, Outcome.CONTRADICTED)
JUDGED = (*CONCLUSIVE, Outcome.INCONCLUSIVE)


def outcome_label(outcome: Outcome, indicative: bool, coverage: str = "") -> str:
    """`deviates on 1 of 13 (indicative)`."""
    return " ".join(filter(None, (outcome, coverage, "(indicative)" if indicative else "")))


class Scope(StrEnum):
    """The matrices that a number is of. They are judged apart and never merged."""

    PAPER = "on the paper's own matrices"
    TWINS = "on twins"
    STAND_INS = "on stand-ins"
    PANEL = "of all matrices of the figure"
    ANY = "of all matrices, for the claim names none"


_INSTEAD = {Scope.TWINS: "twins of ", Scope.STAND_INS: "stand-ins for "}


class Direction(StrEnum):
    """On which side of no effect the measured number lies, its whole interval considered."""

    AS_PRINTED = "as printed"
    OPPOSITE = "opposite"
    UNRESOLVED = "unresolved"
    NONE = "no direction"


class Size(StrEnum):
    """How the measured interval lies to the band around the print. OPEN : on both sides of its edge."""

    AS_PRINTED = "as printed"
    LARGER = "larger"
    SMALLER = "smaller"
    OPEN = "open"
    NONE = "no magnitude"


def _nothing() -> pd.DataFrame:
    return pd.DataFrame(columns=["input", "of_claim", "bound"])


@dataclass(frozen=True)
class Verdict:
    """The word of a figure's frame on one claim and one machine.

    claim : its id, `paper.subject.name`.
    basis : what was compared (seconds, TEPS, bytes).
    numbers : measured and printed, as text.
    machine, scope : empty and None where nothing was measured.
    doubt : why it is indicative only, empty for a firm one and for what says nothing of the claim.
    factor : measured over printed.
    value, low, high : the aggregate of the points, and the least and the most that their intervals allow; 0
        where nothing was measured.
    printed : what it is held against, of the same matrices where the paper prints by matrix.
    points : one row per number behind it, as reports/claims/points.py makes them.
    of : matrices that the claim is about, None where the paper does not say.
    left_out : (label, reason) of rows that are in no number.
    why : the reason of an outcome that is not judged, or what decided it beside the numbers; empty for none.
    """

    claim: str
    basis: str
    outcome: Outcome
    numbers: str
    machine: str = ""
    scope: Scope | None = None
    doubt: str = ""
    direction: Direction = Direction.NONE
    size: Size = Size.NONE
    factor: float | None = None
    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    printed: float = 0.0
    points: pd.DataFrame = field(default_factory=_nothing, compare=False)
    of: int | None = None
    left_out: tuple[tuple[str, str], ...] = ()
    why: str = ""

    @property
    def n(self) -> int:
        """How many numbers it is of, 0 where nothing was measured."""
        return len(self.points)

    @property
    def distinct(self) -> int:
        """Matrices that the points are of, or of the paper's matrices those that they stand in for."""
        return len(set(self.points["input"]))

    @property
    def matrices(self) -> int:
        """How many of the claim's matrices the points are of, or stand in for."""
        return len(set(self.points["of_claim"]) - {None})

    @property
    def bound(self) -> str:
        """`> ` or `< ` where the aggregate is a bound, `~ ` where bounds of both kinds leave it open."""
        return bound_of(self.points["bound"])

    @property
    def firm(self) -> bool:
        """Whether a reader may rely on it: a judged number that nothing speaks against."""
        return self.outcome in CONCLUSIVE and not self.doubt

    @property
    def key(self) -> str:
        """Return what tells this verdict from a figure's others."""
        return f"verdict {self.claim} ({', '.join(filter(None, (self.basis, self.machine, self.scope)))})"

    @property
    def coverage(self) -> str:
        """`on 1 of 13`: how many of the claim's matrices the number is of; empty where there is none."""
        if not self.n or self.scope is None:
            return ""
        if self.scope in (Scope.PANEL, Scope.ANY) or self.of is None:
            return f"on {self.distinct} {'matrix' if self.distinct == 1 else 'matrices'}"
        return f"on {_INSTEAD.get(self.scope, '')}{self.matrices} of {self.of}"

    @property
    def word(self) -> str:
        """`reproduced on 1 of 13`, with ` (indicative)` where it is."""
        coverage = self.coverage if self.outcome in (*JUDGED, Outcome.DERIVED) else ""
        return outcome_label(self.outcome, bool(self.doubt), coverage)

    @property
    def label(self) -> str:
        """The word, and of one that is not reproduced by how much and in which direction."""
        if self.outcome not in (Outcome.DEVIATES, Outcome.INCONCLUSIVE):
            return self.word
        factor = f" ({self.factor:.3g} of it)" if self.factor is not None else ""
        off = f", {self.size} than the print{factor}"
        sizes = {Size.LARGER: off, Size.SMALLER: off, Size.OPEN: ", size open"}
        towards = "" if self.direction is Direction.NONE else f", direction {self.direction}"
        return f"{self.word}{sizes.get(self.size, '')}{towards}"

    @property
    def text(self) -> str:
        """The outcome and the numbers, or why there are none."""
        doubt = f"indicative: {self.doubt}" if self.doubt else ""
        return ": ".join(filter(None, (self.label, self.why, self.numbers, doubt)))


def bound_of(bounds: Iterable[str]) -> str:
    """Return `> `, `< `, `~ ` of an aggregate that rises with each of its numbers, empty for a number."""
    marks = set(bounds) - {""}
    return "~ " if len(marks) > 1 else "".join(marks)
