"""fill2 and GSoFA over several workers: simulated in turn on the CPU, by MPI ranks, and on several GPUs."""

import importlib.util
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.engine import operands
from benchmarks.engine.measure import measure
from fillpath import registry
from fillpath.errors import InputError, MemoryBudgetError, UnavailableError, UnknownNameError
from fillpath.nouns import Pattern
from fillpath.phase import PhaseClock, recording
from impl.cpu import ranks
from impl.cuda import peers
from impl.cuda.transfer import on_host
from impl.symbolic import gsofa_multi, gsofa_sharing
from tests import numpy_cupy
from tests.devices import hosted
from tests.patterns import assert_same, patterns, random_pattern

ORDERS = ("contiguous", "inter_node", "intra_node")
FILL1 = registry.lookup("symbolic", "fill1").function
FILL2 = registry.lookup("symbolic", "fill2_cpu").function
IN_TURN = registry.lookup("symbolic", "fill2_multi").function
MULTI = registry.lookup("symbolic", "gsofa_multi")
T3 = registry.lookup("supernodes", "t3").function


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


def test_fewer_than_one_rank_or_gpu_is_refused() -> None:
    pattern = random_pattern(10, 0.3, 1)
    with pytest.raises(InputError, match="expected 1 or more"):
        IN_TURN(pattern, ranks=0)
    with pytest.raises(InputError, match="expected 1 or more"):
        IN_TURN(pattern, virtual_gpus=0)


def test_ranks_without_mpi_are_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match=r"mpi4py is not installed .*mpirun -n 3"):
        ranks.world(3)


@pytest.fixture
def four_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Played by NumPy; an array that is used on another device than its own fails the test."""
    numpy_cupy.pretend(monkeypatch)


def on_several(pattern: Pattern, **options: Any) -> tuple[Any, Any]:
    taken = Pattern(numpy_cupy.placed(pattern.indptr), numpy_cupy.placed(pattern.indices))
    result, work = MULTI.function(taken, **options)
    return on_host(result), work


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("workers", [{}, {"gpus": 3}, {"gpus": 4}, {"virtual_gpus": 5, "nodes": 3}], ids=str)
@pytest.mark.usefixtures("four_devices")
def test_several_devices_find_what_fill1_does(workers: dict[str, int], order: str) -> None:
    pattern = random_pattern(150, 0.03, 3)
    expected, _ = FILL1(pattern)
    filled, work = on_several(pattern, order=order, maxsup=16, **workers)
    assert_same(filled, expected)
    assert work.fills == expected.pattern.nnz - pattern.nnz
    count = math.prod(workers.values())
    assert work.facts["workers"] == count and work.facts["simulated"] == ("nodes" in workers)
    assert {f"gpu{k}_seconds" for k in range(count)} <= work.facts.keys()
    counts, _ = on_several(pattern, order=order, maxsup=16, output="counts", **workers)
    assert np.array_equal(counts.upper, expected.counts().upper)


@pytest.mark.parametrize("sharing", [None, "peer_copy", "one_array", "separate_arrays"])
@pytest.mark.parametrize("workers", [{}, {"gpus": 4}, {"virtual_gpus": 3, "nodes": 2}], ids=str)
@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.usefixtures("four_devices")
def test_workers_may_have_no_source_and_a_pattern_no_row(
    n: int, workers: dict[str, int], sharing: str | None
) -> None:
    pattern = random_pattern(n, 0.3, 1)
    expected, _ = FILL1(pattern)
    for order, maxsup in itertools.product(ORDERS, (1, 128)):
        filled, work = on_several(pattern, order=order, maxsup=maxsup, sharing=sharing, **workers)
        assert_same(filled, expected)
        assert work.facts["workers"] == math.prod(workers.values())
        assert (work.facts["concurrent_sources"] > 0) == (n > 0)
        if sharing is not None:
            assert work.facts["supernodes"] == len(T3(expected, maxsup=maxsup)[0].starts) - 1
        counts, _ = on_several(pattern, order=order, maxsup=maxsup, output="counts", **workers)
        assert np.array_equal(counts.lower, expected.counts().lower)
        assert np.array_equal(counts.upper, expected.counts().upper)


@pytest.mark.parametrize("room", [0, 1, 100])
@pytest.mark.usefixtures("four_devices")
def test_rows_without_room_are_traversed_again(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    monkeypatch.setattr(gsofa_multi, "LEAST_ROOM", room)
    monkeypatch.setattr(gsofa_multi, "ROOM_AN_ENTRY", 0)
    pattern = random_pattern(120, 0.03, 4)
    filled, work = on_several(pattern, gpus=3, maxsup=16)
    assert_same(filled, FILL1(pattern)[0])
    assert work.edges > 120 * 121 // 2


@pytest.mark.parametrize("advise", [True, False])
@pytest.mark.parametrize("sharing", ["peer_copy", "one_array", "separate_arrays"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.usefixtures("four_devices")
def test_shared_counts_and_flags_give_the_t3_supernodes(order: str, sharing: str, advise: bool) -> None:
    pattern = random_pattern(130, 0.05, 9)
    expected = len(T3(FILL1(pattern)[0], maxsup=40)[0].starts) - 1
    assert expected < pattern.n
    for workers in ({"gpus": 3}, {"virtual_gpus": 3, "nodes": 2}):
        numpy_cupy.STATE.advice.clear()
        _, work = on_several(pattern, order=order, maxsup=40, sharing=sharing, advise=advise, **workers)
        assert work.facts["supernodes"] == expected
        assert bool(numpy_cupy.STATE.advice) == (advise and sharing != "peer_copy")


@pytest.mark.usefixtures("four_devices")
def test_a_part_is_kept_where_it_is_written_and_mapped_elsewhere() -> None:
    on_several(random_pattern(60, 0.1, 2), gpus=2, maxsup=16, sharing="separate_arrays")
    assert [advice[2:] for advice in numpy_cupy.STATE.advice] == [(3, 0), (5, 1), (3, 1), (5, 0)]


@pytest.mark.usefixtures("four_devices")
def test_every_device_is_launched_before_any_is_waited_for() -> None:
    on_several(random_pattern(200, 0.03, 6), gpus=4, maxsup=16)
    assert numpy_cupy.STATE.order[:4] == ["launch"] * 4 and "wait" in numpy_cupy.STATE.order


@pytest.mark.parametrize("sharing", ["peer_copy", "separate_arrays"])
@pytest.mark.usefixtures("four_devices")
def test_devices_that_do_not_reach_each_other_find_the_same_and_it_is_said(sharing: str) -> None:
    pattern = random_pattern(150, 0.03, 3)
    assert on_several(pattern, gpus=3)[1].facts["peer_access"] == 1
    peers._reaches.cache_clear()
    numpy_cupy.STATE.reach = 0
    filled, work = on_several(pattern, gpus=3, sharing=sharing)
    assert_same(filled, FILL1(pattern)[0])
    assert work.facts["peer_access"] == 0


@pytest.mark.parametrize("sharing", ["one_array", "separate_arrays"])
@pytest.mark.usefixtures("four_devices")
def test_managed_memory_of_all_arrays_stays_below_half_of_what_is_free(
    monkeypatch: pytest.MonkeyPatch, sharing: str
) -> None:
    pattern = random_pattern(150, 0.03, 3)
    wanted = 4 * (gsofa_sharing.PAGE_WORDS * 3 if sharing == "separate_arrays" else 5 * pattern.n)
    monkeypatch.setattr(gsofa_sharing, "MOST_MANAGED", wanted)
    assert on_several(pattern, gpus=3, sharing=sharing)[1].facts["supernodes"] > 0
    monkeypatch.setattr(gsofa_sharing, "MOST_MANAGED", wanted - 1)
    with pytest.raises(MemoryBudgetError, match=f"sharing: {wanted} bytes"):
        on_several(pattern, gpus=3, sharing=sharing)


@pytest.mark.usefixtures("four_devices")
def test_more_gpus_than_there_are_is_unavailable() -> None:
    with pytest.raises(UnavailableError, match="gpus=5 from device 0 on, and this machine has 4"):
        on_several(random_pattern(10, 0.2, 1), gpus=5)


@pytest.mark.parametrize(
    "options",
    [
        {"gpus": 2, "virtual_gpus": 2}, {"gpus": 2, "nodes": 2}, {"sharing": "peer_copy", "output": "counts"},
        {"maxsup": 0}, {"gpus": 0},
    ],
)  # fmt: skip
@pytest.mark.usefixtures("four_devices")
def test_what_contradicts_itself_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        on_several(random_pattern(10, 0.2, 1), **options)


def test_a_cases_gpus_reach_what_has_an_option_of_that_name() -> None:
    assert operands.arguments(MULTI, {}, 0, 3) == {"gpus": 3} and operands.arguments(MULTI, {}, 0) == {}
    fill1 = registry.lookup("symbolic", "fill1")
    assert operands.arguments(fill1, {}, 0, 3) == {}
    with pytest.raises(UnknownNameError, match="fill1 has no option 'gpus'"):
        measure("symbolic.fill1.gpus=2@grid2d,5.natural")


@pytest.mark.gpu
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("gpus", range(1, 9))
def test_real_gpus_find_what_fill1_does(gpus: int, order: str) -> None:
    pattern = random_pattern(700, 0.005, gpus)
    expected, _ = FILL1(pattern)
    function = hosted(MULTI)
    need(gpus)
    for maxsup in (64, 256):
        filled, work = function(pattern, gpus=gpus, order=order, maxsup=maxsup)
        assert_same(filled, expected)
        assert work.facts["workers"] == gpus and work.facts["simulated"] == 0
        counts, _ = function(pattern, gpus=gpus, order=order, maxsup=maxsup, output="counts")
        assert np.array_equal(counts.lower, expected.counts().lower)


@pytest.mark.gpu
@pytest.mark.parametrize("order", ORDERS)
def test_one_real_gpu_has_the_shares_of_many_in_turn(order: str) -> None:
    pattern = random_pattern(2000, 0.002, 1)
    expected, _ = FILL1(pattern)
    filled, work = hosted(MULTI)(pattern, virtual_gpus=6, nodes=7, order=order, maxsup=64)
    assert_same(filled, expected)
    assert work.facts["workers"] == 42 and work.facts["simulated"] == 1


@pytest.mark.gpu
@pytest.mark.parametrize("gpus", [1, 2, 4])
@pytest.mark.parametrize("advise", [True, False])
@pytest.mark.parametrize("sharing", ["peer_copy", "one_array", "separate_arrays"])
def test_real_gpus_share_what_supernodes_need(sharing: str, advise: bool, gpus: int) -> None:
    pattern = random_pattern(3000, 0.002, 2)
    expected, _ = FILL1(pattern)
    function = hosted(MULTI)
    need(gpus)
    for maxsup in (32, 100, 128):
        _, work = function(pattern, gpus=gpus, sharing=sharing, advise=advise, maxsup=maxsup)
        assert work.facts["supernodes"] == len(T3(expected, maxsup=maxsup)[0].starts) - 1


def need(gpus: int) -> None:
    """Skip the test on a machine with fewer."""
    if gpus > (there := peers.device_count()):
        pytest.skip(f"{gpus} GPUs, and this machine has {there}")
