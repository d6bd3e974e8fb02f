"""Name the commits where a series of asv's changed.

A series of seconds changes where it takes a step beyond its noise, one of what needs no clock at every
difference."""

from __future__ import annotations

import argparse

from benchmarks.runs.asv_history import commit_changes
from commands._parser import Parser
from fillpath.errors import ConfigError
from fillpath.host import machine_name
from fillpath.paths import ROOT, results


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "machine", nargs="?", help="whose series: a folder of results/asv/; default: this machine's"
    )


def run(arguments: argparse.Namespace) -> int:
    folder = results() / "asv" / (arguments.machine or machine_name())
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no series of that machine")
    changes = commit_changes(folder, ROOT)
    print("\n".join(change.text for change in changes) or "no series changes its level")
    return 0
