"""Installed away from its checkout: each command says in one line what to do instead, and no results are
written there."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import main
from fillpath import paths
from fillpath.paths import ROOT

ROOMS = ("fillpath", "commands", "fetch", "impl", "benchmarks", "reports")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `pip install .` has put the packages. From a copy: it builds in the folder that it installs."""
    # By its metadata: importing setuptools replaces distutils in this process.
    for tool in ("pip", "setuptools"):
        if not any(importlib.metadata.distributions(name=tool)):
            pytest.skip(f"{tool} is not installed")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    for room in ROOMS:
        ignored = shutil.ignore_patterns("__pycache__", "site", "index.html")
        shutil.copytree(ROOT / room, source / room, ignore=ignored)
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--no-compile", "--quiet"]
    command = [sys.executable, "-m", "pip", "install", *offline, "--target", str(target), str(source)]
    subprocess.run(command, check=True, timeout=120)
    return target


def call(installed: Path, elsewhere: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    environment.pop("FILLPATH_RESULTS", None)
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=elsewhere, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["fillpath", "list"],
        ["fillpath", "run", "symbolic", "fill1", "grid2d:5"],
        ["fillpath", "nightly"],
        ["fillpath", "claims", "--paper", "gsofa"],
        ["fillpath", "claims", "--papre", "gsofa"],
        ["fillpath", "faults", "symbolic.fill1@grid2d,5.natural"],
        ["benchmarks.runs.launch"],
    ],
    ids=" ".join,
)
def test_a_command_away_from_its_checkout_says_so(
    installed: Path, tmp_path: Path, arguments: list[str]
) -> None:
    done = call(installed, tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert f"{installed} has no config/matrices.csv" in line and "pip install -e ." in line
    assert not (installed / "results").exists()


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["claims", "--help"], ["run", "symbolic", "-h"]], ids=" ".join
)
def test_help_needs_no_checkout(installed: Path, tmp_path: Path, words: list[str]) -> None:
    done = call(installed, tmp_path, "fillpath", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "fillpath" in done.stdout


def test_a_folder_that_is_called_config_is_no_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").mkdir()
    monkeypatch.setattr(paths, "CONFIG", tmp_path / "config")
    assert main(["doctor"]) == 2
    assert "works from its checkout alone" in capsys.readouterr().err
