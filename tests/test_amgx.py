"""AmgX's driver against a library with its C interface, on the CPU: tests/fake_amgx.c.

That the library itself solves, and how fast, only a card can show.
"""

import ctypes
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from fillpath import registry
from fillpath.errors import FillpathError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import System
from fillpath.phase import PhaseClock, recording
from impl.cholesky.graph import from_edges
from impl.cuda import kernels, transfer
from impl.laplacian import amgx as driver
from impl.laplacian.amgx import amgx
from impl.laplacian.lift import LIFT, lifted_vertices
from impl.laplacian.stopping import TOLERANCE
from impl.laplacian.system import system
from impl.peers import amgx as library
from tests.parac_graphs import dense
from tests.test_laplacian import grid, random_graph, residual

SOURCE = Path(__file__).with_name("fake_amgx.c")
KINDS = ("config", "matrix", "vector", "vector", "solver")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: sudo apt-get install gcc")
    target = tmp_path_factory.mktemp("amgx") / "libamgxsh.so"
    flags = ["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-o", str(target), str(SOURCE), "-lm"], check=True)
    return target


class Calls:
    """What AmgX was called with, and what is to be called when the process ends."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self.closing: list[Callable[[], Any]] = []

    def lines(self) -> list[list[str]]:
        return [line.split() for line in self._log.read_text().splitlines()]

    def names(self) -> list[str]:
        return [name for name, _ in self.lines()]

    def since(self, name: str) -> list[str]:
        """The names from the last call of that one on."""
        names = self.names()
        return names[len(names) - 1 - names[::-1].index(name) :]

    def lives(self) -> Counter[str]:
        """Objects that were made and not destroyed, by kind. Fails for one that is destroyed twice."""
        alive: dict[str, str] = {}
        for name, number in self.lines():
            kind, _, verb = name.rpartition("_")
            if verb == "create":
                alive[number] = kind
            elif verb == "destroy":
                assert alive.pop(number) == kind
        return Counter(alive.values())


@pytest.fixture
def calls(built: Path, cuda_on_cpu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A card, and the library named by its setting, as in a process of its own."""
    monkeypatch.setenv("FILLPATH_AMGX", str(built))
    monkeypatch.setenv("FAKE_AMGX_LOG", str(tmp_path / "calls"))
    (tmp_path / "calls").touch()
    made = Calls(tmp_path / "calls")
    monkeypatch.setattr(library.atexit, "register", made.closing.append)
    monkeypatch.setattr(driver.cusparse, "Matrix", Product)
    for cached in (library.library, library._resources):
        cached.cache_clear()
    yield made
    for cached in (library.library, library._resources):
        cached.cache_clear()


class Product:
    """impl.peers.cusparse.Matrix by SciPy."""

    def __init__(self, pattern: Any, values: Any) -> None:
        arrays = values.get(), pattern.indices.get(), pattern.indptr.get()
        self.matrix = sp.csr_array(arrays, shape=(pattern.n, pattern.n))

    def residual(self, b: Any, x: Any) -> Any:
        import cupy

        return cupy.asarray(b.get() - self.matrix @ x.get())


def solved(asked: System) -> tuple[Any, dict[str, float]]:
    """(x on the host, facts)."""
    solution, work = amgx(transfer.on_device(asked))
    assert work.facts is not None
    return transfer.on_host(solution).x, dict(work.facts)


@pytest.mark.parametrize("seed", range(9))
def test_it_is_given_the_laplacian_without_the_ground(calls: Any, seed: int) -> None:
    """Rows sorted, parallel edges added up, what is singular lifted."""
    graph = random_graph(seed)
    there = transfer.on_device(graph)
    pattern, values, diagonal = driver._matrix(there)
    indptr, indices = pattern.indptr.get(), pattern.indices.get()
    rows = graph.n - graph.grounded
    matrix = sp.csr_array((values.get(), indices, indptr), shape=(rows, rows))
    assert matrix.has_canonical_format
    assert np.allclose(matrix.toarray(), dense(graph)[:rows, :rows], rtol=1e-12, atol=0)
    assert np.array_equal(indices[diagonal.get()], np.arange(rows))
    lifted = driver._lifted_vertices(there)
    assert np.array_equal(np.sort(lifted.get()), np.sort(lifted_vertices(graph)))
    regular = driver._regular(values, diagonal, lifted).get()
    changed = (regular - values.get())[diagonal.get()]
    alone = matrix.diagonal() == 0
    assert np.array_equal(changed[alone], np.ones(alone.sum()))
    ends = lifted_vertices(graph)
    expected = np.where(np.isin(np.arange(rows), ends), LIFT * matrix.diagonal(), 0.0)
    assert np.allclose(changed[~alone], expected[~alone], rtol=1e-4, atol=0)
    # One of each component but the ground's.
    others = set(range(graph.components)) - ({graph.component[-1]} if graph.grounded else set())
    assert sorted(graph.component[ends]) == sorted(others)


@pytest.mark.parametrize("seed", range(6))
def test_a_random_graph_is_solved(calls: Any, seed: int) -> None:
    """Weights of one size: the library that plays AmgX has no preconditioner."""
    graph = random_graph(seed)
    asked = system(replace(graph, weights=np.ones(len(graph.weights))))
    x, facts = solved(asked)
    assert residual(asked, x) <= TOLERANCE * (1 + 1e-6)
    assert (facts["residual"] <= TOLERANCE and facts["iterations"] == 0) or facts["iterations"] > 3


def test_all_is_called_in_order_and_what_is_made_is_destroyed(calls: Any, capfd: Any) -> None:
    for _ in range(2):
        solved(system(grid(6)))
    names = calls.names()
    # What lives as long as the process is made once.
    assert names[:4] == ["register_print_callback", "initialize", "config_create", "resources_create"]
    assert [names.count(name) for name in ("initialize", "resources_create", "config_create")] == [1, 1, 3]
    assert calls.since("config_create") == [
        *(f"{kind}_create" for kind in KINDS),
        "matrix_upload_all", "vector_upload", "vector_set_zero", "solver_setup",
        "solver_solve_with_0_initial_guess", "solver_get_iterations_number", "solver_get_status",
        "vector_download",
        *(f"{kind}_destroy" for kind in reversed(KINDS)),
    ]  # fmt: skip
    assert calls.lives() == {"config": 1, "resources": 1}
    for close in reversed(calls.closing):
        close()
    assert calls.names()[-3:] == ["resources_destroy", "config_destroy", "finalize"] and not calls.lives()
    assert capfd.readouterr().out == ""


FAILURES = [
    *(f"{kind}_create" for kind in dict.fromkeys(KINDS)),
    "matrix_upload_all", "vector_upload", "vector_set_zero", "solver_setup",
    "solver_solve_with_0_initial_guess", "solver_get_iterations_number", "solver_get_status",
    "vector_download",
]  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_an_error_has_its_name_and_leaves_nothing_behind(
    calls: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    library._resources(0)
    monkeypatch.setenv("FAKE_AMGX_FAIL", f"{name}:15")
    with pytest.raises(FillpathError, match=rf"^AMGX_{name}: error 15, Error 15 of the fake\.$"):
        solved(system(grid(4)))
    assert not {"matrix", "vector", "solver"} & set(calls.lives()) - {name.removesuffix("_create")}
    monkeypatch.delenv("FAKE_AMGX_FAIL")
    solved(system(grid(4)))


def test_too_little_memory_is_called_so(calls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_AMGX_FAIL", "solver_setup:7")
    with pytest.raises(MemoryBudgetError, match="AMGX_solver_setup: error 7, Insufficient memory"):
        solved(system(grid(4)))


# When it stops.


def test_a_residual_that_only_the_recurrence_has_does_not_count(
    calls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first solve ends at a tenth: each goes on from what the one before has found."""
    asked = system(grid(12))
    _, at_once = solved(asked)
    monkeypatch.setenv("FAKE_AMGX_EARLY", "1")
    x, facts = solved(asked)
    names = calls.since("config_create")
    assert names.count("solver_solve_with_0_initial_guess") == 1 and names.count("solver_solve") == 5
    assert residual(asked, x) <= TOLERANCE * (1 + 1e-6)
    assert facts["residual"] <= TOLERANCE and facts["iterations"] > at_once["iterations"]


def test_a_lift_that_shows_in_the_residual_costs_a_restart_only(
    calls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It starts where either matrix leaves the same residual."""
    monkeypatch.setattr(driver, "LIFT", 1e-5)
    asked = system(grid(20))
    x, facts = solved(asked)
    assert calls.names().count("solver_solve") >= 1
    assert residual(asked, x) <= TOLERANCE * (1 + 1e-6) and facts["iterations"] < 300


def test_nothing_is_done_for_b_of_zero(calls: Any) -> None:
    for n in (1, 3):
        x, facts = solved(system(from_edges(n, *np.empty((2, 0), np.int64), np.empty(0))))
        assert facts == {"iterations": 0, "residual": 0} and np.array_equal(x, np.zeros(n))
    assert not any("solve_" in name or name == "solver_solve" for name in calls.names())


def test_too_many_iterations_are_refused_with_what_is_left(
    calls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "MOST_ITERATIONS", 3)
    with pytest.raises(UnsupportedError, match=r"left a relative residual of 0\.\d+, where 1e-06"):
        solved(system(grid(12)))


@pytest.mark.parametrize("status", [1, 2])
def test_a_breakdown_is_refused(calls: Any, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv("FAKE_AMGX_STATUS", str(status))
    monkeypatch.setenv("FAKE_AMGX_EARLY", "1")
    with pytest.raises(UnsupportedError, match=r"break down after \d+ iterations, at a relative residual of"):
        solved(system(grid(12)))


def test_a_residual_that_no_restart_makes_smaller_is_refused(
    calls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rather than restarted for ever."""
    monkeypatch.setattr(Product, "residual", lambda self, b, x: 1e-5 * b)
    with pytest.raises(UnsupportedError, match="residual of 1e-05"):
        solved(system(grid(6)))


def test_each_second_belongs_to_a_phase(calls: Any) -> None:
    with recording(PhaseClock()) as clock:
        solved(system(grid(6)))
    assert set(clock.seconds) == {"convert", "assemble", "factor", "solve"}


# Where it is.


def test_it_is_available_with_a_card_and_a_library_and_never_loaded_to_know(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = registry.lookup("laplacian", "amgx")
    monkeypatch.setattr(ctypes, "CDLL", lambda *_: pytest.fail("loaded"))
    monkeypatch.setattr(kernels, "available", lambda: (False, "no NVIDIA GPU: no driver"))
    assert entry.available() == (False, "no NVIDIA GPU: no driver")
    monkeypatch.setattr(kernels, "available", lambda: (True, ""))
    there, why_not = entry.available()
    assert not there and "AmgX is not installed" in why_not and "FILLPATH_AMGX" in why_not
    monkeypatch.setenv("FILLPATH_AMGX", str(built))
    assert entry.available() == (True, "") and "amgx" in entry.peer


def test_another_library_by_its_name_is_refused(
    calls: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "libamgxsh.so"
    other.write_text("no library")
    monkeypatch.setenv("FILLPATH_AMGX", str(other))
    with pytest.raises(UnavailableError, match=r"AmgX cannot be used: .*FILLPATH_AMGX names its library"):
        library.library()


def test_more_entries_than_it_counts_are_refused(calls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "MOST_ENTRIES", 10)
    with pytest.raises(UnsupportedError, match="AmgX has 32-bit row pointers"):
        solved(system(grid(4)))
    assert calls.names() == []
