"""Write the tables of docs/peers.md from config/peers.yaml, the implementations and the experiments."""

from collections.abc import Mapping, Sequence

from benchmarks.runs.experiments import experiments
from commands._parser import Arguments
from commands.maintain._part import add_check, table, update
from fillpath import registry
from fillpath.paths import ROOT
from fillpath.peers import peers

PART = "peers"

add_arguments = add_check


def run(arguments: Arguments) -> int:
    return update(PART, ROOT / "docs" / "peers.md", peers_table(), arguments)


def peers_table() -> str:
    """Return the peers and how to have each, then how each implementation calls its own."""
    registry.load_all()
    having, calling = [], []
    for each in (peer.declared for peer in peers().values()):
        ways = " or ".join(_way(each[way]) for way in ("command", "alternative") if way in each)
        having.append((f"[{each['title']}]({each['home']})", each["licence"], each["size"], ways))
        calling += [_called(each["seen"], name, call) for name, call in each.get("calls", {}).items()]
    ways_head = "Peer", "Licence", "Size", "How to have it"
    calls_head = "Implementation", "Tried with", "Default", "Settings", "Matrix", "Threads", "Loop", "Figures"
    return "\n".join([*table(ways_head, having), "", *table(calls_head, calling)])


def _called(seen: str, name: str, call: Mapping[str, str]) -> Sequence[str]:
    """Return a row of the second table.

    seen : str, the versions of the peer that have been tried
    name : str, `stage.implementation`
    """
    stage, _, implementation = name.partition(".")
    options = registry.lookup(stage, implementation).options
    default = ", ".join(f"`{option.name}={option.text(option.default)}`" for option in options) or "none"
    figures = ", ".join(sorted(_figures(stage, implementation))) or "none"
    words = (call[word] for word in ("settings", "matrix", "threads", "loop"))
    return f"`{name}`", seen, default, *words, figures


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
