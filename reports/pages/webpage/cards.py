"""The cards of the first screen: of each paper, of this project's own codes, of machine against machine.

A line of a card is a sentence, a smaller text below, and the standing that it reports or None.

    ("On an NVIDIA H100, GSoFA examines 12.4 times as many edges ...", "The paper prints 13.01x.", standing)
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fillpath import registry
from fillpath.case import Case
from fillpath.papers import paper_names
from fillpath.paths import results
from fillpath.record import record_path
from reports.claims.parts import LEAST
from reports.claims.verdict import CONCLUSIVE, JUDGED, Outcome, Reason, Standing
from reports.facts.means import geometric_mean
from reports.facts.records import Records
from reports.figures import exhibits, stem
from reports.hardware.comparison import Comparison
from reports.hardware.pictures import comparison_folder
from reports.hardware.solved import PROBLEMS, each, find, solved
from reports.shapes import files, style
from reports.shapes.bars import times

Line = tuple[str, str, Standing | None]
NO_SECOND: list[Line] = [("Not measured yet: a second machine.", "", None)]
_BOUND = {"> ": "more than ", "< ": "less than ", "~ ": "about ", "": ""}


def all_cards(
    standings: Sequence[Standing], records: Records, comparison: Comparison | None
) -> list[dict[str, Any]]:
    """Return of each card its title, the id that it leads to, its picture, if any, and its lines."""
    paths = [record_path(record.machine, record.case).relative_to(results()) for record in records.rows]
    devices = {str(path): record.device or "" for path, record in zip(paths, records.rows, strict=True)}
    own = _chart(["gsofa_growth", "glu3_raw"])
    found = [(name, id, *_paper(id, standings, devices)) for id, name in paper_names().items()]
    found.append(("Our own codes", own.name.partition(".")[0] if own else "", own, _own(records)))
    speeds = comparison_folder(comparison) / "speeds.svg" if comparison else None
    found.append(("Machine against machine", "compare" if comparison else "", speeds, _machines(comparison)))
    parts = ("title", "id", "picture", "lines", "drawn_of")
    return [dict(zip(parts, (*card, _machine_of(card[2])), strict=True)) for card in found]


def _paper(
    paper: str, standings: Sequence[Standing], devices: Mapping[str, str]
) -> tuple[Path | None, list[Line]]:
    """Return the chart of a paper's card claims, and their lines on the machine that judges most."""
    own = [s for s in standings if s.claim.paper == paper and s.claim.card]
    machines = dict.fromkeys(s.machine for s in own)
    best = max(([s for s in own if s.machine == name] for name in machines), key=_says, default=[])
    best.sort(key=lambda s: not (s.verdict and s.verdict.n))
    names = [stem(paper, figure) for figure in (*(s.figure for s in best), *exhibits(paper))]
    return _chart(names), [sentence(standing, devices) for standing in best[:3]]


def _chart(names: Iterable[str]) -> Path | None:
    """Return the page's picture of the first figure that is drawn and no table; None without any."""
    charts = [name for name in names if not style.figure_path(name, style.TABLE).is_file()]
    return next(filter(Path.is_file, (style.figure_path(name, style.PAGE) for name in charts)), None)


def _machine_of(picture: Path | None) -> str:
    """Return the machine of a figure's picture; empty for none, and for a picture of several machines."""
    csv = style.figure_path(picture.name.partition(".")[0], "csv") if picture else None
    return files.read_comments(csv).get("machine", "") if csv and csv.is_file() else ""


def _says(own: Sequence[Standing]) -> tuple[int, ...]:
    """Return numbers of claims judged and decided, of measured numbers and processes, of one machine."""
    judged, decided = (sum(s.outcome in outcomes for s in own) for outcomes in (JUDGED, CONCLUSIVE))
    verdicts = [s.verdict for s in own if s.verdict]
    return judged, decided, sum(v.n for v in verdicts), sum(v.processes or 0 for v in verdicts)


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


def _own(records: Records) -> list[Line]:
    """Return per problem the least lead of our best code over another's, on one device, run and host."""
    if not records.rows:
        return [("Not measured yet: any problem.", "", None)]
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
    lines: list[Line] = []
    for row in each(found.drop_duplicates("stage")[:3]):
        faster = f"our {row.implementation} is {row.ratio:.3g} times as fast as {row.implementation_other}"
        text = f"{_place(row.device, row.machine)}, {faster}, averaged over {row.n} inputs."
        lines.append((text, f"Problem: {PROBLEMS[row.stage]}, with the fastest options of each.", None))
    return lines or [("Not measured yet: three common inputs.", "", None)]


def _machines(comparison: Comparison | None) -> list[Line]:
    """Return of each paper a machine's speed, by its code on GPUs, of its name and with the most cases."""
    if comparison is None:
        return NO_SECOND
    codes = {f"{code.stage}.{code.name}": code for code in registry.registered() if code.paper}
    found: dict[str, tuple[Any, ...]] = {}
    for mean in each(comparison.means):
        stage, name, *options = f"{mean.group}.".split(".")
        if code := codes.get(f"{stage}.{name}"):
            rank = code.device == "gpu", name.startswith(code.paper), mean.n, -len(options)
            if rank > found.get(code.paper, ((),))[0]:
                found[code.paper] = rank, name, mean
    lines = []
    for paper in filter(found.__contains__, paper_names()):
        _, name, mean = found[paper]
        speed = f"{mean.machine} has {times(mean.ratio)} the speed of {comparison.machines[0]}"
        within = f"{times(mean.ratio_low)} to {times(mean.ratio_high)}"
        paper_name = paper_names()[paper].partition(" (")[0]
        lines.append(f"{paper_name} ({name}): {speed} ({within}), on {mean.n} cases.")
    notes = [*[""] * (len(lines) - 1), "All with the data on the GPU: copies are not counted."]
    return [(*line, None) for line in zip(lines, notes, strict=False)] or NO_SECOND
