"""Inverted pivot blocks on fronts and solves with them, by the CPU that plays a card and on a real one."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array
from impl.cuda import device
from impl.cuda.transfer import on_device, on_host
from impl.multifrontal import parts_gpu
from impl.multifrontal.factor_gpu import Factorisation
from impl.multifrontal.inverse_gpu import Inverses, InverseSolver, pays, width_of, widths_of
from impl.multifrontal.parts_gpu import BLOCK, EIGHT, ONE, WIDTHS, Parts, parts_of
from impl.multifrontal.shape import Shape, shape_of
from impl.multifrontal.solve_cpu import solved as solved_on_host
from impl.solve import direct_gpu as direct_module
from impl.solve.direct_gpu import MOST_ERROR, direct_gpu
from impl.solve.right_hand_side import known_solutions
from tests.cuda_on_cpu.fixture import CARDS, machine, played_or_real
from tests.test_multifrontal_gpu import (
    LARGE,
    MATRICES,
    PLAYED,
    PROPERTIES,
    dense,
    grid,
    leaves,
    phases_of,
    prepared_of,
    random_matrix,
    run_of,
    shape_on,
    with_diagonal,
)
from tests.thorough import daily

# A part has at most so many pivots here, so that small fronts have several.
NARROW = 32
COLUMNS = (1, 8, 64)


@pytest.fixture(params=CARDS)
def card(request: pytest.FixtureRequest) -> Iterator[str]:
    """The CPU that plays a card, or a card."""
    with played_or_real(request, **PLAYED, memory=2**30) as name:
        yield name


def weak(n: int, density: float, seed: int) -> Any:
    """Rows whose diagonal does not dominate: elimination grows."""
    rng = np.random.default_rng(seed)
    entries = sp.random_array(
        (n, n), density=density, rng=rng, data_sampler=lambda size: rng.normal(size=size)
    )
    return sp.csr_array(entries + sp.diags_array(rng.choice([-1.0, 1.0], n) * rng.uniform(0.5, 2.0, n)))


def inverting(prepared: Any, shape: Shape, budget: int | None = None) -> Factorisation:
    """Its inverses of small fronts, once they are there."""
    run = run_of(prepared, shape, budget=budget, invert=True)
    run.result()
    return run


def parts_for(run: Factorisation, most: int = NARROW) -> Parts:
    """The parts of a factorisation's fronts, without tasks."""
    return parts_of(run.maps, (), None, most)


def inverted(run: Factorisation, most: int = NARROW) -> Inverses:
    """Its inverses, on memory full of NaN where a factorisation has left nothing."""
    parts = parts_for(run, most)
    made = Inverses(parts, run)
    made.values.data.memset(0xFF, made.values.nbytes)
    made.enqueue()
    return made


def sides(matrix: Any, columns: int) -> tuple[Any, Array]:
    """(b on the device, the x that it is of)."""
    import cupy

    expected = np.random.default_rng(1).standard_normal((columns, matrix.shape[0]))
    return cupy.asarray(np.ascontiguousarray((matrix @ expected.T).T)), expected


def solution(solver: Any, b: Any) -> Array:
    """x on the host, once poisoned on the device."""
    import cupy

    x = cupy.empty(b.shape, np.float64)
    x.data.memset(0xFF, x.nbytes)
    solver.solve(b, x)
    found: Array = cupy.asnumpy(x)
    return found


def agrees(matrix: Any, shape: Shape, columns: int, most: int = NARROW, tolerance: float = 1e-8) -> None:
    """Solve as the host does with the factor of L and U."""
    prepared, (b, expected) = on_device(prepared_of(matrix)), sides(matrix, columns)
    run = inverting(prepared, shape)
    x = solution(InverseSolver(inverted(run, most)), b)
    np.testing.assert_allclose(x, expected, rtol=tolerance, atol=tolerance)
    if not shape.exchanges:
        plain = Factorisation(run.maps, shape, False)
        plain.enqueue(prepared.values)
        by_host = solved_on_host(on_host(plain.result()[0]), np.asarray(b.get()).T).T
        np.testing.assert_allclose(x, by_host, rtol=tolerance, atol=tolerance)


EVERY_DAY = [("one", 1), ("disconnected", 8), ("chain", 1), ("random", 64), ("arrow", 8), ("grid", 1)]


@pytest.mark.parametrize(
    ("name", "columns"),
    daily(itertools.product(MATRICES, COLUMNS), *EVERY_DAY, ("dense", 64), ("diagonal", 8)),
)
def test_what_is_solved(card: str, name: str, columns: int) -> None:
    agrees(MATRICES[name], shape_of("float64", True, False), columns)


SIZES = itertools.product([32, 64, 96, 512], COLUMNS)


@pytest.mark.parametrize(("most", "columns"), daily(SIZES, (64, 1), (512, 8), (32, 64)))
def test_parts_of_any_size(card: str, most: int, columns: int) -> None:
    """A front of several parts, the last of them short, whose columns come into shared memory in stages; and
    children below the front of many rows."""
    for matrix in (dense(180), leaves(20, 40)):
        agrees(matrix, shape_of("float64", True, False), columns, most)


def test_a_part_of_so_many_pivots_that_they_are_gathered_once(card: str) -> None:
    agrees(MATRICES["large"], shape_of("float64", True, False), 1, 512)


@pytest.mark.parametrize("columns", daily([2, 7, 9, 16, 17, 65, 80, 130], 2, 17, 65))
def test_any_number_of_right_hand_sides(card: str, columns: int) -> None:
    agrees(MATRICES["disconnected"], shape_of("float64", True, False), columns)


@pytest.mark.parametrize("columns", daily(COLUMNS, 8))
def test_without_tensor_cores(card: str, columns: int) -> None:
    """Lanes then hand their operands on."""
    agrees(MATRICES["random"], shape_of("float64", False, False), columns)


@pytest.mark.parametrize("columns", daily(COLUMNS, 64))
def test_single_precision(card: str, columns: int) -> None:
    agrees(MATRICES["random"], shape_of("float32", True, False), columns, tolerance=2e-4)


@pytest.mark.parametrize(
    ("name", "columns"), daily(itertools.product(MATRICES, COLUMNS), ("random", 1), ("arrow", 8))
)
def test_rows_exchanged_within_blocks(card: str, name: str, columns: int) -> None:
    agrees(MATRICES[name], shape_of("float64", True, True), columns)


def test_exchanges_of_a_small_front_are_in_its_inverse(card: str) -> None:
    """The first row and the second one change places."""
    matrix = np.random.default_rng(30).standard_normal((30, 30)) + 30 * np.eye(30)
    matrix[0, 0], matrix[0, 1], matrix[1, 0] = 0.0, 5.0, 3.0
    agrees(with_diagonal(matrix), shape_of("float64", True, True), 1)


@pytest.mark.parametrize(
    ("name", "exchanges"), daily(itertools.product(PROPERTIES, [False, True]), ("T4", True))
)
def test_other_cards_solve_too(
    cuda_on_cpu: Any, monkeypatch: pytest.MonkeyPatch, name: str, exchanges: bool
) -> None:
    """With less shared memory, and without tensor cores."""
    shape = shape_on(monkeypatch, name, exchanges)
    with machine(**PLAYED, memory=2**30):
        for columns in COLUMNS:
            agrees(leaves(20, 14), shape, columns)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PROPERTIES)
def test_shared_memory_suffices_on_other_cards(
    cuda_on_cpu: Any, monkeypatch: pytest.MonkeyPatch, name: str, dtype: str
) -> None:
    shape = replace(shape_on(monkeypatch, name, True), dtype=dtype)
    block, _ = device.shared_memory()
    held = parts_gpu.held_pivots(shape.itemsize)
    assert parts_gpu.block_bytes(held, shape.itemsize) + 1024 <= block


# The columns of the last come into shared memory in three stages.
WATCHED = {**MATRICES, "staged": dense(180)}
HAZARDOUS = [
    *itertools.product(WATCHED, COLUMNS, ["float64"]),
    ("dense", 64, "float32"),
    ("random", 8, "float32"),
]


@pytest.mark.parametrize(
    "cuda_on_cpu", [{**PLAYED, "races": True, "seed": 7, "memory": 2**30}], indirect=True
)
@pytest.mark.parametrize(
    ("name", "columns", "dtype"),
    daily(HAZARDOUS, ("disconnected", 1, "float64"), ("dense", 8, "float64"), ("staged", 64, "float64")),
)
def test_no_hazard_in_shared_memory(cuda_on_cpu: Any, name: str, columns: int, dtype: str) -> None:
    tolerance = 1e-8 if dtype == "float64" else 2e-4
    agrees(WATCHED[name], shape_of(dtype, True, True), columns, tolerance=tolerance)


@pytest.mark.parametrize(
    ("name", "columns"), daily(itertools.product(["grid", "arrow"], COLUMNS), ("arrow", 1), ("grid", 8))
)
def test_other_orders_of_threads_give_the_same_bits(cuda_on_cpu: Any, name: str, columns: int) -> None:
    """Fronts, maps, values, lists and tasks, anew each time; and of a solver one solve after another."""
    found = set()
    for seed in range(2):
        with machine(**PLAYED, seed=seed, memory=2**30):
            run = inverting(on_device(prepared_of(MATRICES[name])), shape_of("float64", True, True))
            solver, (b, _) = InverseSolver(inverted(run)), sides(MATRICES[name], columns)
            found |= {solution(solver, b).tobytes() for _ in range(3)}
    assert len(found) == 1


def test_solvers_of_one_factor_do_not_share_vectors(card: str) -> None:
    """Two solvers take turns with other right-hand sides, and one adds to what is there."""
    import cupy

    matrix = MATRICES["random"]
    run = inverting(on_device(prepared_of(matrix)), shape_of("float64", True, False))
    made = inverted(run)
    one, other, (b, expected) = InverseSolver(made), InverseSolver(made), sides(matrix, 1)
    for turn in range(3):
        np.testing.assert_allclose(solution(one, b * (turn + 1)), expected * (turn + 1), atol=1e-8)
        np.testing.assert_allclose(solution(other, b * -1.0), -expected, atol=1e-8)
    x = cupy.asarray(expected)
    one.solve(b, x, add=True)
    np.testing.assert_allclose(cupy.asnumpy(x), 2 * expected, atol=1e-8)


def orders(parts: Parts, width: int) -> tuple[Array, Array]:
    """(tasks, parts that warps take) as they are listed: each a row of 16 words."""
    import cupy

    tasks = parts.tasks_of(width)
    count = int(cupy.asnumpy(tasks.array("start"))[-1])
    listed = cupy.asnumpy(tasks.array("tasks")).reshape(-1, 16)[:count]
    return listed, cupy.asnumpy(tasks.array("warps")).reshape(-1, 16)


@pytest.mark.parametrize("width", [ONE, EIGHT, BLOCK])
@pytest.mark.parametrize("name", daily(["random", "grid", "arrow", "large", "chain"], "random", "grid"))
def test_tasks_are_in_topological_order_and_cover_every_row_once(card: str, name: str, width: int) -> None:
    """Forward children before parents, backward parents before children, and v before it is needed."""
    run = run_of(on_device(prepared_of(MATRICES[name])), shape_of("float64", True, False))
    parts = parts_for(run)
    listed, warps = orders(parts, width)
    forward: dict[int, list[int]] = {}
    backward: dict[int, list[int]] = {}
    parent, sizes, rows = {}, {}, {}
    for at, task in enumerate(listed):
        members = warps[task[4] : task[4] + task[5]] if task[0] in (0, 1) else [task]
        for one in members:
            kind, f, s, r, row, count, part = *one[:6].tolist(), int(one[10])
            parent[part], sizes[part] = int(one[11]), (f, s, r)
            side = backward if kind in (1, 5) else forward
            side.setdefault(part, []).append(at)
            key = (part, "gather" if kind == 2 else "back" if kind in (1, 5) else "forth")
            rows.setdefault(key, []).extend(range(row, row + count))
    for part, (f, s, r) in sizes.items():
        assert sorted(rows[part, "forth"]) == list(range(f))
        assert sorted(rows.get((part, "back"), [])) == list(range(s if r else 0))
        assert (part, "gather") not in rows or sorted(rows[part, "gather"]) == list(range(s))
        if r:
            assert max(forward[part]) < min(backward[part])
            assert min(forward[parent[part]]) > min(forward[part])
            if parent[part] in backward:
                assert max(backward[parent[part]]) < min(backward[part])
    assert len(sizes) == parts.totals.parts


def backward_error(matrix: Any, x: Array) -> float:
    """The largest componentwise one, of Oettli and Prager, of the systems that `direct_gpu` solves."""
    known = known_solutions(matrix.shape[0], len(x))
    b = (matrix @ known.T).T
    scale = (abs(matrix) @ np.abs(x).T).T + np.abs(b)
    return float((np.abs(b - (matrix @ x.T).T) / scale).max())


HARD = {"weak": weak(150, 0.03, 1), "gauss": sp.csr_array(np.random.default_rng(3).standard_normal((90, 90)))}
HOW: list[dict[str, Any]] = [{}, {"exchanges": False}, {"static_pivoting": True, "exchanges": False}]


def errors(matrix: Any, refine: int, **options: Any) -> list[float]:
    """Of substitution and of inverses."""
    import cupy

    prepared, found = on_device(prepared_of(matrix)), []
    for inverses in ("false", "true"):
        x = cupy.asnumpy(direct_gpu(prepared, inverses=inverses, refine=refine, **options)[0].x)
        found.append(backward_error(matrix, x.reshape(-1, matrix.shape[0])))
    return found


@pytest.mark.parametrize(
    ("options", "name"), daily(itertools.product(HOW, HARD), (HOW[0], "weak"), (HOW[2], "gauss"))
)
def test_one_step_of_refinement_makes_inverses_as_good_as_substitution(
    card: str, options: dict[str, Any], name: str
) -> None:
    """Without it they lose digits, as many as the pivot blocks are badly conditioned, within the gate."""
    substitution, inverses = errors(HARD[name], 0, **options)
    assert inverses < 1e-8 and substitution < 1e-8
    substitution, inverses = errors(HARD[name], 1, **options)
    assert inverses < max(4 * substitution, 1e-15)


def test_a_replaced_pivot_is_refined_away_with_inverses_too(card: str) -> None:
    """A zero pivot becomes a small one, whose reciprocal is 1e8 in the inverse."""
    rng = np.random.default_rng(5)
    matrix = rng.standard_normal((60, 60)) + 60 * np.eye(60)
    matrix[0, 0] = 0.0
    steps = [
        errors(with_diagonal(matrix), refine, static_pivoting=True, exchanges=False) for refine in (1, 3)
    ]
    assert max(steps[1]) < 1e-14 and steps[0][1] < 1e-4


def test_single_precision_needs_more_steps(card: str) -> None:
    substitution, inverses = errors(random_matrix(120, 0.05, 3), 3, dtype="float32")
    assert max(substitution, inverses) < 1e-14


@pytest.mark.parametrize("columns", daily([1, 3, 20], 1, 20))
def test_the_whole_chain(card: str, columns: int) -> None:
    """Phases and facts say that there were inverses."""
    prepared = on_device(prepared_of(random_matrix(120, 0.05, 3)))
    x, phases = phases_of(prepared, inverses="true", columns=columns)
    np.testing.assert_allclose(x, known_solutions(120, columns).squeeze(), rtol=1e-11)
    assert {"parts", "inverses"} <= phases
    assert direct_gpu(prepared, inverses="true")[1].facts["inverses"] == 1  # type: ignore[index]
    _, phases = phases_of(prepared, inverses="false", columns=columns)
    assert not {"parts", "inverses"} & phases


def test_kept_maps_keep_the_parts_as_well(card: str) -> None:
    """A second width is listed when it is first asked for."""
    prepared = on_device(prepared_of(random_matrix(60, 0.05, 3)))
    for columns in (1, 1, 3):
        x, _ = phases_of(prepared, maps="kept", inverses="true", columns=columns)
        np.testing.assert_allclose(x, known_solutions(60, columns).squeeze(), rtol=1e-11)
    parts = direct_module._kept[0].analysis.parts
    assert parts and sorted(parts.tasks) == [ONE, EIGHT]
    phases_of(prepared, maps="kept", inverses="true")
    assert direct_module._kept[0].analysis.parts is parts


def test_auto_inverts_where_it_pays(card: str) -> None:
    """With several right-hand sides, in float64 and with a step of refinement."""
    prepared = on_device(prepared_of(grid(12)))
    for options, expected in (
        ({"columns": 2}, 1),
        ({"columns": 2, "refine": 0}, 0),
        ({"columns": 2, "dtype": "float32"}, 0),
        ({"columns": 2, "inverses": "false"}, 0),
    ):
        assert direct_gpu(prepared, **options)[1].facts["inverses"] == expected, options  # type: ignore[index, arg-type]


def test_auto_substitutes_where_inverses_lose_too_much(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The solution is then bit for bit that without inverses; a value that is not finite is too much."""
    import cupy

    lossy = np.random.default_rng(5).standard_normal((6, 6))
    lossy[np.arange(0, 6, 2), np.arange(0, 6, 2)] = 1e-10
    for matrix, most, expected in (
        (sp.csr_array(lossy), MOST_ERROR, 0),
        (grid(12), MOST_ERROR, 1),
        (grid(12), -1.0, 0),
    ):
        monkeypatch.setattr(direct_module, "MOST_ERROR", most)
        prepared = on_device(prepared_of(matrix))
        solution, work = direct_gpu(prepared, columns=2, exchanges=False)
        assert work.facts and work.facts["inverses"] == expected
        either = [direct_gpu(prepared, columns=2, exchanges=False, inverses=way) for way in ("false", "true")]  # type: ignore[arg-type]
        assert cupy.asnumpy(solution.x).tobytes() == cupy.asnumpy(either[expected][0].x).tobytes()
        assert work.facts["fell_back"] == 1 - expected
        assert work.peak_memory == max(int(other.peak_memory or 0) for _, other in either)


def test_more_solves_pay_sooner(card: str) -> None:
    maps = run_of(on_device(prepared_of(grid(12))), shape_of("float64", True, False)).maps
    for fresh in (False, True):
        answers = [pays(maps, 1, refine, fresh) for refine in range(60)]
        assert not answers[0] and answers[-1] and answers == sorted(answers)
    assert pays(maps, 1, answers.index(True) - 1, False)


def test_inverses_are_within_the_budget_or_left_out(card: str) -> None:
    """In waves too, whose blocks are fewer than the inverses; the bits are those without a budget."""
    import cupy

    prepared = on_device(prepared_of(grid(16)))
    whole, work = direct_gpu(prepared, inverses="true")
    peak = int(work.peak_memory or 0)
    bare = int(direct_gpu(prepared, inverses="false")[1].peak_memory or 0)
    solved, work = direct_gpu(prepared, inverses="true", memory_budget=peak)
    assert (work.peak_memory or 0) <= peak and (cupy.asnumpy(solved.x) == cupy.asnumpy(whole.x)).all()
    with pytest.raises(MemoryBudgetError, match=f"a factor and its inverses need \\d+ bytes, {bare} given"):
        direct_gpu(prepared, inverses="true", memory_budget=bare)
    _, work = direct_gpu(prepared, columns=2, memory_budget=bare)
    assert work.facts and work.facts["inverses"] == 0 and (work.peak_memory or 0) <= bare


def test_kept_lists_for_more_right_hand_sides_are_within_the_budget(card: str) -> None:
    """They are made later than those for one, and a refusal of theirs is remembered."""
    prepared = on_device(prepared_of(grid(16)))
    budget = int(direct_gpu(prepared, inverses="true")[1].peak_memory or 0)
    for _ in range(2):
        _, work = direct_gpu(prepared, inverses="true", maps="kept", memory_budget=budget)
        assert work.facts and work.facts["inverses"] == 1 and work.peak_memory == budget
        _, work = direct_gpu(prepared, columns=64, maps="kept", memory_budget=budget)
        assert work.facts and work.facts["inverses"] == 0 and (work.peak_memory or 0) <= budget
        assert direct_module._kept[0].analysis.refused == {widths_of(64)}
    with pytest.raises(MemoryBudgetError, match=f"{budget} given"):
        direct_gpu(prepared, columns=64, inverses="true", maps="kept", memory_budget=budget)


def test_inverses_that_are_asked_for_are_not_dropped_where_maps_do_not_fit(card: str) -> None:
    prepared = on_device(prepared_of(grid(16)))
    with pytest.raises(MemoryBudgetError):
        direct_gpu(prepared, inverses="true", memory_budget=1000)


def test_inverses_in_waves(card: str) -> None:
    """Fewer blocks than inverses: those are allocated in their place."""
    matrix = grid(16)
    prepared = on_device(prepared_of(matrix))
    run = inverting(prepared, shape_of("float64", True, False))
    peak, (b, expected) = run.nbytes, sides(matrix, 1)
    whole = solution(InverseSolver(inverted(run)), b)
    waves = inverting(prepared, shape_of("float64", True, False), peak - 1)
    assert waves.maps.waves > 1 and waves.blocks.size < run.maps.block_values
    assert solution(InverseSolver(inverted(waves)), b).tobytes() == whole.tobytes()
    np.testing.assert_allclose(whole, expected, atol=1e-8)


def test_more_places_than_32_bits_are_refused_or_left_out(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_gpu, "MOST_PLACES", 100)
    prepared = on_device(prepared_of(grid(12)))
    with pytest.raises(UnsupportedError, match="places of vectors: 32 bits count 100"):
        direct_gpu(prepared, inverses="true")
    assert direct_gpu(prepared, columns=2)[1].facts["inverses"] == 0  # type: ignore[index]


def test_the_kernels_that_right_hand_sides_take() -> None:
    for columns in range(1, 200):
        done, taken = 0, set()
        while done < columns:
            width = width_of(columns, columns - done)
            taken.add(width)
            done += WIDTHS[width]
        assert set(widths_of(columns)) == taken
    assert widths_of(1) == (ONE,) and widths_of(65) == (EIGHT, BLOCK) and widths_of(17) == (BLOCK,)


@pytest.mark.gpu
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize(("dtype", "exchanges"), [("float64", False), ("float64", True), ("float32", False)])
def test_twenty_solves_on_poisoned_memory(name: str, columns: int, dtype: str, exchanges: bool) -> None:
    """Each with inverses of its own for the first five, then one solve after another."""
    matrix = LARGE[name]()
    prepared, (b, expected) = on_device(prepared_of(matrix)), sides(matrix, columns)
    found = set()
    for turn in range(20):
        if turn < 5:
            run = inverting(prepared, shape_of(dtype, True, exchanges))
            solver = InverseSolver(inverted(run, 512))
        x = solution(solver, b)
        found.add(x.tobytes())
    assert len(found) == 1
    np.testing.assert_allclose(x, expected, atol=1e-6 if dtype == "float64" else 5e-2)


@pytest.mark.gpu
def test_solvers_in_several_streams_at_a_time() -> None:
    """Four of them, on two factors, with other numbers of right-hand sides; each as it solves alone."""
    import cupy

    runs = [
        inverting(on_device(prepared_of(LARGE[name]())), shape_of("float64", True, True))
        for name in ("grid", "wide")
    ]
    made = [inverted(run, 512) for run in runs]
    names, columns = ["grid", "wide", "grid", "wide"], [1, 1, 8, 64]
    solvers = [InverseSolver(made[k % 2]) for k in range(4)]
    given = [sides(LARGE[name](), count)[0] for name, count in zip(names, columns, strict=True)]
    alone = [solution(solver, b) for solver, b in zip(solvers, given, strict=True)]
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(4)]
    outs = [[cupy.empty_like(b) for _ in range(10)] for b in given]
    cupy.cuda.runtime.deviceSynchronize()
    for turn in range(10):
        for solver, b, stream, out in zip(solvers, given, streams, outs, strict=True):
            with stream:
                solver.solve(b, out[turn])
    cupy.cuda.runtime.deviceSynchronize()
    for each, out in zip(alone, outs, strict=True):
        assert {cupy.asnumpy(x).tobytes() for x in out} == {each.tobytes()}


@pytest.mark.gpu
@pytest.mark.parametrize("name", LARGE)
def test_large_systems_are_solved_as_well_as_by_substitution(name: str) -> None:
    substitution, inverses = errors(LARGE[name](), 1)
    assert inverses < max(4 * substitution, 2e-15)
