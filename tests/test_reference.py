"""The reference: two methods that share nothing, one pattern in memory at a time, and made once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.engine import reference as module
from benchmarks.engine.places import Host
from benchmarks.engine.reference import make_reference, reference, reference_path
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import FillpathError
from fillpath.nouns import Filled, Pattern, Reference
from impl.symbolic.bitfronts_cpu import bitfronts_cpu
from impl.symbolic.fill1 import fill1
from tests.patterns import random_pattern

METIS = Preparation("none", "metis")


def not_called(pattern: Pattern) -> Any:
    raise AssertionError("it was to be left alone")


def test_what_checks_shares_no_code_with_what_makes() -> None:
    maker, checker = (registry.lookup("symbolic", name) for name in ("fill1_pruned", "bitfronts_cpu"))
    assert len(maker.definitions()) > 5 and len(checker.definitions()) > 5
    assert not maker.definitions() & checker.definitions()


def test_gilbert_peierls_checks_small_ones_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = random_pattern(60, 0.1, 4)
    small = make_reference(pattern)
    entries = fill1(pattern)[0].pattern.nnz
    monkeypatch.setattr(module, "MOST_ENTRIES", entries)
    assert make_reference(pattern).checked_by == small.checked_by == "bitfronts_cpu and gilbert_peierls"
    monkeypatch.setattr(module, "MOST_ENTRIES", entries - 1)
    monkeypatch.setattr(module, "gilbert_peierls", not_called)
    large = make_reference(pattern)
    assert large.checked_by == "bitfronts_cpu"
    assert np.array_equal(large.row_hashes, small.row_hashes)


@pytest.mark.parametrize("name", ["bitfronts_cpu", "gilbert_peierls"])
def test_a_difference_is_an_error_that_names_who_differs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = random_pattern(60, 0.05, 4)

    def differs(pattern: Pattern) -> Any:
        return Filled(pattern, np.flatnonzero(pattern.rows() == pattern.indices)), None

    differs.__name__ = name
    monkeypatch.setattr(module, name, differs)
    rows = np.count_nonzero(np.diff(fill1(pattern)[0].pattern.indptr) != np.diff(pattern.indptr))
    with pytest.raises(FillpathError, match=f"{name} and fill1_pruned differ in {rows} rows; report this"):
        make_reference(pattern)


def test_a_reference_that_is_there_is_taken_whoever_checked_it(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare("grid2d,6", METIS)
    made = make_reference(prepared.pattern)
    earlier = Reference(made.counts, made.row_hashes, "fill1_pruned", "gilbert_peierls")
    module._save(reference_path(prepared.hash), earlier)
    for name in ("fill1_pruned", "bitfronts_cpu", "gilbert_peierls"):
        monkeypatch.setattr(module, name, not_called)
    taken = reference(prepared)
    assert (taken.made_by, taken.checked_by) == ("fill1_pruned", "gilbert_peierls")
    assert np.array_equal(taken.row_hashes, made.row_hashes)


def test_making_and_checking_takes_twice_the_pattern_at_most() -> None:
    pattern = prepare("poisson3d,40", METIS).pattern
    bitfronts_cpu(random_pattern(60, 0.1, 4))  # compiled
    where = Host()
    where.begin()
    made = make_reference(pattern)
    peak, held = where.peak_memory(), 4 * made.counts.nnz
    assert made.checked_by == "bitfronts_cpu" and held > 100e6
    assert peak is not None and held <= peak <= 2 * held
