"""Write a machine's results as one file."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from benchmarks.runs import archive
from commands._parser import Parser
from fillpath import host
from fillpath.errors import UnknownNameError


def add_arguments(parser: Parser) -> None:
    parser.add_argument("file", type=Path, nargs="?", help="default: <machine>.tar.gz")
    parser.add_argument("--machine", help="default: this machine")


def run(arguments: argparse.Namespace) -> int:
    machine = host.machine_name() if arguments.machine is None else arguments.machine
    if not re.fullmatch(r"[A-Za-z0-9_-]+", machine):
        raise UnknownNameError(f"machine {machine!r}: only letters, digits, '_' and '-' are allowed")
    target = arguments.file or Path(f"{machine}.tar.gz")
    print(f"packed {archive.pack(machine, target)} files of {machine} into {target}")
    return 0
