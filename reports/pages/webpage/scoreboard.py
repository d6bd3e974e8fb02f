"""How verdicts are shown at a glance: a symbol and a word each, and a sentence and a bar per machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.facts.records import Records
from reports.facts.standings import JUDGED, Direction, Magnitude, Outcome, Standing, Verdict
from reports.pages.ledger.order import machines_of


@dataclass(frozen=True)
class Mark:
    """How an outcome is shown: never by its colour alone.

    kind : CSS class
    meaning : as the legend says it
    """

    symbol: str
    kind: str
    meaning: str


MARKS: Mapping[Outcome, Mark] = {
    Outcome.REPRODUCED: Mark("✓", "reproduced", "direction as printed, size within the tolerance"),
    Outcome.DEVIATES: Mark(
        "≠", "deviates", "not contradicted, but the direction is open or the size outside the tolerance"
    ),
    Outcome.CONTRADICTED: Mark("✗", "contradicted", "the effect goes the other way over its whole interval"),
    Outcome.NOT_RUN: Mark("–", "absent", "no number yet; the claim's row at its figure says what is missing"),
    Outcome.UNTESTABLE: Mark(
        "∅", "untestable", "it needs hardware that no machine here has, or another regime"
    ),
}


@dataclass(frozen=True)
class Tally:
    """How many claims stand how on one machine.

    device : its GPU, else its processor
    total : claims
    outcomes : of all claims
    firm : of claims judged on the paper's own matrices
    stand_ins : of claims judged on stand-ins or on little work
    directions : of judged claims
    counts : (outcome, indicative, how many claims), in the order of `rank`
    """

    machine: str
    device: str
    total: int
    outcomes: Counter[Outcome]
    firm: Counter[Outcome]
    stand_ins: Counter[Outcome]
    directions: Counter[Direction]
    counts: tuple[tuple[Outcome, bool, int], ...]


def tallies(standings: Sequence[Standing], records: Records) -> list[Tally]:
    """One tally per machine, that with the most judged claims first."""
    return [
        _tally(machine, [s for s in standings if s.machine == machine], records)
        for machine in machines_of(standings)
    ]


def label(outcome: Outcome, indicative: bool) -> str:
    """`deviates (indicative)`."""
    return f"{outcome}{' (indicative)' if indicative else ''}"


def rank(outcome: Outcome, indicative: bool) -> int:
    """Firm verdicts first, then indicative ones, then what was not judged."""
    return list(MARKS).index(outcome) + len(MARKS) * (indicative + 2 * (outcome not in JUDGED))


def direction_and_size(verdict: Verdict) -> str:
    """Direction and size, each by itself: `direction as printed, 1.24x the printed size`."""
    direction = "" if verdict.direction is Direction.NONE else f"direction {verdict.direction}"
    off = verdict.magnitude is not Magnitude.AS_PRINTED and verdict.factor is not None
    size = f"{verdict.factor:.3g}x the printed size" if off else ""
    return ", ".join(part for part in (direction, size) if part)


def _tally(machine: str, standings: Sequence[Standing], records: Records) -> Tally:
    judged = [s for s in standings if s.outcome in JUDGED]
    kinds = Counter((s.outcome, s.indicative) for s in standings)
    return Tally(
        machine=machine,
        device=_device(records.of_machine(machine)),
        total=len(standings),
        outcomes=Counter(s.outcome for s in standings),
        firm=Counter(s.outcome for s in judged if not s.indicative),
        stand_ins=Counter(s.outcome for s in judged if s.indicative),
        directions=Counter(s.verdict.direction for s in judged if s.verdict),
        counts=tuple((*kind, kinds[kind]) for kind in sorted(kinds, key=lambda kind: rank(*kind))),
    )


def _device(records: Records) -> str:
    """The GPU that most records name, else the processor."""
    devices = Counter(record.device for record in records.rows if record.device)
    devices = devices or Counter(record.host_cpu for record in records.rows if record.host_cpu)
    return devices.most_common(1)[0][0] if devices else "an unnamed processor"
