"""The claim ledger's nouns: what was measured of a claim, what a figure's frame says of it, how it stands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from reports.facts.claim import Claim


class Outcome(StrEnum):
    """What became of a claim. BESIDE : a number that stands beside the print and is not judged; no standing
    has it."""

    REPRODUCED = "reproduced"
    DEVIATES = "deviates"
    CONTRADICTED = "contradicted"
    NOT_RUN = "not run"
    UNTESTABLE = "cannot be tested here"
    BESIDE = "beside the print"


# Outcomes that a measured number was judged to.
JUDGED = (Outcome.REPRODUCED, Outcome.DEVIATES, Outcome.CONTRADICTED)
FIRM, INDICATIVE = "on the paper's own matrices", "indicative (stand-in)"


class Direction(StrEnum):
    """On which side of no effect the measured number lies, its whole interval considered."""

    AS_PRINTED = "as printed"
    OPPOSITE = "opposite"
    UNRESOLVED = "unresolved"
    NONE = "no direction"


class Magnitude(StrEnum):
    """How large the measured number is beside the printed one, within the claim's tolerance."""

    AS_PRINTED = "as printed"
    LARGER = "larger"
    SMALLER = "smaller"
    NONE = "no magnitude"


@dataclass(frozen=True)
class Point:
    """One row behind a number.

    label : its matrix.
    abbr : the paper's own abbreviation, None for any other matrix.
    low, high : the value's interval.
    printed : of that matrix, None where the paper prints none.
    """

    label: str
    abbr: str | None
    value: float
    low: float
    high: float
    printed: float | None


@dataclass(frozen=True)
class Measured:
    """The measured side of a claim.

    value : its aggregate over the points.
    low, high : the least and the most that the points' intervals allow.
    printed : what it is held against, of the same matrices where the paper prints by matrix.
    n : points.
    of : matrices that the claim is about, None where the paper does not say.
    """

    value: float
    low: float
    high: float
    printed: float
    n: int
    of: int | None
    points: tuple[Point, ...]


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
    firm : of the paper's own matrices, with enough work.
    factor : measured over printed.
    numbers : measured and printed, as text.
    why : the reason of an outcome that is not judged, empty for others.
    """

    claim: str
    basis: str
    machine: str
    firm: bool
    outcome: Outcome
    direction: Direction
    magnitude: Magnitude
    factor: float | None
    numbers: str
    measured: Measured | None
    excluded: tuple[Excluded, ...]
    why: str = ""

    @property
    def scope(self) -> str:
        """`on the paper's own matrices` or `indicative (stand-in)`; empty where nothing was measured."""
        return "" if self.measured is None else FIRM if self.firm else INDICATIVE

    @property
    def key(self) -> str:
        """What tells this verdict from a figure's others."""
        parts = ", ".join(part for part in (self.basis, self.machine, self.scope) if part)
        return f"verdict {self.claim} ({parts})"

    @property
    def label(self) -> str:
        """The outcome, and of one that deviates by how much and in which direction."""
        if self.outcome is not Outcome.DEVIATES:
            return str(self.outcome)
        factor = f" ({self.factor:.3g} of it)" if self.factor is not None else ""
        size = "" if self.magnitude is Magnitude.AS_PRINTED else f", {self.magnitude} than the print{factor}"
        towards = "" if self.direction is Direction.NONE else f", direction {self.direction}"
        return f"{self.outcome}{size}{towards}"

    @property
    def text(self) -> str:
        """The outcome and the numbers, or why there are none."""
        return ": ".join(part for part in (self.label, self.why, self.numbers) if part)


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

    indicative : it is of stand-ins or of little work.
    why : in words, whatever the outcome.
    verdict : the one that decides, None where nothing was measured.
    beside : other numbers of the same claim, the indicative one beside a firm one among them.
    missing : what keeps it from being run, or run on all its matrices.
    figure : the one that decides (`fig10`), empty for none.
    records : paths below results/, of that machine.
    command : measures it again, empty where nothing here does.
    """

    claim: Claim
    machine: str
    outcome: Outcome
    indicative: bool
    why: str
    verdict: Verdict | None
    beside: tuple[Verdict, ...]
    missing: tuple[Missing, ...]
    figure: str
    records: tuple[str, ...]
    command: str

    @property
    def label(self) -> str:
        """`contradicted (indicative)`."""
        return f"{self.outcome}{' (indicative)' if self.indicative else ''}"
