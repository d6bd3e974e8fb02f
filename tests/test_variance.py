"""Components of variance: planted ones are seen, and what is not there is not made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from commands import main
from fillpath.record import Record
from reports.facts.variance import Component, variances
from tests.reports_fakes import measured


def planted(samples: float, processes: float, runs: float, hosts: float) -> list[Record]:
    """Records of 60 cases on two hosts, of three runs on each, of four processes, with five samples."""
    draw = np.random.default_rng(5).normal
    records = []
    for case in range(60):
        for host in range(2):
            there = draw(0, hosts)
            for run in range(3):
                then = there + draw(0, runs)
                for process in range(4):
                    level = np.exp(then + draw(0, processes) + draw(0, samples, 5))
                    one = measured("gsofa", 1.0, key=f"{case:064x}", run_id=f"{host}-{run}")
                    changes = {"process": process, "host": f"{host:016x}", "seconds": level.tolist()}
                    records.append(replace(one, **changes))
    return records


def test_planted_deviations_are_seen_each_in_its_column() -> None:
    (variance,) = variances(planted(0.01, 0.05, 0.1, 0.3))
    assert (variance.stage, variance.device) == ("symbolic", "GPU")
    parts = (variance.samples, variance.processes, variance.runs, variance.hosts)
    seen = [part.sd for part in parts if part is not None]
    # Each holds what is below it.
    assert seen == pytest.approx([0.01, 0.05, np.hypot(0.1, 0.05), np.hypot(0.3, 0.112)], rel=0.2)


def test_what_no_two_values_differ_in_is_not_known() -> None:
    (variance,) = variances([measured("gsofa", 1.0)])
    assert variance.samples is not None
    assert variance.processes is variance.runs is variance.hosts is None
    twice = [measured("gsofa", 1.0, run_id=name, host=None) for name in "ab"]
    (variance,) = variances(twice)
    assert variance.runs is not None and variance.runs.sd == 0 and variance.hosts is None


def test_so_many_values_tell_a_difference() -> None:
    """Simulated: with as many values a side as are said, 5 per cent is told in about 80 of 100 trials."""
    sd, draw = 0.05, np.random.default_rng(1).normal
    n = Component(sd, 1, 1).values_for(0.05)
    apart = np.log(1.05) + draw(0, sd, (2000, n)).mean(axis=1) - draw(0, sd, (2000, n)).mean(axis=1)
    detected = np.abs(apart) > 1.96 * sd * np.sqrt(2 / n)
    assert 0.76 < detected.mean() < 0.88


def test_a_machine_without_records_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["maintain", "variance", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
