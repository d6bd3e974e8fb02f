"""Say what this machine is, what can run on it and why not."""

import os

from benchmarks.engine import machine
from commands._parser import Arguments
from fillpath import host, paths, peers, registry
from fillpath.columns import columns
from fillpath.errors import FillpathError
from fillpath.settings import VARIABLES, without_login
from impl.cuda import device, kernels, nvml


def run(arguments: Arguments) -> None:
    facts = machine.facts()
    commit, dirty = machine.git_state()
    lines = [
        f"machine   {host.machine_name()} ({_name()})",
        f"cpu       {facts['cpu'] or 'unknown'}, {machine.cores()} cores, {facts['memory'] / 2**30:.1f} GiB",
        f"system    {facts['os']} {facts['arch']}, frequency governor {facts['governor'] or 'unknown'}",
        f"gpu       {_gpu()}",
        f"versions  {', '.join(f'{name} {version}' for name, version in machine.versions().items())}",
        f"commit    {commit or 'not a git checkout: nothing goes into the time series'}"
        + (" with changes: nothing goes into the time series" if dirty else ""),
        f"results   {paths.results() / host.machine_name()}",
        f"cache     {paths.cache()}, {paths.free_space(paths.cache()) / 2**30:.1f} GiB free",
        "",
    ]
    values = {name: without_login(os.environ.get(name) or "-") for name in VARIABLES}
    settings = [(name, values[name], absent, said) for name, (said, absent) in VARIABLES.items()]
    lines += columns([("setting", "value", "default", "meaning"), *settings])
    lines += ["", *map(_library, peers.peers().values()), "", *map(_verdict, registry.registered())]
    print("\n".join(lines))


def _name() -> str:
    """Return the origin of the machine's name, or why nothing can be measured under it."""
    try:
        host.require_kind()
    except FillpathError as error:
        return str(error)
    return host.name_message() or "FILLPATH_MACHINE names it otherwise"


def _library(peer: peers.Peer) -> str:
    """Return a peer's version and place here, or the command that installs it."""
    version = peer.version()
    if version is None:
        return f"no peer   {peer.title}: {peer.remedy}"
    package = f" of {peer.package}" if peer.package not in ("", peer.name) else ""
    return f"peer      {peer.title}{package} {version}{f' at {peer.library()}' if peer.file else ''}"


def _verdict(entry: registry.Implementation) -> str:
    available, why_not = entry.available()
    name = f"{entry.stage}.{entry.name}"
    return f"can run   {name}" if available else f"cannot    {name}: {why_not}"


def _gpu() -> str:
    cards = ", ".join(nvml.cards())
    available, why_not = kernels.available()
    if available:
        facts = device.facts()
        return f"{device.identity()}, driver {facts['driver']}, CUDA {facts['cuda_runtime']}; there: {cards}"
    return f"{cards}: not usable: {why_not}" if cards else "none: no NVIDIA driver found"
