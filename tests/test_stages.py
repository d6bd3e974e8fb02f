"""A stage is one row of data and one file: nothing else has to know of it."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import benchmarks
from benchmarks.engine.benchmark import benchmark_of
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.engine.operands import context
from benchmarks.suite import Suite
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError
from fillpath.nouns import Filled
from fillpath.paths import ROOT, cache
from fillpath.record import Status, read_records, record_path
from fillpath.stages import STAGES

LIMITS = Limits(seconds=60, samples=3)


@pytest.fixture
def sham(own_registry: None, forked_workers: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stage of tests.sham_stage beside the real ones."""
    monkeypatch.setattr(benchmarks, "__path__", list(benchmarks.__path__))
    # Put back afterwards: importing the module adds the stage, at first.
    monkeypatch.setitem(STAGES, "degrees", None)  # type: ignore[arg-type]
    from tests import sham_stage

    sham_stage.add()
    yield
    sys.modules.pop("benchmarks.degrees", None)


def test_every_stage_has_a_file_and_every_file_a_stage() -> None:
    files = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if "(Suite)" in path.read_text()}
    assert files == set(STAGES)


@pytest.mark.parametrize("stage", STAGES)
def test_asv_finds_each_stage_under_the_name_that_its_series_hang_on(stage: str) -> None:
    benchmark = benchmark_of(stage)
    assert isinstance(benchmark, Suite)
    assert (type(benchmark).__module__, type(benchmark).__name__) == (
        f"benchmarks.{stage}",
        stage.capitalize(),
    )
    assert (benchmark.version, benchmark.unit, benchmark.param_names) == ("1", "seconds", ("case",))
    tracked = [name for name in dir(benchmark) if name.startswith(("track", "time", "mem", "peakmem"))]
    assert tracked == ["timeout", "track_seconds"]


def test_the_files_of_stages_do_not_load_runs() -> None:
    """Every worker imports the file of its stage."""
    code = f"""
import sys
for stage in {list(STAGES)}:
    __import__(f"benchmarks.{{stage}}")
late = "benchmarks.runs", "cupy", "scipy.sparse.linalg"
print([name for name in sys.modules if name in late])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_stage_more_is_measured_end_to_end(sham: None) -> None:
    record = measure("degrees.right@grid2d,6.natural", LIMITS)
    assert record.status is Status.OK, record.reason
    assert len(record.seconds) == 3 and not record.suspect
    assert record.verified is not None and record.verified.method == "entries of each row"
    assert record.work is not None and record.work["edges"] == 156
    assert record.work["facts"] == {"rows": 36.0, "largest": 5.0, "components": 1}
    assert read_records(record_path("test-machine", record.case)) == [record]
    assert not (cache() / "references").exists(), "a stage on graphs needs no reference"
    assert measure("degrees.right@grid2d,6.natural", LIMITS) == record


def test_a_wrong_result_of_a_stage_more_has_no_time(sham: None) -> None:
    record = measure("degrees.off_by_one@grid2d,6.natural", LIMITS)
    assert (record.status, record.seconds) == (Status.WRONG, [])
    assert record.reason == "entries of each row: 1 where at most 0 is right"


def test_a_stage_on_values_refuses_complex_ones(sham: None, tmp_path: Path) -> None:
    path = tmp_path / "complex.mtx"
    path.write_text("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 0 1\n2 2 1 0\n")
    record = measure(Case("degrees", "right", resolve(str(path)).text), LIMITS)
    assert record.status is Status.UNSUPPORTED and "complex values" in record.reason


def test_what_a_check_reads_beyond_its_nouns_is_an_error_that_names_it() -> None:
    prepared = prepare("grid2d,3", Preparation())
    fill1 = registry.lookup("symbolic", "fill1")
    with pytest.raises(FillpathError, match=r"no Filled was made: name it in the benchmark's `reads`"):
        context(prepared, None, fill1, {}).noun(Filled)


def test_f_is_never_given_without_a_reference_to_hold_it_against() -> None:
    t3 = registry.lookup("supernodes", "t3")
    with pytest.raises(FillpathError, match="F cannot be checked without the reference"):
        context(prepare("grid2d,3", Preparation()), None, t3, {})


def test_the_class_that_stages_share_is_not_collected() -> None:
    assert inspect.isabstract(Suite)
