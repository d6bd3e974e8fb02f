"""The workflow: its graph, its lock, and what `make clean` leaves."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fillpath.lock import BusyError, exclusive
from fillpath.paths import ROOT

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Our own make may be the caller: its flags and settings are not the test's.
    kept = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "SUITE", "DEVICE")}
    return subprocess.run(["make", *arguments], cwd=folder, env=kept, capture_output=True, text=True)


def test_dry_run_builds_the_graph(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "snakemake", "all", "--dry-run", "--quiet", "rules"]
    command += ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(tmp_path)]
    settings = {**os.environ, "FILLPATH_SUITE": "embedded", "FILLPATH_PAPER": "", "FILLPATH_DEVICE": "cpu"}
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for rule in ("fetch", "prepare", "measure", "draw", "page"):
        assert rule in done.stdout + done.stderr
    assert not list(tmp_path.glob("results*")), "results/ is no rule's output"


@needs_make
def test_clean_keeps_results_and_downloads(tmp_path: Path) -> None:
    results = ("results/m/records/case.jsonl", "results/asv/m/machine.json", "cache/a.mtx")
    made = (".fillpath/run.json", "reports/site/index.html", ".snakemake/log/x")
    kept, gone = [tmp_path / name for name in results], [tmp_path / name for name in made]
    for path in [*kept, *gone]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("benchmarks", "fetch", "fillpath", "impl", "tests"):
        (tmp_path / name).mkdir()
    done = make(tmp_path, "clean")
    assert done.returncode == 0, done.stderr
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in gone)


@needs_make
@pytest.mark.parametrize("setting", ["SUITE=tiny", "DEVICE=tpu"])
def test_a_wrong_setting_is_refused_in_one_line(setting: str) -> None:
    done = make(ROOT, "figures", setting)
    assert done.returncode != 0
    assert setting in done.stderr and len(done.stderr.splitlines()) == 1


def test_the_lock_says_who_holds_it_and_dies_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    code = (
        "import sys, time, pathlib; from fillpath.lock import exclusive\n"
        "with exclusive(pathlib.Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=ROOT, stdout=subprocess.PIPE)
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    with pytest.raises(BusyError, match=f"process {holder.pid}"), exclusive(path, 0.3):
        pass
    holder.kill()
    holder.wait()
    with exclusive(path, 0.0):
        pass
    holder.stdout.close()


def test_a_job_dies_with_the_process_that_started_it() -> None:
    code = (
        "import subprocess, sys, time\n"
        "command = [sys.executable, '-m', 'benchmarks.launch', 'job', 'sleep', '60']\n"
        "print(subprocess.Popen(command).pid, flush=True); time.sleep(60)"
    )
    clean = {k: v for k, v in os.environ.items() if k != "FILLPATH_PARENT"}
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=clean, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    job = int(parent.stdout.readline())
    _wait_until(lambda: _command(job).startswith("sleep"))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    _wait_until(lambda: not _command(job))
    parent.stdout.close()


def _command(process: int) -> str:
    """Its command line; empty once it has ended, reaped or not."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""


def _wait_until(condition: object, seconds: float = 20.0) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)
