"""cuDSS in the stages `solve` and `symbolic`, over a library that takes and returns what cudss.h says."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.checks.residuals import verify_solution
from benchmarks.engine.crew import Alone
from benchmarks.engine.gate import verify
from benchmarks.engine.operands import context
from benchmarks.engine.places import Host
from benchmarks.engine.sampling import Sampling
from benchmarks.engine.worker import _sample
from fillpath import registry
from fillpath.errors import FillpathError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import Factorised, Prepared
from fillpath.peers import Peer
from fillpath.phase import PhaseClock, recording
from fillpath.record import Verified
from impl.peers import cudss
from impl.solve import cudss as solve
from impl.solve.right_hand_side import as_matrix
from impl.symbolic import cudss as symbolic
from tests.cudss_fake import MATCHING, CuDss, filled_entries, stand_in_cudss
from tests.devices import hosted
from tests.solver_fakes import stand_in
from tests.test_numeric import well_conditioned
from tests.test_solve import addressed, chain

PHASES = ["right_hand_side", "reordering", "symbolic", "numeric", "triangular", "refine"]
PREPARED = well_conditioned(50, 0.06, 3)


@pytest.fixture(params=MATCHING, ids=lambda version: ".".join(map(str, version)))
def fake(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[CuDss]:
    """Each version, behind a CuPy whose arrays are NumPy's."""
    stand_in(monkeypatch)
    yield stand_in_cudss(monkeypatch, request.param)
    cudss.library.cache_clear()
    cudss._handle.cache_clear()


def entries_in_order(prepared: Prepared) -> int:
    """Of L + U of A + A^T in the order of the matrix."""
    return filled_entries(as_matrix(prepared).toarray() != 0)


def held(result: Any, prepared: Prepared) -> Verified:
    """The verdict of the stage symbolic, which for a peer's factorisation needs no more than values."""
    nothing: Any = object()
    entry = registry.lookup("symbolic", "cudss")
    return verify("symbolic", result, context(prepared, nothing, entry, {}))


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


def test_the_symbolic_stage_ends_before_the_numeric_phase(fake: CuDss) -> None:
    with recording(PhaseClock()) as clock:
        result, work = symbolic.cudss(addressed(PREPARED))
    assert fake.done == [1, 2] and list(clock.seconds) == ["reordering", "symbolic"]
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
    monkeypatch.setattr(cudss, "np", SimpleNamespace(arange=lambda *_, **__: permutation, int32=np.int32))
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
def test_cudss_solves_on_a_card_in_either_order(seed: int) -> None:
    prepared = well_conditioned(1 + 60 * seed, min(1.0, 4.0 / (1 + 60 * seed)), seed)
    for ordering in ("own", "given"):
        solution, work = hosted(registry.lookup("solve", "cudss"))(prepared, ordering=ordering)
        assert verify_solution(solution, prepared, None).value <= 1e-13
        assert work.facts["nnz_factor"] >= prepared.pattern.n
    result, work = hosted(registry.lookup("symbolic", "cudss"))(prepared)
    assert held(result, prepared).passes and work.facts == {"nnz_factor": result.nnz}
