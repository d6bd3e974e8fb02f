"""How the suite of the papers is laid out over a night, and what a plan knows of what is not here."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.engine.foresight import least_bytes
from benchmarks.engine.limits import Limits
from benchmarks.runs import amounts, plan_site, rates
from benchmarks.runs.cases import suite_cases
from benchmarks.runs.layout import layout, limits_of, processes_of
from benchmarks.runs.plan import plan
from benchmarks.runs.plan_case import forecast_of
from benchmarks.runs.plan_site import Site
from benchmarks.runs.rates import Rate, guess
from commands import main
from fetch import catalogue
from fillpath import registry
from fillpath.case import Case
from fillpath.processes import standing_records
from fillpath.settings import PROCESSES, Settings

PAPERS = Settings(suite="papers")
CARD = Site("made-up", False, 16, 1, 120 * 10**9, 140 * 10**9)
# Five processes on every matrix that a paper has.
MOST = 19 * 3600.0
pytestmark = pytest.mark.usefixtures("committed_records")


@pytest.fixture
def committed_records(committed_results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan for the machine whose records are committed, which this host is not."""
    monkeypatch.setenv("FILLPATH_RESULTS", str(committed_results))
    monkeypatch.setenv("FILLPATH_MACHINE", "h200")
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")
    monkeypatch.setattr(plan_site.host, "is_here", lambda name: False)


def test_the_papers_suite_is_predicted_to_take_less_than_a_day(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From nothing: every case has a prediction, none of them by this host's own facts."""
    needs = plan(replace(PAPERS, fresh=True))
    cases = [case for line in needs.lines for case in line.cases]
    able = [case for case in suite_cases(PAPERS) if needs.site.can_run(case)]
    assert (needs.site.here, needs.site.cores, needs.site.gpus) == (False, 16, 1)
    assert len(able) + needs.elsewhere == len(suite_cases(PAPERS)) and needs.elsewhere > 0
    obtainable = [c for c in able if catalogue.lookup(c.matrix).obtainable]
    assert [case.case for case in cases] and len(cases) == len(obtainable)
    assert all(case.call is not None and case.memory > 0 for case in cases)
    assert sum(line.seconds for line in needs.lines) <= MOST
    assert {case.limit for case in cases if case.foreseen == "timeout"} <= {10.0, 12.0, 30.0, 60.0, 600.0}
    assert all(case.processes == 1 for case in cases if case.foreseen), "a failure ends the case"


def test_every_case_is_listed_with_its_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "papers", "--cases", str(tmp_path / "cases.csv")]) == 0
    text = capsys.readouterr().out
    rows = list(csv.DictReader((tmp_path / "cases.csv").open()))
    assert f"for {len(rows)} of {len(rows)} cases" in text
    assert "each predicted by the others: a factor of" in text and "foreseen as timeouts" in text
    assert all(float(row["error_factor"]) >= 1 and float(row["seconds"]) >= 0 for row in rows)


def test_a_class_has_limits_of_its_own() -> None:
    baseline, own = (Case.parse(f"laplacian.{name}@poisson3d,243.amd") for name in ("hypre", "parac_cpu"))
    assert (limits_of(baseline, PAPERS).seconds, limits_of(own, PAPERS).seconds) == (12, 60)
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


def test_a_kind_without_records_borrows_a_rate() -> None:
    own = Rate("filled", 1e-8, 0.1, 9)
    known = {
        ("symbolic", "gsofa", ()): own,
        ("symbolic", "gsofa", (("memory_budget", "1GB"),)): replace(own, seconds=3e-8),
        ("symbolic", "out_of_core", ()): replace(own, seconds=9e-8),
    }
    work = {"filled": 1e8}
    for name, seconds, source in (
        ("gsofa", 1.0, "own"),
        ("gsofa.maxid_ranges=false", 1.0, "borrowed from gsofa"),
        ("gsofa_multi", 1.0 * math.sqrt(3), "borrowed from 2 of its symbolic stage"),
        ("unified_memory", (1.0 * 3.0 * 9.0) ** (1 / 3), "borrowed from 3 of its symbolic stage"),
    ):
        case = Case.parse(f"symbolic.{name}@any.natural")
        made = guess(rates.kind_of(case), work, known)
        assert made is not None and made.source == source, name
        assert made.seconds == pytest.approx(seconds)
    assert guess(("solve", "klu", ()), work, known) is None


def test_a_fit_finds_the_fixed_cost_and_leaves_one_out() -> None:
    timed = [(0.01 + 1e-8 * size, {"filled": size}) for size in (1e4, 1e6, 1e7, 1e9)]
    rate = rates.fit(timed)
    assert rate is not None and rate.fixed == pytest.approx(0.01, rel=0.01) and rate.spread < 1e-6
    wild = rates.fit([*timed, (1000.0, {"filled": 1e5})])
    assert wild is not None and wild.spread > 1


def test_the_fill_of_what_is_not_here_is_the_printed_one() -> None:
    """GSoFA prints fill-ins over entries: of bcsstk18 6.52, as is measured here."""
    known = amounts.Catalogued([], {})
    entry = catalogue.lookup("audikw_1")
    forecast = known.forecast(entry, suite_cases(PAPERS)[0].preparation)
    assert forecast.source == "printed"
    assert forecast.amounts["filled"] == pytest.approx(
        entry.nnz_with_zeros * amounts.printed_fill()["audikw_1"]
    )
    assert amounts.printed_fill()["bcsstk18"] == pytest.approx(7.52)
    assert (
        known.forecast(catalogue.lookup("inline_1"), suite_cases(PAPERS)[0].preparation).source == "assumed"
    )


def test_what_cannot_fit_is_out_of_memory_by_plan() -> None:
    case = Case.parse("symbolic.fill1@any.natural")
    huge = amounts.Forecast(amounts.completed(1e7, 1e8, 1e12), "assumed", 1.0)
    known = {("symbolic", "fill1", ()): Rate("filled", 1e-9, 0.1, 5)}
    lost = forecast_of(case, huge, known, CARD, PAPERS)
    assert (lost.foreseen, lost.seconds) == ("out_of_memory", 0.0)
    # Its lower estimate has to exceed the memory: an assumed fill may be e^2 times too high.
    near = amounts.Forecast(amounts.completed(1e7, 1e8, 1e11), "assumed", 1.0)
    assert forecast_of(case, near, known, CARD, PAPERS).foreseen != "out_of_memory"


def test_only_what_is_certain_is_foreseen() -> None:
    def least(name: str) -> float:
        case = Case.parse(f"{name}@any.natural")
        return least_bytes(case, registry.lookup(case.stage, case.implementation), 1e9)

    assert least("symbolic.fill1") == 4e9 and least("numeric.glu3") == 8e9
    assert least("symbolic.gsofa.output=counts") == least("symbolic.superlu_dist") == 0
    assert least("laplacian.parac_cpu") == least("solve.lu_cpu") == 0


def test_checks_leave_the_checked_record_out() -> None:
    found = rates.checks(standing_records("h200"))
    factors = np.array([check.factor for check in found])
    assert len(found) > 900 and np.exp(np.mean(np.log(factors))) < 2.0
