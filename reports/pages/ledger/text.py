"""The ledger in words: the text of `fillpath claims`, and what the page, packs and README take of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product

from fillpath.papers import paper_names
from reports.claims.standing import Standing
from reports.claims.verdict import CONCLUSIVE, Outcome, Scope, Verdict, outcome_label
from reports.facts.claim import Claim, Kind

# Names that the text lists of many; the JSON has all.
SHOWN = 5
# Stands wherever the ledger is shown.
HARDWARE_DIFFERS = (
    "The papers measured on other hardware (V100 and A100 cards; POWER9, Xeon and EPYC processors) than the "
    "machines here. A different direction speaks against a claim; a different magnitude may come from the "
    "hardware alone. The two are judged separately."
)
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
# An outcome, and whether it is indicative: all that a headline may count.
_FIRM, *_REST = product(_VERBS, (False, True))
_AGAINST = ((Outcome.DEVIATES, False), (Outcome.CONTRADICTED, False))


def table(standings: Sequence[Standing]) -> str:
    """Return the ledger as text: one paragraph per claim, then how many stand how."""
    lines = [HARDWARE_DIFFERS, ""]
    names = paper_names()
    for standing in standings:
        claim, measured = standing.claim, measured_text(standing.claim, standing.verdict)
        left_out = left_out_text(standing.verdict.left_out) if standing.verdict else ""
        excluded = f"; excluded: {left_out}" if left_out else ""
        lines += [
            f"{claim.id} ({names[claim.paper]}, {claim.cite}): {claim.metric}: printed {claim.printed}",
            f"  {standing.machine}: {standing.label}",
            f"    {standing.why}",
            *([f"    measured {measured}{excluded}"] if measured else []),
            *(f"    missing {lack.kind}: {_some(lack.what)}" for lack in standing.missing),
            *([f"    again: {standing.command}"] if standing.command else []),
        ]
    lines += ["", *(f"{machine}: {label}: {count}" for machine, label, count in counts(standings))]
    return "\n".join(lines)


def counts(standings: Iterable[Standing]) -> list[tuple[str, str, int]]:
    """Return (machine, kind and outcome, how many claims), by machine and kind."""
    kinds = list(Kind)
    rows = Counter(
        (s.machine, kinds.index(s.claim.kind), f"{s.claim.kind}: {outcome_label(s.outcome, s.indicative)}")
        for s in standings
    )
    return [(machine, label, count) for (machine, _, label), count in sorted(rows.items())]


def tally(standings: Iterable[Standing]) -> Counter[tuple[Outcome, bool]]:
    """Return how many claims have which outcome, firm and indicative ones apart."""
    return Counter((standing.outcome, standing.indicative) for standing in standings)


def headline(machine: str, standings: Sequence[Standing]) -> tuple[str, str, str]:
    """Return what is firmly known of performance, of inputs and structure, of what the texts say in words.

    standings : all of that machine
    """
    performance, words, structure, facts = ([s for s in standings if s.claim.kind is kind] for kind in Kind)
    against = " and ".join(_said(structure, _AGAINST))
    return (
        f"{_firm('performance claims', performance)} on {machine}: {_rest(performance)}.",
        f"{_firm('facts of input files', facts)}{_coverage(facts)}, and of the {len(structure)} claims of "
        f"structure (levels, fill, iterations) {tally(structure)[_FIRM] or 'none'}{_coverage(structure)}"
        f"{f'; {against}' if against else ''}.",
        f"{_firm('things that the texts say in words', words)}: {_rest(words)}.",
    )


def _firm(name: str, standings: Sequence[Standing]) -> str:
    """`None of the 67 performance claims is firmly reproduced`."""
    count = tally(standings)[_FIRM]
    verb = "are" if count > 1 else "is"
    return f"{count or 'None'} of the {len(standings)} {name} {verb} firmly reproduced"


def _rest(standings: Sequence[Standing]) -> str:
    return ", ".join(_said(standings, _REST)) or "nothing else is claimed"


def _said(standings: Sequence[Standing], which: Iterable[tuple[Outcome, bool]]) -> list[str]:
    """`8 deviate indicatively`, `10 are inconclusive`."""
    found = tally(standings)
    how = dict.fromkeys(CONCLUSIVE, (" firmly", " indicatively"))
    return [f"{n} {_VERBS[o][n > 1]}{how.get(o, ('', ''))[i]}" for o, i in which if (n := found[o, i])]


def _coverage(standings: Sequence[Standing]) -> str:
    """` (on 1 to 4 of a paper's 13 to 18 matrices)`, of what is firmly reproduced."""
    firm = [s.verdict for s in standings if (s.outcome, s.indicative) == _FIRM and s.verdict]
    pairs = [(v.matrices, v.of) for v in firm if v.n and v.of]
    ends = [" to ".join(map(str, sorted({min(each), max(each)}))) for each in zip(*pairs, strict=True)]
    return f" (on {ends[0]} of a paper's {ends[1]} matrices)" if ends else ""


def measured_text(claim: Claim, verdict: Verdict | None) -> str:
    """Return `1.05x (0.98x to 1.12x), n = 4 of 15`; empty where nothing was measured."""
    if verdict is None or not verdict.n:
        return ""
    forms = {"count": "{:.0%}".format, "trend": "{:+.2f}".format}
    form = forms.get(claim.aggregate, claim.form)
    ends = f" ({form(verdict.low)} to {form(verdict.high)})" if verdict.low < verdict.high else ""
    if verdict.bound:
        ends = f" ({(verdict.points['bound'] != '').sum()} a bound)"
    number = f"{verdict.bound}{form(verdict.value)}{ends}"
    value = value_text(claim, verdict) if claim.aggregate == "equal" else number
    of = f" of {verdict.of}" if verdict.of and verdict.scope is Scope.PAPER else ""
    return f"{value}{_printed_of_same(claim, verdict)}, n = {verdict.n}{of}"


def value_text(claim: Claim, verdict: Verdict) -> str:
    """Return what was measured in a word or two: `1.05x`; of counts `13 of 15`, of exact numbers how many
    agree."""
    if not verdict.n:
        return ""
    if claim.aggregate == "count":
        return re.split(r"[ (]*\(|, ", verdict.numbers, maxsplit=1)[0]
    if claim.aggregate == "equal":
        return verdict.numbers.partition(";")[0]
    if claim.aggregate == "trend":
        return f"rank correlation {verdict.value:+.2f}"
    return f"{verdict.bound}{claim.form(verdict.value)}{_printed_of_same(claim, verdict)}"


def _printed_of_same(claim: Claim, verdict: Verdict) -> str:
    """`, printed 1,265x of the same`, where the paper prints by matrix and these are not all of them."""
    other = claim.aggregate not in ("equal", "trend", "count") and verdict.printed != claim.value
    return f", printed {claim.form(verdict.printed)} of the same" if other else ""


def left_out_text(rows: Iterable[tuple[str, str]]) -> str:
    """Return `not run: pre2 (PR), twotone (TT); timeout: audikw_1 (AU)`."""
    reasons: dict[str, list[str]] = {}
    for label, reason in rows:
        reasons.setdefault(reason, []).append(label)
    return "; ".join(f"{reason}: {_some(labels)}" for reason, labels in reasons.items())


def _some(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = [f"{len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return ", ".join([*names[:SHOWN], *more])
