"""asv's own process: its configuration, the machine as asv keeps it, and its start.

It runs in a folder of its own (.fillpath/asv/<node>) with a machine file of its own, so that neither HOME,
another checkout's paths nor another node at work here matter.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.engine import machine
from benchmarks.runs.asv_results import write_json
from benchmarks.runs.launch import adopt, die_with_parent
from fillpath.host import machine_name, node_name
from fillpath.paths import ROOT, SITE, WORK
from impl.cuda import nvml

SCRATCH = WORK / "asv" / node_name()


def start(arguments: Sequence[str], log: Path, extra: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start asv with these arguments.

    log : where its output goes
    extra : variables of its environment, beside this process's
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    adopt()
    configuration = str(SCRATCH / "asv.conf.json")
    command = [sys.executable, "-m", "benchmarks.runs.asv_process", "--config", configuration, *arguments]
    environment = {**os.environ, **extra}
    with log.open("wb") as output:
        return subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )


def write_configuration(results_folder: Path = SCRATCH / "results") -> None:
    """asv.conf.json with its paths absolute and its results apart, and the machine file that asv asks for."""
    configuration = json.loads((ROOT / "asv.conf.json").read_text())
    folders = {key: str(ROOT / configuration[key]) for key in ("repo", "benchmark_dir", "env_dir")}
    places = {**folders, "results_dir": str(results_folder), "html_dir": str(SITE / "asv")}
    write_json(SCRATCH / "asv.conf.json", {**configuration, **places})
    write_json(SCRATCH / "machine.json", {machine_name(): facets(), "version": 1})


def facets() -> dict[str, str]:
    """The machine as asv keeps it: text only, `none` for what is absent."""
    host = machine.machine()
    return {
        "machine": machine_name(),
        "os": host.os,
        "arch": host.arch,
        "cpu": host.cpu or "unknown",
        "num_cpu": str(host.cores),
        "ram": "unknown" if host.memory is None else f"{host.memory / 2**30:.0f}GiB",
        "gpu": ", ".join(nvml.cards()) or "none",
        "python_implementation": platform.python_implementation(),
    }


def tail(log: Path, lines: int = 15) -> str:
    """The last lines of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def _main() -> None:
    """asv itself, with the machine file of the scratch folder in place of the one in HOME."""
    die_with_parent()
    adopt()
    from asv.machine import MachineCollection
    from asv.main import main

    MachineCollection.get_machine_file_path = staticmethod(lambda: str(SCRATCH / "machine.json"))
    main()


if __name__ == "__main__":
    _main()
