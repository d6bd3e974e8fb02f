"""The cards of the first screen: of each paper, of this project's own answers, of machine against machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fillpath import registry
from fillpath.case import Case
from fillpath.papers import paper_names
from fillpath.paths import results
from fillpath.record import record_path
from reports.claims.standing import Standing
from reports.claims.verdict import CONCLUSIVE, JUDGED, Reason, Verdict
from reports.facts.claim import Claim
from reports.facts.means import geometric_mean
from reports.facts.records import Records
from reports.figures import exhibits, stem
from reports.hardware.comparison import Comparison
from reports.hardware.pictures import comparison_folder
from reports.hardware.solved import PROBLEMS, each, find, solved
from reports.shapes import style

# A sentence, what stands below it, and the standing whose outcome it tells, None for none.
Line = tuple[str, str, Standing | None]
# Sentences of a card, and the fewest inputs of one that is no claim's.
MOST, LEAST = 3, 2
_BOUND = {"> ": "more than ", "< ": "less than ", "~ ": "about ", "": ""}


def cards(
    standings: Sequence[Standing], machines: Sequence[str], records: Records, comparison: Comparison | None
) -> list[dict[str, Any]]:
    """Return the cards: title, the id that it leads to, picture where one is drawn, and lines."""
    devices = {_path(record): record.device for record in records.rows}
    own = [_card(paper, name, standings, devices) for paper, name in paper_names().items()]
    folder = comparison_folder(comparison) / "best.svg" if comparison else None
    answers = style.page_picture("glu3_raw")
    return [
        *own,
        {"title": "Our own codes", "id": "glu3_raw", "picture": answers, "lines": list(_own(machines, records))[:MOST]},
        {"title": "Machine against machine", "id": "compare", "picture": folder and style.shown(folder), "lines": list(_machines(comparison))},
    ]  # fmt: skip


def _path(record: Any) -> str:
    return str(record_path(record.machine, record.case).relative_to(results()))


def _card(
    paper: str, name: str, standings: Sequence[Standing], devices: Mapping[str, str | None]
) -> dict[str, Any]:
    """Return a paper's card, of the machine whose records judge most of its claims."""
    own = [s for s in standings if s.claim.paper == paper and s.claim.card]
    known = {s.machine: [t for t in own if t.machine == s.machine] for s in own}
    best = max(known.values(), key=_says, default=[])
    figures = [s.figure for s in best] + list(exhibits(paper))
    drawn = {figure: style.page_picture(stem(paper, figure)) for figure in figures if figure}
    # A table says nothing in small.
    shown = [f for f, path in drawn.items() if path and not style.figure_path(stem(paper, f), style.TABLE).exists()]
    lines = [sentence(standing, devices) for standing in best]
    lines.sort(key=lambda line: not (line[2] and line[2].verdict and line[2].verdict.n))
    return {"title": name, "id": paper, "picture": drawn[shown[0]] if shown else None, "lines": lines[:MOST]}


def _says(standings: Sequence[Standing]) -> tuple[int, ...]:
    """How much standings say: claims that are judged, decided, matrices, processes."""
    verdicts = [s.verdict for s in standings if s.verdict]
    counts = (sum(s.outcome in outcomes for s in standings) for outcomes in (JUDGED, CONCLUSIVE))
    return (*counts, sum(v.n for v in verdicts), sum(v.processes or 0 for v in verdicts))


def sentence(standing: Standing, devices: Mapping[str, str | None]) -> Line:
    """Return what was measured of a claim, and what the paper prints; or what is missing, in five words."""
    claim, verdict = standing.claim, standing.verdict
    if verdict is None or not verdict.n:
        names = [name.partition(" (")[0] for lack in standing.missing for name in lack.what]
        beside = [v.numbers for v in standing.beside if v.basis.endswith("stand-ins")][:1]
        more = [f"not measured yet: {', '.join(names[:2]) or 'any record'}", *(f"on stand-ins {n}" for n in beside)]
        text = claim.card.format(measured="…" if claim.aggregate == "count" else "… times")
        return f"{text[0].upper()}{text[1:]}: {more[0]}.", "".join(more[1:]), standing
    device = next(filter(None, map(devices.get, standing.records)), None)
    where = f"On {named(device)}" if device else f"On the processors of {standing.machine}"
    text = f"{where}, {claim.card.format(measured=_measured(claim, verdict))}{_on(claim, verdict)}."
    why = f" But {verdict.why.partition(',')[0]}." if standing.reason is Reason.NEEDS and verdict.why else ""
    return text, f"The paper prints {_printed(claim, verdict)}.{why}", standing


def named(device: str) -> str:
    """Return `an NVIDIA H100` of `NVIDIA H100 80GB HBM3`."""
    return f"{'an' if device[0] in 'AEIONX' else 'a'} {re.sub(r' [0-9]+ ?GB.*', '', device)}"


def _measured(claim: Claim, verdict: Verdict) -> str:
    if claim.aggregate == "count":
        return f"{(verdict.points['value'] > 0).sum()} of {verdict.n}"
    number = f"{verdict.value:.3g} times" if claim.unit == "x" else claim.form(verdict.value)
    return f"{_BOUND[verdict.bound]}{number}"


def _on(claim: Claim, verdict: Verdict) -> str:
    """`, on average over 5 of 13 matrices`; of a count nothing, which says it itself."""
    if claim.aggregate == "count":
        return ""
    if verdict.matrices == 1:
        return f", on {verdict.points['label'].iloc[0].partition(' (')[0]}"
    of = f" of {verdict.of}" if verdict.of else ""
    return f", on average over {verdict.matrices}{of} matrices"


def _printed(claim: Claim, verdict: Verdict) -> str:
    if claim.span or claim.count or claim.aggregate in ("count", "trend", "equal"):
        return claim.printed
    if verdict.printed != claim.value:
        return f"{claim.form(verdict.printed)} on the same"
    return f"{claim.form(claim.value)}{f' on average over {verdict.of} matrices' if verdict.of else ''}"


def _own(machines: Sequence[str], records: Records) -> Iterator[Line]:
    """Yield how this project's own codes compare with libraries and with the papers', most inputs first."""
    rows = solved(machines, records)
    rows = rows[rows["question"].notna() & (rows["unlike"] == "") & rows["stage"].isin(PROBLEMS)]
    rows = rows[rows["status"] == "ok"].sort_values("median", kind="stable")
    made = [_maker(Case.parse(case)) for case in rows["case"]]
    rows = rows.assign(maker=[maker for maker, _ in made], code=[code for _, code in made])
    best = rows.drop_duplicates(["machine", "question", "maker"]).set_index(["machine", "stage", "question"])
    ours = best[best["maker"] == ""]
    found = []
    for others in ("a library", "a paper's code"):
        both = ours.join(best[best["maker"] == others], rsuffix="_other", how="inner")
        for (machine, stage), part in both.groupby(level=[0, 1], observed=True):
            ratio = geometric_mean((part["median_other"] / part["median"]).tolist())
            codes = [Counter(part[name]).most_common(1)[0][0] for name in ("code", "code_other")]
            found.append((len(part), machine, stage, others, ratio, *codes, part["device"].dropna().tolist()))
    first = pd.DataFrame(found, columns=["n", "machine", "stage", "makers", "ratio", "code", "other", "devices"])
    first = first.sort_values("n", ascending=False, kind="stable").drop_duplicates(["stage", "makers"])
    for row in each(first[first["n"] >= LEAST]):
        where = named(row.devices[0]) if row.devices else f"the processors of {row.machine}"
        than = f"{row.ratio:.3g} times as fast as {row.other} for {PROBLEMS[row.stage]}"
        yield f"On {where}, our {row.code} is {than}, on average over {row.n} inputs.", "", None
    if first.empty:
        yield "Not measured yet: the same input by our own codes and others.", "", None


def _maker(case: Case) -> tuple[str, str]:
    """Who made a case's implementation, empty for this project itself; its name."""
    entry = find(case)
    maker = "a library" if entry is None or entry.peer else "a paper's code" if entry.paper else ""
    return maker, case.implementation


def _machines(comparison: Comparison | None) -> Iterator[Line]:
    """Yield of each paper's code on GPUs, else on processors, that most cases compare, which machine is faster."""
    means = comparison.means if comparison else pd.DataFrame({"group": []})
    known = {f"{code.stage}.{code.name}": code for code in registry.registered()}
    codes = [known.get(".".join(str(group).split(".")[:2])) for group in means["group"]]
    means = means.assign(paper=[code and code.paper for code in codes], gpu=[bool(code and code.device == "gpu") for code in codes], own=[bool(code and code.name.startswith(code.paper)) for code in codes])
    means = means[means["paper"].isin(list(paper_names()))]
    if comparison is None or means.empty:
        yield "Not measured yet: a second machine.", "", None
        return
    best = means.sort_values(["gpu", "own", "n"], ascending=False, kind="stable").drop_duplicates("paper").set_index("paper")
    for paper in filter(best.index.__contains__, paper_names()):
        row, first = best.loc[paper], comparison.machines[0]
        faster, slower = (row["machine"], first) if row["ratio"] > 1 else (first, row["machine"])
        code = str(row["group"]).split(".")[1]
        count = f"{row['n']} case{'s' if row['n'] > 1 else ''}"
        yield f"{code}: {faster} is {max(row['ratio'], 1 / row['ratio']):.2f} times as fast as {slower}, on {count}.", "", None
