"""Managed memory on loan: released where the phase says, however the block ends; kept, it may be dirty."""

import ctypes
import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fillpath import registry
from fillpath.phase import PhaseClock, phase, recording
from impl.cuda import managed
from tests.devices import hosted
from tests.patterns import assert_same
from tests.test_gsofa_gpu import drawn

# Whatever an earlier call may leave: the kernel's own NONE, its largest label, zeros, noise.
DIRT = (0, 0xFFFFFFFF, 0xFFFFFFFE, 0x5A5A5A5A)


class Memory:
    """A fake of CuPy's ManagedMemory: it is released when nothing refers to it, and says so."""

    def __init__(self, size: int, events: list[str]) -> None:
        self.buffer = ctypes.create_string_buffer(size)
        self.ptr, self.events = ctypes.addressof(self.buffer), events
        events.append(f"take {size}")

    def __del__(self) -> None:
        self.events.append("free")


class Clock(PhaseClock):
    """Notes when each phase begins and ends."""

    def __init__(self, events: list[str]) -> None:
        super().__init__(lambda: events.append("wait"))


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens, in order, on a fake card with 1000 bytes free; an array is its memory."""
    events: list[str] = []

    def words(count: int, *, oversubscribe: bool) -> Any:
        memory = Memory(4 * count, events)
        data = SimpleNamespace(ptr=memory.ptr, mem=memory)
        return SimpleNamespace(data=data, nbytes=4 * count, device=SimpleNamespace(id=0))

    stream = SimpleNamespace(synchronize=lambda: events.append("synchronise"))
    cuda = SimpleNamespace(
        Device=lambda: SimpleNamespace(id=0),
        UnownedMemory=lambda ptr, size, owner, device: (ptr, owner),
        MemoryPointer=lambda memory, offset: memory,
        get_current_stream=lambda: stream,
    )
    fake = SimpleNamespace(cuda=cuda, ndarray=lambda count, dtype, memptr: memptr)
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.setattr(managed, "words", words)
    monkeypatch.setattr(managed, "_shelf", {})
    return events


def lend(count: int, events: list[str], *, keep: bool, fails: bool = False) -> Any:
    """One loan under a clock; what was lent, which outlives it here."""
    kept: list[Any] = []
    with recording(Clock(events)) as clock:
        try:
            with managed.loan(count, oversubscribe=False, keep=keep) as array, phase("use"):
                kept.append(array)
                if fails:
                    raise KeyError("no result")
        except KeyError:
            pass
        events.append("returned")
    assert {"allocate", "use", "release"} == set(clock.seconds)
    return kept


@pytest.mark.parametrize("fails", [False, True])
def test_the_release_lies_in_its_phase_after_the_device_is_done(events: list[str], fails: bool) -> None:
    """Also where the block raises, and where what was lent is still referred to."""
    kept = lend(10, events, keep=False, fails=fails)
    after = ["synchronise", "wait", "free", "wait", "returned"]
    assert kept and events[events.index("synchronise") :] == after
    assert events.count("free") == 1


def test_an_array_that_is_kept_is_taken_once_and_never_released(events: list[str]) -> None:
    first, second = (lend(10, events, keep=True) for _ in range(2))
    assert first == second and events.count("take 40") == 1 and "free" not in events


def test_a_kept_array_of_another_length_goes_before_the_new_one_comes(events: list[str]) -> None:
    lend(10, events, keep=True)
    lend(20, events, keep=True)
    own = [event for event in events if event == "free" or event.startswith("take")]
    assert own == ["take 40", "free", "take 80"] and len(managed._shelf) == 1


# On the GPU.


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """Nothing kept before, nor after."""
    own: dict[Any, Any] = {}
    monkeypatch.setattr(managed, "_shelf", own)
    return own


@pytest.mark.gpu
@pytest.mark.parametrize("prefetch", [False, True])
def test_kept_arrays_are_used_again_dirty(shelf: dict[Any, Any], prefetch: bool) -> None:
    pattern, expected = drawn(60, 41)
    function = hosted(registry.lookup("symbolic", "unified_memory"))
    pointers = set()
    for dirt in (None, *DIRT):
        for array in shelf.values():
            array.fill(np.uint32(dirt))
        filled, _ = function(pattern, prefetch=prefetch, keep=True)
        assert_same(filled, expected)
        pointers |= {array.data.ptr for array in shelf.values()}
    assert len(shelf) == len(pointers) == 1


@pytest.mark.gpu
def test_orders_may_change_from_call_to_call(shelf: dict[Any, Any]) -> None:
    function = hosted(registry.lookup("symbolic", "unified_memory"))
    for seed, count in ((1, 20), (2, 5), (3, 40)):
        pattern, expected = drawn(count, seed)
        assert_same(function(pattern, keep=True)[0], expected)
        assert len(shelf) == 1


def is_managed(pointer: int) -> bool:
    """Whether managed memory begins there; cudaMemoryTypeManaged is 3."""
    import cupy

    return int(cupy.cuda.runtime.pointerGetAttributes(pointer).type) == 3


@pytest.mark.gpu
@pytest.mark.parametrize("fails", [False, True])
def test_a_call_leaves_no_managed_memory_behind(monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    pattern, _ = drawn(60, 42)
    function, prefetch = hosted(registry.lookup("symbolic", "unified_memory")), managed.prefetch
    arrays: list[Any] = []

    def prefetched(array: Any) -> None:
        assert is_managed(array.data.ptr)
        prefetch(array)
        arrays.append(array)
        if fails:
            raise KeyError("no result")

    monkeypatch.setattr(managed, "prefetch", prefetched)
    with pytest.raises(KeyError) if fails else nullcontext():
        function(pattern, prefetch=True)
    (array,) = arrays
    assert not is_managed(array.data.ptr), "although something still refers to the array"
