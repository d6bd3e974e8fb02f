"""Every test works in folders of its own: no test reads or writes this machine's results or cache."""

import gc
import itertools
import os
from pathlib import Path

import numba
import pytest
from hypothesis import settings

from benchmarks.engine import template, workers
from benchmarks.engine.reference import reference
from fetch.prepare import prepare, prepared_path
from fillpath import host, registry
from fillpath.case import Preparation
from fillpath.paths import ROOT
from tests.committed import committed_results, committed_standings  # noqa: F401
from tests.cuda_on_cpu.fixture import cuda_on_cpu  # noqa: F401
from tests.fake_device import cupy, forked_with_cupy  # noqa: F401
from tests.reports_fakes import one_process, site, standings  # noqa: F401

# Importing registers, once a process: a test that puts the registry back must find all of it there.
registry.load_all()
REGISTERED = {key: entry for key, entry in registry._registry.items() if entry.module.startswith("impl.")}
# Frames and pictures are many objects and few cycles: Python's own pace takes a sixth of the time.
gc.set_threshold(50_000, 50, 50)

settings.register_profile("fillpath", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("fillpath")

MOST_THREADS: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
FOLDERS = itertools.count()
# A worker's share of the cores: threads that spin for each other are ten times slower where they take turns.
THREADS = max(1, MOST_THREADS // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A folder of the test's own. pytest's fixture lists those of all earlier tests for the next number."""
    folder = tmp_path_factory.getbasetemp() / f"{next(FOLDERS)}-{request.function.__name__[:30]}"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("FILLPATH_MACHINE", "test-machine")
    # Its own measurement lock too: no test waits for another that measures.
    monkeypatch.setattr(host, "WORK", tmp_path)
    chosen = ("SUITE", "PAPER", "FIGURE", "DEVICE", "PROCESSES", "LIMIT", "FRESH")
    for name in (*chosen, "OFFLINE", "CUDA", "PACKS", "PARENT"):
        monkeypatch.delenv(f"FILLPATH_{name}", raising=False)


@pytest.fixture(autouse=True)
def own_threads() -> None:
    """The worker's share of the cores, whatever the test before took: see `two_threads`."""
    numba.set_num_threads(THREADS)


@pytest.fixture
def two_threads(own_threads: None) -> None:
    """Two of Numba's threads, where there are two: for tests of what threads do to each other."""
    numba.set_num_threads(min(2, MOST_THREADS))


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies under impl/: importing tests.fakes, as its worker does, registers more."""
    monkeypatch.setattr(registry, "_registry", dict(REGISTERED))


@pytest.fixture
def registered_fakes(own_registry: None) -> None:
    """The implementations of tests.fakes, beside the real ones."""
    from tests import fakes

    fakes.register()


@pytest.fixture
def shared_cache(
    own_folders: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One prepared grid serves every test that measures: preparing it takes a process of its own."""
    monkeypatch.setenv("FILLPATH_CACHE", str(tmp_path_factory.getbasetemp() / "measured"))
    if not prepared_path("grid2d,6", Preparation(), 0).is_file():
        reference(prepare("grid2d,6", Preparation()))


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork every worker from a template that tests share, as `Limits(forked=True)` does for some."""
    monkeypatch.setattr(workers, "take", template.fork)


@pytest.fixture
def suitesparse() -> Path:
    """A folder laid out as the collection serves it."""
    folder = Path(os.environ.get("FILLPATH_MIRROR") or ROOT.parent / "shared" / "suitesparse")
    if not (folder / "MM").is_dir():
        pytest.skip(
            "no copy of the SuiteSparse collection here: set FILLPATH_MIRROR to a folder that holds MM/"
        )
    return folder
