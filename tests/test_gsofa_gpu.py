"""The GPU's kernels: a thousand patterns in a launch, every option, small rooms, races; and their pool."""

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fillpath import registry
from fillpath.errors import InputError, MemoryBudgetError
from fillpath.nouns import Filled, Pattern
from impl.symbolic import device_rows, gsofa_device, gsofa_pool
from impl.symbolic.gsofa_pool import Launch, plan, set_words
from tests.devices import hosted
from tests.patterns import assert_same, random_pattern

SWITCHES = ("maxid_ranges", "bubble_removal", "fill_first", "dynamic_space", "external_frontiers")
ON, OFF = dict.fromkeys(SWITCHES, True), dict.fromkeys(SWITCHES, False)
FILL1 = registry.lookup("symbolic", "fill1").function
T3 = registry.lookup("supernodes", "t3").function
PRUNED = registry.lookup("symbolic", "fill1_pruned").function


def function(name: str) -> Callable[..., Any]:
    return hosted(registry.lookup("symbolic", name))


def packed(patterns: list[Pattern]) -> Pattern:
    """The block-diagonal pattern of them all."""
    rows = np.concatenate([[0], np.cumsum([p.n for p in patterns])])
    entries = np.concatenate([[0], np.cumsum([p.nnz for p in patterns])])
    indptr = [p.indptr[:-1] + at for p, at in zip(patterns, entries[:-1], strict=True)]
    indices = [p.indices + np.int32(at) for p, at in zip(patterns, rows[:-1], strict=True)]
    return Pattern(np.concatenate([*indptr, entries[-1:]]), np.concatenate(indices))


@functools.cache
def drawn(count: int, seed: int) -> tuple[Pattern, Filled]:
    """So many random unsymmetric patterns of order 1 to 200 in one, and what fill1 makes of each."""
    rng = np.random.default_rng(seed)
    patterns = []
    for _ in range(count):
        n = int(rng.integers(1, 201))
        density = float(rng.choice([0.5, 2.0, 6.0, 0.2 * n])) / n * float(rng.random())
        patterns.append(random_pattern(n, min(density, 1.0), int(rng.integers(2**32))))
    filled = [FILL1(pattern)[0] for pattern in patterns]
    all_filled = packed([f.pattern for f in filled])
    lower = np.concatenate([f.upper_start - f.pattern.indptr[:-1] for f in filled])
    return packed(patterns), Filled(all_filled, all_filled.indptr[:-1] + lower)


@pytest.mark.gpu
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("options", [{}, ON, OFF], ids=["default", "all_on", "all_off"])
def test_gsofa_fills_1000_patterns_in_one_launch_as_fill1(options: dict[str, bool], seed: int) -> None:
    pattern, expected = drawn(1000, seed)
    filled, work = function("gsofa")(pattern, **options)
    assert_same(filled, expected)
    assert work.fills == expected.pattern.nnz - pattern.nnz


@pytest.mark.gpu
@pytest.mark.parametrize("seed", [1, 2])
def test_fill2_gpu_fills_1000_patterns_in_one_launch_as_fill1(seed: int) -> None:
    pattern, expected = drawn(1000, seed)
    filled, work = function("fill2_gpu")(pattern)
    assert_same(filled, expected)
    assert work.edges == function("fill2_cpu")(pattern)[1].edges


@pytest.mark.gpu
@pytest.mark.parametrize("number", range(20))
def test_random_settings_fill_200_patterns_as_fill1(number: int) -> None:
    rng = np.random.default_rng(number)
    pattern, expected = drawn(200, 100 + number)
    options: dict[str, Any] = {name: bool(rng.integers(2)) for name in SWITCHES}
    options["sources"] = int(rng.choice([1, 2, 33, 1000]))
    options["output"] = str(rng.choice(["pattern", "counts"]))
    if rng.integers(2):
        options["memory_budget"] = 24 * pattern.n * int(rng.integers(1, 200))
    result, work = function("gsofa")(pattern, **options)
    assert work.fills == expected.pattern.nnz - pattern.nnz
    if options["output"] == "pattern":
        assert_same(result, expected)
    else:
        assert np.array_equal(result.lower, expected.counts().lower)
        assert np.array_equal(result.upper, expected.counts().upper)


@pytest.mark.gpu
@pytest.mark.parametrize("bubble_removal", [False, True])
@pytest.mark.parametrize("ranges", [1, 2, 3])
def test_value_ranges_begin_anew(monkeypatch: pytest.MonkeyPatch, ranges: int, bubble_removal: bool) -> None:
    pattern, expected = drawn(50, 3)
    monkeypatch.setattr(gsofa_device, "TOP", 2 * (pattern.n + 1) * ranges + pattern.n // 2 * 2)
    filled, work = function("gsofa")(pattern, sources=3, bubble_removal=bubble_removal)
    assert_same(filled, expected)
    assert work.facts["reinit_share"] > 0


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["gsofa", "fill2_gpu"])
@pytest.mark.parametrize("room", [0, 1, 1000])
def test_rows_that_find_no_room_are_traversed_again(
    monkeypatch: pytest.MonkeyPatch, name: str, room: int
) -> None:
    pattern, expected = drawn(50, 4)
    monkeypatch.setattr(device_rows, "ROOM_AN_ENTRY", 0)
    monkeypatch.setattr(device_rows, "LEAST_ROOM", room)
    filled, work = function(name)(pattern)
    assert_same(filled, expected)
    assert work.fills == expected.pattern.nnz - pattern.nnz


@pytest.mark.gpu
def test_queues_of_one_entry_go_through_host_memory() -> None:
    pattern, expected = drawn(20, 5)
    with pytest.raises(MemoryBudgetError, match=r"needs (\d+) bytes") as caught:
        function("gsofa")(pattern, memory_budget=1)
    least = int(str(caught.value).split(" bytes")[0].rsplit(" ", 1)[1])
    filled, work = function("gsofa")(pattern, memory_budget=least)
    assert_same(filled, expected)
    assert sum(work.facts[f"bytes_{name}"] for name in ("fill", "maxid", "queue")) <= least
    assert work.facts["spilled"] > 0
    assert work.facts["bytes_external"] > 0


@pytest.mark.gpu
@pytest.mark.parametrize("dynamic_space", [False, True])
def test_the_smallest_budget_without_external_frontiers_is_never_refused(dynamic_space: bool) -> None:
    """No vertex is twice in a queue, so that n entries a source suffice."""
    pattern, expected = drawn(20, 5)
    options = {"external_frontiers": False, "dynamic_space": dynamic_space}
    with pytest.raises(MemoryBudgetError, match=r"needs (\d+) bytes") as caught:
        function("gsofa")(pattern, memory_budget=1, **options)
    least = int(str(caught.value).split(" bytes")[0].rsplit(" ", 1)[1])
    assert_same(function("gsofa")(pattern, memory_budget=least, **options)[0], expected)


@pytest.mark.gpu
def test_three_repeats_on_ten_patterns_count_the_same() -> None:
    """A race shows as counts that move."""
    for seed in range(10):
        pattern = random_pattern(1500, 0.002, seed)
        expected = PRUNED(pattern)[0]
        for _ in range(3):
            assert_same(function("gsofa")(pattern)[0], expected)


@pytest.mark.gpu
def test_a_dense_row_and_an_arrow_spread_over_the_block() -> None:
    n = 5000
    rows = np.r_[np.zeros(n, int), np.arange(n), np.full(n, n - 1)]
    columns = np.r_[np.arange(n), np.arange(n), np.arange(n)]
    order = np.unique(rows * n + columns)
    indptr = np.searchsorted(order // n, np.arange(n + 1)).astype(np.int64)
    pattern = Pattern(indptr, (order % n).astype(np.int32))
    assert_same(function("gsofa")(pattern)[0], PRUNED(pattern)[0])


@pytest.mark.gpu
def test_budgets_are_kept_on_the_device() -> None:
    pattern, _ = drawn(200, 6)
    for budget in (40 * pattern.n, 400 * pattern.n, 4000 * pattern.n):
        facts = function("gsofa")(pattern, memory_budget=budget, output="counts")[1].facts
        assert facts["bytes_fill"] + facts["bytes_maxid"] + facts["bytes_queue"] <= budget


@pytest.mark.gpu
@pytest.mark.parametrize("maxsup", [1, 16, 128])
def test_supernodes_behind_the_traversal_are_those_of_the_cpu(maxsup: int) -> None:
    pattern, expected = drawn(100, 7)
    facts = function("gsofa")(pattern, maxsup=maxsup)[1].facts
    assert facts["supernodes"] == len(T3(expected, maxsup=maxsup)[0].starts) - 1


@pytest.mark.gpu
def test_supernodes_without_the_rows_are_refused() -> None:
    with pytest.raises(InputError, match="output=pattern"):
        function("gsofa")(drawn(100, 7)[0], maxsup=16, output="counts")


@pytest.mark.gpu
@pytest.mark.parametrize("sources", [3, 500, 601, 10**6])
@pytest.mark.parametrize("queue_fraction", [1, 8, 10**6])
def test_any_number_of_sources_fills_as_fill1_with_queues_of_any_size(
    sources: int, queue_fraction: int
) -> None:
    pattern, expected = drawn(100, 8)
    filled, work = function("gsofa")(pattern, sources=sources, queue_fraction=queue_fraction)
    assert_same(filled, expected)
    most = gsofa_device.SLOTS * gsofa_device.resident_blocks(
        {"BUBBLE": True, "RANGES": True, "COLUMNS": True}
    )
    assert work.facts["concurrent_sources"] == min(sources, pattern.n, most)
    assert work.facts["bytes_queue"] <= 8 * work.facts["concurrent_sources"] * max(
        1, pattern.n // queue_fraction
    )


@pytest.mark.gpu
def test_smaller_queues_without_external_frontiers_are_refused() -> None:
    with pytest.raises(InputError, match="external_frontiers=true"):
        function("gsofa")(drawn(100, 7)[0], queue_fraction=2, external_frontiers=False)


@pytest.mark.gpu
def test_what_is_traversed_twice_is_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, _ = drawn(50, 4)
    once = function("fill2_gpu")(pattern)[1].edges
    monkeypatch.setattr(device_rows, "ROOM_AN_ENTRY", 0)
    monkeypatch.setattr(device_rows, "LEAST_ROOM", 0)
    assert function("fill2_gpu")(pattern)[1].edges == 2 * once


# The pool, without a GPU.


FEW: dict[str, Any] = {"resident": 24, "most_slots": 4}


def launches(n: int, sources: int, budget: int, **switches: Any) -> tuple[gsofa_pool.Pool, list[Launch]]:
    pool = plan(n, sources, budget, **{"queue_fraction": 1, "host": lambda: 2**40, **FEW, **switches})
    return pool, list(pool.launches())


@pytest.mark.parametrize(("bubble", "dynamic", "external"), list(itertools.product((False, True), repeat=3)))
@pytest.mark.parametrize("each", [17, 40, 1000])
def test_launches_cover_all_sources_within_the_pool(
    each: int, bubble: bool, dynamic: bool, external: bool
) -> None:
    for n, sources in itertools.product((1, 7, 100, 1001), (1, 5, 96, 10**6)):
        switches = {"bubble_removal": bubble, "dynamic": dynamic, "external": external}
        pool, found = launches(n, sources, each * n + 16, **switches)
        assert 4 * pool.words <= each * n + 16
        assert [source for launch in found for source in reversed(range(launch.first, launch.last))] == [
            *reversed(range(n))
        ]
        for launch in found:
            assert launch.stride >= (launch.last - 1 if bubble else n)
            assert 1 <= launch.blocks <= 24
            assert 1 <= launch.slots <= 4
            assert launch.maxid == launch.sources * set_words(n)
            assert launch.queues >= launch.maxid + launch.sources * launch.stride
            assert launch.queues % 2 == 0
            assert launch.queues + 2 * launch.sources * launch.capacity <= pool.words
            assert 1 <= launch.capacity <= n
            assert launch.spills == (launch.capacity < n)
            assert external or not launch.spills


@pytest.mark.parametrize("wanted", [1, 23, 24, 25, 47, 48, 95, 96, 97, 1000])
def test_every_block_is_busy_before_any_has_a_second_source(wanted: int) -> None:
    blocks, slots, wider = gsofa_pool.shape(wanted, **FEW)
    assert blocks == min(wanted, 24)
    assert slots >= 1
    assert 0 <= wider < blocks
    assert slots + bool(wider) <= 4
    assert blocks * slots + wider == min(wanted, 96)


def test_the_authors_number_of_sources_runs_as_asked() -> None:
    """512 on an H200's 396 blocks."""
    pool = plan(
        36057, 512, 10**12, queue_fraction=1, host=lambda: 0, resident=396, most_slots=4, bubble_removal=True,
        dynamic=True, external=True,
    )  # fmt: skip
    assert [launch.sources for launch in pool.launches()] == [512]


def test_a_fraction_of_the_queues_takes_that_much_less() -> None:
    switches = {"bubble_removal": True, "dynamic": True, "external": True}
    n, sources = 10_000, 90
    whole, eighth = (launches(n, sources, 10**9, queue_fraction=k, **switches)[1][0] for k in (1, 8))
    assert (whole.sources, whole.capacity, whole.spills) == (sources, n, False)
    assert (eighth.sources, eighth.capacity, eighth.spills) == (sources, n // 8, True)


def test_sources_are_fewer_where_the_host_has_no_room_for_what_finds_queues_full() -> None:
    switches = {"bubble_removal": True, "dynamic": True, "external": True}
    n = 10_000
    for launch in launches(n, 96, 10 * 6 * n, host=lambda: 3 * 8 * n, **switches)[1]:
        assert launch.sources <= 3 or not launch.spills
    assert all(
        launch.sources == 1
        for launch in launches(n, 96, 10 * 6 * n, host=lambda: 0, **switches)[1]
        if launch.spills
    )


def test_a_budget_that_keeps_half_of_the_blocks_busy_divides_nothing() -> None:
    switches = {"bubble_removal": True, "dynamic": True, "external": True}
    n = 10_000
    pool, busy = launches(n, 96, 30 * 6 * n, **switches)
    assert pool.binds
    assert [launch.blocks for launch in busy] == [24]
    assert len(launches(n, 96, 12 * 6 * n, **switches)[1]) == 1
    few = launches(n, 96, 7 * 6 * n, **switches)[1]
    assert len(few) == gsofa_pool.DIVISIONS
    assert few[0].blocks < 12


def test_small_ids_leave_room_for_more_sources_where_memory_binds() -> None:
    switches = {"bubble_removal": True, "external": True}
    n = 10_000
    dynamic = launches(n, 96, 50 * n, dynamic=True, **switches)[1]
    fixed = launches(n, 96, 50 * n, dynamic=False, **switches)[1]
    assert len(fixed) == 1
    assert dynamic[0].sources >= fixed[0].sources
    assert dynamic[-1].sources > fixed[0].sources


@pytest.mark.parametrize(
    ("words", "n", "sources"), [(2**31 // 6, 659033, 512), (3758096384 // 5, 659033, 1024)]
)
def test_the_published_rules_give_what_the_paper_implies(words: int, n: int, sources: int) -> None:
    """pre2: 512, and with less memory a source 1024, the number that 6144 sources a node of six GPUs mean."""
    assert gsofa_pool.published_sources(n, words) == sources
