"""Fronts on the host: their lists, their factor in both forms, solves with it, and the gate that holds it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.checks.factors import verify_factor
from benchmarks.checks.fronts import on_filled
from benchmarks.engine.operands import context, operand
from benchmarks.engine.reference import make_reference
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import InputError, UnsupportedError
from fillpath.nouns import Array, FrontFactor, Fronts, Pattern, Prepared, TwoWay
from impl.inputs import fronts as fronts_of
from impl.multifrontal.elimination_cpu import eliminated, entries_of, plan_of
from impl.multifrontal.front_lu_cpu import LARGE, PANEL
from impl.multifrontal.solve_cpu import solved
from impl.numeric.left_looking import left_looking
from impl.numeric.multifrontal_cpu import flops, multifrontal_cpu
from impl.numeric.pivots import small_pivot
from impl.solve.right_hand_side import as_matrix
from tests.patterns import FAMILIES, from_dense, mirrored, patterns, random_pattern
from tests.test_numeric import dense_of, dominant, of_dense, prepared_of, start_of
from tests.verdicts import verdict_on

ENTRY = registry.lookup("numeric", "multifrontal_cpu")


def blocks_of(factor: FrontFactor, front: int) -> tuple[Array, Array, Array]:
    """(labels of all rows, f x s pivots' columns, s x r rows right of them); the blocks are views."""
    fronts = factor.fronts
    pivots = np.arange(*fronts.first[front : front + 2])
    below = fronts.list[fronts.list_start[front] : fronts.list_start[front + 1]]
    s, f, start = len(pivots), len(pivots) + len(below), factor.start[front]
    lower = factor.values[start : start + s * f].reshape(s, f).T
    upper = factor.values[start + s * f : start + s * (2 * f - s)].reshape(f - s, s).T
    return np.concatenate([pivots, below]), lower, upper


def with_panels(factor: FrontFactor, width: int) -> FrontFactor:
    """The same factor by panels, from the definition: A_KK = L_KK U_KK, A_KJ = L_KK U_KJ."""
    panel = np.full_like(factor.panel, width)
    other = replace(factor, values=factor.values.copy(), panel=panel)
    for front in range(len(panel)):
        _, lower, upper = blocks_of(other, front)
        s = lower.shape[1]
        for begin in range(0, s, width):
            end = min(begin + width, s)
            block = lower[begin:end, begin:end].copy()
            unit = np.tril(block, -1) + np.eye(end - begin)
            lower[begin:end, begin:end] = np.linalg.inv(unit @ np.triu(block))
            lower[end:, begin:end] = np.linalg.solve(unit.T, lower[end:, begin:end].T).T
            lower[begin:end, end:] = unit @ lower[begin:end, end:]
            upper[begin:end] = unit @ upper[begin:end]
    return other


def rows_of(fronts: Fronts, front: int) -> Array:
    pivots = np.arange(*fronts.first[front : front + 2])
    below = fronts.list[fronts.list_start[front] : fronts.list_start[front + 1]]
    return np.concatenate([pivots, below])


def require_sound(fronts: Fronts, n: int) -> None:
    """What the noun says, and that every entry of A and every contribution has its place."""
    m = len(fronts.up)
    assert fronts.first.dtype == fronts.up.dtype == fronts.label.dtype == np.int32
    assert fronts.list.dtype == fronts.place.dtype == np.int32 and fronts.list_start.dtype == np.int64
    assert sorted(fronts.label) == list(range(n)) and fronts.first[0] == 0 and fronts.first[m] == n
    assert np.all(np.diff(fronts.first) > 0) and len(fronts.list) == len(fronts.place) == fronts.list_start[m]
    for front in range(m):
        rows, up = rows_of(fronts, front), fronts.up[front]
        assert np.all(np.diff(rows) > 0)
        below = rows[fronts.first[front + 1] - fronts.first[front] :]
        assert (up == -1) == (len(below) == 0)
        if up >= 0:
            assert up > front
            place = fronts.place[fronts.list_start[front] : fronts.list_start[front + 1]]
            assert np.array_equal(rows_of(fronts, up)[place], below)
    pattern = fronts.prepared.pattern
    i, j = fronts.label[pattern.rows()], fronts.label[pattern.indices]
    owner = np.searchsorted(fronts.first, np.minimum(i, j), side="right") - 1
    for front, label in zip(owner, np.maximum(i, j), strict=True):
        assert label in rows_of(fronts, front)


@given(patterns(60))
def test_fronts_are_as_the_noun_says(pattern: Pattern) -> None:
    require_sound(fronts_of(dominant(pattern)), pattern.n)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 2, 40, 300])
def test_fronts_of_families_and_their_factor(family: str, n: int) -> None:
    prepared = dominant(FAMILIES[family](n))
    fronts = fronts_of(prepared)
    require_sound(fronts, n)
    factor, work = multifrontal_cpu(fronts)
    require_right(prepared, factor)
    assert work.facts is not None and work.facts["fronts"] == len(fronts.up)
    sizes = np.array([len(rows_of(fronts, front)) for front in range(len(fronts.up))])
    assert work.facts["largest_front"] == sizes.max()


@pytest.mark.parametrize(("reached", "merged"), [(7, False), (23, False), (24, True), (40, True)])
def test_fronts_are_merged_up_to_a_fifth_of_zeros(reached: int, merged: bool) -> None:
    """Two dense blocks of 40, the first of which reaches some columns of the second: 40 (40 - reached) zeros
    in 40 columns of 80 rows."""
    dense = 80 * np.eye(80)
    dense[:40, :40] += 1
    dense[40:, 40:] += 1
    dense[:40, 40 : 40 + reached] = 1
    assert (40 * (40 - reached) <= 0.2 * 40 * 80) == merged
    assert len(fronts_of(of_dense(dense)).up) == (1 if merged else 2)


@pytest.mark.parametrize(("columns", "merged"), [(33, False), (15, True)])
def test_fronts_of_few_columns_are_merged_whatever_that_adds(columns: int, merged: bool) -> None:
    """A chain of columns that ends in a dense block of 80, of which it reaches one column."""
    n = columns + 80
    dense = 200 * np.eye(n)
    dense[:columns, :columns] += 1
    dense[columns:, columns:] += 1
    dense[:columns, columns] = 1
    assert columns * 79 > 0.2 * columns * n
    assert len(fronts_of(of_dense(dense)).up) == (1 if merged else 2)


def test_zeros_of_mergers_add_up() -> None:
    """Blocks of 40, the first of which reaches all columns of the second, and this 18 of the third: 40 x 18
    zeros in 40 columns of 98 rows, and 80 x 22 more in 80 of 120."""
    dense = 200 * np.eye(120)
    for begin in (0, 40, 80):
        dense[begin : begin + 40, begin : begin + 40] += 1
    dense[:40, 40:80] = dense[40:80, 80:98] = 1
    assert 720 <= 0.2 * 40 * 98 and 1760 <= 0.2 * 80 * 120 < 720 + 1760
    assert fronts_of(of_dense(dense)).first.tolist() == [0, 80, 120]


def test_an_order_of_zero_has_no_fronts() -> None:
    empty = Pattern(np.zeros(1, np.int64), np.zeros(0, np.int32))
    factor, work = multifrontal_cpu(fronts_of(prepared_of(empty, np.zeros(0))))
    assert len(factor.values) == len(factor.panel) == 0 and work.facts is not None
    assert work.facts["flops"] == work.facts["largest_front"] == 0
    assert solved(factor, np.zeros(0)).shape == (0,)


def require_right(prepared: Prepared, factor: FrontFactor, dtype: str = "float64") -> None:
    """It passes the gate and solves systems, as it is and by panels."""
    start = start_of(prepared)
    b = np.random.default_rng(1).standard_normal((prepared.pattern.n, 3))
    matrix = as_matrix(prepared)
    tolerance = 1e-10 if dtype == "float64" else 1e-3
    for form in (factor, with_panels(factor, 32), with_panels(factor, 5)):
        found, panels = on_filled(form, start.two_way)
        verdict = verify_factor(found, prepared, start.two_way, dtype, False, panels)
        assert verdict.passes, verdict
        for right in (b, b[:, 0]):
            x = solved(form, right)
            assert x.shape == right.shape and x.dtype == dtype
            assert np.abs(matrix @ x - right).max() <= tolerance * (1 + np.abs(x).max() * abs(matrix).max())


@given(patterns(60), st.integers(0, 2**32 - 1), st.sampled_from(["float64", "float32"]))
def test_random_matrices(pattern: Pattern, seed: int, dtype: Any) -> None:
    prepared = dominant(pattern, seed)
    factor, work = multifrontal_cpu(fronts_of(prepared), dtype=dtype)
    assert factor.values.dtype == dtype and not factor.panel.any()
    require_right(prepared, factor, dtype)
    assert work.peak_memory is not None and work.peak_memory >= factor.values.nbytes


@given(patterns(60), st.integers(0, 2**32 - 1))
def test_the_factor_is_that_of_every_other_implementation(pattern: Pattern, seed: int) -> None:
    """Value for value on F, whose entries are of L in the order of fronts where they are in the prepared."""
    prepared = dominant(pattern, seed)
    start, fronts = start_of(prepared), fronts_of(prepared)
    expected, _ = left_looking(start)
    plain, _ = multifrontal_cpu(fronts)
    for form in (plain, with_panels(plain, 32), with_panels(plain, 3)):
        found, _ = on_filled(form, start.two_way)
        assert found.small_pivots == 0
        assert np.allclose(found.values, expected.values, rtol=1e-8, atol=1e-11)
    filled = start.two_way.filled.pattern
    rows, columns = filled.rows(), filled.indices
    assert np.array_equal(rows > columns, fronts.label[rows] > fronts.label[columns])


def test_fronts_hold_nothing_outside_of_the_filled_pattern() -> None:
    prepared = dominant(random_pattern(200, 0.01, 5))
    both = start_of(prepared).two_way
    factor, _ = multifrontal_cpu(fronts_of(prepared))
    inside = np.zeros((200, 200), bool)
    inside[both.filled.pattern.rows(), both.filled.pattern.indices] = True
    label, seen = factor.fronts.label, 0
    vertex = np.argsort(label)
    for front in range(len(factor.panel)):
        labels, lower, upper = blocks_of(factor, front)
        rows, s = vertex[labels], lower.shape[1]
        outside = ~inside[np.ix_(rows, rows[:s])], ~inside[np.ix_(rows[:s], rows[s:])]
        assert not lower[outside[0]].any() and not upper[outside[1]].any()
        seen += outside[0].sum() + outside[1].sum()
    assert seen > 0


def large() -> Prepared:
    """Subtrees, and a front that all threads work on."""
    n = 1000
    dense = np.zeros((n, n), bool)
    rng = np.random.default_rng(3)
    for begin in range(0, 500, 50):
        dense[begin : begin + 50, begin : begin + 50] = rng.random((50, 50)) < 0.3
        dense[begin + 49, 500 + begin // 2 :: 7] = True
    dense[500:, 500:] = rng.random((500, 500)) < 0.5
    return dominant(mirrored(from_dense(dense)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_same_bits_on_any_number_of_threads(dtype: str) -> None:
    prepared = large()
    fronts = fronts_of(prepared)
    plan, entries = plan_of(fronts), entries_of(fronts, dtype)
    assert (len(rows_of(fronts, len(fronts.up) - 1)) - PANEL) ** 2 * PANEL > LARGE
    alone = eliminated(plan, entries, 0.0, 1)
    for threads in (1, 2, 3, 8):
        other = eliminated(plan, entries, 0.0, threads)
        assert np.array_equal(alone.values.view(np.uint8), other.values.view(np.uint8)), threads
    require_right(prepared, multifrontal_cpu(fronts, dtype=dtype)[0], dtype)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_small_pivots_are_replaced_with_their_sign_and_counted(dtype: Any) -> None:
    """||A||_1 = 11: 0 and what is a little above it become eps, what is below it -eps; 0.005 stays."""
    eps = small_pivot(dtype) * 11
    dense = np.diag([10.0, 0.0, 0.1 * eps, -0.01 * eps, 0.005, 1.0])
    dense[5, 0] = 1.0
    prepared = of_dense(dense)
    both = start_of(prepared).two_way
    factor, work = multifrontal_cpu(fronts_of(prepared), dtype=dtype, static_pivoting=True)
    assert factor.small_pivots == 3 and work.facts is not None and work.facts["small_pivots"] == 3
    found, _ = on_filled(factor, both)
    assert np.allclose(np.diag(dense_of(found)[1]), [10, eps, eps, -eps, 0.005, 1], rtol=1e-6)
    for told, allowed, passes in ((3, True, True), (2, True, False), (3, False, False)):
        verdict = verify_factor(replace(found, small_pivots=told), prepared, both, dtype, allowed)
        assert verdict.passes is passes


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_first_column_without_a_pivot_is_named(dtype: Any) -> None:
    """In the prepared matrix, one that elimination makes, and the first of several subtrees'."""
    for dense, column in (
        ([[1, 0, 1], [0, 0, 1], [1, 1, 1]], 1),
        ([[1, 2, 0], [1, 2, 1], [0, 1, 1]], 1),
        ([[0, 1], [1, 1]], 0),
        (np.diag([1.0, 0.0, 1.0, 0.0]), 1),
    ):
        message = rf"column {column}: the pivot is zero \(static_pivoting=true replaces small ones\)"
        with pytest.raises(UnsupportedError, match=message):
            multifrontal_cpu(fronts_of(of_dense(dense)), dtype=dtype)


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_column_that_is_not_finite_is_named(bad: float, static: bool) -> None:
    prepared = of_dense([[1, 0, 0], [0, 1, bad], [0, 0, 1]])
    with pytest.raises(UnsupportedError, match="column 2: a value is infinite or not a number in float64"):
        multifrontal_cpu(fronts_of(prepared), static_pivoting=static and np.isnan(bad))


def test_overflow_ends_in_a_status_too() -> None:
    grown = of_dense([[1e-200, 1e200], [1e200, 1]])
    with pytest.raises(UnsupportedError, match="column 0: a value is infinite"):
        multifrontal_cpu(fronts_of(grown))
    wide = fronts_of(of_dense([[1, 0], [1e300, 1]]))
    with pytest.raises(UnsupportedError, match="column 0: a value is infinite or not a number in float32"):
        multifrontal_cpu(wide, dtype="float32")
    assert multifrontal_cpu(wide)[0].values.max() == 1e300


def test_the_input_is_left_alone() -> None:
    prepared = dominant(random_pattern(80, 0.05, 4))
    before = prepared.values.copy()
    multifrontal_cpu(fronts_of(prepared))
    assert np.array_equal(prepared.values, before)


def test_flops_are_those_of_dense_elimination() -> None:
    """Pivots 2 of 5 rows: 4 and 3 divisions, 16 and 9 multiply-adds; a dense matrix of order 3: 3 and 5."""
    assert flops(np.array([2]), np.array([3])) == 7 + 2 * 25
    assert flops(np.array([2, 3]), np.array([3, 0])) == 57 + 3 + 2 * 5


@pytest.fixture(scope="module")
def held() -> Any:
    """(context, fronts, factor) as the worker has them."""
    prepared = prepare("random,200,0.02", Preparation("auto", "natural"))
    found = context(prepared, make_reference(prepared.pattern), ENTRY, {"static_pivoting": "true"})
    fronts = operand(ENTRY, found)
    return found, fronts, multifrontal_cpu(fronts, static_pivoting=True)[0]


def test_the_gate_passes_both_forms_and_counts_bytes(held: Any) -> None:
    from benchmarks.numeric import Numeric

    found, _, factor = held
    for form in (factor, with_panels(factor, 32)):
        assert verdict_on("numeric", form, found).passes
    f = found.noun(TwoWay).columns.nnz
    given = found.prepared.pattern.indices.nbytes + found.prepared.pattern.indptr.nbytes
    least = given + found.prepared.values.nbytes + 8 * f
    assert Numeric().least_bytes(factor, found) == least


# A place outside of F.
@example(3, np.inf, 32)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-3, np.nan, np.inf]), st.sampled_from([0, 32]))
def test_the_gate_sees_one_wrong_value(held: Any, seed: int, off: float, width: int) -> None:
    found, _, factor = held
    form = with_panels(factor, width) if width else factor
    values = form.values.copy()
    values[seed % len(values)] += off * np.abs(values).max()
    assert not verdict_on("numeric", replace(form, values=values), found).passes


def test_a_panel_wider_than_its_front_allows_no_more_roundings() -> None:
    prepared = dominant(random_pattern(40, 0.08, 3))
    both = start_of(prepared).two_way
    form = with_panels(multifrontal_cpu(fronts_of(prepared))[0], 10**6)
    signs = np.random.default_rng(0).choice([-1e-9, 1e-9], len(form.values))
    for off, passes in ((0, True), (signs, False)):
        factor, panels = on_filled(replace(form, values=form.values * (1 + off)), both)
        assert verify_factor(factor, prepared, both, None, False, panels).passes == passes


def test_the_gate_refuses_what_is_no_factor_on_these_fronts(held: Any) -> None:
    found, _, factor = held
    short, none = factor.values[:-1], np.empty(0, np.int64)
    for wrong in (
        {"values": short},
        {"values": factor.values.astype(np.float32)},
        {"values": factor.values.astype(np.int64)},
        {"values": factor.values[:, None]},
        {"start": none},
        {"panel": none.astype(np.int32)},
        {"start": factor.start - 1},
        {"start": factor.start + 1},
        {"start": np.full_like(factor.start, 2**63 - 1)},
        {"panel": factor.panel - 1},
        {"panel": factor.panel + 32},
    ):
        assert not verdict_on("numeric", replace(factor, **wrong), found).passes, wrong


def test_the_gate_takes_its_own_fronts(held: Any) -> None:
    """An implementation cannot change what its factor is held against."""
    found, fronts, factor = held
    other = fronts_of(dominant(random_pattern(200, 0.02, 9)))
    assert verdict_on("numeric", replace(factor, fronts=other), found).passes
    assert not verdict_on("numeric", multifrontal_cpu(other)[0], found).passes
    assert found.expected is not fronts and np.array_equal(found.expected.label, fronts.label)


def test_an_entry_that_no_front_has_is_not_passed() -> None:
    """Fronts of a matrix with fewer entries."""
    prepared = dominant(FAMILIES["star"](60))
    both = start_of(prepared).two_way
    fewer, _ = multifrontal_cpu(fronts_of(dominant(FAMILIES["diagonal"](60))))
    assert np.isnan(on_filled(fewer, both)[0].values).any()


@pytest.mark.parametrize("shape", [(), (3,), (4, 1, 1), (5, 4)])
def test_right_hand_sides_of_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    factor, _ = multifrontal_cpu(fronts_of(of_dense(np.eye(4))))
    with pytest.raises(InputError, match=r"where \(4,\) or \(4, k\) was expected"):
        solved(factor, np.zeros(shape))
