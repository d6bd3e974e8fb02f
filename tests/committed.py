"""The folders of results/ that are committed, whatever else the checkout holds there."""

from __future__ import annotations

from pathlib import Path

import pytest

from fillpath.paths import ROOT

MACHINES = ("h200", "h200-x2", "vm")


@pytest.fixture(scope="session")
def committed_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that a test may name as FILLPATH_RESULTS, and only reads."""
    folder = tmp_path_factory.mktemp("committed")
    for name in MACHINES:
        (folder / name).symlink_to(ROOT / "results" / name)
    return folder
