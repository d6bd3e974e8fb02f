"""asv's own process: its configuration, the machine as asv keeps it, and its call.

It runs in a folder of its own (.fillpath/asv/<node>) with a machine file of its own, so that neither HOME,
another checkout's paths nor another node at work here matter.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.engine import machine
from benchmarks.runs.asv_results import LISTED, VERSION, VERSIONS, read_json, write_json
from benchmarks.runs.launch import adopt, die_with_parent
from fillpath.errors import FillpathError
from fillpath.host import machine_name, node_lock, node_name
from fillpath.lock import exclusive
from fillpath.paths import BASE, ROOT, SITE, WORK
from impl.cuda import nvml

SCRATCH = WORK / "asv" / node_name()


class AirspeedError(FillpathError):
    """asv failed."""


def described(benchmark: str, series: Path) -> Mapping[str, Any]:
    """Return what asv knows of a benchmark: as it lies in the series, or else as asv's discovery finds it.

    One discovery describes the benchmarks of all stages. Raises AirspeedError where it fails.
    """
    for folder in (series, SCRATCH / "results"):
        known: Mapping[str, Any] | None = read_json(folder / LISTED).get(benchmark)
        if known is not None and known["version"] == VERSIONS.get(benchmark, VERSION):
            return known
    with exclusive(node_lock("asv")):
        write_configuration(SCRATCH / "results")
        call("discover", "run", "--machine", machine_name(), "--bench", "just-discover")
        found: Mapping[str, Any] | None = read_json(SCRATCH / "results" / LISTED).get(benchmark)
    if found is None:
        raise AirspeedError(f"asv finds no benchmark {benchmark}")
    return found


def call(name: str, *arguments: str) -> None:
    """Run asv with these arguments; its output goes to a log of that name. Raises AirspeedError."""
    log = WORK / "logs" / f"asv-{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    adopt()
    configuration = str(SCRATCH / "asv.conf.json")
    command = [sys.executable, "-m", "benchmarks.runs.asv_process", "--config", configuration, *arguments]
    with log.open("wb") as output:
        done = subprocess.run(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
        )
    if done.returncode:
        last = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise AirspeedError(f"asv {arguments[0]} ended with status {done.returncode}; its log: {log}\n{last}")


def write_configuration(results_folder: Path) -> None:
    """asv.conf.json with its paths absolute and its results apart, and the machine file that asv asks for."""
    configuration = json.loads((ROOT / "asv.conf.json").read_text())
    folders = {key: str(ROOT / configuration[key]) for key in ("repo", "benchmark_dir")}
    folders["env_dir"] = str(BASE / configuration["env_dir"])
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


def _main() -> None:
    """asv itself, with the machine file beside its configuration in place of the one in HOME."""
    die_with_parent()
    adopt()
    from asv.machine import MachineCollection
    from asv.main import main

    machine_file = Path(sys.argv[2]).with_name("machine.json")
    MachineCollection.get_machine_file_path = staticmethod(lambda: str(machine_file))
    main()


if __name__ == "__main__":
    _main()
