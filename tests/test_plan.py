"""The plan of a run: its forecasts hold, what will not fit is said, and no server is asked in vain."""

from __future__ import annotations

import http.server
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.engine import measure
from benchmarks.engine.limits import Limits
from benchmarks.runs import costs, plan, rates
from benchmarks.runs.cases import suite_inputs
from benchmarks.runs.plan_line import Line
from benchmarks.runs.plan_site import site
from benchmarks.runs.plan_text import plan_text
from benchmarks.runs.rates import Rate
from commands import main
from fetch import catalogue, sizes
from fetch.prepare import prepare
from fillpath.case import Case, Preparation
from fillpath.errors import TransferError
from fillpath.nouns import Pattern
from fillpath.record import Record, Status
from fillpath.settings import Settings
from impl.symbolic import forecast
from impl.symbolic.fill1 import fill1
from impl.symbolic.fill2_cpu import fill2_cpu
from impl.symbolic.forecast import sample_sources
from tests.patterns import from_dense, patterns, random_pattern

SMALLEST = "random,2000,0.002"


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Of tiny patterns, a second thread only costs time."""
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(threads)


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def prepared_once(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_CACHE", str(shared_cache))


@pytest.fixture
def one_matrix(prepared_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [
        Case.parse(f"symbolic.{name}@{SMALLEST}.metis") for name in ("fill1", "fill1_pruned", "fill2_cpu")
    ]
    monkeypatch.setattr(plan, "suite_cases", lambda settings: cases)


@given(patterns())
def test_all_sources_give_what_fill2_counts(pattern: Pattern) -> None:
    filled, work = fill2_cpu(pattern)
    sample = sample_sources(pattern, count=pattern.n)
    assert sample.exact
    assert (sample.edges, sample.filled) == (work.edges, filled.pattern.nnz)


@given(patterns(), st.integers(1, 5))
def test_a_symmetric_pattern_needs_no_sample(pattern: Pattern, count: int) -> None:
    dense = np.zeros((pattern.n, pattern.n), dtype=bool)
    dense[pattern.rows(), pattern.indices] = True
    symmetric = from_dense(dense | dense.T)
    filled, work = fill2_cpu(symmetric)
    sample = sample_sources(symmetric, count)
    assert sample.exact
    assert (sample.edges, sample.filled) == (work.edges, filled.pattern.nnz)
    assert sample.updates == fill1(symmetric)[1].edges


@given(patterns())
def test_no_source_exceeds_its_bound(pattern: Pattern) -> None:
    bounds = forecast._bounds(pattern)
    edges, filled = forecast._sample(
        pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32), np.arange(pattern.n)
    )
    assert np.all(edges <= bounds.edges) and np.all(filled <= bounds.filled)
    assert fill1(pattern)[1].edges <= bounds.updates


def test_estimates_are_unbiased() -> None:
    pattern = random_pattern(400, 0.006, 11)
    filled, work = fill2_cpu(pattern)
    samples = [sample_sources(pattern, count=10, seed=seed) for seed in range(200)]
    assert not samples[0].exact
    assert np.mean([f.edges for f in samples]) == pytest.approx(work.edges, rel=0.02)
    assert np.mean([f.filled for f in samples]) == pytest.approx(filled.pattern.nnz, rel=0.02)


@pytest.mark.parametrize("matrix", ["grid2d,200", "circuit,20000", "circuit,15000,seed=1,symmetry=0.05"])
def test_600_sources_predict_within_15_percent(matrix: str, prepared_once: None) -> None:
    pattern = prepare(matrix, Preparation("none", "metis")).pattern
    filled, work = fill2_cpu(pattern)
    for seed in range(5):
        sample = sample_sources(pattern, seed=seed)
        assert sample.sources <= 600
        assert sample.edges == pytest.approx(work.edges, rel=0.15), seed
        assert sample.filled == pytest.approx(filled.pattern.nnz, rel=0.15), seed


def test_a_large_matrix_is_sampled_less(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = random_pattern(1500, 0.002, 5)
    affordable = sample_sources(pattern, count=1000)
    monkeypatch.setattr(forecast, "MOST_EDGES", affordable.sampled_edges / 4)
    sample = sample_sources(pattern, count=1000)
    assert forecast.LEAST_SOURCES <= sample.sources < affordable.sources / 2
    assert sample.edges == pytest.approx(affordable.edges, rel=0.15)


def record(name: str, matrix: str, seconds: float, edges: int, fills: int = 0) -> Record:
    return Record(
        case=f"symbolic.{name}@{matrix}.metis",
        parts={"implementation": name},
        key="",
        status=Status.OK,
        reason="",
        run_id="",
        started_at="",
        machine="test-machine",
        prepared={"hash": matrix, "nnz": 1, "n": 100},
        seconds=[seconds],
        work={"edges": edges, "fills": fills},
    )


def test_a_rate_follows_what_explains_the_longer_records() -> None:
    """fill1 takes 1 ns an update and a fixed millisecond, which hides it in the short records."""
    work = [("a", 10**6, 10), ("b", 10**6, 20), ("c", 10**8, 10**6), ("d", 10**10, 10**7)]
    records = [record("fill1", m, 1e-3 + 1e-9 * updates, updates, fills) for m, updates, fills in work]
    records += [record("fill2_cpu", m, 1e-3, fills * 7, fills) for m, _, fills in work]
    rate = rates.rates(records)[("symbolic", "fill1", ())]
    assert (rate.predictor, rate.records) == ("updates", 4)
    assert rate.fixed == pytest.approx(1e-3, rel=0.05)
    assert rate.of({"updates": 1e12}) == pytest.approx(1000, rel=0.01)


def test_failed_records_give_no_rate() -> None:
    failed = [Record(**{**vars(record("fill1", "a", 1.0, 5)), "status": Status.TIMEOUT})]
    assert rates.rates(failed) == rates.ASSUMED


def test_the_embedded_suite_is_planned_whole(prepared_once: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "embedded"]) == 0
    output = capsys.readouterr().out
    assert [line.split()[0] for line in output.split("\n\n")[0].splitlines()[1:]] == suite_inputs(Settings())
    assert "fill1_pruned" in output.partition("no record here yet of ")[2]
    assert "0 bytes in 0 archives" in output


def test_what_is_stored_takes_no_time(one_matrix: None) -> None:
    case = f"symbolic.fill1_pruned@{SMALLEST}.metis"
    measure.measure(case, Limits(forked=True))
    [line] = plan.plan(Settings()).lines
    assert line.remarks == ("1 stored",) and len(line.cases) == 2
    [again] = plan.plan(Settings(fresh=True)).lines
    assert again.remarks == () and len(again.cases) == 3


def test_a_pattern_is_sampled_once(one_matrix: None, monkeypatch: pytest.MonkeyPatch) -> None:
    first = plan.plan(Settings())
    monkeypatch.setattr(costs, "forecast_work", lambda pattern: pytest.fail("sampled again"))
    assert plan.plan(Settings()).lines == first.lines


def test_what_exceeds_the_time_limit_is_named(one_matrix: None, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = {
        ("symbolic", name, ()): Rate("filled", s, 0.0, 1)
        for name, s in (("fill1", 1.0), ("fill1_pruned", 1e-9))
    }
    monkeypatch.setattr(plan, "rates", lambda records: slow)
    [line] = plan.plan(Settings()).lines
    assert line.seconds <= line.bound
    assert line.remarks[-1].startswith("beyond the 600 s limit: fill1")


@pytest.mark.parametrize("megabytes", [50, 195])
def test_too_little_memory_is_said(
    one_matrix: None,
    shared_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    megabytes: int,
) -> None:
    """With 50 MB it cannot even be prepared."""
    if megabytes == 50:
        shutil.rmtree(shared_cache / "prepared", ignore_errors=True)
    monkeypatch.setattr(Limits, "memory_limit", lambda self: megabytes * 10**6)
    monkeypatch.setattr(plan, "site", lambda stored: replace(site(stored), memory=megabytes * 10**6))
    assert main(["plan", "embedded"]) == 1
    assert f"MB of memory, {megabytes}.0 MB may be used" in capsys.readouterr().out


def test_too_little_disk_is_said(
    one_matrix: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(plan.shutil, "disk_usage", lambda path: usage._replace(free=1000))
    assert main(["plan", "embedded"]) == 1
    assert "1.0 kB free: will not fit" in capsys.readouterr().out


def test_an_unknown_suite_is_refused_with_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "smal"]) == 2
    assert "did you mean small?" in capsys.readouterr().err


class Counting(http.server.BaseHTTPRequestHandler):
    """Answers HEAD with `status` and a length; anything else would be a download."""

    status = 200
    asked: list[str]

    def do_HEAD(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        self.send_response(self.status)
        self.send_header("Content-Length", "1234567")
        self.end_headers()

    do_GET = do_HEAD

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], list[str]]]:
    handler = type("Handler", (Counting,), {"asked": []})
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("FILLPATH_MIRROR", f"http://127.0.0.1:{listening.server_port}")

    def answering(status: int) -> list[str]:
        handler.status = status
        return handler.asked

    yield answering
    listening.shutdown()
    listening.server_close()


def collected(needs: plan.Plan) -> list[Line]:
    """The lines of matrices that come from the collection; the others are generated."""
    return [line for line in needs.lines if catalogue.lookup(line.name.rpartition(".")[0]).group]


def test_a_server_is_asked_for_sizes_only(server: Callable[[int], list[str]]) -> None:
    asked = server(200)
    needs = plan.plan(Settings(suite="small", figure="glu3.phases"))
    matrices = {line.name.rpartition(".")[0] for line in collected(needs)}
    downloads = [line.download for line in collected(needs) if line.download]
    assert downloads == [1234567] * len(matrices), "one that is prepared in two ways comes once"
    assert len(asked) == len(matrices) < len(needs.lines) and all(line.startswith("HEAD") for line in asked)
    assert "~1.2 MB" not in plan_text(needs) and "fillpath fetch small" in plan_text(needs)


@pytest.mark.usefixtures("prepared_once")
def test_what_a_server_has_not_is_not_obtainable(server: Callable[[int], list[str]]) -> None:
    server(404)
    needs = plan.plan(Settings(suite="small", figure="gsofa.fig11"))
    assert all("not obtainable: " in line.remarks[0] and line.disk == 0 for line in collected(needs))


@pytest.mark.usefixtures("prepared_once")
def test_offline_nothing_is_asked(
    server: Callable[[int], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")
    asked = server(200)
    lines = collected(plan.plan(Settings(suite="small", figure="gsofa.fig11")))
    assert asked == [] and lines and all(line.guessed for line in lines)


@pytest.mark.usefixtures("prepared_once")
def test_a_server_that_does_not_answer_leaves_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", "http://127.0.0.1:1")
    needs = plan.plan(Settings(suite="small", figure="gsofa.fig11"))
    lines = collected(needs)
    assert all(line.guessed and line.disk > line.download for line in lines)
    downloaded = {line.name.rpartition(".")[0] for line in lines if line.download}
    assert downloaded == {line.name.rpartition(".")[0] for line in lines}
    assert "~" in plan_text(needs).splitlines()[1]


def test_a_server_that_fails_is_not_asked_for_every_matrix(server: Callable[[int], list[str]]) -> None:
    asked = server(503)
    assert set(sizes.archive_sizes([("G", f"m{i}") for i in range(100)]).values()) == {None}
    assert len(asked) <= sizes.AT_ONCE


@pytest.mark.usefixtures("prepared_once")
def test_a_folder_is_looked_into_and_nothing_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path))
    archive = tmp_path / "MM" / "HB" / "west2021.tar.gz"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"x" * 4321)
    assert sizes.archive_bytes("HB", "west2021") == 4321
    with pytest.raises(TransferError, match="No such file"):
        sizes.archive_bytes("HB", "west2022")
    planned = plan.plan(Settings(suite="small", figure="gsofa.fig11")).lines
    [line] = [line for line in planned if line.download]
    assert (line.name, line.download, line.guessed) == ("west2021.metis", 4321, False)
    assert not (Path(os.environ["FILLPATH_CACHE"]) / "matrices").exists()
