"""Fronts of bits on the CPU against fill1 and fill1_pruned, with which they share no code."""

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fillpath import registry
from fillpath.nouns import Counts, Filled, Pattern
from fillpath.paths import ROOT
from impl.symbolic import bitfronts_cpu as module
from impl.symbolic import front_elimination_cpu
from impl.symbolic.fronts_cpu import fronts_of
from tests.patterns import FAMILIES, assert_same, chain, from_entries, random_pattern, to_dense
from tests.test_architecture import imports
from tests.thorough import daily

BITS = registry.lookup("symbolic", "bitfronts_cpu").function
FILL1 = registry.lookup("symbolic", "fill1").function
PRUNED = registry.lookup("symbolic", "fill1_pruned").function
# Columns of the largest leaf, of the longest inexact chain, and threads.
SHAPES = [(1, 0, 1), (1, 16, 2), (4, 3, 3), (32, 16, 5), (1000, 1000, 2)]


@pytest.fixture(params=SHAPES, ids=lambda shape: "leaf{}-chain{}-threads{}".format(*shape))
def shape(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """Fronts of other sizes, and other numbers of threads."""
    leaf, longest, threads = request.param
    monkeypatch.setattr(module, "fronts_of", functools.partial(fronts_of, leaf=leaf, chain=longest))
    monkeypatch.setattr(module, "get_num_threads", lambda: threads)
    return leaf, longest, threads


def varied(n: int, density: float, kind: int, rng: np.random.Generator) -> Pattern:
    """Unsymmetric, symmetric, nearly symmetric, or of parts that no entry joins."""
    count = int(density * n * n)
    rows, columns = rng.integers(0, max(n, 1), (2, count))
    if kind == 3:
        inside = rows * 3 // max(n, 1) == columns * 3 // max(n, 1)
        return from_entries(n, rows[inside], columns[inside])
    if kind == 0:
        return from_entries(n, rows, columns)
    mirror = rng.random(count) < (1.0 if kind == 1 else 0.9)
    return from_entries(n, np.r_[rows, columns[mirror]], np.r_[columns, rows[mirror]])


def small(seed: int, part: int) -> Iterator[tuple[Pattern, Filled]]:
    """100 patterns of order 0 to 200, and what fill1 makes of them."""
    rng = np.random.default_rng([20261124, seed, part])
    for number in range(100):
        n = int(rng.integers(0, 201))
        density = float(rng.choice([0.5, 2.0, 6.0, 0.2 * n])) / max(n, 1) * float(rng.random())
        pattern = varied(n, density, number % 4, rng)
        yield pattern, FILL1(pattern)[0]


def assert_counts(counts: Any, expected: Filled) -> None:
    assert isinstance(counts, Counts)
    assert np.array_equal(counts.lower, expected.counts().lower)
    assert np.array_equal(counts.upper, expected.counts().upper)


@pytest.mark.parametrize("part", daily(range(4), 0))
def test_equals_fill1_on_100_patterns(shape: tuple[int, int, int], part: int) -> None:
    for pattern, expected in small(SHAPES.index(shape), part):
        assert_same(BITS(pattern)[0], expected)
        assert_counts(BITS(pattern, output="counts")[0], expected)


def large(seed: int) -> Iterator[tuple[Pattern, Filled]]:
    """60 patterns of order 200 to 1500, and what fill1_pruned makes of them."""
    rng = np.random.default_rng([20261125, seed])
    for number in range(60):
        n = int(rng.integers(200, 1501))
        pattern = varied(n, float(rng.uniform(0.3, 4.0)) / n, number % 4, rng)
        yield pattern, PRUNED(pattern)[0]


def test_equals_fill1_pruned_on_300_larger_patterns(shape: tuple[int, int, int]) -> None:
    """60 for each shape; some have fronts whose panels are joined by their unions, and some stop early."""
    largest = 0
    for pattern, expected in large(SHAPES.index(shape)):
        filled, work = BITS(pattern)
        assert_same(filled, expected)
        largest = max(largest, work.facts["largest_front"])
    assert largest > 640


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 500])
@pytest.mark.parametrize("family", FAMILIES)
def test_fills_each_family(family: str, n: int) -> None:
    pattern = FAMILIES[family](n)
    assert_same(BITS(pattern)[0], FILL1(pattern)[0])


@pytest.mark.parametrize("n", daily([10**5, 10**6], 10**5))
def test_fills_a_long_permuted_chain(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    pattern = chain(n, np.random.default_rng(3).permutation(n))
    expected, _ = PRUNED(pattern)
    for threads in (1, 2):
        monkeypatch.setattr(module, "get_num_threads", lambda threads=threads: threads)
        assert_same(BITS(pattern)[0], expected)


@given(st.integers(1, 150), st.floats(0, 0.1), st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_threads_change_nothing(n: int, density: float, seed: int, threads: int) -> None:
    pattern = random_pattern(n, density, seed)
    alone, work = BITS(pattern)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "get_num_threads", lambda: threads)
        filled, again = BITS(pattern)
    assert_same(filled, alone)
    assert again == work and again.facts == work.facts


def test_a_contribution_is_stored_until_its_parent_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stacks = []

    def spied(*arguments: Any) -> Any:
        part = fronts(*arguments)
        stacks.append(len(part[0]))
        return part

    fronts = front_elimination_cpu._fronts
    monkeypatch.setattr(front_elimination_cpu, "_fronts", spied)
    monkeypatch.setattr(module, "get_num_threads", lambda: 1)
    BITS(random_pattern(400, 0.005, 4))
    assert stacks == [0, 0]
    monkeypatch.setattr(module, "get_num_threads", lambda: 2)
    BITS(random_pattern(400, 0.005, 4))
    assert min(stacks[2:4]) > 0 and stacks[4:] == [0]


def test_a_full_front_is_left_at_once() -> None:
    """A full matrix takes the words of its first panel, each row of it joined to those that follow in it."""
    n = 1000
    pattern = from_entries(n, *np.divmod(np.arange(n * n), n))
    filled, work = BITS(pattern)
    assert to_dense(filled).all()
    assert work.facts["word_operations"] == 64 * 63 // 2 * 16


def reached(path: Path, seen: set[str]) -> Iterator[str]:
    """The modules of impl/ that a file imports, and those that they import."""
    for target in imports(path):
        name = target.rpartition(".")[0] if not (ROOT / f"{target.replace('.', '/')}.py").exists() else target
        if name.startswith("impl.") and name not in seen:
            seen.add(name)
            yield name
            yield from reached(ROOT / f"{name.replace('.', '/')}.py", seen)


def test_shares_no_code_with_what_it_checks() -> None:
    """Neither imports a module that the other imports."""
    symbolic = ROOT / "impl" / "symbolic"
    ours = set(reached(symbolic / "bitfronts_cpu.py", set()))
    assert "impl.symbolic.front_bits_cpu" in ours
    assert ours.isdisjoint(reached(symbolic / "fill1_pruned.py", set()))
