"""Out-of-core and unified memory: the same pattern from any budget, down to one row a chunk."""

from __future__ import annotations

import pytest

from fillpath import registry
from fillpath.errors import MemoryBudgetError
from fillpath.nouns import Filled, Pattern
from impl.symbolic import device_rows, out_of_core
from impl.symbolic.gsofa_device import SLOTS
from impl.symbolic.gsofa_pool import set_words
from impl.symbolic.out_of_core import chunk, row_words, spare_entries
from tests.devices import hosted
from tests.test_gsofa_gpu import assert_same, drawn


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


@pytest.mark.parametrize("n", [1000, 1001])
def test_spare_entries_are_the_most_with_which_the_blocks_stay_full(n: int) -> None:
    words = 24 * SLOTS * row_words(n, 300) + 5
    spare = spare_entries(n, words, 24)
    assert spare == 300
    assert chunk(n, n, words, spare, 24).first == 0
    assert chunk(n, n, words, spare + 1, 24).first > 0
    assert spare_entries(n, 24 * SLOTS * row_words(n, 0) - 1, 24) < 0
