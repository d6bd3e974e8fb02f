"""CUDA's own functions as tests/cuda_on_cpu gives them, against NumPy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cuda_on_cpu import cupy, load, machine

KERNELS = Path(__file__).with_name("right_kernels.cu")
NAMES = ("collectives", "arithmetic", "atomics", "votes", "places")
LANES = np.arange(32)
INPUT = np.random.default_rng(0).integers(0, 2**32, 32, np.uint32)

pytestmark = pytest.mark.usefixtures("cuda_on_cpu")


def rows(name: str, count: int) -> Any:
    """What a kernel of one warp writes, one row per function."""
    words = cupy.zeros((count, 32), np.uint32)
    load(KERNELS, NAMES)[name]((1,), (32,), (cupy.asarray(INPUT), words))
    return words.get()


def bits(chosen: Any) -> int:
    return int(sum(1 << int(lane) for lane in np.flatnonzero(chosen)))


@pytest.mark.parametrize("seed", range(3))
def test_collectives(seed: int) -> None:
    inside = LANES % 8
    halves = [np.bitwise_xor.reduce(INPUT[:16]), np.bitwise_xor.reduce(INPUT[16:])]
    thirds = LANES % 3 == 0
    expected = [
        INPUT[(LANES + 5) % 32],
        INPUT[LANES // 8 * 8 + 3],
        INPUT[np.where(LANES >= 3, LANES - 3, LANES)],
        INPUT[np.where(inside >= 3, LANES - 3, LANES)],
        INPUT[np.where(LANES < 29, LANES + 3, LANES)],
        INPUT[np.where(inside < 5, LANES + 3, LANES)],
        INPUT[LANES ^ 17],
        INPUT[LANES ^ 1],
        [bits(INPUT & 1)] * 32,
        [1] * 32,
        [bits(value % 3 == INPUT % 3) for value in INPUT],
        [int(INPUT.sum(dtype=np.uint64)) % 2**32] * 32,
        [INPUT.view(np.int32).min().view(np.uint32)] * 32,
        [INPUT.max()] * 32,
        np.repeat(halves, 16),
        [bits(thirds & (LANES < 16))] * 16 + [bits(thirds & (LANES >= 16))] * 16,
    ]
    with machine(seed=seed):
        assert np.array_equal(rows("collectives", len(expected)), np.array(expected, np.uint32))


def test_arithmetic() -> None:
    values = [int(value) for value in INPUT]
    pairs = [(value, values[lane ^ 1], lane) for lane, value in enumerate(values)]
    signed = INPUT.view(np.int32)
    # Byte 4 is the lowest of the second word; 0 the lowest and 2 the third of the first, 7 the highest.
    permuted = [(b & 255) | (v & 255) << 8 | b >> 24 << 16 | (v >> 16 & 255) << 24 for v, b, _ in pairs]
    expected = [
        [value.bit_count() for value in values],
        [32 - value.bit_length() for value in values],
        [(value & -value).bit_length() for value in values],
        [int(f"{value:032b}"[::-1], 2) for value in values],
        [((b << 32 | v) << lane >> 32) % 2**32 for v, b, lane in pairs],
        [((b << 32 | v) >> lane) % 2**32 for v, b, lane in pairs],
        permuted,
        [v * b >> 32 for v, b, _ in pairs],
        np.minimum(signed, signed[LANES ^ 1]).view(np.uint32),
        np.maximum(INPUT, INPUT[LANES ^ 1]),
    ]
    assert np.array_equal(rows("arithmetic", len(expected)), np.array(expected, np.uint32))


@pytest.mark.parametrize("seed", range(3))
def test_atomics_of_a_grid(seed: int) -> None:
    start = np.array([0, 0, 2000, 0, 0, 2**32 - 1, 0, 0, 0], np.uint32)
    words, wide, sums = cupy.asarray(start), cupy.zeros(1, np.uint64), cupy.zeros(1)
    with machine(seed=seed):
        load(KERNELS, NAMES)["atomics"]((4,), (50,), (words, wide, sums))
    total = sum(range(200))
    mixed = int(np.bitwise_xor.reduce(np.arange(200)))
    # 200 times round a circle of seven; each thread in turn adds one.
    expected = [total, -total % 2**32, 801, 199, 2**32 - 1, 2**32 - 128, mixed, 200 % 7, 200]
    assert words.get().tolist() == expected
    assert int(wide[0]) == total << 32 and float(sums[0]) == 100.0


def test_votes_of_a_block() -> None:
    words = cupy.zeros((64, 4), np.uint32)
    load(KERNELS, NAMES)["votes"]((1,), (64,), (words,))
    assert np.array_equal(words.get(), [[22, 1, 0, 0 if thread % 2 else 32] for thread in range(64)])


def test_every_thread_of_every_block_runs_once() -> None:
    words = cupy.zeros(2 * 3 * 4 * 5 * 2 * 3, np.uint32)
    load(KERNELS, NAMES)["places"]((2, 3, 4), (5, 2, 3), (words,))
    assert (words.get() == 1).all()
