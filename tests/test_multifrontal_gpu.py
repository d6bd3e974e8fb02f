"""Multifrontal LU and its solves on the GPU's kernels, by the CPU that plays it and on a real card."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.checks.factors import verify_factor
from benchmarks.checks.fronts import on_filled
from fillpath.errors import InputError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Filled, Pattern, Prepared, Provenance, Solution, Work
from fillpath.phase import recording
from fillpath.record import RIGHT_HAND_SIDE
from fillpath.registry import HEADERS
from impl.cuda import device, kernels
from impl.cuda.transfer import on_device, on_host
from impl.inputs import fronts as fronts_on_host
from impl.levels.two_way import by_both
from impl.multifrontal import factor_gpu, maps_gpu, solve_gpu
from impl.multifrontal.factor_gpu import Factorisation
from impl.multifrontal.fronts_gpu import fronts_on_device
from impl.multifrontal.maps_gpu import maps_of
from impl.multifrontal.shape import Shape, shape_of
from impl.multifrontal.solve_gpu import Solver
from impl.multifrontal.waves import divide
from impl.numeric.multifrontal_gpu import multifrontal_gpu
from impl.solve import direct_gpu as direct_module
from impl.solve.direct_gpu import direct_gpu
from impl.solve.right_hand_side import known_solutions
from impl.symbolic.fill1 import fill1
from tests.cuda_on_cpu.fixture import CARDS, machine, played_or_real
from tests.phase_nesting import Clock
from tests.thorough import daily, thorough

PLAYED = {"multiprocessors": 2, "blocks": 1, "limit": 120.0}


@pytest.fixture(params=CARDS)
def card(request: pytest.FixtureRequest) -> Iterator[str]:
    """The CPU that plays a card, or a card."""
    with played_or_real(request, **PLAYED) as name:
        yield name


def prepared_of(matrix: Any) -> Prepared:
    """The matrix with a complete diagonal, as it is."""
    n = matrix.shape[0]
    matrix = sp.csr_array(matrix)
    matrix.sort_indices()
    pattern = Pattern(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32))
    pattern.validate()
    order, ones = np.arange(n, dtype=np.int32), np.ones(n)
    provenance = Provenance("test", "test", "", "none", "natural", 0, {})
    return Prepared(pattern, matrix.data.astype(np.float64), order, order, ones, ones, provenance, "")


def random_matrix(n: int, density: float, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    entries = sp.random_array((n, n), density=density, rng=rng, format="csr")
    return sp.csr_array(entries + sp.diags_array(2.0 + abs(entries).sum(axis=1)))


def grid(side: int) -> Any:
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    return sp.csr_array(sp.kron(line, sp.eye_array(side)) + sp.kron(sp.eye_array(side), line))


def arrow(n: int, width: int, seed: int) -> Any:
    """Many leaves below one dense front."""
    corner = np.random.default_rng(seed).standard_normal((width, width)) + 2 * width * np.eye(width)
    leaves = sp.eye_array(n) * 4.0
    side = sp.random_array((n, width), density=0.05, rng=np.random.default_rng(seed))
    return sp.csr_array(sp.block_array([[leaves, side], [side.T, sp.csr_array(corner)]]))


def dense(n: int) -> Any:
    return sp.csr_array(np.random.default_rng(n).standard_normal((n, n)) + 2 * n * np.eye(n))


def leaves(size: int, width: int) -> Any:
    """Ten dense blocks of `size` rows, all beside the same `width` rows: fronts of both together."""
    rng = np.random.default_rng(size)
    blocks = sp.block_diag([dense(size)] * 10)
    side = sp.csr_array(rng.standard_normal((10 * size, width)))
    corner = sp.csr_array(np.eye(width) * 1000.0)
    return sp.csr_array(sp.block_array([[blocks, side], [side.T, corner]]))


def with_diagonal(matrix: Array) -> Any:
    """The entries that are not zero, and the whole diagonal."""
    rows, columns = np.nonzero((matrix != 0) | np.eye(len(matrix), dtype=bool))
    return sp.csr_array((matrix[rows, columns], (rows, columns)), shape=matrix.shape)


MATRICES = {
    "one": sp.csr_array(np.array([[3.0]])),
    "diagonal": sp.csr_array(np.diag(np.arange(1.0, 71.0))),
    "chain": sp.csr_array(sp.diags_array([-1.0, 3.0, -1.5], offsets=[-1, 0, 1], shape=(200, 200))),
    "disconnected": sp.csr_array(sp.block_diag([grid(5), grid(4), sp.eye_array(3), grid(6)])),
    "grid": grid(24),
    "random": random_matrix(150, 0.03, 5),
    "arrow": arrow(300, 60, 2),
    "dense": dense(100),
    "large": dense(260),
}
# What one panel after another takes too long for the CPU that plays a card.
LARGE = {
    "grid": partial(grid, 150), "wide": partial(random_matrix, 3000, 0.002, 1), "outer": partial(dense, 900),
    "huge": partial(dense, 2300),
}  # fmt: skip


def run_of(
    prepared: Prepared,
    shape: Shape,
    static: bool = False,
    budget: int | None = None,
    invert: bool = False,
) -> Factorisation:
    """A factorisation whose memory is full of NaN, enqueued."""
    fronts = fronts_on_device(prepared)
    run = Factorisation(maps_of(fronts, shape, budget), shape, static, invert)
    for array in (run.blocks, run.factor):
        array.data.memset(0xFF, array.nbytes)
    run.enqueue(prepared.values)
    return run


def solution_bits(run: Factorisation) -> bytes:
    """Of x, which does not depend on how fronts are numbered."""
    import cupy

    factor, _ = run.result()
    n = run.maps.fronts.prepared.pattern.n
    b, x = cupy.asarray(np.random.default_rng(1).standard_normal((1, n))), cupy.empty((1, n), np.float64)
    Solver(run.maps, factor, run.exchange).solve(b, x)
    return cupy.asnumpy(x).tobytes()


def solved(matrix: Any, columns: int, shape: Shape) -> tuple[Array, Array]:
    """(x, what it should be)."""
    import cupy

    prepared = on_device(prepared_of(matrix))
    run = run_of(prepared, shape)
    factor, _ = run.result()
    expected = np.random.default_rng(1).standard_normal((columns, matrix.shape[0]))
    b = cupy.asarray(np.ascontiguousarray((matrix @ expected.T).T))
    x = cupy.empty(expected.shape, np.float64)
    Solver(run.maps, factor, run.exchange).solve(b, x)
    return cupy.asnumpy(x), expected


def residual(matrix: Any, x: Array) -> float:
    """Of the system that `direct_gpu` solves, in infinity norms."""
    b = matrix @ known_solutions(matrix.shape[0], 1)[0]
    scale = abs(matrix).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
    return float(np.abs(b - matrix @ x).max() / scale)


def members_of(fronts: Any) -> set[tuple[frozenset[int], frozenset[int]]]:
    """Of each front its pivots and its list, as vertices."""
    vertex = np.argsort(fronts.label)
    pivots = np.split(vertex, fronts.first[1:-1])
    lists = np.split(vertex[fronts.list], fronts.list_start[1:-1])
    return {(frozenset(p.tolist()), frozenset(r.tolist())) for p, r in zip(pivots, lists, strict=True)}


@pytest.mark.parametrize(
    "name", [*(name for name in MATRICES if name not in ("arrow", "large")), thorough("large"), "tree"]
)
def test_the_host_makes_the_same_fronts(card: str, name: str) -> None:
    """What the stage `numeric` is given is what direct_gpu makes. Of an arrow's many leaves another comes
    last, and is merged with the front of all."""
    prepared = prepared_of({**MATRICES, "tree": random_matrix(600, 0.004, 9)}[name])
    made = on_host(fronts_on_device(on_device(prepared)))
    assert members_of(made) == members_of(fronts_on_host(prepared))


SMALL = [name for name in MATRICES if name != "large"]
SOLVED = [*itertools.product([True], SMALL), *itertools.product([False], ["arrow", "random", "large"])]


@pytest.mark.parametrize(("tensor_cores", "name"), daily(itertools.product([False, True], MATRICES), *SOLVED))
def test_what_is_solved(card: str, name: str, tensor_cores: bool) -> None:
    x, expected = solved(MATRICES[name], 1, shape_of("float64", tensor_cores, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("n", range(31, 43))
def test_dense_fronts_about_the_largest_of_a_warp(card: str, n: int) -> None:
    """With more than 32 pivots, too, of which a block takes care."""
    x, expected = solved(dense(n), 1, shape_of("float64", False, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


def held_by_the_gate(name: str, **options: Any) -> tuple[float, Work]:
    """The error of L U that the gate of the stage `numeric` takes, within its bound."""
    prepared = prepared_of(MATRICES[name])
    filled, _ = fill1(prepared.pattern)
    assert isinstance(filled, Filled)
    given, both = fronts_on_host(prepared), by_both(filled)
    result, work = multifrontal_gpu(on_device(given), **options)
    factor, panels = on_filled(replace(on_host(result), fronts=given), both)
    static, dtype = bool(options.get("static_pivoting")), options.get("dtype", "float64")
    verified = verify_factor(factor, prepared, both, dtype, static, panels)
    assert verified.passes
    return verified.value, work


GATED: list[dict[str, Any]] = [{}, {"tensor_cores": False}, {"dtype": "float32"}, {"static_pivoting": True}]


# Every matrix by default, a sparse and a dense one under the other options.
EVERY_DAY = [*itertools.product(GATED[:1], SMALL), *itertools.product(GATED[1:], ["random", "dense"])]


@pytest.mark.parametrize(("options", "name"), daily(itertools.product(GATED, MATRICES), *EVERY_DAY))
def test_a_factor_on_fronts_passes_the_gate(card: str, options: dict[str, Any], name: str) -> None:
    _, work = held_by_the_gate(name, **options)
    assert work.facts and work.facts["mapped"] == 1 and work.facts["small_pivots"] == 0


def test_maps_of_the_same_fronts_are_made_once(card: str) -> None:
    given = on_device(fronts_on_host(prepared_of(MATRICES["grid"])))
    facts = [multifrontal_gpu(given)[1].facts for _ in range(2)]
    assert [each["mapped"] for each in facts if each] == [1, 0]


def test_a_matrix_without_rows(card: str) -> None:
    """Its factor, and its solutions."""
    empty = replace(
        prepared_of(MATRICES["one"]),
        pattern=Pattern(np.zeros(1, np.int64), np.empty(0, np.int32)),
        values=np.empty(0),
    )
    prepared = on_device(empty)
    factor, _ = multifrontal_gpu(on_device(fronts_on_host(empty)))
    assert factor.values.size == factor.start.size == factor.panel.size == 0
    assert direct_gpu(prepared)[0].x.shape == (0,) and direct_gpu(prepared, columns=3)[0].x.shape == (3, 0)


# Compute capability, bytes of shared memory that a block and a multiprocessor have.
PROPERTIES = {
    "V100": ((7, 0), 98304, 98304),
    "T4": ((7, 5), 65536, 65536),
    "A100": ((8, 0), 166912, 167936),
    "RTX 3090": ((8, 6), 101376, 102400),
    "H200": ((9, 0), 232448, 233472),
}


def shape_on(monkeypatch: pytest.MonkeyPatch, name: str, exchanges: bool) -> Shape:
    """The shape on such a card."""
    capability, block, multiprocessor = PROPERTIES[name]
    monkeypatch.setattr(device, "compute_capability", lambda: capability)
    monkeypatch.setattr(device, "shared_memory", lambda: (block, multiprocessor))
    return shape_of.__wrapped__("float64", True, exchanges)


@pytest.mark.parametrize("exchanges", [False, True])
@pytest.mark.parametrize("name", PROPERTIES)
def test_other_cards_have_other_shapes(
    cuda_on_cpu: Any, monkeypatch: pytest.MonkeyPatch, name: str, exchanges: bool
) -> None:
    """What kernels declare has room beside, and tasks stay within their part."""
    _, block, multiprocessor = PROPERTIES[name]
    shape = shape_on(monkeypatch, name, exchanges)
    assert shape.tensor == (name in ("A100", "H200")) and shape.resident == (2 if name == "H200" else 1)
    assert shape.shared_bytes + 1024 <= block
    assert shape.resident * (shape.shared_bytes + 1024) <= multiprocessor
    assert (shape.warp_front | 1) * shape.warp_front <= shape.shared // 8


@pytest.mark.parametrize(
    ("name", "exchanges"), daily(itertools.product(PROPERTIES, [False, True]), ("V100", True))
)
def test_other_cards_solve_too(
    cuda_on_cpu: Any, monkeypatch: pytest.MonkeyPatch, name: str, exchanges: bool
) -> None:
    shape = shape_on(monkeypatch, name, exchanges)
    with machine(**PLAYED):
        for matrix in (leaves(32, 8), leaves(24, 12), MATRICES["dense"], MATRICES["arrow"]):
            x, expected = solved(matrix, 1, shape)
            np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


HAZARDOUS = [*((name, False) for name in MATRICES), ("random", True), ("arrow", True)]


@pytest.mark.parametrize("cuda_on_cpu", [{**PLAYED, "races": True, "seed": 7}], indirect=True)
@pytest.mark.parametrize(("name", "exchanges"), daily(HAZARDOUS, ("arrow", True)))
def test_no_hazard_in_shared_memory(cuda_on_cpu: Any, name: str, exchanges: bool) -> None:
    x, expected = solved(MATRICES[name], 1, shape_of("float64", True, exchanges))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


ORDERED = itertools.product(["grid", "arrow", "siblings"], [False, True], [6])


@pytest.mark.parametrize(
    ("name", "exchanges", "orders"), [("grid", False, 2), ("siblings", True, 2), *daily(ORDERED)]
)
def test_other_orders_of_threads_give_the_same_bits(
    cuda_on_cpu: Any, name: str, exchanges: bool, orders: int
) -> None:
    """Fronts, maps and values, anew each time."""
    matrix = {**MATRICES, "siblings": random_matrix(600, 0.0008, 1)}[name]
    found = set()
    for seed in range(orders):
        with machine(**PLAYED, seed=seed):
            run = run_of(on_device(prepared_of(matrix)), shape_of("float64", False, exchanges))
            found.add(solution_bits(run))
    assert len(found) == 1


@pytest.mark.parametrize("columns", daily([1, 3, 8, 17], 3, 17))
@pytest.mark.parametrize("name", daily(["grid", "arrow", "dense"], "grid"))
def test_several_right_hand_sides(card: str, name: str, columns: int) -> None:
    x, expected = solved(MATRICES[name], columns, shape_of("float64", False, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", daily(["grid", "random", "dense"], "random", "dense"))
def test_rows_exchanged_within_blocks(card: str, name: str) -> None:
    x, expected = solved(MATRICES[name], 2, shape_of("float64", False, True))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("n", daily([30, 60, 130], 30, 60))
def test_exchanges_solve_what_has_a_zero_pivot(card: str, n: int) -> None:
    """The first row and the second one change places."""
    import cupy

    matrix = np.random.default_rng(n).standard_normal((n, n)) + n * np.eye(n)
    matrix[0, 0], matrix[0, 1], matrix[1, 0] = 0.0, 5.0, 3.0
    prepared = on_device(prepared_of(with_diagonal(matrix)))
    with pytest.raises(UnsupportedError, match="column 0: the pivot is zero"):
        direct_gpu(prepared, exchanges=False)
    solution, _ = direct_gpu(prepared)
    assert residual(matrix, cupy.asnumpy(solution.x)) < 1e-14


OPTIONS: list[dict[str, Any]] = [{}, {"columns": 9}, {"exchanges": False}, {"dtype": "float32", "refine": 4}]


CHAINS = [*OPTIONS, {"static_pivoting": True}, {"maps": "kept"}]


@pytest.mark.parametrize("options", daily(CHAINS, {"columns": 9}, {"dtype": "float32", "refine": 4}))
def test_the_whole_chain(card: str, options: dict[str, Any]) -> None:
    import cupy

    prepared = on_device(prepared_of(random_matrix(120, 0.05, 3)))
    expected = known_solutions(120, options.get("columns", 1)).squeeze()
    for _ in range(2):
        solution, work = direct_gpu(prepared, **options)
        np.testing.assert_allclose(cupy.asnumpy(solution.x), expected, rtol=1e-11)
        assert work.facts and work.facts["on_fronts"] == 1


def phases_of(prepared: Prepared, **options: Any) -> tuple[Array, set[str]]:
    """(x, the phases of a call)."""
    import cupy

    with recording(Clock()) as clock:
        solution, _ = direct_gpu(prepared, **options)
    return cupy.asnumpy(solution.x), set(clock.seconds)


def test_kept_maps_are_those_of_the_pattern(card: str) -> None:
    """Other values of the same pattern go without fronts and maps, another pattern or shape does not."""
    matrix = random_matrix(60, 0.05, 3)
    first = on_device(prepared_of(matrix))
    second = replace(first, values=first.values * 3.0)
    other = on_device(prepared_of(random_matrix(50, 0.05, 4)))
    analysis = {"fronts", "maps"}
    calls = [(first, {}, True), (second, {}, False), (first, {}, False), (other, {}, True), (first, {}, True)]
    for prepared, options, made in [*calls, (first, {"exchanges": False}, True)]:
        x, phases = phases_of(prepared, maps="kept", **options)
        expected = known_solutions(prepared.pattern.n, 1)[0]
        np.testing.assert_allclose(x, expected, rtol=1e-11)
        assert phases & analysis == (analysis if made else set()) and RIGHT_HAND_SIDE in phases


def test_small_memory_takes_waves_and_gives_the_same_bits(card: str) -> None:
    """No more than the budget, and the least budget that is named is one that is kept."""
    import cupy

    prepared = on_device(prepared_of(grid(16)))
    whole, work = direct_gpu(prepared, inverses="false")
    least = int(work.peak_memory or 0)
    budgets = [least, least - 1, least - 5_000]
    with pytest.raises(MemoryBudgetError) as refusal:
        direct_gpu(prepared, memory_budget=least // 2, columns=2)
    budgets.append(int(re.findall(r"need (\d+) bytes", str(refusal.value))[0]))
    waves = []
    for budget in budgets:
        solution, done = direct_gpu(prepared, memory_budget=budget, inverses="false")
        assert done.facts and (done.peak_memory or 0) <= budget
        waves.append(done.facts["waves"])
        assert (cupy.asnumpy(solution.x) == cupy.asnumpy(whole.x)).all()
    assert waves[0] == 1 and min(waves[1:]) > 1


def test_what_does_not_fit_is_refused_before_values_are_allocated(
    card: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def allocated(*arguments: Any) -> None:
        raise AssertionError("values were allocated")

    prepared = on_device(prepared_of(grid(24)))
    peak = direct_gpu(prepared, inverses="false")[1].peak_memory or 0
    monkeypatch.setattr(direct_module, "Factorisation", allocated)
    for budget, part in ((1000, "the maps of the fronts"), (peak // 2, "the factor and its fronts")):
        with pytest.raises(MemoryBudgetError, match=rf"{part} need \d+ bytes, {budget} given"):
            direct_gpu(prepared, memory_budget=budget, columns=2)


def test_what_does_not_fit_is_left_to_the_chain_of_lu_gpu(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[dict[str, Any]] = []

    def chain(prepared: Prepared, **options: Any) -> tuple[Solution, Work]:
        calls.append(options)
        return Solution(prepared.values), Work(fills=7, facts={"levels": 3.0})

    monkeypatch.setattr(direct_module, "lu_gpu", chain)
    prepared = on_device(prepared_of(grid(24)))
    solution, work = direct_gpu(prepared, memory_budget=1000, refine=2, static_pivoting=True)
    assert solution.x is prepared.values and work.fills == 7
    assert work.facts == {"levels": 3.0, "on_fronts": 0.0, "inverses": 0.0, "fell_back": 0.0}
    asked = {"symbolic": "bitfronts", "triangular": "sweeps", "static_pivoting": True, "refine": 2}
    assert calls == [{**asked, "dtype": "float64"}]


@pytest.mark.parametrize("value", [0.0, 1e-12])
def test_small_pivots_are_replaced_and_counted(card: str, value: float) -> None:
    import cupy

    matrix = np.diag(np.full(50, 2.0))
    matrix[20, 20] = value
    solution, work = direct_gpu(on_device(prepared_of(with_diagonal(matrix))), static_pivoting=True, refine=0)
    assert work.facts and work.facts["small_pivots"] == 1
    assert np.isfinite(cupy.asnumpy(solution.x)).all()


NOT_FINITE = "infinite or not a number"


# Places of a value that is not finite: the first pivot, one within, the last.
PLACES = itertools.product([-np.inf, np.nan], [20, 70, 130], [0, 0.4, 1])


@pytest.mark.parametrize(
    ("value", "n", "place"),
    daily(PLACES, (-np.inf, 20, 0), (np.nan, 20, 0.4), (-np.inf, 70, 1), (np.nan, 130, 0.4)),
)
def test_what_is_not_finite_is_refused_with_exchanges(card: str, n: int, value: float, place: float) -> None:
    matrix = np.random.default_rng(n).standard_normal((n, n)) + 2 * n * np.eye(n)
    row = round(place * (n - 1))
    matrix[row, row] = value
    with pytest.raises(UnsupportedError, match=NOT_FINITE):
        direct_gpu(on_device(prepared_of(with_diagonal(matrix))))


def test_overflow_in_rows_that_are_left_is_refused_with_exchanges(card: str) -> None:
    """Finite values, whose first two pivots leave infinity less infinity in the last row."""
    matrix = np.random.default_rng(62).standard_normal((62, 62)) + 124 * np.eye(62)
    matrix[:2], matrix[:, :2] = 0.0, 0.0
    matrix[0, 0] = matrix[1, 1] = 1.0
    matrix[61, 0] = matrix[0, 61] = matrix[61, 1] = 1e200
    matrix[1, 61] = -1e200
    with pytest.raises(UnsupportedError, match=NOT_FINITE):
        direct_gpu(on_device(prepared_of(with_diagonal(matrix))))


def test_a_pivot_too_small_to_be_divided_by_is_named(card: str) -> None:
    matrix = np.diag(np.full(20, 2.0))
    matrix[7, 7] = 1e-310
    with pytest.raises(UnsupportedError, match=r"column 7: .* or a pivot too small"):
        direct_gpu(on_device(prepared_of(with_diagonal(matrix))))


REFUSED = {0.0: "the pivot is zero", np.inf: "infinite", np.nan: "infinite"}


@pytest.mark.parametrize(
    ("n", "value"), daily(itertools.product([20, 70, 130], REFUSED), (20, np.inf), (20, np.nan), (70, 0.0))
)
def test_what_cannot_be_factorised_is_refused(card: str, n: int, value: float) -> None:
    matrix = np.random.default_rng(n).standard_normal((n, n)) + 2 * n * np.eye(n)
    matrix[0] = 0.0
    matrix[0, 0] = value
    with pytest.raises(UnsupportedError, match=f"column 0: .*{REFUSED[value]}"):
        direct_gpu(on_device(prepared_of(with_diagonal(matrix))), exchanges=False)


def test_a_singular_matrix_is_refused_with_exchanges_too(card: str) -> None:
    matrix = np.random.default_rng(1).standard_normal((70, 70)) + 140 * np.eye(70)
    matrix[3] = 0.0
    with pytest.raises(UnsupportedError, match=r"column \d+: the pivot is zero"):
        direct_gpu(on_device(prepared_of(with_diagonal(matrix))))


def test_overflow_is_refused(card: str) -> None:
    matrix = np.array([[1e-200, 1e200], [1e200, 1.0]])
    with pytest.raises(UnsupportedError, match="infinite or not a number"):
        direct_gpu(on_device(prepared_of(with_diagonal(matrix))), exchanges=False)


@pytest.mark.parametrize("options", [{"refine": -1}, {"columns": 0}])
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="expected a number of steps"):
        direct_gpu(prepared_of(MATRICES["one"]), **options)


# Of large fronts what takes many panels, with far smaller limits.
TINY = {"LARGE_FRONT": 120, "OUTER": 64, "HUGE_FRONT": 150, "MOST_CHILDREN": 3, "LONG_SEGMENT": 4}


@pytest.fixture
def tiny(cuda_on_cpu: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    header = (HEADERS / "multifrontal.cuh").read_text()
    for name, value in TINY.items():
        header, times = re.subn(rf"\b{name} = \d+", f"{name} = {value}", header)
        assert times == 1, name
    for module in (factor_gpu, maps_gpu, solve_gpu):
        path = tmp_path / module.KERNEL.name
        path.write_text(module.KERNEL.read_text().replace('#include "multifrontal.cuh"', header))
    load = kernels.load

    def load_tiny(path: Path, *rest: Any) -> dict[str, Any]:
        copy = tmp_path / path.name
        return load(copy if copy.exists() else path, *rest)

    monkeypatch.setattr(kernels, "load", load_tiny)


@pytest.mark.parametrize(
    ("tensor_cores", "n"), daily(itertools.product([False, True], [130, 180, 215]), (False, 130), (True, 180))
)
def test_outer_panels(tiny: None, n: int, tensor_cores: bool) -> None:
    with machine(**PLAYED):
        x, expected = solved(dense(n), 1, shape_of("float64", tensor_cores, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", daily(["arrow", "grid"], "arrow"))
def test_many_children(tiny: None, name: str) -> None:
    with machine(**PLAYED):
        x, expected = solved(MATRICES[name], 1, shape_of("float64", False, False))
    np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.gpu
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize(("dtype", "exchanges"), [("float64", False), ("float64", True), ("float32", False)])
def test_twenty_factorisations_on_poisoned_memory(name: str, dtype: str, exchanges: bool) -> None:
    prepared = on_device(prepared_of(LARGE[name]()))
    assert len({solution_bits(run_of(prepared, shape_of(dtype, True, exchanges))) for _ in range(20)}) == 1


@pytest.mark.gpu
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("options", OPTIONS)
def test_large_systems(name: str, options: dict[str, Any]) -> None:
    import cupy

    matrix = LARGE[name]()
    solution, _ = direct_gpu(on_device(prepared_of(matrix)), **options)
    assert residual(matrix, cupy.asnumpy(solution.x).reshape(-1, matrix.shape[0])[0]) < 1e-12


@pytest.mark.parametrize("count", [2, 8])
def test_blocks_in_use_at_a_time_do_not_overlap(count: int) -> None:
    rng = np.random.default_rng(count)
    m = 60
    up = np.array([rng.integers(k + 1, m) if k < m - 1 else -1 for k in range(m)])
    time = np.zeros(m, np.int64)
    for k in range(m - 1):
        time[up[k]] = max(time[up[k]], time[k] + rng.integers(1, 9))
    sizes = rng.integers(0, 100, m)
    waves = divide(time, up, sizes, count)
    last = np.where(up >= 0, waves.wave[up], waves.wave)
    for a in range(m):
        for b in range(a):
            beside = waves.wave[a] <= last[b] and waves.wave[b] <= last[a] and sizes[a] and sizes[b]
            apart = waves.start[a] >= waves.start[b] + sizes[b] or waves.start[b] >= waves.start[a] + sizes[a]
            assert apart or not beside
    assert (waves.wave[up[:-1]] >= waves.wave[:-1]).all()
