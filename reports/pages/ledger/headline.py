"""What is firmly known on a machine, in three sentences: performance first, for papers claim that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reports.facts.claim import Kind
from reports.facts.standings import CONCLUSIVE, Outcome, Standing

# How many claims an outcome is of, in the order of the sentences.
_VERBS = {
    Outcome.REPRODUCED: ("reproduced", "reproduced"),
    Outcome.DEVIATES: ("deviates", "deviate"),
    Outcome.CONTRADICTED: ("contradicted", "contradicted"),
    Outcome.INCONCLUSIVE: ("inconclusive", "inconclusive"),
    Outcome.DERIVED: ("derived from the print", "derived from the print"),
    Outcome.NOT_COMPARABLE: ("not comparable", "not comparable"),
    Outcome.UNTESTABLE: ("cannot be tested here", "cannot be tested here"),
    Outcome.NOT_RUN: ("not run", "not run"),
}


def headline(machine: str, standings: Sequence[Standing]) -> tuple[str, str, str]:
    """Of performance, of inputs and structure, of what the texts say in words.

    standings : all of that machine.
    """
    by_kind = {kind: [s for s in standings if s.claim.kind is kind] for kind in Kind}
    claims = by_kind[Kind.PERFORMANCE]
    reproduced = sum(s.outcome is Outcome.REPRODUCED and not s.indicative for s in claims)
    verb = "are" if reproduced > 1 else "is"
    share = f"{reproduced or 'None'} of the {len(claims)} performance claims"
    first = f"{share} {verb} firmly reproduced on {machine}"
    facts = _sentence("facts of input files", by_kind[Kind.INPUT])
    structure = _sentence("claims of structure (levels, fill, iterations)", by_kind[Kind.STRUCTURE])
    words = _sentence("things that the texts say in words", by_kind[Kind.WORDS])
    return f"{first}: {outcomes(claims)}.", f"{_capital(facts)}; {structure}.", f"{_capital(words)}."


def _sentence(name: str, standings: Sequence[Standing]) -> str:
    """`of 9 facts of input files, firm: 7 reproduced (each on 1 of 13 matrices); the rest: 2 not run`."""
    return f"of {len(standings)} {name}, {outcomes(standings)}"


def outcomes(standings: Sequence[Standing]) -> str:
    """What became of them: firm, indicative, not judged."""
    judged = [s for s in standings if s.outcome in CONCLUSIVE]
    firm = [s for s in judged if not s.indicative]
    groups = {
        "firm": firm,
        "indicative": [s for s in judged if s.indicative],
        "the rest": [s for s in standings if s.outcome not in CONCLUSIVE],
    }
    texts = [f"{name}: {_counts(group)}" for name, group in groups.items() if group]
    if firm:
        texts[0] += _coverage(firm)
    return "; ".join(texts) or "none"


def _counts(standings: Sequence[Standing]) -> str:
    counts = Counter(standing.outcome for standing in standings)
    return ", ".join(f"{counts[o]} {verbs[counts[o] > 1]}" for o, verbs in _VERBS.items() if counts[o])


def _coverage(standings: Sequence[Standing]) -> str:
    """` (each on 1 to 4 of 13 to 18 matrices)`, of those that say how many the paper has."""
    pairs = [
        (s.verdict.measured.matrices, s.verdict.measured.of)
        for s in standings
        if s.verdict and s.verdict.measured and s.verdict.measured.of
    ]
    if not pairs:
        return ""
    covered, whole = zip(*pairs, strict=True)
    return f" ({'each ' if len(pairs) > 1 else ''}on {_range(covered)} of {_range(whole)} matrices)"


def _range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
