"""What stands, at a glance: a sentence and a bar a machine, and the matrix of claims and machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from reports.facts.claims import PAPERS, Claim
from reports.facts.records import Records
from reports.facts.standings import JUDGED, Direction, Magnitude, Outcome, Standing, Verdict
from reports.pages.ledger import HARDWARE_DIFFERS, value_text
from reports.pages.webpage.markup import Cell, Column, Row, element, items, link, table


@dataclass(frozen=True)
class Mark:
    """How an outcome is shown: never by its colour alone. means : in a sentence."""

    symbol: str
    kind: str
    means: str


MARKS: Mapping[Outcome, Mark] = {
    Outcome.REPRODUCED: Mark("✓", "reproduced", "the direction is as printed, the size within the tolerance"),
    Outcome.DEVIATES: Mark("≠", "deviates", "the direction is as printed or open, the size is not"),
    Outcome.CONTRADICTED: Mark("✗", "contradicted", "the effect goes the other way, its interval considered"),
    Outcome.NOT_RUN: Mark("–", "absent", "no number yet; what is missing stands beside it"),
    Outcome.UNTESTABLE: Mark("∅", "untestable", "it needs what no machine here has, or another regime"),
}
INDICATIVE = "of stand-ins, or of too little work: it speaks for the claim or against it, and decides nothing"


def chip(outcome: Outcome, indicative: bool, count: int | None = None) -> str:
    """An outcome as symbol and word. count : how many claims have it, None where it is one claim's."""
    mark = MARKS[outcome]
    symbol = element("span", mark.symbol, aria_hidden="true", class_="symbol")
    number = "" if count is None else f" <b>{count}</b>"
    kind = f"chip {mark.kind}{' indicative' if indicative else ''}"
    return element("span", f"{symbol} {escape(told(outcome, indicative))}{number}", class_=kind)


def told(outcome: Outcome, indicative: bool) -> str:
    """`deviates (indicative)`."""
    return f"{outcome}{' (indicative)' if indicative else ''}"


def rank(outcome: Outcome, indicative: bool) -> int:
    """Firm verdicts first, then indicative ones, then what was not judged."""
    return list(MARKS).index(outcome) + len(MARKS) * (indicative + 2 * (outcome not in JUDGED))


def place(standing: Standing) -> str:
    """The id under which the page tells of a claim on a machine."""
    return f"{standing.claim.id}.{standing.machine}"


def short(paper: str) -> str:
    """A paper's name without its year."""
    return PAPERS[paper].partition(" (")[0]


def machines_of(standings: Sequence[Standing]) -> list[str]:
    """The machines, that with the most judged claims first."""
    judged = Counter(s.machine for s in standings if s.outcome in JUDGED)
    return sorted({s.machine for s in standings}, key=lambda name: (-judged[name], name))


def lead(standings: Sequence[Standing], records: Records) -> str:
    """What stands, in a sentence and a bar a machine."""
    machines = machines_of(standings)
    if not machines:
        return element("p", "No machine has a record yet: <code>make figures</code> measures.", class_="lead")
    own = {name: [s for s in standings if s.machine == name] for name in machines}
    first = machines[0]
    head = element("p", _sentence(own[first], _device(first, records)), class_="lead")
    bars = [_bar(name, own[name], _device(name, records)) for name in machines]
    names = escape(", ".join(records.refused))
    refused = element("p", f"Left out: {names} ({link('#machines', 'why')}).", class_="note")
    return head + element("div", "".join(bars), class_="bars") + (refused if records.refused else "")


def matrix(standings: Sequence[Standing]) -> str:
    """Claims against machines, a word and a symbol in each cell; and what the words mean."""
    machines = machines_of(standings)
    columns = [
        Column("source", "source", "paper"),
        Column("claim", "claim"),
        Column("printed", "number"),
        *(Column(name, "verdict", f"verdict on {name}") for name in machines),
    ]
    rows = [_row(number, found, machines) for number, found in enumerate(by_claim(standings).values())]
    caption = f"{len(rows)} claims and how they stand; each verdict leads to its numbers"
    shown = table("claims", caption, columns, rows, search="search the claims", kind="matrix")
    return f"{shown}\n{_legend()}"


def by_claim(standings: Sequence[Standing]) -> dict[str, dict[str, Standing]]:
    """The standing of each claim on each machine, in their order."""
    found: dict[str, dict[str, Standing]] = {}
    for standing in standings:
        found.setdefault(standing.claim.id, {})[standing.machine] = standing
    return found


def claim_name(claim: Claim) -> str:
    """The metric, and the claim's own name where that says more."""
    name = claim.name.replace("_", " ")
    more = "" if name in claim.metric else f" {element('span', escape(name), class_='soft')}"
    return f"{escape(claim.metric)}{more}"


def _row(number: int, found: Mapping[str, Standing], machines: Sequence[str]) -> Row:
    claim = next(iter(found.values())).claim
    source = f"{short(claim.paper)}, {claim.cite}"
    narrow = element("span", escape(f"{source}; printed {claim.printed}"), class_="soft narrow-only")
    return (
        Cell(escape(source), number, PAPERS[claim.paper]),
        Cell(f"{claim_name(claim)}{narrow}"),
        Cell(escape(claim.printed), claim.value),
        *(_verdict(found.get(machine)) for machine in machines),
    )


def _verdict(standing: Standing | None) -> Cell:
    if standing is None:
        return Cell("")
    outcome, indicative = standing.outcome, standing.indicative
    verdict = standing.verdict if outcome in JUDGED else None
    number = element("span", escape(value_text(standing.claim, verdict)), class_="soft") if verdict else ""
    how = element("span", escape(_apart(verdict)), class_="soft apart") if verdict else ""
    shown = element("a", chip(outcome, indicative), href=f"#{place(standing)}", class_="plain")
    return Cell(f"{shown} {number}{how}", rank(outcome, indicative), told(outcome, indicative))


def _apart(verdict: Verdict) -> str:
    """Direction and size, each by itself: `direction as printed, 1.24 of the size`."""
    towards = "" if verdict.direction is Direction.NONE else f"direction {verdict.direction}"
    off = verdict.magnitude is not Magnitude.AS_PRINTED and verdict.factor is not None
    size = f"{verdict.factor:.3g} of the printed size" if off else ""
    return ", ".join(part for part in (towards, size) if part)


def _sentence(own: Sequence[Standing], device: str) -> str:
    """`On h200 (NVIDIA H200), of 99 claims 17 are judged on the papers' own matrices: ...`."""
    firm = Counter(s.outcome for s in own if s.outcome in JUDGED and not s.indicative)
    stand_ins = Counter(s.outcome for s in own if s.outcome in JUDGED and s.indicative)
    told = f"{firm[Outcome.REPRODUCED]} reproduced, {_verb(firm[Outcome.DEVIATES], 'deviate')}, "
    told += f"{firm[Outcome.CONTRADICTED] or 'none'} contradicted"
    judged = element("strong", f"{firm.total()} are judged on the papers’ own matrices: {told}.")
    among = (
        f", {stand_ins[Outcome.CONTRADICTED]} of them against it" if stand_ins[Outcome.CONTRADICTED] else ""
    )
    rest = Counter(s.outcome for s in own)
    return (
        f"Of {len(own)} printed claims, on {escape(own[0].machine)} ({escape(device)}), {judged} For "
        f"{stand_ins.total()} more, stand-ins give an indication{among}; {rest[Outcome.NOT_RUN]} are not run "
        f"yet, and {rest[Outcome.UNTESTABLE]} cannot be tested on this machine.{_towards(own)}"
    )


def _towards(own: Sequence[Standing]) -> str:
    """` Of the 41 with a direction 30 go as printed, ...`; empty where none has one."""
    sides = Counter(s.verdict.direction for s in own if s.verdict and s.outcome in JUDGED)
    count = sides.total() - sides[Direction.NONE]
    if not count:
        return ""
    return (
        f" Direction is judged apart from size: of the {count} that have one it is as printed for "
        f"{sides[Direction.AS_PRINTED]}, open for {sides[Direction.UNRESOLVED]} and opposite for "
        f"{sides[Direction.OPPOSITE] or 'none'}."
    )


def _verb(count: int, verb: str) -> str:
    return f"{count} {verb}{'s' if count == 1 else ''}"


def _bar(machine: str, own: Sequence[Standing], device: str) -> str:
    """A bar whose parts are the outcomes, each with its count; the words stand under it."""
    counts = Counter((s.outcome, s.indicative) for s in own)
    found = sorted(counts, key=lambda key: rank(*key))
    parts = [
        element(
            "span", "", class_=f"part {MARKS[outcome].kind}{' indicative' if indicative else ''}",
            style=f"flex-grow:{counts[outcome, indicative]}",
        )
        for outcome, indicative in found
    ]  # fmt: skip
    words = items([chip(*key, counts[key]) for key in found], class_="told")
    title = f"{link(f'#machine-{machine}', machine)} {element('span', escape(device), class_='soft')}"
    return element(
        "div",
        f"{element('h3', title)}{element('div', ''.join(parts), class_='bar', aria_hidden='true')}{words}",
        class_="machine-bar",
    )


def _device(machine: str, records: Records) -> str:
    """The GPU of a machine's records, else its processor."""
    own = [record for record in records.rows if record.machine == machine]
    found = Counter(record.device for record in own if record.device)
    found = found or Counter(record.host_cpu for record in own if record.host_cpu)
    return found.most_common(1)[0][0] if found else "an unnamed processor"


def _legend() -> str:
    shown = [
        f"<dt>{chip(outcome, False)}</dt>{element('dd', escape(mark.means))}"
        for outcome, mark in MARKS.items()
    ]
    last = f'<dt><span class="chip indicative">(indicative)</span></dt>{element("dd", escape(INDICATIVE))}'
    words = element("dl", "".join(f"<div>{pair}</div>" for pair in [*shown, last]), class_="legend")
    return words + element("p", escape(HARDWARE_DIFFERS), class_="note")
