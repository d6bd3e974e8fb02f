"""The gate by rows: honest results pass, whatever passes is right, one wrong row fails."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.checks.factors import verify_factor
from benchmarks.checks.fronts import on_filled
from benchmarks.checks.held import Held
from benchmarks.checks.residuals import BOUND, backward_errors, verify_residual, verify_solution
from benchmarks.engine import operands
from benchmarks.engine.outcome import Outcome
from benchmarks.engine.reference import make_reference
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import FillpathError, InputError, UnsupportedError
from fillpath.nouns import Array, Factor, Factorised, Prepared, Solution, TwoWay
from fillpath.record import Verified
from impl.multifrontal.fronts_cpu import fronts_of_matrix
from impl.numeric.left_looking import left_looking
from impl.numeric.multifrontal_cpu import multifrontal_cpu
from impl.solve.right_hand_side import known_solution, known_solutions, right_hand_side
from tests.test_multifrontal_cpu import with_panels
from tests.test_numeric import dense_of, of_dense, start_of
from tests.thorough import daily
from tests.verdicts import verdict_on

# Rows are held in two parts.
pytestmark = pytest.mark.usefixtures("two_threads")

UNIT = 2.0**-53
# The largest order of a system, and how many there are.
SYSTEMS = daily([(20, 200), (60, 2000)], (20, 200))
# The same in rational arithmetic.
EXACT = daily([(12, 200), (20, 400)], (12, 200))


def systems(order: int, count: int, decades: float = 125.0) -> Iterator[tuple[np.random.Generator, Array]]:
    """Sparse matrices of order 1 to `order`, each row's diagonal entry the largest; then blocks, rows,
    columns, or both of these are scaled, and entries lie within 10 to the power of 2 x decades."""
    for seed in range(count):
        rng = np.random.default_rng([20261125, seed])
        n = int(rng.integers(1, order + 1))
        matrix = rng.uniform(-1, 1, (n, n)) * (rng.random((n, n)) < 4 / n)
        np.fill_diagonal(matrix, rng.choice([-1, 1], n) * (1 + np.abs(matrix).sum(axis=1)))
        kind = seed % 4
        rows, columns = (
            10 ** rng.uniform(-decades, decades, n) if kind & bit else np.ones(n) for bit in (1, 2)
        )
        block = np.where(np.arange(n) < n // 2, 10.0**-decades, 1.0) if kind == 0 else np.ones(n)
        yield rng, matrix * (rows * block)[:, None] * columns


def solved_exactly(matrix: Array, *sides: Array) -> list[list[Fraction]]:
    """The solutions of A x = b in rational arithmetic, by elimination with pivots that are not zero."""
    n = len(matrix)
    table = [
        [*map(Fraction, map(float, row)), *(Fraction(float(b[i])) for b in sides)]
        for i, row in enumerate(matrix)
    ]
    for k in range(n):
        pivot = next(i for i in range(k, n) if table[i][k])
        table[k], table[pivot] = table[pivot], table[k]
        for i in range(n):
            if i != k and table[i][k]:
                factor = table[i][k] / table[k][k]
                table[i] = [x - factor * y for x, y in zip(table[i], table[k], strict=True)]
    return [[table[i][n + side] / table[i][i] for i in range(n)] for side in range(len(sides))]


@pytest.mark.parametrize(("order", "count"), SYSTEMS)
def test_the_roundings_of_any_values_are_those_of_dense_products(order: int, count: int) -> None:
    """Rows of U whose columns continue each other are multiplied together."""
    for rng, matrix in systems(order, count, decades=1.0):
        prepared = of_dense(matrix)
        both = start_of(prepared).two_way
        values = rng.uniform(-1, 1, both.to_column.size)
        lower, upper = dense_of(Factor(both, values))
        size, products = np.abs(lower) @ np.abs(upper), both.filled.counts().lower + 1
        places = both.filled.pattern.rows(), both.filled.pattern.indices
        off = (np.abs(matrix - lower @ upper) / (UNIT * products[:, None]))[places]
        held = verify_factor(Factor(both, values), prepared, both, "float64", static=False)
        assert held.value == pytest.approx((off / size[places]).max(), rel=1e-9)


def test_values_below_a_half_take_no_longer() -> None:
    """A product with the smallest normal number is denormal then, which takes 20 times as long."""
    n = 300
    lower, seconds = np.tri(n) * 1e-3 + np.eye(n) * (1 - 1e-3), {}
    for value in (0.01, 1.0, 0.01, 1.0):
        upper = value * np.tri(n).T + np.eye(n)
        prepared = of_dense(lower @ upper)
        both = start_of(prepared).two_way
        factor = Factor(both, (lower + upper - np.eye(n)).ravel(order="F"))
        before = time.process_time()
        assert verify_factor(factor, prepared, both, "float64", static=False).passes
        seconds[value] = time.process_time() - before
    assert seconds[0.01] < 4 * seconds[1.0]


@pytest.mark.parametrize(("order", "count"), SYSTEMS)
def test_partial_pivoting_with_refinement_passes(order: int, count: int) -> None:
    """Rows and blocks are scaled. Columns scaled apart by more than all digits lose rows of the small
    ones."""
    for number, (_, matrix) in enumerate(systems(order, count)):
        if number % 4 > 1:
            continue
        prepared = of_dense(matrix)
        rows = 2.0 ** -np.frexp(np.abs(matrix).max(axis=1))[1].astype(float)
        scaled, b = matrix * rows[:, None], right_hand_side(prepared) * rows
        x = np.linalg.solve(scaled, b)
        for _ in range(3):
            x = x + np.linalg.solve(scaled, b - scaled @ x)
        verdict = verify_solution(Solution(x), prepared, None)
        assert verdict.passes, (number, verdict)


@pytest.mark.parametrize(("order", "count"), EXACT)
def test_the_exact_solution_passes_and_whatever_passes_is_near_it(order: int, count: int) -> None:
    for number, (rng, matrix) in enumerate(systems(order, count)):
        prepared = of_dense(matrix)
        b, n = right_hand_side(prepared), len(matrix)
        exact, *inverse = solved_exactly(matrix, b, *np.eye(n))
        rounded = np.array([float(value) for value in exact])
        assert verify_solution(Solution(rounded), prepared, None).passes, number
        x = rounded * (1 + rng.choice([1e-15, 1e-9, 1e-5]) * rng.standard_normal(n))
        if not verify_solution(Solution(x), prepared, None).passes:
            continue
        size = [Fraction(float(value)) for value in np.abs(matrix) @ np.abs(x) + np.abs(b)]
        worst = Fraction(float(backward_errors(prepared, x, b).max() + (n + 2) * UNIT))
        for i in range(n):
            near = sum(abs(inverse[j][i]) * size[j] for j in range(n))
            assert abs(Fraction(float(x[i])) - exact[i]) <= 2 * worst * near, number


@pytest.mark.parametrize(("order", "count"), EXACT)
@pytest.mark.parametrize("dtype", [None, "float32"])
def test_a_wrong_row_of_the_residual_fails(dtype: str | None, order: int, count: int) -> None:
    """The row is off by 2e-3 of its own terms, in float32 by 2e-2."""
    for number, (rng, matrix) in enumerate(systems(order, count, 125.0 if dtype is None else 6.0)):
        prepared = of_dense(matrix)
        b, n = right_hand_side(prepared), len(matrix)
        row = int(rng.integers(n))
        right = np.array([float(value) for value in solved_exactly(matrix, b)[0]])
        off = (2e-3 if dtype is None else 2e-2) * (np.abs(matrix) @ np.abs(right))[row]
        exact = solved_exactly(matrix, b + off * (np.arange(n) == row))[0]
        verdict = verify_solution(Solution(np.array([float(value) for value in exact])), prepared, dtype)
        assert not verdict.passes and verdict.row == row, (number, verdict)


def test_a_row_is_named_as_the_file_has_it(tmp_path: Path) -> None:
    """Row i has one entry, in column i + 4. Matching and ordering move all of them."""
    entries = [f"{i + 1} {(i + 4) % 9 + 1} {i + 1}" for i in range(9)]
    path = tmp_path / "moved.mtx"
    path.write_text("\n".join(["%%MatrixMarket matrix coordinate real general", "9 9 9", *entries]))
    prepared = prepare(resolve(str(path)).text, Preparation("mc64", "amd"))
    for place in range(9):
        x = right_hand_side(prepared) / prepared.values
        x[place] *= 2
        verdict = verify_solution(Solution(x), prepared, None)
        assert not verdict.passes and verdict.row == (prepared.column_permutation[place] - 4) % 9


def judged(factor: Factor, prepared: Prepared, both: TwoWay, dtype: str, static: bool = False) -> str:
    """Return the word of the gate on a factor."""
    try:
        return "right" if verify_factor(factor, prepared, both, dtype, static).passes else "wrong"
    except UnsupportedError:
        return "useless"


@pytest.mark.parametrize(("order", "count"), SYSTEMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_elimination_is_never_wrong_and_a_wrong_value_never_right(dtype: str, order: int, count: int) -> None:
    """Where columns are scaled, fill-in of a large one may drown a row of small ones: that row is useless."""
    decades = 125.0 if dtype == "float64" else 6.0
    for number, (rng, matrix) in enumerate(systems(order, count, decades)):
        prepared = of_dense(matrix)
        start = start_of(prepared)
        factor, _ = left_looking(start, dtype=dtype)  # type: ignore[arg-type]
        expected = ["right"] if number % 4 < 2 else ["right", "useless"]
        assert judged(factor, prepared, start.two_way, dtype) in expected, number
        values = factor.values.copy()
        values[rng.choice(np.flatnonzero(values))] *= 1 + 1e-3
        assert judged(replace(factor, values=values), prepared, start.two_way, dtype) != "right", number


@pytest.mark.parametrize("seeds", daily([150, 2000], 150))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_with_replaced_pivots_elimination_is_never_wrong_and_a_wrong_pivot_never_right(
    dtype: Any, seeds: int
) -> None:
    """The wrong pivot is off by what a replacement makes, and the code counts one more."""
    replaced = 0
    for seed in range(seeds):
        rng = np.random.default_rng([11, seed])
        n = int(rng.integers(2, 14))
        matrix = rng.uniform(-1, 1, (n, n)) * (rng.random((n, n)) < rng.choice([0.1, 0.3, 1.0]))
        np.fill_diagonal(matrix, rng.choice([0.0, 1e-12, 1e-6, 1.0], n))
        matrix[0, 0] = 1.0
        prepared = of_dense(matrix)
        start = start_of(prepared)
        factor, _ = left_looking(start, dtype=dtype, static_pivoting=True)
        assert judged(factor, prepared, start.two_way, dtype, True) != "wrong", seed
        replaced += factor.small_pivots
        values, place = factor.values.copy(), start.two_way.to_column[start.two_way.filled.upper_start[0]]
        values[place] += np.finfo(dtype).eps ** 0.5 * np.abs(matrix).sum(axis=0).max()
        planted = replace(factor, values=values, small_pivots=factor.small_pivots + 1)
        assert judged(planted, prepared, start.two_way, dtype, True) != "right", seed
    assert replaced > 100


@pytest.mark.parametrize(("error", "passes"), [(0.0, True), (1e-8, False)])
def test_no_scale_hides_a_wrong_value_of_u(error: float, passes: bool) -> None:
    """Products of 2^1600 cancel, so that the row is held times 2^-1060, where denormal numbers are near."""
    large, small, entry = 2.0**600, 2.0**-400, 2.0**560
    matrix = np.array(
        [[small, 0, large, 0], [0, small, -large, 0], [large, large, large, entry], [0, 0, 0, 1]]
    )
    prepared = of_dense(matrix)
    both, factor = start_of(prepared).two_way, matrix.copy()
    factor[2] = [2.0**1000, 2.0**1000, large, entry * (1 + error)]
    values = factor[both.columns.indices, both.columns.rows()]
    assert verify_factor(Factor(both, values), prepared, both, "float64", static=False).passes == passes


# One row of 4e22 apart from a block of condition number 8, whose pivots are tiny.
LARGE_ROW = np.array(
    [
        [4e22, 0, 0, 0, 0, 0], [0, 3e-17, 1.2, 0, 0, -1.5], [0, 1.2, 1.7, 0, 0, 0],
        [0, 0, 0, 3e-17, 0.7, 0], [0, 0, 0, 0.7, 1.3, 0.7], [0, -1.5, 0, 0, 0.7, 3e-17],
    ]
)  # fmt: skip


def held(stage: str, name: str, prepared: Prepared, **options: str) -> Verified:
    entry = registry.lookup(stage, name)
    context = operands.context(prepared, make_reference(prepared.pattern), entry, {})
    result, _ = entry.function(operands.operand(entry, context), **options)
    return verdict_on(stage, result, context)


@pytest.mark.parametrize(
    ("stage", "name", "options"),
    [("solve", "lu_cpu", {}), ("solve", "superlu", {"ordering": "given"}), ("numeric", "superlu", {})],
)
def test_no_large_row_hides_a_wrong_solution(stage: str, name: str, options: dict[str, str]) -> None:
    verdict = held(stage, name, of_dense(LARGE_ROW), **options)
    assert not verdict.passes and verdict.value > 0.1


@pytest.mark.parametrize("name", ["left_looking", "multifrontal_cpu"])
@pytest.mark.parametrize(("order", "row"), [([0, 1, 2, 3, 4, 5], 2), ([0, 1, 3, 2, 4, 5], 3)])
def test_no_large_row_hides_a_row_that_lost_its_digits(name: str, order: list[int], row: int) -> None:
    """In the second order float64's own A - L U is exactly 0 there: the check loses what was lost in U.

    In the first order rows 1 and 2 of U are summed before A loses digits to them.
    """
    with pytest.raises(UnsupportedError, match=rf"row {row} lost its digits \(growth 7\.4e\+16\)"):
        held("numeric", name, of_dense(LARGE_ROW[np.ix_(order, order)]))


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e290])
@pytest.mark.parametrize(
    ("stage", "name"), [("numeric", "left_looking"), ("numeric", "superlu"), ("solve", "lu_cpu")]
)
def test_values_far_from_1_are_held_as_others(stage: str, name: str, scale: float) -> None:
    assert held(stage, name, of_dense((np.diag([4.0] * 5) - np.eye(5, k=1) - np.eye(5, k=-1)) * scale)).passes


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_wrong(bad: float) -> None:
    prepared = of_dense(LARGE_ROW)
    assert not verify_residual(Factorised(lambda b: b * bad, 0), prepared).passes
    start = start_of(prepared)
    factor = left_looking(start)[0]
    for place in range(len(factor.values)):
        values = factor.values.copy()
        values[place] = bad
        assert not verify_factor(replace(factor, values=values), prepared, start.two_way, None, False).passes


def test_kernels_may_flush_denormal_numbers_of_single_precision() -> None:
    """The fill-in -1e-15 times u is 0 then; a number that is larger must not be lost, nor by a CPU."""
    for dtype, u, passes in (("float32", 1e-25, True), ("float32", 1e-20, False), ("float64", 1e-25, False)):
        start = start_of(prepared := of_dense(np.array([[1.0, 0, u], [1e-15, 1, 0], [0, 0, 1]])))
        factor = left_looking(start, dtype=dtype)[0]  # type: ignore[arg-type]
        flushed = np.where(np.abs(factor.values) <= 1.1e-15 * u, 0, factor.values).astype(dtype)
        assert (flushed == 0).sum() == 1 and factor.values.all()
        for values, flushes, expected in (
            (factor.values, False, True),
            (factor.values, True, True),
            (flushed, False, False),
            (flushed, True, passes),
        ):
            found = verify_factor(
                replace(factor, values=values), prepared, start.two_way, dtype, False, None, flushes
            )
            assert found.passes == expected, (dtype, u, flushes, found)


def test_terms_that_leave_the_range_of_float64_are_scaled() -> None:
    """Rows whose terms overflow and underflow, far from b; and a row of denormal numbers."""
    matrix, x = np.diag([1e200, 1e-200, 1.0]), np.array([1e200, 1e-200, 1.0])
    for first, second in itertools.product((1.0, 1 + 1e-6), repeat=2):
        # b is the largest number, and the smallest normal one: far from A x in both rows.
        b = np.array([1.7e308, 2.3e-308, 1.0])
        errors = backward_errors(of_dense(matrix), x * [first, second, 1], b)
        assert errors[:2] == pytest.approx([1.0, 1.0]) and errors[2] == 0.0
    right = backward_errors(
        of_dense(np.diag([1e-160, 1.0])), np.array([1e-160, 1.0]), np.array([1e-320, 1.0])
    )
    assert right.max() <= BOUND * 1e5, "a denormal has four digits"


def scaled_up(matrix: Array, factor: Factor, rows: Array) -> tuple[Prepared, Factor]:
    """Multiply rows by powers of two, 2**500 at most. Multiply all columns by one, so that the largest number
    is just finite."""
    columns = factor.two_way.columns
    i, j = columns.indices, np.repeat(np.arange(columns.n), np.diff(columns.indptr))
    most = max(np.abs(matrix[rows == 500]).max(), np.abs(factor.values[(rows[i] == 500) & (i <= j)]).max())
    both = 524 - np.frexp(most)[1]
    values = np.ldexp(factor.values, np.where(i > j, rows[i] - rows[j], rows[i] + both))
    return of_dense(np.ldexp(matrix, rows[:, None] + both)), replace(factor, values=values)


def test_a_check_that_overflows_is_taken_by_powers_of_two() -> None:
    """It says what it says of the same numbers near 1, of honest, useless and wrong factors."""
    overflow = 0
    lost = (np.random.default_rng(0), LARGE_ROW)
    for number, (rng, matrix) in enumerate([*systems(12, 40, 0.0), lost]):
        start = start_of(of_dense(matrix))
        factor, rows = left_looking(start)[0], np.full(len(matrix), 500)
        rows[1:] -= 1000 * rng.integers(0, 2, len(matrix) - 1) * (matrix is not LARGE_ROW)
        for part in (0.0, 1e-3):
            place = rng.choice(np.flatnonzero(factor.values))
            factor.values[place] *= 1 + part
            prepared, large = scaled_up(matrix, factor, rows)
            overflow += sum(np.abs(np.ldexp(prepared.values, -9))) > 2.0**1014
            word = judged(factor, of_dense(matrix), start.two_way, "float64")
            assert judged(large, prepared, start.two_way, "float64") == word, number
            honest = "useless" if matrix is LARGE_ROW else "right"
            assert word == honest if part == 0 else word != "right", number
    assert overflow > 40


def test_a_factor_of_huge_numbers_is_wrong() -> None:
    matrix = np.ones((6, 6)) + 6 * np.eye(6)
    start = start_of(of_dense(matrix))
    factor = replace(left_looking(start)[0], values=np.full(36, 1.7e308))
    assert judged(factor, of_dense(matrix), start.two_way, "float64") == "wrong"


@pytest.mark.parametrize(("off", "passes"), [(1.0, True), (1 + 1e-9, False)])
def test_a_panel_whose_condition_overflows_is_scaled(off: float, passes: bool) -> None:
    prepared = of_dense(np.array([[1e160, 1e160], [0, 1e-160]]))
    both = start_of(prepared).two_way
    factor = with_panels(multifrontal_cpu(fronts_of_matrix(prepared))[0], 32)
    found, panels = on_filled(replace(factor, values=off * np.array([1e-160, 0, -1e160, 1e160])), both)
    assert verify_factor(found, prepared, both, "float64", False, panels).passes == passes


def test_a_panel_that_overflows_is_no_wrong_result_and_a_singular_one_is() -> None:
    prepared = of_dense(np.array([[1.0]]))
    both = start_of(prepared).two_way
    factor = with_panels(multifrontal_cpu(fronts_of_matrix(prepared))[0], 32)
    found, _ = on_filled(replace(factor, values=np.array([0.0])), both)
    assert judged(found, prepared, both, "float64") == "wrong"
    with pytest.raises(FillpathError, match="a panel overflows"):
        on_filled(replace(factor, values=np.array([1e-310])), both)


def test_complex_values_are_no_factor() -> None:
    prepared = of_dense(np.eye(2))
    both = start_of(prepared).two_way
    for values, passes in ((np.ones(2), True), (np.ones(2) + 1e6j, False)):
        assert verify_factor(Factor(both, values), prepared, both, None, static=False).passes == passes


@pytest.mark.parametrize(("count", "word"), [(1, "right"), (0, "wrong"), (-1, "wrong")])
def test_no_more_pivots_were_replaced_than_the_factor_counts(count: int, word: str) -> None:
    small = np.finfo(np.float64).eps ** 0.5
    prepared = of_dense(np.diag([1.0, 0.5 * small, 1.0]))
    both = start_of(prepared).two_way
    factor = Factor(both, np.array([1.0, small, 1.0]), count)
    assert judged(factor, prepared, both, "float64", static=True) == word


@pytest.mark.parametrize(("first", "word"), [(10.0, "useless"), (10.01, "wrong")])
def test_a_row_whose_pivot_was_replaced_is_named(first: float, word: str) -> None:
    """Row 1 has a pivot that was replaced. Row 3 lost its digits, by more than row 1 is off. So it passes for
    none whose pivot was replaced."""
    small = 10 * np.finfo(np.float64).eps ** 0.5
    matrix, made = np.diag([10.0, 0.5 * small, 1e-9, 1e-7]), np.diag([first, small, 1e-9, -1e9])
    matrix[2, 3] = matrix[3, 2] = made[2, 3] = 1.0
    made[3, 2] = 1e9
    prepared = of_dense(matrix)
    both = start_of(prepared).two_way
    j = np.repeat(np.arange(4), np.diff(both.columns.indptr))
    factor = Factor(both, made[both.columns.indices, j], 1)
    named = "; row 1: its pivot was replaced: try refine=N, or --matching mc64"
    if word == "useless":
        with pytest.raises(UnsupportedError, match=rf"^row 3 lost its digits \(growth 2e\+09\){named}$"):
            verify_factor(factor, prepared, both, None, True)
    else:
        verdict = verify_factor(factor, prepared, both, None, True)
        assert reason_of(verdict, 1).endswith(f"in row 0{named}")


@pytest.mark.parametrize("columns", [2, 9])
def test_a_wrong_row_of_any_right_hand_side_is_named(columns: int) -> None:
    """The first of several right-hand sides is the one of a single one."""
    prepared = of_dense(LARGE_ROW)
    known = known_solutions(len(LARGE_ROW), columns)
    assert known[0].tobytes() == known_solution(len(LARGE_ROW)).tobytes()
    assert verify_solution(Solution(known), prepared, None, columns).passes
    for column in range(columns):
        for row in range(len(LARGE_ROW)):
            x = known.copy()
            x[column, row] *= 1.001
            verdict = verify_solution(Solution(x), prepared, None, columns)
            one = verify_solution(Solution(x[0]), prepared, None)
            assert not verdict.passes and one.passes == (column > 0), (column, row)
            assert verdict.row is not None and LARGE_ROW[verdict.row, row]
    for x in (known[0], known[1:], known.T):
        with pytest.raises(InputError, match="a solution of shape"):
            verify_solution(Solution(x), prepared, None, columns)


def reason_of(verdict: Held, replaced: int) -> str:
    """Return why the case ends."""
    outcome = Outcome()
    outcome.take({"event": "verified", **asdict(verdict), "replaced": replaced})
    return outcome.reason


def test_a_solution_that_fails_counts_the_pivots_that_were_replaced() -> None:
    verdict = verify_solution(Solution(np.zeros(6)), of_dense(LARGE_ROW), None)
    assert reason_of(verdict, 2).endswith(
        "in row 0; 2 pivots were replaced: try refine=N, or --matching mc64"
    )
    assert reason_of(verdict, 0).endswith("in row 0")
