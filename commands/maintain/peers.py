"""Write the table of docs/peers.md from config/peers.yaml, the implementations and the experiments."""

from __future__ import annotations

import argparse

from benchmarks.runs.experiments import experiments
from commands.maintain._part import add_check, update
from fillpath import registry
from fillpath.paths import ROOT
from fillpath.peers import Peer, peer_of, peers
from reports.pages.generated_part import Part

PART = Part("peers")

add_arguments = add_check


def run(arguments: argparse.Namespace) -> int:
    return update(PART, ROOT / "docs" / "peers.md", peers_table(), arguments)


def peers_table() -> str:
    """The peers and how to have each, then what each measures."""
    registry.load_all()
    having = [_line("Peer", "Versions tried", "Licence", "Size", "How to have it"), _line(*["---"] * 5)]
    measuring = [_line("Peer", "Implementations", "Figures that name them"), _line(*["---"] * 3)]
    for each in peers().values():
        ways = " or ".join(_way(way) for way in (each.command, each.alternative) if way)
        having.append(_line(f"[{each.title}]({each.home})", each.seen, each.licence, each.size, ways))
        measuring.append(_line(each.title, *_measured(each)))
    return "\n".join([*having, "", *measuring])


def _measured(each: Peer) -> tuple[str, str]:
    """(implementations that call the peer, figures whose experiments name them)."""
    entries = [entry for entry in registry.registered() if entry.peer and peer_of(entry.peer) == each]
    names = {(entry.stage, entry.name) for entry in entries}
    figures = {
        f"{experiment.paper}.{experiment.figure}"
        for experiment in experiments()
        for text in experiment.implementations
        if (experiment.stage, text.partition(".")[0]) in names
    }
    code = [f"`{stage}.{name}`" for stage, name in sorted(names)]
    return ", ".join(code) or "none", ", ".join(sorted(figures)) or "none"


def _way(text: str) -> str:
    """A way to have a peer, its command as code: up to what is said of it in brackets."""
    command, bracket, rest = text.partition(" (")
    return f"`{command}`{bracket}{rest}" if command.startswith(("make", "sudo")) else text


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
