"""cuDSS in the stages `solve` and `symbolic`, over a library that takes and returns what cudss.h says."""

import ctypes
import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

from benchmarks.checks.residuals import verify_solution
from benchmarks.engine.crew import Alone
from benchmarks.engine.limits import Sampling
from benchmarks.engine.operands import context
from benchmarks.engine.places import Host
from benchmarks.engine.tasks import _sample
from fillpath import registry
from fillpath.errors import FillpathError, InputError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import Factorised, Prepared, Solution
from fillpath.peers import Peer
from fillpath.phase import PhaseClock, recording
from fillpath.record import Verified
from impl.peers import cudss, kinds
from impl.solve import cudss as solve
from impl.solve.right_hand_side import as_matrix, known_solutions
from impl.symbolic import cudss as symbolic
from impl.symbolic.separator_tree import SeparatorTree
from tests.cudss_fake import (
    FULL,
    GENERAL,
    LAYER,
    LOWER,
    MATCHING,
    SPD,
    SYMMETRIC,
    UPPER,
    CuDss,
    filled_entries,
    stand_in_cudss,
)
from tests.devices import hosted
from tests.solver_fakes import on_device, stand_in
from tests.test_numeric import well_conditioned
from tests.test_solve import addressed, chain, grid, of_dense
from tests.verdicts import verdict_on

PHASES = ["right_hand_side", "reordering", "symbolic", "numeric", "triangular", "refine"]
PREPARED = well_conditioned(50, 0.06, 3)


def symmetric(n: int, seed: int, least: float = 1.0) -> Prepared:
    """A symmetric matrix whose least eigenvalue is that."""
    rng = np.random.default_rng(seed)
    half = np.where(rng.random((n, n)) < 2 / n, rng.uniform(-1, 1, (n, n)), 0)
    dense = half + half.T + 8 * np.eye(n)
    return of_dense(dense + (least - np.linalg.eigvalsh(dense)[0]) * np.eye(n))


def dissected(begin: int, end: int) -> list[int]:
    """Lines of a grid: those of both halves, then the one between."""
    middle = (begin + end) // 2
    if end - begin < 3:
        return list(range(begin, end))
    return [*dissected(begin, middle), *dissected(middle + 1, end), middle]


def product(prepared: Prepared, x: Any, b: Any) -> Any:
    """b - A x by SciPy, as the kernel has it."""
    times = (as_matrix(prepared) @ np.asarray(x).T).T
    return on_device(times if b is None else b - times)


@pytest.fixture(params=MATCHING, ids=lambda version: ".".join(map(str, version)))
def fake(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[CuDss]:
    """Each version, behind a CuPy whose arrays are NumPy's."""
    stand_in(monkeypatch)
    monkeypatch.setattr(solve, "residual", product)
    yield stand_in_cudss(monkeypatch, request.param)
    solve._kept.clear()
    kinds._known.clear()
    cudss.library.cache_clear()
    cudss._handle.cache_clear()


def entries_in_order(prepared: Prepared) -> int:
    """Of L + U of A + A^T in the order of the matrix."""
    return filled_entries(as_matrix(prepared).toarray() != 0)


def held(result: Any, prepared: Prepared) -> Verified:
    """The verdict of the stage symbolic, which for a peer's factorisation needs no more than values."""
    nothing: Any = object()
    entry = registry.lookup("symbolic", "cudss")
    return verdict_on("symbolic", result, context(prepared, nothing, entry, {}))


def test_a_solution_goes_through_the_phases(fake: CuDss) -> None:
    with recording(PhaseClock()) as clock:
        solution, work = solve.cudss(addressed(PREPARED), refine=2)
    assert verify_solution(solution, PREPARED, None).value <= 1e-15
    assert fake.done == [1, 2, 4, 1008, 1008, 1008] and not fake.objects.alive
    assert list(clock.seconds) == PHASES
    assert work.facts is not None and work.facts["pivots"] == 6


def test_a_given_order_is_kept_and_its_own_is_what_cudss_makes_it(fake: CuDss) -> None:
    """An order of its own leaves the configuration alone; a matching would permute the columns."""
    counts = {}
    for ordering, matching in (("own", MATCHING[fake.version]), ("given", 0)):
        solution, work = solve.cudss(addressed(PREPARED), ordering=ordering)
        assert verify_solution(solution, PREPARED, None).value <= 1e-15 and not fake.objects.alive
        assert fake.config is not None and fake.config.matching == matching
        assert work.facts is not None
        counts[ordering] = work.facts["nnz_factor"]
    assert counts["given"] == entries_in_order(PREPARED) != counts["own"]


@pytest.mark.parametrize("ordering", ["own", "given"])
def test_a_symmetric_matrix_is_taken_as_such(fake: CuDss, ordering: Any) -> None:
    """A matrix whose diagonal is positive may be indefinite: that is found once for its arrays."""
    for least, told in ((1.0, [SPD, SPD]), (-1.0, [SPD, SYMMETRIC, SYMMETRIC])):
        prepared = addressed(symmetric(40, 1, least))
        fake.kinds.clear()
        for _ in range(2):
            solution, work = solve.cudss(prepared, ordering=ordering)
            assert verify_solution(solution, prepared, None).value <= 1e-13 and not fake.objects.alive
        assert fake.kinds == [(kind, UPPER) for kind in told]
        assert work.facts is not None and work.facts["kind"] == told[-1]
        if ordering != "own":
            assert work.facts["nnz_factor"] == (entries_in_order(prepared) + 40) / 2


def test_a_matrix_that_is_not_symmetric_is_general(fake: CuDss) -> None:
    """In its values, in its pattern, or with a diagonal that is not positive: three ways to be none."""
    values, pattern, diagonal = (as_matrix(symmetric(30, 2)).toarray() for _ in range(3))
    row, column = np.argwhere(np.triu(values, 1))[0]
    values[row, column] *= 1 + 1e-15
    pattern[row, column] = 0.0
    diagonal[7, 7] = -5.0
    for dense, kind in (
        (values, (GENERAL, FULL)),
        (pattern, (GENERAL, FULL)),
        (diagonal, (SYMMETRIC, UPPER)),
    ):
        solve.cudss(addressed(of_dense(dense)))
        assert fake.kinds.pop() == kind and not fake.kinds


def test_a_kind_that_is_said_is_taken(fake: CuDss) -> None:
    prepared = addressed(symmetric(40, 1, -1.0))
    for kind in ("general", "symmetric"):
        solution, _ = solve.cudss(prepared, kind=kind)
        assert verify_solution(solution, prepared, None).value <= 1e-13
    assert fake.kinds == [(GENERAL, FULL), (SYMMETRIC, UPPER)]
    with pytest.raises(UnsupportedError, match="error indicator is"):
        solve.cudss(prepared, kind="spd")
    assert not fake.objects.alive


@pytest.mark.parametrize("view", [LOWER, FULL])
def test_the_gate_sees_a_wrong_kind_or_view(fake: CuDss, monkeypatch: pytest.MonkeyPatch, view: int) -> None:
    """A general matrix said to be symmetric is solved as the mirrored triangle, whichever that is."""
    solution, _ = solve.cudss(addressed(PREPARED), kind="symmetric")
    assert not verify_solution(solution, PREPARED, None).passes
    upper = of_dense(np.triu(as_matrix(symmetric(30, 3)).toarray()))
    whole = of_dense(as_matrix(upper).toarray() + np.triu(as_matrix(upper).toarray(), 1).T)
    system = addressed(whole)
    monkeypatch.setattr(cudss, "KINDS", {**cudss.KINDS, "spd": (SPD, view)})
    with cudss.opened(addressed(upper).pattern, addressed(upper).values, kind="spd") as opened:
        for number in (cudss.REORDERING, cudss.SYMBOLIC):
            opened.execute(number)
        opened.factorise()
        x = opened.solved(product(system, known_solutions(30, 1), None))
    assert not verify_solution(Solution(x[0]), whole, None).passes


def test_threads_are_those_of_the_case(fake: CuDss) -> None:
    for threads in {1, numba.config.NUMBA_NUM_THREADS}:
        numba.set_num_threads(threads)
        _, work = solve.cudss(addressed(PREPARED))
        assert fake.config is not None and fake.config.threads == threads
        assert work.facts is not None and work.facts["threads"] == threads
    assert fake.layer == LAYER


def test_threads_need_their_layer(fake: CuDss, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library without it would run on one, and not say so: the stand-in does."""
    monkeypatch.setattr(cudss, "get_num_threads", lambda: 2)
    solve.cudss(addressed(PREPARED))
    fake.layer = None
    with pytest.raises(FillpathError, match="internal error"):
        solve.cudss(addressed(PREPARED))


def test_a_given_order_comes_with_its_separators(fake: CuDss) -> None:
    order = (9 * np.array(dissected(0, 9))[:, None] + np.arange(9)).ravel()
    prepared = addressed(of_dense(as_matrix(grid(9)).toarray()[np.ix_(order, order)]))
    with recording(PhaseClock()) as clock:
        solution, work = solve.cudss(prepared, ordering="given")
    assert verify_solution(solution, prepared, None).value <= 1e-14
    assert work.facts is not None and work.facts["levels"] >= 3
    assert work.facts["nnz_factor"] == entries_in_order(prepared)
    assert list(clock.seconds) == ["right_hand_side", "separators", *PHASES[1:]]


def test_an_order_without_separators_has_one_leaf(fake: CuDss) -> None:
    dense = np.full((6, 6), -1.0) + 9 * np.eye(6)
    _, work = solve.cudss(addressed(of_dense(dense)), ordering="given")
    assert work.facts is not None and work.facts["levels"] == 1


def test_a_tree_that_is_none_is_refused(fake: CuDss, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two halves that an entry joins."""
    wrong = SeparatorTree(np.array([20, 20, 10, 0], np.int32), np.array([0, 20, 40, 50], np.int32))
    monkeypatch.setattr(cudss, "separator_tree", lambda *_: wrong)
    with pytest.raises(FillpathError, match="cuDSS, reordering: invalid value"):
        solve.cudss(addressed(PREPARED), ordering="given")


def test_a_second_system_of_a_pattern_is_refactorised(fake: CuDss) -> None:
    prepared = addressed(PREPARED)
    other = replace(prepared, values=on_device(np.where(PREPARED.values > 0, 3.0, 2.0) * PREPARED.values))
    solve.cudss(prepared, analysis="kept")
    fake.done.clear()
    for system in (other, prepared):
        with recording(PhaseClock()) as clock:
            solution, _ = solve.cudss(system, analysis="kept")
        assert verify_solution(solution, system, None).value <= 1e-15
        assert list(clock.seconds) == ["right_hand_side", "numeric", "triangular", "refine"]
    assert fake.done == 2 * [8, 1008, 1008]


def test_what_is_kept_serves_its_pattern_and_options_alone(fake: CuDss) -> None:
    prepared = addressed(PREPARED)
    calls: list[tuple[Prepared, dict[str, Any]]] = [
        (prepared, {}), (prepared, {"columns": 3}), (prepared, {"columns": 3, "ordering": "given"}),
        (addressed(PREPARED), {"columns": 3, "ordering": "given"}), (addressed(chain(7)), {}),
    ]  # fmt: skip
    for system, options in calls:
        fake.done.clear()
        solve.cudss(system, analysis="kept", **options)
        assert fake.done[:3] == [1, 2, 4] and fake.most == 1
    solve.cudss(prepared)
    assert not fake.objects.alive and not solve._kept


def test_what_fails_is_not_kept(fake: CuDss) -> None:
    prepared = addressed(PREPARED)
    solve.cudss(prepared, analysis="kept")
    fake.info = 3
    with pytest.raises(UnsupportedError, match="error indicator is 3"):
        solve.cudss(prepared, analysis="kept")
    assert not fake.objects.alive and not solve._kept


@pytest.mark.parametrize("columns", [2, 8])
def test_several_right_hand_sides_are_solved_at_a_time(fake: CuDss, columns: int) -> None:
    solution, _ = solve.cudss(addressed(PREPARED), columns=columns)
    assert verify_solution(solution, PREPARED, None, columns).value <= 1e-15
    assert fake.done == [1, 2, 4, 1008, 1008]
    for options in ({"columns": 0}, {"refine": -1}):
        with pytest.raises(InputError, match="expected a number of steps, and one or more"):
            solve.cudss(addressed(PREPARED), **options)


def test_the_symbolic_stage_ends_before_the_numeric_phase(fake: CuDss) -> None:
    with recording(PhaseClock()) as clock:
        result, work = symbolic.cudss(addressed(PREPARED))
    assert fake.done == [1, 2] and list(clock.seconds) == ["separators", "reordering", "symbolic"]
    assert result.nnz == entries_in_order(PREPARED)
    assert work.facts == {"nnz_factor": result.nnz}


def test_the_gate_factorises_what_the_symbolic_stage_has_analysed(fake: CuDss) -> None:
    result, _ = symbolic.cudss(addressed(PREPARED))
    assert held(result, PREPARED).value <= 1e-15
    assert fake.done == [1, 2, 4, 1008, 1008]
    # A second gate, of the last sample, finds it as the first did.
    assert held(result, PREPARED).passes


def test_the_gate_sees_a_wrong_factorisation(fake: CuDss) -> None:
    fake.factor = 1.01
    result, _ = symbolic.cudss(addressed(PREPARED))
    assert not held(result, PREPARED).passes
    fake.info = 3
    with pytest.raises(UnsupportedError, match="error indicator is 3"):
        held(result, PREPARED)


def test_a_result_of_the_symbolic_stage_holds_memory_as_long_as_it_lives(fake: CuDss) -> None:
    """No cycle keeps it for the garbage collector."""
    gc.disable()
    try:
        result, _ = symbolic.cudss(addressed(PREPARED))
        held(result, PREPARED)
        assert fake.objects.alive
        del result
        assert not fake.objects.alive
    finally:
        gc.enable()


def test_samples_of_the_symbolic_stage_do_not_add_up_in_memory(fake: CuDss) -> None:
    prepared = addressed(PREPARED)
    meter: Any = SimpleNamespace(advance=lambda: None, per_sample=lambda *_: None)
    four = Sampling(4, 60.0)
    outcome, _ = _sample(
        lambda: symbolic.cudss(prepared), four, Host(), meter, lambda *_, **__: None, Alone()
    )
    assert isinstance(outcome[0], Factorised) and fake.most == 1
    del outcome
    assert not fake.objects.alive


def test_a_count_that_comes_with_the_factors_alone_is_none(fake: CuDss) -> None:
    fake.counts_early = False
    with pytest.raises(UnsupportedError, match="counts 0 entries of L and U before it factorises 50 rows"):
        symbolic.cudss(addressed(PREPARED))
    assert not fake.objects.alive


@pytest.mark.parametrize(
    "permutation",
    [np.zeros(50, np.int32), np.arange(49, dtype=np.int32), np.arange(50)],
    ids=["repeated", "short", "of 64 bits"],
)
def test_a_permutation_that_is_none_is_refused(
    fake: CuDss, monkeypatch: pytest.MonkeyPatch, permutation: Any
) -> None:
    monkeypatch.setattr(cudss, "_order", lambda tree: permutation)
    with pytest.raises(FillpathError, match="cuDSS, reordering: invalid value"):
        symbolic.cudss(addressed(PREPARED))
    assert not fake.objects.alive


@pytest.mark.parametrize(
    ("number", "status", "error", "reason"),
    [
        (1, 4, UnsupportedError, "cuDSS, reordering: not supported"),
        (2, 2, MemoryBudgetError, "cuDSS, symbolic factorisation: out of memory"),
        (4, 5, FillpathError, "cuDSS, numeric factorisation: execution failed"),
        (1008, 99, FillpathError, "cuDSS, solve: status 99"),
    ],
)
def test_what_cudss_refuses_is_said_with_its_phase(
    fake: CuDss, number: int, status: int, error: type[FillpathError], reason: str
) -> None:
    fake.statuses = {number: status}
    with pytest.raises(error, match=reason) as caught:
        solve.cudss(addressed(chain(5)))
    assert type(caught.value) is error and not fake.objects.alive
    if number <= 2:
        with pytest.raises(error, match=reason):
            symbolic.cudss(addressed(chain(5)))
        assert not fake.objects.alive


def test_a_matrix_that_cudss_calls_singular_is_unsupported(fake: CuDss) -> None:
    fake.info = 3
    with pytest.raises(UnsupportedError, match="error indicator is 3"):
        solve.cudss(addressed(chain(5)))
    assert not fake.objects.alive


@pytest.fixture
def no_needs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cudss, "_load_needed", lambda name: None)
    cudss.library.cache_clear()
    yield
    cudss.library.cache_clear()


def wheel(monkeypatch: pytest.MonkeyPatch, *files: str) -> None:
    """A cuDSS that lists these files."""
    listed = [SimpleNamespace(name=Path(file).name, locate=lambda file=file: Path(file)) for file in files]
    monkeypatch.setattr(cudss, "distribution", lambda: cudss.DISTRIBUTIONS[0])
    monkeypatch.setattr(cudss.importlib.metadata, "files", lambda name: listed)


@pytest.mark.usefixtures("no_needs")
def test_a_cudss_that_cannot_be_used_is_unavailable_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cudss.kernels, "available", lambda: (True, ""))
    monkeypatch.setattr(Peer, "installed", lambda peer: (False, f"{peer.name} is not there"))
    assert cudss.available() == (False, "cudss is not there")
    monkeypatch.setattr(Peer, "installed", lambda peer: (True, ""))
    monkeypatch.setattr(cudss, "DISTRIBUTIONS", ("no-such-library",))
    there, why_not = cudss.available()
    assert not there and "not installed" in why_not and "'.[cudss13]'" in why_not
    wheel(monkeypatch, "libcudss_mtlayer_gomp.so.1")
    assert cudss.available() == (False, "no-such-library lists no libcudss.so")
    (tmp_path / "libcudss.so.1").write_bytes(b"no library")
    wheel(monkeypatch, str(tmp_path / "libcudss.so.1"))
    there, why_not = cudss.available()
    assert not there and "cuDSS cannot be loaded" in why_not and str(tmp_path) in why_not
    monkeypatch.setattr(cudss, "_version", lambda cdll: (0, 6))
    monkeypatch.setattr(ctypes, "CDLL", lambda path: SimpleNamespace())
    with pytest.raises(UnavailableError, match=r"cuDSS 0\.6: 0\.7 or newer is needed"):
        cudss.library()


def test_without_a_gpu_cudss_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cudss.kernels, "available", lambda: (False, "no NVIDIA GPU"))
    assert cudss.available() == (False, "no NVIDIA GPU")


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(5))
def test_cudss_solves_on_a_card_in_any_order(seed: int) -> None:
    prepared = well_conditioned(1 + 60 * seed, min(1.0, 4.0 / (1 + 60 * seed)), seed)
    for ordering in ("own", "given"):
        solution, work = hosted(registry.lookup("solve", "cudss"))(prepared, ordering=ordering)
        assert verify_solution(solution, prepared, None).value <= 1e-13
        assert work.facts["nnz_factor"] >= prepared.pattern.n
    result, work = hosted(registry.lookup("symbolic", "cudss"))(prepared)
    assert held(result, prepared).passes and work.facts == {"nnz_factor": result.nnz}


@pytest.mark.gpu
@pytest.mark.parametrize(("least", "kind"), [(1.0, SPD), (-1.0, SYMMETRIC)])
def test_cudss_takes_a_symmetric_matrix_on_a_card_as_such(least: float, kind: int) -> None:
    prepared = symmetric(300, 4, least)
    solution, work = hosted(registry.lookup("solve", "cudss"))(prepared)
    assert verify_solution(solution, prepared, None).value <= 1e-12
    assert work.facts["kind"] == kind and work.facts["threads"] == numba.get_num_threads()


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["general", "spd"])
@pytest.mark.parametrize("columns", [1, 8, 64])
def test_cudss_refactorises_on_a_card(kind: str, columns: int) -> None:
    from impl.cuda.transfer import on_device as moved

    prepared = symmetric(300, 5)
    call, first = hosted(registry.lookup("solve", "cudss")), moved(prepared)
    for factor in (1.0, 3.0):
        system = replace(first, values=factor * first.values)
        solution, _ = call(system, kind=kind, columns=columns, analysis="kept")
        whole = replace(prepared, values=factor * prepared.values)
        assert verify_solution(solution, whole, None, columns).value <= 1e-12


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["general", "spd"])
def test_a_given_order_comes_with_its_separators_on_a_card(kind: str) -> None:
    order = (33 * np.array(dissected(0, 33))[:, None] + np.arange(33)).ravel()
    dense = as_matrix(grid(33)).toarray()[np.ix_(order, order)]
    prepared = of_dense(dense + dense.T)
    solution, work = hosted(registry.lookup("solve", "cudss"))(prepared, kind=kind, ordering="given")
    assert verify_solution(solution, prepared, None).value <= 1e-13
    assert work.facts["levels"] >= 5
    both = entries_in_order(prepared)
    expected = both if kind == "general" else (both + prepared.pattern.n) / 2
    # cuDSS pads the rows of small supernodes.
    assert expected <= work.facts["nnz_factor"] <= 1.2 * expected
