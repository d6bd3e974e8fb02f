"""Contract of the stages `numeric` and `solve`: small residuals, clear ends, gates that see what is wrong."""

import functools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.checks.factors import ARITHMETIC_BOUND, verify_factor
from benchmarks.checks.residuals import verify_residual, verify_solution
from benchmarks.engine.benchmark import Context
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.engine.operands import context, operand
from benchmarks.engine.reference import make_reference
from benchmarks.levels import Levels
from benchmarks.numeric import Numeric
from benchmarks.solve import Solve
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError, InputError, UnsupportedError
from fillpath.nouns import (
    Array,
    Assembled,
    Factor,
    Factorised,
    Filled,
    Pattern,
    Prepared,
    Provenance,
    Solution,
    TwoWay,
)
from fillpath.peers import peers
from fillpath.record import Record, Status
from impl.levels.glu3_relaxed import glu3_relaxed
from impl.levels.two_way import assembled, by_both
from impl.numeric.left_looking import left_looking
from impl.numeric.pivots import small_pivot
from impl.solve.lu_cpu import lu_cpu
from impl.solve.right_hand_side import as_matrix, right_hand_side
from impl.symbolic.fill1 import fill1
from tests.devices import hosted
from tests.patterns import from_dense, random_pattern
from tests.thorough import daily

NUMERIC, SOLVE = (
    [
        pytest.param(entry, id=entry.name, marks=[pytest.mark.gpu] if entry.device == "gpu" else [])
        for entry in registry.registered(stage)
        if entry.module.startswith("impl.")
        and entry.takes is takes
        and not (stage == "numeric" and entry.peer)
        # Those that are not installed with the rest: tests/test_direct_peers.py.
        and not peers().keys() & set(entry.peer)
    ]
    for stage, takes in (("numeric", Assembled), ("solve", Prepared))
)
# With graphs too, each of which is of another pattern than the one that is kept.
NUMERIC += [
    pytest.param(
        replace(entry, function=functools.partial(entry.function, graph=True)),
        id=f"{entry.name}-graph",
        marks=pytest.mark.gpu,
    )
    for entry in registry.registered("numeric")
    if "graph" in {option.name for option in entry.options}
]
PROVENANCE = Provenance("drawn", "", "", "none", "natural", 0, {})


def prepared_of(pattern: Pattern, values: Array) -> Prepared:
    order, scale = np.arange(pattern.n, dtype=np.int32), np.ones(pattern.n)
    return Prepared(pattern, values, order, order, scale, scale, PROVENANCE, "")


def of_dense(dense: Any) -> Prepared:
    """The prepared matrix of dense values; zeros on the diagonal are entries, others are none."""
    matrix = np.array(dense, float)
    pattern = from_dense(matrix != 0)
    return prepared_of(pattern, matrix[pattern.rows(), pattern.indices])


def start_of(prepared: Prepared) -> Assembled:
    filled: Any = fill1(prepared.pattern)[0]
    both = by_both(filled)
    return assembled(prepared, both, glu3_relaxed(both)[0])


def dominant(pattern: Pattern, seed: int = 0) -> Prepared:
    """Values with each diagonal entry, of either sign, larger than the others of its row together."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(-1, 1, pattern.nnz)
    rows = pattern.rows()
    diagonal = rows == pattern.indices
    sums = np.bincount(rows[~diagonal], np.abs(values[~diagonal]), minlength=pattern.n)
    values[diagonal] = rng.choice([-1, 1], pattern.n) * (sums + rng.uniform(0.5, 1.5, pattern.n))
    return prepared_of(pattern, values)


def well_conditioned(n: int, density: float, seed: int) -> Prepared:
    """Unsymmetric, of a random pattern."""
    return dominant(random_pattern(n, density, seed), seed)


def dense_of(factor: Factor) -> tuple[Array, Array]:
    columns = factor.two_way.columns
    both = np.zeros((columns.n, columns.n))
    both[columns.indices, columns.rows()] = factor.values
    return np.tril(both, -1) + np.eye(columns.n), np.triu(both)


def residual(prepared: Prepared, factor: Factor) -> float:
    """||A - L U||_F / ||A||_F, dense."""
    matrix = as_matrix(prepared).toarray()
    lower, upper = dense_of(factor)
    return float(np.linalg.norm(matrix - lower @ upper) / np.linalg.norm(matrix))


def factorise(entry: registry.Implementation, start: Assembled, **options: Any) -> Factor:
    factor, _ = hosted(entry)(start, **options)
    assert factor.values.dtype == options.get("dtype", entry.option("dtype").default)
    return factor


@pytest.mark.parametrize("part", daily(range(5), 0))
@pytest.mark.parametrize("entry", NUMERIC)
def test_100_random_well_conditioned_matrices(entry: registry.Implementation, part: int) -> None:
    """Order 1 to 300, in float64: ||A - L U|| <= 1e-12 n ||A||, and the gate agrees."""
    rng = np.random.default_rng([20260301, part])
    for number in range(100):
        n = int(rng.integers(1, 301))
        density = min(float(rng.choice([0.5, 2.0, 6.0])) / n, 1.0)
        prepared = well_conditioned(n, density, int(rng.integers(2**32)))
        start = start_of(prepared)
        factor = factorise(entry, start, dtype="float64")
        verdict = verify_factor(factor, prepared, start.two_way, "float64", False)
        assert verdict.value <= verdict.bound == ARITHMETIC_BOUND, number
        if n < 100:
            assert residual(prepared, factor) <= 1e-12 * n, number


@pytest.mark.parametrize("entry", NUMERIC)
def test_single_precision_is_held_to_its_own_bound(entry: registry.Implementation) -> None:
    for seed in range(50):
        prepared = well_conditioned(1 + 4 * seed, 2.0 / (1 + 4 * seed), seed)
        start = start_of(prepared)
        factor = factorise(entry, start, dtype="float32")
        verdict = verify_factor(factor, prepared, start.two_way, "float32", False)
        assert verdict.value <= verdict.bound == ARITHMETIC_BOUND
        assert not verify_factor(factor, prepared, start.two_way, "float64", False).value >= 0


@pytest.mark.parametrize("entry", NUMERIC)
def test_the_example_of_the_slides(entry: registry.Implementation) -> None:
    factor = factorise(entry, start_of(of_dense([[1, 0, 1], [1, 1, 1], [0, 1, 1]])), dtype="float64")
    lower, upper = dense_of(factor)
    assert lower.tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert upper.tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 1]]
    assert factor.small_pivots == 0


@pytest.mark.parametrize("entry", NUMERIC)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_pivot_of_zero_is_named(entry: registry.Implementation, dtype: str) -> None:
    """In the prepared matrix, and one that elimination makes."""
    for dense in ([[1, 0, 1], [0, 0, 1], [1, 1, 1]], [[1, 2, 0], [1, 2, 1], [0, 1, 1]]):
        with pytest.raises(FillpathError, match=r"column 1.*static_pivoting"):
            factorise(entry, start_of(of_dense(dense)), dtype=dtype)


@pytest.mark.parametrize("entry", NUMERIC)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(entry: registry.Implementation, bad: float) -> None:
    start = start_of(of_dense([[1, 0, 0], [0, 1, bad], [0, 0, 1]]))
    with pytest.raises(FillpathError, match="column 2"):
        factorise(entry, start)


def test_what_is_not_finite_in_single_precision_is_refused_there_only() -> None:
    start = start_of(of_dense([[1, 0], [1e300, 1]]))
    with pytest.raises(InputError, match=r"row 1, column 0: 1e\+300 is not a finite float32"):
        left_looking(start, dtype="float32")
    assert left_looking(start)[0].values[1] == 1e300


def test_the_ends_of_left_looking_are_unsupported_and_advise() -> None:
    with pytest.raises(
        UnsupportedError, match=r"column 0 is 0: try --matching mc64, or static_pivoting=true"
    ):
        left_looking(start_of(of_dense([[0, 1], [1, 1]])))
    with pytest.raises(UnsupportedError, match="dtype=float64"):
        left_looking(start_of(of_dense([[0, 1], [1, 1]])), dtype="float32")
    with pytest.raises(UnsupportedError, match="column 1 is -inf, the elimination overflowed"):
        left_looking(start_of(of_dense([[1e-200, 1e200], [1e200, 1]])))


@pytest.mark.parametrize("entry", NUMERIC)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_small_pivots_are_replaced_with_their_sign_and_counted(
    entry: registry.Implementation, dtype: str
) -> None:
    """||A||_1 = 11: 0 and what is a little above it become eps, what is below it -eps; 0.005 stays."""
    eps = small_pivot(dtype) * 11
    dense = np.diag([10.0, 0.0, 0.1 * eps, -0.01 * eps, 0.005, 1.0])
    dense[5, 0] = 1.0
    prepared = of_dense(dense)
    start = start_of(prepared)
    factor = factorise(entry, start, dtype=dtype, static_pivoting=True)
    assert factor.small_pivots == 3
    assert np.allclose(np.diag(dense_of(factor)[1]), [10, eps, eps, -eps, 0.005, 1], rtol=1e-6)
    verdict = verify_factor(factor, prepared, start.two_way, dtype, True)
    assert verdict.passes
    for told, allowed in ((2, True), (3, False)):
        verdict = verify_factor(replace(factor, small_pivots=told), prepared, start.two_way, dtype, allowed)
        assert not verdict.passes


@pytest.mark.parametrize("entry", NUMERIC)
def test_static_pivoting_changes_nothing_where_no_pivot_is_small(entry: registry.Implementation) -> None:
    start = start_of(well_conditioned(80, 0.05, 3))
    one, other = (factorise(entry, start, dtype="float64", static_pivoting=on) for on in (False, True))
    assert other.small_pivots == 0
    assert np.allclose(one.values, other.values, rtol=1e-10, atol=0)


@pytest.mark.parametrize("entry", NUMERIC)
def test_the_input_is_left_alone(entry: registry.Implementation) -> None:
    start = start_of(well_conditioned(80, 0.05, 4))
    before = start.values.copy()
    factorise(entry, start, dtype="float64")
    assert np.array_equal(start.values, before)


@given(st.integers(2, 40), st.integers(0, 2**32 - 1), st.sampled_from([1e-6, np.nan, np.inf]))
def test_the_gate_sees_one_wrong_value(n: int, seed: int, off: float) -> None:
    prepared = well_conditioned(n, 3.0 / n, seed)
    start = start_of(prepared)
    factor, _ = left_looking(start)
    place = seed % len(factor.values)
    wrong = factor.values.copy()
    wrong[place] += off * np.abs(prepared.values).max()
    verdict = verify_factor(replace(factor, values=wrong), prepared, start.two_way, "float64", True)
    assert not verdict.passes


@pytest.mark.parametrize(
    ("dtype", "pivot", "useful"),
    [("float32", 7e-2, True), ("float32", 7e-9, False), ("float64", 7e-4, True), ("float64", 7e-13, False)],
)
def test_growth_is_told_and_loosens_no_bound(dtype: Any, pivot: float, useful: bool) -> None:
    """|L| |U| is about 2 / pivot in its last row, and |A| is 1.3."""
    prepared, growth = of_dense([[pivot, 1], [1, 0.3]]), 2 / 1.3 / pivot
    start = start_of(prepared)
    factor, _ = left_looking(start, dtype=dtype)
    if useful:
        verdict = verify_factor(factor, prepared, start.two_way, dtype, False)
        assert verdict.passes and verdict.bound == ARITHMETIC_BOUND
        assert verdict.facts["growth"] == pytest.approx(growth, rel=0.1)
    else:
        with pytest.raises(UnsupportedError, match=re.escape(f"row 1 lost its digits (growth {growth:.2g})")):
            verify_factor(factor, prepared, start.two_way, dtype, False)


@pytest.mark.parametrize("values", [np.zeros(3), np.zeros(9, int), np.zeros((9, 1)), None])
def test_what_is_no_factor_does_not_pass(values: Any) -> None:
    prepared = of_dense(np.eye(3) + 0.1)
    both = start_of(prepared).two_way
    for result in (Factor(both, values), values):
        verdict = verify_factor(result, prepared, both, "float64", False)
        assert not verdict.passes


def test_values_outside_of_the_filled_pattern_are_refused() -> None:
    filled: Any = fill1(from_dense(np.eye(2, dtype=bool)))[0]
    both = by_both(filled)
    with pytest.raises(InputError, match="drawn: an entry lies outside"):
        assembled(of_dense([[1, 2], [0, 1]]), both, glu3_relaxed(both)[0])


@pytest.mark.parametrize("entry", SOLVE)
@pytest.mark.parametrize("n", [1, 2, 30, 200])
def test_systems_are_solved(entry: registry.Implementation, n: int) -> None:
    prepared = well_conditioned(n, min(1.0, 3.0 / n), n)
    for options in ({}, {"refine": 0}, {"refine": 3}):
        solution, _ = hosted(entry)(prepared, **options)
        verdict = verify_solution(solution, prepared, None)
        assert verdict.value <= 1e-13 < verdict.bound
        assert np.allclose(as_matrix(prepared) @ solution.x, right_hand_side(prepared))


@pytest.mark.parametrize("entry", SOLVE)
def test_steps_of_refinement_are_counted_from_none(entry: registry.Implementation) -> None:
    with pytest.raises(InputError, match="refine=-1"):
        hosted(entry)(well_conditioned(5, 0.2, 1), refine=-1)


def test_refinement_gives_back_what_single_precision_took() -> None:
    prepared = well_conditioned(200, 0.02, 7)
    values = [
        verify_solution(lu_cpu(prepared, dtype="float32", refine=steps)[0], prepared, None).value
        for steps in (0, 1, 3)
    ]
    assert 1e-9 < values[0] < 1e-5 and values[1] < 1e-3 * values[0] and values[2] < 1e-15


def test_the_gate_knows_the_same_right_hand_side() -> None:
    prepared = well_conditioned(50, 0.1, 2)
    asked: list[Array] = []
    verify_residual(Factorised(lambda b: asked.append(b) or b, 0), prepared)  # type: ignore[func-returns-value]
    assert np.array_equal(asked[0], right_hand_side(prepared))


@pytest.mark.parametrize("off", [0.1, np.nan, np.inf])
def test_a_wrong_solution_does_not_pass(off: float) -> None:
    prepared = well_conditioned(50, 0.1, 2)
    x = lu_cpu(prepared)[0].x
    x[7] += off
    for dtype in (None, "float32"):
        verdict = verify_solution(Solution(x), prepared, dtype)
        assert not verdict.passes


def test_a_right_hand_side_may_be_overwritten() -> None:
    """The gate's own is another array: zeros for b and x would pass otherwise, and a right x fail."""
    prepared = well_conditioned(50, 0.1, 2)
    inverse = np.linalg.inv(as_matrix(prepared).toarray())

    def solve(b: Array, right: bool) -> Array:
        x: Array = right * (inverse @ b)
        b[:] = 0
        return x

    for right in (True, False):
        assert verify_residual(Factorised(functools.partial(solve, right=right), 0), prepared).passes == right


@pytest.mark.parametrize("solution", [None, Solution(np.ones(3))])
def test_what_is_no_solution_is_refused(solution: Any) -> None:
    with pytest.raises(InputError, match="a solution of shape"):
        verify_solution(solution, well_conditioned(50, 0.1, 2), None)


def test_what_is_given_is_made_of_the_verified_pattern() -> None:
    prepared = prepare("random,200,0.02", Preparation("auto", "natural"))
    reference = make_reference(prepared.pattern)
    entry = registry.lookup("numeric", "left_looking")
    against = context(prepared, reference, entry, {"dtype": "float32"})
    start = operand(entry, against)
    assert start.two_way is against.noun(TwoWay) and against.noun(Filled) is start.two_way.filled
    assert start.values.sum() == pytest.approx(prepared.values.sum())
    assert against.options == {"dtype": "float32", "static_pivoting": False}
    for stage, name, known in (
        ("symbolic", "fill1", False),
        ("solve", "lu_cpu", False),
        ("levels", "glu2", True),
    ):
        entry = registry.lookup(stage, name)
        found = context(prepared, reference, entry, {})
        assert (Filled in found.nouns) == known
        assert isinstance(operand(entry, found), entry.takes)
    counts = replace(reference.counts, lower=reference.counts.lower + 1)
    with pytest.raises(FillpathError, match="no longer gives the reference"):
        context(prepared, replace(reference, counts=counts), registry.lookup("levels", "glu2"), {})


def test_the_least_bytes_are_those_of_the_values_and_their_places() -> None:
    prepared = well_conditioned(50, 0.1, 2)
    start = start_of(prepared)
    n, nnz = 50, start.two_way.columns.nnz
    nouns = {TwoWay: start.two_way, Filled: start.two_way.filled}
    context = Context(prepared, None, registry.lookup("numeric", "left_looking"), {}, nouns=nouns)
    assert Numeric().least_bytes(left_looking(start)[0], context) == 12 * nnz + 8 * nnz
    pattern = start.two_way.filled.pattern
    row = np.repeat(np.arange(n), np.diff(pattern.indptr))
    facts = Numeric().facts(lambda result: result, None, context)
    assert facts == {"entries_lower": sum(pattern.indices < row), "entries_upper": sum(pattern.indices > row)}
    levels = start.levels
    assert Levels().least_bytes(levels, context) == 8 * (n + 1) + 8 * n + levels.pointers.nbytes + 4 * n


def measured(stage: str, implementation: str, path: Path, entries: str) -> Record:
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{entries}")
    case = Case(stage, implementation, resolve(str(path)).text, Preparation("none", "natural"))
    return measure(case, Limits(seconds=60, samples=3))


@pytest.mark.usefixtures("shared_cache", "forked_workers")
def test_glu1_is_wrong_on_the_slides_example_where_the_gate_catches_it(tmp_path: Path) -> None:
    entries = "3 3 7\n1 1 1\n1 3 1\n2 1 1\n2 2 1\n2 3 1\n3 2 1\n3 3 1\n"
    record = measured("levels", "glu1", tmp_path / "slides.mtx", entries)
    assert record.status is Status.WRONG and record.verified and record.verified.value == 1


@pytest.mark.usefixtures("shared_cache", "forked_workers")
def test_what_cannot_be_factorised_is_said_in_the_record(tmp_path: Path) -> None:
    record = measured("solve", "lu_cpu", tmp_path / "zero.mtx", "2 2 3\n1 2 1\n2 1 1\n2 2 1\n")
    assert record.status is Status.UNSUPPORTED and "pivot of column 0 is 0" in record.reason


def test_asv_asks_for_the_cases_of_these_stages() -> None:
    for benchmark, stage in ((Numeric(), "numeric"), (Solve(), "solve")):
        (names,) = benchmark.params
        assert all(name.startswith(f"{stage}.") for name in names)
