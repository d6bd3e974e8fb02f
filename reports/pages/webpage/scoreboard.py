"""How verdicts are shown at a glance: a symbol and a word each, and counts by kind on each machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.claims.standing import Standing
from reports.claims.verdict import CONCLUSIVE, Direction, Outcome, Size, Verdict
from reports.facts.claim import Kind
from reports.facts.records import Records
from reports.pages.ledger.headline import headline
from reports.pages.ledger.order import machines_of, tally


@dataclass(frozen=True)
class OutcomeMark:
    """How an outcome is shown: never by its colour alone.

    kind : CSS class
    meaning : as the legend says it
    """

    symbol: str
    kind: str
    meaning: str


MARKS: Mapping[Outcome, OutcomeMark] = {
    Outcome.REPRODUCED: OutcomeMark(
        "✓", "reproduced", "the whole interval lies in the band around the print"
    ),
    Outcome.DEVIATES: OutcomeMark(
        "≠", "deviates", "the whole interval lies outside the band, on the printed side"
    ),
    Outcome.CONTRADICTED: OutcomeMark(
        "✗", "contradicted", "the effect goes the other way over its whole interval"
    ),
    Outcome.INCONCLUSIVE: OutcomeMark(
        "?", "inconclusive", "the interval lies on both sides of the band’s edge, or too few matrices"
    ),
    Outcome.NOT_COMPARABLE: OutcomeMark(
        "○", "incomparable", "a constant of this code’s own data structures: shown, not judged"
    ),
    Outcome.DERIVED: OutcomeMark(
        "=", "derived", "arithmetic on other printed numbers, and whether the two agree"
    ),
    Outcome.NOT_RUN: OutcomeMark(
        "–", "absent", "no number yet; the claim's row at its figure says what is missing"
    ),
    Outcome.UNTESTABLE: OutcomeMark(
        "∅", "untestable", "it needs hardware that no machine here has, or another regime"
    ),
}


@dataclass(frozen=True)
class KindRow:
    """How many claims of one kind stand how.

    counts : (outcome, indicative, how many claims), in the order of `rank`.
    """

    kind: Kind
    total: int
    counts: tuple[tuple[Outcome, bool, int], ...]


@dataclass(frozen=True)
class Tally:
    """How the claims stand on one machine.

    device : its GPU, else its processor.
    hosts : on how many its records were made, empty for one.
    headline : what is firmly known, in three sentences.
    kinds : counted apart.
    """

    machine: str
    device: str
    hosts: str
    headline: tuple[str, str, str]
    kinds: tuple[KindRow, ...]


def tallies(standings: Sequence[Standing], records: Records) -> list[Tally]:
    """One tally per machine, that with the most judged claims first."""
    return [
        _tally(machine, [s for s in standings if s.machine == machine], records)
        for machine in machines_of(standings)
    ]


def rank(outcome: Outcome, indicative: bool) -> int:
    """Firm verdicts first, then indicative ones, then what says nothing of a claim."""
    return list(MARKS).index(outcome) + len(MARKS) * (indicative + 2 * (outcome not in CONCLUSIVE))


def direction_and_size(verdict: Verdict) -> str:
    """Direction and size, each by itself: `direction as printed, 1.24x the printed size`."""
    direction = "" if verdict.direction is Direction.NONE else f"direction {verdict.direction}"
    off = verdict.size in (Size.LARGER, Size.SMALLER) and verdict.factor is not None
    size = f"{verdict.factor:.3g}x the printed size" if off else ""
    return ", ".join(part for part in (direction, size) if part)


def _tally(machine: str, standings: Sequence[Standing], records: Records) -> Tally:
    rows = tuple(_kind_row(kind, [s for s in standings if s.claim.kind is kind]) for kind in Kind)
    there = records.of_machine(machine)
    kinds = tuple(row for row in rows if row.total)
    return Tally(machine, _device(there), there.hosts_text(), headline(machine, standings), kinds)


def _kind_row(kind: Kind, standings: Sequence[Standing]) -> KindRow:
    counts = tally(standings)
    ordered = sorted(counts, key=lambda outcome: rank(*outcome))
    return KindRow(kind, len(standings), tuple((*outcome, counts[outcome]) for outcome in ordered))


def _device(records: Records) -> str:
    """The GPU that most records name, else the processor."""
    devices = Counter(record.device for record in records.rows if record.device)
    devices = devices or Counter(record.host_cpu for record in records.rows if record.host_cpu)
    return devices.most_common(1)[0][0] if devices else "an unnamed processor"
