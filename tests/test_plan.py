"""The plan of a run: predictions follow records, what cannot fit is named, no server is asked."""

import math
import os
import re
import socket
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.checks.residuals import BACKWARD
from benchmarks.engine import current, machine, measure
from benchmarks.engine.limits import Limits
from benchmarks.runs import plan
from benchmarks.runs.cases import suite_inputs
from benchmarks.runs.plan import Site
from benchmarks.runs.predictions import Predictions
from commands import main
from fetch import catalogue
from fillpath import paths
from fillpath.case import Case
from fillpath.peers import peer
from fillpath.record import Record, Status, Verified
from fillpath.settings import Settings
from reports.facts.records import Records
from tests.test_record import PREPARED
from tests.test_record import record as any_record

SMALLEST = "random,2000,0.002"
CODES = ("fill1", "fill1_pruned", "fill2_cpu")


@pytest.fixture
def one_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [Case.parse(f"symbolic.{name}@{SMALLEST}.metis") for name in CODES]
    monkeypatch.setattr(plan, "suite_cases", lambda settings: cases)


def record(code: str, matrix: str, seconds: float, fills: int, machine: str = "test-machine") -> Record:
    """Return a record of 100 rows and one entry: its L + U has fills + 1 entries."""
    return any_record(
        case=f"{code}@{matrix}.metis",
        machine=machine,
        prepared={"hash": matrix, "nnz": 1, "n": 100},
        seconds=[seconds],
        work={"fills": fills},
        peak_memory=20 * fills,
    )


def predicted(records: list[Record], case: str, size: float) -> tuple[float, float, str]:
    return Predictions(records, "test-machine").call(Case.parse(f"{case}.metis"), "cpu", size)


def test_a_call_takes_what_the_nearest_records_take_per_entry() -> None:
    """Small calls take 1 microsecond an entry and large ones 1 nanosecond: a large one follows the large."""
    small = [record("symbolic.fill1", f"s{i}", 1e-6 * 10**i, 10**i) for i in range(1, 6)]
    large = [record("symbolic.fill1", f"l{i}", 1e-9 * i * 10**8, i * 10**8) for i in range(1, 6)]
    seconds, memory, lender = predicted([*small, *large], "symbolic.fill1@new", 1e9)
    assert (seconds, memory, lender) == (pytest.approx(1.0), pytest.approx(2e10), "own")
    assert predicted(small, "symbolic.fill1@new", 1e9)[1] == 0, "what a small process grows by says nothing"


@pytest.mark.parametrize(
    ("case", "seconds", "lender"),
    [
        ("symbolic.fill1@a", 1.0, "this case"),
        ("symbolic.fill1@new", 1.0, "own"),
        ("symbolic.gsofa_cpu.threads=2@new", 2.0, "other options"),
        ("symbolic.fill2_cpu@new", 4.0, "another machine"),
        ("symbolic.bitfronts_cpu@new", 2.0, "another code"),
        ("numeric.multifrontal_cpu@new", math.nan, "none"),
    ],
)
def test_the_nearest_lender_predicts(case: str, seconds: float, lender: str) -> None:
    lent = [
        record("symbolic.fill1", "a", 1.0, 10**8 - 1),
        record("symbolic.gsofa_cpu", "a", 2.0, 10**8 - 1),
        record("symbolic.fill2_cpu", "a", 4.0, 10**8 - 1, machine="another"),
        replace(record("numeric.multifrontal_cpu", "a", 9.0, 10**8 - 1), status=Status.TIMEOUT),
    ]
    found = predicted(lent, case, 1e8)
    assert found[0] == pytest.approx(seconds, nan_ok=True) and found[2] == lender


def test_a_tiny_record_of_a_code_gives_way_to_a_near_one_of_another_machine() -> None:
    """A call of a tiny matrix takes its start: per entry, a thousand times what a large one does."""
    tiny = record("symbolic.fill1", "tiny", 1e-2, 10**2)
    near = [record("symbolic.fill1", f"near{i}", 1.0, 10**8 - 1, machine="another") for i in range(5)]
    assert predicted([tiny, *near], "symbolic.fill1@new", 1e8)[::2] == (pytest.approx(1.0), "another machine")
    assert predicted([tiny], "symbolic.fill1@new", 1e8)[2] == "own"
    close = record("symbolic.fill1", "close", 4.0, 2 * 10**6)
    assert predicted([close, *near], "symbolic.fill1@new", 1e8)[2] == "own", "a fiftieth is near"


@pytest.mark.parametrize(
    ("case", "n", "nnz", "size", "source"),
    [
        ("symbolic.fill1@poisson3d,40.metis", 64000, 438400, 8e6, "counted"),
        ("laplacian.parac_cpu@poisson3d,40.metis", 64000, 438400, 438400, "graph"),
        ("preparation.prepare@poisson3d,40.metis", 64000, 438400, 438400, "graph"),
        ("symbolic.fill1@bcsstk18.metis", 11948, 149090, 7.52 * 149090, "printed"),
        ("symbolic.fill1@poisson3d,58.metis", 800, 10**6, 2 * 8e12, "assumed"),
        ("symbolic.fill1@delaunay_n24.metis", 10**6, 10**7, 1e7 * math.log(1e6), "assumed"),
        ("symbolic.fill1@delaunay_n24.metis", 2, 10**7, 1e7, "assumed"),
    ],
)
def test_entries_are_counted_printed_or_assumed(
    case: str, n: int, nnz: int, size: float, source: str
) -> None:
    """GSoFA prints 6.52 fill-ins for each entry of bcsstk18. A peer's entries do not count."""
    ours = record("symbolic.fill1", "poisson3d,40", 1.0, 8 * 10**6 - 1)
    peer = replace(
        record("solve.superlu", "poisson3d,40", 1.0, 9), verified=Verified("A x = b", BACKWARD, 0, 1)
    )
    graph = record("cholesky.parac_cpu", "poisson3d,40", 1.0, 7)
    known = Predictions([ours, peer, graph], "test-machine")
    assert known.size(Case.parse(case), n, nnz) == (pytest.approx(size), source)


def test_checks_leave_the_checked_input_out() -> None:
    """Five records of one second an entry, and one of ten, which none but itself could predict."""
    records = [record("symbolic.fill1", f"m{i}", i * 10.0, i * 10 - 1) for i in range(1, 6)]
    checks = Predictions([*records, record("symbolic.fill1", "odd", 500.0, 49)], "test-machine").checks()
    assert checks.set_index("case")["factor"]["symbolic.fill1@odd.metis"] == pytest.approx(10)
    assert checks["factor"].to_list()[:5] == pytest.approx([1] * 5) and len(checks) == 6


def test_checks_of_the_committed_records_are_what_the_page_says(
    committed_results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New records move both factors a little. Beyond a twentieth, docs/measuring.md needs its new numbers."""
    monkeypatch.setenv("FILLPATH_RESULTS", str(committed_results))
    factors = Predictions(Records.load().rows, "h200").checks()["factor"]
    page = " ".join((paths.ROOT / "docs" / "measuring.md").read_text().split())
    said = re.findall(r"a factor of ([\d.]+) \(geometric mean\), ([\d.]+) for nine in ten", page)
    found = pytest.approx([np.exp(np.log(factors).mean()), factors.quantile(0.9)], rel=0.05)
    assert [[float(mean), float(most)] for mean, most in said] == [found] and len(factors) > 900


def test_the_embedded_suite_is_planned_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Without any record there is no time, which is not a limit's time."""
    assert main(["plan", "embedded"]) == 0
    output = capsys.readouterr().out
    planned = [line.split()[0] for line in output.split("\n\n")[0].splitlines()[1:]]
    absent = [] if peer("amgx").available()[0] else ["grid2d,200,laplacian.natural"]
    assert planned == [name for name in suite_inputs(Settings()) if name not in absent], "AmgX's alone"
    assert "for 0 of " in output and "in 0 archives" in output and "no call measured on the machine" in output


def test_what_is_stored_takes_no_time(one_matrix: None) -> None:
    measure.measure(f"symbolic.fill1_pruned@{SMALLEST}.metis", Limits(forked=True))
    needs = plan.plan(Settings())
    assert needs.inputs["stored"].to_list() == [1] and len(needs.cases) == 2
    assert needs.cases["lender"].to_list() == ["another code"] * 2 and needs.cases["seconds"].sum() > 4
    again = plan.plan(Settings(fresh=True))
    assert again.inputs["stored"].to_list() == [0] and len(again.cases) == 3


@pytest.mark.parametrize("stored", [True, False])
def test_a_run_with_nothing_to_measure_has_a_plan(
    one_matrix: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stored: bool
) -> None:
    """All is stored, or the machine can run nothing."""
    monkeypatch.setattr(Site, *("has", lambda *_: True) if stored else ("can_run", lambda *_: False))
    assert main(["plan", "embedded"]) == 0
    assert "about 0 s for 0 of 0 cases" in capsys.readouterr().out


def test_what_exceeds_the_time_limit_is_named(one_matrix: None, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {"fill1": 1e4, "fill1_pruned": 1e-3, "fill2_cpu": 1e-3}
    monkeypatch.setattr(
        Predictions, "call", lambda self, case, *others: (calls[case.implementation], 0.0, "own")
    )
    needs = plan.plan(Settings())
    assert needs.inputs["remarks"].to_list() == ["fill1: timeout"]
    assert needs.cases["seconds"].max() == 600, "one process, cut off by its limit"


@pytest.mark.parametrize(
    ("usable", "foreseen"),
    [(100, ["fill1: out_of_memory, fill1_pruned: out_of_memory, fill2_cpu: out_of_memory"]), (10**9, [""])],
)
def test_foreseen_lack_of_memory_is_named_and_takes_no_time(
    one_matrix: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    usable: int,
    foreseen: list[str],
) -> None:
    """A run refuses these cases before they start."""
    monkeypatch.setattr(machine, "memory_limit", lambda: usable)
    needs = plan.plan(Settings())
    refused = needs.cases["foreseen"] == "out_of_memory"
    assert needs.inputs["remarks"].to_list() == foreseen and needs.fits == (foreseen == [""])
    assert (needs.cases["seconds"][refused] == 0).all()
    assert main(["plan", "embedded"]) == (not needs.fits)
    assert ("; some may not fit" in capsys.readouterr().out) == (usable < 10**9)


def test_arrays_of_a_gpu_may_lie_on_the_card() -> None:
    where = Site("far", False, 8, 1, 50.0, 70, {})
    assert (where.room("cpu"), where.room("gpu")) == (50, 120)


def test_another_machine_has_a_peer_in_its_own_version() -> None:
    case, versions = Case.parse("solve.superlu@m.natural"), {"scipy": "0.1"}
    key = current.key_of(case, PREPARED["hash"], versions)
    stored = {case.name: [any_record(case=case.name, key=key, versions=versions, seconds=[1.0] * 20)]}
    far, here = (Site("far", is_here, 8, 0, math.inf, 0, stored) for is_here in (False, True))
    assert far.has(case, Settings()) and not here.has(case, Settings())


def test_too_little_disk_is_named(
    one_matrix: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = paths.shutil.disk_usage("/")
    monkeypatch.setattr(paths.shutil, "disk_usage", lambda path: usage._replace(free=1000))
    assert main(["plan", "embedded"]) == 1
    assert "1.0 kB free: will not fit" in capsys.readouterr().out


def test_no_server_is_asked_for_the_sizes_of_archives(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*address: object) -> None:
        raise AssertionError(f"{address} is asked")

    monkeypatch.setenv("FILLPATH_MIRROR", "http://127.0.0.1:1")
    monkeypatch.setattr(socket.socket, "connect", asked)
    # CHOLMOD's input too, whatever is installed here.
    monkeypatch.setattr(Site, "can_run", lambda *_: True)
    inputs = plan.plan(Settings(suite="small", figure="glu3.phases")).inputs
    collected = inputs[[bool(catalogue.lookup(matrix).group) for matrix in inputs["matrix"]]]
    downloads = collected["download"][collected["download"] > 0]
    # A matrix that is prepared in two ways comes once.
    assert len(downloads) == collected["matrix"].nunique() < len(collected)
    assert (collected["disk"] > collected["download"]).all()
    assert not (Path(os.environ["FILLPATH_CACHE"]) / "matrices").exists()


def test_the_folder_of_a_mirror_is_looked_into(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path))
    archive = tmp_path / "MM" / "HB" / "west2021.tar.gz"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"x" * 4321)
    inputs = plan.plan(Settings(suite="small", figure="gsofa.fig11")).inputs.set_index("matrix")
    assert inputs.at["west2021", "download"] == 4321 and not inputs.at["west2021", "guessed"]
    elsewhere = {e.id for e in catalogue.entries() if e.address or not e.group} | {"west2021"}
    lost = inputs[~inputs.index.isin(elsewhere)]
    assert inputs.at["bcsstk18_as_run", "guessed"]  # It may be had from its authors' server.
    assert len(lost) and lost["remarks"].str.match("not obtainable: .*No such file").all()
