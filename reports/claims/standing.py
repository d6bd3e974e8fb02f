"""How a claim stands on a machine, and what it lacks there."""

from __future__ import annotations

from dataclasses import dataclass

from reports.claims.verdict import JUDGED, Outcome, Verdict
from reports.facts.claim import Claim


@dataclass(frozen=True)
class Missing:
    """The things that a claim lacks on a machine.

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
        decides = [self.verdict] if self.verdict else []
        return tuple(verdict for verdict in (*decides, *self.beside) if verdict.outcome in JUDGED)

    @property
    def also(self) -> tuple[Verdict, ...]:
        """Judged verdicts of other matrices, beside the one that decides."""
        return tuple(verdict for verdict in self.judged if verdict is not self.verdict)
