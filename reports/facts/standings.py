"""The claim ledger's nouns: what was measured of a claim, what a figure's frame says of it, how it stands.

Longer than two screens, because they are read together: each holds the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from reports.facts.claim import Claim


class Outcome(StrEnum):
    """What became of a claim. BESIDE : a number that stands beside the print and is not judged; no standing
    has it."""

    REPRODUCED = "reproduced"
    DEVIATES = "deviates"
    CONTRADICTED = "contradicted"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not comparable"
    DERIVED = "derived"
    NOT_RUN = "not run"
    UNTESTABLE = "cannot be tested here"
    BESIDE = "beside the print"


# Outcomes that a measured number was judged to.
JUDGED = (Outcome.REPRODUCED, Outcome.DEVIATES, Outcome.CONTRADICTED, Outcome.INCONCLUSIVE)
# Of these, what says something of a claim.
CONCLUSIVE = (Outcome.REPRODUCED, Outcome.DEVIATES, Outcome.CONTRADICTED)


def outcome_label(outcome: Outcome, indicative: bool, coverage: str = "") -> str:
    """`deviates on 1 of 13 (indicative)`."""
    words = (outcome, coverage, "(indicative)" if indicative else "")
    return " ".join(word for word in words if word)


class Scope(StrEnum):
    """Of which matrices a number is. They are judged apart and never merged."""

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


class Magnitude(StrEnum):
    """How the interval of the measured number lies to the band around the printed one. OPEN : on both sides
    of the band's edge."""

    AS_PRINTED = "as printed"
    LARGER = "larger"
    SMALLER = "smaller"
    OPEN = "open"
    NONE = "no magnitude"


@dataclass(frozen=True)
class Point:
    """One row behind a number.

    label : of its matrix, and of what else tells it from other rows.
    matrix : as a case names it; empty where it is the label.
    bounded : whether its interval is known.
    bound : `> ` or `< ` where the value is a bound, of a call that a limit of time ended; else empty.
    abbr : the paper's own abbreviation, None for any other matrix.
    low, high : the value's interval.
    printed : of that matrix, or of the one it stands in for; None where the paper prints none.
    stands_for : of the claim's matrices the nearest that it is near enough to stand in for.
    processes : in which it was measured.
    at : what the value of a trend is held against.
    """

    label: str
    abbr: str | None
    value: float
    low: float
    high: float
    printed: float | None = None
    stands_for: str | None = None
    processes: int = 1
    at: float | None = None
    matrix: str = ""
    bounded: bool = True
    bound: str = ""


@dataclass(frozen=True)
class Measured:
    """The measured side of a claim.

    value : its aggregate over the points.
    low, high : the least and the most that the points' intervals allow.
    printed : what it is held against, of the same matrices where the paper prints by matrix.
    n : points.
    distinct : matrices that the points are of, or of the paper's matrices those that they stand in for.
    matrices : how many of the claim's matrices these are, or stand for.
    of : matrices that the claim is about, None where the paper does not say.
    processes : in which each point was measured at least.
    """

    value: float
    low: float
    high: float
    printed: float
    n: int
    distinct: int
    matrices: int
    of: int | None
    processes: int
    points: tuple[Point, ...]

    @property
    def bound(self) -> str:
        """`> ` or `< ` where the aggregate is a bound, `~ ` where bounds of both kinds leave it open."""
        return bound_of(self.points)


def bound_of(points: Sequence[Point]) -> str:
    """What an aggregate that rises with each of the points is: `> `, `< `, `~ `, or empty for a number."""
    marks = {point.bound for point in points} - {""}
    return "~ " if len(marks) > 1 else "".join(marks)


@dataclass(frozen=True)
class Excluded:
    """A row that is in no number, and why."""

    label: str
    reason: str


@dataclass(frozen=True)
class Verdict:
    """What a figure's frame says of one claim on one machine.

    claim : its id, `paper.subject.name`.
    basis : what was compared (seconds, TEPS, bytes).
    machine : empty where nothing was measured.
    scope : of which matrices, None where nothing was measured.
    doubt : why it is indicative only, empty for a firm one and for what says nothing of the claim.
    factor : measured over printed.
    numbers : measured and printed, as text.
    why : the reason of an outcome that is not judged, or what decided it beside the numbers; empty for none.
    """

    claim: str
    basis: str
    machine: str
    scope: Scope | None
    doubt: str
    outcome: Outcome
    direction: Direction
    magnitude: Magnitude
    factor: float | None
    numbers: str
    measured: Measured | None
    excluded: tuple[Excluded, ...]
    why: str = ""

    @property
    def firm(self) -> bool:
        """Whether a reader may rely on it: a judged number that nothing speaks against."""
        return self.outcome in CONCLUSIVE and not self.doubt

    @property
    def key(self) -> str:
        """What tells this verdict from a figure's others."""
        scope = str(self.scope) if self.scope else ""
        parts = ", ".join(part for part in (self.basis, self.machine, scope) if part)
        return f"verdict {self.claim} ({parts})"

    @property
    def coverage(self) -> str:
        """`on 1 of 13`: how many of the claim's matrices the number is of; empty where there is none."""
        measured = self.measured
        if measured is None or self.scope is None:
            return ""
        if self.scope in (Scope.PANEL, Scope.ANY) or measured.of is None:
            return f"on {measured.distinct} {'matrix' if measured.distinct == 1 else 'matrices'}"
        return f"on {_INSTEAD.get(self.scope, '')}{measured.matrices} of {measured.of}"

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
        off = self.magnitude in (Magnitude.LARGER, Magnitude.SMALLER)
        size = f", {self.magnitude} than the print{factor}" if off else ""
        size = ", size open" if self.magnitude is Magnitude.OPEN else size
        towards = "" if self.direction is Direction.NONE else f", direction {self.direction}"
        return f"{self.word}{size}{towards}"

    @property
    def text(self) -> str:
        """The outcome and the numbers, or why there are none."""
        doubt = f"indicative: {self.doubt}" if self.doubt else ""
        return ": ".join(part for part in (self.label, self.why, self.numbers, doubt) if part)


@dataclass(frozen=True)
class Missing:
    """What a claim lacks on a machine.

    kind : matrix, GPU, library, measurement or experiment.
    what : by name.
    """

    kind: str
    what: tuple[str, ...]


@dataclass(frozen=True)
class Standing:
    """How one claim stands on one machine.

    doubt : why the outcome is indicative only, empty where it is firm or says nothing of the claim.
    why : in words, whatever the outcome.
    verdict : the one that decides, None where nothing was measured.
    beside : other numbers of the same claim, judged apart (of other matrices) or not judged.
    missing : what keeps it from being run, or run on all its matrices.
    figure : the one that decides (`fig10`), empty for none.
    records : paths below results/, of that machine.
    command : measures it again, empty where nothing here does.
    """

    claim: Claim
    machine: str
    outcome: Outcome
    doubt: str
    why: str
    verdict: Verdict | None
    beside: tuple[Verdict, ...]
    missing: tuple[Missing, ...]
    figure: str
    records: tuple[str, ...]
    command: str

    @property
    def indicative(self) -> bool:
        """Whether it says something of the claim and is not firm."""
        return bool(self.doubt)

    @property
    def label(self) -> str:
        """`contradicted on 2 of 13 (indicative); inconclusive on stand-ins for 4 of 13 (indicative)`:
        outcomes of different matrices stand side by side."""
        verdict = self.verdict
        word = verdict.word if verdict and self.outcome is verdict.outcome else str(self.outcome)
        return "; ".join([word, *(other.word for other in self.also)])

    @property
    def judged(self) -> tuple[Verdict, ...]:
        """Every judged verdict, the one that decides first."""
        decides = (self.verdict,) if self.verdict and self.verdict.outcome in JUDGED else ()
        return (*decides, *self.also)

    @property
    def also(self) -> tuple[Verdict, ...]:
        """Judged verdicts of other matrices, beside the one that decides."""
        return tuple(verdict for verdict in self.beside if verdict.outcome in JUDGED)
