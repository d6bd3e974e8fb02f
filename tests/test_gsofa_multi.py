"""fill2 and GSoFA over several workers: simulated in turn on the CPU, by MPI ranks, and on several GPUs."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fillpath import registry
from fillpath.errors import InputError, UnavailableError
from fillpath.nouns import Filled, Pattern
from fillpath.phase import PhaseClock, recording
from impl.cpu import ranks
from tests.patterns import patterns, random_pattern

ORDERS = ("contiguous", "inter_node", "intra_node")
FILL1 = registry.lookup("symbolic", "fill1").function
FILL2 = registry.lookup("symbolic", "fill2_cpu").function
IN_TURN = registry.lookup("symbolic", "fill2_multi").function


def assert_same(one: Filled, other: Filled) -> None:
    assert np.array_equal(one.pattern.indptr, other.pattern.indptr)
    assert np.array_equal(one.pattern.indices, other.pattern.indices)
    assert np.array_equal(one.upper_start, other.upper_start)


@settings(max_examples=30)
@given(
    pattern=patterns(),
    gpus=st.integers(1, 7),
    nodes=st.integers(1, 5),
    maxsup=st.sampled_from([1, 4, 64]),
    order=st.sampled_from(ORDERS),
)
def test_in_turn_all_workers_find_what_fill1_does(
    pattern: Pattern, gpus: int, nodes: int, maxsup: int, order: str
) -> None:
    options = {"virtual_gpus": gpus, "nodes": nodes, "maxsup": maxsup, "order": order}
    expected, _ = FILL1(pattern)
    filled, work = IN_TURN(pattern, **options)
    assert_same(filled, expected)
    counts, _ = IN_TURN(pattern, output="counts", **options)
    assert np.array_equal(counts.lower, expected.counts().lower)
    assert np.array_equal(counts.upper, expected.counts().upper)
    assert work.facts["workers"] == gpus * nodes and work.facts["load_balance"] >= 1
    assert work.facts["simulated"] == (gpus * nodes > 1)


def test_threads_share_a_workers_sources() -> None:
    """Large enough for more than one thread."""
    pattern = random_pattern(1500, 0.001, 5)
    expected, alone = FILL2(pattern)
    filled, work = IN_TURN(pattern, virtual_gpus=3)
    assert_same(filled, expected)
    assert work.edges == alone.edges and np.array_equal(work.series.edges, alone.series.edges)


def test_264_gpus_of_44_nodes_are_264_phases() -> None:
    pattern = random_pattern(1000, 0.003, 7)
    with recording(PhaseClock()) as clock:
        _, work = IN_TURN(pattern, virtual_gpus=6, nodes=44, output="counts")
    assert {f"gpu{k}" for k in range(264)} == set(clock.seconds)
    assert work.facts["workers"] == 264 and work.facts["simulated"] == 1


def test_ranks_are_the_nodes() -> None:
    pattern = random_pattern(10, 0.3, 1)
    with pytest.raises(InputError, match="expected 1 or more"):
        IN_TURN(pattern, ranks=0)
    with pytest.raises(InputError, match="expected 1 or more"):
        IN_TURN(pattern, virtual_gpus=0)


def test_ranks_without_mpi_are_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match=r"mpi4py is not installed .*mpirun -n 3"):
        ranks.world(3)
