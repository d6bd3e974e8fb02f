"""List implementations, or matrices."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from commands._parser import Parser
from fetch import catalogue, collection
from fetch.matrix_id import parse
from fillpath import registry
from fillpath.errors import UnknownNameError
from fillpath.stages import STAGES

Row = tuple[str, ...]


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--matrices", action="store_true", help="list matrices instead of implementations")
    parser.add_argument(
        "--search", metavar="WORD", default="", help="matrices of the collection, by name or kind"
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.search:
        print(_table(_collection(arguments.search)))
    elif arguments.matrices:
        print(_table(_catalogue()))
    else:
        print(_implementations())
    return 0


def _table(rows: Sequence[Row]) -> str:
    """The rows as lines, in columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _implementations() -> str:
    """One paragraph per stage, in the order in which a factorisation passes them: what it is, and its
    implementations."""
    registry.load_all()
    entries = registry.registered()
    rows = [("implementation", "device", "what it is", "options")]
    rows += [(f"  {entry.name}", entry.device, entry.summary, _options(entry)) for entry in entries]
    head, *lines = _table(rows).splitlines()
    paragraphs = [head]
    for stage in STAGES.values():
        its = [line for entry, line in zip(entries, lines, strict=True) if entry.stage == stage.name]
        paragraphs.append("\n".join([f"{stage.name}: {stage.summary}", *its]))
    return "\n\n".join(paragraphs)


def _catalogue() -> list[Row]:
    rows = [
        (entry.id, _count(entry.order), _count(entry.nnz_with_zeros), entry.suite, _role(entry))
        for entry in catalogue.entries()
    ]
    return [("id", "order", "entries", "suite", "papers or what it stands for"), *rows]


def _collection(word: str) -> list[Row]:
    """What the collection holds, under the ids that it has here."""
    matrices = collection.search(word, collection.index())
    if not matrices:
        raise UnknownNameError(f"--search {word}: no matrix of the collection has it in its name or kind")
    rows: list[Row] = [("id", "order", "entries", "kind")]
    for matrix in matrices:
        square = matrix.rows == matrix.columns
        order = str(matrix.rows) if square else f"{matrix.rows}x{matrix.columns}"
        id = parse(f"{matrix.group}/{matrix.name}").text
        rows.append((id, order, str(matrix.entries), matrix.kind))
    return rows


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)


def _role(entry: catalogue.Entry) -> str:
    papers = ", ".join(entry.papers)
    return papers or f"stand-in for {', '.join(entry.stands_for)}"


def _options(entry: registry.Implementation) -> str:
    return ",".join(f"{option.name}={option.text(option.default)}" for option in entry.options) or "-"
