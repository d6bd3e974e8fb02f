"""Slurm: the profile, what a killed workflow left in the queue, and several nodes at work in one checkout.

A real Slurm is for tests/slurm_cluster.py.
"""

import importlib.util
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from benchmarks.engine import machine, run
from benchmarks.runs import slurm
from benchmarks.runs.cases import suite_cases, suite_inputs
from commands import main
from fillpath import host
from fillpath.errors import ConfigError, FillpathError
from fillpath.paths import ROOT
from fillpath.record import record_path, write_records
from fillpath.settings import Settings
from tests.reports_fakes import made_record

needs_plugin = pytest.mark.skipif(
    importlib.util.find_spec("snakemake_executor_plugin_slurm") is None,
    reason="snakemake-executor-plugin-slurm is not installed: pip install -e '.[slurm]'",
)


def clean(**settings: str) -> dict[str, str]:
    """This environment without what a caller of the tests, or a job of Slurm's, may have set."""
    dropped = {"FILLPATH_PARENT", "FILLPATH_PAPER", "FILLPATH_PROFILE", "FILLPATH_PACKS"}
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SNAKEMAKE")) and k not in dropped
    }
    return {**kept, **settings}


@needs_plugin
def test_a_dry_run_of_the_profile(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "snakemake", "all", "--dry-run", "--quiet", "host"]
    command += ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(tmp_path)]
    command += ["--workflow-profile", str(ROOT / "profiles" / "slurm")]
    settings = clean(FILLPATH_SUITE="small", FILLPATH_PAPER="gsofa")
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    (measure,) = (
        job for job in output.split("\nrule ") if "output: .fillpath/markers/measure/symbolic" in job
    )
    # A node of its own, with a GPU, all its cores and all its memory.
    for resource in ("slurm_extra=--exclusive", "gpu=1", "mpi=0", "mem_mb=0", "runtime=1440"):
        assert resource in measure, measure
    assert "threads" not in measure
    # At a comma Snakemake would take a wildcard apart when it hands a job on.
    inputs = [line for line in output.splitlines() if "wildcards: input=" in line]
    assert inputs and not any("," in line for line in inputs)
    # Each input is a job of its own.
    count = len(suite_inputs(Settings(suite="small", paper="gsofa")))
    assert output.count("\nrule fetch:") == output.count("\nrule prepare:") == count > 1
    assert "rule generate:" not in output


def test_every_profile_has_what_its_launcher_needs() -> None:
    assert not slurm.submits("default")
    assert slurm.submits("slurm")
    with pytest.raises(ConfigError, match=r"profiles/pbs/config\.yaml: .*No such file"):
        slurm.submits("pbs")


def test_a_profile_whose_jobs_cannot_be_told_apart_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slurm, "ROOT", tmp_path)
    path = tmp_path / "profiles" / "mine" / "config.yaml"
    path.parent.mkdir(parents=True)
    given = yaml.safe_load((ROOT / "profiles" / "slurm" / "config.yaml").read_text())
    path.write_text(yaml.safe_dump({**given, "slurm-jobname-prefix": "mine"}))
    with pytest.raises(ConfigError, match="slurm-jobname-prefix has to be fillpath"):
        slurm.submits("mine")


QUEUE = f"""7|fillpath_0a|{ROOT}
8|fillpath_0a|/another/checkout
9|theirs|{ROOT}
"""


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A squeue that tells what this file says, and a scancel that takes jobs out of it."""
    listing, tools = tmp_path / "queue", tmp_path / "tools"
    tools.mkdir()
    listing.write_text(QUEUE)
    (tools / "squeue").write_text(f"#!/bin/sh\ncat {listing}\n")
    (tools / "scancel").write_text(f'#!/bin/sh\nfor job in "$@"; do sed -i "/^$job|/d" {listing}; done\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    return listing


def test_only_this_checkouts_jobs_are_cancelled(queue: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slurm.cancel_orphans(time.monotonic() + 20)
    assert [line.split("|")[0] for line in queue.read_text().splitlines()] == ["8", "9"]
    assert "cancelling Slurm's jobs of a killed run: 7" in capsys.readouterr().err


def test_a_job_that_does_not_end_is_said(queue: Path) -> None:
    (queue.parent / "tools" / "scancel").write_text("#!/bin/sh\n")
    with pytest.raises(FillpathError, match="Slurm's jobs 7 do not end"):
        slurm.cancel_orphans(time.monotonic())


def test_where_slurm_cannot_be_asked_it_is_said(queue: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (queue.parent / "tools" / "squeue").write_text("#!/bin/sh\necho Unable to contact >&2; exit 1\n")
    with pytest.raises(FillpathError, match="Unable to contact"):
        slurm.cancel_orphans(time.monotonic())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FillpathError, match="squeue is not on PATH: start this on a host that submits"):
        slurm.cancel_orphans(time.monotonic())


@pytest.mark.parametrize(("job", "status"), [("12", 0), ("", 1)])
def test_a_job_of_slurms_does_not_follow_the_host_that_submitted_it(job: str, status: int) -> None:
    """It inherits FILLPATH_PARENT from there; within one job, a parent that has gone ends its child."""
    settings = clean(FILLPATH_PARENT="1@", **({"SLURM_JOB_ID": job} if job else {}))
    command = [sys.executable, "-m", "benchmarks.engine.follow", "true"]
    assert subprocess.run(command, cwd=ROOT, env=settings, capture_output=True).returncode == status


def test_a_node_is_named_by_slurm_and_a_machine_by_its_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FILLPATH_MACHINE")
    monkeypatch.setenv("SLURMD_NODENAME", "gpu-007.cluster")
    assert host.machine_name() == host.node_name() == "gpu-007-cluster"
    monkeypatch.setenv("FILLPATH_MACHINE", "h200")
    assert host.machine_name() == "h200"
    # One measurement a node at a time, whatever name its records have.
    here = host.node_lock("measurement")
    monkeypatch.setenv("SLURMD_NODENAME", "gpu-008.cluster")
    assert host.node_lock("measurement") != here


def test_the_summary_is_of_where_each_stage_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "_MACHINES", tmp_path / "machines")
    monkeypatch.setenv("FILLPATH_PAPER", "gsofa")
    monkeypatch.setenv("FILLPATH_DEVICE", "cpu")
    (case, *_) = suite_cases(Settings.from_env(os.environ))
    record = replace(made_record(case, 0), machine="node1")
    processes = [replace(record, process=number, seconds=[1.0 + 2 * number]) for number in range(2)]
    write_records(record_path("node1", case.name), processes)
    assert main(["workflow", "summary"]) == 0
    assert f"{case.name} " in (before := capsys.readouterr().out) and " ok " not in before
    monkeypatch.setenv("FILLPATH_MACHINE", "node1")
    run.note_machine(case.stage)
    monkeypatch.setenv("FILLPATH_MACHINE", "login")
    assert run.machine_of(case.stage) == "node1"
    assert main(["workflow", "summary"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if " ok " in line]
    assert " 2 s" in line, "the median of both processes"


@pytest.mark.parametrize(
    ("membership", "limits", "least"),
    [
        ("0::/slurm/job_7/step_0\n", {"slurm/job_7/memory.max": "4096", "slurm/memory.max": "max"}, 4096),
        ("0::/slurm/job_7\n", {"slurm/job_7/memory.max": "8192", "slurm/memory.max": "4096"}, 4096),
        ("0::/\n", {"memory.max": "4096"}, 4096),
        ("4:memory:/job_7\n0::/\n", {"memory/job_7/memory.limit_in_bytes": "4096"}, 4096),
        ("4:memory:/\n3:cpuset:/job_7\n0::/\n", {"memory.max": "max"}, None),
        ("", {}, None),
    ],
)
def test_the_memory_of_a_job_is_that_of_its_control_groups(
    tmp_path: Path, membership: str, limits: dict[str, str], least: int | None
) -> None:
    (tmp_path / "cgroup").write_text(membership)
    for name, limit in limits.items():
        path = tmp_path / "fs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{limit}\n")
    assert machine.group_limit(tmp_path / "cgroup", tmp_path / "fs") == least
