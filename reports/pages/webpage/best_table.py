"""What two machines achieve at best, as the page shows it: a sentence per problem, a row per input."""

from __future__ import annotations

from dataclasses import dataclass

from reports.pages.best import COPIED, Achieved, Answer, ratio_of
from reports.pages.best_pools import PROBLEMS
from reports.pages.comparison import Comparison
from reports.pages.comparison_text import SPANS, by_input, sentence


@dataclass(frozen=True)
class BestRow:
    """An input that both have solved.

    ratio, low, high : the first's seconds over the other's
    copied : the same with copies from the host and back, None where they were not measured
    """

    problem: str
    input: str
    first: Achieved
    other: Achieved
    ratio: float
    low: float
    high: float
    copied: float | None


def best_rows(comparison: Comparison) -> list[BestRow]:
    """Of two machines."""
    return [_row(resident, copied) for resident, copied in by_input(comparison.best.answers)]


def _row(resident: Answer, copied: Answer | None) -> BestRow:
    first, other = resident.achieved
    ratio, low, high = ratio_of(first, other)
    return BestRow(
        problem=PROBLEMS[resident.problem].name,
        input=resident.input,
        first=first,
        other=other,
        ratio=ratio,
        low=low,
        high=high,
        copied=ratio_of(*copied.achieved)[0] if copied else None,
    )


def best_sentences(comparison: Comparison) -> list[tuple[str, str]]:
    """Each problem's name with what comes of it, its data where the work is and with copies."""
    spans = {stage: [m for m in comparison.best.means if m.problem == stage] for stage in PROBLEMS}
    return [
        (
            f"{PROBLEMS[stage].name}{', ' + SPANS[COPIED] if mean.span == COPIED else ''}",
            sentence(mean, comparison.machines[0]),
        )
        for stage, means in spans.items()
        for mean in means
    ]
