"""The ledger in words: the text of `fillpath claims`, and what the page, packs and README take of it."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from fillpath.columns import columns
from fillpath.papers import paper_names
from reports.claims.verdict import CONCLUSIVE, Outcome, Standing, Verdict, outcome_label
from reports.facts.claims import Claim, Kind
from reports.facts.means import LEAST_OF_TREND

# Names that the text lists of many; the JSON has all.
SHOWN = 5
# Shown with the ledger.
HARDWARE_DIFFERS = (
    "The papers measured on other hardware (V100 and A100 cards; POWER9, Xeon and EPYC processors) than the "
    "machines here. An opposite effect speaks against a claim; another size may come from the hardware alone."
)


def table(standings: Sequence[Standing]) -> str:
    """Return the ledger as text: a line per claim and machine, then how many claims have which outcome."""
    rows = [(s.machine, s.claim.id, s.claim.printed, *measured_on(s), outcome_of(s)) for s in standings]
    head = ("machine", "claim", "printed", "measured", "n", "outcome")
    return "\n".join([*columns([head, *rows]), "", *(": ".join(map(str, row)) for row in counts(standings))])


def measured_on(standing: Standing) -> tuple[str, str]:
    """Return what was measured, and on how many of the claim's matrices; dashes where nothing was."""
    verdict = standing.verdict
    if verdict is None or not verdict.n:
        return "-", "-"
    of = f"{verdict.matrices} of {verdict.of}" if verdict.of else str(verdict.matrices)
    return value_text(standing.claim, verdict), of


def outcome_of(standing: Standing) -> str:
    """Return the outcome with the reason of one that is not judged, and of a time in how few processes."""
    few = standing.verdict.in_processes if standing.verdict and standing.verdict.n else ""
    return " ".join(filter(None, (outcome_label(standing.outcome, standing.reason or ""), few)))


def everything(standing: Standing) -> str:
    """Return the ledger's whole entry for a claim on a machine, as text."""
    claim, verdict = standing.claim, standing.verdict
    left_out = left_out_text(verdict.left_out) if verdict else ""
    measured = measured_text(claim, verdict)
    lines = [
        f"{claim.id} ({paper_names()[claim.paper]}, {claim.cite}): {claim.metric}: printed {claim.printed}",
        f"  {standing.machine}: {standing.label}",
        f"    {standing.why}",
        *([f"    measured {measured}"] if measured else []),
        *([f"    tolerance {claim.tolerance:.0%} of the printed effect"] if claim.tolerance else []),
        *([f"    left out: {left_out}"] if left_out else []),
        *(f"    also: {other.basis}: {other.grounds}" for other in standing.beside),
        *(f"    missing {lack.kind}: {', '.join(lack.what)}" for lack in standing.missing),
        *(f"    record: {path}" for path in standing.records),
        *([f"    measured with older sources: {standing.older} of these records"] if standing.older else []),
        *([f"    measure anew: {standing.command}"] if standing.command else []),
    ]
    return "\n".join(lines)


def counts(standings: Iterable[Standing]) -> list[tuple[str, str, int]]:
    """Return (machine, kind and outcome, how many claims), by machine, kind and outcome."""
    kinds, outcomes = list(Kind), list(Outcome)
    found = Counter((s.machine, s.claim.kind, s.outcome, s.reason or "") for s in standings)
    order = sorted(found, key=lambda each: (each[0], kinds.index(each[1]), outcomes.index(each[2]), each[3]))
    return [(each[0], f"{each[1]}: {outcome_label(*each[2:])}", found[each]) for each in order]


def agreement(first: str, second: str, standings: Iterable[Standing]) -> list[str]:
    """Return on how many claims of performance and of words two machines agree, of those that both decide."""
    kinds = (Kind.PERFORMANCE, Kind.WORDS)
    own = [s for s in standings if s.outcome in CONCLUSIVE and s.claim.kind in kinds]
    here, there = ({s.claim.id: s.outcome for s in own if s.machine == name} for name in (first, second))
    same, both = here.items() & there.items(), here.keys() & there.keys()
    told = f"{len(same)} of {len(both)} claims of performance and of words that both decide"
    return [f"{first} and {second} agree on {told}"] if both else []


def measured_text(claim: Claim, verdict: Verdict | None) -> str:
    """Return `1.05x (0.98x to 1.12x), n = 4 of 15`; empty where nothing was measured."""
    if verdict is None or not verdict.n:
        return ""
    if claim.aggregate == "trend" and verdict.matrices < LEAST_OF_TREND:
        return f"{value_text(claim, verdict)}, n = {verdict.n}"
    forms = {"count": "{:.0%}".format, "trend": "{:+.2f}".format}
    form = forms.get(claim.aggregate, claim.form)
    ends = f" ({form(verdict.low)} to {form(verdict.high)})" if verdict.low < verdict.high else ""
    if verdict.bound:
        ends = f" ({(verdict.points['bound'] != '').sum()} a bound)"
    number = f"{verdict.bound}{form(verdict.value)}{ends}"
    value = value_text(claim, verdict) if claim.aggregate == "equal" else number
    of = f" of {verdict.of}" if verdict.of else ""
    return f"{value}{_printed_of_same(claim, verdict)}, n = {verdict.n}{of}"


def value_text(claim: Claim, verdict: Verdict) -> str:
    """Return the measured value in short: `1.05x`, `13 of 15` for counts, the matches for exact numbers."""
    if not verdict.n:
        return ""
    if claim.aggregate == "count":
        return re.split(r"[ (]*\(|, ", verdict.numbers, maxsplit=1)[0]
    if claim.aggregate == "equal":
        return verdict.numbers.partition(";")[0]
    if claim.aggregate == "trend":
        few = verdict.matrices < LEAST_OF_TREND
        return "too few for a trend" if few else f"rank correlation {verdict.value:+.2f}"
    within = f"{verdict.within}: " if verdict.within else ""
    return f"{within}{verdict.bound}{claim.form(verdict.value)}{_printed_of_same(claim, verdict)}"


def _printed_of_same(claim: Claim, verdict: Verdict) -> str:
    """Return `, printed 1,265x on the same matrices` where the paper prints more matrices than measured."""
    other = claim.aggregate not in ("equal", "trend", "count") and verdict.printed != claim.value
    return f", printed {claim.form(verdict.printed)} on the same matrices" if other else ""


def left_out_text(rows: Iterable[tuple[str, str]]) -> str:
    """Return `not run: pre2 (PR), twotone (TT); timeout: audikw_1 (AU)`."""
    reasons: dict[str, list[str]] = {}
    for label, why in rows:
        reasons.setdefault(why, []).append(label)
    more = {why: [f"{len(labels) - SHOWN} more"][: len(labels) > SHOWN] for why, labels in reasons.items()}
    return "; ".join(f"{why}: {', '.join(labels[:SHOWN] + more[why])}" for why, labels in reasons.items())
