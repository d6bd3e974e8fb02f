"""Merge another machine's packed results."""

from pathlib import Path

from benchmarks.runs import archive
from commands._parser import Arguments, Parser


def add_arguments(parser: Parser) -> None:
    parser.add_argument("file", type=Path, help="what `fillpath pack` wrote on another machine")


def run(arguments: Arguments) -> None:
    machine, added = archive.unpack(arguments.file)
    print(f"unpacked {machine}: {added} records added")
