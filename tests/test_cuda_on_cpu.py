"""Kernels on the CPU: what tests/cuda_on_cpu finds, and our kernels, through their host drivers."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from benchmarks.checks.laplacians import verify_potentials
from fillpath.nouns import Pattern
from impl.cholesky import parac_gpu
from impl.cholesky.ac_sequential import ac_sequential
from impl.cuda.transfer import on_device, on_host
from impl.laplacian.ac_sequential import ac_sequential as sequential
from impl.laplacian.parac_gpu import parac_gpu as laplacian_gpu
from impl.laplacian.system import system
from impl.levels.kahn_gpu import kahn_gpu
from impl.numeric.glu3 import glu3
from impl.numeric.left_looking import left_looking
from impl.supernodes.supernodes_gpu import supernodes_gpu
from impl.supernodes.t3 import t3
from impl.symbolic.fill1 import fill1
from impl.symbolic.fill2_gpu import fill2_gpu
from impl.symbolic.gsofa import gsofa
from tests.assembly import assembled, dominant, relaxed_levels, two_way_of
from tests.cuda_on_cpu import KernelError, Machine, compiler, cupy, load, machine
from tests.parac_graphs import random_graph
from tests.patterns import random_pattern

WRONG = Path(__file__).with_name("wrong_kernels.cu")
NAMES = (
    "reverse", "count", "diverge", "stuck", "shuffle", "masks", "outside", "beyond", "dynamic", "unwritten",
    "misaligned", "shift", "wait", "neighbours",
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


def neighbours(sound: bool) -> Any:
    words = cupy.zeros(32, np.uint32)
    kernel("neighbours", sound)((1,), (32,), (words,))
    return words


def unwritten(sound: bool) -> Any:
    words = cupy.zeros(64, np.uint32)
    kernel("unwritten", sound)((1,), (64,), (words,))
    return words


def test_a_missing_barrier_gives_other_results_in_other_orders() -> None:
    expected = np.arange(256, dtype=np.uint32).reshape(4, 64)[:, ::-1].tobytes()
    assert outcomes(lambda: reverse(True)) == {expected}
    assert len(outcomes(lambda: reverse(False))) > 1


@pytest.mark.parametrize(("run", "message"), [
    (reverse, "its block has not written|that thread [0-9]+ (read|wrote) .*, with no barrier between"),
    (neighbours, "its block has not written|that thread [0-9]+ (read|wrote) .*, with no barrier between"),
    (unwritten, "its block has not written"),
])  # fmt: skip
def test_races_in_shared_memory_are_reported_whatever_the_order(run: Any, message: str) -> None:
    for seed in range(5):
        with machine(seed=seed, races=True):
            run(True)
            with pytest.raises(
                KernelError, match=rf"\(wrong_kernels.cu:[0-9]+\).*({message})|({message}) \(wrong_kernels"
            ):
                run(False)


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
    (64, r"block 1, thread 0: reads or writes byte 256 of an array of 256 bytes \(wrong_kernels.cu:[0-9]+\)"),
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


def test_a_library_is_compiled_once_per_content(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its cache outlives a run, and what was not used for long goes."""
    commands: list[list[str]] = []
    run = compiler._run
    monkeypatch.setattr(compiler, "BUILT", tmp_path / "built")

    def counted(command: list[str], folder: str) -> None:
        commands.append(command)
        run(command, folder)

    monkeypatch.setattr(compiler, "_run", counted)

    def build(text: str) -> Path:
        return compiler._built("probe", {"probe.cpp": text}, ("probe.cpp",), ("-shared",))

    first, again, other = build("int a;"), build("int a;"), build("int b;")
    assert first == again != other and len(commands) == 2
    os.utime(first, (0, 0))
    compiler._sweep()
    assert other.exists() and not first.exists()
    assert build("int a;") == first and len(commands) == 3


# Our own kernels, through their host drivers.

PATTERNS = [(1, 0.0), (2, 1.0), (33, 0.02), (40, 0.1), (60, 0.04), (64, 0.0)]


def same(one: Pattern, other: Pattern) -> bool:
    return np.array_equal(one.indptr, other.indptr) and np.array_equal(one.indices, other.indices)


@pytest.mark.parametrize(("implementation", "options"), [
    (fill2_gpu, {}),
    (gsofa, {}),
    (gsofa, {"maxid_ranges": False, "bubble_removal": False, "fill_first": True}),
    (gsofa, {"queue_fraction": 8, "sources": 3}),
])  # fmt: skip
def test_traversals_fill_as_fill1(implementation: Any, options: dict[str, Any]) -> None:
    for seed, (n, density) in enumerate(PATTERNS):
        pattern = random_pattern(n, density, seed)
        expected, _ = fill1(pattern)
        with machine(seed=seed, multiprocessors=1 + seed % 2, races=seed % 2 == 0):
            filled, _ = implementation(on_device(pattern), **options)
            counted, _ = implementation(on_device(pattern), output="counts", **options)
        filled, counted = on_host(filled), on_host(counted)
        assert same(filled.pattern, expected.pattern)
        assert np.array_equal(filled.upper_start, expected.upper_start)
        assert np.array_equal(counted.lower, expected.upper_start - expected.pattern.indptr[:-1])


@pytest.mark.parametrize("maxsup", [1, 7, 128])
def test_supernodes_are_those_of_the_cpu(maxsup: int) -> None:
    for seed, (n, density) in enumerate(PATTERNS):
        filled, _ = fill1(random_pattern(n, density, seed))
        expected, _ = t3(filled, maxsup=maxsup)
        with machine(seed=seed, races=True):
            supernodes, _ = supernodes_gpu(on_device(filled), maxsup=maxsup)
        assert np.array_equal(on_host(supernodes).starts, expected.starts)


@pytest.mark.parametrize("driver", ["cooperative", "host"])
def test_levels_are_those_of_the_cpu(driver: str) -> None:
    """Of the last pattern some are levels of all blocks, the others of one alone."""
    for seed, (n, density) in enumerate([*PATTERNS, (400, 0.004)]):
        two_way = two_way_of(random_pattern(n, density, seed))
        expected = relaxed_levels(two_way)
        with machine(seed=seed, races=seed % 2 == 0):
            levels, _ = kahn_gpu(on_device(two_way), driver=driver)
        levels = on_host(levels)
        assert np.array_equal(levels.pointers, expected.pointers)
        assert np.array_equal(levels.columns, expected.columns)


@pytest.mark.parametrize(("dtype", "options"), [
    ("float32", {}), ("float64", {}), ("float64", {"storage": "csc_search"}), ("float64", {"batched": True}),
])  # fmt: skip
def test_columns_are_factorised_as_on_the_cpu(dtype: str, options: dict[str, Any]) -> None:
    for seed, (n, density) in enumerate(PATTERNS):
        start = assembled(dominant(random_pattern(n, density, seed), seed))
        expected, _ = left_looking(start, dtype="float64")
        with machine(seed=seed, races=seed % 2 == 0):
            factor, _ = glu3(on_device(start), dtype=dtype, **options)
        assert np.allclose(
            on_host(factor).values, expected.values, rtol=1e-4 if dtype == "float32" else 1e-12
        )


@pytest.mark.parametrize("blocks", [1, 2])
def test_blocks_that_wait_for_each_other_factorise_graphs_as_one_thread(blocks: int) -> None:
    for seed in range(8):
        graph = random_graph(seed, 40)
        expected, _ = ac_sequential(graph, seed=seed)
        with machine(seed=seed, blocks=blocks, races=seed % 2 == 0):
            factor, _ = parac_gpu.factorise(on_device(graph), seed, 2**26)
        assert same(on_host(factor).pattern, expected.pattern)
        assert np.array_equal(on_host(factor).values, expected.values)


@pytest.mark.parametrize("tail", [0, 7])
def test_systems_are_solved_in_the_steps_of_the_cpu(monkeypatch: pytest.MonkeyPatch, tail: int) -> None:
    """Conjugate gradients with ParAC's factor, the dense triangle of its tail solved by SciPy."""

    def solve_triangular(matrix: Any, right: Any, **options: Any) -> Any:
        return cupy.asarray(scipy.linalg.solve_triangular(matrix.get(), right.get(), **options))

    dense = SimpleNamespace(solve_triangular=solve_triangular)
    monkeypatch.setitem(sys.modules, "cupyx.scipy.linalg", dense)
    for seed in range(3):
        asked = system(random_graph(seed, 40))
        _, work = sequential(asked, seed=seed)
        with machine(seed=seed, races=seed % 2 == 0):
            solution, found = laplacian_gpu(on_device(asked), seed=seed, tail=tail)
        assert abs(found.facts["iterations"] - work.facts["iterations"]) <= 1
        assert verify_potentials(on_host(solution), asked, product=False).passes
