"""Write the tables of docs/peers.md from config/peers.yaml, the implementations and the experiments."""

from collections.abc import Sequence

from benchmarks.runs.experiments import experiments
from commands._parser import Arguments
from commands.maintain._part import add_check, table, update
from fillpath import registry
from fillpath.paths import ROOT
from fillpath.peers import Call, Peer, peers

PART = "peers"

add_arguments = add_check


def run(arguments: Arguments) -> int:
    return update(PART, ROOT / "docs" / "peers.md", peers_table(), arguments)


def peers_table() -> str:
    """Return the peers and how to have each, then how each implementation calls its own."""
    registry.load_all()
    having, calling = [], []
    for each in peers().values():
        ways = " or ".join(_way(way) for way in (each.command, each.alternative) if way)
        having.append((f"[{each.title}]({each.home})", each.licence, each.size, ways))
        calling += [_called(each, name, call) for name, call in each.calls.items()]
    ways_head = "Peer", "Licence", "Size", "How to have it"
    calls_head = "Implementation", "Tried with", "Default", "Settings", "Matrix", "Threads", "Loop", "Figures"
    return "\n".join([*table(ways_head, having), "", *table(calls_head, calling)])


def _called(each: Peer, name: str, call: Call) -> Sequence[str]:
    """Return a row of the second table. name : str, `stage.implementation`."""
    stage, _, implementation = name.partition(".")
    options = registry.lookup(stage, implementation).options
    default = ", ".join(f"`{option.name}={option.text(option.default)}`" for option in options) or "none"
    figures = ", ".join(sorted(_figures(stage, implementation))) or "none"
    return f"`{name}`", each.seen, default, call.settings, call.matrix, call.threads, call.loop, figures


def _figures(stage: str, implementation: str) -> set[str]:
    """Return those whose experiments name the implementation."""
    return {
        f"{experiment.paper}.{experiment.figure}"
        for experiment in experiments()
        for text in experiment.implementations
        if (experiment.stage, text.partition(".")[0]) == (stage, implementation)
    }


def _way(text: str) -> str:
    """Return a way to have a peer, its command as code: up to what is said of it in brackets."""
    command, bracket, rest = text.partition(" (")
    return f"`{command}`{bracket}{rest}" if command.startswith(("make", "sudo")) else text
