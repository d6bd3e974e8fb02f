"""The page's numbers held against those of tests/recompute.py."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.recompute import OWN, STAND_INS, recompute, table

Numbers = dict[tuple[str, str], dict[str, Any]]
# Left out of each side of an interval of several processes: where 2.5 % of the page's 2000 draws end lies
# between the two, by five standard errors.
OUTER, INNER = 0.005, 0.05


def on_page(verdicts: Numbers) -> Numbers:
    """The numbers of the page, those of points by matrix. verdicts : by claim and kind of input."""
    return {
        key: {**_by_matrix(key[0], verdict["measured"]), "outcome": verdict["outcome"]}
        for key, verdict in verdicts.items()
    }


def scope_of(verdict: Mapping[str, Any]) -> str:
    """What the numbers of a verdict are of: empty of another measure that stands beside the print."""
    if verdict["reason"] != "beside the print":
        return OWN
    return STAND_INS if verdict["basis"].endswith(STAND_INS) else ""


def differences(page: Numbers, folder: Path, paper: str = "") -> dict[str, list[str]]:
    """Which numbers of a claim, of all papers or of one, differ from those recomputed from the records of a
    folder."""
    outer, inner = (_recomputed(folder, tail, paper) for tail in (OUTER, INNER))
    assert outer.keys() == inner.keys()
    ids = {claim for claim, _ in outer}
    keys = {key for key in page if key[0] in ids} | outer.keys()
    nothing: dict[str, Any] = {}
    different = {
        key: [*_different(page.get(key, nothing), outer.get(key, nothing), inner.get(key, nothing))]
        for key in keys
    }
    return {f"{claim} {scope}": sorted(names) for (claim, scope), names in different.items() if names}


@cache
def _recomputed(folder: Path, tail: float, paper: str) -> Numbers:
    if not paper:
        return recompute(folder, tail)
    whole = _recomputed(folder, tail, "")
    return {key: of for key, of in whole.items() if key[0].startswith(f"{paper}.")}


def _by_matrix(claim: str, measured: Mapping[str, Any]) -> dict[str, Any]:
    table_ = table(f"{claim.partition('.')[0]}_table*")
    names = table_["abbr" if "abbr" in table_ else "matrix"]
    ids = {str(name): str(id) for id, name in names.items()}
    ends = ("low", "value", "high", "processes")
    points = {
        ids.get(each["abbr"], each["input"]): {end: each[end] for end in ends} for each in measured["points"]
    }
    return {**measured, "points": points}


def _different(page: Mapping[str, Any], outer: Mapping[str, Any], inner: Mapping[str, Any]) -> set[str]:
    """The names of what differs."""
    names = outer.keys() or page.keys()
    return {name for name in names if not _agree(name, page, outer, inner)}


def _agree(name: str, page: Mapping[str, Any], outer: Mapping[str, Any], inner: Mapping[str, Any]) -> bool:
    if not all(name in numbers for numbers in (page, outer, inner)):
        return False
    if name == "outcome":
        return page[name] in (outer[name], inner[name])
    if name in ("low", "high"):
        return _is_between(name, page, outer, inner)
    if name == "points":
        of = [numbers[name] for numbers in (page, outer, inner)]
        alike = of[0].keys() == of[1].keys() == of[2].keys()
        return alike and not any(_different(*(points[matrix] for points in of)) for matrix in of[0])
    return _same(page[name], outer[name]) and _same(page[name], inner[name])


def _is_between(
    name: str, page: Mapping[str, Any], outer: Mapping[str, Any], inner: Mapping[str, Any]
) -> bool:
    """Whether an end of an interval lies between those of the wider and the narrower one."""
    first, last = (outer, inner) if name == "low" else (inner, outer)
    slack = 1e-9 * abs(page[name])
    return bool(first[name] - slack <= page[name] <= last[name] + slack)


def _same(one: Any, other: Any) -> bool:
    """Equal, numbers to nine digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if one is None or other is None or isinstance(one, str):
        return bool(one == other)
    return bool(np.allclose(one, other, rtol=1e-9, atol=0))
