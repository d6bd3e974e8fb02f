"""How the suite of the papers is laid out over a night, and what a plan predicts for it."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import least_bytes
from benchmarks.runs.cases import layout, limits_of, processes_of, suite_cases
from benchmarks.runs.plan import plan
from commands import main
from fetch import catalogue
from fillpath import host, registry
from fillpath.case import Case
from fillpath.settings import PROCESSES, Settings

PAPERS = Settings(suite="papers")
# Five processes on every matrix that a paper has.
MOST = 19 * 3600.0
pytestmark = pytest.mark.usefixtures("committed_records")


@pytest.fixture
def committed_records(committed_results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan for the machine whose records are committed, which this host is not."""
    monkeypatch.setenv("FILLPATH_RESULTS", str(committed_results))
    monkeypatch.setenv("FILLPATH_MACHINE", "h200")
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")
    monkeypatch.setattr(host, "is_here", lambda name: False)


def test_the_papers_suite_is_predicted_to_take_less_than_a_day(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From nothing: every case has a prediction, on the machine that the facts of h200 describe."""
    needs = plan(replace(PAPERS, fresh=True))
    cases, site = needs.cases, needs.site
    assert (site.here, site.cores, site.gpus) == (False, 16, 1)
    able = [case for case in suite_cases(PAPERS) if site.can_run(case)]
    assert len(able) + needs.elsewhere == len(suite_cases(PAPERS)) and needs.elsewhere > 0
    assert set(cases["case"]) == {
        case.name for case in able if catalogue.obtainable(catalogue.lookup(case.matrix))
    }
    assert cases["call"].notna().all() and (cases["memory"] > 0).all() and needs.fits
    assert needs.inputs["time"].sum() <= MOST
    assert set(cases["limit"][cases["foreseen"] == "timeout"]) <= {10.0, 11.0, 30.0, 60.0, 600.0}
    assert (cases["processes"][cases["foreseen"] != ""] == 1).all(), "a failure ends the case"


def test_every_case_is_listed_with_its_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "papers", "--cases", str(tmp_path / "cases.csv")]) == 0
    text, rows = capsys.readouterr().out, pd.read_csv(tmp_path / "cases.csv")
    assert f"for {len(rows)} of {len(rows)} cases" in text and " timeout" in text
    assert "each predicted by records of other inputs: a factor of" in text
    assert (
        (rows["seconds"] >= 0).all() and (rows["factor"].dropna() >= 1).all() and rows["factor"].notna().any()
    )


def test_a_class_has_limits_of_its_own() -> None:
    baseline, own = (Case.parse(f"laplacian.{name}@poisson3d,243.amd") for name in ("hypre", "parac_cpu"))
    assert (limits_of(baseline, PAPERS).seconds, limits_of(own, PAPERS).seconds) == (11, 60)
    assert limits_of(baseline, Settings(suite="small")) == Limits()
    assert (processes_of(baseline, PAPERS), processes_of(own, PAPERS)) == (5, 5), "both sides of a claim"
    other = Case.parse("symbolic.gsofa@G2_circuit.metis")
    assert processes_of(other, PAPERS) == 1, "a stand-in decides nothing"
    twin = Case.parse("symbolic.gsofa@mesh,488x16x1,unknowns=6.metis")
    assert (limits_of(twin, PAPERS).seconds, processes_of(twin, PAPERS)) == (30, 1)
    assert processes_of(twin, replace(PAPERS, processes=5)) == 5
    assert processes_of(own, Settings(suite="small")) == PROCESSES
    assert processes_of(own, replace(PAPERS, processes=5)) == 5, "what the user chose holds"
    counted = Case.parse("levels.glu2@circuit,20000.metis")
    assert processes_of(counted, Settings(suite="small")) in (1, PROCESSES)
    known = {entry.name for entry in registry._registry.values()}
    assert set(layout()["own"]) <= known


def test_only_what_is_certain_is_foreseen() -> None:
    def least(name: str) -> float:
        case = Case.parse(f"{name}@any.natural")
        return least_bytes(case, registry.lookup(case.stage, case.implementation), 1e9)

    assert least("symbolic.fill1") == 4e9 and least("numeric.glu3") == 8e9
    assert least("symbolic.gsofa.output=counts") == least("symbolic.superlu_dist") == 0
    assert least("laplacian.parac_cpu") == least("solve.lu_cpu") == 0
