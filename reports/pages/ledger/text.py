"""The ledger in words: the text of `fillpath claims`, and what the page and packs take of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fillpath.papers import paper_names
from reports.facts.claim import Claim
from reports.facts.standings import Excluded, Measured, Scope, Standing, Verdict
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
    measured = verdict.measured
    if measured is None:
        return ""
    forms = {"count": "{:.0%}".format, "trend": "{:+.2f}".format}
    form = forms.get(claim.aggregate, claim.form)
    of = f" of {measured.of}" if measured.of and verdict.scope is Scope.PAPER else ""
    ends = f" ({form(measured.low)} to {form(measured.high)})" if measured.low < measured.high else ""
    if measured.bound:
        ends = f" ({sum(bool(point.bound) for point in measured.points)} a bound)"
    number = f"{measured.bound}{form(measured.value)}{ends}"
    value = value_text(claim, verdict) if claim.aggregate == "equal" else number
    return f"{value}{_printed_of_same(claim, measured)}, n = {measured.n}{of}"


def value_text(claim: Claim, verdict: Verdict) -> str:
    """What was measured, in a word or two: `1.05x`; of counts `13 of 15`, of exact numbers how many agree."""
    if verdict.measured is None:
        return ""
    if claim.aggregate == "count":
        return re.split(r"[ (]*\(|, ", verdict.numbers, maxsplit=1)[0]
    if claim.aggregate == "equal":
        return verdict.numbers.partition(";")[0]
    if claim.aggregate == "trend":
        return f"rank correlation {verdict.measured.value:+.2f}"
    number = f"{verdict.measured.bound}{claim.form(verdict.measured.value)}"
    return f"{number}{_printed_of_same(claim, verdict.measured)}"


def _printed_of_same(claim: Claim, measured: Measured) -> str:
    """`, printed 1,265x of the same`, where the paper prints by matrix and these are not all of them."""
    other = claim.aggregate not in ("equal", "trend", "count") and measured.printed != claim.value
    return f", printed {claim.form(measured.printed)} of the same" if other else ""


def left_out_text(excluded: Sequence[Excluded]) -> str:
    """`not run: pre2 (PR), twotone (TT); timeout: audikw_1 (AU)`."""
    reasons: dict[str, list[str]] = {}
    for row in excluded:
        reasons.setdefault(row.reason, []).append(row.label)
    return "; ".join(f"{reason}: {', '.join(_first(labels))}" for reason, labels in reasons.items())


def _interval(standing: Standing) -> list[str]:
    """`measured 1.05x (0.98x to 1.12x), n = 4 of 15; excluded: pre2 (PR): timeout`; none without a number."""
    verdict = standing.verdict
    if verdict is None or verdict.measured is None:
        return []
    left_out = left_out_text(verdict.excluded)
    excluded = f"; excluded: {left_out}" if left_out else ""
    return [f"    measured {measured_text(standing.claim, verdict)}{excluded}"]


def _first(names: Sequence[str]) -> list[str]:
    """The first names, and how many more there are."""
    more = len(names) - SHOWN
    return [*names[:SHOWN], *([f"{more} more"] if more > 0 else [])]
