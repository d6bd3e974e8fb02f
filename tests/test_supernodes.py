"""Contract of the stage `supernodes`: T3 by its definition, and a gate that sees every wrong boundary."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.checks.partitions import verify_supernodes
from benchmarks.supernodes import Supernodes as Benchmark
from fillpath import registry
from fillpath.errors import InputError
from fillpath.nouns import Array, Filled, Pattern, Supernodes
from impl.symbolic.fill1 import fill1
from tests.devices import hosted
from tests.patterns import from_dense, patterns, random_pattern, to_dense

ALL = [
    pytest.param(entry, id=entry.name, marks=[pytest.mark.gpu] if entry.device == "gpu" else [])
    for entry in registry.registered("supernodes")
    if entry.module.startswith("impl.") and not entry.peer
]


def run(entry: registry.Implementation, filled: Filled, maxsup: int) -> Array:
    found, _ = hosted(entry)(filled, maxsup=maxsup)
    assert found.starts.dtype == np.int64
    return found.starts


def of(pattern: Pattern) -> Filled:
    filled: Any = fill1(pattern)[0]
    return filled


def defined(filled: Filled, maxsup: int) -> list[int]:
    """Definition 1, read aloud."""
    dense = to_dense(filled)
    upper = np.triu(dense).sum(axis=1)
    starts = [0]
    for s in range(1, len(dense)):
        r = starts[-1]
        if s % maxsup == 0 or upper[s] != upper[s - 1] - 1 or not dense[s, r]:
            starts.append(s)
    return [*starts, len(dense)]


def dense_filled(n: int) -> Filled:
    """Every row joins but for the caps."""
    return of(from_dense(np.ones((n, n), dtype=bool)))


@pytest.mark.parametrize("entry", ALL)
@given(pattern=patterns(), maxsup=st.integers(1, 50))
def test_is_the_definition(entry: registry.Implementation, pattern: Pattern, maxsup: int) -> None:
    filled = of(pattern)
    found = run(entry, filled, maxsup)
    assert found.tolist() == defined(filled, maxsup)
    assert verify_supernodes(Supernodes(found), filled, maxsup).value == 0


@pytest.mark.parametrize("entry", ALL)
@pytest.mark.parametrize("n", [1, 7, 8, 9, 15, 16, 17, 24])
@pytest.mark.parametrize("maxsup", [1, 2, 8, 1000])
def test_every_supernode_ends_at_the_multiples_of_maxsup(
    entry: registry.Implementation, n: int, maxsup: int
) -> None:
    assert run(entry, dense_filled(n), maxsup).tolist() == [*range(0, n, maxsup), n]


@pytest.mark.parametrize("entry", ALL)
def test_a_chunk_ends_where_a_sliding_cap_would_not(entry: registry.Implementation) -> None:
    """Row 0 stands alone, so that a cap of 4 rows a supernode would cut before 5 and 9."""
    dense = np.ones((12, 12), dtype=bool)
    dense[0, 1:] = dense[1:, 0] = False
    assert run(entry, of(from_dense(dense)), 4).tolist() == [0, 1, 4, 8, 12]


@pytest.mark.parametrize("entry", ALL)
def test_the_example_of_the_gsofa_paper(entry: registry.Implementation) -> None:
    """GSoFA, Figures 2(c) and 8: of rows 0 to 3 the leaders are 0, 2 and 3. What the text tells of the input:
    row 0 has three entries in U, row 1 two (5 by fill-in), and L(1,0) is there where L(2,0) is not."""
    adjacency = {0: [1, 5], 1: [0], 2: [3, 5, 7], 3: [4], 5: [3], 7: [2, 4], 8: [1, 2, 7, 9]}
    dense = np.zeros((10, 10), dtype=bool)
    for vertex, neighbours in adjacency.items():
        dense[vertex, neighbours] = True
    filled = of(from_dense(dense))
    assert filled.counts().upper[:2].tolist() == [3, 2]
    assert run(entry, filled, 128)[:3].tolist() == [0, 2, 3]


@pytest.mark.parametrize("entry", ALL)
def test_counts_that_fit_without_an_entry_in_l_start_a_supernode(entry: registry.Implementation) -> None:
    """Upper counts 2 and 1, but L[1,0] is missing."""
    dense = np.array([[1, 1], [0, 1]], dtype=bool)
    assert run(entry, of(from_dense(dense)), 128).tolist() == [0, 1, 2]


@pytest.mark.parametrize("entry", ALL)
@pytest.mark.parametrize("maxsup", [0, -3])
def test_a_supernode_holds_at_least_one_row(entry: registry.Implementation, maxsup: int) -> None:
    with pytest.raises(InputError, match=f"maxsup={maxsup}"):
        run(entry, dense_filled(3), maxsup)


@given(patterns(), st.integers(1, 50), st.randoms(use_true_random=False))
def test_the_gate_sees_one_boundary_too_few_or_too_many(pattern: Pattern, maxsup: int, random: Any) -> None:
    filled = of(pattern)
    n = filled.pattern.n
    if n < 2:
        return
    flipped = random.randrange(1, n)
    starts = np.array(sorted(set(defined(filled, maxsup)) ^ {flipped}))
    assert verify_supernodes(Supernodes(starts), filled, maxsup).value >= 1


@pytest.mark.parametrize(
    "starts",
    [
        np.array([0, 1, 1, 6]),
        np.array([0, 4, 2, 6]),
        np.array([0, 2**62 + 1, -(2**62) - 1, 6]),
        np.array([1, 6]),
        np.array([0, 5]),
        np.array([0, 7]),
        np.array([0]),
        np.array([], np.int64),
        np.array([[0, 6]]),
        np.array([0.0, 6.0]),
        [0, 6],
        None,
    ],
)
def test_boundaries_that_cannot_be_are_wrong_in_all_rows(starts: Any) -> None:
    assert verify_supernodes(Supernodes(starts), dense_filled(6), 128).value == 6


def test_another_noun_is_wrong_in_all_rows() -> None:
    filled = dense_filled(6)
    assert verify_supernodes(filled, filled, 128).value == 6


def test_the_gate_knows_the_cap() -> None:
    found = Supernodes(np.array([0, 8, 16, 20]))
    assert verify_supernodes(found, dense_filled(20), 8).value == 0
    assert verify_supernodes(found, dense_filled(20), 128).value == 2
    assert verify_supernodes(found, dense_filled(20), 4).value == 2


@pytest.mark.parametrize("entry", ALL)
def test_the_input_is_left_alone(entry: registry.Implementation) -> None:
    filled = of(random_pattern(100, 0.03, 5))
    before = filled.pattern.indptr.copy(), filled.pattern.indices.copy(), filled.upper_start.copy()
    assert np.array_equal(run(entry, filled, 8), run(entry, filled, 8))
    after = filled.pattern.indptr, filled.pattern.indices, filled.upper_start
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_asv_asks_for_the_cases_of_this_stage() -> None:
    (names,) = Benchmark().params
    assert all(name.startswith("supernodes.") for name in names)
