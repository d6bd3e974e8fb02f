"""Seeks the twin of a paper's matrix: order and entries of all candidates, then fill-in of the nearest."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.runs.twin_candidates import Search
from fetch import catalogue, matrix_id, names, prepare
from fetch.generate import generate
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import UnsupportedError
from fillpath.nouns import Pattern, content_hash
from fillpath.twins import Nearest, distance

# A search ends with the first candidate whose distances are half of what they may be, or after so many.
_NEAR_ENOUGH, _TRIES = 0.5, 40

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Target:
    """A paper's matrix. fill : fill-ins over entries under the search's preparation, None where no paper
    prints it."""

    order: int
    density: float
    fill: float | None


def fingerprint(search: Search, target: Target) -> str:
    """What a result hangs on: another one makes it out of date."""
    return content_hash(repr(search), repr(target), repr(search.candidates(target.order)))[:12]


def nearest(search: Search, target: Target) -> Nearest:
    """The nearest of the candidates. Raises what `fetch.prepare.prepare` raises."""
    key = fingerprint(search, target)
    best = Nearest(search.matrix, search.preparation, "", None, None, None, None, 0, key, search.note)
    least, tried = np.inf, 0
    for name in _screened(search, target)[:_TRIES]:
        tried += 1
        found = _measured(name, search, target)
        far = distance(found.order or 0, found.density or 0, found.symmetry, found.fill)
        _log.info("%s: %s: %.2f of the limits, fill %s", search.matrix, name, far, found.fill)
        if far < least:
            least, best = far, found
        if far <= _NEAR_ENOUGH:
            break
    return replace(best, tried=tried, search=key)


def _screened(search: Search, target: Target) -> list[str]:
    """The candidates by their distance in order and entries, those that can be no twin left out, unless none
    can."""
    every = search.candidates(target.order)
    far = {name: distance(*_size_ratios(name, target), None, None) for name in every}
    ranked = sorted(every, key=lambda name: round(far[name], 1))  # as listed where they hardly differ
    return [name for name in ranked if far[name] <= 1] or ranked[:1]


def _size_ratios(name: str, target: Target) -> tuple[float, float]:
    """(order, entries per row) of a candidate over those of the matrix."""
    matrix = matrix_id.parse(name)
    if isinstance(matrix, matrix_id.Generated):
        order = matrix.spec.order
        entries = matrix.spec.nnz or generate(matrix.spec).nnz
    else:
        entry = catalogue.lookup(name)
        order, entries = entry.order or 0, entry.nnz_with_zeros or 0
    return order / target.order, entries / order / target.density


def _measured(name: str, search: Search, target: Target) -> Nearest:
    preparation = Preparation.parse(search.preparation)
    path = prepare.prepared_path(name, preparation)
    stored = path.is_file()
    prepared = prepare.prepare(name, preparation)
    try:
        order, density = prepared.pattern.n, prepared.provenance.entries / prepared.pattern.n
        fill = fill_ins(prepared.pattern) / prepared.pattern.nnz / target.fill if target.fill else None
    finally:
        if not stored and names.is_generated(name):
            path.unlink(missing_ok=True)  # candidates of gigabytes
    symmetry = prepared.provenance.structural_symmetry - search.symmetry
    return Nearest(
        search.matrix,
        search.preparation,
        name,
        order=_rounded(order / target.order),
        density=_rounded(density / target.density),
        symmetry=_rounded(symmetry),
        fill=None if fill is None else _rounded(fill),
        tried=0,
        search="",
        note=search.note,
    )


def _rounded(number: float) -> float:
    return float(f"{number:.4g}")


def fill_ins(pattern: Pattern) -> int:
    """Entries of L + U that the pattern does not have, at the cost of counting them."""
    try:
        counts, _ = registry.lookup("symbolic", "etree_cpu").function(pattern, output="counts")
    except UnsupportedError:
        counts, _ = registry.lookup("symbolic", "fill1_supernodal").function(pattern, output="counts")
    return int(counts.nnz - pattern.nnz)
