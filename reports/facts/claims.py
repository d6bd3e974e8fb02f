"""What the papers print: config/claims/<paper>.yaml, read once and checked against their schema."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.papers import papers
from reports.facts.claim import Claim, Kind, Subject
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
    """What the papers report by (paper, id). Raises ConfigError where a file contradicts the schema."""
    # `names` says what a paper's own names mean here: no subject
    return {
        (paper, id): Subject(paper, id, data)
        for paper in papers()
        for id, data in claims_file(paper).items()
        if id != "names"
    }


def subject(paper: str, id: str) -> Subject:
    """What that paper reports under that name. Raises UnknownNameError with suggestions."""
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
        raise UnknownNameError(f"no claim {id}{suggest(id, claims())}")
    return claims()[id]


def claims_of(paper: str, subject: str) -> list[Claim]:
    """The claims of a subject."""
    return [claim for claim in claims().values() if (claim.paper, claim.subject) == (paper, subject)]


def _claim(subject: Subject, name: str, data: Mapping[str, Any]) -> Claim:
    both = {**subject.data, **data}
    where = f"{subject.paper}.{subject.id}.{name}"
    value, by_matrix, span, count = _printed(subject, data["printed"], where)
    if "by_matrix" in data:
        by_matrix = _by_matrix(subject, data["by_matrix"], where)
    ratios = both.get("unit", "x") == "x"
    if ratios and len(by_matrix) > 1 and min(by_matrix.values()) > 0 and data["aggregate"] == "each":
        value = geometric_mean(list(by_matrix.values()))
    kind = Kind[str(both["kind"]).upper()]
    if data["aggregate"] == "mean" and ratios:
        raise ConfigError(
            f"{_path(where)}: aggregate: mean: ratios have a geometric mean, which is `geometric`"
        )
    tolerance = both["tolerance"]
    matrices = both.get("matrices", list(by_matrix) or list(abbreviations(subject.paper).values()))
    return Claim(
        subject.paper, subject.id, name, kind, both.get("time", kind is Kind.PERFORMANCE), both["cite"],
        subject.what, both["metric"], data["aggregate"], value, by_matrix, span, count,
        tuple(map(str, matrices)) or None, both.get("unit", "x"),
        both.get("neutral", _NEUTRAL.get(data["aggregate"], 1.0)),
        None if tolerance is None else float(tolerance), both.get("pair", ""), both.get("not_comparable", ""),
        both.get("derived", ""), both.get("needs", ""), both.get("library", ""),
    )  # fmt: skip


_Printed = tuple[float, Mapping[str, float], tuple[float, float] | None, tuple[int, int] | None]


def _printed(subject: Subject, source: Any, where: str) -> _Printed:
    """(value, by matrix, range, count) of what a claim says is printed: a number, a word, a key of its
    subject (`reduction.mean`), so many of so many, or a column of a printed table."""
    if isinstance(source, str) and source in _WORDS:
        return _WORDS[source], {}, None, None
    if isinstance(source, Mapping) and "count" in source:
        return source["count"] / source["of"], {}, None, (source["count"], source["of"])
    number = _by_matrix(subject, source, where) if isinstance(source, Mapping) else source
    for key in source.split(".") if isinstance(source, str) else ():
        number = subject.data if number is source else number
        if not isinstance(number, Mapping) or key not in number:
            raise ConfigError(f"{_path(where)}: printed: {source}: no such key of its subject")
        number = number[key]
    if isinstance(number, list):
        return (number[0] + number[1]) / 2, {}, (float(number[0]), float(number[1])), None
    if isinstance(number, Mapping):
        numbers = {str(abbr): float(value) for abbr, value in number.items()}
        return sum(numbers.values()) / len(numbers), numbers, None, None
    return float(number), {}, None, None


def _by_matrix(subject: Subject, columns: Mapping[str, Any], where: str) -> Mapping[str, float]:
    """The sum of some columns of a printed table, over that of others, by the matrix's abbreviation."""
    rows = printed_table(columns["table"])
    missing = {*columns["sum"], *columns.get("over", ())} - set(rows)
    if missing:
        raise ConfigError(f"{_path(where)}: {columns['table']}.csv has no {', '.join(missing)}")
    names = matrices_of(subject.paper, rows)
    top = rows[columns["sum"]].apply(pd.to_numeric, errors="coerce").sum(axis=1, skipna=False)
    if "over" in columns:
        top = top / rows[columns["over"]].apply(pd.to_numeric, errors="coerce").sum(axis=1, skipna=False)
    return {name: float(value) for name, value in zip(names, top, strict=True) if pd.notna(value)}


def _path(where: str) -> str:
    """Where a claim stands. where : as `gsofa.table1_matrices.order`."""
    paper, _, id = where.partition(".")
    return f"config/claims/{paper}.yaml: {id}"


def paper_figure(case: Case, entries: Iterable[MatrixEntry]) -> str:
    """What a paper prints of its method over this case: its matrix's own ratio, else the mean; `-` for
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
