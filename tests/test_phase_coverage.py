"""Where a figure shows the phases of an implementation, they account for its seconds."""

import ast
import inspect
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.engine.places import Gpu
from fillpath import registry
from fillpath.case import Case
from fillpath.nouns import Pattern
from fillpath.paths import ROOT
from fillpath.phase import phase, recording
from fillpath.record import RIGHT_HAND_SIDE, Record, Status
from impl.laplacian.system import system
from impl.solve.right_hand_side import known_solution, known_solutions
from reports.facts.records import Records
from reports.glu3.solutions import PHASES
from tests.committed import MACHINES
from tests.phase_nesting import Clock, inner_phases, reached
from tests.test_direct_peers import positive
from tests.test_laplacian import grid as laplacian_grid

# The machines whose records are committed; others are of whoever runs this, at whatever load.
# Of seconds above LEAST, the least share that phases have.
SHARE, LEAST = 0.95, 2e-3
# Modules of reports/ that read the phases of a record as parts of its seconds.
PARTS = {"reports/table.py", "reports/verbs.py"}
# Modules that read single ones: the slowest of workers in turn, transfers, which lie outside of the seconds,
# and the phase that a roofline is of.
SINGLE = {
    "reports/gsofa/gpus.py",
    "reports/hardware/bytes_model.py",
    "reports/hardware/roofline.py",
}
# Figure 6 of PPoPP'23 says by phases what the seconds of unified memory contain.
IN_WORDS = {("symbolic", "unified_memory")}
# No machine has an ok record of today's sources of these, above LEAST.
UNMEASURED = {
    *(("laplacian", name) for name in ("apxchol", "approx_chol", "hypre")),
    ("solve", "cholmod"),
}
# The seconds outside of phases that are known beyond SHARE, for each phase of a call: it waits for the GPU.
WAITS = {("symbolic", "unified_memory"): 7e-5, ("solve", "direct_gpu"): 3e-5, ("solve", "cudss"): 3e-5}
# PyAMG brings the matrix into SciPy's form before its phase `factor`.
LESS = {("laplacian", "pyamg"): 0.9}


def readers() -> set[str]:
    """The modules of reports/ that read the phases of a record."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "reports").rglob("*.py")
        if "phases"
        in {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
    }


def shown() -> set[tuple[str, str]]:
    """(stage, implementation) of all whose phases a figure shows as parts of their seconds."""
    of_solve = {("solve", name) for name in PHASES}
    return of_solve | {("laplacian", entry.name) for entry in registry.registered("laplacian")} | IN_WORDS


def share(record: Record, inner: frozenset[str], wait: float = 0.0) -> float:
    """Of a sample's seconds that lies in phases, the median over samples; each phase may wait so long."""
    names = set(record.phases) - inner - {"to_device", "to_host", RIGHT_HAND_SIDE}
    covered = np.sum([record.phases[name] for name in names], axis=0)
    return float(np.median((covered + wait * len(names)) / np.array(record.samples)))


@pytest.fixture(scope="module")
def records(committed_results: Path) -> list[Record]:
    """The committed records of today's sources."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FILLPATH_RESULTS", str(committed_results))
        stored = [Records.load(machine) for machine in MACHINES]
    return [r for each in stored for r in each.rows if r.status is Status.OK and each.current.get(r.key)]


def test_every_module_that_reads_phases_is_known() -> None:
    assert readers() - SINGLE == PARTS


def test_phases_of_committed_records_cover_their_seconds(records: list[Record]) -> None:
    least: dict[tuple[str, str], float] = {}
    short = []
    for record in records:
        case = Case.parse(record.case)
        key = case.stage, case.implementation
        if key not in shown() or (record.median or 0.0) <= LEAST:
            continue
        inner = inner_phases(registry.lookup(*key).function)
        covered = share(record, inner)
        assert covered <= 1, f"{record.case}: a phase counts twice"
        least[key] = min(covered, least.get(key, 1.0))
        if share(record, inner, WAITS.get(key, 0.0)) < LESS.get(key, SHARE):
            short.append(f"{record.case} on {record.machine}: {covered:.1%}")
    assert not short
    assert shown() - least.keys() == UNMEASURED, "records of today's sources, above LEAST"
    assert all(least[key] < SHARE for key in WAITS.keys() | LESS), "a gap that is no more"


def small(stage: str) -> Any:
    return system(laplacian_grid(8)) if stage == "laplacian" else positive(64, 0.05, 1)


@pytest.mark.parametrize(
    ("stage", "name"),
    [("laplacian", "ict"), ("solve", "lu_cpu"), ("solve", "superlu")],
)
def test_what_lies_within_a_phase_is_read_from_the_code(stage: str, name: str) -> None:
    function = registry.lookup(stage, name).function
    with recording(Clock()) as clock:
        function(small(stage))
    assert clock.within == inner_phases(function) & set(clock.seconds)


MAKES_B = [
    *registry.registered("solve"),
    *(entry for entry in registry.registered("laplacian") if any(o.name == "rhs" for o in entry.options)),
]


@pytest.mark.parametrize("entry", MAKES_B, ids=lambda entry: f"{entry.stage}.{entry.name}")
def test_nobodys_seconds_hold_the_making_of_b(entry: registry.Implementation) -> None:
    """All implementations make b in a phase of that name and nowhere else, by their code; those that run here
    also by their clock."""
    found = reached(inspect.unwrap(entry.function))
    assert (RIGHT_HAND_SIDE, False) in found and (RIGHT_HAND_SIDE, True) not in found
    made = {within for what, within in found if what in (known_solution, known_solutions)}
    assert made == ({True} if entry.stage == "solve" else set())
    if entry.device == "gpu" or not entry.available()[0]:
        return
    with recording(Clock()) as clock:
        entry.function(small(entry.stage))
    assert 0 < clock.seconds[RIGHT_HAND_SIDE] < clock.covered


def test_a_phase_within_another_counts_once() -> None:
    with recording(Clock()) as clock:
        start = time.perf_counter()
        with phase("outer"), phase("inner"):
            time.sleep(0.01)
        with phase("inner"):
            time.sleep(0.01)
        elapsed = time.perf_counter() - start
    assert clock.within == {"inner"} and clock.seconds["inner"] <= clock.covered <= elapsed


def filling(n: int, each: int) -> Pattern:
    """A random pattern with so many entries per row, nearly all of whose lower rows fill."""
    rng = np.random.default_rng(5)
    rows, columns = np.repeat(np.arange(n), each), rng.integers(0, n, n * each)
    places = np.unique(np.concatenate([rows * n + columns, np.arange(n) * (n + 1)]))
    indptr = np.searchsorted(places, np.arange(n + 1) * n).astype(np.int64)
    return Pattern(indptr, (places % n).astype(np.int32))


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("unified_memory", {}),
        ("unified_memory", {"prefetch": True}),
        ("unified_memory", {"prefetch": True, "keep": True}),
        ("out_of_core", {}),
        ("gsofa", {}),
    ],
)
def test_phases_cover_a_call_on_the_gpu(name: str, options: dict[str, bool]) -> None:
    entry = registry.lookup("symbolic", name)
    where = Gpu()
    pattern = where.bring(filling(8000, 200))

    def call() -> Any:
        return entry.function(pattern, **options)

    where.rehearse(call)
    shares = []
    for _ in range(5):
        with recording(Clock(where.synchronise)) as clock:
            start = time.perf_counter()
            where.sampled(call)()
            elapsed = time.perf_counter() - start
        assert elapsed > LEAST, "too short a call to hold to this"
        shares.append(clock.covered / elapsed)
    # The best: what else runs on the machine only lowers a share.
    assert max(shares) >= SHARE
    assert "release" not in clock.seconds or not options.get("keep") or clock.seconds["release"] < LEAST
