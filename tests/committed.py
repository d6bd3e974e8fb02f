"""The folders of results/ that are committed, whatever else the checkout holds there."""

from pathlib import Path

import pytest

from commands._records import figure_cases
from fetch import catalogue
from fillpath.paths import ROOT
from reports.claims.verdict import Standing
from reports.facts.records import Records
from tests.reports_fakes import judge
from tests.shared import once

MACHINES = ("h100", "h200", "h200-x2", "h200-x4", "vm")


@pytest.fixture(scope="session")
def committed_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that a test may name as FILLPATH_RESULTS, and only reads."""
    folder = tmp_path_factory.mktemp("committed")
    for name in MACHINES:
        (folder / name).symlink_to(ROOT / "results" / name)
    return folder


@pytest.fixture(scope="session")
def committed_standings(committed_results: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Standing]:
    """Return the standings of all claims on each machine."""
    return once(tmp_path_factory, "standings", lambda: _standings(committed_results))


def _standings(results: Path) -> list[Standing]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FILLPATH_RESULTS", str(results))
        patch.setenv("FILLPATH_MACHINE", "test-machine")
        records = Records.load()
        standings, failed = judge(records, catalogue.entries(), figure_cases(records))
    assert not failed
    return standings
