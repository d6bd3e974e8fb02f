"""How claims stand, at a glance: claims against machines, and counts by kind on each machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from reports.claims.standing import Standing
from reports.claims.verdict import CONCLUSIVE, JUDGED, Direction, Outcome, Size, Verdict
from reports.facts.claim import Claim, Kind
from reports.facts.records import Records
from reports.pages.ledger.text import headline, tally

# A claim, and how it stands on each machine, None where it has no standing.
ClaimRow = tuple[Claim, list[Standing | None]]
# Outcomes of standings, those first that a reader looks for.
_SHOWN: list[Outcome] = [outcome for outcome in Outcome if outcome is not Outcome.BESIDE]


def machines_of(standings: Sequence[Standing]) -> list[str]:
    """Return the machines, that with the most judged claims first."""
    judged = Counter(s.machine for s in standings if s.outcome in JUDGED)
    return sorted({s.machine for s in standings}, key=lambda name: (-judged[name], name))


def claim_rows(standings: Sequence[Standing], machines: Sequence[str]) -> list[ClaimRow]:
    """Return the claims in the order of the standings, each with its standing on each of the machines."""
    rows: dict[str, dict[str, Standing]] = defaultdict(dict)
    for standing in standings:
        rows[standing.claim.id][standing.machine] = standing
    return [(next(iter(row.values())).claim, [row.get(name) for name in machines]) for row in rows.values()]


def tallies(standings: Sequence[Standing], records: Records) -> list[dict[str, Any]]:
    """Return of each machine its name, its device, on how many hosts its records were made, what is firmly
    known, and by kind the (outcome, indicative, how many claims)."""
    return [
        _tally(machine, [s for s in standings if s.machine == machine], records.of_machine(machine))
        for machine in machines_of(standings)
    ]


def _tally(machine: str, standings: Sequence[Standing], there: Records) -> dict[str, Any]:
    by_kind = {kind: tally(s for s in standings if s.claim.kind is kind) for kind in Kind}
    devices = Counter(record.device for record in there.rows if record.device)
    devices = devices or Counter(record.host_cpu for record in there.rows if record.host_cpu)
    return {
        "machine": machine,
        "device": devices.most_common(1)[0][0] if devices else "an unnamed processor",
        "hosts": there.hosts_text(),
        "headline": headline(machine, standings),
        "kinds": {
            kind: [(*each, counts[each]) for each in sorted(counts, key=lambda each: rank(*each))]
            for kind, counts in by_kind.items()
            if counts
        },
    }


def rank(outcome: Outcome, indicative: bool) -> int:
    """Return the place of an outcome: firm ones first, then indicative ones, then what says nothing."""
    return _SHOWN.index(outcome) + len(_SHOWN) * (indicative + 2 * (outcome not in CONCLUSIVE))


def direction_and_size(verdict: Verdict) -> str:
    """Return direction and size, each by itself: `direction as printed, 1.24x the printed size`."""
    direction = "" if verdict.direction is Direction.NONE else f"direction {verdict.direction}"
    off = verdict.size in (Size.LARGER, Size.SMALLER) and verdict.factor is not None
    size = f"{verdict.factor:.3g}x the printed size" if off else ""
    return ", ".join(filter(None, (direction, size)))
