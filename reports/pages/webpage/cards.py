"""The cards of the first screen: of each paper, of this project's own codes, of machine against machine.

A line of a card is a sentence, a smaller text below, and the standing that it reports or None.

    ("On an NVIDIA H100, GSoFA examines 12.4 times as many edges ...", "The paper prints 13.01x.", standing)
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fillpath.case import Case
from fillpath.papers import paper_names
from fillpath.paths import results
from fillpath.record import record_path
from reports.claims.parts import LEAST
from reports.claims.verdict import Outcome, Reason, Standing
from reports.facts.means import geometric_mean
from reports.facts.records import Records
from reports.figures import exhibits, stem, weight
from reports.hardware.comparison import RESIDENT, Comparison
from reports.hardware.pictures import comparison_folder
from reports.hardware.solved import PROBLEMS, each, find, solved
from reports.hardware.text import energy_lines, speed_line, together
from reports.pages.ledger.text import agreement

Line = tuple[str, str, Standing | None]
_BOUND = {"> ": "more than ", "< ": "less than ", "~ ": "about ", "": ""}


def all_cards(
    standings: Sequence[Standing], records: Records, comparison: Comparison | None, papers: Sequence[Any]
) -> list[dict[str, Any]]:
    """Return the cards. papers : the parts of the page that `paper_part` returns."""
    drawn = {part["id"]: part["drawing"] for paper in papers for part in paper["exhibits"] if part["drawing"]}
    paths = [record_path(record.machine, record.case).relative_to(results()) for record in records.rows]
    devices = {str(path): record.device or "" for path, record in zip(paths, records.rows, strict=True)}
    found = [_card(name, id, drawn, *_paper(id, standings, devices)) for id, name in paper_names().items()]
    machine, lines = _own(records) if records.rows else ("", [])
    lines = lines or [("Not measured yet: three common inputs.", "", None)]
    names = ["gsofa_growth", "glu3_raw", "ooclu_fig4"]
    found.append(_card("Our own codes", "", drawn, machine, names, lines))
    return [*found, _machines(comparison, standings)]


def _card(
    title: str, id: str, drawn: Mapping[str, Any], machine: str, names: Iterable[str], lines: Sequence[Line]
) -> dict[str, Any]:
    """Return a card of a machine, with the first of these charts that is drawn of it, a wide chart first."""
    charts = [name for name in names if name in drawn and not drawn[name]["cells"]]
    its = [name for name in charts if dict(drawn[name]["stamp"])["machine"] == machine]
    name = min(its, key=lambda name: drawn[name]["width"] < drawn[name]["height"], default="")
    picture = drawn[name]["picture"] if name else None
    return {"title": title, "id": id or name, "picture": picture, "drawn_of": machine, "lines": lines}


def _paper(
    paper: str, standings: Sequence[Standing], devices: Mapping[str, str]
) -> tuple[str, list[str], list[Line]]:
    """Return by the rule for pictures the machine that judges most, and its figures and lines."""
    own = [s for s in standings if s.claim.paper == paper and s.claim.card]
    rows = [[s for s in own if s.machine == name] for name in dict.fromkeys(s.machine for s in own)]
    best = max(rows, key=lambda own: (weight(s.verdict for s in own), -sum(s.older for s in own)), default=[])
    best.sort(key=lambda s: not (s.verdict and s.verdict.n))
    names = [stem(paper, figure) for figure in (*(s.figure for s in best), *exhibits(paper))]
    return best[0].machine if best else "", names, [sentence(standing, devices) for standing in best[:3]]


def sentence(standing: Standing, devices: Mapping[str, str]) -> Line:
    """Return what was measured of a claim and what the paper prints, or what is missing.

    devices : of the records, by path below results/, empty for a processor
    """
    claim, verdict, printed = standing.claim, standing.verdict, standing.claim.printed
    if verdict is None or not verdict.n:
        return _unmeasured(standing)
    if claim.aggregate == "count":
        number, on = f"{(verdict.points['value'] > 0).sum()} of {verdict.n}", ""
    else:
        number = f"{verdict.value:.3g} times" if claim.is_ratio else claim.form(verdict.value)
        on = f", averaged over {verdict.matrices}{f' of {verdict.of}' if verdict.of else ''} matrices"
    if on and verdict.matrices == 1:
        on = f", on {verdict.points['label'].iloc[0].partition(' (')[0]}"
    if claim.is_ratio and not claim.span:
        over = f" on average over {verdict.of} matrices" if verdict.of else ""
        same = f", {claim.form(verdict.printed)} on the same {verdict.matrices}"
        printed = f"{claim.form(claim.value)}{over}{same if verdict.printed != claim.value else ''}"
    device = next(filter(None, map(devices.get, standing.records)), "")
    told = claim.card.format(measured=_BOUND[verdict.bound] + number)
    lead = {Reason.NEEDS: "Not judged:", Outcome.OPEN: "Open:"}.get(standing.reason or standing.outcome)
    within = f" {verdict.within}." if standing.outcome is Outcome.OTHER_SIZE and verdict.within else ""
    why = f" {lead} {', '.join(verdict.why.split(', ')[:2])}." if lead and verdict.why else ""
    below = f"The paper prints {printed}.{within}{why}"
    return f"{_place(device, standing.machine)}, {told}{on}.", below, standing


def _unmeasured(standing: Standing) -> Line:
    """Return what the paper prints of a claim that has no number, and what is missing."""
    claim = standing.claim
    ends = " to ".join(f"{end:.4g}" for end in claim.span or (claim.value,))
    text = claim.card.format(measured=claim.printed if claim.aggregate == "count" else f"{ends} times")
    lacks = [name.partition(" (")[0] for lack in standing.missing for name in lack.what]
    beside = [f" Stand-ins: {v.numbers}." for v in standing.beside if v.basis.endswith("on stand-ins")]
    below = f"Not measured yet: {', '.join(lacks[:2]) or 'no record'}.{''.join(beside[:1])}"
    return f"The paper says: {text}.", below, standing


def _place(device: str, machine: str) -> str:
    """Return `On an NVIDIA H100` of `NVIDIA H100 80GB HBM3`."""
    if not device:
        return f"On the processors of {machine}"
    article = "an" if device[0] in "AEIONX" else "a"
    return f"On {article} {re.sub(r' [0-9]+ ?GB.*', '', device)}"


def _own(records: Records) -> tuple[str, list[Line]]:
    """Return a machine, and per problem the least lead there of our best code over another, in one run."""
    rows = solved(records.machines(), records)
    ok = rows["question"].notna() & (rows["unlike"] == "") & rows["stage"].isin(PROBLEMS)
    rows = rows[ok & (rows["status"] == "ok")].sort_values("median", kind="stable").fillna({"device": ""})
    codes = [find(Case.parse(case)) for case in rows["case"]]
    rows["own"] = np.array([bool(code and not (code.peer or code.paper)) for code in codes], bool)
    rows["peer"] = np.array([bool(code and code.peer) for code in codes], bool)
    by = ["machine", "stage", "device", "question"]
    run = [*by, "run_id", "host"]
    ours = rows[rows["own"]].drop_duplicates(run).set_index(run)
    theirs = rows[~rows["own"]].drop_duplicates([*run, "implementation"]).set_index(run)
    both = ours.join(theirs.add_suffix("_other"), how="inner").copy().reset_index()
    both = both.sort_values("median", kind="stable").drop_duplicates([*by, "implementation_other"])
    both = both.assign(ratio=both["median_other"] / both["median"])
    pairs = both.groupby([*by[:3], "implementation", "implementation_other"], observed=True)
    ways: Any = {"ratio": ("ratio", geometric_mean), "n": ("ratio", "size"), "peer": ("peer_other", "all")}
    found = pairs.agg(**ways).reset_index()
    # Rivals that users would pick instead, on a GPU; of several the strongest.
    found = found.assign(on_gpu=found["device"] != "")[found["n"] >= LEAST]
    found = found.sort_values(["peer", "on_gpu", "ratio"], ascending=[False, False, True], kind="stable")
    machine = str(next(iter(found["machine"]), ""))
    found = found[found["machine"] == machine]
    lines: list[Line] = []
    for row in each(found.drop_duplicates("stage")[:3]):
        faster = f"our {row.implementation} is {row.ratio:.3g} times as fast as {row.implementation_other}"
        text = f"{_place(row.device, row.machine)}, {faster}, averaged over {row.n} inputs."
        lines.append((text, f"Problem: {PROBLEMS[row.stage]}, with the fastest options of each.", None))
    return machine, lines


def _machines(comparison: Comparison | None, standings: Sequence[Standing]) -> dict[str, Any]:
    """Return the card of the second machine against the first: best of each problem, energy, outcomes."""
    title, none = "Machine against machine", ("Not measured yet: a second machine.", "", None)
    if comparison is None:
        return {"title": title, "id": "", "picture": None, "lines": [none]}
    (first, second, *_), means = comparison.machines, comparison.best["means"]
    shown = means[(means["machine"] == second) & (means["span"] == RESIDENT)]
    told = [f"{PROBLEMS[mean.problem]}: {speed_line(mean, first)}" for mean in each(shown)]
    told += [*energy_lines(comparison), *agreement(first, second, standings)]
    lines = [(f"{line}.", "", None) for line in told] or [none]
    picture, of = comparison_folder(comparison) / "speeds.svg", together(comparison.machines)
    return {"title": title, "id": "compare", "picture": picture, "drawn_of": of, "lines": lines}
