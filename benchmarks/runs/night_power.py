"""Simulated nights: how often the rule of a night alarms where nothing changed, and which losses it finds.

The noise is normal, of a scatter between processes that is given, or drawn from the committed records: from
the differences of log seconds of two records of one key, which is of one code, one input and one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.runs.night_noise import FIRST, KEPT, Floats, Noise
from benchmarks.runs.night_rule import MOST, Booleans, Decided, decide
from fillpath.record import Record, stored_records

LOSSES = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.50)
# Nights that are simulated at once.
_TOGETHER = 20
# Differences of log seconds of two processes of the same code: of nights, cases and pairs.
Draw = Callable[[np.random.Generator, tuple[int, int, int]], Floats]


@dataclass(frozen=True)
class Setting:
    """A simulated machine.

    draw : its noise
    past : differences that it keeps of each case
    cases : of a night
    affected : how many of them a loss slows
    """

    draw: Draw
    past: int = KEPT
    cases: int = 300
    affected: int = 1


@dataclass(frozen=True)
class Outcome:
    """Of many nights.

    false_alarms : a night
    detected : the share of the slowed cases that alarmed, 0 without a loss
    noticed : the share of nights in which any of them did
    pairs : measured of a case
    """

    false_alarms: float
    detected: float
    noticed: float
    pairs: float


def normal(scatter: float) -> Draw:
    """Of processes whose log seconds have that standard deviation."""
    return lambda generator, shape: generator.normal(0.0, scatter * np.sqrt(2.0), shape)


def drawn_from(differences: Sequence[float]) -> Draw:
    """Of these at random, either way round: which of two equal codes comes first is chance."""
    pool = np.asarray(differences)

    def draw(generator: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
        signs = generator.choice((-1.0, 1.0), shape)
        drawn: Floats = signs * generator.choice(pool, shape)
        return drawn

    return draw


def scaled_by(differences: Sequence[float]) -> Draw:
    """Normal, each case's of a standard deviation of its own: the size of one of these at random."""
    sizes = np.abs(differences)

    def draw(generator: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
        return generator.normal(0.0, generator.choice(sizes, shape[:-1])[..., None], shape)

    return draw


def differences_of_records(stored: Iterable[Sequence[Record]]) -> list[float]:
    """Of log medians, between each record of a case and the next of the same key."""
    differences = []
    for records in stored:
        by_key: dict[str, list[Record]] = {}
        for record in records:
            if record.median is not None:
                by_key.setdefault(record.key, []).append(record)
        for group in by_key.values():
            differences += [
                float(np.log(later.median / earlier.median))
                for earlier, later in pairwise(group)
                if earlier.median and later.median
            ]
    return differences


def simulate(setting: Setting, losses: Sequence[float], nights: int, seed: int = 0) -> list[Outcome]:
    """Of each loss, the same nights: the seconds of the affected cases are 1 + loss times what they were."""
    generator = np.random.default_rng(seed)
    alarms: list[list[Booleans]] = [[] for _ in losses]
    pairs: list[list[Floats]] = [[] for _ in losses]
    affected = np.arange(setting.cases) < setting.affected
    for first in range(0, nights, _TOGETHER):
        shape = (min(_TOGETHER, nights - first), setting.cases)
        drawn = setting.draw(generator, (*shape, setting.past + MOST))
        past, tonight = np.split(drawn, [setting.past], axis=-1)
        noise = Noise.of(past)
        for place, loss in enumerate(losses):
            alarmed, count = _night(tonight + affected[:, None] * np.log1p(loss), noise)
            alarms[place].append(alarmed)
            pairs[place].append(count)
    return [
        _outcome(np.concatenate(alarmed), np.concatenate(count), affected & (loss > 0))
        for loss, alarmed, count in zip(losses, alarms, pairs, strict=True)
    ]


def _outcome(alarms: Booleans, pairs: Floats, slowed: Booleans) -> Outcome:
    hits = alarms[:, slowed]
    detected = float(hits.mean()) if slowed.any() else 0.0
    return Outcome(
        float(alarms[:, ~slowed].sum() / len(alarms)),
        detected,
        float(hits.any(axis=1).mean()),
        float(pairs.mean()),
    )


def _night(differences: Floats, noise: Noise) -> tuple[Booleans, Floats]:
    """Which cases alarm, and how many pairs each took."""
    noise = noise.widened(differences)
    decided = Decided.nothing(differences.shape[:-1])
    pairs = np.full(differences.shape[:-1], float(FIRST))
    for count in range(FIRST, MOST + 1):
        decided = decide(differences[..., :count], noise, decided)
        pairs += decided.undecided
    return decided.alarms, pairs


def table(machines: Sequence[str], nights: int, seed: int) -> str:
    """The false alarms and the share of losses found, by noise, in Markdown."""
    losses = " | ".join(f"{loss:.0%}" for loss in LOSSES)
    header = [f"| noise | past | false alarms a night | pairs a case | {losses} |", "| --- " * 11 + "|"]
    return "\n".join([*header, *(_row(name, each, nights, seed) for name, each in _settings(machines))])


def _settings(machines: Sequence[str]) -> Iterable[tuple[str, Setting]]:
    for scatter in (0.05, 0.10):
        for past in (0, 30, KEPT):
            yield f"{scatter:.0%} between processes", Setting(normal(scatter), past)
    yield "10%, ten cases slower at once", Setting(normal(0.10), KEPT, affected=10)
    for machine in machines:
        for device in ("gpu", "cpu"):
            stored = [records for records in stored_records(machine) if _device(records[-1]) == device]
            pool = differences_of_records(stored)
            if not pool:
                continue
            name = f"{machine}, {device}: {len(pool)} pairs of records"
            yield f"{name}, any case's", Setting(drawn_from(pool), KEPT)
            yield f"{name}, a case keeps one's size", Setting(scaled_by(pool), KEPT)


def _device(record: Record) -> str:
    return "cpu" if record.device is None else "gpu"


def _row(name: str, setting: Setting, nights: int, seed: int) -> str:
    unchanged, *slowed = simulate(setting, (0.0, *LOSSES), nights, seed)
    cells = " | ".join(f"{outcome.detected:.1%}" for outcome in slowed)
    return f"| {name} | {setting.past} | {unchanged.false_alarms:.3f} | {unchanged.pairs:.1f} | {cells} |"
