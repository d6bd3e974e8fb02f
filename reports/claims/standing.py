"""The standing of a claim on a machine, and the things that it lacks there."""

from dataclasses import dataclass

from reports.claims.verdict import Outcome, Reason, Verdict, outcome_label
from reports.facts.claim import Claim


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
    figure, command : which decides it (`fig10`), and which measures it again, empty for none.
    records : paths below results/, of that machine.
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
    command: str

    @property
    def label(self) -> str:
        """Return `other size on 2 of 13, 0.4 of the print`, the outcome alone where nothing was measured."""
        verdict = self.verdict
        known = verdict is not None and verdict.n and self.outcome is verdict.outcome
        return verdict.label if verdict and known else outcome_label(self.outcome, self.reason or "")
