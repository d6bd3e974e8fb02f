"""Elimination trees and fronts of bits on the GPU: kernels on CPU threads, and on a card if there is one."""

import dataclasses
import itertools
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.checks import rows
from benchmarks.engine import device_digest
from fillpath import registry
from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Counts, Filled, Pattern
from fillpath.registry import HEADERS
from impl.cuda.transfer import on_device, on_host
from impl.symbolic import (
    bitfronts_analysis,
    bitfronts_elimination,
    bitfronts_gpu,
    bitfronts_output,
    bitfronts_waves,
)
from impl.symbolic.bitfronts_analysis import Shape, Totals
from impl.symbolic.bitfronts_arena import (
    FRONTS,
    TREE,
    Arena,
    front_lengths,
    struct_fields,
    tables,
    tree_lengths,
)
from tests.cuda_on_cpu import Machine, cupy, machine
from tests.patterns import assert_same, from_dense, mirrored, random_pattern
from tests.test_gsofa_gpu import drawn
from tests.thorough import daily

PRUNED = registry.lookup("symbolic", "fill1_pruned").function
# Constants of the kernels, far smaller: every limit is passed by a matrix of a few hundred rows.
TINY = {
    "LONG_LIST": 32,  # A lane has its share of 32.
    "LONG_ROW": 3,
    "LEVEL_WORDS": 2,
    "CHUNK": 2,
    "ROWS": 4,
    "TARGETS": 2,
    "AHEAD": 2,
    "LANE_WORDS": 1,
    "MOST_RUNS": 5,
}
SHAPES = (
    Shape(),
    Shape(leaf=1, chain=0, small=0, share=4, most=4),
    Shape(leaf=4, chain=4, small=16, share=50, most=3),
    Shape(leaf=32, chain=16, small=64, share=20, most=2),
)


def run(pattern: Pattern, **options: Any) -> tuple[Any, Any]:
    """From and to the host, wherever `import cupy` leads."""
    result, work = registry.lookup("symbolic", "bitfronts_gpu").function(on_device(pattern), **options)
    return on_host(result), on_host(work)


@pytest.fixture
def small_blocks(cuda_on_cpu: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Blocks of 64 threads: on the CPU every thread takes its time."""
    for module in (bitfronts_analysis, bitfronts_elimination, bitfronts_output):
        monkeypatch.setattr(module, "THREADS", 64)
    monkeypatch.setattr(bitfronts_output, "WARPS", 2)
    monkeypatch.setattr(bitfronts_analysis, "ENTRIES_A_THREAD", 1)
    return cuda_on_cpu


@pytest.fixture
def tiny(small_blocks: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    """The kernels with the constants of TINY."""
    changed = set()
    for path in [*bitfronts_output.KERNEL.parent.glob("bitfronts_*.cu"), HEADERS / "bitfronts.cuh"]:
        text = path.read_text()
        for name, value in TINY.items():
            text, times = re.subn(rf"\b{name} = \d+", f"{name} = {value}", text)
            changed |= {name} if times else set()
        (tmp_path / path.name).write_text(text.replace('#include "bitfronts.cuh"', header(tmp_path)))
    assert changed == set(TINY)
    places = ((bitfronts_analysis, "TREE_KERNEL"), (bitfronts_analysis, "LISTS_KERNEL"))
    for module, name in (*places, (bitfronts_elimination, "KERNEL"), (bitfronts_output, "KERNEL")):
        monkeypatch.setattr(module, name, tmp_path / getattr(module, name).name)
    return small_blocks


def header(folder: Path) -> str:
    """The shared header's text, to stand where it is included, with the constants of TINY."""
    text = (HEADERS / "bitfronts.cuh").read_text()
    return re.sub(r"\bLONG_LIST = \d+", f"LONG_LIST = {TINY['LONG_LIST']}", text)


def band(n: int, width: int) -> Pattern:
    """Half of the entries within `width` of the diagonal: one long path of fronts."""
    entries = np.random.default_rng(n).random((n, n)) < 0.5
    return from_dense(np.triu(np.tril(entries, width), -width))


def symmetric(pattern: Pattern) -> Pattern:
    dense = np.zeros((pattern.n, pattern.n), dtype=bool)
    dense[pattern.rows(), pattern.indices] = True
    return from_dense(dense | dense.T)


def shapes(n: int, seed: int) -> dict[str, Pattern]:
    """Structures whose trees are as unlike as trees can be."""
    rng = np.random.default_rng(seed)
    empty = np.zeros((n, n), dtype=bool)
    path, star, arrow, rows, dense = (empty.copy() for _ in range(5))
    path[np.arange(n - 1), np.arange(1, n)] = True
    star[0, :] = star[:, 0] = True
    arrow[-1, :] = arrow[:, -1] = True
    rows[n // 2, :] = rows[:, n // 3] = True
    dense[:] = True
    order = rng.permutation(n)
    chain = path | path.T
    # Two fronts whose pivots take turns, and a third with both of their lists.
    turns = np.add.outer(np.arange(n), np.arange(n)) % 2 == 0
    turns[3 * n // 4 :, :] = turns[:, 3 * n // 4 :] = True
    blocks = random_pattern(n, 3.0 / n, seed)
    return {
        "diagonal": from_dense(empty),
        "path": from_dense(path),
        "chain": from_dense(chain),
        "permuted chain": from_dense(chain[np.ix_(order, order)]),
        "star": from_dense(star),
        "arrow": from_dense(arrow),
        "arrow and path": from_dense(arrow | path),
        "dense row and column": from_dense(rows | path),
        "dense": from_dense(dense),
        "taking turns": from_dense(turns),
        "random": blocks,
        "random, symmetric": symmetric(blocks),
    }


def check(pattern: Pattern, **options: Any) -> None:
    """Counts and rows by every path are fill1_pruned's."""
    expected, _ = PRUNED(pattern)
    counts = expected.counts()
    for path in ("auto", "fronts"):
        result, work = run(pattern, path=path, output="counts", **options)
        assert isinstance(result, Counts)
        assert np.array_equal(result.lower, counts.lower), path
        assert np.array_equal(result.upper, counts.upper), path
        assert work.fills == expected.pattern.nnz - pattern.nnz
        result, work = run(pattern, path=path, **options)
        assert_same(result, expected)
        assert work.fills == expected.pattern.nnz - pattern.nnz


@pytest.mark.parametrize(
    ("number", "seed"), daily(itertools.product(range(len(SHAPES)), range(3)), (0, 0), (1, 1))
)
def test_random_patterns(
    small_blocks: Machine, monkeypatch: pytest.MonkeyPatch, number: int, seed: int
) -> None:
    monkeypatch.setattr(bitfronts_gpu, "Shape", lambda: SHAPES[number])
    rng = np.random.default_rng([number, seed])
    for _ in range(2):
        n = int(rng.integers(1, 90))
        pattern = random_pattern(n, float(rng.choice([0.5, 2.0, 5.0])) / n, int(rng.integers(2**32)))
        with machine(seed=int(rng.integers(2**16)), blocks=int(rng.integers(1, 4)), races=True):
            check(pattern)
            check(symmetric(pattern))


STRUCTURES = [shapes(100, 0), shapes(90, 1)]
EVERY_DAY = [
    (0, "permuted chain"),
    (0, "random"),
    (1, "arrow and path"),
    (1, "dense row and column"),
    (1, "star"),
    (1, "taking turns"),
]


@pytest.mark.parametrize(("number", "name"), daily(itertools.product([0, 1], STRUCTURES[0]), *EVERY_DAY))
def test_structures_beyond_every_limit_of_the_kernels(
    tiny: Machine, monkeypatch: pytest.MonkeyPatch, number: int, name: str
) -> None:
    monkeypatch.setattr(bitfronts_gpu, "Shape", lambda: SHAPES[number])
    with machine(seed=len(name), blocks=3, races=True):
        check(STRUCTURES[number][name])


@pytest.mark.parametrize("seed", daily(range(6), 0))
def test_rows_begin_and_end_anywhere(small_blocks: Machine, seed: int) -> None:
    """Parts of rows of L and of U, by the tree, of every length up to 8 from every place within 16 bytes."""
    rng, missing = np.random.default_rng(seed), set(itertools.product(range(4), range(1, 9)))
    while missing:
        pattern = mirrored(random_pattern(60, 1.5 / 60, int(rng.integers(2**32))))
        filled, work = run(pattern)
        assert work.facts["tree"] == 1.0
        assert_same(filled, PRUNED(pattern)[0])
        for starts, ends in (
            (filled.pattern.indptr[:-1], filled.upper_start),
            (filled.upper_start, filled.pattern.indptr[1:]),
        ):
            missing -= set(zip((starts % 4).tolist(), (ends - starts).tolist(), strict=True))


@pytest.mark.parametrize("top", [64, 66, 68])
def test_lists_at_the_limit_of_levels(tiny: Machine, monkeypatch: pytest.MonkeyPatch, top: int) -> None:
    """Vertex 0 reaches every second vertex of a path: its list has as many levels as a bitmap, or more."""
    monkeypatch.setattr(bitfronts_gpu, "Shape", lambda: SHAPES[1])
    entries = np.eye(top + 1, k=1, dtype=bool)
    entries[0, 1:] = np.arange(1, top + 1) % 2 == 0
    check(from_dense(entries | entries.T))


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33])
def test_the_smallest(small_blocks: Machine, n: int) -> None:
    if n == 0:
        for output in ("counts", "pattern"):
            result, work = run(Pattern(np.zeros(1, np.int64), np.zeros(0, np.int32)), output=output)
            assert len(result.lower if output == "counts" else result.upper_start) == 0 == work.fills
        return
    for density in (0.0, 1.0):
        check(random_pattern(n, density, n))


def test_the_check_of_symmetry_decides(small_blocks: Machine) -> None:
    pattern = random_pattern(40, 0.05, 3)
    for one, tree in ((pattern, 0.0), (symmetric(pattern), 1.0)):
        _, work = run(one, output="counts")
        assert work.facts["tree"] == tree
    run(symmetric(pattern), path="tree")
    with pytest.raises(UnsupportedError, match="not structurally symmetric"):
        run(pattern, path="tree")
    # One entry without its mirror is enough, also where as many lie above the diagonal as below.
    dense = np.zeros((5, 5), dtype=bool)
    dense[0, 3] = dense[4, 1] = True
    with pytest.raises(UnsupportedError):
        run(from_dense(dense), path="tree")


def descend(pattern: Pattern, expected: Filled, **options: Any) -> tuple[list[Any], str]:
    """The work of runs with ever less memory, none of which takes more than its budget or makes another
    result, and the message of the refusal at the end."""
    works: list[Any] = []
    while True:
        budget = int(works[-1].peak_memory) - 1 if works else None
        try:
            result, work = run(pattern, memory_budget=budget, **options)
        except MemoryBudgetError as error:
            return works, str(error)
        same(result, expected)
        assert budget is None or 0 < work.peak_memory <= budget
        works.append(work)


def same(result: Any, expected: Filled) -> None:
    """Rows, or counts where the result has no more, are those expected."""
    if isinstance(result, Filled):
        assert_same(result, expected)
    else:
        assert np.array_equal(result.lower, expected.counts().lower)
        assert np.array_equal(result.upper, expected.counts().upper)


def check_waves(pattern: Pattern, expected: Filled, output: str) -> None:
    """Counts or rows by fronts are right in waves; the refusal names the least bytes that do, and the tree is
    refused where it has too few."""
    options = {"path": "fronts", "output": output}
    works, message = descend(pattern, expected, **options)
    assert works[0].facts["waves"] == 1.0 and works[-1].facts["waves"] > 1.0
    least = int(works[-1].peak_memory)
    assert int(re.search(r"(\d+) bytes are needed", message)[1]) == least
    assert run(pattern, memory_budget=least, **options)[1].peak_memory == least
    with pytest.raises(MemoryBudgetError, match="elimination tree"):
        run(pattern, memory_budget=1000, output=output)


def check_budgets_of_rows(pattern: Pattern, path: str) -> None:
    """Less memory than the sets of all blocks take means fewer blocks, and at last a refusal."""
    works, message = descend(pattern, PRUNED(pattern)[0], path=path)
    assert len(works) > 1
    assert int(re.search(r"(\d+) bytes are needed", message)[1]) == works[-1].peak_memory


@pytest.mark.parametrize("output", ["counts", "pattern"])
def test_less_memory_means_waves_and_then_a_refusal_with_the_bytes(
    small_blocks: Machine, output: str
) -> None:
    check_waves(band(300, 40), PRUNED(band(300, 40))[0], output)


@pytest.mark.parametrize("path", ["auto", "fronts"])
def test_rows_stay_within_the_budget(small_blocks: Machine, path: str) -> None:
    check_budgets_of_rows(symmetric(band(150, 10)), path)


def check_packed(count: int) -> None:
    """So many patterns in one: as they are by fronts, mirrored by the tree and by fronts."""
    pattern, expected = drawn(count, 1)
    mirror = mirrored(pattern)
    tree = PRUNED(mirror)[0]
    for output in ("pattern", "counts"):
        result, work = run(pattern, output=output)
        assert work.facts["tree"] == 0.0
        same(result, expected)
        result, work = run(mirror, output=output)
        assert work.facts["tree"] == 1.0
        same(result, tree)
        same(run(mirror, path="fronts", output=output)[0], tree)


def test_packed_patterns(small_blocks: Machine) -> None:
    check_packed(8)


# With 8 patterns five times as long.
@pytest.mark.parametrize("count", daily([2, 8], 2))
def test_packed_patterns_in_waves(small_blocks: Machine, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """By fronts of one column: with larger ones waves take more memory than they spare."""
    monkeypatch.setattr(bitfronts_gpu, "Shape", lambda: SHAPES[1])
    for output in ("counts", "pattern"):
        check_waves(*drawn(count, 1), output)


def check_digest(pattern: Pattern) -> int:
    """Of what the tree makes of a symmetric pattern, counted and written: as of etree_cpu's. Returns the
    entries."""
    filled, _ = registry.lookup("symbolic", "etree_cpu").function(pattern)
    entries, expected = filled.pattern.nnz, rows.digest(filled)
    del filled
    function, there = registry.lookup("symbolic", "bitfronts_gpu").function, on_device(pattern)
    counts = on_host(function(there, output="counts")[0])
    filled, work = function(there)
    assert device_digest.can_digest(filled, pattern.n) and work.facts["tree"] == 1.0
    made = on_host(device_digest.digest(filled))
    for one in (counts, made.counts):
        assert np.array_equal(one.lower, expected.counts.lower)
        assert np.array_equal(one.upper, expected.counts.upper)
    assert np.array_equal(made.hashes, expected.hashes)
    return int(entries)


def test_digest_of_what_the_tree_makes(small_blocks: Machine) -> None:
    assert check_digest(symmetric(band(100, 10))) > 0


def test_repeats_agree_to_the_bit(small_blocks: Machine) -> None:
    """New arrays hold garbage, and every launch has another order of threads."""
    pattern = random_pattern(120, 0.02, 4)
    first, _ = run(pattern, path="fronts")
    for seed in range(3):
        with machine(seed=seed):
            assert_same(run(pattern, path="fronts")[0], first)


def test_structs_are_read_as_the_kernels_declare_them() -> None:
    """Every array of an arena is a field of its struct; sizes are checked at each launch on CPU threads."""
    text = (HEADERS / "bitfronts.cuh").read_text()
    for part in (TREE, FRONTS):
        names = struct_fields(part.struct)
        assert len(set(names)) == len(names) and {name for name, _, _ in part.fields} <= set(names)
    words = re.search(r"enum Totals {(.*?)}", text)[1].replace(",", " ").lower().split()
    assert [field.name for field in dataclasses.fields(Totals)] == [
        {"front_count": "fronts"}.get(word, word) for word in words
    ]


@given(st.integers(1, 300), st.integers(1, 900), st.integers(1, 9))
def test_arrays_of_an_arena_do_not_overlap_and_the_zero_ones_are_zero(n: int, nnz: int, blocks: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cupy", cupy)
        for part, lengths in (
            (TREE, tree_lengths(n, nnz, blocks)),
            (FRONTS, front_lengths(n, nnz, n, 7, blocks, columns=True)),
        ):
            arena = Arena(part, part.starts(lengths))
            views = {name: arena.array(name, lengths[length]) for name, length, _ in part.fields}
            zero = {name for group in part.zero.values() for name in group}
            for number, (name, view) in enumerate(views.items()):
                assert name not in zero or not cupy.asnumpy(view).any()
                view.fill(number)
            struct = dict(zip(struct_fields(part.struct), arena.struct({}).view(np.uint64), strict=True))
            for number, (name, view) in enumerate(views.items()):
                assert (cupy.asnumpy(view) == number).all()
                assert int(struct[name]) == int(view.data.ptr)


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (1025, 12)])
def test_jump_tables_are_one_more_than_the_powers_of_two_below_the_height(n: int, count: int) -> None:
    assert tables(n) == count
    assert tree_lengths(n, n, 1)["tables"] == n * count


Forest = tuple[Array, Array, Array, Array]


@st.composite
def forests(draw: st.DrawFn) -> Forest:
    """Heights, parents and sizes of fronts, and how much is kept of each."""
    count = draw(st.integers(1, 60))
    up = np.array([draw(st.integers(k + 1, count)) for k in range(count)])
    up[up == count] = -1
    height = np.zeros(count, np.int64)
    for front, parent in enumerate(up):
        if parent >= 0:
            height[parent] = max(height[parent], height[front] + 1)
    words = np.array(draw(st.lists(st.integers(1, 100), min_size=count, max_size=count)))
    kept = -(-words // draw(st.integers(1, 9)))
    return height, up, words, kept[: draw(st.sampled_from([0, count]))]


@given(forests(), st.integers(1, 9))
def test_parts_that_are_needed_at_a_time_lie_apart(forest: Forest, count: int) -> None:
    height, up, words, kept = forest
    waves = bitfronts_waves.divide(height, up, words, kept, count)
    own = np.searchsorted(waves.tops, height, side="right")
    assert waves.tops[-1] > height.max()
    for front, parent in enumerate(up):
        assert waves.birth[front] <= own[front]
        assert parent < 0 or waves.birth[parent] <= own[front]
    # What is kept of a front is a part from the front's wave to the last.
    birth = np.concatenate([waves.birth, own[: len(kept)]])
    death = np.concatenate([own, np.full(len(kept), count - 1)])
    words = np.concatenate([words, kept])
    assert (waves.start >= 0).all() and (waves.start + words <= waves.words).all()
    for one, other in itertools.combinations(range(len(words)), 2):
        if birth[one] <= death[other] and birth[other] <= death[one]:
            apart = waves.start[one] + words[one] <= waves.start[other]
            assert apart or waves.start[other] + words[other] <= waves.start[one]
    # A wave clears what begins in it: no group reaches into another's parts.
    for group in waves.groups:
        within = (waves.start >= group.start) & (waves.start < group.start + group.words)
        alive = (birth <= group.birth) & (death >= group.birth)
        assert (birth[within & alive] == group.birth).all()


@given(forests())
def test_the_fewest_waves_that_fit_are_taken(forest: Forest) -> None:
    sizes = [bitfronts_waves.divide(*forest, count).words for count in bitfronts_waves.WAVES]
    for count, room in zip(bitfronts_waves.WAVES, sizes, strict=True):
        waves = bitfronts_waves.plan(*forest, room)
        assert waves is not None and waves.words <= room and len(waves.tops) <= count
    assert bitfronts_waves.plan(*forest, min(sizes) - 1) is None
    assert bitfronts_waves.least_words(*forest) == min(sizes)


# ---- on a card ----


@pytest.mark.gpu
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_two_thousand_patterns(monkeypatch: pytest.MonkeyPatch, shape: Shape) -> None:
    monkeypatch.setattr(bitfronts_gpu, "Shape", lambda: shape)
    check_packed(2000)


@pytest.mark.gpu
def test_two_thousand_patterns_in_waves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitfronts_gpu, "Shape", lambda: SHAPES[1])
    for output in ("counts", "pattern"):
        check_waves(*drawn(2000, 1), output)


@pytest.mark.gpu
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_orders_up_to_fifteen_hundred(monkeypatch: pytest.MonkeyPatch, shape: Shape) -> None:
    monkeypatch.setattr(bitfronts_gpu, "Shape", lambda: shape)
    rng = np.random.default_rng(11)
    for number in range(75):
        n = int(rng.integers(200, 1501))
        pattern = random_pattern(n, float(rng.choice([1.0, 2.0, 4.0])) / n, int(rng.integers(2**32)))
        check(symmetric(pattern) if number % 3 == 0 else pattern)


@pytest.mark.gpu
@pytest.mark.parametrize("n", [150, 2000])
def test_structures(n: int) -> None:
    for pattern in shapes(n, 5).values():
        check(pattern)


@pytest.mark.gpu
def test_a_permuted_chain_of_a_million() -> None:
    n = 10**6
    order = np.random.default_rng(2).permutation(n).astype(np.int64)
    ends = np.concatenate([order[:-1], order[1:], np.arange(n)])
    others = np.concatenate([order[1:], order[:-1], np.arange(n)])
    place = np.lexsort((others, ends))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n))])
    check(Pattern(indptr.astype(np.int64), others[place].astype(np.int32)))


@pytest.mark.gpu
@pytest.mark.parametrize("path", ["auto", "fronts"])
def test_forty_repeats_on_poisoned_memory(path: str) -> None:
    import cupy

    pattern, expected = drawn(300, 9)
    for k in range(40):
        poison = cupy.full(2**26, 0x5A + k, np.uint8)
        del poison
        assert_same(run(pattern, path=path)[0], expected)


@pytest.mark.gpu
@pytest.mark.parametrize("path", ["auto", "fronts"])
def test_budgets_on_a_card(path: str) -> None:
    pattern = band(1500, 60)
    for output in ("counts", "pattern"):
        check_waves(pattern, PRUNED(pattern)[0], output)
    check_budgets_of_rows(symmetric(pattern), path)


@pytest.mark.gpu
def test_more_than_two_to_the_thirty_one_entries() -> None:
    """109^3 points in METIS order. The host holds F as well: 9 GB."""
    from fetch.prepare import prepare
    from fillpath.case import Preparation

    prepared = prepare("poisson3d,109", Preparation(matching="none", ordering="metis"))
    assert check_digest(prepared.pattern) > 2**31
