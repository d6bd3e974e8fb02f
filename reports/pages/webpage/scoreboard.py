"""Claims against machines: which machine comes first, and how each claim stands on each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from reports.claims.standing import Standing
from reports.claims.verdict import CONCLUSIVE, JUDGED, Outcome
from reports.facts.claim import Claim

# A claim, and how it stands on each machine, None where it has no standing.
ClaimRow = tuple[Claim, list[Standing | None]]
# Outcomes as the table of claims is ordered: what a reader looks for first.
_ORDER = [*reversed(CONCLUSIVE), Outcome.OPEN, Outcome.NOT_JUDGED]


def machines_of(standings: Sequence[Standing]) -> list[str]:
    """Return the machines, that with the most judged claims first."""
    judged = Counter(s.machine for s in standings if s.outcome in JUDGED)
    return sorted({s.machine for s in standings}, key=lambda name: (-judged[name], name))


def claim_rows(standings: Sequence[Standing], machines: Sequence[str]) -> list[ClaimRow]:
    """Return the claims, each with its standing on each of the machines: those that were not reproduced on
    one first, those that none judges last, else in the order of the standings."""
    rows: dict[str, dict[str, Standing]] = defaultdict(dict)
    for standing in standings:
        rows[standing.claim.id][standing.machine] = standing
    ordered = sorted(rows.values(), key=lambda row: min(_ORDER.index(s.outcome) for s in row.values()))
    return [(next(iter(row.values())).claim, [row.get(name) for name in machines]) for row in ordered]


def is_judged(row: ClaimRow) -> bool:
    """Return whether any machine judges the claim."""
    return any(standing is not None and standing.outcome in JUDGED for standing in row[1])


def counts(standings: Sequence[Standing], machine: str) -> Mapping[Outcome, int]:
    """Return how many claims have which outcome on a machine, in the order of the outcomes."""
    found = Counter(s.outcome for s in standings if s.machine == machine)
    return {outcome: found[outcome] for outcome in Outcome if found[outcome]}
