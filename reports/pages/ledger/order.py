"""The list of standings as it is shown anywhere: machines, claims, counts, each in one order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reports.claims.standing import Standing
from reports.claims.verdict import JUDGED, Outcome, outcome_label
from reports.facts.claim import Claim, Kind


@dataclass(frozen=True)
class ClaimRow:
    """A claim on several machines.

    standings : one per machine, None where the machine has none
    """

    claim: Claim
    standings: tuple[Standing | None, ...]


def machines_of(standings: Sequence[Standing]) -> list[str]:
    """The machines, that with the most judged claims first."""
    judged = Counter(s.machine for s in standings if s.outcome in JUDGED)
    return sorted({s.machine for s in standings}, key=lambda name: (-judged[name], name))


def claim_rows(standings: Sequence[Standing], machines: Sequence[str]) -> list[ClaimRow]:
    """One row per claim, in the order of the standings, with a standing per machine."""
    by_claim: dict[str, dict[str, Standing]] = {}
    for standing in standings:
        by_claim.setdefault(standing.claim.id, {})[standing.machine] = standing
    return [
        ClaimRow(next(iter(row.values())).claim, tuple(row.get(machine) for machine in machines))
        for row in by_claim.values()
    ]


def counts(standings: Sequence[Standing]) -> list[tuple[str, str, int]]:
    """(machine, kind and outcome, how many claims), by machine and kind."""
    rows = Counter(
        (s.machine, list(Kind).index(s.claim.kind), s.claim.kind, outcome_label(s.outcome, s.indicative))
        for s in standings
    )
    return [(machine, f"{kind}: {label}", count) for (machine, _, kind, label), count in sorted(rows.items())]


def tally(standings: Sequence[Standing]) -> Counter[tuple[Outcome, bool]]:
    """How many claims have which outcome, firm and indicative ones apart."""
    return Counter((standing.outcome, standing.indicative) for standing in standings)
