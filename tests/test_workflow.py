"""The workflow: its graph, its lock, and what `make clean` leaves."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.runs.cases import suite_inputs
from fillpath.lock import BusyError, exclusive
from fillpath.paths import ROOT
from fillpath.settings import Settings
from tests.ended import is_gone

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Our own make may be the caller: its flags and settings are not the test's.
    callers = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "SUITE", "DEVICE", "FILLPATH_CUDA")
    kept = {k: v for k, v in os.environ.items() if k not in callers}
    return subprocess.run(["make", *arguments], cwd=folder, env=kept, capture_output=True, text=True)


def dry_run(folder: Path, **changes: str) -> str:
    """What Snakemake would do in that folder on the CPU, under these settings."""
    command = [sys.executable, "-m", "snakemake", "all", "--dry-run"]
    command += ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder)]
    settings = {**os.environ, "FILLPATH_SUITE": "embedded", "FILLPATH_PAPER": "", "FILLPATH_DEVICE": "cpu"}
    done = subprocess.run(command, cwd=folder, env=settings | changes, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_graph_of_one_figure_has_its_own_inputs_and_stages_only(tmp_path: Path) -> None:
    jobs = dry_run(tmp_path, FILLPATH_FIGURE="glu3.levels")
    lines = re.findall(r"^ +output: .*$", jobs, re.MULTILINE)
    outputs = set(re.findall(r"\.fillpath/markers/([^,\s]+)", "".join(lines)))
    inputs = suite_inputs(Settings(figure="glu3.levels", device="cpu"))
    assert inputs and outputs == {
        *(f"prepare/{name.replace(',', '~')}" for name in inputs), "measure/levels", "figures",
    }  # fmt: skip
    assert not list(tmp_path.glob("results*")), "results/ is no rule's output"


@pytest.mark.thorough
def test_the_graph_of_all_figures_is_built(tmp_path: Path) -> None:
    jobs = dry_run(tmp_path)
    for rule in ("generate", "measure", "draw"):
        assert f"rule {rule}:" in jobs
    # What is generated in a moment is no job of its own.
    assert "rule prepare:" not in jobs and "rule fetch:" not in jobs


@needs_make
def test_make_hands_its_settings_on() -> None:
    shown = "--eval=shown: ; @echo $$FILLPATH_SUITE $$FILLPATH_PAPER $$FILLPATH_FIGURE"
    done = make(ROOT, shown, "shown", "SUITE=small", "PAPER=gsofa", "FIGURE=gsofa.fig10")
    assert done.stdout.split() == ["small", "gsofa", "gsofa.fig10"]


@needs_make
def test_clean_keeps_results_and_downloads(tmp_path: Path) -> None:
    results = ("results/m/records/case.jsonl", "cache/a.mtx")
    made = (".fillpath/run.json", "reports/index.html", "reports/site/x", ".snakemake/log/x")
    kept, gone = [tmp_path / name for name in results], [tmp_path / name for name in made]
    for path in [*kept, *gone]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("benchmarks", "commands", "fetch", "fillpath", "impl", "tests"):
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


@needs_make
def test_without_a_gpu_make_gpu_says_so_in_one_line() -> None:
    done = make(ROOT, "gpu", "FILLPATH_CUDA=none")
    assert done.returncode == 2
    assert "no NVIDIA GPU" in done.stderr and len(done.stderr.splitlines()) == 1


def cards(folder: Path, script: str) -> dict[str, str]:
    """An environment whose nvidia-smi is this script."""
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def choice(environment: dict[str, str], *arguments: str) -> tuple[str, str]:
    command = ["sh", str(ROOT / "profiles" / "cuda-choice"), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr.strip()


@pytest.mark.parametrize(
    ("script", "cuda", "why"),
    [
        ("echo '580.82.07, 9.0'", "13", ""),
        ("echo '581.15, 12.0'; echo '581.15, 8.6'", "13", ""),
        ("echo '575.51.03, 9.0'", "12", ""),
        ("echo '525.60.13, 8.0'", "12", ""),
        # CUDA 13 has no Volta, whatever the driver.
        ("echo '580.82.07, 7.0'", "12", ""),
        ("echo '590.44.01, 9.0'; echo '590.44.01, 7.0'", "12", ""),
        # An old nvidia-smi does not know compute_cap, some cards do not tell it.
        ("case $1 in *compute_cap*) exit 2 ;; *) echo 535.104.05 ;; esac", "12", ""),
        ("echo '580.82.07, [N/A]'", "13", ""),
        ("echo '470.199.02, 8.0'", "none", "driver 470.199.02 is too old: CuPy needs 525 or newer"),
        ("echo 'NVIDIA-SMI has failed'; exit 9", "none", "nvidia-smi finds no NVIDIA GPU"),
        ("echo 'No devices were found'", "none", "the version of the NVIDIA driver cannot be read"),
    ],
)
def test_cupy_is_chosen_by_the_driver(tmp_path: Path, script: str, cuda: str, why: str) -> None:
    cuda_here, message = choice(cards(tmp_path, script))
    assert cuda_here == cuda
    assert why in message and bool(why) == bool(message)


def test_without_nvidia_smi_the_driver_is_read_where_there_is_a_device(tmp_path: Path) -> None:
    tools = {"PATH": str(tmp_path / "tools")}
    (tmp_path / "tools").mkdir()
    for name in ("sh", "ls", "sed", "awk", "uname"):
        (tmp_path / "tools" / name).symlink_to(shutil.which(name) or "")
    version = tmp_path / "proc" / "driver" / "nvidia" / "version"
    version.parent.mkdir(parents=True)
    version.write_text("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n")
    assert choice(tools, str(tmp_path)) == ("none", "")
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "nvidia0").touch()
    assert choice(tools, str(tmp_path)) == ("13", "")
    version.write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC\n")
    assert choice(tools, str(tmp_path)) == ("12", "")


@needs_make
def test_what_is_installed_follows_the_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", cards(tmp_path / "bin", "echo '580.82.07, 9.0'")["PATH"])

    def shown(*arguments: str) -> list[str]:
        return make(
            ROOT, "--eval=shown: ; @echo $(CUDA) $(CUPY) $(STAMP)", "shown", *arguments
        ).stdout.split()

    by_driver, forced, off = shown(), shown("FILLPATH_CUDA=12"), shown("FILLPATH_CUDA=none")
    assert by_driver[:2] == ["13", "requirements-cuda13.lock"]
    assert forced[:2] == ["12", "requirements-cuda12.lock"]
    assert off[0] == "none" and len(off) == 2
    assert len({by_driver[-1], forced[-1], off[-1]}) == 3
    assert all((ROOT / name).is_file() for name in (by_driver[1], forced[1]))


@needs_make
@pytest.mark.parametrize(
    ("cuda", "goes", "stays"),
    [
        ("12", "cupy-cuda13x nvidia-cuda-nvrtc", "cupy-cuda12x nvidia-cuda-nvrtc-cu12 numpy cuda-pathfinder"),
        ("13", "cupy-cuda12x nvidia-cuda-nvrtc-cu12", "cupy-cuda13x nvidia-cuda-nvrtc numpy cuda-pathfinder"),
        # Without CuPy, the tests still compile kernels.
        ("none", "cupy-cuda12x cupy-cuda13x", "nvidia-cuda-nvrtc numpy cuda-pathfinder"),
    ],
)
def test_one_cuda_at_a_time_is_installed(cuda: str, goes: str, stays: str) -> None:
    shown = make(ROOT, "--eval=shown: ; @echo $(FOREIGN)", "shown", f"FILLPATH_CUDA={cuda}").stdout.split()
    assert set(goes.split()) <= set(shown)
    assert not set(stays.split()) & set(shown)


@needs_make
def test_an_unknown_cuda_is_refused() -> None:
    done = make(ROOT, "test", "FILLPATH_CUDA=11")
    assert done.returncode != 0
    assert "FILLPATH_CUDA=11: expected none, 12 or 13" in done.stderr


def test_the_cupy_locks_agree_with_the_main_one() -> None:
    def pinned(name: str) -> set[str]:
        lines = (ROOT / name).read_text().splitlines()
        return {line.split(";")[0].rstrip(" \\") for line in lines if re.match(r"[a-z0-9-]+==", line)}

    main = pinned("requirements.lock")
    for cuda in ("12", "13"):
        lock = pinned(f"requirements-cuda{cuda}.lock")
        assert any(line.startswith(f"cupy-cuda{cuda}x==") for line in lock)
        names = {line.split("==")[0] for line in lock}
        assert {line for line in main if line.split("==")[0] in names} <= lock


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
    job = [sys.executable, "-m", "benchmarks.engine.follow", "sh", "-c", "echo begun; exec sleep 60"]
    code = f"import subprocess, time\nprint(subprocess.Popen({job!r}).pid, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid, begun = sorted(parent.stdout.readline().decode() for _ in range(2))
        parent.kill()
    assert begun == "begun\n" and is_gone(int(pid))
