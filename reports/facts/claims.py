"""What the papers print: config/claims/<paper>.yaml, read once and checked against their schema."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.papers import papers
from reports.facts.claim import Claim, Held, Kind, Subject
from reports.facts.means import geometric_mean
from reports.facts.printed import (
    MatrixEntry,
    abbreviation,
    abbreviations,
    by_matrix,
    claims_file,
    matrices_of,
    printed_table,
)

# What is printed of counts and of trends, as numbers.
_WORDS = {"all": 1.0, "most": 1.0, "none": 0.0, "rises": 1.0, "falls": -1.0}
# The value of no effect by aggregate, where it is not 1.
_NEUTRAL = {"count": 0.5, "trend": 0.0}


@functools.cache
def subjects() -> Mapping[tuple[str, str], Subject]:
    """Return the reports by (paper, id). Raises ConfigError where a file contradicts the schema."""
    # `names` says what a paper's own names mean here: no subject
    return {
        (paper, id): Subject(paper, id, data)
        for paper in papers()
        for id, data in claims_file(paper).items()
        if id != "names"
    }


def subject(paper: str, id: str) -> Subject:
    """Return what that paper reports under that name. Raises UnknownNameError with suggestions."""
    if (paper, id) not in subjects():
        known = [f"{p}.{i}" for p, i in subjects()]
        raise UnknownNameError(f"no subject {paper}.{id}{suggest(f'{paper}.{id}', known)}")
    return subjects()[paper, id]


@functools.cache
def claims() -> Mapping[str, Claim]:
    """Every quantitative claim by its id, in the order of the files. Raises ConfigError where one asks for a
    number that its subject does not hold."""
    listed = [_claim(s, name, data) for s in subjects().values() for name, data in s.data["claims"].items()]
    return {claim.id: claim for claim in listed}


def claim(paper: str, subject: str, name: str) -> Claim:
    """The claim of that name. Raises UnknownNameError with suggestions."""
    return find_claim(f"{paper}.{subject}.{name}")


def find_claim(id: str) -> Claim:
    """The claim of that id. Raises UnknownNameError with suggestions."""
    if id not in claims():
        hint = suggest(id, claims()) or "; `fillpath claims` lists them"
        raise UnknownNameError(f"no claim {id!r}{hint}")
    return claims()[id]


def claims_of(paper: str, id: str) -> list[Claim]:
    """The claims of a subject. Raises UnknownNameError for one that no file has."""
    subject(paper, id)
    return [claim for claim in claims().values() if (claim.paper, claim.subject) == (paper, id)]


def _claim(subject: Subject, name: str, data: Mapping[str, Any]) -> Claim:
    both = {**subject.data, **data}
    where = f"config/claims/{subject.paper}.yaml: {subject.id}.{name}"
    _refuse_misspelt(subject, where)
    printed = _printed(subject, data["printed"], where)
    if "by_matrix" in data:
        printed["by_matrix"] = _by_matrix(subject, data["by_matrix"], where)
    parts, ratios = printed.get("by_matrix", {}), both.get("unit", "x") == "x"
    if ratios and data["aggregate"] == "mean":
        raise ConfigError(f"{where}: aggregate: mean: ratios have a geometric mean, which is `geometric`")
    if ratios and data["aggregate"] == "each" and len(parts) > 1 and min(parts.values()) > 0:
        printed["value"] = geometric_mean(list(parts.values()))
    kind, tolerance = Kind[str(both["kind"]).upper()], both["tolerance"]
    matrices = both.get("matrices", list(parts) or list(abbreviations(subject.paper).values()))
    computed = {
        "paper": subject.paper, "subject": subject.id, "name": name, "kind": kind,
        "time": both.get("time", kind is Kind.PERFORMANCE), "matrices": tuple(map(str, matrices)) or None,
        "neutral": both.get("neutral", _NEUTRAL.get(data["aggregate"], 1.0)),
        "tolerance": None if tolerance is None else float(tolerance), "held": _held(both, data, where),
    }  # fmt: skip
    given = {field.name: both[field.name] for field in fields(Claim) if field.name in both}
    return Claim(**given | computed | printed)


def _refuse_misspelt(subject: Subject, where: str) -> None:
    """Refuse a text of a subject whose name is nearly that of a column's field; printed data are numbers."""
    names = {field.name for field in fields(Held)}
    for name in (
        name for name, value in subject.data.items() if isinstance(value, str) and name not in names
    ):
        if near := difflib.get_close_matches(name, names, n=1, cutoff=0.8):
            raise ConfigError(f"{where}: unknown {name!r}; did you mean {near[0]}?")


def _held(both: Mapping[str, Any], data: Mapping[str, Any], where: str) -> tuple[Held, ...]:
    """Return what a claim is held against: its own column, and those of `also`, which inherit from it."""
    names = {field.name for field in fields(Held)}
    own = {name: value for name, value in both.items() if name in names}
    if "column" in own:
        return Held(**own), *(Held(**own | other) for other in both.get("also", ()))
    if names & data.keys() or "also" in data:
        raise ConfigError(f"{where}: no column is named that it is held against")
    return ()


def _printed(subject: Subject, source: Any, where: str) -> dict[str, Any]:
    """`value`, and `by_matrix`, `span` or `count`, of what is said to be printed: a number, a word, a key of
    the subject (`reduction.mean`), so many of so many, or a column of a printed table."""
    number = source
    if isinstance(source, Mapping):
        if "count" in source:
            return {"value": source["count"] / source["of"], "count": (source["count"], source["of"])}
        number = _by_matrix(subject, source, where)
    elif isinstance(source, str):
        if source in _WORDS:
            return {"value": _WORDS[source]}
        number = subject.data
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


def _by_matrix(subject: Subject, columns: Mapping[str, Any], where: str) -> Mapping[str, float]:
    """The sum of some columns of a printed table, over that of others, by the matrix's abbreviation."""
    rows = printed_table(columns["table"])
    missing = {*columns["sum"], *columns.get("over", ())} - set(rows)
    if missing:
        raise ConfigError(f"{where}: {columns['table']}.csv has no {', '.join(missing)}")
    numbers = rows[[*columns["sum"], *columns.get("over", ())]].apply(pd.to_numeric, errors="coerce")
    values = numbers[columns["sum"]].sum(axis=1, skipna=False)
    if "over" in columns:
        values = values / numbers[columns["over"]].sum(axis=1, skipna=False)
    pairs = zip(matrices_of(subject.paper, rows), values, strict=True)
    return {name: float(value) for name, value in pairs if pd.notna(value)}


def paper_figure(case: Case, entries: Iterable[MatrixEntry]) -> str:
    """Return what a paper prints of its method over this case: its matrix's own ratio, else the mean; `-` for
    neither."""
    entry = by_matrix(entries).get(case.matrix)
    baseline = f"{case.stage}.{case.implementation}"
    paper = next((paper for paper in papers().values() if baseline in paper.baselines), None)
    if entry is None or paper is None:
        return "-"
    ratios, short = subject(paper.id, paper.baselines[baseline]), abbreviation(entry, paper.id)
    value = ratios.value(short) if short else None
    if value is not None:
        return f"{paper.method}: {value:g}x"
    if ratios.mean is None or not (short or abbreviations(paper.id).keys() & set(entry.stands_for)):
        return "-"
    return f"{paper.method}: {ratios.mean:g}x (mean)"
