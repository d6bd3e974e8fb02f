"""Facts of this machine that a record carries. An unreadable fact is None, never guessed.

Most are asked for once a process:

    cores(), accelerator("gpu")["device"]    # 16, "NVIDIA H200"
"""

import functools
import json
import os
import platform
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil

from fillpath import holdings, host, peers
from fillpath.errors import ConfigError, FillpathError
from fillpath.hardware import hardware, host_facts, read
from fillpath.paths import ROOT, results, write_text
from fillpath.registry import Device
from impl.cuda import device, kernels

# Libraries with a version in a record, next to the peers.
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "pymetis", "mpi4py", "cupy-cuda12x", "cupy-cuda13x")


@functools.cache
def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0))


def facts() -> dict[str, Any]:
    """Return what this host is, `cores` those of the host; None for a fact that cannot be read."""
    return {
        **asdict(hardware()),
        "memory": psutil.virtual_memory().total,
        "os": f"{platform.system()} {platform.release()}",
        "arch": platform.machine(),
        "governor": host_facts()["governor"],
    }


def write_facts() -> None:
    """Write results/<machine>/machine.json, where it changed. Raises ConfigError as `require_kind`.

    Its `host` is the only host whose results the folder holds, None for several.
    """
    host.require_kind()
    written = {**facts(), **host.own_facts()}
    path = results() / written["name"] / holdings.FACTS
    text = json.dumps(written, indent=2, sort_keys=True) + "\n"
    if read(path) != text.strip():
        write_text(path, text)


def introduce() -> None:
    """Begin a command that measures: check this host's kind, and name the folder of its results.

    Prints the folder where it is not the host's own name. Raises ConfigError as `require_kind`.
    """
    host.require_kind()
    if message := host.name_message():
        print(f"fillpath: {message}", file=sys.stderr, flush=True)


def memory_limit() -> int:
    """Return the resident bytes that a worker may have: nine tenths of what is available now.

    A control group, such as that of a cluster's job or of a container, limits them too.
    """
    free, limit = int(psutil.virtual_memory().available), group_limit()
    return (free if limit is None else min(free, limit)) * 9 // 10


def group_limit(
    membership: Path = Path("/proc/self/cgroup"), groups: Path = Path("/sys/fs/cgroup")
) -> int | None:
    """Return the lowest memory limit of this process's control groups, version 1 or 2; None without any."""
    limits = []
    for line in (read(membership) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            name = "memory.limit_in_bytes" if controllers else "memory.max"
            inner = groups / controllers / path.lstrip("/")
            outer = [folder for folder in inner.parents if folder.is_relative_to(groups)]
            limits += [read(folder / name) for folder in (inner, *outer)]
    return min((int(limit) for limit in limits if limit is not None and limit.isdigit()), default=None)


@functools.cache
def versions() -> dict[str, str]:
    """Return versions of Python and of the installed libraries that a measurement may depend on."""
    found = {name: peers.package_version(name) for name in LIBRARIES}
    installed = {name: version for name, version in found.items() if version is not None}
    return {"python": platform.python_version(), **installed, **peers.versions()}


def accelerator(used: Device) -> dict[str, Any]:
    """Return the fields of a record that name the device a case runs on: `device`, `driver`, `cuda`, `gpu`.

    used : of the case's implementation. All fields are None for the CPU, and where no GPU can be used.
    """
    if used == "cpu" or not kernels.available()[0]:
        return dict.fromkeys(("device", "driver", "cuda", "gpu"))
    gpu = device.facts()
    return {"device": device.identity(), "driver": gpu["driver"], "cuda": gpu["cuda_runtime"], "gpu": gpu}


def git_state() -> tuple[str | None, bool | None]:
    """Return (commit, dirty): dirty if tracked files differ outside results/ and generated pages.

    Returns (None, None) where this checkout is no repository, though it may lie in another repository.
    """
    here = (".", ":!results", ":!reports/site")
    try:
        toplevel, _, commit = git(ROOT, "rev-parse", "--show-toplevel", "HEAD").partition("\n")
        if Path(toplevel).resolve() != ROOT:
            return None, None
        return commit, bool(git(ROOT, "status", "--porcelain", "--untracked-files=no", "--", *here))
    except ConfigError:
        return None, None


def oom_kills() -> int | None:
    """Count the processes that the kernel has killed for memory since it started."""
    count = re.search(r"oom_kill (\d+)", read(Path("/proc/vmstat")) or "")
    return int(count[1]) if count else None


def git(repository: Path, *arguments: str) -> str:
    """Return the output of a git command. Raises ConfigError if it fails, or if there is no git."""
    return output(ConfigError, "git", "-C", str(repository), *arguments)


def output(error: type[FillpathError], *command: str) -> str:
    """Return the output of a command. Raises the error with the end of the command's own if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        reason = str(getattr(failure, "stderr", "")).strip()[-500:] or failure
        raise error(f"{' '.join(command)}: {reason}") from failure
    return done.stdout.strip()
