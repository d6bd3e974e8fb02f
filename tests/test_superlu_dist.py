"""SuperLU_DIST's symbolic factorisations against fill1, and what is ours of them: separators, counts.

What needs the library or mpi4py skips where they are absent; with FILLPATH_MPI=1, which .ci/run sets, it
fails.
"""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from fillpath.errors import InputError, UnavailableError, UnsupportedError
from fillpath.nouns import Array, Counts, Pattern
from fillpath.phase import recording
from fillpath.registry import lookup
from impl.peers import mpi, superlu_dist
from impl.symbolic import superlu_dist_parallel
from impl.symbolic.separator_tree import SeparatorTree, separator_tree
from impl.symbolic.supernode_subscripts import Segments, Subscripts
from tests.patterns import FAMILIES, eliminated, from_entries, mirrored, patterns, random_pattern
from tests.phase_nesting import Clock
from tests.superlu_dist_on_ranks import dissected
from tests.test_phase_coverage import LEAST, SHARE
from tests.test_ranks import on_ranks

NAMES = ("superlu_dist", "superlu_dist_parallel")
LEAVES = st.sampled_from([1, 2, 4, 8, 16])


def require(name: str) -> None:
    """Skip the test where the implementation's library is absent."""
    there, reason = lookup("symbolic", name).available()
    if not there:
        if os.environ.get("FILLPATH_MPI") == "1":
            pytest.fail(f"{reason}, which FILLPATH_MPI=1 asks for")
        pytest.skip(reason)


@pytest.fixture(params=NAMES, scope="module")
def name(request: pytest.FixtureRequest) -> str:
    """An implementation's, whose library is here."""
    require(request.param)
    return str(request.param)


def assert_same(name: str, pattern: Pattern) -> None:
    filled, _ = lookup("symbolic", "fill1").function(pattern)
    expected = filled.counts()
    counts, work = lookup("symbolic", name).function(pattern)
    assert isinstance(counts, Counts)
    np.testing.assert_array_equal(counts.lower, expected.lower)
    np.testing.assert_array_equal(counts.upper, expected.upper)
    assert work.fills == expected.nnz - pattern.nnz


def test_row_counts_are_those_of_fill1(name: str) -> None:
    @given(patterns(60), st.booleans())
    def check(pattern: Pattern, symmetric: bool) -> None:
        assert_same(name, mirrored(pattern) if symmetric else pattern)

    check()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 2, 300])
def test_row_counts_of_hard_patterns_are_those_of_fill1(name: str, family: str, n: int) -> None:
    assert_same(name, FAMILIES[family](n))


def test_row_counts_of_a_dense_pattern_are_whole_rows(name: str) -> None:
    # More columns than a supernode may have.
    assert_same(name, random_pattern(600, 1.0, 0))


def test_phases_cover_a_call(name: str) -> None:
    function = lookup("symbolic", name).function
    side = np.arange(200 * 200).reshape(200, 200)
    first, second = (
        np.r_[side[:, :-1].ravel(), side[:-1].ravel()],
        np.r_[side[:, 1:].ravel(), side[1:].ravel()],
    )
    pattern = from_entries(side.size, np.r_[first, second], np.r_[second, first])
    shares = []
    for _ in range(5):
        with recording(Clock()) as clock:
            start = time.perf_counter()
            function(pattern)
            elapsed = time.perf_counter() - start
        assert elapsed > LEAST, "too short a call to hold to this"
        shares.append(clock.covered / elapsed)
    assert set(clock.seconds) <= {"separators", "convert", "etree", "symbolic", "counts"}
    # The best: what else runs on the machine only lowers a share.
    assert max(shares) >= SHARE


@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_find_what_fill1_finds(ranks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    require("superlu_dist_parallel")
    # A user's own settings of the library, one of which would pad supernodes.
    monkeypatch.setenv("SUPERLU_RELAX", "60")
    monkeypatch.setenv("SUPERLU_FILL", "1")
    done = on_ranks(ranks, str(ranks), module="tests.superlu_dist_on_ranks")
    assert done.returncode == 0, done.stderr


def test_three_ranks_are_refused_before_the_library_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(superlu_dist_parallel, "everyone", lambda ranks: None)
    monkeypatch.setattr(superlu_dist_parallel, "factorised_in_parallel", lambda *_: pytest.fail("called"))
    with pytest.raises(InputError, match="power of two"):
        lookup("symbolic", "superlu_dist_parallel").function(random_pattern(50, 0.1, 1), ranks=3)


def nodes(tree: SeparatorTree) -> list[tuple[int, int]]:
    return [(int(first), int(first + size)) for first, size in zip(tree.first, tree.sizes, strict=True)][:-1]


def tree_of(pattern: Pattern, leaves: int) -> SeparatorTree | None:
    try:
        return separator_tree(pattern, leaves)
    except UnsupportedError:
        event("refused")
        assert leaves > 1
        return None


DISSECTED = st.builds(dissected, LEAVES, st.integers(0, 999))


@given(patterns(60) | DISSECTED, LEAVES)
def test_a_separator_tree_parts_all_vertices(pattern: Pattern, leaves: int) -> None:
    tree = tree_of(pattern, leaves)
    if tree is None:
        return
    assert len(tree.sizes) == len(tree.first) == 2 * leaves
    assert tree.sizes.dtype == tree.first.dtype == np.int32
    assert tree.sizes.min() >= 0 and tree.sizes[:leaves].min() > 0
    vertices = np.concatenate([np.arange(begin, end) for begin, end in nodes(tree)])
    np.testing.assert_array_equal(np.sort(vertices), np.arange(pattern.n))


@given(patterns(60) | DISSECTED, LEAVES)
def test_no_entry_joins_two_halves(pattern: Pattern, leaves: int) -> None:
    tree = tree_of(pattern, leaves)
    if tree is None:
        return
    # Level by level from the leaves: the parent of node k is node `leaves` + k // 2.
    node = np.empty(pattern.n, np.int64)
    for number, (begin, end) in enumerate(nodes(tree)):
        node[begin:end] = number
    above: list[set[int]] = [set() for _ in range(2 * leaves - 1)]
    for number in reversed(range(2 * leaves - 1)):
        is_root = number == 2 * leaves - 2
        above[number] = {number} | (set() if is_root else above[leaves + number // 2])
    for row, column in zip(node[pattern.rows()], node[pattern.indices], strict=True):
        assert row in above[column] or column in above[row]


def test_most_dissected_patterns_are_parted() -> None:
    trees = [tree_of(dissected(8, seed), 8) for seed in range(50)]
    assert sum(tree is not None for tree in trees) > 35


@pytest.mark.parametrize("leaves", [2, 4, 64])
def test_a_leaf_without_a_vertex_is_refused(leaves: int) -> None:
    with pytest.raises(UnsupportedError, match="fewer leaves"):
        separator_tree(random_pattern(20, 1.0, 1), leaves)
    if leaves > 3:
        with pytest.raises(UnsupportedError, match="fewer leaves"):
            separator_tree(FAMILIES["diagonal"](3), leaves)


def test_a_grid_in_nested_dissection_is_parted_at_its_separator() -> None:
    # Columns 0 to 2, then 4 to 6, then the one between, of a grid of 7 by 7.
    order = np.concatenate([np.arange(21), np.arange(28, 49), np.arange(21, 28)])
    place = np.argsort(order)
    right = [(v, v + 1) for v in range(49) if v % 7 < 6] + [(v, v + 7) for v in range(42)]
    rows, columns = place[np.array(right)].T
    tree = separator_tree(from_entries(49, rows, columns), 2)
    assert nodes(tree) == [(0, 21), (21, 42), (42, 49)]


@pytest.mark.parametrize("leaves", [-2, 0, 3, 6, 12])
def test_leaves_are_a_power_of_two(leaves: int) -> None:
    with pytest.raises(InputError, match="power of two"):
        separator_tree(random_pattern(20, 0.1, 1), leaves)


def supernodes_of(lower: Array, linked: bool) -> tuple[Array, Array]:
    """(first, last) of the runs of columns of a factor that have the same rows below them.

    linked : whether an entry has to join a column and the next
    """
    n = len(lower)
    alike = [np.array_equal(lower[j + 1 :, j], lower[j + 1 :, j - 1]) for j in range(1, n)]
    starts = [j for j in range(1, n) if not alike[j - 1] or (linked and not lower[j, j - 1])]
    first = np.array([0, *starts])
    return first, np.append(first[1:], n)


def subscripts_of(lower: Array, first: Array, last: Array, rng: np.random.Generator) -> Subscripts:
    """Shuffled, with gaps between the supernodes' own."""
    lists = [rng.permutation(np.nonzero(lower[:, j])[0]) for j in first]
    end = np.cumsum([len(rows) + 1 for rows in lists]) - 1
    begin = end - [len(rows) for rows in lists]
    indices = np.concatenate([np.append(rows, -1) for rows in lists])
    return Subscripts(first, last, begin, end, indices)


@given(patterns(40), st.integers(0, 99))
def test_subscripts_count_the_entries_of_a_factor(pattern: Pattern, seed: int) -> None:
    lower = np.tril(eliminated(pattern))
    rng = np.random.default_rng(seed)
    subscripts = subscripts_of(lower, *supernodes_of(lower, linked=False), rng)
    np.testing.assert_array_equal(subscripts.by_subscript(pattern.n), lower.sum(axis=1) - 1)
    np.testing.assert_array_equal(subscripts.by_vertex(pattern.n), lower.sum(axis=0) - 1)


def test_of_some_supernodes_only_their_own_entries_count() -> None:
    # Of columns 2 and 3 of 6, as a rank has it.
    some = Subscripts(*(np.array(x) for x in ([2], [4], [1], [4], [9, 5, 2, 3, 9])))
    assert some.by_vertex(6).tolist() == [0, 0, 2, 1, 0, 0]
    assert some.by_subscript(6).tolist() == [0, 0, 0, 1, 0, 2]


@given(patterns(40), st.integers(0, 99))
def test_segments_count_the_entries_of_u(pattern: Pattern, seed: int) -> None:
    full = eliminated(pattern)
    lower, upper, n = np.tril(full), np.triu(full), pattern.n
    first, last = supernodes_of(lower, linked=True)
    subscripts = subscripts_of(lower, first, last, np.random.default_rng(seed))
    tops, starts = [], [0]
    for column in range(n):
        for begin, end in zip(first, last, strict=True):
            rows = np.nonzero(upper[begin:end, column])[0]
            if len(rows) and end <= column:
                tops.append(begin + rows[0])
        starts.append(len(tops))
    columns = from_entries(n, pattern.indices.astype(np.int64), pattern.rows())
    segments = Segments(np.array(starts), np.array(tops, np.int64))
    counts = segments.by_row(subscripts, columns.indptr[:-1], columns.indptr[1:], columns.indices)
    np.testing.assert_array_equal(counts, upper.sum(axis=1))


def test_the_library_is_not_given_what_would_end_the_process() -> None:
    with pytest.raises(InputError, match="order 0"):
        superlu_dist.factorised(Pattern(np.zeros(1, np.int64), np.zeros(0, np.int32)))
    with pytest.raises(UnsupportedError, match="2147483648 entries"):
        superlu_dist.factorised(Pattern(np.array([0, 2**31]), np.zeros(0, np.int32)))


def test_a_library_that_cannot_be_loaded_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "libsuperlu_dist.so.8"
    file.write_text("no library")
    monkeypatch.setenv("FILLPATH_SUPERLU_DIST", str(file))
    with pytest.raises(UnavailableError, match=f"{file} cannot be loaded"):
        superlu_dist.library.__wrapped__()


def test_two_mpi_libraries_in_one_process_are_refused() -> None:
    mpi.refuse_two({"libmpi.so.40"}, "HYPRE")
    both = r"libmpi\.so\.12 and libmpi\.so\.40: have mpi4py take that of HYPRE"
    with pytest.raises(UnavailableError, match=both):
        mpi.refuse_two({"libmpi.so.40", "libmpi.so.12"}, "HYPRE")
