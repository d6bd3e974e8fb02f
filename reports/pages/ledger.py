"""The claim ledger: how every claim of config/claims.yaml stands on a machine, by the figures' own frames.

`ledger` gives the standings; `table` writes them for people, `to_json` as config/schemas/ledger.json has
them.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import jsonschema
import pandas as pd

from fillpath import registry
from fillpath.case import Case
from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.paths import CONFIG, results
from fillpath.record import record_path
from reports.facts.claims import PAPERS, Claim, claims
from reports.facts.naming import add_names
from reports.facts.records import Entries, Records
from reports.facts.standings import JUDGED, Excluded, Missing, Outcome, Standing, Verdict
from reports.figures import exhibits

VERSION = 1
# Names that the text lists of many; the JSON has all.
SHOWN = 5
# Stands wherever the ledger is shown.
HARDWARE_DIFFERS = (
    "The papers measured on other hardware (V100 and A100 cards; POWER9, Xeon and EPYC processors) than the "
    "machines here: a direction that differs speaks against a claim, a magnitude that differs may "
    "speak of the hardware alone. The two are judged apart."
)
# The cases behind a (paper, figure).
CasesOf = Callable[[str, str], Sequence[Case]]


def ledger(
    machine: str,
    records: Records,
    entries: Entries,
    cases_of: CasesOf,
    papers: Collection[str] = tuple(PAPERS),
) -> list[Standing]:
    """How every claim of these papers stands on that machine, in the order of claims.yaml.

    records : of all machines; only that machine's are looked at. Raises UnknownNameError where it has none.
    """
    known = records.machines()
    if machine not in known:
        hint = suggest(machine, known) or f"; results/ holds {', '.join(known) or 'none'}"
        raise UnknownNameError(f"no records of machine {machine!r}{hint}")
    here = records.of_machine(machine)
    found: list[Standing] = []
    for paper in (name for name in PAPERS if name in papers):
        # Of two figures that speak to a subject the first decides, as for `figure_of`.
        drawn = {id: name for name, exhibit in reversed(exhibits(paper).items()) for id in exhibit.subjects}
        looked = {name: _seen(paper, name, here, entries, cases_of) for name in dict.fromkeys(drawn.values())}
        own = [claim for claim in claims().values() if claim.paper == paper]
        found += [_stands(claim, machine, drawn, looked) for claim in own]
    return found


def table(standings: Sequence[Standing]) -> str:
    """The ledger as text: a paragraph a claim, then how many stand how."""
    lines = [HARDWARE_DIFFERS, ""]
    for standing in standings:
        claim = standing.claim
        lines += [
            f"{claim.id} ({PAPERS[claim.paper]}, {claim.cite}): {claim.metric}: printed {claim.printed}",
            f"  {standing.machine}: {standing.told}",
            f"    {standing.why}",
            *([f"    {_interval(standing)}"] if standing.verdict and standing.verdict.measured else []),
            *(f"    missing {lack.kind}: {', '.join(_some(lack.what))}" for lack in standing.missing),
            *([f"    again: {standing.command}"] if standing.command else []),
        ]
    counts = Counter((standing.machine, standing.told) for standing in standings)
    lines += ["", *(f"{machine}: {number} {told}" for (machine, told), number in sorted(counts.items()))]
    return "\n".join(lines)


@dataclass(frozen=True)
class _Looked:
    """What a figure says on a machine. rows : a row a case of it, as the records' frame has it, with the
    matrix's label and abbreviation. verdicts : in the order of the figure. has_gpu : of the machine, by any
    of its records. failure : why the figure could not be judged, empty where it could."""

    rows: pd.DataFrame
    verdicts: tuple[Verdict, ...]
    has_gpu: bool
    failure: str = ""


def _seen(paper: str, figure: str, here: Records, entries: Entries, cases_of: CasesOf) -> _Looked:
    """As `_look`. A figure may fail at whatever records hold: that costs the claims that it speaks to, and no
    others."""
    try:
        return _look(paper, figure, here, entries, cases_of)
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
        logging.getLogger("fillpath").warning("%s.%s not judged: %s", paper, figure, failure)
        return _Looked(pd.DataFrame(), (), False, failure)


def _look(paper: str, figure: str, here: Records, entries: Entries, cases_of: CasesOf) -> _Looked:
    exhibit, cases = exhibits(paper)[figure], cases_of(paper, figure)
    shown = here.of_one_run(cases) if exhibit.one_run else here
    rows = shown.frame(cases)
    add_names(rows, entries, paper)
    has_gpu = any(record.device for record in here.rows)
    return _Looked(rows, tuple(exhibit.verdicts(exhibit.frame(shown, entries, cases))), has_gpu)


def _stands(claim: Claim, machine: str, drawn: Mapping[str, str], looked: Mapping[str, _Looked]) -> Standing:
    figure = drawn.get(claim.subject, "")
    seen = looked[figure] if figure else _Looked(pd.DataFrame(), (), False)
    own = [verdict for verdict in seen.verdicts if verdict.claim == claim.id]
    verdict = _decides(own)
    beside = tuple(other for other in own if other is not verdict and other.measured)
    if claim.needs:
        why = f"it needs {claim.needs}"
        return Standing(
            claim, machine, Outcome.UNTESTABLE, False, why, None, beside, (), figure, (), ""
        )  # fmt: skip
    if seen.failure:
        why = f"its figure could not be judged: {seen.failure}"
        return Standing(claim, machine, Outcome.NOT_RUN, False, why, None, (), (), figure, (), "")
    missing = _missing(claim, figure, seen, verdict)
    command = f"fillpath remeasure {claim.id}" if figure else ""
    if verdict is None or verdict.measured is None:
        excluded = verdict.excluded if verdict else ()
        why = _left_out(excluded) or "no number of it is recorded"
        return Standing(
            claim, machine, Outcome.NOT_RUN, False, why, verdict, beside, missing, figure, (), command
        )
    judged = verdict.outcome is not Outcome.UNTESTABLE
    return Standing(
        claim, machine, verdict.outcome, judged and not verdict.firm, verdict.text, verdict, beside, missing,
        figure, _records(verdict, seen, machine), command,
    )  # fmt: skip


def _decides(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The first that is judged, firm before indicative; else the first that says why it is not."""
    judged = [v for v in verdicts if v.outcome in JUDGED]
    untestable = [v for v in verdicts if v.outcome is Outcome.UNTESTABLE]
    not_run = [v for v in verdicts if v.outcome is Outcome.NOT_RUN]
    ordered = [*sorted(judged, key=lambda v: not v.firm), *untestable, *not_run]
    return ordered[0] if ordered else None


def _records(verdict: Verdict, seen: _Looked, machine: str) -> tuple[str, ...]:
    """The records of the figure's cases on the matrices of the verdict."""
    labels = [point.label for point in verdict.measured.points] if verdict.measured else []
    names = [re.split(r"[ ,]", label.lower(), maxsplit=1)[0] for label in labels]
    rows = seen.rows[seen.rows["status"] == "ok"] if len(seen.rows) else seen.rows
    return tuple(
        str(record_path(machine, row["case"]).relative_to(results()))
        for row in rows.to_dict("records")
        if str(row["label"]).partition(" (")[0].lower() in names
    )


def _missing(claim: Claim, figure: str, seen: _Looked, verdict: Verdict | None) -> tuple[Missing, ...]:
    """What keeps the claim from a number of each of its matrices."""
    if not figure:
        return (Missing("experiment", ("none of config/experiments.yaml measures it",)),)
    measured = verdict.measured.points if verdict and verdict.measured and verdict.firm else ()
    lacking = [abbr for abbr in claim.matrices or () if abbr not in {point.abbr for point in measured}]
    rows = seen.rows[seen.rows["abbr"].isin(lacking)] if claim.matrices else seen.rows
    whole = bool(measured) and not lacking
    failed = rows[:0] if whole else rows[rows["status"] != "ok"]
    found = [Missing("library", (f"{claim.library}, which nothing here wraps",))] if claim.library else []
    found += [_lack(row, seen) for row in failed.to_dict("records")]
    absent = [abbr for abbr in lacking if abbr not in set(rows["abbr"])]
    if absent:
        found.append(Missing("experiment", (f"none of the figure's has {', '.join(absent)}",)))
    if not found and (verdict is None or verdict.measured is None):
        found.append(Missing("measurement", tuple(sorted(set(rows["case"]))) or (figure,)))
    return _together(found)


def _lack(row: Mapping[Any, Any], seen: _Looked) -> Missing:
    """Why a case of one of the claim's matrices has no number."""
    reason = str(row["reason"])
    if row["status"] == "unavailable":
        return Missing("GPU" if "GPU" in reason else "library", (f"{row['implementation']}: {reason}",))
    if row["status"] != "not_run":
        return Missing("measurement", (f"{row['case']}: {str(row['status']).replace('_', ' ')}, {reason}",))
    on_gpu = registry.lookup(row["stage"], row["implementation"]).device == "gpu"
    if on_gpu and not seen.has_gpu:
        return Missing("GPU", (f"{row['implementation']}: no record of a GPU on this machine",))
    rows = seen.rows
    if not (rows[rows["matrix"] == row["matrix"]]["status"] == "ok").any():
        return Missing("matrix", (str(row["label"]),))
    return Missing("measurement", (str(row["case"]),))


def _together(found: Sequence[Missing]) -> tuple[Missing, ...]:
    """Each kind once, with all that it lacks."""
    kinds: dict[str, dict[str, None]] = {}
    for lack in found:
        kinds.setdefault(lack.kind, {}).update(dict.fromkeys(lack.what))
    return tuple(Missing(kind, tuple(whats)) for kind, whats in kinds.items())


def _interval(standing: Standing) -> str:
    """`measured 1.05x (0.98x to 1.12x), n = 4 of 15; excluded: pre2 (PR): timeout`."""
    assert standing.verdict is not None and standing.verdict.measured is not None
    left_out = _left_out(standing.verdict.excluded)
    excluded = f"; excluded: {left_out}" if left_out else ""
    return f"measured {measured_text(standing.claim, standing.verdict)}{excluded}"


def measured_text(claim: Claim, verdict: Verdict) -> str:
    """`1.05x (0.98x to 1.12x), n = 4 of 15`; empty where nothing was measured."""
    measured = verdict.measured
    if measured is None:
        return ""
    form = "{:.0%}".format if claim.aggregate == "count" else claim.form
    of = f" of {measured.of}" if measured.of and verdict.firm else ""
    ends = f"{form(measured.low)} to {form(measured.high)}"
    value = value_text(claim, verdict) if claim.aggregate == "equal" else f"{form(measured.value)} ({ends})"
    return f"{value}, n = {measured.n}{of}"


def value_text(claim: Claim, verdict: Verdict) -> str:
    """What was measured, in a word or two: `1.05x`; of counts `13 of 15`, of exact numbers how many are."""
    if verdict.measured is None:
        return ""
    if claim.aggregate == "count":
        return re.split(r"[ (]*\(|, ", verdict.numbers, maxsplit=1)[0]
    if claim.aggregate == "equal":
        return verdict.numbers.partition(";")[0]
    return claim.form(verdict.measured.value)


def _left_out(excluded: Sequence[Excluded]) -> str:
    """`not run: pre2 (PR), twotone (TT); timeout: audikw_1 (AU)`."""
    reasons: dict[str, list[str]] = {}
    for row in excluded:
        reasons.setdefault(row.reason, []).append(row.label)
    return "; ".join(f"{reason}: {', '.join(_some(labels))}" for reason, labels in reasons.items())


def _some(names: Sequence[str]) -> list[str]:
    """The first of them, and how many more there are."""
    more = len(names) - SHOWN
    return [*names[:SHOWN], *([f"{more} more"] if more > 0 else [])]


def to_json(machines: Sequence[str], standings: Sequence[Standing]) -> dict[str, Any]:
    """The ledger of these machines as JSON values, checked against its schema. Raises ConfigError."""
    data = {
        "schema": VERSION,
        "hardware_differs": HARDWARE_DIFFERS,
        "machines": list(machines),
        "standings": [_standing(standing) for standing in standings],
    }
    plain: dict[str, Any] = json.loads(json.dumps(data, allow_nan=False))
    schema = json.loads((CONFIG / "schemas" / "ledger.json").read_text())
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(plain))
    if error is not None:
        raise ConfigError(f"claim ledger: {error.json_path}: {error.message}")
    return plain


def _standing(standing: Standing) -> Mapping[str, Any]:
    return {
        **asdict(standing),
        "told": standing.told,
        "claim": _claim(standing.claim),
        "verdict": None if standing.verdict is None else _verdict(standing.verdict),
        "beside": [_verdict(verdict) for verdict in standing.beside],
    }


def _claim(claim: Claim) -> Mapping[str, Any]:
    return {**asdict(claim), "id": claim.id, "printed": claim.printed}


def _verdict(verdict: Verdict) -> Mapping[str, Any]:
    return {**asdict(verdict), "scope": verdict.scope, "text": verdict.text}
