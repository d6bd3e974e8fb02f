"""Claims against machines: which machine comes first, and how each claim stands on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reports.claims.standing import Standing
from reports.claims.verdict import CONCLUSIVE, JUDGED, Outcome
from reports.facts.claim import Claim

# A claim, and how it stands on each machine, None where it has no standing.
ClaimRow = tuple[Claim, list[Standing | None]]
# What a reader of all claims looks for first.
_ORDER = [*reversed(CONCLUSIVE), Outcome.OPEN, Outcome.NOT_JUDGED]


def machines_of(standings: Sequence[Standing]) -> list[str]:
    """Return the machines, that with the most judged claims first."""
    judged = Counter(s.machine for s in standings if s.outcome in JUDGED)
    return sorted({s.machine for s in standings}, key=lambda name: (-judged[name], name))


def claim_rows(standings: Sequence[Standing], machines: Sequence[str]) -> list[ClaimRow]:
    """Return the claims, each with its standing on each machine: first those that one did not reproduce,
    last those that none judges."""
    claims = {s.claim.id: s.claim for s in standings}
    found = {(s.claim.id, s.machine): s for s in standings}
    rows = [(claim, [found.get((id, machine)) for machine in machines]) for id, claim in claims.items()]
    return sorted(rows, key=lambda row: min((_ORDER.index(s.outcome) for s in row[1] if s), default=9))
