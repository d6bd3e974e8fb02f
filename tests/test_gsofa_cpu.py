"""GSoFA's traversal: what every implementation with its options has to do, and the CPU's own workings."""

import itertools
import math
import re
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as tests_of
from hypothesis import strategies as st

from fillpath import registry
from fillpath.errors import MemoryBudgetError, UnknownNameError
from fillpath.nouns import Counts, Filled, Pattern, Work
from impl.symbolic import gsofa_cpu, gsofa_space
from impl.symbolic.gsofa_space import Space, ValueRanges, plan
from tests.devices import hosted
from tests.patterns import assert_same, from_dense, patterns, random_pattern, to_dense
from tests.thorough import daily

# The kernel has its own tests beside these: tests/test_gsofa_gpu.py.
NAMES = [pytest.param("gsofa_cpu"), pytest.param("gsofa", marks=pytest.mark.gpu)]
SWITCHES = ("maxid_ranges", "bubble_removal", "fill_first", "dynamic_space", "external_frontiers")
ALL_OFF = dict.fromkeys(SWITCHES, False)
ALL_ON = dict.fromkeys(SWITCHES, True)
FILL1 = registry.lookup("symbolic", "fill1").function
every_switch = st.fixed_dictionaries({name: st.booleans() for name in SWITCHES})


@pytest.fixture(params=NAMES)
def gsofa(request: pytest.FixtureRequest) -> Any:
    return hosted(registry.lookup("symbolic", request.param))


@pytest.fixture
def short_queues(two_threads: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every iteration on two threads, however short its queue."""
    monkeypatch.setattr(gsofa_cpu, "SHORT_QUEUE", 0)


def available(name: str) -> Any:
    return hosted(registry.lookup("symbolic", name))


def assert_fill1(filled: Filled, pattern: Pattern) -> None:
    assert_same(filled, FILL1(pattern)[0])


def some_patterns(count: int, largest: int, seed: int) -> list[Pattern]:
    rng = np.random.default_rng(seed)
    orders = [int(n) for n in rng.integers(1, largest + 1, count)]
    return [
        random_pattern(n, float(rng.random()) * min(0.4, 6 / n), int(rng.integers(2**32))) for n in orders
    ]


def least_budget(function: Any, pattern: Pattern, **options: Any) -> int:
    """What one source needs, in bytes, as the error says."""
    with pytest.raises(MemoryBudgetError) as caught:
        function(pattern, memory_budget=1, **options)
    return int(re.findall(r"needs (\d+) bytes", str(caught.value))[0])


# What every implementation does.


@pytest.mark.parametrize("name", NAMES)
@tests_of(max_examples=150)
@given(pattern=patterns(), options=every_switch, sources=st.none() | st.integers(1, 50))
def test_any_options_fill_as_fill1(
    name: str, pattern: Pattern, options: dict[str, bool], sources: int | None
) -> None:
    filled, work = available(name)(pattern, sources=sources, **options)
    assert_fill1(filled, pattern)
    assert work.fills == filled.pattern.nnz - pattern.nnz


@pytest.mark.parametrize("options", [{}, ALL_ON, ALL_OFF], ids=["default", "all_on", "all_off"])
def test_seeded_patterns_fill_as_fill1(gsofa: Any, options: dict[str, bool]) -> None:
    for pattern in some_patterns(60, 150, seed=20260201):
        assert_fill1(gsofa(pattern, **options)[0], pattern)


def test_each_option_alone_changes_no_fill(gsofa: Any) -> None:
    pattern = random_pattern(300, 0.008, 5)
    for name, base in itertools.product(SWITCHES, (ALL_ON, ALL_OFF)):
        assert_fill1(gsofa(pattern, sources=40, **(base | {name: not base[name]}))[0], pattern)


@pytest.mark.parametrize("name", NAMES)
@tests_of(max_examples=80)
@given(
    pattern=patterns(),
    options=every_switch,
    more=st.sampled_from([0, 8, 16, 40, 200, 3000]),
    sources=st.none() | st.integers(1, 50),
)
def test_a_budget_for_hardly_one_source_loses_no_fill(
    name: str, pattern: Pattern, options: dict[str, bool], more: int, sources: int | None
) -> None:
    function, options = available(name), options | {"external_frontiers": True}
    budget = least_budget(function, pattern, sources=sources, **options) + more
    filled, _ = function(pattern, sources=sources, memory_budget=budget, **options)
    assert_fill1(filled, pattern)


def test_a_queue_of_one_entry_loses_no_fill(gsofa: Any) -> None:
    for pattern in some_patterns(20, 120, seed=8):
        budget = least_budget(gsofa, pattern)
        assert_fill1(gsofa(pattern, memory_budget=budget)[0], pattern)


def test_without_external_frontiers_a_small_budget_is_right_or_refused(gsofa: Any) -> None:
    """Refused for a full queue alone, and not as a rule; the kernel never is: tests/test_gsofa_gpu.py."""
    refused = 0
    for pattern, dynamic in itertools.product(some_patterns(20, 60, seed=9), (True, False)):
        options = {"external_frontiers": False, "dynamic_space": dynamic}
        budget = least_budget(gsofa, pattern, **options)
        try:
            filled, work = gsofa(pattern, memory_budget=budget, **options)
        except MemoryBudgetError as refusal:
            assert "needs more than" in str(refusal)
            refused += 1
            continue
        assert_fill1(filled, pattern)
        assert work.peak_memory <= budget
    assert refused < 20


def test_the_smallest_budget_is_exact(gsofa: Any) -> None:
    pattern = random_pattern(50, 0.05, 4)
    least = least_budget(gsofa, pattern)
    with pytest.raises(MemoryBudgetError, match=f"needs {least} bytes, {least - 1} given"):
        gsofa(pattern, memory_budget=least - 1)


def test_space_optimisations_need_less_for_one_source(gsofa: Any) -> None:
    pattern = random_pattern(50, 0.05, 4)
    # All off: six words a vertex on the CPU; on the GPU one queue does for two, and fill is a set of bits.
    all_off = least_budget(gsofa, pattern, **ALL_OFF)
    assert least_budget(gsofa, pattern, **ALL_ON) < all_off
    assert all_off in (4 * 6 * 50, 4 * (50 + 2 + 1 + 1 + 2 * 50))


def test_counts_are_those_of_the_pattern(gsofa: Any) -> None:
    for pattern in some_patterns(20, 100, seed=10):
        expected = FILL1(pattern)[0].counts()
        counts, work = gsofa(pattern, output="counts")
        assert isinstance(counts, Counts)
        assert np.array_equal(counts.lower, expected.lower)
        assert np.array_equal(counts.upper, expected.upper)
        assert work.fills == counts.nnz - pattern.nnz


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_smallest_orders(gsofa: Any, n: int) -> None:
    pattern = from_dense(np.ones((n, n), dtype=bool))
    for options in (ALL_ON, ALL_OFF):
        filled, work = gsofa(pattern, **options)
        assert filled.pattern.nnz == n * n
        assert work.fills == 0


def test_series_add_up_to_the_work(gsofa: Any) -> None:
    pattern = random_pattern(200, 0.015, 12)
    filled, work = gsofa(pattern)
    assert work.series.edges.sum() == work.edges > 0
    assert work.series.fills.sum() == work.fills > 0
    assert np.array_equal(work.series.fills, np.diff(filled.pattern.indptr) - np.diff(pattern.indptr))
    assert work.series.frontier.shape == (200,)
    assert (work.series.frontier[work.series.edges > 0] >= 1).all()
    assert (work.series.frontier[work.series.edges == 0] == 0).all()


def test_sources_below_one_are_refused(gsofa: Any) -> None:
    with pytest.raises(UnknownNameError, match="sources=0"):
        gsofa(random_pattern(3, 0.5, 0), sources=0)


# The CPU's own: what Figure 6 counts, races, wrap-around, overflow, and where things lie in the pool.


def figure6(pattern: Pattern, source: int, fill_first: bool = False) -> tuple[dict[int, Any], list[int], int]:
    """(maxId of what was reached, length of each iteration's queue, edges): as printed, but one by one."""
    rows = [pattern.indices[pattern.indptr[r] : pattern.indptr[r + 1]].tolist() for r in range(pattern.n)]
    maxid, fill = dict.fromkeys(rows[source], 0), set(rows[source])
    frontiers, lengths, edges = [v for v in rows[source] if v < source], [], 0
    while frontiers:
        lengths.append(len(frontiers))
        following = []
        for frontier in frontiers:
            new = max(frontier, maxid[frontier])
            for neighbour in rows[frontier]:
                edges += 1
                if fill_first and neighbour in fill:
                    continue
                if maxid.get(neighbour, math.inf) <= new:
                    continue
                maxid[neighbour] = new
                if neighbour > new and neighbour in fill:
                    continue
                if neighbour > new:
                    fill.add(neighbour)
                if neighbour < source:
                    following.append(neighbour)
        frontiers = following
    return maxid, lengths, edges


@pytest.mark.parametrize("options", [{}, ALL_ON, ALL_OFF], ids=["default", "all_on", "all_off"])
def test_one_thread_and_one_source_do_what_figure_6_says(options: dict[str, bool]) -> None:
    for pattern in some_patterns(10, 80, seed=13):
        _, work = gsofa_cpu.gsofa_cpu(pattern, sources=1, **options)
        runs = [figure6(pattern, source) for source in range(pattern.n)]
        assert work.edges == sum(edges for _, _, edges in runs)
        assert work.series is not None
        assert work.series.edges is not None
        assert work.series.edges.tolist() == [edges for _, _, edges in runs]
        assert work.series.frontier is not None
        assert np.allclose(work.series.frontier, [np.mean(lengths or [0]) for _, lengths, _ in runs])


@pytest.mark.parametrize("fill_first", [False, True])
@pytest.mark.parametrize("bubble_removal", [False, True])
def test_the_example_of_the_paper_has_its_maxids(fill_first: bool, bubble_removal: bool) -> None:
    """Section 4, Figure 7: 0 for {1, 2, 7, 8, 9}; 8 -> 1 -> 0 has 1, 8 -> 2 -> 3 has 2, 8 -> 2 -> 3 -> 4
    lowers 7 to 3; 8 -> 1 -> 0 -> 5 lowers 2 to 1 unless line 9.5 skips it. Iterations:
    {1, 2, 7}, {0, 3, 4, 5}, {4}."""
    adjacency = {8: [1, 2, 7, 9], 1: [0], 2: [3, 5, 7], 7: [2, 4], 0: [5], 3: [4], 5: [3]}
    dense = np.zeros((10, 10), dtype=bool)
    for vertex, neighbours in adjacency.items():
        dense[vertex, neighbours] = True
    pattern = from_dense(dense)
    space = plan(10, 1, None, bubble_removal=bubble_removal, dynamic=True, external=True)
    traversal = gsofa_cpu._Traversal(pattern, space, True, fill_first, True, True)
    split = space.split(8, 1)
    assert traversal.round(8, split)
    words = traversal.pool.view(np.uint32)[split.maxid : split.maxid + split.stride].astype(np.int64)
    expected = [1, 0, 0, 2, 3, 2 if fill_first else 1, None, 0] + ([] if bubble_removal else [0, 0])
    assert [w - traversal.ranges.base if w != 2**32 - 1 else None for w in words] == expected
    assert traversal.rows[-1].tolist() == [1, 2, 3, 4, 5, 7, 8, 9]
    assert traversal.frontier[8] == (3 + 4 + 1) / 3
    assert [figure6(pattern, 8, fill_first)[0].get(v) for v in range(len(expected))] == expected


@pytest.mark.parametrize("repeats", daily([5, 20], 5))
def test_two_threads_lose_no_fill(short_queues: None, repeats: int) -> None:
    pattern = random_pattern(250, 0.02, 14)
    for repeat in range(repeats):
        # Five numbers have each switch on and off.
        options = {name: bool(11 * repeat >> bit & 1) for bit, name in enumerate(SWITCHES)}
        assert_fill1(gsofa_cpu.gsofa_cpu(pattern, sources=125, **options)[0], pattern)


def test_two_threads_stop_at_a_full_queue_and_go_on(short_queues: None) -> None:
    for pattern, more in itertools.product(some_patterns(4, 60, seed=15), (0, 64, 1000)):
        budget = least_budget(gsofa_cpu.gsofa_cpu, pattern) + more
        filled, work = gsofa_cpu.gsofa_cpu(pattern, memory_budget=budget)
        assert_fill1(filled, pattern)
        assert work.series is not None
        assert work.edges == sum(work.series.edges)


@pytest.mark.parametrize("ranges", [1, 2, 3])
def test_value_ranges_begin_anew(monkeypatch: pytest.MonkeyPatch, ranges: int) -> None:
    for pattern in some_patterns(15, 60, seed=16 + ranges):
        monkeypatch.setattr(gsofa_cpu, "MAXID_TOP", ranges * pattern.n + pattern.n // 2)
        for options, budget in itertools.product((ALL_ON, ALL_ON | {"bubble_removal": False}), (None, 1)):
            if budget is not None:
                budget = least_budget(gsofa_cpu.gsofa_cpu, pattern, **options) + 20 * pattern.n
            filled, _ = gsofa_cpu.gsofa_cpu(pattern, sources=3, memory_budget=budget, **options)
            assert_fill1(filled, pattern)


def test_value_ranges_trust_only_what_held_maxids() -> None:
    ranges = ValueRanges(n=10, top=35)
    ranges, stale = ranges.next(40, 60, reuse=True)
    assert (ranges.base, stale) == (25, [(40, 60)])
    ranges, stale = ranges.next(40, 75, reuse=True)
    assert (ranges.base, stale) == (15, [(60, 75)])
    ranges, stale = ranges.next(30, 50, reuse=True)
    assert (ranges.base, stale) == (5, [(30, 40)])
    ranges, stale = ranges.next(30, 50, reuse=True)
    assert (ranges.base, stale) == (25, [(30, 50)])
    ranges, stale = ranges.next(30, 50, reuse=False)
    assert (ranges.base, stale) == (25, [(30, 50)])
    ranges, stale = ranges.next(60, 70, reuse=True)
    assert (ranges.base, stale) == (15, [(60, 70)])


def scarce_queues(monkeypatch: pytest.MonkeyPatch, entries: int) -> list[int]:
    """Make the queues of 20 sources of order 60 too small; collects the sources of rounds given up."""
    given_up: list[int] = []
    give_up = gsofa_cpu._Traversal._give_up

    def noted(self: Any, first: int, split: gsofa_space.Split) -> None:
        given_up.append(split.sources)
        give_up(self, first, split)

    def scarce(*arguments: Any, **options: Any) -> Space:
        return replace(plan(*arguments, **options), words=20 * 2 * 60 + 4 * entries, most=20, claim=0)

    monkeypatch.setattr(gsofa_cpu._Traversal, "_give_up", noted)
    monkeypatch.setattr(gsofa_cpu, "plan", scarce)
    return given_up


@pytest.mark.parametrize("dynamic", [False, True])
def test_an_overflow_without_external_frontiers_runs_fewer_sources(
    monkeypatch: pytest.MonkeyPatch, dynamic: bool
) -> None:
    """What a round marked before it was given up must not stay."""
    pattern = random_pattern(60, 0.05, 17)
    given_up = scarce_queues(monkeypatch, entries=150)
    filled, _ = gsofa_cpu.gsofa_cpu(pattern, external_frontiers=False, dynamic_space=dynamic)
    assert_fill1(filled, pattern)
    assert given_up


def test_an_overflow_of_one_source_is_an_error_and_no_lost_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    scarce_queues(monkeypatch, entries=2)
    with pytest.raises(MemoryBudgetError, match=r"source \d+ needs more than 2 queue entries"):
        gsofa_cpu.gsofa_cpu(random_pattern(60, 0.05, 17), external_frontiers=False, dynamic_space=False)


def test_a_budget_too_small_is_refused_before_anything_is_allocated() -> None:
    n = 400_000
    pattern = Pattern(np.arange(n + 1), np.arange(n, dtype=np.int32))
    tracemalloc.start()
    try:
        with pytest.raises(MemoryBudgetError, match=r"needs 3200016 bytes, 1000000 given"):
            gsofa_cpu.gsofa_cpu(pattern, memory_budget=10**6)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_a_budget_is_kept_and_external_frontiers_are_counted_beside_it() -> None:
    pattern = random_pattern(300, 0.01, 18)
    least = least_budget(gsofa_cpu.gsofa_cpu, pattern)
    amounts = {budget: peak(pattern, memory_budget=budget) for budget in (least, 8 * least, 10**9)}
    assert amounts[least] > least
    assert amounts[8 * least] <= 8 * least + 10**5
    assert amounts[10**9] == peak(pattern)


def peak(pattern: Pattern, **options: Any) -> int:
    work: Work = gsofa_cpu.gsofa_cpu(pattern, **options)[1]
    assert work.peak_memory is not None
    return work.peak_memory


@pytest.mark.parametrize(("dynamic", "bubble", "external"), list(itertools.product((False, True), repeat=3)))
def test_no_split_leaves_the_pool_or_a_source_without_its_queue(
    dynamic: bool, bubble: bool, external: bool
) -> None:
    for n, budget in itertools.product((1, 7, 100, 1001), (None, 24, 40, 100, 1000)):
        space = plan(
            n,
            min(n, 16),
            budget and budget * n + 16,
            bubble_removal=bubble,
            dynamic=dynamic,
            external=external,
        )
        first, concurrent = 0, []
        while first < n:
            split = space.split(first, space.most)
            concurrent.append(split.sources)
            assert split.maxid >= split.sources * n
            assert split.queues % 2 == 0
            assert split.maxid + split.sources * split.stride <= split.queues
            assert split.entries >= (1 if external else split.sources * n)
            assert split.queues + 4 * split.entries <= space.words
            assert budget is None or 4 * space.words <= budget * n + 16
            assert split.stride >= first + split.sources - 1
            first += split.sources
        # What maxId and fill have once left to the queues they never take back as fill.
        assert concurrent == sorted(concurrent, reverse=True)


@pytest.mark.parametrize(("n", "sources"), [(0, 1), (1, 1), (9, 4), (200, 64), (11_948, 256), (10**7, 1)])
def test_the_default_number_of_sources(n: int, sources: int) -> None:
    assert gsofa_cpu._concurrent(n) == sources


def test_dense_rows_longer_than_a_buffer() -> None:
    """A row is then worked in pieces, with the buffer emptied in between."""
    n = 300
    dense = np.zeros((n, n), dtype=bool)
    dense[-1, :] = dense[5, :] = dense[200, :] = True
    dense[:, 3] = True
    pattern = from_dense(dense)
    filled, _ = gsofa_cpu.gsofa_cpu(pattern)
    assert_fill1(filled, pattern)
    budget = least_budget(gsofa_cpu.gsofa_cpu, pattern)
    assert_fill1(gsofa_cpu.gsofa_cpu(pattern, memory_budget=budget)[0], pattern)
    assert to_dense(filled)[-1].all()
