"""Kernels on the CPU: what tests/cuda_on_cpu finds, and our kernels, through their host drivers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cuda_on_cpu import KernelError, Machine, cupy, load, machine

WRONG = Path(__file__).with_name("wrong_kernels.cu")
NAMES = (
    "reverse", "count", "diverge", "stuck", "shuffle", "masks", "outside", "beyond", "dynamic", "unwritten",
    "misaligned", "shift", "wait",
)  # fmt: skip

pytestmark = pytest.mark.usefixtures("cuda_on_cpu")


def kernel(name: str, sound: bool = False) -> Any:
    return load(WRONG, NAMES, (f"SOUND={int(sound)}",))[name]


def outcomes(run: Callable[[], Any]) -> set[bytes]:
    """The results under twenty orders of threads."""
    results = set()
    for seed in range(20):
        with machine(seed=seed):
            results.add(run().get().tobytes())
    return results


def reverse(sound: bool) -> Any:
    words = cupy.arange(256, dtype=np.uint32)
    kernel("reverse", sound)((4,), (64,), (words,))
    return words


def count(sound: bool) -> Any:
    word = cupy.zeros(1, np.uint32)
    kernel("count", sound)((4,), (64,), (word,))
    return word


def unwritten(sound: bool) -> Any:
    words = cupy.zeros(64, np.uint32)
    kernel("unwritten", sound)((1,), (64,), (words,))
    return words


def test_a_missing_barrier_gives_other_results_in_other_orders() -> None:
    expected = np.arange(256, dtype=np.uint32).reshape(4, 64)[:, ::-1].tobytes()
    assert outcomes(lambda: reverse(True)) == {expected}
    assert len(outcomes(lambda: reverse(False))) > 1


def test_a_sum_that_is_not_atomic_loses_terms() -> None:
    assert outcomes(lambda: count(True)) == {np.uint32(256).tobytes()}
    assert outcomes(lambda: count(False)) != {np.uint32(256).tobytes()}


def test_shared_memory_that_nobody_wrote_holds_garbage() -> None:
    expected = np.full(64, 64, np.uint32).tobytes()
    assert outcomes(lambda: unwritten(True)) == {expected}
    assert expected not in outcomes(lambda: unwritten(False))


@pytest.mark.parametrize(
    ("name", "threads", "arguments", "message"),
    [
        ("diverge", 64, (), r"waits at __syncthreads \(.*\), others of its block at __syncthreads"),
        ("stuck", 64, (), r"deadlock in block 0: .*0 wait at __syncwarp \(wrong_kernels.cu:[0-9]+\)"),
        ("shuffle", 32, (), "thread [0-9]+ .*exited|exited, and thread"),
        ("shuffle", 16, (), "the warp has 16 threads"),
        ("masks", 32, (), "with mask 0xFFFFFF00|with mask 0xFFFFFFFF, but"),
        ("beyond", 64, (), r"block 0, thread 63: an index is outside its array \(wrong_kernels.cu:[0-9]+\)"),
        ("dynamic", 64, (), "of 256 bytes of dynamic shared memory"),
        ("misaligned", 8, (), "an address is not aligned"),
        ("shift", 1, (np.uint32(32),), r"block 0, thread 0: shifts by too many bits"),
    ],
)  # fmt: skip
def test_a_mistake_is_reported(name: str, threads: int, arguments: Any, message: str) -> None:
    words = cupy.zeros(max(64, threads), np.uint32)
    call = (1,), (threads,), (words, *arguments), 4 * threads
    if threads != 16:
        kernel(name, sound=True)(*call)
    with pytest.raises(KernelError, match=message):
        kernel(name)(*call)


@pytest.mark.parametrize(("length", "message"), [
    (64, r"block 1, thread 0: reads or writes byte 256 of an array of 256 bytes"),
    (63, r"wrote at byte 252 of an array of 252 bytes"),
])  # fmt: skip
def test_a_write_behind_an_array_is_reported(length: int, message: str) -> None:
    words = cupy.empty(length, np.uint32)
    kernel("outside", sound=True)((2,), (64,), (words, np.uint32(length)))
    assert words.get().tolist() == [*range(length)]
    with pytest.raises(KernelError, match=message):
        kernel("outside")((2,), (64,), (words, np.uint32(length)))


def test_blocks_wait_for_each_other_if_all_are_resident(cuda_on_cpu: Machine) -> None:
    words = cupy.zeros(1, np.uint32)
    kernel("wait")((4,), (32,), (words,))
    assert int(words[0]) == 4
    with machine(limit=0.3), pytest.raises(KernelError, match="did not end within its limit"):
        kernel("wait")((8,), (32,), (cupy.zeros(1, np.uint32),))
    with pytest.raises(KernelError, match="5 blocks together, and 4 can be resident"):
        kernel("wait")((5,), (32,), (words,), enable_cooperative_groups=True)


def test_arguments_are_held_against_the_parameters() -> None:
    words = cupy.zeros(64, np.uint32)
    for wrong in ((words,), (words, 64), (np.uint32(1), np.uint32(64)), (words.get(), np.uint32(64))):
        with pytest.raises(KernelError, match=r"argument|parameter"):
            kernel("outside", sound=True)((1,), (64,), wrong)
