"""Forked workers: they measure as spawned ones do, and end with their template or their supervisor."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.engine import inputs, process, run, template
from benchmarks.engine import measure as measuring
from benchmarks.engine.limits import SHORT, USUAL, Limits
from benchmarks.engine.measure import measure
from benchmarks.engine.outcome import Outcome
from benchmarks.engine.workers import Setup, Worker
from benchmarks.runs.cases import limits_of
from commands import main
from fillpath.case import Case, Preparation
from fillpath.paths import ROOT
from fillpath.record import Record, Status
from fillpath.settings import Settings
from tests.ended import is_gone

pytestmark = pytest.mark.usefixtures("registered_fakes", "shared_cache")

CASE = Case("symbolic", "watches", "grid2d,6")
LIMITS = Limits(seconds=60, samples=3, forked=True)


@pytest.fixture
def no_templates(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each template of the test is one of its own."""
    monkeypatch.setattr(template, "_waiting", [])
    yield
    while template._waiting:
        template._waiting.pop().end()


def fact(record: Record, name: str) -> int:
    assert record.status is Status.OK, record.reason
    return int((record.work or {})["facts"][name])


def waiting() -> list[int]:
    return [each._process.pid for each in template._waiting]


def test_measurements_fork_from_one_template_which_stays() -> None:
    records = [measure(CASE, LIMITS, fresh=True) for _ in range(2)]
    assert {fact(record, "parent") for record in records} <= set(waiting())
    assert len({fact(record, "pid") for record in records}) == 2
    assert all(is_gone(fact(record, "pid"), "") for record in records), "no child stays, not even its id"


def test_only_the_only_process_of_a_case_that_uses_no_gpu_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    spawned = replace(LIMITS, forked=False)
    chosen = (
        (LIMITS, "cpu", 1, True),
        (LIMITS, "gpu", 1, True),
        (LIMITS, "cpu", 3, True),
        (spawned, "cpu", 1, False),
    )
    assert [measuring._start(*each) for each in chosen] == ["forked", "followed", "followed", "alone"]
    monkeypatch.setattr(template, "fork", lambda setup: pytest.fail("forked"))
    three = run.Run("three", None, "")
    assert fact(measure(CASE, LIMITS, within=three, process=2, processes=3), "parent") == os.getpid()


def test_a_suite_forks_and_samples_by_its_purpose() -> None:
    for suite, usual in [("embedded", SHORT), ("small", USUAL), ("papers", USUAL)]:
        limits = limits_of(Case("symbolic", "fill1", "grid2d,6"), Settings(suite=suite))
        assert (limits.sampling, limits.forked) == (usual, suite == "embedded")


def test_an_embedded_suite_prepares_its_inputs_in_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[str] = []

    def noted(job: object, limit: float, within: run.Run, start: str) -> Outcome:
        starts.append(start)
        return Outcome(reason="noted")

    monkeypatch.setattr(inputs, "run_worker", noted)
    monkeypatch.setattr(inputs, "_cached", lambda path, has_reference: None)
    assert main(["workflow", "prepare", "grid2d,6.natural", "grid2d,7.natural"]) == 0
    assert starts == ["forked", "forked"]


def forked_by(**variables: str) -> int:
    """The id of the template that forks a worker with these variables, which imports nothing."""
    worker = template.fork(Setup({**os.environ, **variables}, ()))
    assert isinstance(worker, template.Forked)
    # Its first byte says that it has them.
    assert worker.reports.read(1) == b"\n"
    worker.end()
    return worker._template._process.pid


def test_each_number_of_threads_has_a_template(no_templates: None) -> None:
    one, again, two = (forked_by(OMP_NUM_THREADS=count) for count in ("1", "1", "2"))
    assert one == again != two
    assert forked_by(OMP_NUM_THREADS="1", FILLPATH_CACHE="/elsewhere") == one
    for count in ("3", "4", "5"):
        forked_by(OMP_NUM_THREADS=count)
    assert len(waiting()) == template.MOST and two not in waiting() and is_gone(two)


def test_a_child_has_the_variables_and_the_folder_of_its_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure(CASE, LIMITS)
    monkeypatch.setenv("FILLPATH_MACHINE", "another")
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "other"))
    monkeypatch.setenv("FILLPATH_PROCESSES", "7")
    monkeypatch.chdir(tmp_path)
    assert fact(measure(CASE, LIMITS), "processes") == 7
    record = measure(replace(CASE, implementation="kept"), LIMITS)
    assert record.status is Status.OK and record.series
    assert (tmp_path / "other" / "another" / record.series).is_file()


def test_a_template_imports_and_starts_nothing(no_templates: None) -> None:
    """Every child has what imports leave: no thread, no CUDA, no setting, no fact of a machine."""
    code = (
        "from benchmarks.engine import machine as m, process, template, worker; "
        "from impl.cpu.compiled import begin_compiler; "
        "worker.import_early(process._IMPORTS['cpu']); begin_compiler(); "
        "template._require_nothing_started(); "
        "import fillpath.settings as s, numba; "
        "read = [s.settings, m.cores, m.versions]; print([f.cache_info().currsize for f in read]); "
        "print(numba.np.ufunc.parallel._is_initialized)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["[0, 0, 0]", "False"], done.stderr


@pytest.mark.parametrize(
    "broken",
    [
        "raise SystemExit(1)",
        "import os; os.abort()",
        "import threading, time; threading.Thread(target=time.sleep, args=[60], daemon=True).start()",
    ],
    ids=["leaves", "aborts", "threads"],
)
def test_a_worker_starts_by_itself_where_no_template_can(
    no_templates: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    (tmp_path / "broken_import.py").write_text(
        f"import sys\nif 'benchmarks.engine.template' in sys.orig_argv:\n    {broken}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    worker = template.fork(Setup(process._environment({"threads": 1}), ("broken_import",)))
    assert isinstance(worker, Worker) and worker.reports.read(1) == b"\n" and waiting() == []
    worker.end()


def test_a_template_that_died_waiting_is_replaced(no_templates: None) -> None:
    first = forked_by()
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert forked_by() != first


def test_a_template_that_answers_late_forks_no_more(
    no_templates: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer would be taken for the next child's id."""
    monkeypatch.setattr(template, "START_SECONDS", 1.0)
    worker = template.fork(Setup(dict(os.environ), ()))
    assert isinstance(worker, template.Forked) and worker.reports.read(1) == b"\n"
    os.kill(worker._template._process.pid, signal.SIGSTOP)
    assert worker.end()[0] == -signal.SIGKILL
    assert waiting() == [] and is_gone(worker._template._process.pid)


def test_a_worker_whose_template_is_killed_dies_and_settles_nothing() -> None:
    record = measure(replace(CASE, implementation="kills_its_parent"), LIMITS)
    assert (record.status, record.conclusive) == (Status.ERROR, False)
    assert record.reason == "killed from outside by SIGKILL"
    assert measure(CASE, LIMITS).status is Status.OK


def test_a_forked_worker_and_its_template_die_with_their_supervisor() -> None:
    code = (
        "import os, signal; from benchmarks.engine import template; "
        "from benchmarks.engine.workers import Setup; "
        "worker = template.fork(Setup(dict(os.environ), ())); worker.reports.read(1); "
        "print(worker.pid, worker._template._process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL
    assert [is_gone(pid) for pid in map(int, ended.stdout.split())] == [True, True]


def test_a_forked_worker_is_the_first_to_go_for_memory_and_its_template_is_not() -> None:
    worker = template.fork(Setup(dict(os.environ), ()))
    assert isinstance(worker, template.Forked) and worker.reports.read(1) == b"\n"
    scores = [Path(f"/proc/{pid}/oom_score_adj").read_text() for pid in (worker.pid, os.getpid())]
    of_template = Path(f"/proc/{worker._template._process.pid}/oom_score_adj").read_text()
    worker.end()
    assert int(scores[0]) == 1000 and of_template == scores[1]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_forked_worker_has_as_many_threads_as_a_spawned_one(threads: int) -> None:
    case = Case("symbolic", "threaded", "grid2d,6", threads=threads)
    forked, spawned = (measure(case, replace(LIMITS, forked=each), fresh=True) for each in (True, False))
    assert forked.threads_used == spawned.threads_used == fact(forked, "numba") == threads
    assert fact(forked, "numba") == fact(spawned, "numba") and fact(forked, "all") == fact(spawned, "all")


AGREE = [
    *((f"{stage}.{name}", threads) for stage, name in (
        ("symbolic", "fill2_cpu"), ("symbolic", "bitfronts_cpu"), ("numeric", "multifrontal_cpu"),
        ("laplacian", "parac_cpu"),
    ) for threads in (1, 2)),
    ("symbolic.fill1_pruned", 1), ("solve.superlu", 1),
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "threads"), AGREE)
def test_a_forked_worker_measures_as_a_spawned_one(name: str, threads: int) -> None:
    """By the least of each one's samples, which a busy machine disturbs least: seconds within a third of each
    other, peak memory within a tenth and one MiB. Two rounds, and up to eight while others take the cores."""
    stage, _, implementation = name.partition(".")
    case = Case(stage, implementation, "poisson3d,20", Preparation("none", "metis"), threads=threads)
    limits, rounds = Limits(samples=15), list[list[Record]]()
    while len(rounds) < 2 or (len(rounds) < 8 and not _agree(rounds)):
        rounds.append([measure(case, replace(limits, forked=each), fresh=True) for each in (True, False)])
        assert {record.status for record in rounds[-1]} == {Status.OK}, [each.reason for each in rounds[-1]]
    assert _agree(rounds)


def _agree(rounds: list[list[Record]]) -> bool:
    """Compare the least seconds and the least peaks of the forked and of the spawned."""
    turns = list(zip(*rounds, strict=True))
    forked, spawned = (min(min(each.seconds) for each in records) for records in turns)
    first, second = (min(each.peak_memory or 0 for each in records) for records in turns)
    return forked == pytest.approx(spawned, rel=1 / 3) and first == pytest.approx(second, rel=0.1, abs=2**20)
