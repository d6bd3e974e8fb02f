"""The reference: two methods that share nothing, one pattern in memory at a time, and made once."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks.checks.rows import updates
from benchmarks.engine import reference as module
from benchmarks.engine.places import Host
from benchmarks.engine.reference import front_bytes, make_reference, reference, reference_path
from fetch.prepare import prepare
from fillpath import registry, source_hashes
from fillpath.case import Preparation
from fillpath.errors import FillpathError
from fillpath.nouns import Filled, Pattern, Reference
from fillpath.paths import ROOT
from impl.symbolic.bitfronts_cpu import bitfronts_cpu
from impl.symbolic.fill1 import fill1
from impl.symbolic.gilbert_peierls import gilbert_peierls
from tests.patterns import FAMILIES, from_entries, random_pattern
from tests.thorough import thorough

METIS = Preparation("none", "metis")


def not_called(pattern: Pattern) -> Any:
    raise AssertionError("it was to be left alone")


def test_what_checks_shares_no_code_with_what_makes() -> None:
    entries = (registry.lookup("symbolic", name) for name in ("fill1_pruned", "bitfronts_cpu"))
    maker, checker = (source_hashes.definitions(entry.function, entry.takes) for entry in entries)
    assert len(maker) > 5 and len(checker) > 5 and not maker & checker


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


def lower_arrow(n: int) -> Pattern:
    """A full first column, with which A | A^T fills, but A does not."""
    return from_entries(n, np.arange(n), np.zeros(n, np.int64))


def test_a_lower_arrow_is_checked_without_its_front() -> None:
    """The front has 20 000 rows of 20 000 bits, which are 50 MB, and as many are kept."""
    make_reference(lower_arrow(10))  # compiled
    pattern = lower_arrow(20_000)
    assert front_bytes(pattern) > 50e6 > 300 * pattern.indices.nbytes
    where = Host()
    where.begin()
    made = make_reference(pattern)
    peak = where.peak_memory()
    assert made.checked_by == "gilbert_peierls" and made.counts.nnz == pattern.nnz
    assert peak is not None and peak < 30e6


def test_bits_are_left_alone_only_where_they_take_more_than_the_pattern(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pattern = lower_arrow(2000)
    assert make_reference(pattern).checked_by == "bitfronts_cpu and gilbert_peierls"
    monkeypatch.setattr(module, "LEAST_ROOM", 0)
    alone = make_reference(pattern)
    assert alone.checked_by == "gilbert_peierls"
    monkeypatch.setattr(module, "MOST_ENTRIES", 0)
    assert make_reference(pattern).checked_by == "gilbert_peierls"
    # Whatever bits take, something checks.
    monkeypatch.setattr(module, "MOST_UPDATES", -1)
    large = make_reference(pattern)
    assert large.checked_by == "bitfronts_cpu"
    assert np.array_equal(large.row_hashes, alone.row_hashes)


@pytest.mark.parametrize("family", FAMILIES)
def test_updates_are_the_entries_that_gilbert_peierls_examines(family: str) -> None:
    pattern = FAMILIES[family](60)
    assert updates(fill1(pattern)[0]) == gilbert_peierls(pattern)[1].edges


def fronts_take_what_is_forecast() -> None:
    bitfronts_cpu(lower_arrow(10))  # compiled
    pattern = lower_arrow(20_000)
    where = Host()
    where.begin()
    bitfronts_cpu(pattern)
    peak, forecast = where.peak_memory(), front_bytes(pattern)
    assert peak is not None and forecast / 2 < peak < 2 * forecast


def twice_the_pattern_is_taken_at_most() -> None:
    pattern = prepare("poisson3d,40", METIS).pattern
    bitfronts_cpu(random_pattern(60, 0.1, 4))  # compiled
    where = Host()
    where.begin()
    made = make_reference(pattern)
    peak, held = where.peak_memory(), 4 * made.counts.nnz
    assert made.checked_by == "bitfronts_cpu" and held > 100e6
    assert peak is not None and held <= peak <= 2 * held


@pytest.mark.parametrize(
    "check", [fronts_take_what_is_forecast, thorough(twice_the_pattern_is_taken_at_most)]
)
def test_memory(check: Callable[[], None]) -> None:
    """In a process of its own: one that has freed memory takes it again, and its peak rises by less."""
    code = f"import tests.test_reference as tests; tests.{check.__name__}()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
