"""Large nouns on their way between host and device, by the CPU that plays a card and on a real card."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from benchmarks.engine import staging
from benchmarks.engine.places import Gpu
from benchmarks.engine.staging import LEAST_BYTES, Staging
from fillpath.nouns import Array, Filled, Pattern
from tests.cuda_on_cpu.fixture import CARDS, played_or_real

PIECE = 64


@pytest.fixture(params=CARDS)
def card(request: pytest.FixtureRequest) -> Iterator[str]:
    """The CPU that plays a card, or a card."""
    with played_or_real(request) as name:
        yield name


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "LARGEST_PIECE", PIECE)
    monkeypatch.setattr(staging, "SMALLEST_PIECE", PIECE)


def filled_of(*lengths: int) -> Filled:
    """Arrays of these lengths, with bytes of their own."""
    rng = np.random.default_rng(sum(lengths))
    first, second, third = (
        rng.integers(0, 2**31, length).astype(dtype)
        for length, dtype in zip(lengths, (np.int64, np.int32, np.int64), strict=True)
    )
    return Filled(Pattern(first, second), third)


def arrays_of(filled: Filled) -> tuple[Array, ...]:
    return filled.pattern.indptr, filled.pattern.indices, filled.upper_start


def require_same(found: Filled, expected: Filled) -> None:
    for array, original in zip(arrays_of(found), arrays_of(expected), strict=True):
        assert isinstance(array, np.ndarray) and array.dtype == original.dtype
        np.testing.assert_array_equal(array, original)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    "lengths", [(0, 0, 0), (1, 1, 1), (8, 16, 9), (7, 17, 1000), (0, 4001, 3), (501, 0, 64)]
)
def test_arrays_of_any_length_come_back(card: str, lengths: tuple[int, int, int]) -> None:
    import cupy

    expected, pieces = filled_of(*lengths), Staging()
    for _ in range(3):
        there = pieces.to_device(expected)
        assert all(isinstance(array, cupy.ndarray) for array in arrays_of(there))
        require_same(pieces.to_host(there), expected)


@pytest.mark.usefixtures("small_pieces")
def test_arrays_with_gaps_and_of_two_dimensions(card: str) -> None:
    import cupy

    values, pieces = np.arange(600.0).reshape(20, 30), Staging()
    for given in (values, values.T, values[::2, 3:], np.array(2.5), np.empty((3, 0))):
        there = pieces.to_device(given)
        np.testing.assert_array_equal(cupy.asnumpy(there), given)
        np.testing.assert_array_equal(pieces.to_host(there), given)
    apart = cupy.asarray(values)[::2]
    np.testing.assert_array_equal(pieces.to_host(apart), values[::2])


def test_nouns_without_arrays_are_themselves(card: str) -> None:
    pieces, expected = Staging(), filled_of(1, 2, 3)
    for noun in ("text", None, 3):
        assert pieces.to_device(noun) is noun and pieces.to_host(noun) is noun
    assert pieces.to_host(expected) is expected


def test_a_place_stages_large_nouns_alone(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    staged: list[int] = []
    move = Staging._move

    def counted(pieces: Staging, way: Any, pairs: Any) -> None:
        staged.append(len(pairs))
        move(pieces, way, pairs)

    monkeypatch.setattr(Staging, "_move", counted)
    # The first large noun is moved after one array each way that warms up.
    gpu = Gpu()
    for length, moves in ((10, []), (LEAST_BYTES // 8, [1, 1, 3, 3])):
        expected = filled_of(length, 7, 3)
        require_same(gpu.fetch(gpu.bring(expected)), expected)
        assert staged == moves
    assert {name: len(seconds) for name, seconds in gpu.transfers.items()} == {"to_device": 2, "to_host": 2}


@pytest.mark.usefixtures("small_pieces")
def test_an_error_waits_for_all_that_is_under_way(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread fails at once; when the error comes out, the others have copied all of their pieces."""
    pieces, sent = Staging(), []
    send = staging._Lane._send

    def failing(lane: staging._Lane, *given: Any) -> None:
        if lane is pieces._lanes[0]:
            raise RuntimeError("lost")
        time.sleep(0.01)
        send(lane, *given)
        sent.append(lane)

    if len(pieces._lanes) < 2:
        pytest.skip("one core: one thread")
    monkeypatch.setattr(staging._Lane, "_send", failing)
    count = 5 * len(pieces._lanes)
    with pytest.raises(RuntimeError, match="lost"):
        pieces.to_device(np.zeros(count * PIECE, np.uint8))
    assert len(sent) == count - count // len(pieces._lanes)
