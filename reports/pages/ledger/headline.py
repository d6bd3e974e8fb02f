"""What is firmly known on a machine, in three sentences: performance first, for papers claim that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reports.claims.standing import Standing
from reports.claims.verdict import CONCLUSIVE, Outcome, outcome_label
from reports.facts.claim import Kind
from reports.pages.ledger.order import tally

# How many claims have an outcome, of one and of several.
_VERBS = {
    Outcome.REPRODUCED: ("is reproduced", "are reproduced"),
    Outcome.DEVIATES: ("deviates", "deviate"),
    Outcome.CONTRADICTED: ("is contradicted", "are contradicted"),
    Outcome.INCONCLUSIVE: ("is inconclusive", "are inconclusive"),
    Outcome.DERIVED: ("is derived from the print", "are derived from the print"),
    Outcome.NOT_COMPARABLE: ("is not comparable", "are not comparable"),
    Outcome.UNTESTABLE: ("cannot be tested here", "cannot be tested here"),
    Outcome.NOT_RUN: ("is not run", "are not run"),
}


def headline(machine: str, standings: Sequence[Standing]) -> tuple[str, str, str]:
    """Of performance, of inputs and structure, of what the texts say in words.

    standings : all of that machine.
    """
    by_kind = {kind: [s for s in standings if s.claim.kind is kind] for kind in Kind}
    facts, structure, words = by_kind[Kind.INPUT], by_kind[Kind.STRUCTURE], by_kind[Kind.WORDS]
    return (
        f"{_firm('performance claims', by_kind[Kind.PERFORMANCE])} on {machine}: "
        f"{_rest(by_kind[Kind.PERFORMANCE])}.",
        f"{_firm('facts of input files', facts)}{_coverage(facts)}, and of the {len(structure)} claims of "
        f"structure (levels, fill, iterations) {_reproduced(structure) or 'none'}{_coverage(structure)}"
        f"{_against(structure)}.",
        f"{_firm('things that the texts say in words', words)}: {_rest(words)}.",
    )


def _firm(name: str, standings: Sequence[Standing]) -> str:
    """`None of the 67 performance claims is firmly reproduced`."""
    count = _reproduced(standings)
    return (
        f"{count or 'None'} of the {len(standings)} {name} {'are' if count > 1 else 'is'} firmly reproduced"
    )


def _reproduced(standings: Sequence[Standing]) -> int:
    return sum(s.outcome is Outcome.REPRODUCED and not s.indicative for s in standings)


def _rest(standings: Sequence[Standing]) -> str:
    """`8 deviate indicatively, 10 are inconclusive`: all that is not firmly reproduced."""
    counts = tally(standings)
    counts.pop((Outcome.REPRODUCED, False), None)
    texts = [
        f"{count} {_VERBS[outcome][count > 1]}{_how(outcome, indicative)}"
        for outcome in _VERBS
        for indicative in (False, True)
        if (count := counts[outcome, indicative])
    ]
    return ", ".join(texts) or "nothing else is claimed"


def _how(outcome: Outcome, indicative: bool) -> str:
    return "" if outcome not in CONCLUSIVE else " indicatively" if indicative else " firmly"


def _against(standings: Sequence[Standing]) -> str:
    """`; 4 deviate firmly`; empty for none."""
    firm = Counter(s.outcome for s in standings if not s.indicative)
    texts = [
        f"{firm[outcome]} {_VERBS[outcome][firm[outcome] > 1]} firmly"
        for outcome in (Outcome.DEVIATES, Outcome.CONTRADICTED)
        if firm[outcome]
    ]
    return f"; {' and '.join(texts)}" if texts else ""


def _coverage(standings: Sequence[Standing]) -> str:
    """` (on 1 to 4 of a paper's 13 to 18 matrices)`, of what is firmly reproduced."""
    firm = [s for s in standings if s.outcome is Outcome.REPRODUCED and not s.indicative]
    pairs = [(s.verdict.matrices, s.verdict.of) for s in firm if s.verdict and s.verdict.n and s.verdict.of]
    if not pairs:
        return ""
    covered, whole = zip(*pairs, strict=True)
    return f" (on {_range(covered)} of a paper's {_range(whole)} matrices)"


def _range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def outcomes(standings: Sequence[Standing]) -> str:
    """`3 reproduced, 4 deviate (indicative), 10 inconclusive`: of a cell."""
    counts = tally(standings)
    texts = [
        f"{count} {outcome_label(outcome, indicative)}"
        for outcome in Outcome
        for indicative in (False, True)
        if (count := counts[outcome, indicative])
    ]
    return ", ".join(texts) or "none"
