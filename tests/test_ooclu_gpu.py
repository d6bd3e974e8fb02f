"""Out-of-core and unified memory: the same pattern from any budget, down to one row a chunk."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from fillpath import registry
from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Filled, Pattern
from impl.cuda import managed
from impl.symbolic import device_rows, out_of_core
from impl.symbolic.gsofa_device import SLOTS
from impl.symbolic.gsofa_pool import Launch, set_words
from impl.symbolic.out_of_core import chunk, row_words, spare_entries
from tests.devices import hosted
from tests.patterns import assert_same
from tests.test_gsofa_gpu import drawn


def run(name: str, pattern: Pattern, **options: object) -> tuple[Filled, dict[str, float]]:
    filled, work = hosted(registry.lookup("symbolic", name))(pattern, **options)
    assert work.fills == filled.pattern.nnz - pattern.nnz
    return filled, work.facts


@pytest.mark.gpu
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 7, 100, 10**6])
def test_any_budget_fills_as_fill1(rows: int, dynamic: bool) -> None:
    pattern, expected = drawn(8 if rows < 7 else 60, 40)
    budget = 4 * rows * row_words(pattern.n, pattern.n)
    filled, facts = run("out_of_core", pattern, memory_budget=budget, dynamic_assignment=dynamic)
    assert_same(filled, expected)
    least = -(-pattern.n // rows)
    assert facts["launches"] <= least if dynamic else facts["launches"] == least


@pytest.mark.gpu
@pytest.mark.parametrize("dynamic", [False, True])
def test_chunks_traverse_again_what_found_no_room(monkeypatch: pytest.MonkeyPatch, dynamic: bool) -> None:
    pattern, expected = drawn(60, 40)
    monkeypatch.setattr(device_rows, "ROOM_AN_ENTRY", 0)
    monkeypatch.setattr(device_rows, "LEAST_ROOM", expected.pattern.nnz // 2)
    budget = 4 * 7 * row_words(pattern.n, pattern.n)
    filled, _ = run("out_of_core", pattern, memory_budget=budget, dynamic_assignment=dynamic)
    assert_same(filled, expected)


@pytest.mark.gpu
def test_a_host_without_room_keeps_whole_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, expected = drawn(60, 40)
    monkeypatch.setattr(out_of_core, "host_room", lambda: 0)
    filled, facts = run("out_of_core", pattern, memory_budget=4 * 50 * row_words(pattern.n, pattern.n))
    assert_same(filled, expected)
    assert facts["bytes_external"] == 0


@pytest.mark.gpu
def test_without_a_budget_one_chunk_has_all_rows() -> None:
    pattern, expected = drawn(60, 40)
    filled, facts = run("out_of_core", pattern)
    assert_same(filled, expected)
    assert facts["launches"] == 1


@pytest.mark.gpu
def test_a_budget_below_one_row_is_refused() -> None:
    pattern, _ = drawn(60, 40)
    least = 4 * row_words(pattern.n, pattern.n)
    with pytest.raises(MemoryBudgetError, match=f"needs {least} bytes, {least - 1} given"):
        run("out_of_core", pattern, memory_budget=least - 1)


@pytest.mark.gpu
@pytest.mark.parametrize("prefetch", [False, True])
def test_unified_memory_fills_as_fill1(prefetch: bool) -> None:
    pattern, expected = drawn(60, 40)
    filled, facts = run("unified_memory", pattern, prefetch=prefetch)
    assert_same(filled, expected)
    arrays = sum(facts[name] for name in ("bytes_maxid", "bytes_fill", "bytes_queue"))
    assert arrays == 24 * pattern.n**2


# The division into chunks, without a GPU.


def test_a_budget_for_all_that_the_card_works_on_at_a_time_makes_one_chunk() -> None:
    n, slots = 1000, 24 * 4
    enough = chunk(n, n, slots * row_words(n, n), n, resident=24)
    assert (enough.first, enough.last, enough.sources) == (0, n, slots)
    less = chunk(n, n, slots * row_words(n, n) - 1, n, resident=24)
    assert less.last - less.first == less.sources == slots - 1


@pytest.mark.parametrize("entries", [1, 10, 100])
@pytest.mark.parametrize("n", [1, 7, 100, 1001])
def test_a_chunk_stays_within_its_words(n: int, entries: int) -> None:
    entries = min(entries, n)
    for words in (row_words(n, entries), 10 * row_words(n, entries) + 3, 10**9):
        launch = chunk(n, n, words, entries, resident=24)
        assert launch.last == n
        assert 0 <= launch.first < n
        assert launch.sources <= launch.last - launch.first
        assert launch.maxid == launch.sources * set_words(n)
        assert launch.queues >= launch.maxid + launch.sources * n
        assert launch.queues % 2 == 0
        assert launch.queues + 2 * launch.sources * launch.capacity <= words
        assert launch.spills == (entries < n)


class Recorded:
    """Stands in for a Traversal: keeps the launches, and tells the longest queue of each row."""

    def __init__(self, longest: Array) -> None:
        self.pattern = SimpleNamespace(n=len(longest))
        self.longest, self.launches = longest, []

    def launch(self, launch: Launch, sources: Array, rows: object) -> None:
        assert sources.tolist() == list(range(launch.last - 1, launch.first - 1, -1))
        self.launches.append(launch)


def chunks_of(monkeypatch: pytest.MonkeyPatch, longest: Array, words: int, *, dynamic: bool) -> list[Launch]:
    n = len(longest)
    monkeypatch.setattr(out_of_core, "positions", lambda sources, n: lambda row: n - row)
    recorded = Recorded(longest)
    out_of_core._run(recorded, np.arange(n)[::-1], None, words, 24, dynamic)
    firsts = [launch.first for launch in recorded.launches]
    assert [launch.last for launch in recorded.launches] == [n, *firsts[:-1]] and firsts[-1] == 0
    return recorded.launches


def test_chunks_grow_behind_the_rows_with_long_frontiers(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 1000
    words = 20 * row_words(n, n)
    longest = np.where(np.arange(n) < 800, 50, 400)
    naive = chunks_of(monkeypatch, longest, words, dynamic=False)
    dynamic = chunks_of(monkeypatch, longest, words, dynamic=True)
    assert {launch.capacity for launch in naive} == {n} and len(naive) == 50
    before, after = ([x for x in dynamic if x.last > 780], [x for x in dynamic if x.last <= 780])
    assert all(launch.capacity == n and launch.last - launch.first == 20 for launch in before)
    assert all(launch.capacity == 100 and launch.spills for launch in after)
    assert len(before) == 11 and after[0].last - after[0].first == words // row_words(n, 100) > 20
    short = chunks_of(monkeypatch, np.where(np.arange(n) < 800, 201, 400), words, dynamic=True)
    assert {launch.capacity for launch in short} == {n}, "a frontier above half of the longest is not short"


def test_what_memory_is_left_over_goes_to_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 1000
    words = 24 * SLOTS * row_words(n, 300)
    longest = np.where(np.arange(n) < 800, 50, 400)
    launches = chunks_of(monkeypatch, longest, words, dynamic=True)
    assert launches[-1].capacity == 300 and launches[-1].first == 0


def test_a_host_without_room_makes_no_queue_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(out_of_core, "host_room", lambda: 0)
    longest = np.where(np.arange(1000) < 800, 50, 400)
    launches = chunks_of(monkeypatch, longest, 20 * row_words(1000, 1000), dynamic=True)
    assert {launch.capacity for launch in launches} == {1000}


@pytest.mark.parametrize("n", [1000, 1001])
def test_spare_entries_are_the_most_with_which_the_blocks_stay_full(n: int) -> None:
    words = 24 * SLOTS * row_words(n, 300) + 5
    spare = spare_entries(n, words, 24)
    assert spare == 300
    assert chunk(n, n, words, spare, 24).first == 0
    assert chunk(n, n, words, spare + 1, 24).first > 0
    assert spare_entries(n, 24 * SLOTS * row_words(n, 0) - 1, 24) < 0


def test_more_than_half_of_what_is_free_is_refused_before_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What CuPy's pool holds unused is not the card's to give."""
    fake_managed_memory(monkeypatch, on_demand=1)
    with pytest.raises(MemoryBudgetError, match="504 bytes of managed memory are more than half of the 1000"):
        managed.words(126, oversubscribe=False)
    assert managed.words(125, oversubscribe=False).nbytes == 500


def test_managed_memory_that_is_not_paged_on_demand_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_managed_memory(monkeypatch, on_demand=0)
    with pytest.raises(UnsupportedError, match="not paged on demand"):
        managed.words(1, oversubscribe=False)


def fake_managed_memory(monkeypatch: pytest.MonkeyPatch, *, on_demand: int) -> None:
    """A card with 1000 bytes free, and more in CuPy's pool."""
    pool = SimpleNamespace(free_bytes=lambda: 10**9)
    cupy = SimpleNamespace(
        cuda=SimpleNamespace(
            Device=lambda: SimpleNamespace(attributes={"ConcurrentManagedAccess": on_demand}),
            runtime=SimpleNamespace(memGetInfo=lambda: (1000, 2000)),
            malloc_managed=lambda size: bytearray(size),
        ),
        get_default_memory_pool=lambda: pool,
        ndarray=lambda count, dtype, memptr: np.ndarray(count, dtype, buffer=memptr),
    )
    monkeypatch.setitem(sys.modules, "cupy", cupy)
