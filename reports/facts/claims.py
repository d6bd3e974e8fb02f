"""The papers' claims in config/claims/<paper>.yaml, read once and checked against their schema."""

import functools
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from fillpath.case import Case
from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.papers import papers
from reports.facts.claim import Claim, Held, Kind
from reports.facts.means import geometric_mean
from reports.facts.printed import Entries, abbreviation, abbreviations, by_matrix, claims_file, printed_sums

# The printed words of counts and of trends, as numbers.
_WORDS = {"all": 1.0, "most": 1.0, "none": 0.0, "rises": 1.0, "falls": -1.0}
# The value of no effect by aggregate, where it is not 1.
_NEUTRAL = {"count": 0.5, "trend": 0.0}


@functools.cache
def subjects() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Return the reports by (paper, id). Raises ConfigError where a file contradicts the schema."""
    # `names` maps a paper's own names: no subject
    return {(of, id): data for of in papers() for id, data in claims_file(of).items() if id != "names"}


def subject(paper: str, id: str) -> Mapping[str, Any]:
    """Return the report of that name, as its file has it. Raises UnknownNameError with suggestions."""
    if (paper, id) not in subjects():
        known = [f"{p}.{i}" for p, i in subjects()]
        raise UnknownNameError(f"no subject {paper}.{id}{suggest(f'{paper}.{id}', known)}")
    return subjects()[paper, id]


@functools.cache
def claims() -> Mapping[str, Claim]:
    """Return every claim by its id, in the order of the files. Raises ConfigError for a missing number."""
    every = [_claim(*of, name) for of, subject in subjects().items() for name in subject["claims"]]
    return {claim.id: claim for claim in every}


def claim(paper: str, subject: str, name: str) -> Claim:
    """Return the claim of that name. Raises UnknownNameError with suggestions."""
    return find_claim(f"{paper}.{subject}.{name}")


def find_claim(id: str) -> Claim:
    """Return the claim of that id. Raises UnknownNameError with suggestions."""
    if id not in claims():
        hint = suggest(id, claims()) or "; `fillpath claims` lists them"
        raise UnknownNameError(f"no claim {id!r}{hint}")
    return claims()[id]


def claims_of(paper: str, id: str) -> list[Claim]:
    """Return the claims of a subject. Raises UnknownNameError for one that no file has."""
    subject(paper, id)
    return [claim for claim in claims().values() if (claim.paper, claim.subject) == (paper, id)]


def _claim(paper: str, id: str, name: str) -> Claim:
    subject = subjects()[paper, id]
    data, where = subject["claims"][name], f"config/claims/{paper}.yaml: {id}.{name}"
    both = {**subject, **data}
    printed = _printed(paper, subject, data["printed"], where)
    if "by_matrix" in data:
        printed["by_matrix"] = printed_sums(paper, data["by_matrix"], where)
    parts, ratios = printed.get("by_matrix", {}), both.get("unit", "x") == "x"
    if ratios and data["aggregate"] == "mean":
        raise ConfigError(f"{where}: aggregate: mean: ratios have a geometric mean, which is `geometric`")
    if ratios and data["aggregate"] == "each" and len(parts) > 1 and min(parts.values()) > 0:
        printed["value"] = geometric_mean(list(parts.values()))
    kind, tolerance = Kind[str(both["kind"]).upper()], both["tolerance"]
    matrices = both.get("matrices", list(parts) or list(abbreviations(paper).values()))
    computed = {
        "paper": paper, "subject": id, "name": name, "kind": kind,
        "time": both.get("time", kind is Kind.PERFORMANCE), "matrices": tuple(map(str, matrices)) or None,
        "neutral": both.get("neutral", _NEUTRAL.get(data["aggregate"], 1.0)),
        "tolerance": None if tolerance is None else float(tolerance), "held": _held(both, data, where),
    }  # fmt: skip
    given = {field.name: both[field.name] for field in fields(Claim) if field.name in both}
    return Claim(**given | computed | printed)


def _held(both: Mapping[str, Any], data: Mapping[str, Any], where: str) -> tuple[Held, ...]:
    """Return what a claim is held against: its own column, and those of `also`, which inherit from it."""
    names = {field.name for field in fields(Held)}
    own = {name: value for name, value in both.items() if name in names}
    if "column" in own:
        return Held(**own), *(Held(**own | other) for other in both.get("also", ()))
    if names & data.keys() or "also" in data:
        raise ConfigError(f"{where}: no column is named that it is held against")
    return ()


def _printed(paper: str, subject: Mapping[str, Any], source: Any, where: str) -> dict[str, Any]:
    """Return `value`, and `by_matrix`, `span` or `count`, of a number, word, key, count or printed column."""
    number = source
    if isinstance(source, Mapping):
        if "count" in source:
            return {"value": source["count"] / source["of"], "count": (source["count"], source["of"])}
        number = printed_sums(paper, source, where)
    elif isinstance(source, str):
        if source in _WORDS:
            return {"value": _WORDS[source]}
        number = subject
        for key in source.split("."):
            if not isinstance(number, Mapping) or key not in number:
                raise ConfigError(f"{where}: printed: {source}: no such key of its subject")
            number = number[key]
    if isinstance(number, list):
        return {"value": (number[0] + number[1]) / 2, "span": (float(number[0]), float(number[1]))}
    if isinstance(number, Mapping):
        numbers = {str(abbr): float(value) for abbr, value in number.items()}
        return {"value": sum(numbers.values()) / len(numbers), "by_matrix": numbers}
    return {"value": float(number)}


def paper_figure(case: Case, entries: Entries) -> str:
    """Return what a paper prints of its method over this case: the matrix's ratio, the mean, or `-`."""
    entry = by_matrix(entries).get(case.matrix)
    baseline = f"{case.stage}.{case.implementation}"
    paper = next((paper for paper in papers().values() if baseline in paper.baselines), None)
    if entry is None or paper is None:
        return "-"
    ratios, short = claims_of(paper.id, paper.baselines[baseline]), abbreviation(entry, paper.id)
    if own := [claim.by_matrix[short] for claim in ratios if short and short in claim.by_matrix]:
        return f"{paper.method}: {own[0]:g}x"
    means = [claim.value for claim in ratios if claim.aggregate == "geometric"]
    known = means and (short or abbreviations(paper.id).keys() & set(entry.stands_for))
    return f"{paper.method}: {means[0]:g}x (mean)" if known else "-"
