"""The ledger in words: the text of `fillpath claims`, and what the page and packs take of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fillpath.papers import paper_names
from reports.claims.standing import Standing
from reports.claims.verdict import Scope, Verdict
from reports.facts.claim import Claim
from reports.pages.ledger.order import counts

# Names that the text lists of many; the JSON has all.
SHOWN = 5
# Stands wherever the ledger is shown.
HARDWARE_DIFFERS = (
    "The papers measured on other hardware (V100 and A100 cards; POWER9, Xeon and EPYC processors) than the "
    "machines here. A different direction speaks against a claim; a different magnitude may come from the "
    "hardware alone. The two are judged separately."
)


def table(standings: Sequence[Standing]) -> str:
    """The ledger as text: one paragraph per claim, then how many stand how."""
    lines = [HARDWARE_DIFFERS, ""]
    names = paper_names()
    for standing in standings:
        claim = standing.claim
        lines += [
            f"{claim.id} ({names[claim.paper]}, {claim.cite}): {claim.metric}: printed {claim.printed}",
            f"  {standing.machine}: {standing.label}",
            f"    {standing.why}",
            *_interval(standing),
            *(f"    missing {lack.kind}: {', '.join(_first(lack.what))}" for lack in standing.missing),
            *([f"    again: {standing.command}"] if standing.command else []),
        ]
    lines += ["", *(f"{machine}: {label}: {count}" for machine, label, count in counts(standings))]
    return "\n".join(lines)


def measured_text(claim: Claim, verdict: Verdict) -> str:
    """`1.05x (0.98x to 1.12x), n = 4 of 15`; empty where nothing was measured."""
    if not verdict.n:
        return ""
    forms = {"count": "{:.0%}".format, "trend": "{:+.2f}".format}
    form = forms.get(claim.aggregate, claim.form)
    of = f" of {verdict.of}" if verdict.of and verdict.scope is Scope.PAPER else ""
    ends = f" ({form(verdict.low)} to {form(verdict.high)})" if verdict.low < verdict.high else ""
    if verdict.bound:
        ends = f" ({(verdict.points['bound'] != '').sum()} a bound)"
    number = f"{verdict.bound}{form(verdict.value)}{ends}"
    value = value_text(claim, verdict) if claim.aggregate == "equal" else number
    return f"{value}{_printed_of_same(claim, verdict)}, n = {verdict.n}{of}"


def value_text(claim: Claim, verdict: Verdict) -> str:
    """What was measured, in a word or two: `1.05x`; of counts `13 of 15`, of exact numbers how many agree."""
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


def left_out_text(rows: Sequence[tuple[str, str]]) -> str:
    """`not run: pre2 (PR), twotone (TT); timeout: audikw_1 (AU)`."""
    reasons: dict[str, list[str]] = {}
    for label, reason in rows:
        reasons.setdefault(reason, []).append(label)
    return "; ".join(f"{reason}: {', '.join(_first(labels))}" for reason, labels in reasons.items())


def _interval(standing: Standing) -> list[str]:
    """`measured 1.05x (0.98x to 1.12x), n = 4 of 15; excluded: pre2 (PR): timeout`; none without a number."""
    verdict = standing.verdict
    if verdict is None or not verdict.n:
        return []
    left_out = left_out_text(verdict.left_out)
    excluded = f"; excluded: {left_out}" if left_out else ""
    return [f"    measured {measured_text(standing.claim, verdict)}{excluded}"]


def _first(names: Sequence[str]) -> list[str]:
    """The first names, and how many more there are."""
    more = len(names) - SHOWN
    return [*names[:SHOWN], *([f"{more} more"] if more > 0 else [])]
